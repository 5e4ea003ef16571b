//! A scene in motion, as Python has it.

use crate::answers::{Certificate, Contacts, Energies};
use crate::arguments;
use crate::body::Body;
use crate::core::{Core, Handle, Shared, Told, Way};
use crate::errors;
use crate::guard::in_pieces;
use crate::memory::views;
use crate::mesh::Mesh;
use crate::scene::{Ingredients, Recipe, recipe, world};
use numpy::PyArray2;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict};
use std::sync::Arc;
use toml::Value;

/// A scene in motion.
///
/// Parameters
/// ----------
/// scene : str, path or dict
///     The name of a bundled scene, a path, TOML text, or a dictionary with what a scene file has.
/// overrides : dict, optional
///     Fields to change, by their paths: ``{"cloth.sheet.material.bend": 1e-5}``.
/// files : dict, optional
///     Files that the scene names, from names to bytes or text, in the place of those on the disk.
///
/// Raises
/// ------
/// SceneError
///     If the scene cannot be used; it knows the line and the mend.
#[pyclass(frozen, subclass, weakref, module = "toile._toile")]
pub struct Simulation {
    pub(crate) shared: Arc<Shared>,
    positions: Py<PyArray2<f64>>,
    velocities: Py<PyArray2<f64>>,
    pub(crate) mesh: PyOnceLock<Mesh>,
}

impl Simulation {
    /// Around a simulation that is there.
    pub fn around(py: Python<'_>, shared: Arc<Shared>) -> PyResult<Self> {
        let [positions, velocities] = views(py, &shared)?;
        Ok(Simulation {
            shared,
            positions: positions.unbind(),
            velocities: velocities.unbind(),
            mesh: PyOnceLock::new(),
        })
    }
}

#[pymethods]
impl Simulation {
    #[new]
    #[pyo3(signature = (scene, overrides=None, *, files=None))]
    fn new(
        py: Python<'_>,
        scene: &Bound<'_, PyAny>,
        overrides: Option<&Bound<'_, PyAny>>,
        files: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        if let Ok(handle) = scene.cast::<Handle>() {
            return Self::around(py, handle.get().0.clone());
        }
        let ingredients = Ingredients::new(scene, overrides, files)?;
        let world = ingredients.resolve(py)?;
        Self::around(py, Shared::new(world, ingredients.files))
    }

    /// Make steps of the scene's schedule.
    ///
    /// Other threads of Python run meanwhile, and Ctrl-C stops it between two steps.
    ///
    /// Parameters
    /// ----------
    /// n : int
    ///     How many.
    ///
    /// Raises
    /// ------
    /// StepError
    ///     If a step cannot be made. The simulation is where the step before it ended, and ``steps_done`` says how many were made.
    #[pyo3(signature = (n=None, /))]
    fn step(&self, py: Python<'_>, n: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let n = n.map_or(Ok(1), |n| arguments::count(n, "the number of steps"))?;
        let mut way = Way::steps(n);
        in_pieces(py, |deadline| self.shared.go(&mut way, deadline))
    }

    /// Go on by so many seconds: in whole steps, with a shorter one at the end where they do not fit.
    ///
    /// Parameters
    /// ----------
    /// seconds : float
    ///     How long (s).
    ///
    /// Raises
    /// ------
    /// StepError
    ///     As for ``step``.
    #[pyo3(signature = (seconds, /))]
    fn advance(&self, py: Python<'_>, seconds: f64) -> PyResult<()> {
        let mut way = Way::seconds(&*self.shared.lock()?, seconds)?;
        in_pieces(py, |deadline| self.shared.go(&mut way, deadline))
    }

    /// Go back to the start, and forget what was commanded.
    ///
    /// Arrays stay valid and show the start. Grasps made before are dead.
    ///
    /// Parameters
    /// ----------
    /// seed : int, optional
    ///     Another number for everything that the scene draws by lot: noise of cloths and gusts. A scene without them starts the
    ///     same way whatever the seed.
    #[pyo3(signature = (seed=None))]
    fn reset(&self, py: Python<'_>, seed: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let seed = seed
            .map(|seed| arguments::count(seed, "the seed"))
            .transpose()?;
        py.detach(|| reset(&self.shared, seed))
    }

    /// The whole state as bytes. Restored, here, in a copy or in another process, it goes on to the same bits.
    fn snapshot<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let core = self.shared.lock()?;
        Ok(PyBytes::new(py, &core.engine.snapshot()))
    }

    /// Go back, or ahead, to a snapshot of this scene.
    ///
    /// Parameters
    /// ----------
    /// snapshot : bytes
    ///     What ``snapshot()`` answered, here, in a copy or in another process.
    ///
    /// Raises
    /// ------
    /// RestoreError
    ///     If it is damaged or of another scene. Nothing has changed.
    #[pyo3(signature = (snapshot, /))]
    fn restore(&self, py: Python<'_>, snapshot: &[u8]) -> PyResult<()> {
        py.detach(|| restore(&self.shared, snapshot))
    }

    /// A copy that shares the model and goes its own way.
    fn _copy(&self) -> PyResult<Handle> {
        Ok(Handle(self.shared.copy()?))
    }

    /// What it takes to make the scene again.
    fn _recipe(&self) -> PyResult<Recipe> {
        let core = self.shared.lock()?;
        recipe(&core.world.source, core.files.as_ref())
    }

    /// Simulated time (s).
    #[getter]
    fn time(&self) -> PyResult<f64> {
        Ok(self.shared.lock()?.engine.time())
    }

    /// Length of a step (s).
    #[getter]
    fn time_step(&self) -> PyResult<f64> {
        Ok(self.shared.lock()?.engine.pace().step)
    }

    /// Steps made since the start.
    #[getter]
    fn steps(&self) -> PyResult<u64> {
        Ok(self.shared.lock()?.engine.state().steps)
    }

    /// The scene's title.
    #[getter]
    fn title(&self) -> PyResult<String> {
        Ok(self.shared.lock()?.world.title.clone())
    }

    /// The scene with every default filled in, as TOML.
    #[getter]
    fn scene(&self) -> PyResult<String> {
        Ok(self.shared.lock()?.world.resolved.clone())
    }

    /// What looks wrong with the scene though it can be simulated.
    #[getter]
    fn warnings(&self) -> PyResult<Vec<String>> {
        Ok(self.shared.lock()?.world.warnings.clone())
    }

    /// Where the nodes are (m): an (n, 3) array that shows the engine's memory and cannot be written to.
    ///
    /// It is the same array at every reading; after a step it shows the new places. Copy what must stay.
    #[getter]
    fn positions(&self, py: Python<'_>) -> Py<PyArray2<f64>> {
        self.positions.clone_ref(py)
    }

    /// Velocities of the nodes (m/s), in the same way.
    #[getter]
    fn velocities(&self, py: Python<'_>) -> Py<PyArray2<f64>> {
        self.velocities.clone_ref(py)
    }

    #[getter]
    fn _body_names(&self) -> PyResult<Vec<String>> {
        let core = self.shared.lock()?;
        let frames = core.world.body_frames.iter();
        Ok(frames.map(|frame| frame.name.clone()).collect())
    }

    fn _body(&self, name: &str) -> PyResult<Body> {
        let index = self.shared.lock()?.body(name)?;
        Ok(Body::new(self.shared.clone(), index))
    }

    /// How well the last step held; None before the first and after going back.
    #[getter]
    fn certificate(&self) -> PyResult<Option<Certificate>> {
        let core = self.shared.lock()?;
        Ok(core.engine.last().map(|last| {
            Certificate::new(&Told {
                report: last.report,
                steps: 1,
                substeps: last.substeps,
                rejected: last.rejected,
                above_tolerance: last.above_tolerance,
            })
        }))
    }

    /// How well all steps of the last call of ``step`` or ``advance`` held together: the worst of each.
    #[getter]
    fn certificate_of_call(&self) -> PyResult<Option<Certificate>> {
        Ok(self.shared.lock()?.report.as_ref().map(Certificate::new))
    }

    /// Energies of the cloth (J).
    #[getter]
    fn energies(&self) -> PyResult<Energies> {
        self.shared.work(|core| Ok(core.engine.energies().into()))
    }

    /// Where cloth touched bodies and cloth in the last step.
    #[getter]
    fn contacts(&self, py: Python<'_>) -> PyResult<Contacts> {
        let (points, parts) = self.shared.work(|core| {
            let frames = core.world.body_frames.iter();
            let parts: Vec<_> = frames.map(|frame| frame.parts.clone()).collect();
            Ok((core.engine.contacts(), parts))
        })?;
        Contacts::new(py, &points, |body| {
            let frame = parts.iter().position(|range| range.contains(&body));
            frame.map_or(-1, |k| k as i64)
        })
    }

    fn __repr__(&self) -> PyResult<String> {
        let core = self.shared.lock()?;
        let model = core.engine.model();
        Ok(format!(
            "<toile.Simulation {:?}: {} cloths, {} nodes, {} bodies, t = {:.4} s>",
            core.world.title,
            model.cloths.len(),
            model.node_count(),
            core.world.body_frames.len(),
            core.engine.time()
        ))
    }
}

/// Back to the start, with another seed if one is given.
pub fn reset(shared: &Shared, seed: Option<u64>) -> PyResult<()> {
    elsewhere(shared, |core| {
        if let Some(seed) = seed {
            reseed(core, seed)?;
        } else {
            core.engine.reset();
        }
        core.epoch += 1;
        Ok(())
    })
}

/// To a snapshot.
pub fn restore(shared: &Shared, snapshot: &[u8]) -> PyResult<()> {
    elsewhere(shared, |core| {
        let restored = core.engine.restore(snapshot);
        restored.map_err(|error| errors::restore(&error))
    })
}

/// Puts a simulation into another state; nothing of the last step is told any more.
fn elsewhere(shared: &Shared, put: impl FnOnce(&mut Core) -> PyResult<()> + Send) -> PyResult<()> {
    shared.work(|core| {
        put(core)?;
        core.report = None;
        core.rewind();
        Ok(())
    })?;
    shared.touch();
    Ok(())
}

/// Another seed for all that the scene draws by lot.
fn reseed(core: &mut Core, seed: u64) -> PyResult<()> {
    let source = &core.world.source;
    let spec = source.parse().map_err(|error| errors::scene(&error))?;
    // TOML has signed numbers; the top bit is of no use for telling seeds apart.
    let seed = (seed & i64::MAX as u64) as i64;
    let noisy = spec.cloth.iter().filter(|(_, cloth)| cloth.noise.is_some());
    let mut fields: Vec<String> = noisy
        .map(|(name, _)| format!("cloth.{name}.noise.seed"))
        .collect();
    if spec.environment.air.is_some_and(|air| air.gusts.is_some()) {
        fields.push("environment.air.gusts.seed".to_owned());
    }
    if fields.is_empty() {
        core.engine.reset();
        return Ok(());
    }
    let mut source = source.clone();
    source.overrides.retain(|(path, _)| !fields.contains(path));
    let seeds = fields
        .into_iter()
        .map(|field| (field, Value::Integer(seed)));
    source.overrides.extend(seeds);
    let world = world(&source, core.files.as_ref())?;
    let other = world.simulation();
    core.engine
        .reset_like(&other)
        .map_err(|error| errors::restore(&error))?;
    core.world = world;
    Ok(())
}
