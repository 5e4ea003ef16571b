//! `toile fit`: the parameters of a scene under which it moves like a recording.
//!
//! As Coltraro and others (2022, section 9.2): simulate with the recorded motion of the held nodes, sum up the squared distance from
//! the recording over the first part of it (the *training window*), and make that small without derivatives. What the parameters found
//! are worth, the rest of the recording tells (the *test window*), which no search ever sees.
//!
//! ```text
//! recording ─Target→ places of the mesh's nodes, tracks of the held ones
//! scene + values ─Trials→ simulation ─Course→ error at every recorded time ─loss→ optimiser
//! ```
//!
//! Simulations are independent of each other: a [`Crew`] runs them, one to a thread or one to a worker elsewhere. All of them are in
//! a log, from which a fit that was stopped is resumed: the optimisers are deterministic, so it only has to start again.

mod cloud_table;
mod confidence;
mod crew;
mod hanger;
mod log;
mod parameter;
mod place;
mod search;
mod sensitivity;
mod show;
mod target;
mod track;
mod trial;

pub use confidence::{Confidence, Interval};
pub use crew::{Crew, Outcome, Task, Threads};
pub use parameter::Parameter;
pub use search::{Method, Search};
pub use sensitivity::{Sensitivity, SensitivityGrid};
pub use show::{overlay_reel, summary, write_results};
pub use target::{RecordedSurface, Sight, Target, TargetSettings};
pub use trial::{Course, Moment, Trials};

use crate::claim::{ClaimError, Earlier, claim};
use crate::observation::{Observation, RecordingError};
use crate::optimise::OptimiseError;
use log::Log;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use thiserror::Error;
use toile::certificate::StepError;
use toile_render::RenderError;
use toile_scene::files::Files;
use toile_scene::present::PresentError;
use toile_scene::recording;
use toile_scene::run::FolderError;
use toile_scene::scene::{SceneError, SceneSource, World, resolve_from};

/// How simulations begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Where the recording begins, node by node, at rest.
    Recording,
    /// The scene's shape, laid as a whole onto the first recorded frame, and come to rest while held nodes wait there: node by node, a noisy
    /// frame would stretch and crease the cloth.
    Settled,
    /// As the scene says.
    Scene,
}

/// What to fit.
#[derive(Debug)]
pub struct Fit<'a> {
    /// The scene.
    pub source: &'a SceneSource,
    /// Whoever has the files that it names.
    pub files: Arc<dyn Files>,
    /// The cloth that was recorded; the only one if `None`.
    pub cloth: Option<&'a str>,
    /// The recording.
    pub observation: Observation,
    /// How the recording is taken.
    pub target: TargetSettings,
    /// What is looked for.
    pub parameters: Vec<Parameter>,
    /// From when to when the search looks (s, from the start of the recording); the first half if `None`.
    pub train: Option<[f64; 2]>,
    /// From when to when the result is tested (s); from the end of the training on if `None`.
    pub test: Option<[f64; 2]>,
    /// How to look.
    pub search: Search,
    /// Folder for the log and the results; without one nothing is written, and nothing can be resumed.
    pub folder: Option<&'a Path>,
    /// Replace results that are there already.
    pub force: bool,
    /// Go on with what is there.
    pub resume: bool,
    /// Set from outside to stop after the present simulations.
    pub stop: &'a AtomicBool,
}

/// Errors in a window of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WindowErrors {
    /// The window (s).
    pub window: [f64; 2],
    /// Mean of the absolute error (m).
    pub mean: f64,
    /// Largest dispersion (m).
    pub dispersion: f64,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Fitted {
    /// The values, in the order of the parameters.
    pub values: Vec<f64>,
    /// How well the recording tells them; not known for point clouds.
    pub confidence: Option<Confidence>,
    /// Errors with them in the training window.
    pub train: WindowErrors,
    /// Errors with them in the test window.
    pub test: WindowErrors,
    /// Errors in the training window with the values that the search started from.
    pub before: f64,
    /// Simulations, and how many of them failed.
    pub evaluations: usize,
    /// Simulations that failed.
    pub failed: usize,
    /// Simulations taken from the log of an earlier fit.
    pub recalled: usize,
    /// Wall time of the search (s).
    pub seconds: f64,
    /// Why the search ended, in plain words.
    pub ended: String,
    /// Best mean square error so far (m²) after so many simulations.
    pub history: Vec<[f64; 2]>,
    /// The simulation with the values found, over the whole recording.
    pub course: Course,
}

/// How a fit ended.
#[derive(Clone, Debug)]
pub enum FitOutcome {
    /// With a result.
    Finished(Box<Fitted>),
    /// It was stopped and can be resumed.
    Interrupted {
        /// Simulations so far.
        evaluations: usize,
    },
}

/// Somebody who watches a fit.
pub trait FitObserver: Send {
    /// Simulations were made.
    fn progress(&mut self, _evaluations: usize, _budget: usize, _best: f64) {}
}

impl FitObserver for () {}

/// A fit that cannot be made.
#[derive(Debug, Error)]
pub enum FitError {
    /// The scene is wrong.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The recording is wrong.
    #[error("the recording: {0}")]
    Recording(#[from] RecordingError),
    /// A parameter is wrong.
    #[error("parameter `{text}`: {message}")]
    Parameter {
        /// What was written.
        text: String,
        /// What is wrong with it.
        message: String,
    },
    /// There is nothing to look for.
    #[error("no parameter is named; give for example --params cloth.sheet.damping=0:5")]
    NoParameters,
    /// A parameter is named twice.
    #[error("parameter `{0}` is named twice")]
    Twice(String),
    /// It is not clear which cloth was recorded.
    #[error("the scene has no cloth `{name}`; its cloths: {}", known.join(", "))]
    NoSuchCloth {
        /// The name asked for.
        name: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// Several cloths and nobody says which.
    #[error("the scene has several cloths; say which one was recorded: --cloth {}", .0.join(" or "))]
    WhichCloth(Vec<String>),
    /// A grid was recorded, and the cloth is not flat.
    #[error(
        "the recording is a grid, but the cloth's rest shape is not flat; record the mesh's own nodes"
    )]
    NotFlat,
    /// Nothing is held.
    #[error(
        "nothing holds the cloth: pin nodes in the scene, or give the recording its held nodes (`held` in the .npz file)"
    )]
    NothingDriven,
    /// A track of held nodes cannot be followed.
    #[error("the tracks of held nodes: {0}")]
    Track(String),
    /// A parameter changes the mesh.
    #[error(
        "a parameter changes the cloth's mesh, which the recording is bound to; look for something else"
    )]
    MeshChanged,
    /// A window lies outside of the recording.
    #[error(
        "the {name} window {from}:{to} s holds no recorded frame; the recording lasts from 0 to {duration:.3} s"
    )]
    Window {
        /// Training or test.
        name: &'static str,
        /// Its start (s).
        from: f64,
        /// Its end (s).
        to: f64,
        /// How long the recording is (s).
        duration: f64,
    },
    /// No simulation succeeded.
    #[error("all {count} simulations failed; the first because: {first}")]
    AllFailed {
        /// How many.
        count: usize,
        /// Why the first did.
        first: String,
    },
    /// A simulation failed.
    #[error(transparent)]
    Step(#[from] StepError),
    /// The whole recording cannot be simulated with what was found in its first part.
    #[error("the simulation of the whole recording with the values that were found: {0}")]
    Whole(String),
    /// The search cannot begin.
    #[error(transparent)]
    Search(#[from] OptimiseError),
    /// The log is of another fit.
    #[error("{path} is the log of a fit with other parameters; choose another folder or --force")]
    OtherLog {
        /// The log.
        path: PathBuf,
    },
    /// The folder cannot be used.
    #[error(transparent)]
    Claim(#[from] ClaimError),
    /// A picture could not be encoded.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// The animation could not be made.
    #[error(transparent)]
    Present(#[from] PresentError),
    /// Recordings could not be shown together.
    #[error(transparent)]
    Overlay(#[from] recording::CompareError),
    /// A file could not be written.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A file could not be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Simulations of a search that failed.
#[derive(Debug, Default)]
struct Failures {
    count: usize,
    /// Why the first did.
    first: Option<String>,
}

/// A fit whose parts have been checked, ready to search.
#[derive(Debug)]
pub struct Prepared<'a> {
    fit: Fit<'a>,
    /// The recording beside the cloth.
    pub target: Target,
    /// The scene with the values to start from.
    pub world: World,
    train: [f64; 2],
    test: [f64; 2],
}

/// Checks scene, recording, parameters and windows.
pub fn prepare<'a>(mut fit: Fit<'a>) -> Result<Prepared<'a>, FitError> {
    if fit.parameters.is_empty() {
        return Err(FitError::NoParameters);
    }
    for (k, parameter) in fit.parameters.iter().enumerate() {
        if fit.parameters[..k]
            .iter()
            .any(|p| p.field == parameter.field)
        {
            return Err(FitError::Twice(parameter.field.clone()));
        }
    }
    let world = resolve_from(fit.files.clone(), fit.source, fit.source.parse()?)?;
    let cloth = find_cloth(&world, fit.cloth)?;
    let empty = Observation::Clouds(crate::observation::CloudRecording {
        times: Vec::new(),
        clouds: Vec::new(),
        notes: Vec::new(),
    });
    let observation = std::mem::replace(&mut fit.observation, empty);
    let target = Target::new(observation, &world, cloth, &fit.target)?;
    let duration = target.duration();
    let train = fit.train.unwrap_or([0.0, 0.5 * duration]);
    let test = fit.test.unwrap_or([train[1], duration]);
    for (name, window) in [("training", train), ("test", test)] {
        let [from, to] = window;
        let inside = |t: &&f64| (from..=to).contains(*t);
        // The first frame is where simulations begin; it says nothing.
        if target.times.iter().skip(1).filter(inside).count() == 0 {
            return Err(FitError::Window {
                name,
                from,
                to,
                duration,
            });
        }
    }
    Ok(Prepared {
        fit,
        target,
        world,
        train,
        test,
    })
}

fn find_cloth(world: &World, name: Option<&str>) -> Result<usize, FitError> {
    let cloths = &world.model.cloths;
    let known = || cloths.iter().map(|c| c.name.clone()).collect::<Vec<_>>();
    match name {
        None if cloths.len() == 1 => Ok(0),
        None => Err(FitError::WhichCloth(known())),
        Some(name) => {
            let found = cloths.iter().position(|c| c.name == name);
            found.ok_or_else(|| FitError::NoSuchCloth {
                name: name.to_owned(),
                known: known(),
            })
        }
    }
}

impl Prepared<'_> {
    /// What is looked for.
    pub fn parameters(&self) -> &[Parameter] {
        &self.fit.parameters
    }

    /// Simulations with any values.
    pub fn trials(&self) -> Trials<'_> {
        Trials {
            source: self.fit.source,
            files: &self.fit.files,
            parameters: &self.fit.parameters,
            target: &self.target,
        }
    }

    /// Searches, with simulations by a crew.
    pub fn search(
        &self,
        crew: &mut dyn Crew,
        observer: &mut dyn FitObserver,
    ) -> Result<FitOutcome, FitError> {
        let begin = Instant::now();
        let mut log = match self.fit.folder {
            Some(folder) => {
                let earlier = Earlier::of(self.fit.resume, self.fit.force);
                claim(folder, "fit", &self.mark(), earlier)?;
                Log::open(folder, &self.fit.parameters, self.fit.resume)?
            }
            None => Log::in_memory(),
        };
        let mut failures = Failures::default();
        let mut trouble = None;
        let found = {
            let mut losses = |points: &[Vec<f64>], best: f64| {
                let losses = self.losses(crew, points, &mut log, &mut failures);
                let losses = losses.unwrap_or_else(|error| {
                    trouble = Some(error);
                    self.fit.stop.store(true, Ordering::Relaxed);
                    vec![f64::INFINITY; points.len()]
                });
                let best = losses.iter().copied().fold(best, f64::min);
                observer.progress(log.count, self.fit.search.budget, best.sqrt());
                losses
            };
            search::search(
                &self.fit.search,
                &self.fit.parameters,
                self.fit.stop,
                &mut losses,
            )?
        };
        if let Some(error) = trouble {
            return Err(error);
        }
        log.finish()?;
        let is_stopped = || self.fit.stop.load(Ordering::Relaxed);
        let interrupted = FitOutcome::Interrupted {
            evaluations: log.count,
        };
        if is_stopped() {
            return Ok(interrupted);
        }
        if !found.loss.is_finite() {
            return Err(FitError::AllFailed {
                count: log.count,
                first: failures.first.unwrap_or_default(),
            });
        }
        let seconds = begin.elapsed().as_secs_f64();
        let Some((course, before)) = self.courses(crew, &found.values)? else {
            return Ok(interrupted);
        };
        let confidence = self.confidence(crew, &found.values);
        if is_stopped() {
            return Ok(interrupted);
        }
        let errors = |window: [f64; 2]| WindowErrors {
            window,
            mean: course.mean_error(window),
            dispersion: course.dispersion(window),
        };
        Ok(FitOutcome::Finished(Box::new(Fitted {
            train: errors(self.train),
            test: errors(self.test),
            confidence,
            values: found.values,
            before,
            evaluations: log.count,
            failed: failures.count,
            recalled: log.recalled(),
            seconds,
            ended: found.ended,
            history: found.history,
            course,
        })))
    }

    /// The simulation of the whole recording with the values found, and the error in the training window with those of the start. `None`
    /// if it was stopped.
    fn courses(
        &self,
        crew: &mut dyn Crew,
        found: &[f64],
    ) -> Result<Option<(Course, f64)>, FitError> {
        let start = self.fit.parameters.iter().map(|p| p.start);
        let tasks = [
            Task {
                values: found.to_vec(),
                until: self.target.duration(),
                keep: true,
            },
            Task {
                values: start.collect(),
                until: self.train[1],
                keep: false,
            },
        ];
        let mut outcomes = crew.run(&self.trials(), &tasks, &mut |_, _| {});
        let (Some(Some(before)), Some(Some(course))) = (outcomes.pop(), outcomes.pop()) else {
            return Ok(None);
        };
        let before = before.map_or(f64::NAN, |course| course.mean_error(self.train));
        Ok(Some((course.map_err(FitError::Whole)?, before)))
    }

    /// Losses of points, from the log or by simulation; infinite where a simulation failed or was not begun.
    fn losses(
        &self,
        crew: &mut dyn Crew,
        points: &[Vec<f64>],
        log: &mut Log,
        failures: &mut Failures,
    ) -> Result<Vec<f64>, FitError> {
        let mut tasks: Vec<Task> = Vec::new();
        for point in points {
            let is_new = log.recall(point).is_none();
            if is_new && !tasks.iter().any(|task| task.values == *point) {
                tasks.push(Task {
                    values: point.clone(),
                    until: self.train[1],
                    keep: false,
                });
            }
        }
        let mut written = Ok(());
        let mut done = |number: usize, outcome: &Outcome| {
            let loss = match outcome {
                Ok(course) => course.loss(self.train),
                Err(message) => {
                    failures.count += 1;
                    failures.first.get_or_insert_with(|| message.clone());
                    f64::INFINITY
                }
            };
            let loss = if loss.is_nan() { f64::INFINITY } else { loss };
            if written.is_ok() {
                written = log.note(&tasks[number].values, loss);
            }
        };
        crew.run(&self.trials(), &tasks, &mut done);
        written?;
        log.order(points);
        let losses = points.iter().map(|p| log.recall(p));
        Ok(losses.map(|l| l.unwrap_or(f64::INFINITY)).collect())
    }

    /// Tells fits apart that would give other losses.
    fn mark(&self) -> String {
        let fields: Vec<&str> = self
            .fit
            .parameters
            .iter()
            .map(|p| p.field.as_str())
            .collect();
        let target = &self.target;
        let sight = match &target.sight {
            Sight::Nodes { places, .. } => format!("{:?} {:?}", places.first(), places.last()),
            Sight::Clouds(clouds) => format!("{:?} {:?}", clouds.first(), clouds.last()),
        };
        format!(
            "scene {:016x}\nrecording {:08x}\nparameters {}\ntrain {:?}\nstart {:?}\n",
            self.world.fingerprint(),
            crc32fast::hash(format!("{:?} {sight} {:?}", target.times, target.driven).as_bytes()),
            fields.join(","),
            self.train,
            target.start,
        )
    }
}
