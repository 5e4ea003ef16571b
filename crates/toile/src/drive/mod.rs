//! Kinematic targets: what moves because the scene says so, not because of forces.
//!
//! A [`RigidPath`] says where a rigid frame is at each time; bodies ride on one and so do pinned nodes.
//! A [`Pin`] holds a group of nodes during given intervals: they follow a path, or their own recorded
//! positions.
//!
//! What is led while a simulation runs is [`Commanded`]: grasps, bodies on a [`Travel`], forces, gravity, wind.

mod commanded;
mod grasp;
mod motion;
mod pin;
mod travel;

pub use commanded::{Commanded, Setting, StageMark};
pub use grasp::{Grasp, Grasped, Grip, Leaving, Target};
pub(crate) use motion::segment;
pub use motion::{Interpolation, Keyframes, Motion, MotionError, Pose, RigidPath};
pub(crate) use pin::check_pins;
pub use pin::{Interval, NodeTrajectory, Pin, PinError, PinPath, PinState, Slide};
pub use travel::Travel;
