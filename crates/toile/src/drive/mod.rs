//! Kinematic targets: what moves because the scene says so, not because of forces.
//!
//! A [`RigidPath`] says where a rigid frame is at each time; bodies ride on one and so do pinned nodes.
//! A [`Pin`] holds a group of nodes during given intervals: they follow a path, or their own recorded
//! positions.

mod motion;
mod pin;

pub(crate) use motion::segment;
pub use motion::{Interpolation, Keyframes, Motion, MotionError, Pose, RigidPath};
pub use pin::{Interval, NodeTrajectory, Pin, PinError, PinPath, PinState, Slide};
pub(crate) use pin::{check_pins, drive_pins, held_places};
