//! Cloth that meets cloth and bodies of meshes, from the outside.

use crate::common::{Folder, toile};

/// Two sheets that cross each other like a plus sign, at the start.
const CROSSED: &str = r#"
[time]
duration = 0.08
[contact]
cloth = "all"
[cloth.a]
mesh.grid = { size = [0.4, 0.4], cells = [4, 4] }
place = { at = [0.0, 0.0, 0.5] }
[cloth.b]
mesh.grid = { size = [0.4, 0.4], cells = [4, 4] }
place = { at = [0.01, 0.0, 0.51], rotate_degrees = [90, 0, 0] }
"#;

#[test]
fn cloth_that_intersects_at_the_start_is_named_and_refused_or_tolerated() {
    let folder = Folder::new();
    folder.write("crossed.toml", CROSSED);
    let run = |changes: &[&str]| {
        let start = ["run", "crossed.toml", "--no-report", "-o", "out", "--force"];
        toile(&folder, &[&start, changes].concat())
    };
    run(&[]).says(
        1,
        &[
            "intersects at the start",
            "of cloth `a`",
            "of cloth `b`",
            "contact.start",
        ],
    );
    let said = run(&["--set", "contact.start=\"tolerate\""]).good();
    assert!(
        said.stderr.contains("intersects at the start"),
        "{}",
        said.stderr
    );
    run(&["--set", "contact.exclude=[[\"a\", \"b\"]]"]).good();
    run(&["--set", "contact.exclude=[[\"a\", \"c\"]]"])
        .says(1, &["contact.exclude[0]", "no cloth, body or group `c`"]);
    run(&["--set", "cloth.a.thickness=0"]).says(1, &["cloth.a.thickness", "needs a thickness"]);
}

/// A box with its corners at ±0.2, ±0.2, ±0.1 m, fronts outwards.
fn box_mesh(faces: &[[u32; 4]]) -> String {
    let mut text = String::new();
    for z in [-0.1, 0.1] {
        for (x, y) in [(-0.2, -0.2), (0.2, -0.2), (0.2, 0.2), (-0.2, 0.2)] {
            text += &format!("v {x} {y} {z}\n");
        }
    }
    for [a, b, c, d] in faces {
        text += &format!("f {a} {b} {c} {d}\n");
    }
    text
}

const SIDES: [[u32; 4]; 6] = [
    [4, 3, 2, 1],
    [5, 6, 7, 8],
    [1, 2, 6, 5],
    [2, 3, 7, 6],
    [3, 4, 8, 7],
    [4, 1, 5, 8],
];

#[test]
fn cloth_comes_to_rest_on_a_mesh_as_on_a_box() {
    let folder = Folder::new();
    folder.write("box.obj", box_mesh(&SIDES));
    let scene = r#"
[time]
duration = 0.6
[cloth.sheet]
mesh.grid = { size = [0.3, 0.3], cells = [10, 10] }
place = { at = [0.0, 0.0, 0.15] }
[body.table]
shape.mesh = { file = "box.obj", cell = 0.01 }
[expect]
gap_above = -0.0005
lowest_between = [0.1005, 0.1015]
highest_between = [0.1005, 0.1015]
"#;
    folder.write("table.toml", scene);
    toile(&folder, &["run", "table.toml", "--no-report", "-o", "out"]).good();
}

#[test]
fn a_level_set_tells_what_it_found() {
    let folder = Folder::new();
    folder.write("box.obj", box_mesh(&SIDES));
    let said = toile(&folder, &["levelset", "box.obj", "--out", "cuts.png"]).good();
    assert!(
        said.stdout.contains("volume 3.200000e-2 m³ in 1 part"),
        "{}",
        said.stdout
    );
    assert!(folder.read("cuts.png").starts_with(b"\x89PNG"));
    // Without its lid it is covered, or refused.
    folder.write("open.obj", box_mesh(&[&SIDES[..1], &SIDES[2..]].concat()));
    let said = toile(&folder, &["levelset", "open.obj"]).good();
    assert!(
        said.stderr.contains("4 open edges in 1 holes"),
        "{}",
        said.stderr
    );
    toile(&folder, &["levelset", "open.obj", "--closed", "--force"]).says(1, &["open.obj", "open"]);
    // Inside out.
    let turned = SIDES.map(|[a, b, c, d]| [d, c, b, a]);
    folder.write("turned.obj", box_mesh(&turned));
    toile(&folder, &["levelset", "turned.obj", "--force"]).says(1, &["inside out"]);
    toile(&folder, &["levelset", "turned.obj", "--flip", "--force"]).good();
    toile(&folder, &["levelset", "box.obj", "--cell", "-1", "--force"]).says(1, &["cell"]);
    toile(&folder, &["levelset", "none.obj", "--force"]).says(1, &["none.obj"]);
}
