//! A body of the scene, which can be led.

use crate::answers::array;
use crate::arguments;
use crate::core::{Core, Shared};
use crate::errors::{self, refused};
use numpy::PyArray1;
use pyo3::prelude::*;
use std::sync::Arc;
use toile::command::Command;
use toile::contact::Load;
use toile::drive::Pose;
use toile::glam::DVec3;

/// A body of the scene. ``sim.body["name"]`` is one.
#[pyclass(frozen, module = "toile._toile")]
pub struct Body {
    shared: Arc<Shared>,
    index: usize,
}

impl Body {
    /// A body by its number in the scene.
    pub fn new(shared: Arc<Shared>, index: usize) -> Self {
        Body { shared, index }
    }

    fn frame(&self, core: &Core) -> Pose {
        let frame = &core.world.body_frames[self.index];
        frame.pose_in(core.engine.model(), core.engine.state())
    }

    /// Where each of the engine's bodies is in the body's own frame, by number.
    fn parts(&self, core: &Core) -> Vec<(usize, Pose)> {
        let frame = self.frame(core);
        let back = Pose {
            translation: frame.rotation.conjugate() * -frame.translation,
            rotation: frame.rotation.conjugate(),
        };
        let parts = core.world.body_frames[self.index].parts.clone();
        let [first, alone] = [parts.start, parts.len()];
        parts
            .map(|part| match (part == first, alone == 1) {
                (true, true) => (part, Pose::IDENTITY),
                _ => (part, back.after(&core.engine.body_pose(part))),
            })
            .collect()
    }

    fn load(&self) -> PyResult<Load> {
        self.shared.work(|core| {
            let loads = core.engine.body_loads();
            if loads.is_empty() {
                return Ok(Load::default());
            }
            let all = core.world.body_loads(core.engine.state(), loads);
            Ok(all[self.index])
        })
    }

    fn lead(&self, py: Python<'_>, to: Pose, within: f64) -> PyResult<()> {
        py.detach(|| {
            self.shared.work(|core| {
                let parts = self.parts(core);
                let turns = to.rotation.angle_between(self.frame(core).rotation) > 1e-9;
                if parts.len() > 1 && turns && within > 0.0 {
                    return Err(refused(
                        "a body of several parts cannot be turned over time; lead it step by step, with within=0",
                    ));
                }
                if !to.is_possible() && to.translation.is_finite() {
                    return Err(refused(format!(
                        "the rotation is {:?}; it must be a quaternion (x, y, z, w) of length 1",
                        to.rotation.to_array()
                    )));
                }
                for (body, part) in parts {
                    let to = match part == Pose::IDENTITY {
                        true => to,
                        false => to.after(&part),
                    };
                    let led = core.engine.command(&Command::MoveBody { body, to, within });
                    led.map_err(|error| errors::command(&error))?;
                }
                Ok(())
            })
        })
    }
}

#[pymethods]
impl Body {
    /// Its name in the scene.
    #[getter]
    fn name(&self) -> PyResult<String> {
        let core = self.shared.lock()?;
        Ok(core.world.body_frames[self.index].name.clone())
    }

    /// Position (m) and rotation, a quaternion (x, y, z, w), of its frame.
    ///
    /// Set, the body is there by the end of the next step. Positions alone, seven numbers, a pair of position and rotation (quaternion or
    /// matrix) and matrices of 4 × 4 are taken.
    #[getter]
    #[allow(clippy::type_complexity)]
    fn pose<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>)> {
        let core = self.shared.lock()?;
        let pose = self.frame(&core);
        let turn = PyArray1::from_slice(py, &pose.rotation.to_array());
        Ok((array(py, pose.translation), turn))
    }

    #[setter]
    fn set_pose(&self, py: Python<'_>, pose: &Bound<'_, PyAny>) -> PyResult<()> {
        self.move_to(py, pose, 0.0)
    }

    /// Lead it to a pose.
    ///
    /// Parameters
    /// ----------
    /// pose : (3,), (7,) or (4, 4) array, or a pair
    ///     What ``pose`` takes.
    /// within : float
    ///     Evenly within so many seconds; by the end of the next step if zero.
    #[pyo3(signature = (pose, /, within=0.0))]
    fn move_to(&self, py: Python<'_>, pose: &Bound<'_, PyAny>, within: f64) -> PyResult<()> {
        let now = self.frame(&*self.shared.lock()?);
        let to = arguments::pose(pose, "the pose", now)?;
        self.lead(py, to, within)
    }

    /// Drive it on and on.
    ///
    /// Parameters
    /// ----------
    /// linear : (3,) array
    ///     Velocity of its frame's origin (m/s).
    /// angular : (3,) array, optional
    ///     Angular velocity about it (rad/s); none by default.
    #[pyo3(signature = (linear, angular=None, /))]
    fn drive(
        &self,
        py: Python<'_>,
        linear: &Bound<'_, PyAny>,
        angular: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let linear = arguments::vector(linear, "the velocity")?;
        let angular = angular.map(|a| arguments::vector(a, "the angular velocity"));
        let angular = angular.transpose()?.unwrap_or(DVec3::ZERO);
        py.detach(|| {
            self.shared.work(|core| {
                let parts = core.world.body_frames[self.index].parts.clone();
                if parts.len() > 1 && angular != DVec3::ZERO {
                    return Err(refused(
                        "a body of several parts cannot be turned on and on; lead it step by step by its pose",
                    ));
                }
                for body in parts {
                    let drive = Command::DriveBody {
                        body,
                        linear,
                        angular,
                    };
                    let driven = core.engine.command(&drive);
                    driven.map_err(|error| errors::command(&error))?;
                }
                Ok(())
            })
        })
    }

    /// Put it back on the path that the scene has for it.
    fn release(&self) -> PyResult<()> {
        self.shared.work(|core| {
            for body in core.world.body_frames[self.index].parts.clone() {
                let released = core.engine.command(&Command::ReleaseBody { body });
                released.map_err(|error| errors::command(&error))?;
            }
            Ok(())
        })
    }

    /// The force of the cloth on it in the last step (N); zero until a step has been made.
    #[getter]
    fn force<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(array(py, self.load()?.force))
    }

    /// The torque of the cloth about the origin of its frame (N·m).
    #[getter]
    fn torque<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(array(py, self.load()?.torque))
    }

    /// How many nodes press on it.
    #[getter]
    fn touching(&self) -> PyResult<usize> {
        Ok(self.load()?.nodes)
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(pyo3::exceptions::PyTypeError::new_err(
            "a body cannot be pickled; pickle the simulation, and take sim.body of it afterwards",
        ))
    }

    fn __repr__(&self) -> PyResult<String> {
        Ok(format!("<toile.Body {:?}>", self.name()?))
    }
}
