//! Fits to recordings: what the program's `fit` is made of, for whoever spreads the simulations over threads or machines.

use crate::core::Files;
use crate::errors::{self, argument, kinds};
use crate::guard::guarded;
use crate::packed::Packed;
use crate::recorded::{self, Given, Parts};
use crate::scene::{self, Recipe};
use crate::sweep::{Stop, alone, claim_error};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use toile_lab::fit::{
    Course, Crew, Fit as LabFit, FitError, FitObserver, FitOutcome, Method, Moment, Outcome,
    Parameter, Search, SensitivityGrid, Start, Target, TargetSettings, Task, Trials, prepare,
    summary, write_results,
};
use toile_lab::measure::agreement::Agreement;
use toile_lab::observation::Observation;
use toile_lab::optimise::{Bounds, Scale};
use toile_scene::scene::SceneSource;

/// A parameter: its field, its bounds if they are given, whether they are spread by factors, and where to start.
type Named = (String, Option<(f64, f64)>, bool, Option<f64>);
/// The same with everything filled in.
type Settled = (String, f64, f64, bool, f64);
/// How a recording is taken: how simulations begin, reach of the smoothing (s), whether pins move as the scene says.
type Taken = (Option<String>, Option<f64>, bool);
/// Method, simulations at the most, restarts, tolerance, seed and population.
type How = (String, usize, usize, f64, u64, Option<usize>);
/// A window of time (s).
type Window = Option<(f64, f64)>;
/// What a worker sends home: why it failed, or the moments with their errors, and the positions if they were asked for.
type Sent<'py> = (Option<String>, Vec<[f64; 4]>, Vec<Bound<'py, PyBytes>>);
/// What was found: the values, the content of `fit.json`, the best losses so far, and the errors at the recorded times.
type Found = (Vec<f64>, String, Vec<[f64; 2]>, Vec<[f64; 4]>);

/// A scene beside a recording, with what is looked for. It can be pickled.
#[pyclass(frozen, module = "toile._toile", name = "_Fit")]
pub struct Fit(Arc<Inner>);

struct Inner {
    source: SceneSource,
    files: Option<Files>,
    cloth: Option<String>,
    observation: Observation,
    taken: Taken,
    parameters: Vec<Parameter>,
    target: Target,
}

#[pymethods]
impl Fit {
    #[new]
    fn new(
        py: Python<'_>,
        packed: &Packed,
        parameters: Vec<Named>,
        recording: Given<'_>,
        cloth: Option<String>,
        taken: Taken,
    ) -> PyResult<Self> {
        let (source, files) = (packed.source.clone(), packed.files.clone());
        let observation = recorded::read(py, recording, &source, files.as_ref(), cloth.as_deref())?;
        py.detach(|| {
            let parameters = parameters.iter().map(|named| {
                let provider = scene::provider(files.as_ref());
                let parsed = guarded(|| Parameter::parse_from(provider, &text(named), &source))?;
                let mut parameter = parsed.map_err(|error| fit_error(&error))?;
                parameter.start = named.3.unwrap_or(parameter.start);
                PyResult::Ok(parameter)
            });
            let parameters = parameters.collect::<PyResult<Vec<_>>>()?;
            Inner::new(source, files, cloth, observation, taken, parameters)
        })
        .map(|inner| Fit(Arc::new(inner)))
    }

    #[allow(clippy::type_complexity)]
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(
        Bound<'py, PyAny>,
        (Recipe, Option<String>, Parts<'py>, Taken, Vec<Settled>),
    )> {
        let inner = &*self.0;
        let rebuild = py.import("toile._toile")?.getattr("_rebuild_fit")?;
        let recipe = scene::recipe(&inner.source, inner.files.as_ref())?;
        let parameters = inner.parameters.iter().map(|p| {
            let is_log = p.bounds.scale == Scale::Log;
            (
                p.field.clone(),
                p.bounds.low,
                p.bounds.high,
                is_log,
                p.start,
            )
        });
        let parts = (
            recipe,
            inner.cloth.clone(),
            recorded::parts(py, &inner.observation),
            inner.taken.clone(),
            parameters.collect(),
        );
        Ok((rebuild, parts))
    }

    /// What was guessed and changed in the recording, in plain words.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.0.target.notes.clone()
    }

    /// One simulation with some values, until a time (s), on one thread; with its positions if they are to be kept.
    #[pyo3(signature = (values, until, keep, stop=None))]
    fn trial<'py>(
        &self,
        py: Python<'py>,
        values: Vec<f64>,
        until: f64,
        keep: bool,
        stop: Option<&Stop>,
    ) -> PyResult<Sent<'py>> {
        let inner = self.0.clone();
        let flag = stop.map_or_else(Arc::default, Stop::flag);
        let task = Task {
            values,
            until,
            keep,
        };
        let outcome = alone(py, &flag, move || {
            let files = scene::provider(inner.files.as_ref());
            let trials = Trials {
                source: &inner.source,
                files: &files,
                parameters: &inner.parameters,
                target: &inner.target,
            };
            // A simulation in which the engine panics must not take the others with it.
            Ok(guarded(|| trials.outcome(&task)).unwrap_or_else(|fault| Err(fault.to_string())))
        })?;
        Ok(match outcome {
            Err(message) => (Some(message), Vec::new(), Vec::new()),
            Ok(course) => {
                let frames = course.frames.iter();
                let frames = frames.map(|frame| recorded::bytes_of(py, frame));
                (
                    None,
                    course.moments.iter().map(row).collect(),
                    frames.collect(),
                )
            }
        })
    }

    /// Searches. `ask` gets tasks (values, until, keep) and gives the number and the outcome (as of `trial`) of each as it comes; `told` hears how
    /// many simulations there were, how many there may be, and the best error.
    #[pyo3(signature = (ask, told, train, test, how, map, out, resume, force))]
    #[allow(clippy::too_many_arguments)]
    fn search(
        &self,
        py: Python<'_>,
        ask: &Bound<'_, PyAny>,
        told: Py<PyAny>,
        train: Window,
        test: Window,
        how: How,
        map: Option<(usize, usize)>,
        out: Option<PathBuf>,
        resume: bool,
        force: bool,
    ) -> PyResult<Found> {
        let inner = &*self.0;
        let stop = AtomicBool::new(false);
        let grid = map
            .map(|sides| grid(sides, &inner.parameters))
            .transpose()?;
        let fit = LabFit {
            train: train.map(<[f64; 2]>::from),
            test: test.map(<[f64; 2]>::from),
            search: search(how)?,
            folder: out.as_deref(),
            force,
            resume,
            ..inner.fit(inner.observation.clone(), &stop)?
        };
        let wrong = |error: FitError| fit_error(&error);
        let prepared = py.detach(|| guarded(|| prepare(fit)))?.map_err(wrong)?;
        let mut hands = Hands {
            ask: ask.clone(),
            raised: None,
            stop: &stop,
        };
        let outcome = prepared.search(&mut hands, &mut Told(told));
        let fitted = match (hands.raised.take(), outcome.map_err(wrong)?) {
            (Some(error), _) => return Err(error),
            (None, FitOutcome::Interrupted { .. }) => {
                return Err(argument("the fit was stopped; go on with resume=True"));
            }
            (None, FitOutcome::Finished(fitted)) => fitted,
        };
        let map = match &grid {
            None => None,
            Some(grid) => prepared
                .sensitivity(&mut hands, grid, &fitted.values, |_, _| {})
                .map_err(wrong)?,
        };
        if let Some(error) = hands.raised.take() {
            return Err(error);
        }
        py.detach(|| guarded(|| write_results(&prepared, &fitted, map.as_ref())))?
            .map_err(wrong)?;
        Ok((
            fitted.values.clone(),
            summary(&prepared, &fitted, map.as_ref()).to_string(),
            fitted.history.clone(),
            fitted.course.moments.iter().map(row).collect(),
        ))
    }
}

impl Inner {
    fn new(
        source: SceneSource,
        files: Option<Files>,
        cloth: Option<String>,
        observation: Observation,
        taken: Taken,
        parameters: Vec<Parameter>,
    ) -> PyResult<Self> {
        let target = {
            let stop = AtomicBool::new(false);
            let fit = laid_out(
                &source,
                files.as_ref(),
                cloth.as_deref(),
                &taken,
                &parameters,
                observation.clone(),
                &stop,
            )?;
            let prepared = guarded(|| prepare(fit))?;
            prepared.map_err(|error| fit_error(&error))?.target
        };
        Ok(Inner {
            source,
            files,
            cloth,
            observation,
            taken,
            parameters,
            target,
        })
    }

    fn fit<'a>(&'a self, observation: Observation, stop: &'a AtomicBool) -> PyResult<LabFit<'a>> {
        laid_out(
            &self.source,
            self.files.as_ref(),
            self.cloth.as_deref(),
            &self.taken,
            &self.parameters,
            observation,
            stop,
        )
    }
}

/// A fit over all of the recording, that writes nothing.
fn laid_out<'a>(
    source: &'a SceneSource,
    files: Option<&Files>,
    cloth: Option<&'a str>,
    (begin, smoothing, drive_from_scene): &Taken,
    parameters: &[Parameter],
    observation: Observation,
    stop: &'a AtomicBool,
) -> PyResult<LabFit<'a>> {
    let start = match begin.as_deref() {
        None => None,
        Some("recording") => Some(Start::Recording),
        Some("settled") => Some(Start::Settled),
        Some("scene") => Some(Start::Scene),
        Some(other) => {
            return Err(argument(format!(
                "begin is {other:?}; it is \"recording\", \"settled\" or \"scene\""
            )));
        }
    };
    if let Some(reach) = smoothing.filter(|t| !(t.is_finite() && *t >= 0.0)) {
        return Err(argument(format!(
            "smooth is {reach}; it must be a time (s), 0 for none"
        )));
    }
    Ok(LabFit {
        source,
        files: scene::provider(files),
        cloth,
        observation,
        target: TargetSettings {
            start,
            smoothing: *smoothing,
            drive_from_scene: *drive_from_scene,
        },
        parameters: parameters.to_vec(),
        train: Some([f64::NEG_INFINITY, f64::INFINITY]),
        test: Some([f64::NEG_INFINITY, f64::INFINITY]),
        search: Search::default(),
        folder: None,
        force: false,
        resume: false,
        stop,
    })
}

/// A fit from its parts, for unpickling.
#[pyfunction]
#[pyo3(name = "_rebuild_fit")]
pub fn rebuild_fit(
    py: Python<'_>,
    recipe: Recipe,
    cloth: Option<String>,
    recording: Parts<'_>,
    taken: Taken,
    parameters: Vec<Settled>,
) -> PyResult<Fit> {
    let ingredients = scene::from_recipe(recipe)?;
    let observation = recorded::whole(recording)?;
    let parameters = parameters
        .into_iter()
        .map(|(field, low, high, is_log, start)| {
            let scale = if is_log { Scale::Log } else { Scale::Linear };
            Parameter {
                field,
                bounds: Bounds { low, high, scale },
                start,
            }
        });
    let parameters = parameters.collect();
    let (source, files) = (ingredients.source, ingredients.files);
    py.detach(|| Inner::new(source, files, cloth, observation, taken, parameters))
        .map(|inner| Fit(Arc::new(inner)))
}

/// A parameter as the program's `--params` names it.
fn text((field, bounds, is_log, _): &Named) -> String {
    match bounds {
        None => field.clone(),
        Some((low, high)) if *is_log => format!("{field}={low:?}:{high:?}:log"),
        Some((low, high)) => format!("{field}={low:?}:{high:?}"),
    }
}

fn search((method, budget, restarts, tolerance, seed, population): How) -> PyResult<Search> {
    let method = match method.as_str() {
        "nelder-mead" => Method::NelderMead,
        "cma-es" => Method::CmaEs,
        "both" => Method::Both,
        other => {
            return Err(argument(format!(
                "there is no method {other:?}; it is \"nelder-mead\", \"cma-es\" or \"both\""
            )));
        }
    };
    Ok(Search {
        method,
        budget,
        restarts,
        tolerance,
        seed,
        population,
    })
}

fn grid((columns, rows): (usize, usize), parameters: &[Parameter]) -> PyResult<SensitivityGrid> {
    let sides = 2..=100;
    if !(sides.contains(&columns) && sides.contains(&rows)) {
        return Err(argument(
            "a map has from 2 to 100 columns and rows, such as map=(10, 10)",
        ));
    }
    if parameters.len() < 2 {
        return Err(argument("a map needs two parameters; there is one"));
    }
    Ok(SensitivityGrid {
        parameters: [0, 1],
        sides: [columns, rows],
    })
}

/// The program's words, with the names that things have in Python.
fn fit_error(error: &FitError) -> PyErr {
    match error {
        FitError::Scene(error) => errors::scene(error),
        FitError::Claim(error) => claim_error(error),
        FitError::NoParameters => {
            argument("no parameter is named; give for example {\"cloth.sheet.damping\": (0, 5)}")
        }
        FitError::WhichCloth(names) => argument(format!(
            "the scene has several cloths; say which one was recorded: cloth=… ({})",
            names.join(", ")
        )),
        FitError::NothingDriven => argument(
            "nothing holds the cloth: pin nodes in the scene, say which nodes of the recording are held (held=…), or let everything move as the scene says (drive_from_scene=True)",
        ),
        FitError::Step(_) | FitError::AllFailed { .. } | FitError::Whole(_) => {
            errors::steps(error.to_string(), Vec::new())
        }
        FitError::Io { .. } | FitError::Folder(_) => {
            kinds::RecordingError::new_err(error.to_string())
        }
        other => argument(other.to_string()),
    }
}

fn row(moment: &Moment) -> [f64; 4] {
    let Agreement {
        error,
        dispersion,
        worst,
    } = moment.agreement;
    [moment.time, error, dispersion, worst]
}

/// Whoever Python sends.
struct Hands<'py, 'a> {
    ask: Bound<'py, PyAny>,
    raised: Option<PyErr>,
    stop: &'a AtomicBool,
}

impl Crew for Hands<'_, '_> {
    fn run(
        &mut self,
        _: &Trials,
        tasks: &[Task],
        done: &mut (dyn FnMut(usize, &Outcome) + Send),
    ) -> Vec<Option<Outcome>> {
        let mut outcomes = vec![None; tasks.len()];
        if self.stop.load(Ordering::Relaxed) || tasks.is_empty() {
            return outcomes;
        }
        let worked = self.work(tasks, |number, outcome| {
            if let Some(place) = outcomes.get_mut(number) {
                done(number, &outcome);
                *place = Some(outcome);
            }
        });
        if let Err(error) = worked {
            self.raised.get_or_insert(error);
            self.stop.store(true, Ordering::Relaxed);
        }
        outcomes
    }
}

impl Hands<'_, '_> {
    fn work(&self, tasks: &[Task], mut done: impl FnMut(usize, Outcome)) -> PyResult<()> {
        let asked: Vec<_> = tasks
            .iter()
            .map(|task| (task.values.clone(), task.until, task.keep))
            .collect();
        for answer in self.ask.call1((asked,))?.try_iter()? {
            let (number, (failure, moments, frames)): (usize, Sent) = answer?.extract()?;
            let outcome = match failure {
                Some(message) => Err(message),
                None => Ok(Course {
                    moments: moments.into_iter().map(moment).collect(),
                    frames: frames
                        .iter()
                        .map(|frame| recorded::points_of(frame.as_bytes()))
                        .collect(),
                }),
            };
            done(number, outcome);
        }
        Ok(())
    }
}

fn moment([time, error, dispersion, worst]: [f64; 4]) -> Moment {
    Moment {
        time,
        agreement: Agreement {
            error,
            dispersion,
            worst,
        },
    }
}

struct Told(Py<PyAny>);

impl FitObserver for Told {
    fn progress(&mut self, evaluations: usize, budget: usize, best: f64) {
        Python::attach(|py| {
            if let Err(error) = self.0.call1(py, (evaluations, budget, best)) {
                // A display that fails is no reason to stop.
                error.write_unraisable(py, None);
            }
        });
    }
}
