//! A scene in motion, as Python has it.

use crate::answers::{Certificate, Contacts, Energies, array, reshaped};
use crate::arguments;
use crate::body::Body;
use crate::core::{Core, Handle, Shared, Told, Way};
use crate::errors::{self, argument, refused};
use crate::grasp::Grasp;
use crate::guard::in_pieces;
use crate::memory::{read_only, views};
use crate::scene::{Ingredients, Recipe, recipe, world};
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict};
use std::sync::Arc;
use toile::command::Command;
use toile::drive::{Grasped, Grip, Pose};
use toile::glam::DVec3;
use toile::mesh::Face;
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
    mesh: PyOnceLock<Mesh>,
}

/// Of a cloth: its name, and where its nodes, faces, triangles and edges begin and end.
type Ranges = (String, [usize; 2], [usize; 2], [usize; 2], [usize; 2]);

/// What does not move, as arrays that are made when somebody asks.
struct Mesh {
    faces: Py<PyArray2<i64>>,
    triangles: Py<PyArray2<i64>>,
    edges: Py<PyArray2<i64>>,
    rest_lengths: Py<PyArray1<f64>>,
    masses: Py<PyArray1<f64>>,
    uv: Option<Py<PyArray3<f32>>>,
    cloths: Vec<Ranges>,
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

    fn mesh(&self, py: Python<'_>) -> PyResult<&Mesh> {
        self.mesh
            .get_or_try_init(py, || Mesh::new(py, &*self.shared.lock()?))
    }

    /// The nodes that a grasp or a force names.
    fn named(
        &self,
        nodes: Option<&Bound<'_, PyAny>>,
        near: Option<(Bound<'_, PyAny>, f64)>,
        cloth: Option<&str>,
    ) -> PyResult<Vec<u32>> {
        let core = self.shared.lock()?;
        let cloth = cloth.map(|name| core.cloth(name)).transpose()?;
        let (first, positions) = core.nodes_of(cloth);
        if let Some((point, radius)) = near {
            return nodes_near(
                arguments::vector(&point, "the point")?,
                radius,
                first,
                positions,
            );
        }
        let Some(nodes) = nodes else {
            return Ok((first as u32..(first + positions.len()) as u32).collect());
        };
        let nodes = arguments::nodes(nodes)?;
        if cloth.is_none() {
            return Ok(nodes);
        }
        let count = positions.len();
        match nodes.iter().find(|n| **n as usize >= count) {
            Some(node) => Err(refused(format!(
                "there is no node {node} of that cloth; its nodes are 0 to {}",
                count - 1
            ))),
            None => Ok(nodes.into_iter().map(|n| n + first as u32).collect()),
        }
    }
}

/// The nodes in a ball; none is an error that says where the nearest one is.
fn nodes_near(point: DVec3, radius: f64, first: usize, positions: &[DVec3]) -> PyResult<Vec<u32>> {
    if !(point.is_finite() && radius >= 0.0 && radius.is_finite()) {
        return Err(refused(format!(
            "near is the point {point} and the radius {radius}; both must be finite, and the radius not negative"
        )));
    }
    let away = |p: &DVec3| p.distance(point);
    let inside = positions
        .iter()
        .enumerate()
        .filter(|(_, p)| away(p) <= radius);
    let inside: Vec<u32> = inside.map(|(n, _)| (first + n) as u32).collect();
    if !inside.is_empty() {
        return Ok(inside);
    }
    let places = positions.iter().enumerate();
    let nearest = places.min_by(|a, b| away(a.1).total_cmp(&away(b.1)));
    let hint = nearest.map_or(String::new(), |(n, p)| {
        format!(
            "; the nearest, node {}, is {:.4} m away",
            first + n,
            away(p)
        )
    });
    Err(refused(format!(
        "no node is within {radius} m of {point}{hint}"
    )))
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

    /// Corners of the faces of all cloths: (m, 3) if all are triangles, else (m, 4) with -1 in the last place of a triangle.
    #[getter]
    fn faces(&self, py: Python<'_>) -> PyResult<Py<PyArray2<i64>>> {
        Ok(self.mesh(py)?.faces.clone_ref(py))
    }

    /// The faces as triangles, quads cut from their first to their third corner.
    #[getter]
    fn triangles(&self, py: Python<'_>) -> PyResult<Py<PyArray2<i64>>> {
        Ok(self.mesh(py)?.triangles.clone_ref(py))
    }

    /// Ends of all edges, (e, 2).
    #[getter]
    fn edges(&self, py: Python<'_>) -> PyResult<Py<PyArray2<i64>>> {
        Ok(self.mesh(py)?.edges.clone_ref(py))
    }

    /// Rest length of every edge (m).
    #[getter]
    fn rest_lengths(&self, py: Python<'_>) -> PyResult<Py<PyArray1<f64>>> {
        Ok(self.mesh(py)?.rest_lengths.clone_ref(py))
    }

    /// Mass of every node (kg).
    #[getter]
    fn masses(&self, py: Python<'_>) -> PyResult<Py<PyArray1<f64>>> {
        Ok(self.mesh(py)?.masses.clone_ref(py))
    }

    /// Texture coordinates of the faces' corners, (m, 4, 2), NaN where there are none; None if no cloth has any.
    #[getter]
    fn uv(&self, py: Python<'_>) -> PyResult<Option<Py<PyArray3<f32>>>> {
        Ok(self.mesh(py)?.uv.as_ref().map(|uv| uv.clone_ref(py)))
    }

    #[getter]
    fn _cloths(&self, py: Python<'_>) -> PyResult<Vec<Ranges>> {
        Ok(self.mesh(py)?.cloths.clone())
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

    /// Take hold of cloth.
    ///
    /// One of `nodes`, `near` and `face` says where.
    ///
    /// Parameters
    /// ----------
    /// nodes : int or sequence of int, optional
    ///     Numbers of nodes, over the whole scene or, with `cloth`, in that cloth.
    /// near : (point, radius), optional
    ///     All nodes within a radius (m) of a point.
    /// face : (index, weights), optional
    ///     A point on a face of ``sim.faces`` (or of the cloth), by weights of its corners that add up to 1. A rigid grip holds the
    ///     whole face, a spring pulls at the point.
    /// cloth : str, optional
    ///     The cloth that is meant.
    /// spring : (stiffness, damping), optional
    ///     A grip that pulls (N/m, N·s/m) in the place of one that holds outright.
    /// frame : pose, optional
    ///     The frame that the grasp rides on; the middle of what is held, not turned, if none is given.
    ///
    /// Returns
    /// -------
    /// Grasp
    #[pyo3(signature = (nodes=None, *, near=None, face=None, cloth=None, spring=None, frame=None))]
    #[allow(clippy::too_many_arguments)]
    fn grasp(
        &self,
        py: Python<'_>,
        nodes: Option<&Bound<'_, PyAny>>,
        near: Option<(Bound<'_, PyAny>, f64)>,
        face: Option<(usize, Vec<f64>)>,
        cloth: Option<&str>,
        spring: Option<(f64, f64)>,
        frame: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Grasp> {
        let given = [nodes.is_some(), near.is_some(), face.is_some()];
        if given.iter().filter(|g| **g).count() != 1 {
            return Err(argument(
                "say where to take hold: give one of nodes, near and face",
            ));
        }
        let what = match face {
            Some((face, weights)) => {
                let (cloth, face) = self.face(face, cloth)?;
                Grasped::Point {
                    cloth,
                    face,
                    weights,
                }
            }
            None => Grasped::Nodes(self.named(nodes, near, cloth)?),
        };
        let grip = spring.map_or(Grip::Rigid, |(stiffness, damping)| Grip::Spring {
            stiffness,
            damping,
        });
        let frame = frame.map(|f| arguments::pose(f, "the frame", Pose::IDENTITY));
        let frame = frame.transpose()?;
        let command = Command::Grasp { what, grip, frame };
        let id = self.shared.command(py, command)?;
        Grasp::new(self.shared.clone(), id.unwrap_or_default())
    }

    /// The grasps there are.
    #[getter]
    fn grasps(&self) -> PyResult<Vec<Grasp>> {
        let core = self.shared.lock()?;
        let ids: Vec<u32> = core.engine.grasps().iter().map(|g| g.id).collect();
        drop(core);
        let grasps = ids.into_iter();
        grasps
            .map(|id| Grasp::new(self.shared.clone(), id))
            .collect()
    }

    /// Push nodes from now on, each with this force (N) in the place of what was said before; zero ends it.
    ///
    /// Parameters
    /// ----------
    /// force : (3,) or (n, 3) array
    ///     One force for all, or one for each of the nodes.
    /// nodes : sequence of int, optional
    ///     All nodes if none are given.
    /// cloth : str, optional
    ///     The cloth in which the nodes are counted.
    #[pyo3(signature = (force, nodes=None, *, cloth=None))]
    fn push(
        &self,
        py: Python<'_>,
        force: &Bound<'_, PyAny>,
        nodes: Option<&Bound<'_, PyAny>>,
        cloth: Option<&str>,
    ) -> PyResult<()> {
        let named = self.named(nodes, None, cloth)?;
        let arguments::Numbers { values, shape } = arguments::numbers(force, "the force")?;
        let forces: Vec<DVec3> = match shape[..] {
            [3] => vec![DVec3::from_slice(&values); named.len()],
            [rows, 3] if rows == named.len() => {
                values.chunks_exact(3).map(DVec3::from_slice).collect()
            }
            _ => {
                let must = format!("3 numbers, or {} rows of them", named.len());
                return Err(arguments::wrong_shape("the force", &shape, &must));
            }
        };
        py.detach(|| {
            self.shared.work(|core| {
                let pushed = core.engine.push_each(&named, &forces);
                pushed.map_err(|error| errors::command(&error))
            })
        })
    }

    /// Acceleration of gravity (m/s²); set, it holds from the next step on.
    #[getter]
    fn gravity<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let core = self.shared.lock()?;
        let gravity = core.engine.state().gravity(core.engine.model());
        Ok(array(py, gravity))
    }

    #[setter]
    fn set_gravity(&self, py: Python<'_>, gravity: &Bound<'_, PyAny>) -> PyResult<()> {
        let gravity = arguments::vector(gravity, "gravity")?;
        self.shared.command(py, Command::Gravity(gravity)).map(drop)
    }

    /// Mean velocity of the air (m/s) as it was commanded; None while the scene's own holds.
    #[getter]
    fn wind<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray1<f64>>>> {
        let wind = self.shared.lock()?.engine.state().commanded.wind;
        Ok(wind.map(|wind| array(py, wind)))
    }

    #[setter]
    fn set_wind(&self, py: Python<'_>, wind: &Bound<'_, PyAny>) -> PyResult<()> {
        let wind = arguments::vector(wind, "the wind")?;
        self.shared.command(py, Command::Wind(wind)).map(drop)
    }

    /// Change a number of the scene from the next step on.
    ///
    /// Parameters
    /// ----------
    /// name : str
    ///     Such as ``"cloth.sheet.material.bend"``. Of a cloth `material`, `limit`, `damping`, `virtual_mass`, `drag`, `thickness`,
    ///     `friction` and `compression` can change, of a body `friction`.
    /// value : float
    ///
    /// Raises
    /// ------
    /// CommandError
    ///     If it is no such number, or makes no sense.
    #[pyo3(signature = (name, value, /))]
    fn set(&self, py: Python<'_>, name: String, value: f64) -> PyResult<()> {
        self.shared
            .command(py, Command::Set { name, value })
            .map(drop)
    }

    /// The numbers that were changed, by name.
    #[getter]
    fn settings(&self) -> PyResult<std::collections::BTreeMap<String, f64>> {
        let core = self.shared.lock()?;
        let settings = core.engine.state().commanded.settings.iter();
        Ok(settings.map(|s| (s.name.clone(), s.value)).collect())
    }

    /// Multiply all velocities, to calm cloth that is to come to rest.
    #[pyo3(signature = (factor, /))]
    fn scale_velocities(&self, factor: f64) -> PyResult<()> {
        if !factor.is_finite() {
            return Err(argument(format!(
                "the factor is {factor}; it must be finite"
            )));
        }
        self.shared.lock()?.engine.scale_velocities(factor);
        self.shared.touch();
        Ok(())
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

impl Simulation {
    /// Cloth and number in it of a face of the whole scene, or of a cloth.
    fn face(&self, face: usize, cloth: Option<&str>) -> PyResult<(usize, usize)> {
        let core = self.shared.lock()?;
        if let Some(name) = cloth {
            return Ok((core.cloth(name)?, face));
        }
        let mut left = face;
        for (k, cloth) in core.engine.model().cloths.iter().enumerate() {
            let faces = cloth.topology.faces.len();
            if left < faces {
                return Ok((k, left));
            }
            left -= faces;
        }
        let last = core.engine.model().face_count().saturating_sub(1);
        Err(refused(format!(
            "there is no face {face}; the faces are 0 to {last}"
        )))
    }
}

impl Mesh {
    fn new(py: Python<'_>, core: &Core) -> PyResult<Self> {
        let model = core.engine.model();
        let quads = model.cloths.iter().flat_map(|c| &c.topology.faces);
        let width = if quads.clone().any(|f| matches!(f, Face::Quad(_))) {
            4
        } else {
            3
        };
        let (mut faces, mut triangles, mut edges) = (Vec::new(), Vec::new(), Vec::new());
        let (mut rest_lengths, mut uv, mut cloths) = (Vec::new(), Vec::new(), Vec::new());
        let has_uv = core
            .world
            .cloth_tracks
            .iter()
            .any(|t| t.attributes.corner_uvs.is_some());
        for (cloth, track) in model.cloths.iter().zip(&core.world.cloth_tracks) {
            let first = cloth.nodes.start as i64;
            let before = [faces.len() / width, triangles.len() / 3, edges.len() / 2];
            for face in &cloth.topology.faces {
                let corners = face.corners().iter().map(|&n| first + i64::from(n));
                faces.extend(corners.chain(std::iter::repeat(-1)).take(width));
                let cut = face.triangles().flatten();
                triangles.extend(cut.map(|n| first + i64::from(n)));
            }
            let ends = cloth.topology.edges.iter().flat_map(|e| e.nodes);
            edges.extend(ends.map(|n| first + i64::from(n)));
            rest_lengths.extend(&cloth.rest.edge_lengths);
            if has_uv {
                let corners = track.attributes.corner_uvs.as_ref();
                for (k, face) in cloth.topology.faces.iter().enumerate() {
                    let mut own = corners.map_or([[f32::NAN; 2]; 4], |uvs| uvs[k]);
                    own[face.corners().len()..].fill([f32::NAN; 2]);
                    uv.extend(own.into_iter().flatten());
                }
            }
            let after = [faces.len() / width, triangles.len() / 3, edges.len() / 2];
            let range = |k: usize| [before[k], after[k]];
            let nodes = [cloth.nodes.start, cloth.nodes.end];
            cloths.push((cloth.name.clone(), nodes, range(0), range(1), range(2)));
        }
        let counts = [faces.len() / width, triangles.len() / 3, edges.len() / 2];
        let uv = match has_uv {
            true => Some(
                PyArray1::from_vec(py, uv)
                    .reshape([counts[0], 4, 2])?
                    .unbind(),
            ),
            false => None,
        };
        let made = Mesh {
            faces: reshaped(&PyArray1::from_vec(py, faces), counts[0], width)?,
            triangles: reshaped(&PyArray1::from_vec(py, triangles), counts[1], 3)?,
            edges: reshaped(&PyArray1::from_vec(py, edges), counts[2], 2)?,
            rest_lengths: PyArray1::from_vec(py, rest_lengths).unbind(),
            masses: PyArray1::from_slice(py, &model.masses).unbind(),
            uv,
            cloths,
        };
        for array in [&made.faces, &made.triangles, &made.edges] {
            read_only(array.bind(py).as_any())?;
        }
        for array in [&made.rest_lengths, &made.masses] {
            read_only(array.bind(py).as_any())?;
        }
        if let Some(uv) = &made.uv {
            read_only(uv.bind(py).as_any())?;
        }
        Ok(made)
    }
}

/// Back to the start, with another seed if one is given.
pub fn reset(shared: &Shared, seed: Option<u64>) -> PyResult<()> {
    shared.work(|core| {
        if let Some(seed) = seed {
            reseed(core, seed)?;
        } else {
            core.engine.reset();
        }
        core.epoch += 1;
        core.report = None;
        core.rewind();
        Ok(())
    })?;
    shared.touch();
    Ok(())
}

/// To a snapshot.
pub fn restore(shared: &Shared, snapshot: &[u8]) -> PyResult<()> {
    shared.work(|core| {
        let restored = core.engine.restore(snapshot);
        restored.map_err(|error| errors::restore(&error))?;
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
