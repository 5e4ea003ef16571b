//! Sockets and what is said over them.

use crate::client::{Page, SHEET, Studio};
use serde_json::{Value, json};
use tungstenite::Message;

#[test]
fn a_socket_needs_the_secret_and_an_origin_of_its_own() {
    let studio = Studio::new();
    let wrong = format!("ws://{}/{}/socket", studio.host(), "f".repeat(32));
    assert_eq!(Page::knock_at(&studio, &wrong, &[]).err(), Some(403));
    for origin in ["http://evil.example", "null", "https://127.0.0.1"] {
        let headers = [("origin", origin.to_owned())];
        assert_eq!(Page::knock(&studio, &headers).err(), Some(403), "{origin}");
    }
    let rebound = [("host", format!("evil.example:{}", studio.port))];
    assert_eq!(Page::knock(&studio, &rebound).err(), Some(403));
    let own = [("origin", format!("http://{}", studio.host()))];
    assert!(Page::knock(&studio, &own).is_ok());
    studio.assert_alive();
}

#[test]
fn the_first_word_is_hello_in_the_same_version() {
    let studio = Studio::new();
    let mut page = Page::knock(&studio, &[]).unwrap();
    let refused = page
        .ask(json!({ "op": "open", "text": SHEET }))
        .unwrap_err();
    assert_eq!(refused["kind"], "protocol", "{refused}");
    let refused = page
        .ask(json!({ "op": "hello", "protocol": 99 }))
        .unwrap_err();
    assert!(
        refused["message"].as_str().unwrap().contains("99"),
        "{refused}"
    );
    page.ask(json!({ "op": "hello", "protocol": 1 })).unwrap();
    let none = page.ask(json!({ "op": "sessions" })).unwrap();
    assert_eq!(none["sessions"], json!([]));
}

#[test]
fn malformed_messages_are_refused_one_by_one() {
    let studio = Studio::new();
    let mut page = studio.page();
    let texts = [
        "",
        "{",
        "[]",
        "null",
        "{\"ask\": 7}",
        "{\"ask\": 7, \"op\": \"explode\"}",
        "{\"ask\": 7, \"op\": \"play\"}",
        "{\"ask\": 7, \"op\": \"play\", \"session\": -1}",
        "{\"ask\": 7, \"op\": \"seek\", \"session\": 1, \"frame\": 1e99}",
        "{\"ask\": -7, \"op\": \"sessions\"}",
    ];
    for text in texts {
        page.socket.send(Message::text(text)).unwrap();
        let answer = page.hear().unwrap();
        assert_eq!(answer["ok"], false, "{text}: {answer}");
        assert_eq!(answer["error"]["kind"], "message", "{text}: {answer}");
    }
    for bytes in [vec![], vec![2, 1, 0, 0], vec![0xff; 5000]] {
        page.socket.send(Message::binary(bytes)).unwrap();
        let answer = page.hear().unwrap();
        assert_eq!(answer["error"]["kind"], "message", "{answer}");
    }
    // Deeper than anybody means.
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    page.socket.send(Message::text(deep)).unwrap();
    assert_eq!(page.hear().unwrap()["ok"], false);
    page.ask(json!({ "op": "sessions" })).unwrap();
}

#[test]
fn a_message_of_many_megabytes_ends_the_talk_and_nothing_else() {
    let studio = Studio::new();
    let mut page = studio.page();
    let long = " ".repeat(5 << 20);
    // It may be cut off while it is sent.
    let _ = page.socket.send(Message::text(long));
    while page.hear().is_some() {}
    studio.assert_alive();
    let mut page = studio.page();
    let text = format!("# {}\n{SHEET}", "x".repeat(2 << 20));
    let refused = page.ask(json!({ "op": "open", "text": text })).unwrap_err();
    assert_eq!(refused["kind"], "limit", "{refused}");
}

#[test]
fn ten_thousand_messages_are_too_many() {
    let studio = Studio::with(|options| {
        options.limits.message_burst = 1000;
        options.limits.messages_per_second = 0.0;
    });
    let mut page = studio.page();
    for ask in 0..10_000 {
        let message = json!({ "op": "sessions", "ask": ask }).to_string();
        if page.socket.send(Message::text(message)).is_err() {
            break;
        }
    }
    // Those within the limit are answered; then comes the refusal, if it is not lost with the connection.
    let mut last = Value::Null;
    while let Some(answer) = page.hear() {
        last = answer;
    }
    let is_told = last["error"]["kind"] == "limit";
    assert!(is_told || last["ok"] == true || last.is_null(), "{last}");
    studio.assert_alive();
    studio.page().ask(json!({ "op": "sessions" })).unwrap();
}

#[test]
fn messages_beyond_the_limit_are_refused_in_words() {
    let studio = Studio::with(|options| {
        options.limits.message_burst = 5;
        options.limits.messages_per_second = 0.0;
    });
    let mut page = studio.page();
    for _ in 0..4 {
        page.ask(json!({ "op": "sessions" })).unwrap();
    }
    page.send(json!({ "op": "sessions" }));
    let answer = page.hear().unwrap();
    assert_eq!(answer["error"]["kind"], "limit", "{answer}");
    while page.hear().is_some() {}
    studio.assert_alive();
}

#[test]
fn more_sessions_than_allowed_are_refused_until_one_is_closed() {
    let studio = Studio::with(|options| options.limits.sessions = 2);
    let mut page = studio.page();
    let first = page.open(SHEET);
    page.open(SHEET);
    let refused = page
        .ask(json!({ "op": "open", "text": SHEET }))
        .unwrap_err();
    assert_eq!(refused["kind"], "limit", "{refused}");
    page.ask(json!({ "op": "close", "session": first }))
        .unwrap();
    loop {
        // Its place is free when its thread has ended.
        match page.ask(json!({ "op": "open", "text": SHEET })) {
            Ok(_) => break,
            Err(refused) => assert_eq!(refused["kind"], "limit", "{refused}"),
        }
    }
}

#[test]
fn a_scene_that_is_wrong_or_too_large_opens_no_session() {
    let studio = Studio::with(|options| options.limits.sessions = 1);
    let mut page = studio.page();
    let text = "[cloth.a]\nmesh.grid = { size = [1, 1], cells = [31622, 31622] }\n";
    let refused = page.ask(json!({ "op": "open", "text": text })).unwrap_err();
    assert_eq!(refused["kind"], "scene", "{refused}");
    assert!(
        refused["problems"][0]["message"]
            .as_str()
            .unwrap()
            .contains("nodes")
    );
    let text = "[cloth.a]\nmesh.file = { path = \"../outside.obj\" }\n";
    let refused = loop {
        let refused = page.ask(json!({ "op": "open", "text": text })).unwrap_err();
        if refused["kind"] == "scene" {
            break refused;
        }
        assert_eq!(refused["kind"], "limit", "{refused}");
    };
    let message = refused["problems"][0]["message"].as_str().unwrap();
    assert!(message.contains("outside the folder"), "{message}");
    // What was refused takes no place.
    loop {
        match page.ask(json!({ "op": "open", "text": SHEET })) {
            Ok(_) => break,
            Err(refused) => assert_eq!(refused["kind"], "limit", "{refused}"),
        }
    }
}

#[test]
fn a_stopped_server_says_goodbye_and_sessions_end() {
    let studio = Studio::new();
    let mut page = studio.page();
    let session = page.open(SHEET);
    page.ask(json!({ "op": "play", "session": session }))
        .unwrap();
    studio.running.stop();
    while page.hear().is_some() {}
    studio.running.wait();
}
