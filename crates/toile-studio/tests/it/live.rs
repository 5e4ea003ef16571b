//! Live sessions, by numbers.

use crate::client::{Frame, Page, SHEET, Studio, distance};
use serde_json::{Value, json};

/// The sheet without pins, high above the floor and in the air.
const LOOSE: &str = "[time]\nstep = 0.01\n[environment.air]\n[cloth.sheet]\n\
    mesh.grid = { size = [0.4, 0.4], cells = [8, 8] }\nplace = { at = [0, 0, 1] }\nmaterial.bend = 1e-5\n\
    [body.ball]\nshape.sphere = { radius = 0.1 }\nplace = { at = [0, 0, 0.5] }\n";

#[test]
fn a_world_comes_once_and_frames_follow_the_engine() {
    let studio = Studio::new();
    let mut page = studio.page();
    let session = page.open(SHEET);
    let first = page.frame(|f| f.session == session);
    assert_eq!(
        (first.number, first.flags, first.positions.len()),
        (0, 2, 81)
    );
    let world = &page.worlds[0];
    assert_eq!(
        (&world["title"], &world["nodes"]),
        (&json!("sheet"), &json!(81))
    );
    let cloth = &world["cloths"][0];
    assert_eq!(cloth["faces"]["count"], 4 * 64);
    assert_eq!(
        (&cloth["rest"]["count"], &cloth["pattern"]["count"]),
        (&json!(8 * 64), &json!(3 * 81))
    );
    assert_eq!(world["bodies"][0]["ground"], 0.0);
    assert_eq!(world["pins"].as_array().unwrap().len(), 1);
    let frame = page.step(session, 20);
    assert!((frame.time - 0.2).abs() < 1e-9, "{}", frame.time);
    // The same scene without a server.
    let source = toile_scene::scene::SceneSource {
        name: "sheet".into(),
        text: SHEET.into(),
        folder: "".into(),
        overrides: Vec::new(),
    };
    let world = toile_scene::scene::resolve(&source, source.parse().unwrap()).unwrap();
    let mut simulation = world.simulation();
    simulation.advance(0.2).unwrap();
    for (shown, exact) in frame.positions.iter().zip(simulation.positions()) {
        assert!(distance(*shown, exact.to_array()) < 1e-6);
    }
    // The table has a row for each step.
    let rows: usize = page
        .events
        .iter()
        .filter(|e| e["event"] == "numbers")
        .map(|e| e["rows"].as_array().unwrap().len())
        .sum();
    assert!(rows >= 20, "{rows}");
}

#[test]
fn a_dragged_corner_follows_and_its_force_is_told() {
    let studio = Studio::new();
    let mut page = studio.page();
    let session = page.open(LOOSE);
    let start = page.frame(|f| f.number == 0);
    let made = page.command(
        session,
        json!({ "do": "grasp", "cloth": 0, "face": 0, "weights": [1, 0, 0, 0] }),
    );
    let grasp = made.unwrap()["grasp"].as_u64().unwrap();
    let corner = start.positions[0];
    let to = [corner[0] - 0.3, corner[1] - 0.2, corner[2] + 0.3];
    page.command(
        session,
        json!({ "do": "moveGrasp", "grasp": grasp, "to": to, "within": 0.2 }),
    )
    .unwrap();
    let frame = page.step(session, 150);
    assert!(
        distance(frame.positions[0], to) < 0.08,
        "{:?} of {to:?}",
        frame.positions[0]
    );
    // It carries what hangs at it: more than nothing and about the cloth's weight.
    let row = last_row(&page, session);
    let columns = page.worlds[0]["columns"].as_array().unwrap().clone();
    let column = columns.iter().position(|c| c == "graspForce").unwrap();
    let force = row[column].as_f64().unwrap();
    let mass = page.worlds[0]["cloths"][0]["density"].as_f64().unwrap() * 0.16;
    assert!(
        (0.5..2.0).contains(&(force / (9.81 * mass))),
        "{force} N of {mass} kg"
    );
    // Let go, it falls.
    page.command(session, json!({ "do": "release", "grasp": grasp }))
        .unwrap();
    let fallen = page.step(session, 20);
    assert!(fallen.positions[0][2] < frame.positions[0][2] - 0.05);
}

/// However far the mouse jumps: cloth that is simulated slowly would else be jerked in its own time.
#[test]
fn a_spring_leads_no_faster_than_a_hand() {
    let studio = Studio::new();
    let mut page = studio.page();
    let session = page.open(LOOSE);
    let start = page.frame(|f| f.number == 0);
    let order = json!({ "do": "grasp", "cloth": 0, "face": 0, "weights": [1, 0, 0, 0] });
    let made = page.command(session, order).unwrap();
    assert_eq!(made["after"], 0);
    let corner = start.positions[0];
    let to = [corner[0], corner[1], corner[2] + 0.3];
    let order = json!({ "do": "moveGrasp", "grasp": made["grasp"], "to": to });
    page.command(session, order).unwrap();
    let before = page.step(session, 1);
    let led = |frame: &Frame| frame.grasps[0].target[2] - corner[2];
    assert!(
        (led(&before) - 1.5 * before.time).abs() < 1e-6,
        "{}",
        led(&before)
    );
    let after = page.step(session, 60);
    assert!((led(&after) - 0.3).abs() < 1e-6, "{}", led(&after));
}

fn last_row(page: &Page, session: u32) -> Vec<Value> {
    let numbers = page
        .events
        .iter()
        .filter(|e| e["event"] == "numbers" && e["session"] == session);
    let mut rows = numbers.filter_map(|e| e["rows"].as_array().unwrap().last());
    rows.next_back().unwrap().as_array().unwrap().clone()
}

#[test]
fn pins_bodies_gravity_wind_and_numbers_change_what_comes() {
    let studio = Studio::new();
    let mut page = studio.page();
    let session = page.open(LOOSE);
    let start = page.frame(|f| f.number == 0);
    page.command(
        session,
        json!({ "do": "graspNodes", "nodes": [0, 8], "grip": "pin" }),
    )
    .unwrap();
    let frame = page.step(session, 30);
    assert!(distance(frame.positions[0], start.positions[0]) < 1e-6);
    assert!(frame.positions[80][2] < start.positions[80][2] - 0.01);
    let status = page.status(|s| s["grasps"].as_array().unwrap().len() == 1);
    assert_eq!(status["grasps"][0]["grip"], "pin");
    page.command(session, json!({ "do": "gravity", "value": [0, 0, 9.81] }))
        .unwrap();
    page.command(session, json!({ "do": "wind", "value": [0, 5, 0] }))
        .unwrap();
    page.command(
        session,
        json!({ "do": "set", "name": "cloth.sheet.material.bend", "value": 1e-4 }),
    )
    .unwrap();
    let to = json!([0.5, 0, 0.5]);
    page.command(session, json!({ "do": "moveBody", "body": 0, "translation": to, "rotation": [0, 0, 0, 1], "within": 0.5 })).unwrap();
    let risen = page.step(session, 200);
    assert!(
        risen.positions[80][2] > start.positions[80][2],
        "{:?}",
        risen.positions[80]
    );
    let status = page.status(|s| s["settings"]["cloth.sheet.material.bend"] == 1e-4);
    assert_eq!(
        (&status["gravity"][2], &status["wind"][1]),
        (&json!(9.81), &json!(5.0))
    );
    // What cannot change while it goes says so; what makes no sense changes nothing.
    let set = |name: &str| json!({ "do": "set", "name": name, "value": 3.0 });
    let refused = page.command(session, set("time.step")).unwrap_err();
    assert_eq!(refused["restart"], true, "{refused}");
    for wrong in [
        json!({ "do": "grasp", "cloth": 9, "face": 0, "weights": [1, 0, 0, 0] }),
        json!({ "do": "grasp", "cloth": 0, "face": 0, "weights": [5, 0, 0, 0] }),
        json!({ "do": "graspNodes", "nodes": [4_000_000_000u32] }),
        json!({ "do": "graspNodes", "nodes": [] }),
        json!({ "do": "moveGrasp", "grasp": 77, "to": [0, 0, 0] }),
        json!({ "do": "moveBody", "body": 5, "translation": [0, 0, 0], "rotation": [0, 0, 0, 1] }),
        json!({ "do": "moveBody", "body": 0, "translation": [0, 0, 0], "rotation": [0, 0, 0, 9] }),
    ] {
        let refused = page.command(session, wrong.clone()).unwrap_err();
        assert_eq!(refused["kind"], "command", "{wrong}");
    }
}

#[test]
fn one_goes_back_and_on_to_the_same_bits() {
    let studio = Studio::new();
    let mut page = studio.page();
    let session = page.open(LOOSE);
    page.step(session, 5);
    let made = page.command(
        session,
        json!({ "do": "grasp", "cloth": 0, "face": 0, "weights": [1, 0, 0, 0] }),
    );
    let grasp = made.unwrap()["grasp"].clone();
    page.command(
        session,
        json!({ "do": "moveGrasp", "grasp": grasp, "to": [0, 0, 1.3] }),
    )
    .unwrap();
    let middle = page.step(session, 18);
    let end = page.step(session, 17);
    assert_eq!((middle.number, end.number), (23, 40));
    let found = page
        .ask(json!({ "op": "seek", "session": session, "frame": 23 }))
        .unwrap();
    assert_eq!(found["frame"], 23);
    let past = page.frame(|f| f.number == 23 && f.flags & 1 != 0);
    assert_eq!(past.positions, middle.positions);
    // Stepping goes on from there, through the snapshot and the commands since.
    page.frames.clear();
    page.ask(json!({ "op": "step", "session": session, "count": 17 }))
        .unwrap();
    let again = page.frame(|f| f.number == 40);
    assert_eq!(again.positions, end.positions);
    // The table was cut at the frame and written anew.
    let is_cut = |e: &&Value| e["event"] == "numbers" && e["from"] == 24;
    assert!(page.events.iter().any(|e| is_cut(&e)));
    page.ask(json!({ "op": "reset", "session": session }))
        .unwrap();
    let start = page.frame(|f| f.number == 0 && f.flags & 2 != 0);
    assert_eq!(start.time, 0.0);
}

#[test]
fn a_page_that_takes_no_frames_gets_two_and_then_the_newest() {
    let studio = Studio::new();
    let mut page = studio.page();
    page.takes = false;
    let session = page.open(SHEET);
    page.ask(json!({ "op": "pace", "session": session, "factor": 0 }))
        .unwrap();
    page.ask(json!({ "op": "play", "session": session }))
        .unwrap();
    // The simulation goes on all the same: its table grows.
    let mut slow = studio.page();
    slow.takes = true;
    loop {
        page.hear().unwrap();
        let rows = page.events.iter().filter(|e| e["event"] == "numbers");
        if rows
            .map(|e| e["rows"].as_array().unwrap().len())
            .sum::<usize>()
            > 50
        {
            break;
        }
    }
    assert_eq!(page.frames.len(), 2);
    page.ask(json!({ "op": "pause", "session": session }))
        .unwrap();
    assert_eq!(page.frames.len(), 2);
    let last = page
        .ask(json!({ "op": "attach", "session": session }))
        .unwrap();
    let last = last["status"]["last"].as_u64().unwrap() as u32;
    assert!(last > 50);
    let newest = page.frame(|f| f.number > 2);
    assert_eq!(newest.number, last);
}

#[test]
fn fields_and_contacts_are_those_of_the_engine() {
    let studio = Studio::new();
    let mut page = studio.page();
    let session = page.open(LOOSE);
    page.step(session, 60);
    for (field, least) in [
        ("stretch", 1e-6),
        ("curvature", 0.1),
        ("gap", 1e-4),
        ("force", 1e-4),
        ("friction", 1.0),
        ("speed", 1e-3),
    ] {
        page.frames.clear();
        page.ask(json!({ "op": "show", "session": session, "field": field }))
            .unwrap();
        let frame = page.frame(|f| f.field.is_some());
        let values = frame.field.unwrap();
        let most = values
            .iter()
            .copied()
            .filter(|v| v.is_finite())
            .fold(0.0f32, f32::max);
        assert!(most >= least, "{field}: {most}");
    }
    let contacts = page
        .ask(json!({ "op": "contacts", "session": session, "limit": 2 }))
        .unwrap();
    assert!(contacts["count"].as_u64().unwrap() > 2, "{contacts}");
    assert_eq!(contacts["contacts"].as_array().unwrap().len(), 2);
    assert_eq!(contacts["contacts"][0]["body"], 0);
    let failing = page
        .ask(json!({ "op": "failing", "session": session }))
        .unwrap();
    let rows = failing["rows"].as_array().unwrap();
    assert!(
        rows.iter()
            .any(|r| r["kind"] == "stretch" && r["face"].is_u64()),
        "{failing}"
    );
}

#[test]
fn the_past_has_the_colours_and_grasps_that_it_had() {
    let studio = Studio::new();
    let mut page = studio.page();
    // Springs stay on the ball for as long as this looks.
    let springs = LOOSE
        .replace(
            "step = 0.01",
            "step = 0.01\nnewton_steps = 1\n[contact]\ncloth = \"none\"",
        )
        .replace(
            "material.bend = 1e-5",
            "model = \"mass-spring\"\nbending = \"model\"\n\
             material = { density = 0.15, shear_stiffness = 400, bend = 1e-5 }",
        );
    let session = page.open(&springs);
    page.command(
        session,
        json!({ "do": "grasp", "cloth": 0, "face": 0, "weights": [1, 0, 0, 0] }),
    )
    .unwrap();
    page.step(session, 60);
    // The ball is on its way, so that where it stood is not where it stands.
    let to = json!([0.1, 0, 0.6]);
    page.command(session, json!({ "do": "moveBody", "body": 0, "translation": to, "rotation": [0, 0, 0, 1], "within": 0.4 })).unwrap();
    page.step(session, 7);
    // With their numbers in frames.
    let fields = [("stretch", 1), ("gap", 4), ("force", 5), ("friction", 6)];
    let look = |page: &mut Page, (field, colour): (&str, usize)| {
        page.frames.clear();
        page.ask(json!({ "op": "show", "session": session, "field": field }))
            .unwrap();
        page.frame(|f| f.number == 67 && f.colour == colour)
    };
    let now = fields.map(|field| look(&mut page, field));
    assert!(now[2].field.as_ref().unwrap().iter().any(|f| *f > 1e-4));
    assert!(now[3].field.as_ref().unwrap().iter().any(|f| *f >= 1.0));
    page.step(session, 40);
    page.ask(json!({ "op": "seek", "session": session, "frame": 67 }))
        .unwrap();
    for (field, was) in fields.iter().zip(now) {
        let past = look(&mut page, *field);
        assert_eq!(past.flags & 1, 1);
        assert_eq!(past.positions, was.positions);
        assert_eq!(past.grasps, was.grasps);
        assert_eq!(past.grasps.len(), 1);
        // Of places in single precision.
        for (then, now) in past.field.unwrap().iter().zip(was.field.unwrap()) {
            assert!((then - now).abs() < 1e-5, "{field:?}: {then} of {now}");
        }
    }
}

#[test]
fn two_pages_see_one_session_and_two_sessions_keep_one_clock() {
    let studio = Studio::new();
    let (mut one, mut other) = (studio.page(), studio.page());
    let first = one.open(SHEET);
    let stiff = SHEET.replace("step = 0.01", "step = 0.005");
    let second = one.open(&stiff);
    let refused = other
        .ask(json!({ "op": "play", "session": first }))
        .unwrap_err();
    assert_eq!(refused["kind"], "no-session", "{refused}");
    let listed = other.ask(json!({ "op": "sessions" })).unwrap();
    assert_eq!(listed["sessions"].as_array().unwrap().len(), 2);
    other
        .ask(json!({ "op": "attach", "session": first }))
        .unwrap();
    other.frame(|f| f.session == first);
    one.ask(json!({ "op": "link", "sessions": [first, second] }))
        .unwrap();
    for session in [first, second] {
        one.ask(json!({ "op": "pace", "session": session, "factor": 0 }))
            .unwrap();
        one.ask(json!({ "op": "play", "session": session }))
            .unwrap();
    }
    other.frame(|f| f.number >= 10);
    for session in [first, second] {
        one.ask(json!({ "op": "pause", "session": session }))
            .unwrap();
    }
    let times = [first, second].map(|session| {
        let found = one
            .ask(json!({ "op": "attach", "session": session }))
            .unwrap();
        found["status"]["time"].as_f64().unwrap()
    });
    // Paused one after the other, the second may have caught up with the first and gone a step ahead.
    assert!((times[0] - times[1]).abs() < 0.0101, "{times:?}");
    // A page that goes away leaves the other one its session.
    drop(one);
    other.step(first, 1);
}
