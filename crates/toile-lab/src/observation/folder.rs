//! A folder with a file of points for each frame.

use super::error::{ObservationError, RecordingError, times_at_rate};
use super::{CloudRecording, ReadOptions};
use glam::DVec3;
use std::cmp::Ordering;
use std::path::{Path, PathBuf};
use toile_scene::files::{read_input, read_input_text};
use toile_scene::format::read_points;

/// Files that may hold the times.
const TIMES: [&str; 2] = ["times.csv", "times.txt"];

/// Reads all `.ply` and `.xyz` files of a folder.
pub(super) fn read(
    folder: &Path,
    options: &ReadOptions,
) -> Result<CloudRecording, ObservationError> {
    let invalid = |error: RecordingError| error.in_file(folder);
    options.check().map_err(invalid)?;
    let files = frame_files(folder)?;
    if files.is_empty() {
        let what = "the folder holds no .ply or .xyz files".to_owned();
        return Err(invalid(RecordingError::File(what)));
    }
    let times = match times_file(folder)? {
        Some(times) => times,
        None => times_at_rate(files.len(), options.fps).map_err(invalid)?,
    };
    let clouds: Result<Vec<_>, _> = files.iter().map(|path| read_cloud(path)).collect();
    CloudRecording::scaled(times, clouds?, options.scale).map_err(invalid)
}

fn frame_files(folder: &Path) -> Result<Vec<PathBuf>, ObservationError> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(ObservationError::io(folder))? {
        let path = entry.map_err(ObservationError::io(folder))?.path();
        if is(&path, "ply") || is(&path, "xyz") {
            files.push(path);
        }
    }
    files.sort_by(|a, b| by_name(&name(a), &name(b)));
    Ok(files)
}

fn name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

fn is(path: &Path, extension: &str) -> bool {
    path.extension()
        .is_some_and(|found| found.eq_ignore_ascii_case(extension))
}

/// The order of names in which `frame-2` comes before `frame-10`.
pub(super) fn by_name(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    while let (Some(&x), Some(&y)) = (a.first(), b.first()) {
        let order = if x.is_ascii_digit() && y.is_ascii_digit() {
            let (m, n) = (take_number(&mut a), take_number(&mut b));
            m.len().cmp(&n.len()).then(m.cmp(n))
        } else {
            (a, b) = (&a[1..], &b[1..]);
            x.cmp(&y)
        };
        if order.is_ne() {
            return order;
        }
    }
    a.len().cmp(&b.len())
}

/// Cuts the digits off the front; without leading zeros the longer number is the larger one.
fn take_number<'a>(text: &mut &'a [u8]) -> &'a [u8] {
    let end = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let (digits, rest) = text.split_at(end);
    *text = rest;
    let zeros = digits.iter().take_while(|&&b| b == b'0').count();
    &digits[zeros..]
}

/// The times of the frames, if the folder has a file with them: one per line, after a heading or none.
fn times_file(folder: &Path) -> Result<Option<Vec<f64>>, ObservationError> {
    let Some(path) = TIMES
        .iter()
        .map(|name| folder.join(name))
        .find(|path| path.is_file())
    else {
        return Ok(None);
    };
    let text = read_input_text(&path).map_err(ObservationError::io(&path))?;
    let mut times = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let field = line.split(',').next().unwrap_or_default().trim();
        match field.parse::<f64>() {
            Ok(time) => times.push(time),
            Err(_) if field.is_empty() || field.starts_with('#') || index == 0 => {}
            Err(_) => {
                let error = RecordingError::Text {
                    line: index + 1,
                    column: 1,
                    message: "is not a time; the file has one time in seconds per line".to_owned(),
                };
                return Err(error.in_file(&path));
            }
        }
    }
    Ok(Some(times))
}

fn read_cloud(path: &Path) -> Result<Vec<DVec3>, ObservationError> {
    if is(path, "ply") {
        return Ok(read_points(path)?);
    }
    let bytes = read_input(path).map_err(ObservationError::io(path))?;
    points_of_text(&String::from_utf8_lossy(&bytes)).map_err(|error| error.in_file(path))
}

/// Points as text: three numbers per line, between blanks or commas; more numbers (colours, normals) are
/// passed over.
pub(super) fn points_of_text(text: &str) -> Result<Vec<DVec3>, RecordingError> {
    let mut points = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let fields = line.split(|c: char| c.is_whitespace() || c == ',');
        let mut fields = fields.filter(|field| !field.is_empty()).peekable();
        if fields.peek().is_none_or(|field| field.starts_with('#')) {
            continue;
        }
        let mut numbers = [0.0; 3];
        for (column, number) in numbers.iter_mut().enumerate() {
            let field = fields.next().and_then(|field| field.parse().ok());
            *number = field.ok_or_else(|| RecordingError::Text {
                line: index + 1,
                column: column + 1,
                message: "a point needs three numbers, `x y z`".to_owned(),
            })?;
        }
        points.push(DVec3::from(numbers));
    }
    Ok(points)
}
