//! How `toile drape` looks for the equilibrium.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How `toile drape` looks for the shape in which all forces balance. `toile run` does not read it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DrapeSpec {
    /// Stop when the force left on all nodes together has fallen to this part of the weight.
    pub tolerance: f64,
    /// Newton steps at the most.
    pub max_iterations: u32,
    /// From this distance on cloth feels a body (m), beyond half its thickness.
    pub barrier: f64,
    /// Random displacement of every node at the start, in edge lengths; it lets flat cloth buckle. 0 for none.
    pub perturbation: f64,
    /// Where its random numbers come from.
    pub seed: u32,
}

impl Default for DrapeSpec {
    fn default() -> Self {
        DrapeSpec {
            tolerance: 1e-6,
            max_iterations: 1000,
            barrier: 1e-3,
            perturbation: 1e-5,
            seed: 1,
        }
    }
}
