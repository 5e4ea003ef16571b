//! Bodies as the scene describes them.

use super::{MotionSpec, PlaceSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A rigid body that cloth collides with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BodySpec {
    /// Its shape.
    pub shape: ShapeSpec,
    /// Where it stands. With a trajectory this is its place in the moving frame.
    #[serde(default)]
    pub place: PlaceSpec,
    /// How it moves; it turns about its own origin.
    #[serde(default)]
    pub motion: MotionSpec,
    /// Coulomb friction coefficient.
    #[serde(default = "default_friction")]
    pub friction: f64,
    /// Colour in pictures (red, green, blue from 0 to 1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<[f32; 3]>,
}

fn default_friction() -> f64 {
    0.3
}

/// Shapes, each around its own origin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum ShapeSpec {
    /// The half-space below z = 0: a floor, or a wall when turned.
    Plane,
    /// A ball.
    Sphere {
        /// Radius (m).
        radius: f64,
    },
    /// A box.
    Box {
        /// Side lengths (m).
        size: [f64; 3],
    },
    /// A cylinder along z with round ends.
    Capsule {
        /// Radius (m).
        radius: f64,
        /// Length of the straight part (m).
        length: f64,
    },
    /// A cylinder along z with flat ends.
    Cylinder {
        /// Radius (m).
        radius: f64,
        /// Height (m).
        height: f64,
    },
    /// A round table top with a rounded rim; its upper side is at z = 0.
    Disc {
        /// Radius (m).
        radius: f64,
        /// Thickness (m).
        thickness: f64,
    },
}
