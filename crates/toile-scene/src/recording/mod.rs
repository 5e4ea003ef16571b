//! The frame cache `frames.toile`: everything a picture, an export or a player needs, in one file.
//!
//! # Layout (version 2, little-endian)
//! | bytes | what |
//! |---|---|
//! | 0–7 | `TOILEFRM` |
//! | 8–11 | version, `u32` |
//! | 12–15 | length of the JSON header, `u32` |
//! | 16–19 | CRC-32 of everything before the frames but itself, `u32` |
//! | 20– | the JSON [`Header`], then zeros up to the next multiple of 64 |
//! | the offsets in the header | the arrays that the header names, each 64-byte aligned |
//! | `header.frames_offset` | the frames, `header.frame_stride` bytes each, to the end of the file |
//!
//! A frame is: time (`f64`, s); its origin (3 × `f64`, m); for every body its pose (7 × `f64`: translation in m, then the rotation
//! quaternion x y z w); for every node its position from the frame's origin (3 × `f32`, m), all cloths one after the other; if the header says
//! `velocities`, for every node its velocity (3 × `f32`, m/s); zeros; a CRC-32 of all of these bytes, in the last four of a multiple of 8.
//! Frame `i` starts at `frames_offset + i · frame_stride`, and a program that maps the file into memory can point straight at it. An
//! incomplete last frame (a run that was cut off) does not count.
//!
//! A body that deforms has in its header the times of its own frames and its surface in each of them. Between them it moves on
//! straight lines, before and after them it stands still; the poses carry it besides. A reader that does not know of this shows it as in its first frame.

mod compare;
mod footage;
mod frame;
mod morph;
mod reader;
mod writer;

pub use compare::{
    Arrangement, Axis, CompareError, Variant, colors_of, compare, write_comparison, write_overlay,
    write_side_by_side,
};
pub use footage::{Footage, Reel};
pub(crate) use frame::origin_of;
pub use morph::Morph;
pub use reader::Recording;
pub use writer::RecordingWriter;

use glam::{DQuat, DVec2, DVec3};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use thiserror::Error;
use toile::drive::Pose;
use toile::mesh::{Face, Mesh};

/// Name of the cache inside a run folder.
pub const FILE_NAME: &str = "frames.toile";
pub(crate) const MAGIC: &[u8; 8] = b"TOILEFRM";
pub(crate) const VERSION: u32 = 2;

/// One cloth of a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct ClothTrack {
    /// Its name in the scene.
    pub name: String,
    /// Its first node in every frame.
    pub first_node: usize,
    /// How many nodes it has.
    pub node_count: usize,
    /// Its faces; node indices count from the cloth's own first node.
    pub faces: Vec<Face>,
    /// Rest area of each face (m²).
    pub rest_areas: Vec<f32>,
    /// Its edges; node indices count from the cloth's own first node.
    pub edges: Vec<[u32; 2]>,
    /// Rest length of each edge (m).
    pub rest_lengths: Vec<f32>,
    /// How thick it is (m); 0 where nobody knows.
    pub thickness: f32,
    /// Front and back colour, sRGB from 0 to 1.
    pub colors: [[f32; 3]; 2],
    /// What its mesh carries besides its shape.
    pub attributes: Attributes,
}

/// What a surface carries for other programs: the engine itself has no use for it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attributes {
    /// Texture coordinates of each face's corners, as the mesh has them; the fourth entry of a triangle is unused.
    pub corner_uvs: Option<Vec<[[f32; 2]; 4]>>,
    /// A colour for every node, sRGB from 0 to 1.
    pub node_colors: Option<Vec<[f32; 3]>>,
}

impl Attributes {
    /// Those of a mesh.
    pub fn of(mesh: &Mesh) -> Self {
        let narrow = |uvs: &[DVec2; 4]| uvs.map(|uv| uv.as_vec2().to_array());
        let uvs = mesh.corner_uvs.as_ref();
        Attributes {
            corner_uvs: uvs.map(|uvs| uvs.iter().map(narrow).collect()),
            node_colors: mesh.node_colors.clone(),
        }
    }

    /// Whether they belong to a surface with so many faces and nodes.
    pub fn fit(&self, faces: usize, nodes: usize) -> bool {
        let uvs = self.corner_uvs.as_ref();
        let colors = self.node_colors.as_ref();
        uvs.is_none_or(|uvs| uvs.len() == faces) && colors.is_none_or(|c| c.len() == nodes)
    }
}

/// One body of a recording: a surface that moves along the frames' poses, and may deform besides.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyTrack {
    /// Its name in the scene.
    pub name: String,
    /// Its surface in its own frame (m), the first one if it deforms. An unbounded plane has none.
    pub positions: Vec<DVec3>,
    /// How the surface deforms, if it does.
    pub morph: Option<Morph>,
    /// The faces of the surface.
    pub faces: Vec<Face>,
    /// Whether the surface is curved (shaded smooth) or made of flat sides.
    pub smooth: bool,
    /// For a level, motionless plane: its height (m), drawn as the ground.
    pub ground_height: Option<f64>,
    /// Colour, sRGB from 0 to 1.
    pub color: [f32; 3],
    /// What its mesh carries besides its shape.
    pub attributes: Attributes,
}

/// Rigid position and orientation of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyPose {
    /// Translation (m).
    pub translation: DVec3,
    /// Rotation.
    pub rotation: DQuat,
}

impl From<Pose> for BodyPose {
    fn from(pose: Pose) -> Self {
        BodyPose {
            translation: pose.translation,
            rotation: pose.rotation,
        }
    }
}

/// One frame as read back.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedFrame {
    /// Simulated time (s).
    pub time: f64,
    /// One pose per body, in the order of [`Recording::bodies`].
    pub poses: Vec<BodyPose>,
    /// Node positions (m), all cloths one after the other.
    pub positions: Vec<DVec3>,
    /// Node velocities (m/s); none where the recording has none.
    pub velocities: Vec<DVec3>,
}

/// What the JSON header holds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Header {
    /// Title of the scene.
    pub title: String,
    /// Frames per second of simulated time.
    pub fps: f64,
    /// Number of nodes of all cloths together.
    pub node_count: usize,
    /// Where the frames start (bytes).
    pub frames_offset: u64,
    /// Bytes from one frame to the next.
    pub frame_stride: u64,
    /// Whether frames have velocities.
    pub velocities: bool,
    pub(crate) cloths: Vec<ClothHeader>,
    pub(crate) bodies: Vec<BodyHeader>,
}

/// Where an array lies in the file and how many elements it has.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Array {
    pub offset: u64,
    pub count: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ClothHeader {
    pub name: String,
    pub first_node: usize,
    pub node_count: usize,
    /// 4 × u32 per face; the last is 0xFFFFFFFF for a triangle.
    pub faces: Array,
    /// f32 per face (m²).
    pub rest_areas: Array,
    /// 2 × u32 per edge.
    pub edges: Array,
    /// f32 per edge (m).
    pub rest_lengths: Array,
    /// m.
    #[serde(default)]
    pub thickness: f32,
    pub colors: [[f32; 3]; 2],
    #[serde(flatten)]
    pub attributes: AttributesHeader,
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct AttributesHeader {
    /// 4 × 2 × f32 per face; the last pair is unused for a triangle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corner_uvs: Option<Array>,
    /// 3 × f32 per node (sRGB, 0 to 1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_colors: Option<Array>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct BodyHeader {
    pub name: String,
    /// 3 × f64 per node (m).
    pub positions: Array,
    /// 4 × u32 per face, as for cloths.
    pub faces: Array,
    /// Only if it deforms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub morph: Option<MorphHeader>,
    pub smooth: bool,
    pub ground_height: Option<f64>,
    pub color: [f32; 3],
    #[serde(flatten)]
    pub attributes: AttributesHeader,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct MorphHeader {
    /// f64 per frame of the body (s).
    pub times: Array,
    /// 3 × f32 per frame and node (m).
    pub positions: Array,
}

/// A recording that cannot be read or written.
#[derive(Debug, Error)]
pub enum RecordingError {
    /// The operating system says no.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is not what it should be.
    #[error("{path} is not a readable frame cache: {what}")]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// It was written by an earlier or a later program.
    #[error(
        "{path} has format {found}, and this version of toile reads format {VERSION}; run the scene again with it"
    )]
    OtherVersion {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// A frame is not what was written.
    #[error(
        "{path}: frame {index} (counted from 0) is damaged, its checksum is wrong; run the scene again with --force"
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The frame.
        index: usize,
    },
    /// A frame has a number that is none.
    #[error(
        "{path}: frame {index} (counted from 0), {what}, is not finite or too large to be stored"
    )]
    NotFinite {
        /// The file.
        path: PathBuf,
        /// The frame.
        index: usize,
        /// What is not finite.
        what: String,
    },
    /// A frame does not have the nodes and bodies that the file says.
    #[error("{path}: a frame with {what} does not belong here")]
    OtherFrame {
        /// The file.
        path: PathBuf,
        /// What it has.
        what: String,
    },
    /// A frame that is not there.
    #[error("{path} has {count} frames; frame {index} was asked for (they count from 0)")]
    NoSuchFrame {
        /// The file.
        path: PathBuf,
        /// The frame asked for.
        index: usize,
        /// How many there are.
        count: usize,
    },
}
