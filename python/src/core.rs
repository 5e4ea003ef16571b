//! What a simulation of Python holds: one of the engine, and the scene that it is of.

use crate::errors::{self, kinds};
use crate::guard::{Deadline, guarded};
use pyo3::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::time::Duration;
use toile::certificate::{StepError, StepReport};
use toile::command::Command;
use toile::glam::DVec3;
use toile::simulation::Simulation as Engine;
use toile_scene::recording::RecordedFrame;
use toile_scene::scene::World;

/// Files that were handed over in memory.
pub type Files = Arc<Vec<(String, Vec<u8>)>>;

/// A simulation and its scene.
#[derive(Debug)]
pub struct Core {
    /// The scene.
    pub world: Arc<World>,
    /// The files that it names, if they are not on the disk.
    pub files: Option<Files>,
    /// The engine. It is never replaced by another, because arrays point at its memory.
    pub engine: Engine,
    /// What the steps of the last call said together.
    pub report: Option<Told>,
    /// Frames that are kept to be shown, if somebody asked for it.
    pub keeper: Option<Keeper>,
    /// How often it went back to a start: grasps of before are not those of after.
    pub epoch: u64,
    /// Whether the engine panicked in it.
    is_broken: bool,
}

/// Frames of a simulation, taken while it goes.
#[derive(Debug)]
pub struct Keeper {
    /// Frames for each second of simulated time.
    pub fps: f64,
    /// The frames.
    pub frames: Vec<RecordedFrame>,
}

impl Keeper {
    /// Frames per second where nobody said how many.
    pub const USUAL: f64 = 30.0;

    /// When the next one is due (s).
    fn next(&self) -> f64 {
        self.frames
            .last()
            .map_or(f64::NEG_INFINITY, |last| last.time + 1.0 / self.fps)
    }
}

/// What some steps said together: the worst of each.
#[derive(Clone, Copy, Debug)]
pub struct Told {
    /// Status and certificate.
    pub report: StepReport,
    /// Steps of the schedule.
    pub steps: u64,
    /// Steps made in them.
    pub substeps: u32,
    /// Steps taken back.
    pub rejected: u32,
    /// Steps accepted with an error above the tolerance.
    pub above_tolerance: u32,
}

/// A core that several objects of Python look at: a simulation, its grasps and bodies, the arrays of its memory.
#[derive(Debug)]
pub struct Shared {
    core: Mutex<Core>,
    /// Counts changes of positions, for those who keep copies.
    version: AtomicU64,
}

/// Steps that are still to be made.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// Whole ones.
    pub whole: u64,
    /// A shorter one after them (s).
    pub rest: Option<f64>,
    /// How many have been made.
    pub done: u64,
}

impl Way {
    /// So many steps.
    pub fn steps(whole: u64) -> Self {
        Way {
            whole,
            rest: None,
            done: 0,
        }
    }

    /// So many seconds.
    pub fn seconds(core: &Core, seconds: f64) -> PyResult<Self> {
        let (whole, rest) = core.engine.steps_in(seconds).map_err(|_| {
            errors::argument(format!(
                "the time to go on is {seconds} s; it must be zero or a positive number"
            ))
        })?;
        Ok(Way {
            whole,
            rest,
            done: 0,
        })
    }

    /// Whether there is nothing left.
    pub fn is_done(&self) -> bool {
        self.whole == 0 && self.rest.is_none()
    }
}

/// Longer than reading a number takes, and how often that is waited for before another thread must be stepping.
const READING: Duration = Duration::from_micros(50);
const READER_TRIES: u32 = 20;

impl Shared {
    /// A simulation of a scene at its start.
    pub fn new(world: Arc<World>, files: Option<Files>) -> Arc<Self> {
        let engine = world.simulation();
        Self::around(world, files, engine)
    }

    fn around(world: Arc<World>, files: Option<Files>, engine: Engine) -> Arc<Self> {
        Arc::new(Shared {
            core: Mutex::new(Core {
                world,
                files,
                engine,
                report: None,
                keeper: None,
                epoch: 0,
                is_broken: false,
            }),
            version: AtomicU64::new(1),
        })
    }

    /// A copy that goes its own way.
    pub fn copy(&self) -> PyResult<Arc<Self>> {
        let core = self.lock()?;
        let (world, files) = (core.world.clone(), core.files.clone());
        Ok(Self::around(world, files, core.engine.clone()))
    }

    /// Takes hold of it. Nobody waits: who holds it steps it in another thread, and that can take long.
    pub fn lock(&self) -> PyResult<MutexGuard<'_, Core>> {
        self.lock_within(0)
    }

    /// The same, tried again so many times.
    fn lock_within(&self, mut tries: u32) -> PyResult<MutexGuard<'_, Core>> {
        let core = loop {
            match self.core.try_lock() {
                Ok(core) => break core,
                // The panic has been told; what is left is marked below.
                Err(TryLockError::Poisoned(poisoned)) => break poisoned.into_inner(),
                Err(TryLockError::WouldBlock) if tries > 0 => {
                    tries -= 1;
                    std::thread::sleep(READING);
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(kinds::BusyError::new_err(
                        "another thread is stepping this simulation; wait for it, or give each thread its own (sim.clone())",
                    ));
                }
            }
        };
        match core.is_broken {
            false => Ok(core),
            true => Err(kinds::EngineFault::new_err(
                "the engine failed in this simulation before; make it anew, and restore the last snapshot",
            )),
        }
    }

    /// Counts changes of the positions.
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// Notes that positions may have changed.
    pub fn touch(&self) {
        self.version.fetch_add(1, Ordering::AcqRel);
    }

    /// Does something with the core without the interpreter's lock, with panics caught.
    pub fn work<T: Send>(&self, work: impl FnOnce(&mut Core) -> PyResult<T> + Send) -> PyResult<T> {
        self.work_in(self.lock()?, work)
    }

    fn work_in<T: Send>(
        &self,
        mut core: MutexGuard<'_, Core>,
        work: impl FnOnce(&mut Core) -> PyResult<T> + Send,
    ) -> PyResult<T> {
        let core = &mut *core;
        let done = guarded(|| work(core));
        done.unwrap_or_else(|fault| {
            core.is_broken = true;
            Err(fault.into())
        })
    }

    /// Says a command; answers the id of a grasp that was made.
    pub fn command(&self, py: Python<'_>, command: Command) -> PyResult<Option<u32>> {
        py.detach(|| {
            self.work(|core| {
                let obeyed = core.engine.command(&command);
                obeyed.map_err(|error| errors::command(&error))
            })
        })
    }

    /// Goes on until the way is done or the time has come to look up; answers whether it is done.
    pub fn go(&self, way: &mut Way, deadline: Deadline) -> PyResult<bool> {
        let made = way.done;
        // Who reads something holds the core for a moment, and must not make a step fail; a way that was begun is gone to its end.
        let tries = if made > 0 { u32::MAX } else { READER_TRIES };
        let done = self.work_in(self.lock_within(tries)?, |core| {
            let gone = core.go(way, deadline);
            gone.map_err(|error| errors::step(&error, way.done))?;
            Ok(way.is_done())
        });
        if way.done > made {
            self.touch();
        }
        done
    }
}

impl Core {
    /// The same for those who have it already.
    pub fn go(&mut self, way: &mut Way, deadline: Deadline) -> Result<(), StepError> {
        if way.done == 0 {
            self.report = None;
        }
        while !way.is_done() {
            match (way.whole, way.rest) {
                (0, Some(rest)) => {
                    self.engine.step_by(rest)?;
                    way.rest = None;
                }
                _ => {
                    self.engine.step()?;
                    way.whole -= 1;
                }
            }
            way.done += 1;
            self.tell();
            self.take();
            if deadline.has_passed() {
                break;
            }
        }
        Ok(())
    }

    /// Keeps frames from now on.
    pub fn keep(&mut self, fps: f64) {
        let frames = vec![self.world.frame(self.engine.state())];
        self.keeper = Some(Keeper { fps, frames });
    }

    /// Takes a frame if one is due.
    fn take(&mut self) {
        let state = self.engine.state();
        if let Some(keeper) = &mut self.keeper
            && state.time >= keeper.next() - 1e-9
        {
            keeper.frames.push(self.world.frame(state));
        }
    }

    /// Forgets the frames of a time that has not come yet, after going back.
    pub fn rewind(&mut self) {
        let state = self.engine.state();
        if let Some(keeper) = &mut self.keeper {
            keeper.frames.retain(|frame| frame.time < state.time);
            keeper.frames.push(self.world.frame(state));
        }
    }

    /// Adds what the last step said to what those before it said.
    fn tell(&mut self) {
        let Some(last) = self.engine.last() else {
            return;
        };
        let told = Told {
            report: last.report,
            steps: 1,
            substeps: last.substeps,
            rejected: last.rejected,
            above_tolerance: last.above_tolerance,
        };
        self.report = Some(match self.report {
            None => told,
            Some(before) => Told {
                report: before.report.and(&told.report),
                steps: before.steps + 1,
                substeps: before.substeps + told.substeps,
                rejected: before.rejected + told.rejected,
                above_tolerance: before.above_tolerance + told.above_tolerance,
            },
        });
    }

    /// Positions of the nodes of a cloth, with the number of its first.
    pub fn nodes_of(&self, cloth: Option<usize>) -> (usize, &[DVec3]) {
        let all = self.engine.positions();
        match cloth {
            None => (0, all),
            Some(k) => {
                let nodes = self.engine.model().cloths[k].nodes.clone();
                (nodes.start, &all[nodes])
            }
        }
    }

    /// The number of a cloth; an error that names those there are.
    pub fn cloth(&self, name: &str) -> PyResult<usize> {
        let names = || self.engine.model().cloths.iter().map(|c| c.name.as_str());
        let found = names().position(|n| n == name);
        found.ok_or_else(|| unknown("cloth", name, names()))
    }

    /// The number of a body of the scene.
    pub fn body(&self, name: &str) -> PyResult<usize> {
        let names = || self.world.body_frames.iter().map(|b| b.name.as_str());
        let found = names().position(|n| n == name);
        found.ok_or_else(|| unknown("body", name, names()))
    }
}

/// A name that nothing has.
fn unknown<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str>) -> PyErr {
    let known: Vec<&str> = known.collect();
    let hint = match toile_scene::scene::nearest_name(name, &known) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => "the scene has none".to_owned(),
        None => format!("known here: {}", known.join(", ")),
    };
    let message = format!("there is no {what} `{name}`; {hint}");
    pyo3::exceptions::PyKeyError::new_err(message)
}

/// A simulation on its way from one object of Python to another.
#[pyclass(frozen, module = "toile._toile", name = "_Handle")]
pub struct Handle(pub Arc<Shared>);
