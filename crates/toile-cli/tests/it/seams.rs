//! Seams, exclusions and tangled starts, from the outside.

use crate::common::{Ended, Folder, toile};

/// Two panels beside each other, to be sewn along the edges that face each other.
const PANELS: &str = r#"
[time]
duration = 0.4
step = 0.01
[contact]
cloth = "all"
[environment]
gravity = [0, 0, 0]
[cloth.left]
mesh.grid = { size = [0.2, 0.2], cells = [6, 6] }
place = { at = [-0.12, 0.0, 0.5] }
[cloth.right]
mesh.grid = { size = [0.2, 0.2], cells = [4, 4] }
place = { at = [0.12, 0.0, 0.5] }
[body.ball]
shape.sphere = { radius = 0.05 }
[[seam]]
first = { cloth = "left", select.corners = [1, 3] }
second = { cloth = "right", select.corners = [0, 2] }
until = 0.2
[expect]
no_intersections = true
"#;

fn run(folder: &Folder, scene: &str, changes: &[&str]) -> Ended {
    let start = ["run", scene, "--no-report", "-o", "out", "--force"];
    toile(folder, &[&start, changes].concat())
}

#[test]
fn seams_close_and_go_on_after_a_stop_as_if_there_had_been_none() {
    let folder = Folder::new();
    folder.write("panels.toml", PANELS);
    run(&folder, "panels.toml", &[]).good();
    let cut = ["run", "panels.toml", "--no-report", "-o", "cut"];
    toile(&folder, &[&cut[..], &["--until", "0.16"]].concat()).good();
    toile(&folder, &[&cut[..], &["--resume"]].concat()).good();
    for file in ["frames.toile", "metrics.csv"] {
        let [whole, resumed] = ["out", "cut"].map(|name| folder.read(&format!("{name}/{file}")));
        assert!(whole == resumed, "{file}");
    }
}

#[test]
fn wrong_seams_are_named() {
    let folder = Folder::new();
    folder.write("panels.toml", PANELS);
    let refused = |changes: &[&str], fragments: &[&str]| {
        let mut all = Vec::new();
        for change in changes {
            all.extend(["--set", change]);
        }
        run(&folder, "panels.toml", &all).says(1, fragments);
    };
    let seam = |first: &str, second: &str, rest: &str| {
        format!("seam=[{{ first = {{ {first} }}, second = {{ {second} }} {rest} }}]")
    };
    let left = "cloth = \"left\", select.corners = [1, 3]";
    let right = "cloth = \"right\", select.corners = [0, 2]";
    let unknown = seam("cloth = \"lift\", select.corners = [1, 3]", right, "");
    refused(
        &[&unknown],
        &[
            "seam[0].first.cloth",
            "no cloth `lift`",
            "did you mean `left`?",
        ],
    );
    let empty = seam(
        "cloth = \"left\", select.ball = { center = [9, 9, 9], radius = 0.1 }",
        right,
        "",
    );
    refused(&[&empty], &["seam[0].first.select", "selects no node"]);
    let inner = seam(
        "cloth = \"left\", select.ball = { center = [-0.12, 0, 0.5], radius = 0.01 }",
        right,
        "",
    );
    refused(&[&inner], &["seam[0].first.select", "no node of the rim"]);
    let itself = seam(left, left, "");
    refused(&[&itself], &["seam[0]", "sewn to itself", "`left`"]);
    let one = seam("cloth = \"left\", select.corners = [1]", right, "");
    refused(&[&one], &["seam[0].first.select", "two ends"]);
    let single = seam("cloth = \"left\", select.nodes = [1]", right, "");
    refused(&[&single], &["seam[0]", "at least two nodes"]);
    let ring = seam("cloth = \"left\", select.boundary = 0", right, "");
    refused(&[&ring], &["seam[0]", "ring"]);
    let late = seam(left, right, ", from = 2, until = 1");
    refused(&[&late], &["seam[0].until", "before `from`"]);
    let slack = seam(left, right, ", stiffness = 0");
    refused(&[&slack], &["seam[0].stiffness"]);
    let negative = seam(left, right, ", gap = -1");
    refused(&[&negative], &["seam[0].gap"]);
}

#[test]
fn exclusions_and_groups_name_what_there_is() {
    let folder = Folder::new();
    folder.write("panels.toml", PANELS);
    let check = |changes: &[&str]| {
        let mut all = Vec::new();
        for change in changes {
            all.extend(["--set", change]);
        }
        run(&folder, "panels.toml", &all)
    };
    check(&["contact.exclude=[[\"left\", \"ball\"]]"]).good();
    let both = "contact.groups={ both = [\"left\", \"right\"] }";
    check(&[
        both,
        "contact.exclude=[[\"both\", \"ball\"], [\"both\", \"both\"]]",
        // Where nothing meets, nobody looks.
        "expect={}",
    ])
    .good();
    check(&["contact.exclude=[[\"left\", \"bell\"]]"]).says(
        1,
        &[
            "contact.exclude[0]",
            "no cloth, body or group `bell`",
            "did you mean `ball`?",
        ],
    );
    check(&["contact.exclude=[[\"ball\", \"ball\"]]"]).says(1, &["bodies do not meet"]);
    check(&["contact.groups={ both = [\"left\", \"rigt\"] }"])
        .says(1, &["contact.groups.both", "did you mean `right`?"]);
    check(&["contact.groups={ left = [\"right\"] }"])
        .says(1, &["contact.groups.left", "name of a cloth"]);
    check(&["contact.groups={ none = [] }"]).says(1, &["contact.groups.none", "empty"]);
}

/// A sheet that falls through a ball that it does not meet.
#[test]
fn cloth_falls_through_a_body_that_it_does_not_meet() {
    let folder = Folder::new();
    let scene = r#"
[time]
duration = 0.5
[cloth.sheet]
mesh.grid = { size = [0.2, 0.2], cells = [4, 4] }
place = { at = [0, 0, 0.3] }
[body.ball]
shape.sphere = { radius = 0.1 }
[contact]
exclude = [["sheet", "ball"]]
[expect]
highest_between = [-1.2, -0.7]
stretch_below = 0.001
"#;
    folder.write("through.toml", scene);
    run(&folder, "through.toml", &[]).good();
}

/// Two sheets, one of which stands in the other.
const CROSSED: &str = r#"
[time]
duration = 0.2
step = 0.01
[contact]
cloth = "all"
[cloth.a]
mesh.grid = { size = [0.4, 0.4], cells = [8, 8] }
place = { at = [0.0, 0.0, 0.5] }
[cloth.b]
mesh.grid = { size = [0.3, 0.2], cells = [6, 4] }
place = { at = [0.01, 0.003, 0.58], rotate_degrees = [90, 0, 0] }
[expect]
no_intersections = true
"#;

#[test]
fn a_tangled_start_is_drawn_and_untangled() {
    let folder = Folder::new();
    folder.write("crossed.toml", CROSSED);
    let check = ["check", "crossed.toml", "--picture", "start.png"];
    toile(&folder, &check).says(1, &["intersects at the start", "untangle"]);
    assert!(folder.read("start.png").starts_with(b"\x89PNG"));
    let said = run(
        &folder,
        "crossed.toml",
        &["--set", "contact.start=\"untangle\""],
    )
    .good();
    assert!(said.stderr.contains("was untangled"), "{}", said.stderr);
    // What pins hold cannot be drawn back.
    let hold = "cloth.b.pin=[{ select.box = { min = [-1, -1, -1], max = [1, 1, 1] } }]";
    let hold_too = "cloth.a.pin=[{ select.box = { min = [-1, -1, -1], max = [1, 1, 1] } }]";
    let untangle = [
        "--set",
        "contact.start=\"untangle\"",
        "--set",
        hold,
        "--set",
        hold_too,
    ];
    run(&folder, "crossed.toml", &untangle).says(1, &["untangling did not help", "of cloth `a`"]);
}

#[test]
fn cloth_inside_a_body_and_pins_that_collide_are_named() {
    let folder = Folder::new();
    let scene = r#"
[time]
duration = 0.2
[contact]
cloth = "all"
[cloth.sheet]
mesh.grid = { size = [0.4, 0.4], cells = [8, 8] }
[body.ball]
shape.sphere = { radius = 0.1 }
place = { at = [0, 0, -0.05] }
"#;
    folder.write("inside.toml", scene);
    run(&folder, "inside.toml", &[]).says(1, &["of cloth `sheet`", "mm inside body `ball`"]);
    run(
        &folder,
        "inside.toml",
        &["--set", "contact.start=\"tolerate\""],
    )
    .good();
    run(
        &folder,
        "inside.toml",
        &["--set", "contact.start=\"untangle\""],
    )
    .good();
    let pinned = r#"
[time]
duration = 0.4
[contact]
cloth = "all"
[cloth.sheet]
mesh.grid = { size = [0.4, 0.4], cells = [4, 4] }
[[cloth.sheet.pin]]
select.corners = [0]
motion.velocity = { linear = [1, 0, 0] }
[[cloth.sheet.pin]]
select.corners = [1]
"#;
    folder.write("pinned.toml", pinned);
    let said = toile(&folder, &["check", "pinned.toml"]).good();
    assert!(said.stderr.contains("pins lead node 0"), "{}", said.stderr);
}
