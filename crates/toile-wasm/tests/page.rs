//! What a page without a server says and hears.

#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};
use toile_wasm::{Engine, Outgoing};

const SHEET: &str = "[time]\nstep = 0.01\n[cloth.sheet]\nmesh.grid = { size = [1, 1], cells = [6, 6] }\n\
    [[cloth.sheet.pin]]\nselect.corners = [2, 3]\n";

fn messages(engine: &mut Engine) -> (Vec<Value>, Vec<Vec<u8>>) {
    let (mut texts, mut bytes) = (Vec::new(), Vec::new());
    while let Some(message) = engine.next_message() {
        match message {
            Outgoing::Text(text) => texts.push(serde_json::from_str(&text).unwrap()),
            Outgoing::Bytes(found) => bytes.push(found),
        }
    }
    (texts, bytes)
}

fn ask(engine: &mut Engine, what: Value) -> (Vec<Value>, Vec<Vec<u8>>) {
    engine.ask(&what.to_string());
    messages(engine)
}

#[test]
fn a_scene_is_opened_played_and_looked_back_on() {
    let mut engine = Engine::new(|| 0.0);
    let (texts, bytes) = ask(
        &mut engine,
        json!({ "ask": 1, "op": "open", "text": SHEET }),
    );
    assert_eq!(
        (&texts[0]["answer"], &texts[0]["session"]),
        (&json!(1), &json!(1)),
        "{texts:?}"
    );
    assert_eq!((bytes[0][0], bytes[1][0]), (1, 2));
    ask(&mut engine, json!({ "ask": 2, "op": "play", "session": 1 }));
    // A step of a hundredth of a second is due a hundred times in a second.
    for tick in 0..400 {
        engine.tick(0.0025 * f64::from(tick));
    }
    let (texts, bytes) = messages(&mut engine);
    let rows: usize = texts
        .iter()
        .filter_map(|t| Some(t["rows"].as_array()?.len()))
        .sum();
    assert!((99..=101).contains(&rows), "{rows}");
    // The page took neither of the first two frames, so no more came; the newest follows when it does.
    assert!(bytes.is_empty());
    ask(
        &mut engine,
        json!({ "ask": 3, "op": "pause", "session": 1 }),
    );
    let (_, bytes) = ask(
        &mut engine,
        json!({ "ask": 0, "op": "taken", "session": 1, "frame": 0 }),
    );
    let number = u32::from_le_bytes(bytes[0][8..12].try_into().unwrap());
    assert_eq!(number as usize, rows);
    let (texts, _) = ask(
        &mut engine,
        json!({ "ask": 4, "op": "seek", "session": 1, "frame": 40 }),
    );
    assert_eq!(texts[0]["frame"], 40);
}

#[test]
fn what_a_server_has_and_what_only_a_server_has() {
    let mut engine = Engine::new(|| 0.0);
    let mut get = |message: Value| {
        engine.get(&message.to_string());
        messages(&mut engine).0[0].clone()
    };
    let named = |name: &str| json!({ "ask": 1, "get": name });
    let templates = get(named("templates"));
    assert!(templates["value"].as_array().unwrap().len() > 10);
    assert!(get(named("schema"))["value"]["properties"]["cloth"].is_object());
    assert_eq!(get(named("shelf"))["error"]["kind"], "file");
    let wrong = SHEET.replace("cells", "cels");
    let found = get(json!({ "ask": 2, "get": "check", "text": wrong }));
    assert_eq!(found["answer"], 2);
    assert_eq!(found["value"]["problems"][0]["mend"]["insert"], "cells");
    for text in ["", "{", "{\"op\":\"play\",\"session\":9,\"ask\":5}"] {
        engine.ask(text);
        assert_eq!(messages(&mut engine).0[0]["ok"], false, "{text}");
    }
    let huge = SHEET.replace("[6, 6]", "[1000, 1000]");
    let (texts, _) = ask(&mut engine, json!({ "ask": 3, "op": "open", "text": huge }));
    assert_eq!(texts[0]["error"]["kind"], "scene", "{texts:?}");
}

#[test]
fn linked_sessions_keep_one_clock() {
    let mut engine = Engine::new(|| 0.0);
    for (number, step) in [(1, "0.01"), (2, "0.005")] {
        let text = SHEET.replace("0.01", step);
        ask(
            &mut engine,
            json!({ "ask": number, "op": "open", "text": text }),
        );
        ask(
            &mut engine,
            json!({ "ask": 9, "op": "pace", "session": number, "factor": 0 }),
        );
        ask(
            &mut engine,
            json!({ "ask": 9, "op": "play", "session": number }),
        );
    }
    ask(
        &mut engine,
        json!({ "ask": 3, "op": "link", "sessions": [1, 2] }),
    );
    for _ in 0..50 {
        engine.tick(0.0);
    }
    let (texts, _) = ask(&mut engine, json!({ "ask": 4, "op": "sessions" }));
    let found = texts.iter().find(|t| t["answer"] == 4).unwrap();
    let time = |k: usize| found["sessions"][k]["status"]["time"].as_f64().unwrap();
    assert!(
        (time(0) - time(1)).abs() < 0.0101,
        "{} {}",
        time(0),
        time(1)
    );
    assert!(time(0) > 0.2, "{}", time(0));
}
