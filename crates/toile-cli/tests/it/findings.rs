//! A run ends with what its user should know, and `--strict` makes that a failure.

use crate::common::{Folder, SMALL, toile};

const GRID: &str = "mesh.grid = { size = [0.4, 0.4], cells = [8, 8] }";

fn with(old: &str, new: &str) -> Folder {
    assert!(SMALL.contains(old), "{old}");
    let folder = Folder::new();
    folder.write("scene.toml", SMALL.replacen(old, new, 1));
    folder
}

/// Runs with and without `--strict`; answers what the first said last, after the line that counts the
/// findings.
fn found(folder: &Folder, more: &[&str]) -> String {
    let run = ["run", "scene.toml", "--no-report", "--force", "-o", "out"];
    let ended = toile(folder, &[&run, more].concat()).good();
    let strict = [&run[..], more, &["--strict", "-q"]].concat();
    toile(folder, &strict).says(1, &["also in out/findings.json"]);
    let text = ended.stderr;
    let at = text.find("also in out/findings.json");
    let at = at.unwrap_or_else(|| panic!("no findings in {text}"));
    let json = String::from_utf8(folder.read("out/findings.json")).expect("JSON is text");
    assert!(json.contains("\"kind\""), "{json}");
    text[at..].to_owned()
}

#[test]
fn a_run_that_goes_well_has_no_findings() {
    let folder = with(GRID, GRID);
    let run = ["run", "scene.toml", "--strict", "-o", "out"];
    let ended = toile(&folder, &run).good();
    assert!(!ended.stderr.contains("finding"), "{}", ended.stderr);
    let says = "% at";
    assert!(ended.stdout.contains("worst stretch"), "{}", ended.stdout);
    assert!(ended.stdout.contains(says), "{}", ended.stdout);
    assert!(
        ended.stdout.contains("cloth `sheet`, edge"),
        "{}",
        ended.stdout
    );
    let json = String::from_utf8(folder.read("out/findings.json")).expect("JSON is text");
    assert!(json.contains("\"findings\": []"), "{json}");
    assert!(json.contains("\"cloth\": \"sheet\""), "{json}");
}

#[test]
fn the_warnings_of_check_are_the_findings_of_run() {
    // A sheet of 400 m, as one in millimetres becomes.
    let folder = with(GRID, "mesh.grid = { size = [400, 400], cells = [8, 8] }");
    let said = found(&folder, &["--until", "0.04"]);
    assert!(said.contains("m across"), "{said}");
    assert!(said.contains("millimetres"), "{said}");

    // Two halves that were never welded.
    let halves = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 1 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nf 1 2 3 4\nf 5 6 7 8\n";
    let folder = with(GRID, "mesh.file = { path = \"halves.obj\", scale = 0.2 }");
    folder.write("halves.obj", halves);
    let said = found(
        &folder,
        &[
            "--until",
            "0.04",
            "--set",
            "cloth.sheet.pin=[]",
            "--set",
            "contact.cloth=none",
        ],
    );
    assert!(said.contains("a seam that was never closed"), "{said}");

    let folder = with(GRID, &format!("{GRID}\nmaterial.density = 150"));
    let said = found(&folder, &["--until", "0.04"]);
    assert!(
        said.contains("cloth.sheet.material.density is 150 kg/m²"),
        "{said}"
    );
    assert!(said.contains("write 0.15"), "{said}");
    let check = toile(&folder, &["check", "scene.toml"]).good();
    assert!(
        check.stderr.contains("if it is in g/m², write 0.15"),
        "{}",
        check.stderr
    );
}

#[test]
fn too_much_stretch_is_told_with_cloth_edge_and_time() {
    let soft = format!("{GRID}\nmodel = \"mass-spring\"\nmaterial.stretch_stiffness = 1");
    let folder = with(GRID, &soft);
    let once = ["--set", "time.newton_steps=1"];
    let said = found(&folder, &once);
    assert!(said.contains("worst stretch"), "{said}");
    assert!(said.contains("s in cloth `sheet`, edge 0–"), "{said}");
    assert!(said.contains("stretch_stiffness"), "{said}");
    // A scene that expects it has no reason to complain.
    let expected = ["--set", "expect.stretch_below=100", "--strict", "--force"];
    let run = ["run", "scene.toml", "--no-report", "-q", "-o", "out"];
    toile(&folder, &[&run[..], &expected, &once].concat()).good();
}

#[test]
fn steps_that_do_not_converge_are_counted_with_the_reason() {
    let folder = with(GRID, GRID);
    let set = [
        "--set",
        "time.max_iterations=1",
        "--set",
        "time.solver=block-jacobi",
        "--set",
        "time.constraints=phases",
    ];
    let said = found(&folder, &set);
    assert!(
        said.contains("steps did not converge, the first by 0.040 s"),
        "{said}"
    );
    assert!(said.contains("time.max_iterations"), "{said}");
    // It is the same after a resume.
    let run = ["run", "scene.toml", "--no-report", "-o", "parts"];
    let first = [&run[..], &set, &["--until", "0.2"]].concat();
    toile(&folder, &first).good();
    let ended = toile(&folder, &[&run[..], &set, &["--resume"]].concat()).good();
    let last = said.lines().last().expect("a finding");
    assert!(ended.stderr.contains(last), "{}", ended.stderr);
    assert_eq!(
        folder.read("parts/findings.json"),
        folder.read("out/findings.json")
    );
}

#[test]
fn intersections_are_told() {
    let upright = "place = { at = [0.0, 0.0, 0.35] }\n\n[cloth.other]\n\
        mesh.grid = { size = [0.3, 0.3], cells = [6, 6] }\n\
        place = { at = [0.1, 0.0, 0.35], rotate_degrees = [90, 0, 0] }\n\n\
        [contact]\ncloth = \"all\"\nstart = \"tolerate\"\n\n[cloth.sheet.material]\n";
    let folder = with("place = { at = [0.0, 0.0, 0.35] }", upright);
    let said = found(&folder, &["--until", "0.08"]);
    assert!(
        said.contains("pairs of faces pass through each other"),
        "{said}"
    );
}

#[test]
fn an_expectation_of_what_was_not_measured_fails() {
    let folder = with(GRID, GRID);
    let body = SMALL.split("[body.ball]").next().expect("a body");
    folder.write("alone.toml", format!("{body}\n[expect]\ngap_above = -1\n"));
    let run = ["run", "alone.toml", "--no-report", "-q", "-o", "alone"];
    toile(&folder, &run).says(
        1,
        &["expect.gap_above failed", "`gap_smallest`", "is empty"],
    );
}

#[test]
fn a_stage_that_took_too_long_is_told_even_by_a_run_in_two_parts() {
    let folder = Folder::new();
    let stages = "[[stage]]\nname = \"settle\"\nuntil.still = 1e-6\nat_most = 0.1\n[[stage]]\n";
    folder.write("scene.toml", format!("{SMALL}\n{stages}"));
    let words = "stage 1 of 2, `settle` ended before what it waits for had come";
    assert!(found(&folder, &["--until", "0.2"]).contains(words));
    let run = ["run", "scene.toml", "--no-report", "-o", "out", "--resume"];
    let ended = toile(&folder, &run).good();
    assert!(ended.stderr.contains(words), "{}", ended.stderr);
}
