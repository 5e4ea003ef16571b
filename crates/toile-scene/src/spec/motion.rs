//! Places and motions as the scene describes them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Where something stands: first turned, then moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PlaceSpec {
    /// Position of its origin (m).
    pub at: [f64; 3],
    /// Turned about the x axis, then the y axis, then the z axis (degrees).
    pub rotate_degrees: [f64; 3],
}

/// How something moves. All but trajectories are displacements from where it stands at the start.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum MotionSpec {
    /// Stays.
    #[default]
    Fixed,
    /// Constant velocity.
    Velocity {
        /// m/s.
        #[serde(default)]
        linear: [f64; 3],
        /// rad/s, about the axis it points along.
        #[serde(default)]
        angular: [f64; 3],
    },
    /// To and fro: `amplitude · (sin(2π frequency t + phase) − sin phase)`.
    Sinusoid {
        /// Amplitude of the movement (m).
        #[serde(default)]
        amplitude: [f64; 3],
        /// Amplitude of the turn (rad), about the axis it points along.
        #[serde(default)]
        angular: [f64; 3],
        /// Hz.
        frequency: f64,
        /// rad.
        #[serde(default)]
        phase: f64,
    },
    /// Displacements at given times.
    Keyframes {
        /// The keys, by increasing time.
        keys: Vec<KeySpec>,
        /// How they are joined.
        #[serde(default)]
        interpolation: InterpolationSpec,
    },
    /// A recorded motion: a CSV file with columns `time,x,y,z[,qx,qy,qz,qw]` for a rigid frame in world
    /// coordinates, or, for pins, `time,x0,y0,z0,x1,…` for the positions of the pinned nodes one by one.
    Trajectory {
        /// The file, relative to the scene.
        path: PathBuf,
        /// Metres per unit of the file.
        #[serde(default = "one")]
        scale: f64,
    },
}

fn one() -> f64 {
    1.0
}

/// One keyframe.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KeySpec {
    /// When (s).
    pub time: f64,
    /// Displacement (m).
    #[serde(default)]
    pub displacement: [f64; 3],
    /// Turned about the x axis, then y, then z (degrees).
    #[serde(default)]
    pub rotate_degrees: [f64; 3],
}

/// How keyframes are joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InterpolationSpec {
    /// Smoothly, starting and ending at rest.
    #[default]
    Smooth,
    /// By straight lines.
    Linear,
}
