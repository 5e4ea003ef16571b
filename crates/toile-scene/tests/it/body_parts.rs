//! A body of several shapes behaves as one.

use glam::DVec3;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use toile_scene::recording::Recording;
use toile_scene::run::{RunFolder, RunOptions, run, wall_clock};
use toile_scene::scene::{SceneError, SceneSource, World, resolve};

const CLOTH: &str = "\
[time]
duration = 0.4
fps = 25
step = 0.005
[cloth.sheet]
mesh.grid = { size = [0.3, 0.3], cells = [12, 12] }
place.at = [0, 0, 0.06]
";
const MOTION: &str = "motion.velocity = { linear = [0, 0, 0.3], angular = [0, 0, 0.5] }\n";

fn world(bodies: &str) -> Result<World, SceneError> {
    let source = SceneSource {
        name: "test".into(),
        text: format!("{CLOTH}{bodies}"),
        folder: PathBuf::new(),
        overrides: Vec::new(),
    };
    resolve(&source, source.parse()?)
}

struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn carry_out(world: &World, name: &str) -> Folder {
    let path = std::env::temp_dir().join(format!("toile-parts-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    let stop = AtomicBool::new(false);
    let options = RunOptions {
        until: None,
        resume: false,
        threads: Some(1),
        checkpoint_interval: 5.0,
        stop: &stop,
        clock: wall_clock,
    };
    let folder = RunFolder::create(&path, false).unwrap();
    run(world, &folder, &options, &mut ()).unwrap();
    Folder(path)
}

/// Force and torque of each row of `forces.csv`, with the body's name.
fn forces(folder: &Folder) -> Vec<(String, DVec3, DVec3)> {
    let text = std::fs::read_to_string(folder.0.join("forces.csv")).unwrap();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        let vector =
            |k: usize| DVec3::from_array(std::array::from_fn(|i| cells[k + i].parse().unwrap()));
        (cells[1].to_owned(), vector(2), vector(5))
    };
    text.lines().skip(1).map(row).collect()
}

#[test]
fn parts_move_push_and_are_shown_as_one_body() {
    let parts = format!(
        "[body.gripper]\n{MOTION}place.at = [0.02, 0, 0]\n\
         [[body.gripper.shape.parts]]\nshape.sphere = {{ radius = 0.05 }}\nplace.at = [-0.07, 0, 0]\n\
         [[body.gripper.shape.parts]]\nshape.box = {{ size = [0.06, 0.08, 0.1] }}\nplace = {{ at = [0.07, 0, 0], rotate_degrees = [0, 0, 20] }}\n"
    );
    let one = world(&parts).unwrap();
    assert_eq!((one.model.bodies.len(), one.body_tracks.len()), (2, 1));
    let joined = carry_out(&one, "joined");
    let rows = forces(&joined);
    assert_eq!(rows.len(), 80, "one row for each step");
    assert!(rows.iter().all(|(name, ..)| name == "gripper"));
    let lifted = rows
        .iter()
        .map(|(_, force, _)| -force.z)
        .fold(0.0, f64::max);
    assert!(lifted > 0.0);
    // Force and torque about the gripper's own origin are those of its parts.
    let (half, loads) = (
        0.2,
        [DVec3::new(0.1, 0.0, -0.4), DVec3::new(0.0, 0.3, -0.2)],
    );
    let engine: Vec<_> = loads
        .iter()
        .map(|&force| toile::contact::Load {
            force,
            torque: DVec3::ZERO,
            nodes: 1,
        })
        .collect();
    let mut state = one.state.clone();
    state.time = half;
    let whole = one.body_loads(&state, &engine)[0];
    assert_eq!(whole.force, loads[0] + loads[1]);
    let origin = DVec3::new(0.02, 0.0, 0.3 * half);
    let torque =
        (0..2).map(|k| (one.model.bodies[k].pose(half).translation - origin).cross(loads[k]));
    assert!(whole.torque.distance(torque.sum()) < 1e-15);
    // The surface in the recording is that of both parts, wherever the body is.
    let recording = Recording::open(&joined.0).unwrap();
    let frame = recording.frame(10).unwrap();
    let shown = recording.bodies()[0].placed(&frame, 0);
    let mut own = Vec::new();
    for body in &one.model.bodies {
        let pose = body.pose(frame.time);
        own.extend(
            body.shape
                .surface()
                .unwrap()
                .unwrap()
                .positions
                .iter()
                .map(|&p| pose.apply(p)),
        );
    }
    assert_eq!(shown.len(), own.len());
    let farthest = shown
        .iter()
        .zip(&own)
        .map(|(a, b)| a.distance(*b))
        .fold(0.0, f64::max);
    assert!(farthest < 1e-12, "{farthest}");
}

#[test]
fn one_part_is_the_same_as_its_shape() {
    let shape = "sphere = { radius = 0.05 }";
    let plain = world(&format!("[body.hand]\n{MOTION}shape.{shape}\n")).unwrap();
    let part = world(&format!(
        "[body.hand]\n{MOTION}shape.parts = [{{ shape.{shape} }}]\n"
    ))
    .unwrap();
    let (plain, part) = (carry_out(&plain, "plain"), carry_out(&part, "part"));
    for name in ["metrics.csv", "forces.csv", "frames.toile"] {
        let [one, other] =
            [&plain, &part].map(|folder| std::fs::read(folder.0.join(name)).unwrap());
        assert!(one == other, "{name} differs");
    }
}

#[test]
fn cloth_that_passes_a_body_passes_all_its_parts_and_sticks_to_all() {
    let parts = "shape.parts = [{ shape.sphere.radius = 0.05 }, { shape.sphere.radius = 0.02, place.at = [0.1, 0, 0] }]\n";
    let rest = "[body.after]\nshape.sphere.radius = 0.01\nplace.at = [1, 0, 0]\n";
    let apart = world(&format!(
        "[body.a]\n{parts}{rest}[contact]\nexclude = [[\"sheet\", \"a\"]]\n"
    ))
    .unwrap();
    // Bodies are in the order of their names: a, a, after.
    assert_eq!(apart.model.passes, [[0, 0], [0, 1]]);
    let sticky = "[[body.a.sticky]]\nregion.ball = { center = [0.1, 0, 0.02], radius = 0.01 }\n";
    let sticking = world(&format!("[body.a]\n{parts}{sticky}{rest}")).unwrap();
    let text = format!("{:?}", sticking.model.body_contact.adhesions);
    assert_eq!(sticking.model.body_contact.adhesions.len(), 2, "{text}");
    assert!(
        text.contains("body: Some(0)") && text.contains("body: Some(1)"),
        "{text}"
    );
    assert!(
        text.contains("DVec3(0.0, 0.0, 0.02)"),
        "in the part's own frame: {text}"
    );
}

#[test]
fn parts_that_cannot_be_are_named() {
    for (shape, message) in [
        ("shape.parts = []", "body.a.shape.parts"),
        ("shape.parts = [{ shape = \"plane\" }]", "endless plane"),
        (
            "shape.parts = [{ shape.parts = [] }]",
            "no parts of its own",
        ),
        (
            "shape.parts = [{ shape.sphere.radius = -1 }]",
            "parts[0].shape",
        ),
        (
            "shape.parts = [{ shape.sphere.radius = 1, friction = 2 }]",
            "friction",
        ),
        (
            "shape.parts = [{ shape.sphere.radius = 1, place.rotate_degrees = [0, 0, 30] }]\n\
             sticky = [{ region.box = { min = [0, 0, 0], max = [1, 1, 1] } }]",
            "take a ball",
        ),
    ] {
        let error = world(&format!("[body.a]\n{shape}\n")).unwrap_err();
        let text = format!("{error:?} {error}");
        assert!(text.contains(message), "{shape}: {text}");
    }
}
