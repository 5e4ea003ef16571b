//! Sticky bodies, two coefficients of friction, relaxing contact and shown folds as a scene describes them.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use toile::contact::{Friction, Region, Sticky, intersections};
use toile_scene::recording::Recording;
use toile_scene::run::{RunFolder, RunOptions, run, wall_clock};
use toile_scene::scene::{SceneError, SceneSource, World, resolve};

fn world(text: &str) -> Result<World, SceneError> {
    let source = SceneSource {
        name: "test".into(),
        text: format!(
            "[time]\nduration = 0.4\nstep = 0.01\nfps = 25\n\
             [cloth.sheet]\nmesh.grid = {{ size = [0.4, 0.4], cells = [8, 8] }}\nplace.at = [0, 0, 0.001]\n{text}\n"
        ),
        folder: Default::default(),
        overrides: Vec::new(),
    };
    resolve(&source, source.parse()?)
}

const HAND: &str =
    "[body.hand]\nshape.box = { size = [0.2, 0.2, 0.02] }\nplace.at = [0, 0, 0.0121]\n";

fn error(text: &str) -> String {
    world(text).unwrap_err().to_string()
}

#[test]
fn friction_is_one_number_or_two() {
    let friction = |text: &str| {
        let text = format!("{HAND}friction = {text}");
        world(&text).map(|w| w.model.bodies[0].friction)
    };
    assert_eq!(friction("0.4").unwrap(), Friction::from(0.4));
    assert_eq!(friction("1").unwrap(), Friction::from(1.0));
    let two = Friction {
        at_rest: 0.5,
        sliding: 0.2,
    };
    assert_eq!(friction("{ static = 0.5, kinetic = 0.2 }").unwrap(), two);
    let wrong = |text: &str| friction(text).unwrap_err().to_string();
    assert!(wrong("{ static = 0.2, kinetic = 0.5 }").contains("above the static"));
    assert!(wrong("{ static = 0.2 }").contains("static"));
    assert!(wrong("\"rough\"").contains("coefficient"));
    assert!(wrong("-0.1").contains("zero or a positive"));
    assert!(wrong("{ static = 0.2, kinetic = -0.5 }").contains("kinetic"));
}

#[test]
fn sticky_bodies_and_adhering_cloths_become_adhesions() {
    let world = world(&format!(
        "[[cloth.sheet.adhere]]\nselect.corners = [3, 0]\nbody = \"hand\"\nduring = [[0.1, 0.2]]\n{HAND}\
         [[body.hand.sticky]]\nregion.ball = {{ center = [0, 0, -0.01], radius = 0.05 }}\nstrength = 5\nreach = 0.001\n"
    ))
    .unwrap();
    let [sticky, adhering] = &world.model.body_contact.adhesions[..] else {
        panic!("two adhesions");
    };
    assert_eq!((sticky.strength, sticky.reach), (5.0, 1e-3));
    let Sticky::Body { region, .. } = &sticky.to else {
        panic!("{sticky:?}");
    };
    assert!(matches!(*region, Region::Ball { radius, .. } if radius == 0.05));
    assert!(sticky.catches(7) && sticky.is_active(9.0));
    assert_eq!(adhering.nodes, Some(vec![0, 80]));
    assert!(matches!(adhering.to, Sticky::Body { body: Some(0), .. }));
    assert!(adhering.strength.is_infinite());
    assert!(adhering.is_active(0.15) && !adhering.is_active(0.25));
}

/// Another sheet, just above the first.
const PATCH: &str =
    "[cloth.patch]\nmesh.grid = { size = [0.2, 0.2], cells = [5, 5] }\nplace.at = [0, 0, 0.0032]\n";

#[test]
fn cloth_sticks_to_cloth() {
    let world = world(&format!(
        "[[cloth.sheet.sticky]]\nselect.box = {{ min = [-1, -1, 0], max = [1, 0.01, 1] }}\nstrength = 7\n{PATCH}\
         [[cloth.patch.adhere]]\nselect.corners = [0, 3]\ncloth = \"sheet\"\non.corners = [1]\nduring = [[0.1, 0.2]]\nreach = 0.002\n\
         [contact]\ncloth = \"others\"\n"
    ))
    .unwrap();
    // Cloths are in the order of their names: the patch has the first 36 nodes.
    let [adhering, sticky] = &world.model.body_contact.adhesions[..] else {
        panic!("two adhesions");
    };
    // Five of nine rows.
    let expected: Vec<u32> = (36..36 + 45).collect();
    assert_eq!(sticky.to, Sticky::Cloth { nodes: expected });
    assert_eq!((sticky.strength, &sticky.nodes), (7.0, &None));
    assert_eq!(adhering.nodes, Some(vec![0, 35]));
    assert_eq!(
        adhering.to,
        Sticky::Cloth {
            nodes: vec![36 + 8]
        }
    );
    assert_eq!(adhering.reach, 2e-3);
}

#[test]
fn what_cannot_be_is_refused_with_its_place() {
    let adhere =
        |text: &str| format!("[[cloth.sheet.adhere]]\nselect.corners = [0]\n{text}\n{HAND}");
    let sticky = |text: &str| format!("{HAND}[[body.hand.sticky]]\n{text}\n");
    let (met, apart) = (
        "[contact]\ncloth = \"all\"\n",
        "[contact]\ncloth = \"none\"\n",
    );
    for (text, words) in [
        (adhere("cloth = \"skirt\""), "no cloth `skirt`"),
        (
            adhere(&format!("cloth = \"sheet\"\n{apart}")),
            "contact.cloth",
        ),
        (adhere("on.corners = [1]"), "`cloth`"),
        (
            adhere(&format!("cloth = \"sheet\"\nbody = \"hand\"\n{met}")),
            "two entries",
        ),
        (
            adhere(&format!(
                "cloth = \"sheet\"\nregion.ball = {{ center = [0, 0, 0], radius = 1 }}\n{met}"
            )),
            "`on`",
        ),
        (
            adhere(&format!("cloth = \"sheet\"\non.corners = [7]\n{met}")),
            "adhere[0].on",
        ),
        (format!("[[cloth.sheet.sticky]]\n{apart}"), "contact.cloth"),
        (
            format!("[[cloth.sheet.sticky]]\nstrength = -1\n{met}"),
            "positive",
        ),
        (
            format!("[[cloth.sheet.sticky]]\nregion = 1\n{met}"),
            "region",
        ),
        (adhere("body = \"foot\""), "no body `foot`"),
        (adhere("during = [[2, 1]]"), "end after it starts"),
        (sticky("strength = 0"), "positive"),
        (sticky("reach = -1"), "reach"),
        (
            sticky("region.box = { min = [0, 0, 0], max = [1, -1, 1] }"),
            "larger than",
        ),
        (
            sticky("region.ball = { center = [0, 0, 0], radius = 0 }"),
            "radius",
        ),
        ("[contact]\nrelaxation = -1".into(), "relaxation"),
        ("[contact]\npreserve_folds = 0.0005".into(), "no room"),
        ("[contact]\npreserve_folds = 0".into(), "positive"),
    ] {
        let message = error(&text);
        assert!(message.contains(words), "{message}");
    }
}

#[test]
fn a_strength_that_cannot_see_a_limit_is_a_warning() {
    let text =
        |sticky: &str| format!("limit.strain = {{}}\n{HAND}[[body.hand.sticky]]\n{sticky}\n");
    assert!(world(&text("")).unwrap().warnings.is_empty());
    let warnings = world(&text("strength = 3")).unwrap().warnings;
    assert!(warnings[0].contains("limit"), "{warnings:?}");
}

fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join("body-responses")
        .join(name);
    let _ = std::fs::remove_dir_all(&path);
    path
}

fn carry_out(world: &World, path: &Path, until: Option<f64>, resume: bool) {
    let folder = match resume {
        true => RunFolder::resume(path),
        false => RunFolder::create(path, true),
    };
    let options = RunOptions {
        until,
        resume,
        threads: Some(if resume { 2 } else { 1 }),
        checkpoint_interval: 0.0,
        stop: &AtomicBool::new(false),
        clock: wall_clock,
    };
    run(world, &folder.unwrap(), &options, &mut ()).unwrap();
}

/// A hand that lifts the sheet, a part of which comes off, cut in the middle.
#[test]
fn a_run_with_stuck_nodes_resumes_bit_for_bit() {
    let text = format!(
        "{HAND}motion.velocity = {{ linear = [0, 0, 0.1], angular = [0, 0, 2] }}\n\
         [[body.hand.sticky]]\nduring = [[0.0, 0.3]]\nreach = 0.001\nstrength = 3000\n\
         [body.floor]\nshape = \"plane\"\nfriction = {{ static = 0.5, kinetic = 0.3 }}\n"
    );
    let world = world(&text).unwrap();
    let (whole, halves) = (folder("whole"), folder("halves"));
    carry_out(&world, &whole, None, false);
    carry_out(&world, &halves, Some(0.16), false);
    let checkpoint = std::fs::read(halves.join("checkpoint.toile")).unwrap();
    let checkpoint = toile_scene::run::Checkpoint::decode(&checkpoint).unwrap();
    assert!(!checkpoint.state.stuck.is_empty());
    carry_out(&world, &halves, None, true);
    assert_same(&whole, &halves);
}

/// Two runs have the same frames, the same figures and the same state at the end. How long they took is their own affair.
fn assert_same(one: &Path, other: &Path) {
    for file in ["frames.toile", "metrics.csv"] {
        let bytes = |path: &Path| std::fs::read(path.join(file)).unwrap();
        assert!(bytes(one) == bytes(other), "{file} differs");
    }
    let state = |path: &Path| {
        let bytes = std::fs::read(path.join("checkpoint.toile")).unwrap();
        let checkpoint = toile_scene::run::Checkpoint::decode(&bytes).unwrap();
        checkpoint.state.to_bytes()
    };
    assert!(state(one) == state(other), "the states at the end differ");
}

/// A patch that sticks to a sheet that swings on two corners, until half of it comes off; cut in the middle.
#[test]
fn a_run_with_cloth_on_cloth_resumes_bit_for_bit() {
    let text = format!(
        "[[cloth.sheet.pin]]\nselect.corners = [0, 1]\n[[cloth.sheet.sticky]]\nreach = 0.0005\nstrength = 20\n{PATCH}\
         [contact]\ncloth = \"all\"\n"
    );
    let world = world(&text).unwrap();
    let (whole, halves) = (folder("bonds-whole"), folder("bonds-halves"));
    carry_out(&world, &whole, None, false);
    carry_out(&world, &halves, Some(0.2), false);
    let checkpoint = std::fs::read(halves.join("checkpoint.toile")).unwrap();
    let checkpoint = toile_scene::run::Checkpoint::decode(&checkpoint).unwrap();
    assert!(!checkpoint.state.bonds.is_empty());
    carry_out(&world, &halves, None, true);
    assert_same(&whole, &halves);
}

/// A sheet that starts in the floor is shown above it while it comes out; the state is not moved.
#[test]
fn frames_show_folds_outside_of_bodies() {
    let text = "noise = { deviation = 0.002, seed = 3 }\n\
                [contact]\ncloth = \"all\"\nstart = \"tolerate\"\nrelaxation = 0.5\npreserve_folds = 0.02\n\
                [body.floor]\nshape = \"plane\"\n";
    let world = world(text).unwrap();
    let path = folder("folds");
    carry_out(&world, &path, None, false);
    let recording = Recording::open(&path.join("frames.toile")).unwrap();
    let frames = recording.frame_count();
    for k in 0..frames {
        let frame = recording.frame(k).unwrap();
        let shown = frame.positions.iter().map(|p| p.z);
        assert!(shown.fold(f64::MAX, f64::min) > 0.001 - 1e-6, "frame {k}");
    }
    let checkpoint = std::fs::read(path.join("checkpoint.toile")).unwrap();
    let state = toile_scene::run::Checkpoint::decode(&checkpoint)
        .unwrap()
        .state;
    let lowest = state.positions.iter().map(|p| p.z).fold(f64::MAX, f64::min);
    assert!(lowest < 0.0, "{lowest}");
    assert!(intersections(&world.model, &state.positions).is_empty());
}
