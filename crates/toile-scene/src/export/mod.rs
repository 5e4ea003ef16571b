//! Exporters: a recording becomes files that other programs read.
//!
//! | format | files | what it keeps |
//! |---|---|---|
//! | [`Glb`](ExportFormat::Glb) | one | cloths and bodies that deform as morph targets, bodies as moving nodes; triangles only |
//! | [`Usda`](ExportFormat::Usda) | one | cloths as time-sampled points, bodies as moving nodes; quads stay quads |
//! | [`Vtu`](ExportFormat::Vtu) | one or two per frame, and a `.pvd` | quads, stretch, displacement, area ratio |
//! | [`Obj`](ExportFormat::Obj), [`Ply`](ExportFormat::Ply) | one per frame | the cloths' shape, normals |
//! | [`Pc2`](ExportFormat::Pc2), [`Mdd`](ExportFormat::Mdd) | one per cloth, and an OBJ | how the cloths' nodes move |
//!
//! All of them keep texture coordinates and the colours of nodes; [`Vtu`](ExportFormat::Vtu) only those of cloths without seams.
//!
//! The laws of this room: whatever a format cannot hold is said in [`ExportSummary::notes`]; a file that
//! exists is never replaced unless the user asks for it; and no file has its real name before it is whole.

mod frames;
mod glb;
mod gltf;
mod output;
mod point_cache;
mod sequence;
mod surface;
mod usda;
mod usda_text;
mod vertices;
mod vtu;
mod vtu_file;

use crate::recording::{Recording, RecordingError};
use frames::Selection;
use glam::DVec3;
use std::ops::Range;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The formats a recording can be exported to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// Wavefront OBJ, one file per frame.
    Obj,
    /// Stanford PLY, one file per frame.
    Ply,
    /// Binary glTF 2.0 with the whole animation in one file.
    Glb,
    /// USD as text with the whole animation in one file.
    Usda,
    /// VTK unstructured grids, one per frame, and a ParaView collection with the times.
    Vtu,
    /// Point caches for Blender, Maya and 3ds Max: one file per cloth, and its mesh as OBJ.
    Pc2,
    /// Point caches for Blender, Houdini and LightWave: one file per cloth, and its mesh as OBJ.
    Mdd,
}

/// Which axis points up in files that cannot say so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UpAxis {
    /// As in the recording.
    #[default]
    Z,
    /// As in Houdini and Maya: everything is turned by −90° about x.
    Y,
}

impl UpAxis {
    /// A place of the recording as the file has it.
    fn place(self, p: DVec3) -> DVec3 {
        match self {
            UpAxis::Z => p,
            UpAxis::Y => DVec3::new(p.x, p.z, -p.y),
        }
    }

    fn turn(self, places: &mut [DVec3]) {
        places.iter_mut().for_each(|p| *p = self.place(*p));
    }

    fn note(self) -> String {
        match self {
            UpAxis::Z => {
                "z is up and lengths are metres; in an OBJ import choose up axis Z and forward axis Y".into()
            }
            UpAxis::Y => {
                "y is up and lengths are metres; in an OBJ import choose up axis Y and forward axis −Z".into()
            }
        }
    }
}

/// Which frames to export, and whether files may be replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportOptions {
    /// The frames, counted from 0; `None` means all.
    pub frames: Option<Range<usize>>,
    /// Takes every n-th of these frames, the first one always among them.
    pub every: usize,
    /// Replaces files that exist.
    pub force: bool,
    /// Which axis is up in OBJ, PLY, PC2 and MDD; the other formats say it themselves.
    pub up: UpAxis,
    /// The number that a point cache gives its first frame.
    pub start_frame: i32,
}

impl Default for ExportOptions {
    fn default() -> Self {
        ExportOptions {
            frames: None,
            every: 1,
            force: false,
            up: UpAxis::Z,
            start_frame: 1,
        }
    }
}

/// What an export wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExportSummary {
    /// The files, in the order they were written.
    pub files: Vec<PathBuf>,
    /// What the user should know: what the format could not hold, sizes, settings of other programs.
    pub notes: Vec<String>,
}

/// An export that did not happen. None of its files is there under its real name, except after an
/// [`Io`](ExportError::Io) error while the finished files of a sequence were being renamed.
#[derive(Debug, Error)]
pub enum ExportError {
    /// The recording cannot be read.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// The operating system says no.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is there already.
    #[error("{path} exists already; choose another name, or allow replacing it with --force")]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The path cannot be a file's name.
    #[error("{path} cannot be written: {what}")]
    BadPath {
        /// The path.
        path: PathBuf,
        /// What is wrong with it.
        what: &'static str,
    },
    /// The frames asked for are not there.
    #[error("{what}; the recording has {count} frames, counted from 0")]
    NoSuchFrames {
        /// What was asked for.
        what: String,
        /// How many frames there are.
        count: usize,
    },
    /// There is no surface in the recording.
    #[error("the recording has no cloth and no body with faces, so there is nothing to export")]
    NothingToExport,
    /// A cloth's node is nowhere.
    #[error(
        "cloth `{cloth}`, node {node}, frame {frame} (counted from 0): the position {position:?} is not \
         finite, or beyond what a file can hold; export only the frames before it"
    )]
    ClothNotFinite {
        /// The cloth.
        cloth: String,
        /// Its node (counted from 0).
        node: usize,
        /// The frame of the recording (counted from 0).
        frame: usize,
        /// Where the node is said to be (m).
        position: [f64; 3],
    },
    /// A body's surface is nowhere.
    #[error(
        "body `{body}`, node {node} of its surface (counted from 0) is not at a finite position"
    )]
    BodyNotFinite {
        /// The body.
        body: String,
        /// The node of its surface (counted from 0).
        node: usize,
    },
    /// A body's pose is no rigid motion.
    #[error(
        "body `{body}`, frame {frame} (counted from 0): its pose is not finite or its rotation has no \
         length; export only the frames before it"
    )]
    PoseNotFinite {
        /// The body.
        body: String,
        /// The frame of the recording (counted from 0).
        frame: usize,
    },
    /// Time stands still or runs backwards.
    #[error(
        "frame {frame} (counted from 0) is at {time} s, which is not after the frame before it; \
         export the frames before and after it apart"
    )]
    TimeNotIncreasing {
        /// The frame of the recording (counted from 0).
        frame: usize,
        /// Its time (s).
        time: f64,
    },
    /// A frame rate that no player could use.
    #[error(
        "the recording's frame rate is {fps}; it must be a positive number of frames per second"
    )]
    BadFrameRate {
        /// Frames per second.
        fps: f64,
    },
    /// More than the format can hold.
    #[error("{what}; {mend}")]
    TooLarge {
        /// What is too large.
        what: String,
        /// What to do instead.
        mend: String,
    },
}

/// Writes a recording in another format.
///
/// `out` names the file; where a format needs several, its stem is their common beginning, as in
/// `walk_0000.vtu`, `walk_0001.vtu` and `walk.pvd` for `walk.vtu`. A missing extension is added.
pub fn export(
    recording: &Recording,
    format: ExportFormat,
    out: &Path,
    options: &ExportOptions,
) -> Result<ExportSummary, ExportError> {
    let selection = Selection::new(recording, options)?;
    match format {
        ExportFormat::Glb => glb::export(&selection, out, options),
        ExportFormat::Usda => usda::export(&selection, out, options),
        ExportFormat::Vtu => vtu::export(&selection, out, options),
        ExportFormat::Obj => sequence::export(&selection, sequence::OBJ, out, options),
        ExportFormat::Ply => sequence::export(&selection, sequence::PLY, out, options),
        ExportFormat::Pc2 => point_cache::export(&selection, point_cache::Cache::Pc2, out, options),
        ExportFormat::Mdd => point_cache::export(&selection, point_cache::Cache::Mdd, out, options),
    }
}
