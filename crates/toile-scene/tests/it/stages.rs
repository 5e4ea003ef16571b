//! Scenes in stages: sewn without gravity, then let fall.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use toile::command::Command;
use toile::glam::DVec3;
use toile::simulation::Simulation;
use toile::stage::{QUIET, Stage, StageChange};
use toile::state::State;
use toile_scene::run::{
    COMMANDS_FILE, Checkpoint, Commander, Frame, Observer, Replay, RunFolder, RunOptions,
    branch_off, find_branch_point, run_commanded, wall_clock,
};
use toile_scene::scene::{SceneSource, World, resolve};

/// Two panels beside each other above a ball; they are sewn, fall, and come to rest.
const PANELS: &str = "
[time]
step = 0.01
fps = 20
duration = 0.8
[environment.air]
wind = [0, 1, 0]
[cloth.left]
mesh.grid = { size = [0.1, 0.1], cells = [4, 4] }
place = { at = [-0.06, 0, 0.3] }
[cloth.right]
mesh.grid = { size = [0.1, 0.1], cells = [3, 3] }
place = { at = [0.06, 0, 0.3] }
[body.ball]
shape.sphere = { radius = 0.05 }
friction = 0.4
[[seam]]
first = { cloth = \"left\", select.corners = [1, 3] }
second = { cloth = \"right\", select.corners = [0, 2] }
until = 0.2
";

const STAGES: &str = "
[[stage]]
name = \"sew\"
gravity = [0, 0, 0]
wind = [0, 0, 0]
set.cloth.left.damping = 2
set.body.ball.friction = 0.1
until.sewn = 0.001
at_most = 0.5
[[stage]]
name = \"fall\"
until.duration = 0.2
[[stage]]
name = \"soft\"
set.\"cloth.left.material.bend\" = 1e-7
";

fn source(stages: &str) -> SceneSource {
    SceneSource {
        name: "panels.toml".into(),
        text: format!("{PANELS}{stages}"),
        folder: Default::default(),
        overrides: Vec::new(),
    }
}

fn world(stages: &str) -> World {
    let source = source(stages);
    resolve(&source, source.parse().unwrap()).unwrap()
}

/// Takes down which stages begin when, and stops the run after so many frames.
struct Watch<'a> {
    frames: u64,
    stop: &'a AtomicBool,
    begun: Vec<StageChange>,
}

impl Observer for Watch<'_> {
    fn frame(&mut self, frame: &Frame) {
        if frame.index + 1 >= self.frames {
            self.stop.store(true, Ordering::Relaxed);
        }
    }

    fn stage(&mut self, change: &StageChange, stages: &[Stage]) {
        assert_eq!(stages.len(), 3);
        self.begun.push(*change);
    }
}

fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("toile-stages-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    path
}

fn run(
    world: &World,
    path: &Path,
    resume: bool,
    frames: u64,
    commander: &mut dyn Commander,
) -> Vec<StageChange> {
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
    let mut watch = Watch {
        frames,
        stop: &stop,
        begun: Vec::new(),
    };
    run_commanded(world, &folder.unwrap(), &options, &mut watch, commander).unwrap();
    watch.begun
}

fn results(path: &Path) -> [Vec<u8>; 3] {
    ["frames.toile", "metrics.csv", "forces.csv"]
        .map(|name| std::fs::read(path.join(name)).unwrap())
}

fn last_state(path: &Path) -> State {
    let checkpoint = Checkpoint::read(&path.join("checkpoint.toile"));
    checkpoint.unwrap().unwrap().state
}

fn gravity(simulation: &Simulation) -> f64 {
    simulation.state().gravity(simulation.model()).z
}

#[test]
fn seams_are_closed_before_anything_falls_and_settings_go_back_to_the_scene() {
    let world = world(STAGES);
    let mut simulation = world.simulation();
    let own = world.model.clone();
    let height = |s: &Simulation| s.positions().iter().map(|x| x.z).sum::<f64>();
    let start = height(&simulation);
    while simulation.stage() != Some(1) {
        simulation.step().unwrap();
        if simulation.stage() == Some(0) {
            assert_eq!(gravity(&simulation), 0.0);
            assert_eq!(simulation.model().bodies[0].friction.at_rest, 0.1);
            assert!((height(&simulation) - start).abs() < 1e-6, "it falls");
        }
        assert!(simulation.time() < 0.49, "the seam is not closed in time");
    }
    // The step that found them closed was the first to fall.
    let open = own.seams().next().unwrap().opening(simulation.positions());
    assert!(open < 1.5e-3 && simulation.time() > 0.15, "{open}");
    assert_eq!(gravity(&simulation), -9.81);
    assert_eq!(simulation.state().commanded.wind, Some(DVec3::Y));
    assert_eq!(simulation.model().bodies[0].friction.at_rest, 0.4);
    assert_eq!(simulation.model().air_damping, own.air_damping);
    let fell = simulation.time();
    while simulation.stage() != Some(2) {
        simulation.step().unwrap();
    }
    // A stage begins before the step that is the first of it.
    assert!((simulation.time() - fell - 0.2).abs() < 1e-9);
    assert!(height(&simulation) < start - 1.0, "it does not fall");
    assert_ne!(
        format!("{:?}", simulation.model().energies),
        format!("{:?}", own.energies)
    );
    simulation.advance(0.3).unwrap();
    assert_eq!(
        simulation.stage(),
        Some(2),
        "the last stage lasts to the end"
    );
    simulation.reset();
    assert_eq!(simulation.stage(), None);
}

#[test]
fn a_run_stopped_in_any_stage_goes_on_to_the_same_bytes() {
    let world = world(STAGES);
    let whole = folder("whole");
    let begun = run(&world, &whole, false, u64::MAX, &mut ());
    let numbers: Vec<usize> = begun.iter().map(|c| c.stage).collect();
    assert_eq!(numbers, [0, 1, 2]);
    assert!(begun[1].ended.unwrap().is_reached && begun[2].ended.unwrap().is_reached);
    // What sweeps and fits step is the same.
    let mut simulation = world.simulation();
    simulation.advance(0.8).unwrap();
    assert_eq!(*simulation.state(), last_state(&whole));
    // After every frame: in the middle of each stage, and where one ends.
    for frames in [1, 3, 5, 6, 9, 10, 13] {
        let cut = folder(&format!("cut-{frames}"));
        let mut heard = run(&world, &cut, false, frames, &mut ());
        heard.extend(run(&world, &cut, true, u64::MAX, &mut ()));
        assert_eq!(heard, begun, "after {frames} frames");
        assert!(results(&cut) == results(&whole), "after {frames} frames");
        assert_eq!(last_state(&cut), last_state(&whole));
        std::fs::remove_dir_all(cut).unwrap();
    }
    std::fs::remove_dir_all(whole).unwrap();
}

#[test]
fn a_steered_run_in_stages_is_replayed_to_the_bit() {
    /// Takes gravity away again in the middle of the fall.
    struct Hand;
    impl Commander for Hand {
        fn commands(&mut self, simulation: &Simulation) -> Vec<Command> {
            match simulation.state().steps {
                // The first step, in which the stage has just said otherwise.
                0 => vec![Command::Gravity(DVec3::Z)],
                35 => vec![Command::Gravity(DVec3::ZERO)],
                _ => Vec::new(),
            }
        }
    }
    let world = world(STAGES);
    let [steered, replayed] = ["steered", "replayed"].map(folder);
    run(&world, &steered, false, u64::MAX, &mut Hand);
    let list = steered.join(COMMANDS_FILE);
    let text = std::fs::read_to_string(&list).unwrap();
    // Stages are in the scene and not in the list, or they would be told twice.
    assert_eq!(text.matches("[[command]]").count(), 2, "{text}");
    let mut replay = Replay::read(&list).unwrap();
    run(&world, &replayed, false, u64::MAX, &mut replay);
    assert!(results(&replayed) == results(&steered));
    let free = folder("free");
    run(&world, &free, false, u64::MAX, &mut ());
    assert!(results(&free) != results(&steered));
    for path in [steered, replayed, free] {
        std::fs::remove_dir_all(path).unwrap();
    }
}

#[test]
fn a_stage_that_waits_for_rest_waits_for_a_while_and_at_most_so_long() {
    let still = |more: &str| world(&format!("[[stage]]\nuntil.still = 0.02\n{more}\n"));
    // At the start nothing moves yet: that is no rest.
    let mut resting = still("gravity = [0, 0, 0]\nwind = [0, 0, 0]\n").simulation();
    resting.advance(QUIET - 0.02).unwrap();
    assert_eq!(resting.stage(), Some(0));
    let mut moving = still("at_most = 0.3\n").simulation();
    moving.advance(0.3).unwrap();
    assert_eq!(moving.stage(), Some(0));
    assert_eq!(moving.stage_cut_short(), None);
    let change = moving.enter_stage().unwrap().unwrap();
    assert_eq!(moving.stage_cut_short(), Some(0));
    let ended = change.ended.unwrap();
    assert!(!ended.is_reached && ended.measured > 0.02, "{ended:?}");
    // After a last stage that ends comes the scene as it is.
    assert_eq!((change.stage, moving.stages().len()), (1, 2));
    assert!(moving.enter_stage().unwrap().is_none());
}

#[test]
fn cloth_that_comes_to_rest_ends_its_stage() {
    let text = "[time]\nstep = 0.01\n[cloth.sheet]\nmesh.grid = { size = [0.2, 0.2], cells = [4, 4] }\ndamping = 8\n\
         [[cloth.sheet.pin]]\nselect.corners = [0, 1]\n[[stage]]\nuntil.still = 0.02\n[[stage]]\ngravity = [0, 0, 1]\n";
    let source = SceneSource {
        text: text.into(),
        ..source("")
    };
    let mut simulation = resolve(&source, source.parse().unwrap())
        .unwrap()
        .simulation();
    while simulation.stage() != Some(1) {
        simulation.step().unwrap();
        assert!(simulation.time() < 10.0, "it never rests");
    }
    let lowest = simulation.positions().iter().map(|x| x.z);
    let lowest = lowest.fold(f64::INFINITY, f64::min);
    assert!(lowest < -0.19, "it rests before it hangs: {lowest}");
}

#[test]
fn a_branch_goes_on_in_its_stage_with_the_scene_as_it_is_now() {
    let world_then = world(STAGES);
    let path = folder("trunk");
    run(&world_then, &path, false, 2, &mut ());
    let point = find_branch_point(&path, None).unwrap();
    // The first stage has another gravity now, and it counts at once.
    let mut branch = world(&STAGES.replacen("gravity = [0, 0, 0]", "gravity = [0, 0, 1]", 1));
    branch_off(&mut branch, &path, &point).unwrap();
    let mut simulation = branch.simulation();
    simulation.step().unwrap();
    assert_eq!((simulation.stage(), gravity(&simulation)), (Some(0), 1.0));
    assert_eq!(simulation.model().bodies[0].friction.at_rest, 0.1);
    // It is still to end by the time that it began at.
    assert_eq!(simulation.state().commanded.stage.unwrap().since, 0.0);
    // Without stages the scene's own settings count.
    let mut free = world("");
    branch_off(&mut free, &path, &point).unwrap();
    let mut simulation = free.simulation();
    simulation.step().unwrap();
    assert_eq!((simulation.stage(), gravity(&simulation)), (None, -9.81));
    // A stage that is not there cannot be gone on with.
    run(&world_then, &path, true, u64::MAX, &mut ());
    let point = find_branch_point(&path, None).unwrap();
    let mut fewer = world("[[stage]]\ngravity = [0, 0, 0]\n");
    let error = branch_off(&mut fewer, &path, &point)
        .unwrap_err()
        .to_string();
    assert!(error.contains("stage"), "{error}");
    std::fs::remove_dir_all(path).unwrap();
}

#[test]
fn stages_that_make_no_sense_are_refused_with_their_place() {
    for (stages, words) in [
        (
            "[[stage]]\ngravity = [0, 0, 0]\n[[stage]]\n",
            "stage[0]: has no `until`",
        ),
        (
            "[[stage]]\nuntil.duration = -1\n",
            "stage[0].until.duration: is -1; it must be a positive",
        ),
        (
            "[[stage]]\nuntil.duration = nan\n",
            "must be a positive number",
        ),
        ("[[stage]]\nuntil.sewn = 0\n", "stage[0].until.sewn: is 0"),
        (
            "[[stage]]\nuntil.still = -0.1\n",
            "stage[0].until.still: is -0.1",
        ),
        (
            "[[stage]]\nuntil.sewn = 0.001\nat_most = 0\n",
            "stage[0].at_most: is 0",
        ),
        (
            "[[stage]]\nuntil.duration = 1\nat_most = 2\n",
            "`until.duration` alone",
        ),
        ("[[stage]]\nat_most = 2\n", "`until.duration` alone"),
        ("[[stage]]\nuntil.sown = 1\n", "did you mean `sewn`?"),
        (
            "[[stage]]\nuntil = { sewn = 1, still = 1 }\n",
            "stage[0].until",
        ),
        ("[[stage]]\ngravty = [0, 0, 0]\n", "did you mean `gravity`?"),
        ("[[stage]]\ngravity = [0, 0, inf]\n", "stage[0].gravity"),
        (
            "[[stage]]\nset.cloth.left.mesh.grid.cells = 1\n",
            "cannot be changed while the simulation runs",
        ),
        (
            "[[stage]]\nset.time.step = 1\n",
            "cannot be changed while the simulation runs",
        ),
        (
            "[[stage]]\nset.cloth.left.frction = 1\n",
            "stage[0].set.cloth.left.frction",
        ),
        (
            "[[stage]]\nset.cloth.lift.friction = 1\n",
            "did you mean `left`?",
        ),
        (
            "[[stage]]\nset.body.boll.friction = 1\n",
            "did you mean `ball`?",
        ),
        (
            "[[stage]]\nset.cloth.left.friction = -1\n",
            "stage[0].set.cloth.left.friction",
        ),
        (
            "[[stage]]\nset.cloth.left.friction = \"low\"\n",
            "expected a number",
        ),
        (
            "[[stage]]\nset.cloth.left.virtual_mass = 0.1\nuntil.duration = 0.1\n",
            "no number there to go back to",
        ),
    ] {
        let source = source(stages);
        let made = source.parse().and_then(|spec| resolve(&source, spec));
        let error = made.map(|_| stages).unwrap_err().to_string();
        assert!(error.contains(words), "{stages}: {error}");
        assert!(error.starts_with("panels.toml:"), "{error}");
    }
    let nothing_sewn = SceneSource {
        text:
            "[cloth.a]\nmesh.grid = { size = [1, 1], cells = [1, 1] }\n[[stage]]\nuntil.sewn = 1\n"
                .into(),
        ..source("")
    };
    let airless = SceneSource {
        text: "[cloth.a]\nmesh.grid = { size = [1, 1], cells = [1, 1] }\n[[stage]]\nwind = [1, 0, 0]\n".into(),
        ..source("")
    };
    for (source, words) in [
        (nothing_sewn, "has none; add a [[seam]]"),
        (airless, "has no air"),
    ] {
        let error = resolve(&source, source.parse().unwrap())
            .unwrap_err()
            .to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn stages_read_back_and_are_part_of_what_a_run_is() {
    let world = world(STAGES);
    let again = SceneSource {
        text: world.resolved.clone(),
        ..source("")
    };
    let again = resolve(&again, again.parse().unwrap()).unwrap();
    assert_eq!(again.stages, world.stages);
    assert_eq!(again.fingerprint(), world.fingerprint());
    let other = self::world(&STAGES.replace("until.sewn = 0.001", "until.sewn = 0.002"));
    assert_ne!(other.fingerprint(), world.fingerprint());
    assert_ne!(self::world("").fingerprint(), world.fingerprint());
}
