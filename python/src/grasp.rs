//! A hand on the cloth.

use crate::answers::array;
use crate::arguments;
use crate::core::{Core, Shared};
use crate::errors::{argument, refused};
use numpy::PyArray1;
use pyo3::prelude::*;
use std::sync::{Arc, MutexGuard};
use toile::command::Command;
use toile::contact::Load;
use toile::drive::{self, Pose, Target};
use toile::glam::DVec3;

/// Cloth that is held. ``sim.grasp(…)`` makes one.
///
/// It is dead after ``release()``, after ``sim.reset()``, and after going back to a snapshot in which it was not made yet; whatever it is
/// told then raises CommandError.
#[pyclass(frozen, module = "toile._toile")]
pub struct Grasp {
    shared: Arc<Shared>,
    id: u32,
    /// What it holds: a grasp of the same id that holds something else is another one.
    nodes: Vec<u32>,
    epoch: u64,
}

impl Grasp {
    /// The grasp of this id, which must be there.
    pub fn new(shared: Arc<Shared>, id: u32) -> PyResult<Self> {
        let core = shared.lock()?;
        let (nodes, epoch) = match core.engine.state().commanded.grasp(id) {
            Some(grasp) => (grasp.nodes.clone(), core.epoch),
            None => return Err(dead(id)),
        };
        drop(core);
        Ok(Grasp {
            shared,
            id,
            nodes,
            epoch,
        })
    }

    fn find<'a>(&self, core: &'a Core) -> PyResult<&'a drive::Grasp> {
        let found = core.engine.state().commanded.grasp(self.id);
        let found = found.filter(|grasp| core.epoch == self.epoch && grasp.nodes == self.nodes);
        found.ok_or_else(|| dead(self.id))
    }

    fn lock(&self) -> PyResult<MutexGuard<'_, Core>> {
        let core = self.shared.lock()?;
        self.find(&core)?;
        Ok(core)
    }

    fn frame(&self) -> PyResult<Pose> {
        let core = self.shared.lock()?;
        Ok(self.find(&core)?.travel.pose(core.engine.time()))
    }

    fn load(&self) -> PyResult<Load> {
        let core = self.lock()?;
        Ok(core.engine.grasp_load(self.id).unwrap_or_default())
    }
}

fn dead(id: u32) -> PyErr {
    refused(format!(
        "there is no grasp {id}; it was released, or the simulation went back to before it was made: take hold anew"
    ))
}

#[pymethods]
impl Grasp {
    /// What commands call it by.
    #[getter]
    fn id(&self) -> u32 {
        self.id
    }

    /// The nodes that it holds, numbered over the whole scene.
    #[getter]
    fn nodes<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        PyArray1::from_iter(py, self.nodes.iter().map(|&n| i64::from(n)))
    }

    /// Whether it still holds.
    #[getter]
    fn is_held(&self) -> PyResult<bool> {
        let core = self.shared.lock()?;
        Ok(self.find(&core).is_ok())
    }

    /// Where its frame is (m).
    #[getter]
    fn position<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(array(py, self.frame()?.translation))
    }

    /// How its frame is turned: a quaternion (x, y, z, w).
    #[getter]
    fn rotation<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let turn = self.frame()?.rotation.to_array();
        Ok(PyArray1::from_slice(py, &turn))
    }

    /// Lead it to a pose, or its nodes to places of their own.
    ///
    /// Parameters
    /// ----------
    /// position : (3,) array, optional
    ///     Where its frame is to be (m); where it is if not given.
    /// rotation : (4,) or (3, 3) array, optional
    ///     A quaternion (x, y, z, w) or a matrix; as it is if not given.
    /// within : float
    ///     Evenly within so many seconds; by the end of the next step if zero.
    /// places : (n, 3) array, optional
    ///     A place (m) for each of its nodes, instead of a pose.
    #[pyo3(signature = (position=None, rotation=None, *, within=0.0, places=None))]
    fn move_to(
        &self,
        py: Python<'_>,
        position: Option<&Bound<'_, PyAny>>,
        rotation: Option<&Bound<'_, PyAny>>,
        within: f64,
        places: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let to = match (places, position.is_some() || rotation.is_some()) {
            (Some(places), false) => Target::Places(arguments::vectors(places, "places")?),
            (None, true) => {
                let now = self.frame()?;
                let position = position.map(|p| arguments::vector(p, "the position"));
                let rotation = rotation.map(|r| arguments::rotation(r, "the rotation"));
                Target::Pose(Pose {
                    translation: position.transpose()?.unwrap_or(now.translation),
                    rotation: rotation.transpose()?.unwrap_or(now.rotation),
                })
            }
            _ => {
                return Err(argument(
                    "say where to: give a position, a rotation or both, or else places",
                ));
            }
        };
        drop(self.lock()?);
        let grasp = self.id;
        let command = Command::MoveGrasp { grasp, to, within };
        self.shared.command(py, command).map(drop)
    }

    /// Velocity of its frame (m/s). Set, it goes on and on with it; a pair of vectors sets the angular velocity (rad/s) too.
    #[getter]
    fn velocity<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let core = self.shared.lock()?;
        let travel = self.find(&core)?.travel;
        let arrived = travel
            .goal
            .is_some_and(|(end, _)| core.engine.time() >= end);
        Ok(array(py, if arrived { DVec3::ZERO } else { travel.linear }))
    }

    #[setter]
    fn set_velocity(&self, py: Python<'_>, velocity: &Bound<'_, PyAny>) -> PyResult<()> {
        let [linear, angular] = arguments::velocity(velocity)?;
        drop(self.lock()?);
        let command = Command::MoveGrasp {
            grasp: self.id,
            to: Target::Velocity { linear, angular },
            within: 0.0,
        };
        self.shared.command(py, command).map(drop)
    }

    /// The force of the cloth on whoever holds it in the last step (N); zero until a step has been made.
    #[getter]
    fn force<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(array(py, self.load()?.force))
    }

    /// Its torque about the origin of the grasp's frame (N·m).
    #[getter]
    fn torque<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(array(py, self.load()?.torque))
    }

    /// Let go.
    fn release(&self, py: Python<'_>) -> PyResult<()> {
        drop(self.lock()?);
        let grasp = self.id;
        self.shared
            .command(py, Command::Release { grasp })
            .map(drop)
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(pyo3::exceptions::PyTypeError::new_err(
            "a grasp cannot be pickled; pickle the simulation, and take sim.grasps of it afterwards",
        ))
    }

    fn __repr__(&self) -> String {
        format!("<toile.Grasp {} of {} nodes>", self.id, self.nodes.len())
    }
}
