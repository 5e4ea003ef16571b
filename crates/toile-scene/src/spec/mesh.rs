//! Meshes as the scene describes them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A cloth's mesh: generated, or read from a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum MeshSpec {
    /// A rectangular sheet in the plane z = 0, centred on the origin.
    Grid {
        /// Lengths along x and y (m).
        size: [f64; 2],
        /// Cells along x and y.
        cells: [u32; 2],
        /// Quads or triangles.
        #[serde(default)]
        pattern: PatternSpec,
    },
    /// An irregular triangle mesh of a polygon in the plane z = 0.
    Polygon {
        /// Corners of the outline (m), in order around it.
        outline: Vec<[f64; 2]>,
        /// Outlines of holes (m).
        #[serde(default)]
        holes: Vec<Vec<[f64; 2]>>,
        /// How many nodes it should have.
        nodes: u32,
        /// Another number gives another irregular mesh.
        #[serde(default)]
        seed: u64,
    },
    /// A disc in the plane z = 0, centred on the origin.
    Disc {
        /// Radius (m).
        radius: f64,
        /// How many nodes it should have.
        nodes: u32,
        /// How they are laid.
        #[serde(default)]
        pattern: DiscPatternSpec,
        /// Another number gives another irregular mesh.
        #[serde(default)]
        seed: u64,
    },
    /// A flat ring in the plane z = 0, centred on the origin.
    Ring {
        /// Radius of the hole (m).
        inner_radius: f64,
        /// Radius of the outer rim (m).
        outer_radius: f64,
        /// Cells around and across.
        cells: [u32; 2],
        /// Quads or triangles.
        #[serde(default)]
        pattern: PatternSpec,
    },
    /// An open tube around the z axis, centred on the origin.
    Tube {
        /// Radius at the lower end (m).
        radius: f64,
        /// Radius at the upper end (m), if it differs: a cone, a skirt.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        top_radius: Option<f64>,
        /// Height (m).
        height: f64,
        /// Cells around and along.
        cells: [u32; 2],
        /// Quads or triangles.
        #[serde(default)]
        pattern: PatternSpec,
    },
    /// A closed sphere around the origin.
    Sphere {
        /// Radius (m).
        radius: f64,
        /// How many nodes it should have at least.
        nodes: u32,
        /// How they are laid.
        #[serde(default)]
        pattern: SpherePatternSpec,
    },
    /// A mesh from an OBJ or PLY file.
    File {
        /// The file, relative to the scene.
        path: PathBuf,
        /// Metres per unit of the file (0.001 if it is in millimetres).
        #[serde(default = "one")]
        scale: f64,
    },
}

fn one() -> f64 {
    1.0
}

/// How a regular mesh is cut into faces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PatternSpec {
    /// One quad per cell.
    #[default]
    Quads,
    /// Triangles; every diagonal rises to the right.
    Forward,
    /// Triangles; every diagonal falls to the right.
    Backward,
    /// Triangles; diagonals flip like a chessboard.
    Alternating,
    /// Triangles; diagonals flip row by row.
    HerringBone,
}

/// How a disc is meshed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DiscPatternSpec {
    /// Irregular triangles: no direction is special.
    #[default]
    Irregular,
    /// Rings of quads around a fan of triangles.
    Rings,
    /// Squares, cut off at the rim.
    Squares,
}

/// How a sphere is meshed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SpherePatternSpec {
    /// A subdivided icosahedron.
    #[default]
    Icosphere,
    /// Rings of latitude.
    Latitude,
    /// A cube blown up: quads only.
    Cube,
}

/// Where the undeformed shape comes from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum RestSpec {
    /// The mesh as it is.
    #[default]
    Mesh,
    /// The texture coordinates: a sewing pattern.
    Uv {
        /// Metres per unit of texture coordinate.
        #[serde(default = "one")]
        scale: f64,
    },
    /// A second file with the same faces.
    File {
        /// The file, relative to the scene.
        path: PathBuf,
        /// Metres per unit of the file.
        #[serde(default = "one")]
        scale: f64,
    },
}
