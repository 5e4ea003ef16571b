//! The loop: step, gather, push frames to sinks, checkpoint.

use super::branch;
use super::checkpoint::{Checkpoint, CheckpointError};
use super::commands::{self, CommandLog, Commander, ReplayError};
use super::folder::{FolderError, RunFolder, write_atomically};
use super::forces::{self, ForcesTable};
use super::metrics::{FrameMetrics, METRIC_COLUMNS, TIMING_COLUMNS};
use super::table::{Table, TableMark};
use crate::recording::{self, BodyPose, RecordingError, RecordingWriter};
use crate::scene::World;
use crate::spec::CertifySpec;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use thiserror::Error;
use toile::certificate::{Energies, Momenta, StepError};
use toile::command::CommandError;
use toile::contact::{FoldPreserver, intersections};
use toile::equilibrium::EquilibriumError;
use toile::simulation::Simulation;
use toile::stage::{Stage, StageChange};
use toile::state::State;
use toile::timing::Clock;

/// What a run is told besides its scene.
#[derive(Debug)]
pub struct RunOptions<'a> {
    /// Stop at this time (s) though the scene is longer.
    pub until: Option<f64>,
    /// Go on from the folder's checkpoint.
    pub resume: bool,
    /// Threads; all cores if `None`. The result does not depend on it.
    pub threads: Option<usize>,
    /// Wall time between checkpoints (s).
    pub checkpoint_interval: f64,
    /// Set from outside (Ctrl-C) to stop after the present frame.
    pub stop: &'a AtomicBool,
    /// The time, for the tables and the intervals between checkpoints: [`wall_clock`](super::wall_clock), or another.
    pub clock: Clock,
}

/// A frame as it is written.
#[derive(Debug)]
pub struct Frame<'a> {
    /// Its number; 0 is the time 0.
    pub index: u64,
    /// Its time (s).
    pub time: f64,
    /// Nodes and pins.
    pub state: &'a State,
    /// Where the bodies are.
    pub poses: &'a [BodyPose],
    /// What the steps since the last frame had to say.
    pub metrics: &'a FrameMetrics,
    /// Energies (J).
    pub energies: Energies,
}

/// Somebody who watches a run: a progress bar, a live viewer.
pub trait Observer: Send {
    /// A step was made.
    fn step(&mut self, _progress: Progress) {}
    /// A frame was written.
    fn frame(&mut self, _frame: &Frame) {}
    /// A stage of these begins.
    fn stage(&mut self, _change: &StageChange, _stages: &[Stage]) {}
}

/// Nobody watches.
impl Observer for () {}

/// How far a run is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Steps of the schedule made, those before a resume included.
    pub steps: u64,
    /// Steps of the schedule to make.
    pub steps_total: u64,
    /// Simulated time (s).
    pub time: f64,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunOutcome {
    /// It reached its end.
    Finished,
    /// It was stopped and can be resumed.
    Interrupted,
}

/// What a run says at its end.
#[derive(Clone, Copy, Debug)]
pub struct RunSummary {
    /// How it ended.
    pub outcome: RunOutcome,
    /// Frames in the folder.
    pub frames: u64,
    /// Steps made by this call, those that others were cut into counted one by one.
    pub steps: u64,
    /// Wall time of this call (s).
    pub wall: f64,
    /// Where that time went (s).
    pub times: toile::certificate::PhaseTimes,
    /// The time that a resumed run went on from (s).
    pub resumed_at: Option<f64>,
    /// The stage in which it ended, from 0, if the scene has any.
    pub stage: Option<usize>,
    /// The first stage, from 0, that took longer than it may to reach what it waits for.
    pub cut_short: Option<usize>,
}

/// A run that could not go on. What was written up to the last checkpoint is kept.
#[derive(Debug, Error)]
pub enum RunError {
    /// The physics failed.
    #[error(transparent)]
    Step(#[from] StepError),
    /// The static solver failed.
    #[error(transparent)]
    Equilibrium(#[from] EquilibriumError),
    /// The folder failed.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The frame cache failed.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// The checkpoint failed.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// A table could not be written.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file of commands failed.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// A command could not be obeyed.
    #[error("the command after {steps} steps: {source}")]
    Command {
        /// When it came.
        steps: u64,
        /// What is wrong with it.
        source: CommandError,
    },
    /// The scene is not the one that was run here.
    #[error(
        "{folder} was made from a different scene (meshes, materials, bodies or time steps have changed); run it anew \
         with --force or another -o"
    )]
    SceneChanged {
        /// The folder.
        folder: PathBuf,
    },
    /// The end lies beyond the scene's.
    #[error(
        "--until {until} is beyond the scene's duration of {duration} s; lengthen it with --set time.duration={until}"
    )]
    BeyondEnd {
        /// Asked for (s).
        until: f64,
        /// The scene's (s).
        duration: f64,
    },
    /// Threads could not be started.
    #[error("cannot start {threads} threads: {message}")]
    Threads {
        /// How many.
        threads: usize,
        /// Why.
        message: String,
    },
}

/// Runs a world into a folder. The observer hears of every step and frame.
pub fn run(
    world: &World,
    folder: &RunFolder,
    options: &RunOptions,
    observer: &mut dyn Observer,
) -> Result<RunSummary, RunError> {
    run_commanded(world, folder, options, observer, &mut ())
}

/// The same with somebody who steers it. What is commanded is taken down in the folder, so that it can be
/// [replayed](super::Replay).
pub fn run_commanded(
    world: &World,
    folder: &RunFolder,
    options: &RunOptions,
    observer: &mut dyn Observer,
    commander: &mut dyn Commander,
) -> Result<RunSummary, RunError> {
    on_threads(options.threads, || {
        run_here(world, folder, options, observer, commander)
    })
}

/// Does work on this many threads; on as many as the machine has if none are named, and on the calling one without the
/// feature `parallel`.
pub(super) fn on_threads<T: Send>(
    threads: Option<usize>,
    work: impl FnOnce() -> Result<T, RunError> + Send,
) -> Result<T, RunError> {
    #[cfg(feature = "parallel")]
    {
        let threads = threads.unwrap_or(0);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| RunError::Threads {
            threads,
            message: error.to_string(),
        })?;
        pool.install(work)
    }
    #[cfg(not(feature = "parallel"))]
    {
        let _ = threads;
        work()
    }
}

fn run_here(
    world: &World,
    folder: &RunFolder,
    options: &RunOptions,
    observer: &mut dyn Observer,
    commander: &mut dyn Commander,
) -> Result<RunSummary, RunError> {
    let now = options.clock;
    let begin = now();
    let schedule = world.schedule;
    let last_frame = last_frame(world, options.until)?;
    let mut sinks = Sinks::open(world, folder, options.resume)?;
    let mut simulation = world.simulation().with_clock(now);
    if let Some(state) = sinks.state.take() {
        let folder = folder.path().to_owned();
        let changed = |_| RunError::SceneChanged { folder };
        simulation.set_state(&state).map_err(changed)?;
    }
    let first_step = simulation.state().steps;
    let resumed_at = (sinks.frames > 1).then_some(simulation.time());
    let mut times = toile::certificate::PhaseTimes::default();
    let mut checkpointed = now();
    let mut outcome = RunOutcome::Finished;

    if sinks.frames == 0 {
        enter_stage(&mut simulation, observer)?;
        let mut metrics = FrameMetrics::empty();
        if looks_for_intersections(world, true) {
            metrics.intersections = Some(intersections(&world.model, simulation.positions()).len());
        }
        sinks.push(world, &simulation, &mut metrics, observer)?;
        sinks.checkpoint(world, simulation.state())?;
    }
    while sinks.next_frame() <= last_frame {
        let mut metrics = FrameMetrics::empty();
        let before = (sinks.next_frame() - 1) * u64::from(schedule.substeps);
        for made in 1..=schedule.substeps {
            // Whoever steers has the last word.
            enter_stage(&mut simulation, observer)?;
            sinks.commands.obey(&mut simulation, commander)?;
            let report = *simulation.step()?;
            metrics.add_step(&report, &world.model, simulation.positions());
            if let Some(forces) = &mut sinks.forces {
                forces.take(world, simulation.state(), simulation.body_loads());
            }
            if looks_for_intersections(world, made == schedule.substeps) {
                let found = intersections(&world.model, simulation.positions()).len();
                metrics.intersections = metrics.intersections.max(Some(found));
            }
            observer.step(Progress {
                steps: before + u64::from(made),
                steps_total: last_frame * u64::from(schedule.substeps),
                time: simulation.time(),
            });
        }
        times.add(&metrics.times);
        sinks.push(world, &simulation, &mut metrics, observer)?;
        let stopping = options.stop.load(Ordering::Relaxed);
        let due = now() - checkpointed >= options.checkpoint_interval;
        if stopping || due || sinks.keeps(world) || sinks.next_frame() > last_frame {
            sinks.checkpoint(world, simulation.state())?;
            checkpointed = now();
        }
        if stopping && sinks.next_frame() <= last_frame {
            outcome = RunOutcome::Interrupted;
            break;
        }
    }
    Ok(RunSummary {
        outcome,
        frames: sinks.frames,
        steps: simulation.state().steps - first_step,
        wall: now() - begin,
        times,
        resumed_at,
        stage: simulation.stage(),
        cut_short: simulation.stage_cut_short(),
    })
}

/// Begins the stage that is due, and tells of it.
fn enter_stage(simulation: &mut Simulation, observer: &mut dyn Observer) -> Result<(), StepError> {
    if let Some(change) = simulation.enter_stage()? {
        observer.stage(&change, simulation.stages());
    }
    Ok(())
}

/// Whether the scene wants to know after this step.
fn looks_for_intersections(world: &World, frame_ends: bool) -> bool {
    let wanted = match world.certify {
        CertifySpec::Never => false,
        CertifySpec::EveryFrame => frame_ends,
        CertifySpec::EveryStep => true,
    };
    wanted && !world.model.contacts.is_empty()
}

fn last_frame(world: &World, until: Option<f64>) -> Result<u64, RunError> {
    let schedule = world.schedule;
    let Some(until) = until else {
        return Ok(schedule.frames);
    };
    let wanted = (until * schedule.fps - 1e-9).ceil().max(0.0);
    if !until.is_finite() || wanted > schedule.frames as f64 {
        return Err(RunError::BeyondEnd {
            until,
            duration: schedule.frames as f64 / schedule.fps,
        });
    }
    Ok(wanted as u64)
}

/// All sinks of a run and the checkpoint that counts what they hold.
struct Sinks<'a> {
    folder: &'a RunFolder,
    fingerprint: u64,
    /// The frame at which the run starts, and how many are written.
    first_frame: u64,
    frames: u64,
    recording: RecordingWriter,
    metrics: Table,
    timings: Table,
    forces: Option<ForcesTable>,
    commands: CommandLog,
    /// The state to go on from, if resumed.
    state: Option<State>,
    /// How folds in bodies are shown, if otherwise than they are.
    folds: Option<FoldPreserver>,
}

impl<'a> Sinks<'a> {
    fn open(world: &World, folder: &'a RunFolder, resume: bool) -> Result<Self, RunError> {
        let fingerprint = world.fingerprint();
        let first_frame = (world.state.time * world.schedule.fps).round() as u64;
        let folds = world.preserve_folds;
        let folds = folds.map(|height| FoldPreserver::new(&world.model, height));
        let checkpoint = match resume {
            true => Checkpoint::read(&folder.file("checkpoint.toile"))?,
            false => None,
        };
        let cache = folder.file(recording::FILE_NAME);
        let (metrics, timings) = (folder.file("metrics.csv"), folder.file("timings.csv"));
        let forces = folder.file(forces::FILE_NAME);
        let commands = folder.file(commands::FILE_NAME);
        if let Some(checkpoint) = checkpoint {
            if checkpoint.fingerprint != fingerprint || !checkpoint.state.fits(&world.model) {
                return Err(RunError::SceneChanged {
                    folder: folder.path().to_owned(),
                });
            }
            return Ok(Sinks {
                folder,
                fingerprint,
                first_frame,
                frames: checkpoint.frames,
                recording: RecordingWriter::resume(&cache, checkpoint.frames)?,
                metrics: Table::resume(metrics, checkpoint.metrics)?,
                timings: Table::resume(timings, checkpoint.timings)?,
                forces: ForcesTable::resume(world, forces, checkpoint.forces)?,
                commands: CommandLog::resume(commands, checkpoint.state.steps)?,
                state: Some(checkpoint.state),
                folds,
            });
        }
        if resume {
            folder.check_nothing_is_lost()?;
        }
        folder.clear()?;
        write_atomically(
            &folder.file("scene.resolved.toml"),
            world.resolved.as_bytes(),
        )?;
        if world.is_branch {
            write_atomically(&folder.file(branch::START), &branch::start_bytes(world))?;
        }
        let tracks = (&world.cloth_tracks[..], &world.body_tracks[..]);
        let (title, fps, moving) = (&world.title, world.schedule.fps, world.output.velocities);
        Ok(Sinks {
            folder,
            fingerprint,
            first_frame,
            frames: 0,
            recording: RecordingWriter::create_with(&cache, title, fps, tracks, moving)?,
            metrics: Table::create(metrics, METRIC_COLUMNS)?,
            timings: Table::create(timings, TIMING_COLUMNS)?,
            forces: ForcesTable::create(world, forces)?,
            commands: CommandLog::create(commands),
            state: None,
            folds,
        })
    }

    fn push(
        &mut self,
        world: &World,
        simulation: &Simulation,
        metrics: &mut FrameMetrics,
        observer: &mut dyn Observer,
    ) -> Result<(), RunError> {
        let index = self.next_frame();
        let time = index as f64 / world.schedule.fps;
        let (state, model) = (simulation.state(), simulation.model());
        let poses = world.body_poses(state);
        let shown = match &mut self.folds {
            Some(folds) => folds.show(model, state),
            None => &state.positions,
        };
        // What is shown is held to the same promise as what moves.
        if world.preserve_folds.is_some() && looks_for_intersections(world, true) {
            let found = intersections(&world.model, shown).len();
            metrics.intersections = metrics.intersections.max(Some(found));
        }
        let metrics = &*metrics;
        let frame = Frame {
            index,
            time,
            state,
            poses: &poses,
            metrics,
            energies: simulation.energies(),
        };
        self.recording
            .push(time, frame.poses, shown, &state.velocities)?;
        let momenta = Momenta::of(model, state);
        let row = metrics.row(time, &frame.energies, &momenta);
        self.metrics.line(&row)?;
        self.timings.line(&metrics.timing_row(time))?;
        if let Some(forces) = &mut self.forces {
            forces.flush()?;
        }
        self.frames += 1;
        observer.frame(&frame);
        Ok(())
    }

    /// The number of the frame that comes next; it counts from the time 0, though a branch starts later.
    fn next_frame(&self) -> u64 {
        self.first_frame + self.frames
    }

    /// Whether the checkpoint of the frame that was pushed last is to be kept.
    fn keeps(&self, world: &World) -> bool {
        world.output.keep_checkpoints.is_some_and(|interval| {
            let every = (interval * world.schedule.fps).round().max(1.0) as u64;
            (self.next_frame() - 1).is_multiple_of(every)
        })
    }

    fn checkpoint(&mut self, world: &World, state: &State) -> Result<(), RunError> {
        self.recording.sync()?;
        self.metrics.sync()?;
        self.timings.sync()?;
        if let Some(forces) = &self.forces {
            forces.sync()?;
        }
        self.commands.sync()?;
        let checkpoint = Checkpoint {
            fingerprint: self.fingerprint,
            frames: self.frames,
            metrics: self.metrics.mark(),
            timings: self.timings.mark(),
            forces: self
                .forces
                .as_ref()
                .map_or(TableMark::default(), ForcesTable::mark),
            state: state.clone(),
        };
        let bytes = checkpoint.encode();
        if self.keeps(world) {
            let kept = self.folder.kept_checkpoint(self.next_frame() - 1)?;
            write_atomically(&kept, &bytes)?;
        }
        let path = self.folder.file("checkpoint.toile");
        Ok(write_atomically(&path, &bytes)?)
    }
}
