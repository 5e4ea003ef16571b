//! `toile mesh`, and what exports say: meshes as artists have them.

use crate::common::{Folder, SMALL, toile};

/// A pentagon, a quad beside it whose nodes are its own, and a triangle without area.
const LOOSE: &str = "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 2 0\nv 0 1 0\n\
    v 2 0 0\nv 3 0 0\nv 3 1 0\nv 2 1 0\n\
    f 1 2 3 4 5\nf 6 9 8 7\nf 1 2 2\n";

#[test]
fn a_mesh_is_mended_and_says_what_was_done() {
    let folder = Folder::new();
    folder.write("loose.obj", LOOSE.replace("f 1 2 2\n", ""));
    let checked = toile(&folder, &["check", "loose.obj"]).good();
    assert!(
        checked
            .stdout
            .contains("1 faces with more than four corners"),
        "{}",
        checked.stdout
    );
    let mended = toile(&folder, &["mesh", "mend", "loose.obj", "-o", "whole.ply"]).good();
    for line in [
        "1 faces with more than four corners cut into triangles",
        "2 nodes welded",
        "1 faces turned round",
        "wrote whole.ply: 7 nodes, 4 faces",
    ] {
        assert!(
            mended.stdout.contains(line),
            "no `{line}` in {}",
            mended.stdout
        );
    }
    toile(&folder, &["check", "whole.ply"]).good();
}

#[test]
fn a_mesh_is_never_replaced_unasked() {
    let folder = Folder::new();
    folder.write("loose.obj", LOOSE);
    folder.write("mine.obj", "mine");
    for command in ["mend", "weld", "triangulate", "orient"] {
        let arguments = ["mesh", command, "loose.obj", "--out", "mine.obj"];
        toile(&folder, &arguments).says(1, &["mine.obj exists already", "--force"]);
    }
    assert_eq!(folder.read("mine.obj"), b"mine");
    toile(
        &folder,
        &["mesh", "mend", "loose.obj", "-o", "mine.obj", "--force"],
    )
    .good();
    assert_ne!(folder.read("mine.obj"), b"mine");
    toile(&folder, &["mesh", "mend", "loose.obj", "-o", "mesh.stl"])
        .says(1, &["name the file .obj or .ply"]);
    let bad = [
        "mesh",
        "weld",
        "loose.obj",
        "-o",
        "new.obj",
        "--tolerance",
        "-1",
    ];
    toile(&folder, &bad).says(1, &["--tolerance", "positive"]);
    assert!(!folder.file("new.obj").exists());
}

#[test]
fn a_mesh_with_larger_polygons_runs_and_check_says_so() {
    let folder = Folder::new();
    folder.write(
        "house.obj",
        "v 0 0 1\nv 2 0 1\nv 2 1 1\nv 1 2 1\nv 0 1 1\nf 1 2 3 4 5\n",
    );
    let scene = "[time]\nduration = 0.08\n[cloth.house]\nmesh.file = { path = \"house.obj\" }\n";
    folder.write("scene.toml", scene);
    let said = "cloth.house.mesh: 1 faces with more than four corners were cut into triangles";
    toile(&folder, &["check", "scene.toml"])
        .good()
        .says(0, &[said]);
    toile(&folder, &["run", "scene.toml", "--no-report"]).good();
    toile(
        &folder,
        &[
            "mesh",
            "remesh",
            "house.obj",
            "-o",
            "fine.obj",
            "--length",
            "0.2",
        ],
    )
    .good();
    toile(&folder, &["check", "fine.obj"]).good();
}

#[test]
fn exports_carry_the_pattern_of_generated_cloth() {
    let folder = Folder::new();
    folder.write("small.toml", SMALL);
    toile(
        &folder,
        &["run", "small.toml", "--no-report", "--until", "0.08"],
    )
    .good();
    toile(
        &folder,
        &["export", "runs/small", "--to", "obj", "-o", "still"],
    )
    .good();
    let text = String::from_utf8_lossy(&folder.read("still_0000.obj")).into_owned();
    assert!(
        text.lines().any(|line| line == "vt -0.2 -0.2"),
        "the pattern is in metres"
    );
    let cache = toile(
        &folder,
        &[
            "export",
            "runs/small",
            "--format",
            "mdd",
            "-o",
            "small.mdd",
            "--up",
            "y",
        ],
    )
    .good();
    assert!(cache.stdout.contains("y is up"), "{}", cache.stdout);
    assert_eq!(folder.read("small.mdd").len(), 8 + 3 * 4 + 3 * 81 * 12);
    let refused = [
        "export",
        "runs/small",
        "--to",
        "glb",
        "-o",
        "small.glb",
        "--up",
        "y",
    ];
    toile(&folder, &refused).says(1, &["--up", "says itself"]);
}
