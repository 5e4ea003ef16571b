//! Cloths as the scene describes them.

use super::{MeshSpec, MotionSpec, PlaceSpec, RestSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One cloth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClothSpec {
    /// Its mesh.
    pub mesh: MeshSpec,
    /// Where its undeformed shape comes from.
    #[serde(default)]
    pub rest: RestSpec,
    /// Where it starts.
    #[serde(default)]
    pub place: PlaceSpec,
    /// Velocity of the whole cloth at the start (m/s).
    #[serde(default)]
    pub velocity: [f64; 3],
    /// What keeps it from stretching.
    #[serde(default)]
    pub model: ModelSpec,
    /// What it is made of.
    #[serde(default)]
    pub material: MaterialSpec,
    /// Damping by the air, as a rate (1/s): a free fall ends at the speed gravity / damping.
    #[serde(default)]
    pub damping: f64,
    /// Thickness (m): the cloth's surface is half of it away from its nodes.
    #[serde(default = "default_thickness")]
    pub thickness: f64,
    /// Nodes that are held.
    #[serde(default)]
    pub pin: Vec<PinSpec>,
    /// Colour of the front in pictures (red, green, blue from 0 to 1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<[f32; 3]>,
    /// Colour of the back in pictures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub back_color: Option<[f32; 3]>,
}

fn default_thickness() -> f64 {
    2e-3
}

/// What keeps the cloth from stretching.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ModelSpec {
    /// Structural, shear and flexion springs (Provot 1995).
    #[default]
    MassSpring,
}

/// What the cloth is made of. The defaults are a light cotton.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MaterialSpec {
    /// Mass per area (kg/m²).
    pub density: f64,
    /// Stretch stiffness (N/m): force per width at 100 % strain.
    pub stretch_stiffness: f64,
    /// Shear stiffness (N/m): force per width at a shear angle of 1 rad.
    pub shear_stiffness: f64,
    /// Bending rigidity (N·m).
    pub bend: f64,
    /// Internal damping as a time (s): damping force over elastic force per rate of strain.
    pub damping: f64,
}

impl Default for MaterialSpec {
    fn default() -> Self {
        MaterialSpec {
            density: 0.15,
            stretch_stiffness: 4000.0,
            shear_stiffness: 400.0,
            bend: 1e-5,
            damping: 2e-3,
        }
    }
}

/// A group of nodes that is held, and perhaps moved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PinSpec {
    /// Which nodes.
    pub select: SelectSpec,
    /// How they move while held. The group turns about its centre.
    #[serde(default)]
    pub motion: MotionSpec,
    /// When they are held: `[[from, to], …]` (s). A node that is taken again is taken where it is then.
    /// Without this they are held all the time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<[f64; 2]>,
}

/// Which nodes of a cloth. Places are in world coordinates, with the cloth where it starts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum SelectSpec {
    /// Corners of the rim by number, in the order of their nodes. A grid's are 0: −x −y, 1: +x −y, 2: −x +y,
    /// 3: +x +y.
    Corners(Vec<u32>),
    /// Nodes by number, as in the mesh file or in the generator's order.
    Nodes(Vec<u32>),
    /// The node nearest to each of these points (m).
    Nearest(Vec<[f64; 3]>),
    /// Every node in an axis-aligned box.
    Box {
        /// Smallest coordinates (m).
        min: [f64; 3],
        /// Largest coordinates (m).
        max: [f64; 3],
    },
    /// Every node within a ball.
    Ball {
        /// Centre (m).
        center: [f64; 3],
        /// Radius (m).
        radius: f64,
    },
    /// Every node of a boundary loop, by number.
    Boundary(u32),
}
