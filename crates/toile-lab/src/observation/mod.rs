//! Recordings of real cloth.
//!
//! The law of this room: what was seen and what was filled in are kept apart. A recording knows of every
//! position whether it was really seen, so that an error can be taken over the seen ones only. Whatever is
//! changed in reading (frames left out, positions filled in) is said in the recording's notes. What cannot
//! be used is refused with the place and the mend, and no input makes a reader panic.
//!
//! * [`read`] goes by the name: `.npz`, `.npy`, `.csv`, or a folder of `.ply` and `.xyz` files.
//! * [`NodeRecording`] has the same nodes in every frame, [`CloudRecording`] only points.
//! * [`write_nodes`] is for numpy and for recordings made from simulations; [`Damage`] makes those as bad as real ones.
//!
//! Positions are in metres, times in seconds. NPY files are taken apart here: the crates for them bring a parser generator
//! for one line of header, and take longer to compile than the engine.

mod array;
mod clouds;
mod csv_text;
mod damage;
mod error;
mod fill;
mod folder;
mod nodes;
mod npz;
mod size;
mod take;
#[cfg(test)]
mod tests;
mod write;

pub use clouds::CloudRecording;
pub use damage::Damage;
pub use error::{ObservationError, RecordingError};
pub use nodes::NodeRecording;
pub use take::take_down;
pub use write::{encode_csv, encode_npy, encode_npz, write_nodes};

use glam::DVec3;
use std::path::Path;
use toile_scene::files::read_input;

/// A recording of either kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Observation {
    /// Every frame has the same nodes.
    Nodes(NodeRecording),
    /// Every frame is a cloud of points; nothing tells which belong together.
    Clouds(CloudRecording),
}

impl Observation {
    /// Times of the frames (s), increasing.
    pub fn times(&self) -> &[f64] {
        match self {
            Observation::Nodes(recording) => &recording.times,
            Observation::Clouds(recording) => &recording.times,
        }
    }

    /// What reading changed, in plain words.
    pub fn notes(&self) -> &[String] {
        match self {
            Observation::Nodes(recording) => &recording.notes,
            Observation::Clouds(recording) => &recording.notes,
        }
    }

    /// Refuses a recording whose size says that its unit is not the metre. `expected_extent` is the
    /// size of the cloth (m), such as its diagonal.
    pub fn check_size(&self, expected_extent: f64) -> Result<(), RecordingError> {
        match self {
            Observation::Nodes(recording) => recording.check_size(expected_extent),
            Observation::Clouds(recording) => recording.check_size(expected_extent),
        }
    }
}

/// What a file does not say about itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReadOptions {
    /// Frames per second, for files that hold no times.
    pub fps: Option<f64>,
    /// What positions are multiplied by to become metres: 0.001 for millimetres.
    pub scale: f64,
    /// How many nodes the cloth has; another number is refused.
    pub expected_nodes: Option<usize>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions {
            fps: None,
            scale: 1.0,
            expected_nodes: None,
        }
    }
}

impl ReadOptions {
    fn check(&self) -> Result<(), RecordingError> {
        if self.scale.is_finite() && self.scale > 0.0 {
            return Ok(());
        }
        Err(RecordingError::Setting {
            name: "the scale of positions",
            value: self.scale,
            mend: " (1 for metres, 0.001 for millimetres)",
        })
    }
}

/// Frames as a file holds them: NaN where a node is not seen.
#[derive(Clone, Debug, Default)]
struct RawNodes {
    times: Vec<f64>,
    frames: Vec<Vec<DVec3>>,
    grid: Option<[usize; 2]>,
    held: Vec<u64>,
}

impl RawNodes {
    fn into_recording(mut self, options: &ReadOptions) -> Result<NodeRecording, RecordingError> {
        for position in self.frames.iter_mut().flatten() {
            *position *= options.scale;
        }
        let mut recording = NodeRecording::new(self.times, self.frames)?;
        if let Some(expected) = options.expected_nodes {
            recording.check_nodes(expected)?;
        }
        if let Some(grid) = self.grid {
            recording = recording.with_grid(grid)?;
        }
        recording.with_held(&self.held)
    }
}

/// Reads a recording; the name tells the format.
///
/// * `.npz`: arrays `x` (T, N, 3) or (T, R, C, 3) and `t` (T); optionally `grid` (columns and rows, or one number
///   for both) and `held` (node numbers),
/// * `.npy`: an array like `x`; the times follow from [`ReadOptions::fps`],
/// * `.csv`: nodes as `time,x0,y0,z0,x1,…` or `time,node,x,y,z`, points as `time,x,y,z`,
/// * a folder: one `.ply` or `.xyz` file per frame, in the order of their names; times from `times.csv` or
///   `times.txt` in it, one per line, or else from [`ReadOptions::fps`].
pub fn read(path: &Path, options: &ReadOptions) -> Result<Observation, ObservationError> {
    if path.is_dir() {
        let recording = folder::read(path, options)?;
        return Ok(Observation::Clouds(recording));
    }
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    let decode = match extension.to_str() {
        Some("npz") => decode_npz,
        Some("npy") => decode_npy,
        Some("csv") => decode_csv,
        _ => {
            return Err(ObservationError::UnknownFormat {
                path: path.to_owned(),
                mend: "recordings are read from .npz, .npy and .csv files and from folders of .ply and .xyz files",
            });
        }
    };
    let bytes = read_input(path).map_err(ObservationError::io(path))?;
    decode(&bytes, options).map_err(|error| error.in_file(path))
}

/// Reads the bytes of an `.npz` file.
pub fn decode_npz(bytes: &[u8], options: &ReadOptions) -> Result<Observation, RecordingError> {
    options.check()?;
    let raw = npz::read(bytes, options.fps)?;
    raw.into_recording(options).map(Observation::Nodes)
}

/// Reads the bytes of an `.npy` file.
pub fn decode_npy(bytes: &[u8], options: &ReadOptions) -> Result<Observation, RecordingError> {
    options.check()?;
    let mut raw = npz::frames_of(&array::decode(bytes, "x")?, "x")?;
    raw.times = error::times_at_rate(raw.frames.len(), options.fps)?;
    raw.into_recording(options).map(Observation::Nodes)
}

/// Reads the bytes of a `.csv` file. The header tells nodes and points apart.
pub fn decode_csv(bytes: &[u8], options: &ReadOptions) -> Result<Observation, RecordingError> {
    options.check()?;
    match csv_text::read(bytes)? {
        csv_text::Content::Nodes(raw) => raw.into_recording(options).map(Observation::Nodes),
        csv_text::Content::Clouds(times, clouds) => {
            CloudRecording::scaled(times, clouds, options.scale).map(Observation::Clouds)
        }
    }
}
