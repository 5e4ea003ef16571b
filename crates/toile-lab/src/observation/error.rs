//! What can be wrong with a recording.

use std::path::{Path, PathBuf};
use thiserror::Error;

/// A recording that cannot be read or written.
#[derive(Debug, Error)]
pub enum ObservationError {
    /// The operating system says no.
    #[error("{path}: {source}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The content is not what it should be.
    #[error("{path}: {source}")]
    Invalid {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong, where, and how to mend it.
        source: RecordingError,
    },
    /// A file of a folder with point clouds cannot be read; the message names the file.
    #[error(transparent)]
    Points(#[from] toile_scene::format::FormatError),
    /// The file's name does not tell the format.
    #[error("{path}: the name does not tell the format; {mend}")]
    UnknownFormat {
        /// The file.
        path: PathBuf,
        /// What to do.
        mend: &'static str,
    },
}

impl ObservationError {
    pub(super) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| ObservationError::Io { path, source }
    }
}

/// Numbers or bytes that are no recording of cloth. Frames, rows and nodes are counted from 0, lines and
/// columns of text from 1.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum RecordingError {
    /// A time stamp is not a number.
    #[error("the time of frame {row} is {time}; every frame needs a finite time in seconds")]
    TimeNotFinite {
        /// The frame.
        row: usize,
        /// Its time.
        time: f64,
    },
    /// A time stamp is not later than the one before.
    #[error(
        "the time of frame {row} is {time} s, which does not come after {before} s of the frame before; \
         sort the frames by time and remove doubles"
    )]
    TimeNotAfter {
        /// The frame.
        row: usize,
        /// Its time (s).
        time: f64,
        /// The time of the frame before it (s).
        before: f64,
    },
    /// There are not as many times as frames.
    #[error("there are {times} times for {frames} frames; give one time for each frame")]
    TimesAndFrames {
        /// How many times.
        times: usize,
        /// How many frames.
        frames: usize,
    },
    /// Nothing moves in fewer than two frames.
    #[error("{frames} frames are left, but a recording needs at least 2")]
    TooFewFrames {
        /// How many there are, without those in which nothing is seen.
        frames: usize,
    },
    /// A frame has another number of nodes than the first.
    #[error(
        "frame {frame} has {found} nodes, frame 0 has {first}; every frame needs all nodes, NaN where one is not seen"
    )]
    Ragged {
        /// The frame.
        frame: usize,
        /// How many nodes it has.
        found: usize,
        /// How many the first frame has.
        first: usize,
    },
    /// The recording does not have the cloth's nodes.
    #[error(
        "the recording has {found} nodes, the cloth {expected}; mesh the cloth with the recording's nodes"
    )]
    NodeCount {
        /// In the recording.
        found: usize,
        /// In the cloth.
        expected: usize,
    },
    /// The grid has another number of nodes than the frames.
    #[error(
        "a grid of {columns} columns and {rows} rows does not have the {nodes} nodes of the frames"
    )]
    Grid {
        /// Columns.
        columns: usize,
        /// Rows.
        rows: usize,
        /// Nodes of a frame.
        nodes: usize,
    },
    /// A held node is none of the recording's.
    #[error("node {node} is said to be held, but the {nodes} nodes are numbered from 0")]
    Held {
        /// The node.
        node: u64,
        /// How many there are.
        nodes: usize,
    },
    /// Nothing is known of a node.
    #[error(
        "node {node} is not seen in any frame ({count} nodes are never seen); leave out such nodes or track them"
    )]
    NeverSeen {
        /// The first such node.
        node: usize,
        /// How many there are.
        count: usize,
    },
    /// More was made up than seen.
    #[error(
        "{missing} of {total} node positions are missing (the first is node {node} of frame {frame}), \
         more than half; such a recording says too little"
    )]
    TooManyMissing {
        /// How many are missing.
        missing: usize,
        /// Of how many.
        total: usize,
        /// Frame of the first missing one.
        frame: usize,
        /// Its node.
        node: usize,
    },
    /// A cloud without points.
    #[error("the point cloud of frame {frame} is empty; remove the frame and its time")]
    EmptyCloud {
        /// The frame.
        frame: usize,
    },
    /// The file has no times.
    #[error("the file holds no times; give the frames per second (for example --fps 30)")]
    NoRate,
    /// A setting is not usable.
    #[error("{name} is {value}; it must be a positive number{mend}")]
    Setting {
        /// Which one.
        name: &'static str,
        /// What it is.
        value: f64,
        /// What more there is to say.
        mend: &'static str,
    },
    /// The size of what is seen does not fit the size of the cloth.
    #[error("the recording is {diagonal:.4} across, the cloth {extent:.4} m: {advice}")]
    Size {
        /// Diagonal of what is seen, as if in metres.
        diagonal: f64,
        /// Size of the cloth (m).
        extent: f64,
        /// What to do.
        advice: &'static str,
    },
    /// A line of text is not as it should be.
    #[error("line {line}, column {column}: {message}")]
    Text {
        /// The line.
        line: usize,
        /// The field in it.
        column: usize,
        /// What is wrong there and how to mend it.
        message: String,
    },
    /// An array of numbers is not as it should be.
    #[error("array `{name}`: {message}")]
    Array {
        /// Its name.
        name: String,
        /// What is wrong with it and how to mend it.
        message: String,
    },
    /// The file as a whole is not as it should be.
    #[error("{0}")]
    File(String),
}

impl RecordingError {
    pub(super) fn in_file(self, path: &Path) -> ObservationError {
        ObservationError::Invalid {
            path: path.to_owned(),
            source: self,
        }
    }

    pub(super) fn array(name: &str, message: impl Into<String>) -> Self {
        RecordingError::Array {
            name: name.to_owned(),
            message: message.into(),
        }
    }
}

/// Refuses times that are not finite or do not increase.
pub(super) fn check_times(times: &[f64]) -> Result<(), RecordingError> {
    for (row, &time) in times.iter().enumerate() {
        if !time.is_finite() {
            return Err(RecordingError::TimeNotFinite { row, time });
        }
        if row > 0 && time <= times[row - 1] {
            let before = times[row - 1];
            return Err(RecordingError::TimeNotAfter { row, time, before });
        }
    }
    Ok(())
}

/// The times of frames taken at a rate, from 0 on.
pub(super) fn times_at_rate(
    frames: usize,
    frames_per_second: Option<f64>,
) -> Result<Vec<f64>, RecordingError> {
    let rate = frames_per_second.ok_or(RecordingError::NoRate)?;
    if !(rate.is_finite() && rate > 0.0) {
        return Err(RecordingError::Setting {
            name: "the number of frames per second",
            value: rate,
            mend: "",
        });
    }
    Ok((0..frames).map(|frame| frame as f64 / rate).collect())
}
