//! Every command as a user calls it.

use crate::common::{Folder, SMALL, contents, toile};
use serde_json::Value;

const SCENES: [&str; 14] = [
    "hello",
    "table-drape",
    "sphere-drop",
    "heap",
    "five-sheets",
    "tabard",
    "curtain",
    "pick-and-place",
    "gripper",
    "flag",
    "fabrics",
    "creases",
    "balloon",
    "bottle",
];
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

/// A folder with a finished run in `out`, without pictures.
fn finished() -> Folder {
    let folder = Folder::new();
    folder.write("small.toml", SMALL);
    let run = ["run", "small.toml", "-q", "-o", "out", "--no-report"];
    toile(&folder, &[&run[..], &["--until", "0.2"]].concat()).good();
    folder
}

fn has(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|w| w == part)
}

#[test]
fn help_names_every_command_and_each_explains_itself() {
    let folder = Folder::new();
    let help = toile(&folder, &["--help"]).good().stdout;
    let commands = "run drape check export render scenes fabrics schema lab completions";
    for command in commands.split(' ') {
        assert!(help.contains(&format!("\n  {command} ")), "{help}");
        let own = toile(&folder, &[command, "--help"]).good().stdout;
        assert!(own.contains("Usage: toile"), "{own}");
    }
    assert!(
        toile(&folder, &["--version"])
            .good()
            .stdout
            .starts_with("toile ")
    );
    assert_eq!(toile(&folder, &["weave"]).code, Some(2));
}

#[test]
fn every_bundled_scene_is_listed_and_sound() {
    let folder = Folder::new();
    let list = toile(&folder, &["scenes"]).good().stdout;
    let names: Vec<&str> = list.lines().filter_map(|l| l.split(' ').next()).collect();
    assert_eq!(names, SCENES);
    for name in SCENES {
        let checked = toile(&folder, &["check", name]).good();
        assert!(
            checked.stdout.contains("ready to run"),
            "{}",
            checked.stdout
        );
        let text = toile(&folder, &["scenes", name]).good().stdout;
        assert!(text.contains("[cloth."), "{text}");
    }
}

#[test]
fn every_named_fabric_is_listed_with_its_numbers_and_its_source() {
    let folder = Folder::new();
    let list = toile(&folder, &["fabrics"]).good().stdout;
    for name in toile::energy::Fabric::names() {
        let line = list.lines().find(|l| l.starts_with(&format!("{name} ")));
        let numbers = line.unwrap().split_whitespace().skip(1);
        let numbers: Vec<f64> = numbers.filter_map(|n| n.parse().ok()).collect();
        let [density, warp, weft, shear] = numbers[..] else {
            panic!("{line:?}");
        };
        // What any woven cloth has; a unit that is not SI would be far outside.
        assert!((0.02..1.0).contains(&density), "{name}");
        assert!(1e-7 < weft && weft <= warp && warp < 1e-3, "{name}");
        assert!((1.0..1000.0).contains(&shear), "{name}");
    }
    // Denim's record has B = 0.172 gf·cm²/cm and G = 2.18 gf/cm per degree.
    assert!(list.contains("1.7e-5 / 1.7e-5   122.5"), "{list}");
    assert!(list.contains("silk: typical"), "{list}");
    assert!(
        list.contains("denim: ") && list.contains("4614168"),
        "{list}"
    );
}

#[test]
fn the_schema_is_json_and_the_completions_are_scripts() {
    let folder = Folder::new();
    let schema = toile(&folder, &["schema"]).good().stdout;
    let parsed: Value = serde_json::from_str(&schema).unwrap();
    assert!(parsed["properties"]["cloth"].is_object());
    assert!(schema.contains("\"stretch_stiffness\""));
    for shell in ["bash", "zsh", "fish"] {
        let script = toile(&folder, &["completions", shell]).good().stdout;
        assert!(script.contains("export") && script.contains("toile"));
    }
}

#[test]
fn a_run_leaves_every_file_that_its_help_lists() {
    let folder = Folder::new();
    folder.write("small.toml", SMALL);
    let ended = toile(&folder, &["run", "small.toml"]).good();
    assert!(ended.stdout.contains("report.html"), "{}", ended.stdout);
    let help = toile(&folder, &["run", "--help"]).good().stdout;
    let starts: [(&str, &[u8]); 10] = [
        ("report.html", b"<!"),
        ("preview.png", PNG),
        ("preview-animated.png", PNG),
        ("frames.toile", b"TOILE"),
        ("metrics.csv", b"time,"),
        ("timings.csv", b"time,"),
        ("forces.csv", b"time,body,"),
        ("findings.json", b"{\n"),
        ("scene.resolved.toml", b"title = \"Small\""),
        ("checkpoint.toile", b"TOILECHK"),
    ];
    for (name, start) in starts {
        assert!(help.contains(name), "{name} is not in the help");
        let bytes = folder.read(&format!("runs/small/{name}"));
        assert!(bytes.starts_with(start), "{name}: {:?}", &bytes[..8]);
    }
    assert!(has(
        &folder.read("runs/small/preview-animated.png"),
        b"acTL"
    ));
    let others = contents(&folder.file("runs/small")).len() - starts.len();
    assert!(others <= 1, "only the lock may be there besides");
    // The resolved scene is a scene, and the same one.
    let resolved = "runs/small/scene.resolved.toml";
    toile(&folder, &["run", resolved, "-o", "again", "--no-report"]).good();
    let frames = ["again", "runs/small"].map(|f| folder.read(&format!("{f}/frames.toile")));
    assert!(frames[0] == frames[1]);
}

#[test]
fn an_expectation_that_is_missed_fails_the_run() {
    let folder = Folder::new();
    folder.write(
        "small.toml",
        format!("{SMALL}\n[expect]\nlowest_between = [5, 6]\n"),
    );
    let ended = toile(&folder, &["run", "small.toml", "--no-report"]);
    ended.says(1, &["expect.lowest_between failed", "measured"]);
}

#[test]
fn pictures_are_taken_again_and_never_overwritten_unasked() {
    let folder = finished();
    let render = |more: &[&str]| {
        let size = ["render", "out", "--size", "64x48"];
        toile(&folder, &[&size[..], more].concat())
    };
    render(&["--out", "frame.png", "--frame", "2"]).good();
    render(&["--out", "last.png", "--frame", "last", "--azimuth", "-10"]).good();
    render(&["--out", "sheet.png"]).good();
    render(&["--out", "moving.png", "--animate"]).good();
    let stretch = ["--frame", "last", "--azimuth", "-10", "--color", "stretch"];
    render(&[&["--out", "stretch.png"], &stretch[..]].concat()).good();
    for name in [
        "frame.png",
        "last.png",
        "sheet.png",
        "moving.png",
        "stretch.png",
    ] {
        assert!(folder.read(name).starts_with(PNG), "{name}");
    }
    assert!(has(&folder.read("moving.png"), b"acTL"));
    assert_ne!(folder.read("last.png"), folder.read("stretch.png"));

    folder.write("mine.png", "mine");
    render(&["--out", "mine.png"]).says(1, &["mine.png exists already", "--force"]);
    assert_eq!(folder.read("mine.png"), b"mine");
    render(&["--out", "mine.png", "--force"]).good();
    assert!(folder.read("mine.png").starts_with(PNG));

    let bad = ["--out", "bad.png"];
    for (more, says) in [
        (&["--frame", "99"][..], "99"),
        (&["--frame", "first"], "--frame first"),
        (&["--zoom", "0"], "--zoom"),
        (&["--range", "0"], "--range"),
    ] {
        let ended = render(&[&bad, more].concat());
        ended.says(1, &[says]);
    }
    render(&[&bad[..], &["--range", "nan"]].concat()).says(2, &["--range", "finite number"]);
    assert!(!folder.file("bad.png").exists());
    let size = ["render", "out", "--out", "bad.png", "--size", "4x4"];
    toile(&folder, &size).says(1, &["--size 4x4", "from 16"]);
    toile(&folder, &["render", "nowhere"]).says(1, &["nowhere"]);
}

#[test]
fn runs_are_exported_to_all_formats_and_quads_stay_quads() {
    let folder = finished();
    let export =
        |format: &str, out: &str| toile(&folder, &["export", "out", "--to", format, "--out", out]);
    std::fs::create_dir(folder.file("x")).unwrap();
    for (format, out) in [
        ("obj", "x/o"),
        ("ply", "x/p"),
        ("glb", "x/g.glb"),
        ("usda", "x/u.usda"),
        ("vtu", "x/v"),
    ] {
        export(format, out).good();
        export(format, out).says(1, &["x/", "exists already", "force"]);
    }
    let files = contents(&folder.file("x"));
    let of = |end: &str| -> Vec<&(String, Vec<u8>)> {
        files
            .iter()
            .filter(|(name, _)| name.ends_with(end))
            .collect()
    };
    for (end, count, start) in [
        (".obj", 6, &b""[..]),
        (".ply", 6, b"ply\n"),
        (".glb", 1, b"glTF"),
        (".usda", 1, b"#usda 1.0"),
        // One more for the ball, which does not move.
        (".vtu", 7, b"<?xml"),
        (".pvd", 1, b"<?xml"),
    ] {
        let found = of(end);
        assert_eq!(found.len(), count, "{end}");
        assert!(
            found.iter().all(|(_, bytes)| bytes.starts_with(start)),
            "{end}"
        );
    }
    let text = String::from_utf8(of(".obj")[0].1.clone()).unwrap();
    let faces = text.lines().filter(|line| line.starts_with("f "));
    let quads = faces.filter(|line| line.split_whitespace().count() == 5);
    assert_eq!(quads.count(), 64);

    let every = [
        "--to", "obj", "--out", "thin", "--every", "2", "--from", "1",
    ];
    toile(&folder, &[&["export", "out"], &every[..]].concat()).good();
    let thin = contents(folder.path());
    assert_eq!(thin.iter().filter(|(n, _)| n.ends_with(".obj")).count(), 3);
    toile(&folder, &["export", "x", "--to", "glb", "--out", "y.glb"]).says(1, &["x"]);
}

#[test]
fn check_lists_everything_that_is_wrong_with_a_mesh() {
    let folder = Folder::new();
    let nodes = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0 -1 0\nv 5 5 5\nv 2 0 0\n";
    let faces = "f 1 2 3\nf 2 1 4\nf 1 2 5\nf 1 2 3\nf 1 1 2\nf 1 2 7\n";
    folder.write("broken.obj", format!("{nodes}{faces}"));
    let ended = toile(&folder, &["check", "broken.obj"]);
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    for finding in [
        "error: 1 face names a node twice",
        "error: 1 face has the same corners as another (0 and 3)",
        "error: 1 face has no area",
        "error: 1 edge belongs to more than two faces (edge 0–1",
        "error: 1 node belongs to no face (5)",
    ] {
        assert!(
            ended.stdout.contains(finding),
            "{finding}:\n{}",
            ended.stdout
        );
    }
    folder.write("sound.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let sound = toile(&folder, &["check", "sound.obj"]).good();
    assert!(sound.stdout.contains("nothing wrong"), "{}", sound.stdout);
}

#[test]
fn the_lab_lists_its_experiments_and_knows_no_others() {
    let folder = Folder::new();
    let list = toile(&folder, &["lab", "list"]).good().stdout;
    assert!(list.contains("free-flight"), "{list}");
    toile(&folder, &["lab", "run", "nope"]).says(1, &["no experiment `nope`", "free-flight"]);
}

#[test]
fn an_experiment_gives_verdicts_as_json_and_they_hold() {
    let folder = Folder::new();
    let run = ["lab", "run", "free-flight", "--quick", "--json"];
    let ended = toile(&folder, &run).good();
    let outcomes: Value = serde_json::from_str(&ended.stdout).unwrap();
    let measured = outcomes[0]["measurements"].as_array().unwrap();
    assert!(!measured.is_empty());
    assert!(measured.iter().all(|m| m["holds"] == true), "{outcomes:#}");
}
