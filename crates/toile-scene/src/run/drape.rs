//! Draping a world: the static solver, its frames, table and checkpoint.
//!
//! The folder is a run's folder. Frames are the iterates at which the cloth has moved visibly since the last one; a
//! frame's time is the number of its iteration over the frame rate, so that players and plots agree.

use super::checkpoint::Checkpoint;
use super::folder::{RunFolder, write_atomically};
use super::runner::{RunError, on_threads};
use super::table::{Table, TableMark};
use crate::recording::{self, BodyTrack, RecordingWriter};
use crate::scene::World;
use glam::DVec3;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use toile::equilibrium::{
    EquilibriumCertificate, EquilibriumSettings, EquilibriumStatus, Iteration, minimise,
};
use toile::state::State;
use toile::timing::Clock;

/// What a drape is told besides its scene.
#[derive(Debug)]
pub struct DrapeOptions<'a> {
    /// Go on from the folder's checkpoint.
    pub resume: bool,
    /// Threads; all cores if `None`. The result does not depend on it.
    pub threads: Option<usize>,
    /// Wall time between checkpoints (s).
    pub checkpoint_interval: f64,
    /// Set from outside (Ctrl-C) to stop after the present iteration.
    pub stop: &'a AtomicBool,
    /// The time, for the intervals between checkpoints: [`wall_clock`](super::wall_clock), or another.
    pub clock: Clock,
}

/// How far a drape is.
#[derive(Clone, Copy, Debug)]
pub struct DrapeProgress {
    /// Iterations made, those before a resume included.
    pub iteration: u64,
    /// Force left, relative to the weight.
    pub gradient: f64,
    /// What it must fall to.
    pub tolerance: f64,
    /// Total energy (J), gravity's counted from the start.
    pub energy: f64,
}

/// Somebody who watches a drape.
pub trait DrapeObserver: Send {
    /// An iteration was made.
    fn iteration(&mut self, _progress: &DrapeProgress) {}
}

/// Nobody watches.
impl DrapeObserver for () {}

/// What a drape says at its end.
#[derive(Clone, Debug)]
pub struct DrapeSummary {
    /// How it ended.
    pub status: EquilibriumStatus,
    /// How good the equilibrium is.
    pub certificate: EquilibriumCertificate,
    /// The state at the end.
    pub state: State,
    /// Frames in the folder.
    pub frames: u64,
    /// Iterations, those before a resume included.
    pub iterations: u64,
    /// Wall time of this call (s).
    pub wall: f64,
    /// The iteration that a resumed drape went on from.
    pub resumed_at: Option<u64>,
}

/// Columns of a drape's `metrics.csv`.
pub const DRAPE_COLUMNS: &str = "time,iteration,force_residual,stretch_worst,stretch_mean,gap_smallest,\
    energy_elastic,energy_gravity,energy_contact,energy_total,step_m,shift,iterations";

/// A frame is written when a node has moved by this share of the cloth's size since the last one.
const VISIBLE: f64 = 0.02;
/// Makes the checkpoint of a drape none of `toile run`.
const DRAPE_MARK: u64 = 0x6472_6170_6500_0001;

/// Looks for the equilibrium of a world and leaves a folder like a run's.
pub fn drape(
    world: &World,
    folder: &RunFolder,
    options: &DrapeOptions,
    observer: &mut dyn DrapeObserver,
) -> Result<DrapeSummary, RunError> {
    on_threads(options.threads, || {
        drape_here(world, folder, options, observer)
    })
}

fn drape_here(
    world: &World,
    folder: &RunFolder,
    options: &DrapeOptions,
    observer: &mut dyn DrapeObserver,
) -> Result<DrapeSummary, RunError> {
    let now = options.clock;
    let begin = now();
    let mut sinks = Sinks::open(world, folder, options.resume)?;
    let mut state = sinks.state.clone();
    let before = state.steps;
    let settings = EquilibriumSettings {
        // What is resumed was perturbed when it began.
        perturbation: if before == 0 {
            world.drape.perturbation
        } else {
            0.0
        },
        ..world.drape
    };
    let mut failure = None;
    let mut checkpointed = now();
    let found = minimise(&world.model, &mut state, &settings, &mut |iteration| {
        let number = before + u64::from(iteration.number);
        observer.iteration(&DrapeProgress {
            iteration: number,
            gradient: iteration.gradient,
            tolerance: settings.tolerance,
            energy: iteration.energies.total(),
        });
        let due = now() - checkpointed >= options.checkpoint_interval;
        match sinks.note(number, iteration, due) {
            Ok(()) if options.stop.load(Ordering::Relaxed) => ControlFlow::Break(()),
            Ok(()) => {
                if due {
                    checkpointed = now();
                }
                ControlFlow::Continue(())
            }
            Err(error) => {
                failure = Some(error);
                ControlFlow::Break(())
            }
        }
    });
    if let Some(error) = failure {
        return Err(error);
    }
    let found = found?;
    let iterations = before + u64::from(found.certificate.iterations);
    sinks.finish(iterations, &state.positions)?;
    Ok(DrapeSummary {
        status: found.status,
        certificate: found.certificate,
        state,
        frames: sinks.frames,
        iterations,
        wall: now() - begin,
        resumed_at: (before > 0).then_some(before),
    })
}

struct Sinks<'a> {
    world: &'a World,
    folder: &'a RunFolder,
    frames: u64,
    recording: RecordingWriter,
    metrics: Table,
    /// The state to go on from; `steps` counts iterations.
    state: State,
    /// The last iteration that is in the table, and the last that is a frame.
    noted: Option<u64>,
    shown: Option<(u64, Vec<DVec3>)>,
    /// Motion that makes a frame (m).
    visible: f64,
}

impl<'a> Sinks<'a> {
    fn open(world: &'a World, folder: &'a RunFolder, resume: bool) -> Result<Self, RunError> {
        let checkpoint = match resume {
            true => Checkpoint::read(&folder.file("checkpoint.toile"))?,
            false => None,
        };
        let cache = folder.file(recording::FILE_NAME);
        let metrics = folder.file("metrics.csv");
        let visible = VISIBLE * extent(&world.state.positions);
        if let Some(checkpoint) = checkpoint {
            let same = checkpoint.fingerprint == world.fingerprint() ^ DRAPE_MARK;
            if !same || !checkpoint.state.fits(&world.model) {
                return Err(RunError::SceneChanged {
                    folder: folder.path().to_owned(),
                });
            }
            let state = checkpoint.state;
            return Ok(Sinks {
                world,
                folder,
                frames: checkpoint.frames,
                recording: RecordingWriter::resume(&cache, checkpoint.frames)?,
                metrics: Table::resume(metrics, checkpoint.metrics)?,
                noted: Some(state.steps),
                shown: Some((state.steps, state.positions.clone())),
                state,
                visible,
            });
        }
        if resume {
            folder.check_nothing_is_lost()?;
        }
        folder.clear()?;
        let resolved = folder.file("scene.resolved.toml");
        write_atomically(&resolved, world.resolved.as_bytes())?;
        // Frames of a drape are iterations, not times: bodies stand as they do when it begins.
        let standing = |body: &BodyTrack| BodyTrack {
            positions: body.positions_at(world.state.time).into_owned(),
            morph: None,
            ..body.clone()
        };
        let bodies: Vec<BodyTrack> = world.body_tracks.iter().map(standing).collect();
        let (cloths, bodies) = (&world.cloth_tracks, &bodies);
        let fps = world.schedule.fps;
        Ok(Sinks {
            world,
            folder,
            frames: 0,
            recording: RecordingWriter::create(&cache, &world.title, fps, cloths, bodies)?,
            metrics: Table::create(metrics, DRAPE_COLUMNS)?,
            state: world.state.clone(),
            noted: None,
            shown: None,
            visible,
        })
    }

    fn note(&mut self, number: u64, iteration: &Iteration, save: bool) -> Result<(), RunError> {
        if self.noted.is_some_and(|last| number <= last) {
            return Ok(()); // where a resumed drape begins
        }
        self.noted = Some(number);
        self.metrics
            .line(&row(self.time(number), number, iteration))?;
        let moved = self.shown.as_ref().is_none_or(|(_, last)| {
            let ways = last.iter().zip(iteration.positions);
            ways.map(|(a, b)| a.distance(*b)).fold(0.0, f64::max) >= self.visible
        });
        if moved || save {
            self.push(number, iteration.positions)?;
        }
        if save {
            self.checkpoint(number, iteration.positions)?;
        }
        Ok(())
    }

    fn time(&self, number: u64) -> f64 {
        number as f64 / self.world.schedule.fps
    }

    fn push(&mut self, number: u64, positions: &[DVec3]) -> Result<(), RunError> {
        let poses = self.world.body_poses(&self.state);
        self.recording
            .push(self.time(number), &poses, positions, &[])?;
        self.frames += 1;
        self.shown = Some((number, positions.to_vec()));
        Ok(())
    }

    fn finish(&mut self, number: u64, positions: &[DVec3]) -> Result<(), RunError> {
        if self.shown.as_ref().is_none_or(|(last, _)| *last != number) {
            self.push(number, positions)?;
        }
        self.checkpoint(number, positions)
    }

    fn checkpoint(&mut self, number: u64, positions: &[DVec3]) -> Result<(), RunError> {
        self.recording.sync()?;
        self.metrics.sync()?;
        self.state.steps = number;
        self.state.positions.copy_from_slice(positions);
        self.state.velocities.fill(DVec3::ZERO);
        let checkpoint = Checkpoint {
            fingerprint: self.world.fingerprint() ^ DRAPE_MARK,
            frames: self.frames,
            metrics: self.metrics.mark(),
            timings: TableMark::default(),
            forces: TableMark::default(),
            state: self.state.clone(),
        };
        let path = self.folder.file("checkpoint.toile");
        Ok(write_atomically(&path, &checkpoint.encode())?)
    }
}

fn row(time: f64, number: u64, iteration: &Iteration) -> String {
    let energies = &iteration.energies;
    let known = |value: f64| {
        if value.is_finite() {
            value.to_string()
        } else {
            String::new()
        }
    };
    [
        known(time),
        number.to_string(),
        known(iteration.gradient),
        known(iteration.stretch_worst),
        known(iteration.stretch_mean),
        known(iteration.gap_smallest.unwrap_or(f64::NAN)),
        known(energies.elastic),
        known(energies.gravity),
        known(energies.contact),
        known(energies.total()),
        known(iteration.step),
        known(iteration.shift),
        iteration.linear_iterations.to_string(),
    ]
    .join(",")
}

/// Diagonal of the box around all nodes (m).
fn extent(positions: &[DVec3]) -> f64 {
    let low = positions.iter().copied().reduce(DVec3::min);
    let high = positions.iter().copied().reduce(DVec3::max);
    low.zip(high).map_or(0.0, |(low, high)| low.distance(high))
}
