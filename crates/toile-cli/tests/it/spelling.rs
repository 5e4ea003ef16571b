//! One way to say a thing in every command, and the old ways still work.

use crate::common::{Folder, SMALL, toile};

fn small() -> Folder {
    let folder = Folder::new();
    folder.write("small.toml", SMALL);
    folder
}

fn help(command: &[&str]) -> String {
    let folder = Folder::new();
    toile(&folder, &[command, &["--help"]].concat())
        .good()
        .stdout
}

#[test]
fn every_command_that_writes_has_out_and_force() {
    for command in [
        &["run"][..],
        &["drape"],
        &["check"],
        &["export"],
        &["render"],
        &["levelset"],
        &["compare"],
        &["fit"],
        &["sweep"],
        &["textile"],
        &["material", "fit"],
        &["lab", "report"],
    ] {
        let text = help(command);
        assert!(text.contains("-o, --out <"), "{command:?}: {text}");
        assert!(text.contains("--force"), "{command:?}: {text}");
    }
    assert!(help(&["lab", "run"]).contains("-o, --out <"));
}

#[test]
fn every_command_that_works_has_threads() {
    for command in [
        &["run"][..],
        &["drape"],
        &["check"],
        &["render"],
        &["levelset"],
        &["compare"],
        &["fit"],
        &["sweep"],
        &["textile"],
        &["material", "fit"],
        &["lab", "run"],
    ] {
        assert!(help(command).contains("--threads <N>"), "{command:?}");
    }
}

#[test]
fn old_spellings_are_understood_and_not_shown() {
    let folder = small();
    let run = ["run", "small.toml", "-q", "--no-report", "--output", "out"];
    toile(&folder, &run).good();
    toile(&folder, &["check", "small.toml", "--picture", "start.png"]).good();
    let sweep = [
        "sweep",
        "small.toml",
        "-q",
        "--grid",
        "cloth.sheet.damping=0,1",
        "--jobs",
        "1",
    ];
    toile(&folder, &sweep).good();
    let list = toile(&folder, &["material", "list"]).good().stdout;
    assert_eq!(list, toile(&folder, &["fabrics"]).good().stdout);
    for (command, old) in [
        (&["run"][..], "--output"),
        (&["check"], "--picture"),
        (&["sweep"], "--jobs"),
        (&["fit"], "--jobs"),
        (&["material"], "list "),
    ] {
        assert!(!help(command).contains(old), "{command:?} shows {old}");
    }
}

#[test]
fn fields_are_set_by_the_same_path_in_a_scene_and_in_a_textile_test() {
    let folder = Folder::new();
    let test = |set: &str| {
        let sets = ["--set", set, "--set", "cloth.sheet.material.density=0.15"];
        let start = ["textile", "cantilever", "--json"];
        toile(&folder, &[&start[..], &sets].concat()).good().stdout
    };
    let long = test("cloth.sheet.material.bend=1e-5");
    assert_eq!(long, test("cloth.other.material.bend=1e-5"));
    assert_eq!(long, test("material.bend=1e-5"));
    assert_ne!(long, test("cloth.sheet.material.bend=1e-4"));
    let wrong = [
        "textile",
        "cantilever",
        "--set",
        "cloth.sheet.material.bent=1",
    ];
    toile(&folder, &wrong).says(1, &["--set", "did you mean `bend`?"]);
    // What a run is told, check is told.
    let folder = small();
    let check = [
        "check",
        "small.toml",
        "--set",
        "cloth.sheet.material.density=-1",
    ];
    toile(&folder, &check).says(1, &["--set cloth.sheet.material.density=-1"]);
}

#[test]
fn frame_0_is_the_start_in_pictures_and_in_files() {
    let folder = small();
    toile(
        &folder,
        &["run", "small.toml", "-q", "--no-report", "-o", "out"],
    )
    .good();
    let export = ["export", "out", "--to", "obj", "--every", "4", "-o", "walk"];
    toile(&folder, &export).good();
    let mut names: Vec<String> = std::fs::read_dir(folder.path())
        .expect("a folder")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .filter(|name| name.starts_with("walk"))
        .collect();
    names.sort();
    let expected = [
        "walk_0000.obj",
        "walk_0004.obj",
        "walk_0008.obj",
        "walk_0012.obj",
    ];
    assert_eq!(names, expected);
    // File 4 is frame 4, whatever else was exported.
    let one = [
        "export",
        "out",
        "--to",
        "obj",
        "--from",
        "4",
        "--to-frame",
        "4",
        "-o",
        "one",
    ];
    toile(&folder, &one).good();
    assert_eq!(folder.read("one_0004.obj"), folder.read("walk_0004.obj"));
    let render = ["render", "out", "--size", "32x32", "--frame"];
    toile(&folder, &[&render[..], &["12", "-o", "12.png"]].concat()).good();
    toile(
        &folder,
        &[&render[..], &["last", "-o", "last.png"]].concat(),
    )
    .good();
    assert_eq!(folder.read("12.png"), folder.read("last.png"));
    toile(&folder, &[&render[..], &["13", "-o", "13.png"]].concat()).says(1, &["13"]);
}

#[test]
fn the_example_of_a_comparison_against_a_variant_works() {
    let text = help(&["compare"]);
    let example = text
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with("toile compare"))
        .find_map(|line| line.split_once(" --vary "));
    let (_, options) = example.expect("an example with --vary");
    let folder = small();
    let start = ["compare", "small.toml", "-q", "--until", "0.04", "--vary"];
    let all: Vec<&str> = start
        .into_iter()
        .chain(options.split_whitespace())
        .collect();
    toile(&folder, &all).good();
}
