//! Of a simulation: what it is told between steps.

use crate::answers::array;
use crate::arguments;
use crate::errors::{self, argument, refused};
use crate::grasp::Grasp;
use crate::simulation::Simulation;
use numpy::PyArray1;
use pyo3::prelude::*;
use toile::command::Command;
use toile::drive::{Grasped, Grip, Pose};
use toile::glam::DVec3;

#[pymethods]
impl Simulation {
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
        near: Option<&Bound<'_, PyAny>>,
        face: Option<&Bound<'_, PyAny>>,
        cloth: Option<&str>,
        spring: Option<&Bound<'_, PyAny>>,
        frame: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Grasp> {
        let given = [nodes.is_some(), near.is_some(), face.is_some()];
        if given.iter().filter(|g| **g).count() != 1 {
            return Err(argument(
                "say where to take hold: give one of nodes, near and face",
            ));
        }
        let what = match face {
            Some(face) => {
                let (face, weights) = arguments::face(face)?;
                let (cloth, face) = self.face(face, cloth)?;
                Grasped::Point {
                    cloth,
                    face,
                    weights,
                }
            }
            None => {
                let near = near.map(arguments::ball).transpose()?;
                Grasped::Nodes(self.named(nodes, near, cloth)?)
            }
        };
        let spring = spring.map(arguments::spring).transpose()?;
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
    ///     The new one, in the unit that the scene has it in.
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
    ///
    /// Parameters
    /// ----------
    /// factor : float
    ///     With what; 0 stops the cloth.
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
}

impl Simulation {
    /// The nodes that a grasp or a force names.
    fn named(
        &self,
        nodes: Option<&Bound<'_, PyAny>>,
        near: Option<(DVec3, f64)>,
        cloth: Option<&str>,
    ) -> PyResult<Vec<u32>> {
        let core = self.shared.lock()?;
        let cloth = cloth.map(|name| core.cloth(name)).transpose()?;
        let (first, positions) = core.nodes_of(cloth);
        if let Some((point, radius)) = near {
            return nodes_near(point, radius, first, positions);
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
