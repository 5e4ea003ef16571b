//! Air and wind as the scene describes them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Air that drags on the cloth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AirSpec {
    /// Density (kg/m³).
    pub density: f64,
    /// Steady wind (m/s).
    pub wind: [f64; 3],
    /// Gusts on top of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gusts: Option<GustSpec>,
    /// The wind rises from calm to its full strength in this time (s).
    pub ramp: f64,
}

impl Default for AirSpec {
    fn default() -> Self {
        AirSpec {
            density: 1.2,
            wind: [0.0; 3],
            gusts: None,
            ramp: 0.0,
        }
    }
}

/// Gusts: eddies that come and go, the same in every run with the same seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GustSpec {
    /// Root mean square of their speed (m/s).
    pub strength: f64,
    /// Their size (m).
    pub length: f64,
    /// How long they last (s).
    pub duration: f64,
    /// Another seed gives other gusts.
    pub seed: u64,
}

impl Default for GustSpec {
    fn default() -> Self {
        GustSpec {
            strength: 1.0,
            length: 0.5,
            duration: 0.5,
            seed: 0,
        }
    }
}
