//! Seams as the scene describes them.

use super::SelectSpec;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Two edges of cloth that are sewn together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SeamSpec {
    /// The one edge.
    pub first: SeamEdgeSpec,
    /// The other, of another cloth or the same.
    pub second: SeamEdgeSpec,
    /// Sew the first edge to the second in the other direction. Without this, each goes in the direction in which threads are shorter.
    #[serde(default)]
    pub reverse: bool,
    /// When the threads begin to shorten (s). Until then they are as long as they were at the start.
    #[serde(default)]
    pub from: f64,
    /// When the seam is closed (s).
    #[serde(default = "default_until")]
    pub until: f64,
    /// What is left between the edges (m). Below the thickness of cloths that meet, contact leaves the faces at the seam alone.
    #[serde(default)]
    pub gap: f64,
    /// Stiffness of a metre of seam (N/m²): how hard it pulls for each metre of its length and of its opening.
    #[serde(default = "default_stiffness")]
    pub stiffness: f64,
    /// Damping over stiffness (s).
    #[serde(default = "default_damping")]
    pub damping: f64,
}

/// One edge of a seam.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SeamEdgeSpec {
    /// The cloth.
    pub cloth: String,
    /// Which nodes: two corners or two nearest points stand for the rim between them, the shorter way; a box or a ball for the rim within; nodes for
    /// themselves in their order; a boundary for all of it.
    pub select: SelectSpec,
}

fn default_until() -> f64 {
    1.0
}

fn default_stiffness() -> f64 {
    1e5
}

fn default_damping() -> f64 {
    0.01
}
