//! Runs that are steered: what they were told is in their folder, and repeats them to the bit.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use toile::command::{Command, CommandError};
use toile::drive::{Grasped, Grip, Pose, Target};
use toile::glam::{DQuat, DVec3};
use toile::simulation::Simulation;
use toile_scene::run::{
    COMMANDS_FILE, Commander, Frame, Observer, Replay, RunError, RunFolder, RunOptions, RunOutcome,
    run_commanded, wall_clock,
};
use toile_scene::scene::{SceneSource, World, resolve};

const SCENE: &str = "
[time]
step = 0.01
fps = 20
duration = 0.6
newton_steps = 1
[contact]
cloth = \"none\"
[environment.air]
[cloth.sheet]
mesh.grid = { size = [0.3, 0.3], cells = [5, 5] }
model = \"mass-spring\"
bending = \"model\"
[[cloth.sheet.pin]]
select.corners = [0]
[body.ball]
shape.sphere = { radius = 0.05 }
place = { at = [0, 0, -0.2] }
";

fn world() -> World {
    let source = SceneSource {
        name: "steered".into(),
        text: SCENE.into(),
        folder: Default::default(),
        overrides: Vec::new(),
    };
    resolve(&source, source.parse().unwrap()).unwrap()
}

/// Says every kind of thing, at times that are no round numbers of steps.
struct Hand;

impl Commander for Hand {
    fn commands(&mut self, simulation: &Simulation) -> Vec<Command> {
        let pose = Pose {
            translation: DVec3::new(0.1, 0.05, 1.0 / 7.0),
            rotation: DQuat::from_rotation_y(0.3),
        };
        match simulation.state().steps {
            3 => vec![
                Command::Grasp {
                    what: Grasped::Nodes(vec![30, 31]),
                    grip: Grip::Rigid,
                    frame: None,
                },
                Command::Grasp {
                    what: Grasped::Point {
                        cloth: 0,
                        face: 12,
                        weights: vec![0.1, 0.2, 0.3, 0.4],
                    },
                    grip: Grip::Spring {
                        stiffness: 5.0,
                        damping: 0.01,
                    },
                    frame: Some(pose),
                },
                Command::Gravity(DVec3::new(0.0, 0.1, -9.5)),
            ],
            5 => vec![
                Command::MoveGrasp {
                    grasp: 0,
                    to: Target::Pose(pose),
                    within: 0.15,
                },
                Command::MoveBody {
                    body: 0,
                    to: pose,
                    within: 0.3,
                },
                Command::Wind(DVec3::X / 3.0),
            ],
            21 => vec![
                Command::MoveGrasp {
                    grasp: 0,
                    to: Target::Places(vec![DVec3::ZERO, DVec3::X * 0.05]),
                    within: 0.1,
                },
                Command::MoveGrasp {
                    grasp: 1,
                    to: Target::Velocity {
                        linear: DVec3::Z * 0.1,
                        angular: DVec3::Y,
                    },
                    within: 0.0,
                },
                Command::Push {
                    nodes: vec![14],
                    force: DVec3::Y * 1e-3,
                },
                Command::Set {
                    name: "cloth.sheet.material.bend".into(),
                    value: 3e-5,
                },
            ],
            37 => vec![
                Command::Release { grasp: 1 },
                Command::DriveBody {
                    body: 0,
                    linear: DVec3::NEG_Z,
                    angular: DVec3::X,
                },
            ],
            45 => vec![Command::ReleaseBody { body: 0 }],
            _ => Vec::new(),
        }
    }
}

/// Stops the run after so many frames.
struct StopAfter<'a>(u64, &'a AtomicBool);

impl Observer for StopAfter<'_> {
    fn frame(&mut self, frame: &Frame) {
        if frame.index + 1 >= self.0 {
            self.1.store(true, Ordering::Relaxed);
        }
    }
}

fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("toile-commands-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    path
}

fn run(
    path: &Path,
    resume: bool,
    frames: u64,
    commander: &mut dyn Commander,
) -> Result<RunOutcome, RunError> {
    let stop = AtomicBool::new(false);
    let folder = match resume {
        true => RunFolder::resume(path),
        false => RunFolder::create(path, false),
    };
    let options = RunOptions {
        until: None,
        resume,
        threads: Some(1),
        checkpoint_interval: 1e9,
        stop: &stop,
        clock: wall_clock,
    };
    let mut watch = StopAfter(frames, &stop);
    let summary = run_commanded(&world(), &folder.unwrap(), &options, &mut watch, commander)?;
    Ok(summary.outcome)
}

fn results(path: &Path) -> Vec<Vec<u8>> {
    let files = ["frames.toile", "metrics.csv", "forces.csv", COMMANDS_FILE];
    files
        .map(|name| std::fs::read(path.join(name)).unwrap())
        .into()
}

#[test]
fn a_steered_run_is_repeated_to_the_bit_whether_interrupted_or_not() {
    let [steered, replayed, resumed] = ["steered", "replayed", "resumed"].map(folder);
    assert_eq!(
        run(&steered, false, u64::MAX, &mut Hand).unwrap(),
        RunOutcome::Finished
    );
    let list = steered.join(COMMANDS_FILE);
    run(
        &replayed,
        false,
        u64::MAX,
        &mut Replay::read(&list).unwrap(),
    )
    .unwrap();
    assert!(results(&replayed) == results(&steered), "a replay differs");
    // Stopped in the middle of a grasp and gone on with.
    let outcome = run(&resumed, false, 6, &mut Replay::read(&list).unwrap()).unwrap();
    assert_eq!(outcome, RunOutcome::Interrupted);
    run(&resumed, true, u64::MAX, &mut Replay::read(&list).unwrap()).unwrap();
    assert!(
        results(&resumed) == results(&steered),
        "a resumed replay differs"
    );
    // And none of it is the run that nobody steers.
    let free = folder("free");
    run(&free, false, u64::MAX, &mut ()).unwrap();
    assert!(!free.join(COMMANDS_FILE).exists());
    let frames = |path: &Path| std::fs::read(path.join("frames.toile")).unwrap();
    assert!(frames(&free) != frames(&steered));
    for path in [steered, replayed, resumed, free] {
        std::fs::remove_dir_all(path).unwrap();
    }
}

#[test]
fn a_command_that_cannot_be_obeyed_ends_the_run_and_says_when() {
    struct Wrong;
    impl Commander for Wrong {
        fn commands(&mut self, simulation: &Simulation) -> Vec<Command> {
            let late = simulation.state().steps == 7;
            late.then_some(Command::Release { grasp: 9 })
                .into_iter()
                .collect()
        }
    }
    let path = folder("wrong");
    let error = run(&path, false, u64::MAX, &mut Wrong)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("after 7 steps") && error.contains("no grasp 9"),
        "{error}"
    );
    std::fs::remove_dir_all(path).unwrap();
}

#[test]
fn lists_that_are_none_are_refused_with_their_place() {
    let path = Path::new("commands.toml");
    let bad = [
        (
            "[[command]]\nsteps = -1\ndo.gravity = [0, 0, 0]\n",
            "line 2",
        ),
        ("[[command]]\nsteps = 1\ndo.fly = 1\n", "fly"),
        (
            "[[command]]\nsteps = 1\ndo.push = { nodes = [0], force = [0, 0] }\n",
            "line 3",
        ),
        (
            "[[command]]\nsteps = 5\ndo.gravity = [0, 0, 0]\n[[command]]\nsteps = 4\ndo.gravity = [0, 0, 0]\n",
            "command 2",
        ),
    ];
    for (text, words) in bad {
        let error = Replay::parse(text, path).unwrap_err().to_string();
        assert!(
            error.contains(words) && error.contains("commands.toml"),
            "{error}"
        );
    }
    assert!(Replay::read(Path::new("nowhere/commands.toml")).is_err());
}

#[test]
fn numbers_of_the_scene_change_live_where_they_can() {
    let mut simulation = world().simulation();
    simulation.advance(0.1).unwrap();
    let before = simulation.positions().to_vec();
    let set = |name: &str, value| Command::Set {
        name: name.into(),
        value,
    };
    let mut soft = simulation.clone();
    soft.command(&set("cloth.sheet.material.bend", 1e-6))
        .unwrap();
    assert_eq!(
        soft.positions(),
        before,
        "a setting moves nothing by itself"
    );
    let mut stiff = simulation.clone();
    stiff
        .command(&set("cloth.sheet.material.bend", 1e-2))
        .unwrap();
    for world in [&mut soft, &mut stiff] {
        world.advance(0.3).unwrap();
    }
    let bent = |s: &Simulation| {
        s.positions()
            .iter()
            .map(|p| p.z)
            .fold(f64::INFINITY, f64::min)
    };
    assert!(
        bent(&stiff) > bent(&soft) + 1e-3,
        "{} {}",
        bent(&stiff),
        bent(&soft)
    );
    // A snapshot remembers it, and so does a world that knew nothing of it.
    let snapshot = stiff.snapshot();
    stiff.advance(0.1).unwrap();
    simulation.restore(&snapshot).unwrap();
    simulation.advance(0.1).unwrap();
    assert_eq!(simulation.positions(), stiff.positions());
    simulation.command(&set("body.ball.friction", 0.9)).unwrap();
    assert_eq!(simulation.model().bodies[0].friction.at_rest, 0.9);

    for (name, value, words) in [
        (
            "cloth.sheet.mesh.grid.cells.0",
            9.0,
            "only body.NAME.friction",
        ),
        ("time.step", 0.1, "only body.NAME.friction"),
        ("cloth.sheet.material.bend", -1.0, "bend"),
        ("cloth.sheet.material.bent", 1.0, "bent"),
        ("cloth.shed.material.bend", 1.0, "shed"),
    ] {
        let error = simulation.command(&set(name, value)).unwrap_err();
        assert!(matches!(error, CommandError::Setting { .. }), "{error}");
        assert!(error.to_string().contains(words), "{name}: {error}");
    }
    simulation.reset();
    assert!(simulation.state().commanded.settings.is_empty());
}
