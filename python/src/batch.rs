//! Many worlds at once, on all cores.

use crate::arguments;
use crate::core::{Core, Handle, Shared, Way};
use crate::errors::{self, argument, kinds};
use crate::guard::{Deadline, guarded, in_pieces};
use crate::memory::{Published, batch_views, numbers};
use crate::room::check_worlds;
use crate::scene::{Ingredients, read_overrides, world};
use crate::simulation::{reset, restore};
use numpy::{PyArray1, PyArray3};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use rayon::prelude::*;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use toile::command::Command;
use toile_scene::scene::SceneSource;

/// Many worlds of one scene that go on side by side, each to the bits that it would come to alone.
///
/// Parameters
/// ----------
/// scene : str, path or dict
///     As for ``Simulation``.
/// count : int, optional
///     How many worlds; as many as there are overrides if not given.
/// overrides : dict or sequence of dict, optional
///     Fields to change: one dictionary for all worlds, or one for each. Nodes, pins and bodies must be the same in all worlds.
/// files : dict, optional
///     As for ``Simulation``.
#[pyclass(frozen, subclass, weakref, module = "toile._toile")]
pub struct Batch {
    worlds: Vec<Arc<Shared>>,
    published: Arc<Mutex<Published>>,
    positions: Py<PyArray3<f64>>,
    velocities: Py<PyArray3<f64>>,
    /// Why worlds failed when they were last stepped.
    failures: Mutex<Vec<Option<String>>>,
}

/// Where a world of a batch stands in a call: what is left to do, and what went wrong.
struct Course {
    way: Way,
    failure: Option<PyErr>,
}

impl Batch {
    fn around(py: Python<'_>, worlds: Vec<Arc<Shared>>) -> PyResult<Self> {
        let count = worlds.len();
        let nodes = worlds[0].lock()?.engine.positions().len();
        let size = count
            .checked_mul(3 * nodes)
            .filter(|n| *n < isize::MAX as usize / 8);
        let size = size.ok_or_else(|| argument("so many worlds do not fit into memory"))?;
        let published = Arc::new(Mutex::new(Published {
            positions: vec![0.0; size],
            velocities: vec![0.0; size],
            versions: vec![0; count],
        }));
        let [positions, velocities] = batch_views(py, &published, [count, nodes, 3])?;
        let batch = Batch {
            worlds,
            published,
            positions: positions.unbind(),
            velocities: velocities.unbind(),
            failures: Mutex::new(vec![None; count]),
        };
        batch.refresh()?;
        Ok(batch)
    }

    /// Of worlds that were made one by one.
    fn of(py: Python<'_>, worlds: Vec<Arc<Shared>>) -> PyResult<Self> {
        let Some((first, others)) = worlds.split_first() else {
            return Err(argument("a batch has at least one world; 0 were given"));
        };
        let model = first.lock()?.engine.model().clone();
        for (k, other) in others.iter().enumerate() {
            if Arc::ptr_eq(first, other) || !other.lock()?.engine.model().is_like(&model) {
                return Err(argument(format!(
                    "world {} is world 0 itself, or has other nodes, pins, bodies or elements",
                    k + 1
                )));
            }
        }
        Self::around(py, worlds)
    }

    fn published(&self) -> PyResult<MutexGuard<'_, Published>> {
        match self.published.try_lock() {
            Ok(published) => Ok(published),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => Err(kinds::BusyError::new_err(
                "another thread is stepping this batch; wait for it",
            )),
        }
    }

    /// Brings the copies up to date where a world was changed by itself.
    fn refresh(&self) -> PyResult<()> {
        let mut published = self.published()?;
        for (k, world) in self.worlds.iter().enumerate() {
            let version = world.version();
            if published.versions[k] != version {
                let core = world.lock()?;
                published.copy(k, &core, version);
            }
        }
        Ok(())
    }

    /// Does something with the worlds that are chosen, on all cores, and brings their copies up to date. Answers what went wrong in
    /// which.
    fn each(
        &self,
        chosen: &[bool],
        work: impl Fn(usize, &Shared) -> PyResult<()> + Sync,
    ) -> PyResult<Vec<Option<PyErr>>> {
        let mut published = self.published()?;
        let Published {
            positions,
            velocities,
            versions,
        } = &mut *published;
        let size = positions.len() / self.worlds.len();
        let rows = positions
            .par_chunks_mut(size)
            .zip(velocities.par_chunks_mut(size));
        let rows = rows.zip(versions.par_iter_mut()).enumerate();
        let done = guarded(|| {
            rows.map(|(k, ((positions, velocities), known))| {
                if !chosen[k] {
                    return None;
                }
                let world = &*self.worlds[k];
                let done = work(k, world);
                let copied = world.lock().map(|core| {
                    positions.copy_from_slice(numbers(core.engine.positions()));
                    velocities.copy_from_slice(numbers(core.engine.velocities()));
                    *known = world.version();
                });
                done.and(copied).err()
            })
            .collect()
        });
        Ok(done?)
    }

    /// The same for work that cannot go on after an error: the first one is raised.
    fn all(
        &self,
        py: Python<'_>,
        chosen: &[bool],
        work: impl Fn(usize, &Shared) -> PyResult<()> + Sync + Send,
    ) -> PyResult<()> {
        let failures = py.detach(|| self.each(chosen, work))?;
        failures.into_iter().flatten().next().map_or(Ok(()), Err)
    }

    /// Goes the worlds' ways in those that are chosen.
    fn go(&self, py: Python<'_>, ways: Vec<Way>, chosen: &[bool], skip: bool) -> PyResult<()> {
        let new = |(way, is_chosen): (Way, &bool)| {
            let way = if *is_chosen { way } else { Way::steps(0) };
            Mutex::new(Course { way, failure: None })
        };
        let courses: Vec<Mutex<Course>> = ways.into_iter().zip(chosen).map(new).collect();
        let open = |course: &Mutex<Course>| {
            let course = course.lock().unwrap_or_else(|p| p.into_inner());
            !course.way.is_done() && course.failure.is_none()
        };
        in_pieces(py, |deadline: Deadline| {
            let left: Vec<bool> = courses.iter().map(open).collect();
            let failures = self.each(&left, |k, world| {
                let mut course = courses[k].lock().unwrap_or_else(|p| p.into_inner());
                world.go(&mut course.way, deadline).map(drop)
            })?;
            for (course, failure) in courses.iter().zip(failures) {
                let mut course = course.lock().unwrap_or_else(|p| p.into_inner());
                course.failure = course.failure.take().or(failure);
            }
            Ok(!courses.iter().any(open))
        })?;
        let courses = courses.into_iter();
        let ended = courses.map(|c| c.into_inner().unwrap_or_else(|p| p.into_inner()).failure);
        self.report(py, ended.collect(), chosen, skip)
    }

    fn report(
        &self,
        py: Python<'_>,
        ended: Vec<Option<PyErr>>,
        chosen: &[bool],
        skip: bool,
    ) -> PyResult<()> {
        let mut failures = self.failures.lock().unwrap_or_else(|p| p.into_inner());
        let mut failed = Vec::new();
        let mut first = None;
        for (k, error) in ended.into_iter().enumerate() {
            if chosen[k] {
                failures[k] = error.as_ref().map(|error| error.value(py).to_string());
            }
            if let Some(error) = error {
                failed.push(k);
                first.get_or_insert(error);
            }
        }
        let Some(first) = first else {
            return Ok(());
        };
        if !first.is_instance_of::<kinds::StepError>(py) {
            return Err(first);
        }
        if skip {
            return Ok(());
        }
        let message = format!(
            "{} of {} worlds failed, the first of them world {}: {}",
            failed.len(),
            self.worlds.len(),
            failed[0],
            first.value(py)
        );
        Err(errors::steps(message, failed))
    }
}

impl Published {
    fn copy(&mut self, world: usize, core: &Core, version: u64) {
        let size = self.positions.len() / self.versions.len();
        let own = world * size..(world + 1) * size;
        self.positions[own.clone()].copy_from_slice(numbers(core.engine.positions()));
        self.velocities[own].copy_from_slice(numbers(core.engine.velocities()));
        self.versions[world] = version;
    }
}

/// More worlds than this are a slip of the finger.
const MOST_WORLDS: usize = 1_000_000;

/// What each world is made from: the same source with the overrides of each.
fn sources(
    source: SceneSource,
    count: Option<&Bound<'_, PyAny>>,
    overrides: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<SceneSource>> {
    let count = count
        .map(|count| arguments::count(count, "the number of worlds"))
        .transpose()?;
    let of_each = match overrides {
        Some(given) if given.cast::<PyDict>().is_err() => {
            let each = given.try_iter().map_err(|_| {
                argument("overrides are a dictionary, or a list of one for each world")
            })?;
            Some(
                each.map(|one| read_overrides(Some(&one?)))
                    .collect::<PyResult<Vec<_>>>()?,
            )
        }
        _ => None,
    };
    let worlds = match (count, &of_each) {
        (Some(count), Some(each)) if count != each.len() as u64 => {
            return Err(argument(format!(
                "there are {} overrides for {count} worlds; give one dictionary for all, or one for each",
                each.len()
            )));
        }
        (Some(count), _) => count as usize,
        (None, Some(each)) => each.len(),
        (None, None) => return Err(argument("say how many worlds: count=…")),
    };
    if worlds == 0 {
        return Err(argument("a batch has at least one world; 0 were asked for"));
    }
    if worlds > MOST_WORLDS {
        return Err(argument(format!(
            "{worlds} worlds do not fit into memory; a batch has at most {MOST_WORLDS}"
        )));
    }
    let same = match (&of_each, overrides) {
        (None, Some(given)) => read_overrides(Some(given))?,
        _ => Vec::new(),
    };
    Ok((0..worlds)
        .map(|k| {
            let mut source = source.clone();
            let own = of_each.as_ref().map_or(&same, |each| &each[k]);
            source.overrides.extend(own.iter().cloned());
            source
        })
        .collect())
}

#[pymethods]
impl Batch {
    #[new]
    #[pyo3(signature = (scene, count=None, overrides=None, *, files=None))]
    fn new(
        py: Python<'_>,
        scene: &Bound<'_, PyAny>,
        count: Option<&Bound<'_, PyAny>>,
        overrides: Option<&Bound<'_, PyAny>>,
        files: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        if let Ok(handles) = scene.extract::<Vec<PyRef<'_, Handle>>>() {
            return Self::of(py, handles.iter().map(|handle| handle.0.clone()).collect());
        }
        let ingredients = Ingredients::new(scene, None, files)?;
        let sources = sources(ingredients.source, count, overrides)?;
        let files = ingredients.files;
        // Worlds that are made alike share what they can.
        let mut kinds: Vec<&SceneSource> = Vec::new();
        let mut kind_of = Vec::new();
        for source in &sources {
            let known = kinds.iter().position(|k| k.overrides == source.overrides);
            kind_of.push(known.unwrap_or(kinds.len()));
            if known.is_none() {
                kinds.push(source);
            }
        }
        let made = py.detach(|| {
            let made = guarded(|| kinds.par_iter().map(|s| world(s, files.as_ref())).collect());
            made.map_err(PyErr::from)
                .and_then(|made: PyResult<Vec<_>>| made)
        })?;
        for (k, other) in made.iter().enumerate() {
            if !other.model.is_like(&made[0].model) {
                let world = kind_of.iter().position(|kind| *kind == k).unwrap_or(k);
                return Err(argument(format!(
                    "world {world} has other nodes, pins, bodies or elements than world 0; overrides of a batch may change numbers only"
                )));
            }
        }
        check_worlds(sources.len(), made[0].model.node_count())?;
        let shared = kind_of
            .iter()
            .map(|&k| Shared::new(made[k].clone(), files.clone()));
        Self::around(py, shared.collect())
    }

    fn __len__(&self) -> usize {
        self.worlds.len()
    }

    fn _world(&self, index: usize) -> PyResult<Handle> {
        let world = self.worlds.get(index).cloned();
        world.map(Handle).ok_or_else(|| {
            let last = self.worlds.len() - 1;
            let message = format!("there is no world {index}; the worlds are 0 to {last}");
            pyo3::exceptions::PyIndexError::new_err(message)
        })
    }

    /// Make steps in every world, or in those of a mask, on all cores.
    ///
    /// Parameters
    /// ----------
    /// n : int
    ///     How many.
    /// mask : (worlds,) array of bool, optional
    ///     The worlds that are stepped.
    /// on_error : {"raise", "skip"}
    ///     A world in which a step fails stays where it was before that step; the others go on. Then StepError is raised, whose
    ///     ``worlds`` says which they are, or with ``"skip"`` only ``batch.failures`` does.
    #[pyo3(signature = (n=None, /, mask=None, *, on_error="raise"))]
    fn step(
        &self,
        py: Python<'_>,
        n: Option<&Bound<'_, PyAny>>,
        mask: Option<&Bound<'_, PyAny>>,
        on_error: &str,
    ) -> PyResult<()> {
        let n = n.map_or(Ok(1), |n| arguments::count(n, "the number of steps"))?;
        let chosen = arguments::mask(mask, self.worlds.len())?;
        let ways = vec![Way::steps(n); self.worlds.len()];
        self.go(py, ways, &chosen, skips(on_error)?)
    }

    /// Go on by so many seconds in every world, or in those of a mask.
    ///
    /// Parameters
    /// ----------
    /// seconds : float
    ///     How long (s).
    /// mask, on_error
    ///     As for ``step``.
    #[pyo3(signature = (seconds, /, mask=None, *, on_error="raise"))]
    fn advance(
        &self,
        py: Python<'_>,
        seconds: f64,
        mask: Option<&Bound<'_, PyAny>>,
        on_error: &str,
    ) -> PyResult<()> {
        let chosen = arguments::mask(mask, self.worlds.len())?;
        let ways = self
            .worlds
            .iter()
            .map(|world| Way::seconds(&*world.lock()?, seconds));
        let ways = ways.collect::<PyResult<Vec<_>>>()?;
        self.go(py, ways, &chosen, skips(on_error)?)
    }

    /// Bring every world, or those of a mask, back to its start.
    ///
    /// Parameters
    /// ----------
    /// mask : (worlds,) array of bool, optional
    ///     The worlds that go back.
    /// seeds : sequence of int, optional
    ///     A seed for each world, as for ``Simulation.reset``.
    #[pyo3(signature = (mask=None, *, seeds=None))]
    fn reset(
        &self,
        py: Python<'_>,
        mask: Option<&Bound<'_, PyAny>>,
        seeds: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let chosen = arguments::mask(mask, self.worlds.len())?;
        let seeds = seeds.map(|seeds| arguments::seeds(seeds, self.worlds.len()));
        let seeds = seeds.transpose()?;
        self.all(py, &chosen, |k, world| {
            reset(world, seeds.as_ref().map(|seeds| seeds[k]))
        })
    }

    /// Change a number of the scene in every world, or in those of a mask.
    ///
    /// Parameters
    /// ----------
    /// name : str
    ///     As for ``Simulation.set``.
    /// values : float or (worlds,) array
    ///     One for all, or one for each world.
    /// mask : (worlds,) array of bool, optional
    ///     The worlds in which it changes.
    ///
    /// Raises
    /// ------
    /// CommandError
    ///     If one of them cannot have it. Nothing has changed in any.
    #[pyo3(signature = (name, values, /, mask=None))]
    fn set(
        &self,
        py: Python<'_>,
        name: &str,
        values: &Bound<'_, PyAny>,
        mask: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let chosen = arguments::mask(mask, self.worlds.len())?;
        let count = self.worlds.len();
        let arguments::Numbers { mut values, shape } = arguments::numbers(values, "the values")?;
        match shape[..] {
            [] => values.resize(count, values[0]),
            [rows] if rows == count => {}
            _ => {
                let must = format!("one number, or {count} of them, one for each world");
                return Err(arguments::wrong_shape("the values", &shape, &must));
            }
        }
        let command = |k: usize| Command::Set {
            name: name.to_owned(),
            value: values[k],
        };
        // Copies hear it first: where one world cannot have its value, none is to have changed.
        self.all(py, &chosen, |k, world| {
            world.work(|core| {
                let set = core.engine.clone().command(&command(k));
                set.map(drop).map_err(|error| errors::command(&error))
            })
        })?;
        self.all(py, &chosen, |k, world| {
            world.work(|core| {
                let set = core.engine.command(&command(k));
                set.map(drop).map_err(|error| errors::command(&error))
            })
        })
    }

    /// The state of every world as bytes.
    fn snapshot<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let worlds = self.worlds.iter();
        let states = worlds.map(|world| Ok(world.lock()?.engine.snapshot()));
        let states = states.collect::<PyResult<Vec<_>>>()?;
        PyList::new(py, states.iter().map(|bytes| PyBytes::new(py, bytes)))
    }

    /// Go to a snapshot in every world, or in those of a mask.
    ///
    /// Parameters
    /// ----------
    /// snapshots : bytes or sequence of bytes
    ///     One for all worlds, or one for each.
    /// mask : (worlds,) array of bool, optional
    ///     The worlds that go there.
    #[pyo3(signature = (snapshots, /, mask=None))]
    fn restore(
        &self,
        py: Python<'_>,
        snapshots: &Bound<'_, PyAny>,
        mask: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let chosen = arguments::mask(mask, self.worlds.len())?;
        let states: Vec<Vec<u8>> = match snapshots.cast::<PyBytes>() {
            Ok(one) => vec![one.as_bytes().to_vec()],
            Err(_) => snapshots.extract().map_err(|_| {
                argument("snapshots are bytes, one for all worlds or a list of one for each")
            })?,
        };
        if states.len() != 1 && states.len() != self.worlds.len() {
            let must = format!("one snapshot, or {} of them", self.worlds.len());
            return Err(arguments::wrong_shape("snapshots", &[states.len()], &must));
        }
        let single = states.len() == 1 && self.worlds.len() > 1;
        self.all(py, &chosen, |k, world| {
            restore(world, &states[if single { 0 } else { k }])
        })
    }

    /// Where the nodes of all worlds are (m): a (worlds, nodes, 3) array that cannot be written to.
    ///
    /// It is the same array at every reading, brought up to date by whatever the batch does. What was done to a world by itself
    /// (``batch[k].step()``) it shows after the next reading.
    #[getter]
    fn positions(&self, py: Python<'_>) -> PyResult<Py<PyArray3<f64>>> {
        self.refresh()?;
        Ok(self.positions.clone_ref(py))
    }

    /// Velocities of the nodes of all worlds (m/s), in the same way.
    #[getter]
    fn velocities(&self, py: Python<'_>) -> PyResult<Py<PyArray3<f64>>> {
        self.refresh()?;
        Ok(self.velocities.clone_ref(py))
    }

    /// Simulated time of each world (s).
    #[getter]
    fn time<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let times = self
            .worlds
            .iter()
            .map(|world| Ok(world.lock()?.engine.time()));
        let times = times.collect::<PyResult<Vec<_>>>()?;
        Ok(PyArray1::from_vec(py, times))
    }

    /// Largest strain of any edge in the last call of ``step`` or ``advance``, for each world; NaN before the first and after going back.
    #[getter]
    fn stretch_worst<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let worst = self.worlds.iter().map(|world| {
            let core = world.lock()?;
            let told = core.report.as_ref();
            Ok(told.map_or(f64::NAN, |told| told.report.certificate.stretch_worst))
        });
        let worst = worst.collect::<PyResult<Vec<_>>>()?;
        Ok(PyArray1::from_vec(py, worst))
    }

    /// Why worlds failed when they were last stepped: a message, or None, for each.
    #[getter]
    fn failures(&self) -> Vec<Option<String>> {
        self.failures
            .lock()
            .unwrap_or_else(|p| p.into_inner())
            .clone()
    }

    fn __repr__(&self) -> PyResult<String> {
        let core = self.worlds[0].lock()?;
        let (worlds, nodes) = (self.worlds.len(), core.engine.positions().len());
        Ok(format!(
            "<toile.Batch {:?}: {worlds} worlds of {nodes} nodes>",
            core.world.title
        ))
    }
}

fn skips(on_error: &str) -> PyResult<bool> {
    match on_error {
        "raise" => Ok(false),
        "skip" => Ok(true),
        other => Err(argument(format!(
            "on_error is {other:?}; it is \"raise\" or \"skip\""
        ))),
    }
}
