//! The bundled scenes come out as they say: in full where that takes seconds, else coarser or shorter.

use crate::common::{Ended, Folder, toile};

/// Those that take seconds.
const WHOLE: [&str; 1] = ["bottle"];

/// Those that take longer, with what makes them quick: a coarser mesh, longer steps, or their beginning alone.
const QUICK: [(&str, &[&str]); 13] = [
    ("hello", &["cloth.sheet.mesh.grid.cells=[20, 20]"]),
    (
        "fabrics",
        &[
            "cloth.silk.mesh.grid.cells=[16, 16]",
            "cloth.cotton.mesh.grid.cells=[16, 16]",
            "cloth.denim.mesh.grid.cells=[16, 16]",
        ],
    ),
    ("flag", &["cloth.flag.mesh.grid.cells=[18, 12]"]),
    ("sphere-drop", &["cloth.sheet.mesh.grid.cells=[14, 14]"]),
    ("curtain", &["time.duration=0.5"]),
    ("pick-and-place", &["cloth.napkin.mesh.grid.cells=[16, 16]"]),
    (
        "table-drape",
        &["cloth.tablecloth.mesh.disc.nodes=400", "time.duration=1"],
    ),
    (
        "heap",
        &[
            "cloth.sheet.mesh.grid.cells=[14, 14]",
            "contact.certify=\"every-step\"",
        ],
    ),
    ("gripper", &["cloth.napkin.mesh.grid.cells=[20, 20]"]),
    ("five-sheets", &["time.duration=0.12"]),
    ("tabard", &["time.duration=0.6"]),
    ("balloon", &["cloth.balloon.mesh.sphere.nodes=600"]),
    ("creases", &["time.step=0.005"]),
];

fn run(folder: &Folder, name: &str, changes: &[&str]) -> Ended {
    let start = ["run", name, "--no-report", "-o", name];
    let changes: Vec<&str> = changes.iter().flat_map(|&c| ["--set", c]).collect();
    toile(folder, &[&start, &changes[..]].concat())
}

#[test]
fn quick_scenes_meet_all_their_expectations() {
    let folder = Folder::new();
    for name in WHOLE {
        let said = run(&folder, name, &[]).good().stdout;
        assert!(said.contains("expectations of the scene hold"), "{said}");
    }
}

#[test]
fn slow_scenes_meet_their_expectations_coarser_or_cut_short() {
    let folder = Folder::new();
    for (name, changes) in QUICK {
        let said = run(&folder, name, changes).good().stdout;
        assert!(said.contains("expectations of the scene hold"), "{said}");
    }
}

#[test]
fn every_bundled_scene_is_in_one_of_the_lists() {
    let folder = Folder::new();
    let list = toile(&folder, &["scenes"]).good().stdout;
    let listed = list.lines().filter_map(|line| line.split(' ').next());
    for name in listed {
        let quick = QUICK.iter().any(|(quick, _)| *quick == name);
        assert!(quick || WHOLE.contains(&name), "`{name}` is never run");
    }
}

/// How much of six pleats a mesh in an OBJ file shows: the mean of `cos 6φ` over its nodes, weighted by their distance from
/// the z axis. A ring `r = 1 + a cos 6φ` of evenly spread nodes has `a/2`.
fn pleats(text: &str) -> f64 {
    let (mut swing, mut reach) = (0.0, 0.0);
    for line in text.lines().filter(|line| line.starts_with("v ")) {
        let place: Vec<f64> = line
            .split(' ')
            .filter_map(|word| word.parse().ok())
            .collect();
        let distance = place[0].hypot(place[1]);
        swing += distance * (6.0 * place[1].atan2(place[0])).cos();
        reach += distance;
    }
    swing / reach
}

#[test]
fn the_balloon_folds_where_it_was_sculpted_and_a_round_one_does_not() {
    let folder = Folder::new();
    let shape_at_the_end = |rest: &str| {
        let out = format!("out-{}", rest.len());
        let rest = format!("cloth.balloon.fold.rest={rest}");
        let nodes = "cloth.balloon.mesh.sphere.nodes=600";
        let start = ["run", "balloon", "--no-report", "-q", "-o", &out];
        let changes = ["--set", nodes, "--set", &rest, "--set", "expect={}"];
        toile(&folder, &[&start[..], &changes].concat()).good();
        // Frame 20 is the last.
        let last = format!("{out}-last");
        let export = [
            "export", &out, "--to", "obj", "--from", "20", "--out", &last,
        ];
        toile(&folder, &export).good();
        let bytes = folder.read(&format!("{last}_0020.obj"));
        pleats(&String::from_utf8(bytes).expect("OBJ is text"))
    };
    let sculpted = shape_at_the_end("{pleats={count=6,depth=0.5}}");
    let flat = shape_at_the_end("\"flat\"");
    assert!(sculpted > 0.02, "{sculpted}");
    assert!(flat.abs() < 0.005, "{flat}");
}
