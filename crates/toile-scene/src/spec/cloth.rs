//! Cloths as the scene describes them.

use super::body::default_reach;
use super::{
    BendingSpec, FoldSpec, HessianSpec, LimitSpec, MaterialSpec, MeshSpec, ModelSpec, MotionSpec,
    PlaceSpec, RegionSpec, RestSpec, WarpSpec,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One cloth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClothSpec {
    /// Its mesh.
    pub mesh: MeshSpec,
    /// Makes the mesh rough before anything is measured on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise: Option<NoiseSpec>,
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
    /// What it will not do, whatever pulls at it. The models that are limits themselves bring their own, and a tension field stretches
    /// by 2 % at the most where limits and contacts are met in one solve, unless it is `"none"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<LimitSpec>,
    /// What resists bending.
    #[serde(default)]
    pub bending: BendingSpec,
    /// What it is made of.
    #[serde(default)]
    pub material: MaterialSpec,
    /// Where the warp runs.
    #[serde(default)]
    pub warp: WarpSpec,
    /// Folds that dihedral and curvature bending rest in, and how new ones come to stay.
    #[serde(default)]
    pub fold: FoldSpec,
    /// Which stiffness implicit steps see of faces and hinges.
    #[serde(default)]
    pub hessian: HessianSpec,
    /// Damping by the air, as a rate (1/s): a free fall ends at the speed gravity / damping.
    #[serde(default)]
    pub damping: f64,
    /// Mass per area that gravity acts on (kg/m²), if it is another than the density: still air holds up light cloth
    /// (the virtual mass of Coltraro and others 2022).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub virtual_mass: Option<f64>,
    /// How the air of `environment.air` acts on it.
    #[serde(default)]
    pub drag: DragSpec,
    /// Thickness (m): the cloth's surface is half of it away from its nodes.
    #[serde(default = "default_thickness")]
    pub thickness: f64,
    /// Coulomb friction coefficient against cloth. Between two cloths it is the geometric mean of theirs.
    #[serde(default = "default_friction")]
    pub friction: f64,
    /// Modulus of compression across the thickness (Pa): two bodies that leave a part `s` of the thickness between them are pushed apart
    /// with the pressure (1 − s) times this. It is what friction between fingers has to hold with.
    #[serde(default = "default_compression")]
    pub compression: f64,
    /// Nodes that are held.
    #[serde(default)]
    pub pin: Vec<PinSpec>,
    /// Nodes that stick to bodies, or to cloth, that they touch.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub adhere: Vec<AdhereSpec>,
    /// Where and when cloth sticks to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sticky: Vec<StickyClothSpec>,
    /// Colour of the front in pictures (red, green, blue from 0 to 1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<[f32; 3]>,
    /// Colour of the back in pictures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub back_color: Option<[f32; 3]>,
}

/// Random heights of the nodes, along the normals of the mesh.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoiseSpec {
    /// Their standard deviation (m).
    pub deviation: f64,
    /// Another number gives other heights.
    #[serde(default)]
    pub seed: u64,
}

fn default_thickness() -> f64 {
    2e-3
}

fn default_friction() -> f64 {
    0.3
}

/// Kawabata's press of 4.9 kPa takes 30 to 50 % of the thickness of common fabrics.
fn default_compression() -> f64 {
    1e4
}

/// How moving air acts on the cloth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DragSpec {
    /// Coefficient of flow against a face; a square plate has about 1.2.
    pub normal: f64,
    /// Coefficient of friction along a face, both sides together.
    pub tangential: f64,
}

impl Default for DragSpec {
    fn default() -> Self {
        DragSpec {
            normal: 1.2,
            tangential: 0.02,
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
    /// Which way they may slide while held.
    #[serde(default)]
    pub slide: SlideSpec,
    /// When they are held: `[[from, to], …]` (s). A node that is taken again is taken where it is then.
    /// Without this they are held all the time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<[f64; 2]>,
}

/// A sticky part of a cloth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StickyClothSpec {
    /// The faces all of whose nodes are here. Without this all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub select: Option<SelectSpec>,
    /// When it sticks: `[[from, to], …]` (s). Without this all the time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub during: Vec<[f64; 2]>,
    /// Cloth that is pulled more strongly comes off (N/m²). Without this only time lets go.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strength: Option<f64>,
    /// Cloth that is this near touches (m).
    #[serde(default = "default_reach")]
    pub reach: f64,
}

/// A part of the cloth that sticks to bodies, or to cloth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AdhereSpec {
    /// Which nodes.
    pub select: SelectSpec,
    /// The body that they stick to; any if neither a body nor a cloth is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The part of the body.
    #[serde(default)]
    pub region: RegionSpec,
    /// The cloth that they stick to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cloth: Option<String>,
    /// The part of that cloth: faces all of whose nodes are here. Without this all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<SelectSpec>,
    /// When they stick: `[[from, to], …]` (s). Without this all the time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub during: Vec<[f64; 2]>,
    /// What they bear (N/m²). Without this only time lets go.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strength: Option<f64>,
    /// Nodes that are this near touch (m).
    #[serde(default = "default_reach")]
    pub reach: f64,
}

/// Which way held nodes may slide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum SlideSpec {
    /// Nowhere.
    #[default]
    Fixed,
    /// Along a line of this direction.
    Line([f64; 3]),
    /// In a plane with this normal.
    Plane([f64; 3]),
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
