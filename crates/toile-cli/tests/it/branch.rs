//! Runs that go on from a moment of another run.

use crate::common::{Ended, Folder, SMALL, contents, toile};

fn small() -> Folder {
    let folder = Folder::new();
    folder.write("small.toml", SMALL);
    folder
}

fn run(folder: &Folder, more: &[&str]) -> Ended {
    toile(folder, &[&["run", "-q", "--no-report"], more].concat())
}

const KEPT: [&str; 2] = ["--set", "output.keep_checkpoints=0.16"];

/// The rows of a table from a time (s) on, without those before.
fn rows_from(folder: &Folder, table: &str, time: f64) -> Vec<String> {
    let text = String::from_utf8(folder.read(table)).unwrap();
    let late = |line: &&str| line.split(',').next().unwrap().parse::<f64>().unwrap() > time;
    text.lines()
        .skip(1)
        .filter(late)
        .map(String::from)
        .collect()
}

#[test]
fn a_branch_with_the_same_future_has_the_same_bits() {
    let folder = small();
    run(
        &folder,
        &[&["small.toml", "-o", "whole"], &KEPT[..]].concat(),
    )
    .good();
    let kept: Vec<String> = contents(&folder.file("whole/checkpoints"))
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(
        kept,
        [
            "frame-000000.toile",
            "frame-000004.toile",
            "frame-000008.toile",
            "frame-000012.toile"
        ]
    );
    // Nearest at or before.
    run(&folder, &["--branch", "whole@0.3", "-o", "same"]).good();
    for table in ["metrics.csv", "forces.csv"] {
        let [one, other] =
            ["whole", "same"].map(|run| rows_from(&folder, &format!("{run}/{table}"), 0.16));
        assert!(one.len() >= 8 && one == other, "{table}");
    }
    let [one, other] = ["whole", "same"].map(|run| folder.read(&format!("{run}/frames.toile")));
    // The frames after the branch are at the end of both files.
    let frames = 8 * 1000;
    assert!(one[one.len() - frames..] == other[other.len() - frames..]);
}

#[test]
fn a_branch_has_another_future_and_can_be_stopped_and_resumed() {
    let folder = small();
    run(
        &folder,
        &[&["small.toml", "-o", "whole"], &KEPT[..]].concat(),
    )
    .good();
    let pushed = [
        "--set",
        "body.ball.motion={velocity={linear=[0,0,2]}}",
        "--set",
        "time.duration=0.64",
    ];
    let branch = |out: &'static str| ["--branch", "whole@0.16", "-o", out];
    run(&folder, &[&branch("pushed")[..], &pushed].concat()).good();
    assert_eq!(rows_from(&folder, "pushed/metrics.csv", -1.0).len(), 13);
    assert_ne!(
        rows_from(&folder, "pushed/metrics.csv", 0.3)[0],
        rows_from(&folder, "whole/metrics.csv", 0.3)[0]
    );
    // In two parts, though the other run is gone by then.
    run(
        &folder,
        &[&branch("parts")[..], &pushed, &["--until", "0.32"]].concat(),
    )
    .good();
    std::fs::remove_dir_all(folder.file("whole")).unwrap();
    run(
        &folder,
        &["parts/scene.resolved.toml", "-o", "parts", "--resume"],
    )
    .good();
    for name in ["frames.toile", "metrics.csv", "forces.csv"] {
        let [one, other] = ["pushed", "parts"].map(|run| folder.read(&format!("{run}/{name}")));
        assert!(one == other, "{name}");
    }
}

#[test]
fn branches_that_cannot_be_are_refused() {
    let folder = small();
    run(&folder, &["small.toml", "-o", "out"]).good();
    let before = contents(&folder.file("out"));
    let refused = |branch: &str, more: &[&str], parts: &[&str]| {
        run(
            &folder,
            &[&["--branch", branch, "-o", "new"], more].concat(),
        )
        .says(1, parts);
    };
    refused(
        "out@0.2",
        &[],
        &[
            "no checkpoint at or before 0.2 s",
            "0.4800",
            "keep_checkpoints",
        ],
    );
    refused("nowhere", &[], &["nowhere"]);
    refused("out@soon", &[], &["soon is not a time"]);
    let coarse = ["--set", "cloth.sheet.mesh.grid.cells=[4,4]"];
    refused(
        "out",
        &coarse,
        &["out cannot go on as this scene", "meshes differ"],
    );
    let pinned = ["--set", "cloth.sheet.pin=[]"];
    refused("out", &pinned, &["out cannot go on as this scene", "pins"]);
    refused(
        "out",
        &["--set", "time.fps=7"],
        &["there is no frame at 0.48"],
    );
    run(&folder, &["--branch", "out", "-o", "out", "--force"]).says(1, &["choose another folder"]);
    assert_eq!(contents(&folder.file("out")), before);
    assert!(!folder.file("new").exists());
}
