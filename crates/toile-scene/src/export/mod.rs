//! Exporters: a recording becomes files that other programs read.
//!
//! | format | files | what it keeps |
//! |---|---|---|
//! | [`Glb`](ExportFormat::Glb) | one | cloths as morph targets, bodies as moving nodes; triangles only |
//! | [`Usda`](ExportFormat::Usda) | one | cloths as time-sampled points, bodies as moving nodes; quads stay quads |
//! | [`Vtu`](ExportFormat::Vtu) | one or two per frame, and a `.pvd` | quads, stretch, displacement, area ratio |
//! | [`Obj`](ExportFormat::Obj), [`Ply`](ExportFormat::Ply) | one per frame | the cloths' shape |
//!
//! The laws of this room: whatever a format cannot hold is said in [`ExportSummary::notes`]; a file that
//! exists is never replaced unless the user asks for it; and no file has its real name before it is whole.

mod frames;
mod glb;
mod gltf;
mod output;
mod sequence;
mod surface;
mod usda;
mod usda_text;
mod vtu;
mod vtu_file;

use crate::recording::{Recording, RecordingError};
use frames::Selection;
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
}

impl Default for ExportOptions {
    fn default() -> Self {
        ExportOptions {
            frames: None,
            every: 1,
            force: false,
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
    }
}
