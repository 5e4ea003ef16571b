//! Files: nothing outside of the folder, and within it what the page needs.

use crate::client::{SHEET, Studio, TestFolder, link};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use toile_scene::run::{RunOptions, wall_clock};

#[test]
fn no_path_leads_out_of_the_folder() {
    let studio = Studio::new();
    let outside = studio.folder.0.join("outside.toml");
    for path in [
        "../outside.toml",
        "runs/../../outside.toml",
        "./../outside.toml",
        "..%2Foutside.toml",
        "%2e%2e/outside.toml",
        &outside.display().to_string(),
        "/etc/hostname.toml",
        "..%5Coutside.toml",
        "sheet.toml%00.toml",
    ] {
        for (method, address) in [
            ("GET", format!("api/scene?path={path}")),
            ("GET", format!("api/file?path={path}")),
            ("GET", format!("api/recording?path={path}")),
        ] {
            let (status, body) = studio.request(method, &address, b"");
            let text = String::from_utf8_lossy(&body).into_owned();
            assert!((400..500).contains(&status), "{address}: {status} {text}");
            assert!(!text.contains("[cloth"), "{address}: {text}");
        }
        let address = format!("api/scene?path={path}&replace=1");
        let (status, _) = studio.request("PUT", &address, b"# gone");
        assert!((400..500).contains(&status), "{address}: {status}");
    }
    assert_eq!(std::fs::read_to_string(outside).unwrap(), SHEET);
    studio.assert_alive();
}

#[cfg(unix)]
#[test]
fn no_link_leads_out_of_the_folder() {
    let studio = Studio::new();
    let (served, outside) = (studio.folder.served(), &studio.folder.0);
    link(&outside.join("outside.toml"), &served.join("link.toml"));
    link(outside, &served.join("way"));
    for path in ["link.toml", "way/outside.toml"] {
        let message = studio.refusal("GET", &format!("api/scene?path={path}"), b"", 403);
        assert!(message.contains("outside the folder"), "{message}");
        let address = format!("api/scene?path={path}&replace=1");
        assert_eq!(studio.request("PUT", &address, b"# gone").0, 403);
    }
    assert_eq!(
        studio
            .request("PUT", "api/scene?path=way/new.toml", b"# new")
            .0,
        403
    );
    assert!(!outside.join("new.toml").exists());
    // Nor is it walked into.
    let scenes = studio.json("GET", "api/scenes", b"");
    assert_eq!(scenes.as_array().unwrap().len(), 1, "{scenes}");
    let text = "[cloth.a]\nmesh.file = { path = \"way/outside.obj\" }\n";
    let found = check(&studio, text);
    assert!(message_of(&found).contains("outside the folder"), "{found}");
}

fn check(studio: &Studio, text: &str) -> Value {
    let order = json!({ "text": text }).to_string();
    studio.json("POST", "api/check", order.as_bytes())
}

fn message_of(check: &Value) -> &str {
    check["problems"][0]["message"].as_str().unwrap_or("")
}

#[test]
fn a_scene_cannot_name_files_outside_of_the_folder() {
    let studio = Studio::new();
    for path in ["../outside.obj", "/etc/passwd", "a/../../outside.obj"] {
        let text = format!("[cloth.a]\nmesh.file = {{ path = \"{path}\" }}\n");
        let found = check(&studio, &text);
        assert_eq!(found["ok"], false, "{path}");
        assert!(
            message_of(&found).contains("outside the folder"),
            "{path}: {found}"
        );
        assert_eq!(found["problems"][0]["line"], 2, "{found}");
    }
    studio.assert_alive();
}

#[test]
fn a_wrong_field_is_told_with_its_place_and_a_mend() {
    let studio = Studio::new();
    let text =
        "# ä𝄞\n[cloth.a]\nmesh.grid = { size = [1, 1], cells = [4, 4] }\nmaterial.bendd = 1\n";
    let found = check(&studio, text);
    let problem = &found["problems"][0];
    assert_eq!(
        (&problem["line"], &problem["column"]),
        (&json!(4), &json!(10)),
        "{found}"
    );
    assert_eq!(problem["field"], "cloth.a.material.bendd");
    let units: Vec<u16> = text.encode_utf16().collect();
    let cut = |of: &Value| {
        let [from, to] = ["from", "to"].map(|k| of[k].as_u64().unwrap() as usize);
        String::from_utf16(&units[from..to]).unwrap()
    };
    assert_eq!(cut(problem), "bendd");
    assert_eq!(cut(&problem["mend"]), "bendd");
    assert_eq!(problem["mend"]["insert"], "bend");
    // A choice stands in the value of its field.
    let text =
        "[cloth.a]\nmesh.grid = { size = [1, 1], cells = [4, 4] }\nmodel = \"mass-sprong\"\n";
    let mend = &check(&studio, text)["problems"][0]["mend"];
    assert_eq!(mend["insert"], "mass-spring");
    assert_eq!(mend["from"], text.find("mass-sprong").unwrap());
    let found = check(&studio, SHEET);
    assert_eq!(found["ok"], true, "{found}");
    assert_eq!(found["world"]["nodes"], 81);
}

#[test]
fn a_scene_of_a_billion_nodes_is_refused() {
    let studio = Studio::new();
    for cells in ["[31622, 31622]", "[4000000000, 4000000000]"] {
        let text = format!("[cloth.a]\nmesh.grid = {{ size = [1, 1], cells = {cells} }}\n");
        let found = check(&studio, &text);
        assert_eq!(found["ok"], false);
        assert!(message_of(&found).contains("nodes"), "{found}");
        assert_eq!(found["problems"][0]["line"], 2, "{found}");
    }
    studio.assert_alive();
}

#[test]
fn scenes_are_read_saved_and_listed() {
    let studio = Studio::new();
    let (status, text) = studio.get("api/scene?path=sheet.toml");
    assert_eq!((status, text), (200, SHEET.as_bytes().to_vec()));
    let message = studio.refusal("PUT", "api/scene?path=sheet.toml", b"# other", 409);
    assert!(message.contains("exists already"), "{message}");
    let saved = studio.json("PUT", "api/scene?path=sheet.toml&replace=1", b"[cloth.b]\n");
    assert_eq!(saved["path"], "sheet.toml");
    studio.json("PUT", "api/scene?path=new.toml", SHEET.as_bytes());
    let scenes = studio.json("GET", "api/scenes", b"");
    let mut paths: Vec<&str> = scenes
        .as_array()
        .unwrap()
        .iter()
        .map(|s| s["path"].as_str().unwrap())
        .collect();
    paths.sort_unstable();
    assert_eq!(paths, ["new.toml", "sheet.toml"]);
    studio.refusal("PUT", "api/scene?path=run.sh", b"x", 400);
    studio.refusal("PUT", "api/scene?path=.hidden.toml", b"x", 403);
}

#[test]
fn a_studio_that_only_reads_writes_nothing() {
    let studio = Studio::with(|options| options.read_only = true);
    for (method, path) in [
        ("PUT", "api/scene?path=new.toml"),
        ("POST", "api/mesh?name=a.obj"),
        ("POST", "api/jobs"),
    ] {
        let message = studio.refusal(method, path, b"{}", 403);
        assert!(message.contains("--read-only"), "{message}");
    }
    assert_eq!(
        std::fs::read_dir(studio.folder.served()).unwrap().count(),
        1
    );
}

#[test]
fn a_dropped_mesh_is_kept_and_examined() {
    let studio = Studio::new();
    let mesh = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 5 5 5\nf 1 2 3\n";
    let found = studio.json("POST", "api/mesh?name=My%20shirt.OBJ", mesh);
    assert_eq!(found["path"], "my-shirt.obj");
    assert_eq!((&found["nodes"], &found["faces"]), (&json!(4), &json!(1)));
    let finding = &found["findings"][0];
    assert_eq!(finding["severity"], "error", "{found}");
    assert!(
        finding["what"].as_str().unwrap().contains("node"),
        "{found}"
    );
    let again = studio.json("POST", "api/mesh?name=my-shirt.obj", mesh);
    assert_eq!(again["path"], "my-shirt-2.obj");
    studio.refusal("POST", "api/mesh?name=..%2F..%2Fevil.sh", mesh, 400);
    let message = studio.refusal("POST", "api/mesh?name=a.ply", b"not a mesh", 400);
    assert!(message.contains("a.ply"), "{message}");
    studio.refusal(
        "POST",
        "api/mesh?name=a.glb",
        b"glTF\x02\0\0\0\xff\xff\xff\xff",
        400,
    );
    assert!(!studio.folder.served().join("a.ply").exists());
}

/// A run of the sheet, a tenth of a second long.
fn run(folder: &TestFolder, name: &str) {
    let mut source =
        toile_scene::scene::SceneSource::read(&folder.served().join("sheet.toml")).unwrap();
    source.overrides.push(("time.duration".into(), 0.2.into()));
    let world = toile_scene::scene::resolve(&source, source.parse().unwrap()).unwrap();
    let place = folder.served().join(name);
    let options = RunOptions {
        until: None,
        resume: false,
        threads: None,
        checkpoint_interval: 60.0,
        stop: &AtomicBool::new(false),
        clock: wall_clock,
    };
    let run = toile_scene::run::RunFolder::create(&place, false).unwrap();
    toile_scene::run::run(&world, &run, &options, &mut ()).unwrap();
}

#[test]
fn runs_are_on_the_shelf_and_come_as_frames_tables_and_files() {
    let studio = Studio::new();
    run(&studio.folder, "first");
    let shelf = studio.json("GET", "api/shelf", b"");
    let item = &shelf[0];
    assert_eq!(item["kind"], "run", "{shelf}");
    assert_eq!(
        (&item["path"], &item["recording"]),
        (&json!("first"), &json!("first"))
    );
    assert!(
        item["summary"].as_str().unwrap().starts_with("6 frames"),
        "{item}"
    );
    let (status, world) = studio.get("api/recording?path=first");
    assert_eq!(status, 200);
    let world = crate::client::world(&world);
    assert_eq!(
        (&world["frames"], &world["live"]),
        (&json!(6), &json!(false))
    );
    let (status, bytes) = studio.get("api/recording/frames?path=first&from=4&count=10");
    assert_eq!((status, bytes.len() % 2), (200, 0));
    let frame = crate::client::frame(&bytes[..bytes.len() / 2]);
    assert_eq!((frame.number, frame.positions.len()), (4, 81));
    let table = studio.json("GET", "api/recording/numbers?path=first", b"");
    assert_eq!(table["rows"].as_array().unwrap().len(), 6);
    for (format, start) in [
        ("glb", &b"glTF"[..]),
        ("usda", b"#usda"),
        ("vtu", b"PK"),
        ("csv", b"time"),
    ] {
        let (status, bytes) = studio.get(&format!("api/export?path=first&format={format}"));
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(300)]);
        assert_eq!(status, 200, "{format}: {text}");
        assert!(bytes.starts_with(start), "{format}");
    }
    studio.refusal("GET", "api/export?path=first&format=exe", b"", 400);
    studio.refusal("GET", "api/recording?path=second", b"", 404);
    // A damaged recording is an error and nothing worse.
    let cache = studio.folder.served().join("first/frames.toile");
    let bytes = std::fs::read(&cache).unwrap();
    std::fs::write(Path::new(&cache), &bytes[..bytes.len() / 2]).unwrap();
    let (status, _) = studio.get("api/recording?path=first");
    assert!(status == 200 || status == 404, "{status}");
    studio.assert_alive();
}

#[test]
fn jobs_need_a_program_and_a_known_experiment() {
    let studio = Studio::new();
    let order = br#"{ "kind": "lab", "experiment": "pendulum" }"#;
    let message = studio.refusal("POST", "api/jobs", order, 400);
    assert!(message.contains("no program"), "{message}");
    let experiments = studio.json("GET", "api/experiments", b"");
    assert!(experiments.as_array().unwrap().len() > 10);
    assert_eq!(studio.json("GET", "api/jobs", b""), json!([]));
    let studio = Studio::with(|options| options.program = Some("/nonexistent/toile".into()));
    let order = br#"{ "kind": "lab", "experiment": "../../bin/sh" }"#;
    let message = studio.refusal("POST", "api/jobs", order, 400);
    assert!(message.contains("no experiment"), "{message}");
    let order = br#"{ "kind": "lab", "experiment": "pendulum" }"#;
    let message = studio.refusal("POST", "api/jobs", order, 400);
    assert!(message.contains("cannot be started"), "{message}");
}

#[test]
fn without_a_built_page_there_is_word_of_how_to_get_one() {
    let page = TestFolder::new();
    let empty = page.0.clone();
    let studio = Studio::with(|options| options.page = Some(empty));
    let (status, text) = studio.get("");
    let text = String::from_utf8(text).unwrap();
    assert_eq!(status, 200);
    assert!(text.contains("cargo xtask studio"), "{text}");
    assert!(!studio.running.has_page());
    studio.refusal("GET", "assets/missing.js", b"", 404);
    studio.refusal("GET", "..%2Foutside.toml", b"", 404);
}
