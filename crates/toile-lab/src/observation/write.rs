//! Recordings as files.
//!
//! Positions that were not seen are written as missing, so that whoever reads the file knows. The same recording always gives
//! the same bytes.

use super::error::{ObservationError, RecordingError};
use super::{NodeRecording, array, npz};
use glam::DVec3;
use std::fmt::Write;
use std::path::Path;
use toile_scene::files::check_target;

/// Writes a recording; the name tells the format: `.npz`, `.npy` (positions only, no times) or `.csv` (a row
/// for each frame).
pub fn write_nodes(path: &Path, recording: &NodeRecording) -> Result<(), ObservationError> {
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    let bytes = match extension.to_str() {
        Some("npz") => encode_npz(recording).map_err(|error| error.in_file(path))?,
        Some("npy") => encode_npy(recording),
        Some("csv") => encode_csv(recording).into_bytes(),
        _ => {
            return Err(ObservationError::UnknownFormat {
                path: path.to_owned(),
                mend: "recordings are written as .npz, .npy and .csv",
            });
        }
    };
    let written = check_target(path).and_then(|()| std::fs::write(path, bytes));
    written.map_err(ObservationError::io(path))
}

/// The bytes of an `.npz` file: `t` (T), `x` (T, N, 3), `grid` (columns, rows) and `held` if there are any.
pub fn encode_npz(recording: &NodeRecording) -> Result<Vec<u8>, RecordingError> {
    let times = array::encode(&[recording.times.len()], &recording.times, false);
    let mut arrays = vec![("t", times), ("x", encode_npy(recording))];
    if let Some(grid) = recording.grid {
        arrays.push((
            "grid",
            array::encode(&[2], &grid.map(|side| side as f64), true),
        ));
    }
    if !recording.held.is_empty() {
        let held: Vec<f64> = recording.held.iter().map(|&node| f64::from(node)).collect();
        arrays.push(("held", array::encode(&[held.len()], &held, true)));
    }
    npz::pack(&arrays)
}

/// The bytes of an `.npy` file: positions (T, N, 3), NaN where a node was not seen.
pub fn encode_npy(recording: &NodeRecording) -> Vec<u8> {
    let frames = 0..recording.frames.len();
    let positions = frames.flat_map(|frame| seen_positions(recording, frame));
    let numbers: Vec<f64> = positions.flat_map(|position| position.to_array()).collect();
    let shape = [recording.frames.len(), recording.nodes(), 3];
    array::encode(&shape, &numbers, false)
}

/// A CSV table with a row for each frame; empty where a node was not seen.
pub fn encode_csv(recording: &NodeRecording) -> String {
    let mut text = String::from("time");
    for node in 0..recording.nodes() {
        // Writing to a string does not fail.
        let _ = write!(text, ",x{node},y{node},z{node}");
    }
    text.push('\n');
    for (frame, time) in recording.times.iter().enumerate() {
        let _ = write!(text, "{time:?}");
        for position in seen_positions(recording, frame) {
            if position.is_nan() {
                text.push_str(",,,");
            } else {
                let _ = write!(text, ",{:?},{:?},{:?}", position.x, position.y, position.z);
            }
        }
        text.push('\n');
    }
    text
}

fn seen_positions(recording: &NodeRecording, frame: usize) -> impl Iterator<Item = DVec3> {
    let nodes = recording.frames[frame].iter().zip(&recording.seen[frame]);
    nodes.map(|(&position, &seen)| if seen { position } else { DVec3::NAN })
}
