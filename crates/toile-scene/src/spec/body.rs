//! Bodies as the scene describes them.

use super::{MotionSpec, PlaceSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A body that cloth collides with: rigid, or a mesh that deforms.
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
    /// Coulomb friction: one coefficient, or `{ static, kinetic }`.
    #[serde(default)]
    pub friction: FrictionSpec,
    /// Where and when cloth sticks to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sticky: Vec<StickySpec>,
    /// Colour in pictures (red, green, blue from 0 to 1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<[f32; 3]>,
}

/// Coefficients of friction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "expected a coefficient of friction or { static = …, kinetic = … }"
)]
pub enum FrictionSpec {
    /// The same at rest and while sliding.
    Same(f64),
    /// One at rest, one while sliding.
    Different {
        /// What holds cloth at rest.
        r#static: f64,
        /// What slows cloth that slides; not above the other.
        kinetic: f64,
    },
}

impl Default for FrictionSpec {
    fn default() -> Self {
        FrictionSpec::Same(0.3)
    }
}

/// A sticky part of a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StickySpec {
    /// Which part.
    #[serde(default)]
    pub region: RegionSpec,
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

/// A part of a body, in its own frame: before `place` and `motion`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum RegionSpec {
    /// All of it.
    #[default]
    Everywhere,
    /// What is in an axis-aligned box.
    Box {
        /// Smallest coordinates (m).
        min: [f64; 3],
        /// Largest coordinates (m).
        max: [f64; 3],
    },
    /// What is in a ball.
    Ball {
        /// Centre (m).
        center: [f64; 3],
        /// Radius (m).
        radius: f64,
    },
}

pub(super) fn default_reach() -> f64 {
    1e-4
}

/// Shapes, each around its own origin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// Several shapes that move as one body, such as the fingers of a gripper.
    Parts(Vec<PartSpec>),
    /// A closed mesh of triangles or quads, fronts outwards, by its level set. Holes are covered.
    Mesh {
        /// The mesh (.obj or .ply), from the scene's folder.
        file: PathBuf,
        /// Side of the level set's finest cells (m); without it a hundredth of the mesh's longest side.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cell: Option<f64>,
        /// Turn a mesh that is inside out, which is an error otherwise.
        #[serde(default)]
        flip: bool,
    },
    /// A closed mesh that deforms, by one file for each of its frames, all with the same nodes and faces. Nodes move on straight lines
    /// between frames; before the first and after the last the body stands still.
    Sequence {
        /// The meshes (.obj or .ply), from the scene's folder: a list, or one name with a `*` where the frame's number is.
        files: FilesSpec,
        /// Frames per second.
        fps: f64,
        /// When the first frame is (s).
        #[serde(default)]
        start: f64,
        /// Turn a mesh that is inside out, which is an error otherwise.
        #[serde(default)]
        flip: bool,
    },
    /// A closed mesh that an animated binary glTF file (.glb) deforms: moving nodes, morph targets and skins. Its y is the scene's z.
    Gltf {
        /// The file, from the scene's folder.
        file: PathBuf,
        /// Name of the animation; without it the first one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        animation: Option<String>,
        /// How often the animation is looked at per second; in between nodes move on straight lines.
        #[serde(default = "default_fps")]
        fps: f64,
        /// When the animation begins (s).
        #[serde(default)]
        start: f64,
        /// Turn a mesh that is inside out, which is an error otherwise.
        #[serde(default)]
        flip: bool,
    },
}

/// One of several shapes of a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PartSpec {
    /// Its shape: bounded, and none that deforms.
    pub shape: ShapeSpec,
    /// Where it stands in the body's own frame.
    #[serde(default)]
    pub place: PlaceSpec,
}

impl ShapeSpec {
    /// How many bodies it is to the engine.
    pub fn part_count(&self) -> usize {
        match self {
            ShapeSpec::Parts(parts) => parts.len(),
            _ => 1,
        }
    }
}

fn default_fps() -> f64 {
    60.0
}

/// Several files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "a file name with a `*` in it, or a list of file names, was expected"
)]
pub enum FilesSpec {
    /// A name with a `*` that stands for the number of each file.
    Pattern(String),
    /// One name after the other.
    List(Vec<PathBuf>),
}
