//! NPZ: several arrays in one ZIP file, as numpy's `savez` and `savez_compressed` make it.

use super::RawNodes;
use super::array::{self, Array};
use super::error::{RecordingError, times_at_rate};
use glam::DVec3;
use std::io::{Cursor, Read, Write};
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// The largest array that is unpacked (bytes). A damaged or malicious file could ask for any size.
const LARGEST_ARRAY: u64 = 1 << 32;

/// Reads the arrays of a recording. Without `t` the times follow from the rate.
pub(super) fn read(
    bytes: &[u8],
    frames_per_second: Option<f64>,
) -> Result<RawNodes, RecordingError> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| {
        RecordingError::File(format!(
            "this is no NPZ file ({error}); save it with numpy.savez"
        ))
    })?;
    let positions = entry(&mut archive, "x")?.ok_or_else(|| {
        let names: Vec<_> = archive.file_names().flatten().collect();
        let found = names.join(", ");
        RecordingError::File(format!(
            "there is no array `x` of positions (frames, nodes, 3); the file has {found}"
        ))
    })?;
    let mut raw = frames_of(&positions, "x")?;
    raw.times = match entry(&mut archive, "t")? {
        Some(times) => column(times, "t")?,
        None => times_at_rate(raw.frames.len(), frames_per_second)?,
    };
    if let Some(grid) = entry(&mut archive, "grid")? {
        raw.grid = Some(grid_of(&grid)?);
    }
    if let Some(held) = entry(&mut archive, "held")? {
        raw.held = whole_numbers(&held, "held")?;
    }
    Ok(raw)
}

fn entry(
    archive: &mut ZipArchive<Cursor<&[u8]>>,
    name: &str,
) -> Result<Option<Array>, RecordingError> {
    let fail = |what: String| RecordingError::array(name, what);
    let mut file = match archive.by_name(&format!("{name}.npy")) {
        Ok(file) => file,
        Err(ZipError::FileNotFound) => return Ok(None),
        Err(error) => return Err(fail(format!("cannot be unpacked: {error}"))),
    };
    let mut bytes = Vec::new();
    let unpacked = file.by_ref().take(LARGEST_ARRAY).read_to_end(&mut bytes);
    unpacked.map_err(|error| fail(format!("cannot be unpacked: {error}")))?;
    array::decode(&bytes, name).map(Some)
}

/// Frames of nodes from an array of shape (T, N, 3), or of a grid from (T, R, C, 3).
pub(super) fn frames_of(array: &Array, name: &str) -> Result<RawNodes, RecordingError> {
    let (nodes, grid) = match array.shape[..] {
        [_, nodes, 3] => (nodes, None),
        [_, rows, columns, 3] => (rows.saturating_mul(columns), Some([columns, rows])),
        _ => {
            let shape = &array.shape;
            let what = format!(
                "the shape is {shape:?}; it must be (frames, nodes, 3) or (frames, rows, columns, 3)"
            );
            return Err(RecordingError::array(name, what));
        }
    };
    if nodes == 0 {
        return Err(RecordingError::array(name, "there are no nodes"));
    }
    let frame = |numbers: &[f64]| numbers.chunks_exact(3).map(DVec3::from_slice).collect();
    Ok(RawNodes {
        frames: array
            .values
            .chunks_exact(nodes.saturating_mul(3))
            .map(frame)
            .collect(),
        grid,
        ..RawNodes::default()
    })
}

/// A column of numbers: (T), or (T, 1) and (1, T) as other programs save it.
fn column(array: Array, name: &str) -> Result<Vec<f64>, RecordingError> {
    if array.shape.iter().filter(|&&side| side != 1).count() > 1 {
        let what = format!("the shape is {:?}; it must be (frames)", array.shape);
        return Err(RecordingError::array(name, what));
    }
    Ok(array.values)
}

fn whole_numbers(array: &Array, name: &str) -> Result<Vec<u64>, RecordingError> {
    let is_whole = |value: &&f64| value.fract() == 0.0 && (0.0..9e15).contains(*value);
    if let Some(value) = array.values.iter().find(|value| !is_whole(value)) {
        let what = format!("{value} is no whole number from 0 on");
        return Err(RecordingError::array(name, what));
    }
    Ok(array.values.iter().map(|&value| value as u64).collect())
}

fn grid_of(array: &Array) -> Result<[usize; 2], RecordingError> {
    match whole_numbers(array, "grid")?[..] {
        [side] => Ok([side as usize; 2]),
        [columns, rows] => Ok([columns as usize, rows as usize]),
        _ => {
            let what = "must be two numbers, columns and rows, or one for both";
            Err(RecordingError::array("grid", what))
        }
    }
}

/// Packs arrays, uncompressed and without a date, so that the same arrays always give the same bytes.
pub(super) fn pack(arrays: &[(&str, Vec<u8>)]) -> Result<Vec<u8>, RecordingError> {
    let fail = |what: String| RecordingError::File(format!("the arrays cannot be packed: {what}"));
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .last_modified_time(zip::DateTime::DEFAULT);
    for (name, bytes) in arrays {
        let large = bytes.len() as u64 >= u64::from(u32::MAX);
        let started = writer.start_file(format!("{name}.npy"), options.large_file(large));
        started.map_err(|error| fail(error.to_string()))?;
        let written = writer.write_all(bytes);
        written.map_err(|error| fail(error.to_string()))?;
    }
    let packed = writer.finish().map_err(|error| fail(error.to_string()))?;
    Ok(packed.into_inner())
}
