//! Motions from CSV files.
//!
//! The header row tells the two forms apart:
//! * a rigid frame: `time,x,y,z` or `time,x,y,z,qx,qy,qz,qw`,
//! * single nodes: `time,x0,y0,z0,x7,y7,z7,…`, where the numbers are the nodes.
//!
//! Times are in seconds and increase from row to row, positions in metres. Blank lines and lines that start
//! with `#` are passed over.

use super::text::{has_digits, quote};
use super::{FormatError, ParseError, Place};
use crate::files::Files;
use csv::ByteRecord;
use glam::{DQuat, DVec3, DVec4};
use std::io::{self, BufRead, Read};
use std::path::Path;

#[cfg(test)]
mod tests;

/// A motion given at points in time.
#[derive(Clone, Debug, PartialEq)]
pub enum Trajectory {
    /// The motion of a rigid body.
    Frame {
        /// Times (s), increasing.
        times: Vec<f64>,
        /// Translation at each time (m).
        translations: Vec<DVec3>,
        /// Rotation at each time: of length 1, and of the sign that is nearer to the one before. The
        /// identity if the file has none.
        rotations: Vec<DQuat>,
    },
    /// The motion of single nodes.
    Nodes {
        /// Times (s), increasing.
        times: Vec<f64>,
        /// The nodes, in the order of the file's columns.
        node_ids: Vec<u32>,
        /// For each time the positions (m) of all nodes, in the order of `node_ids`.
        positions: Vec<Vec<DVec3>>,
    },
}

impl Trajectory {
    /// Reads a motion file.
    pub fn open(files: &dyn Files, path: &Path) -> Result<Self, FormatError> {
        let file = files.open(path);
        let file = file.map_err(|error| ParseError::from(error).in_file(path))?;
        Self::read(file).map_err(|error| error.in_file(path))
    }

    /// Reads a motion from CSV text.
    pub fn read(reader: impl BufRead) -> Result<Self, ParseError> {
        let mut table = Table::new(reader);
        let header = table
            .next_row()?
            .ok_or_else(|| empty("has no rows at all"))?;
        match Columns::parse(&header)? {
            Columns::Frame { rotation } => read_frame(&mut table, &header, rotation),
            Columns::Nodes(node_ids) => read_nodes(&mut table, &header, node_ids),
        }
    }

    /// The points in time (s), increasing.
    pub fn times(&self) -> &[f64] {
        match self {
            Trajectory::Frame { times, .. } | Trajectory::Nodes { times, .. } => times,
        }
    }
}

fn empty(what: &str) -> ParseError {
    let message = format!(
        "the file {what}; a motion needs a header row (`time,x,y,z`, `time,x,y,z,qx,qy,qz,qw` or \
         `time,x0,y0,z0,x1,y1,z1,…`) and at least one row of numbers"
    );
    ParseError::at(Place::WholeFile, message)
}

fn read_frame<R: BufRead>(
    table: &mut Table<R>,
    header: &Row,
    rotation: bool,
) -> Result<Trajectory, ParseError> {
    let (mut times, mut translations, mut rotations) = (Vec::new(), Vec::new(), Vec::new());
    while let Some(row) = table.next_row()? {
        let numbers = row.numbers(header)?;
        times.push(row.time_after(&times, numbers[0])?);
        translations.push(DVec3::from_slice(&numbers[1..4]));
        rotations.push(match (rotation, rotations.last()) {
            (true, before) => row.rotation_near(&numbers[4..8], before)?,
            (false, _) => DQuat::IDENTITY,
        });
    }
    if times.is_empty() {
        return Err(empty("has a header row and nothing else"));
    }
    Ok(Trajectory::Frame {
        times,
        translations,
        rotations,
    })
}

fn read_nodes<R: BufRead>(
    table: &mut Table<R>,
    header: &Row,
    node_ids: Vec<u32>,
) -> Result<Trajectory, ParseError> {
    let (mut times, mut positions) = (Vec::new(), Vec::new());
    while let Some(row) = table.next_row()? {
        let numbers = row.numbers(header)?;
        times.push(row.time_after(&times, numbers[0])?);
        let points = numbers[1..].chunks_exact(3);
        positions.push(points.map(DVec3::from_slice).collect());
    }
    if times.is_empty() {
        return Err(empty("has a header row and nothing else"));
    }
    Ok(Trajectory::Nodes {
        times,
        node_ids,
        positions,
    })
}

/// What the header row says the columns are.
enum Columns {
    Frame { rotation: bool },
    Nodes(Vec<u32>),
}

impl Columns {
    fn parse(header: &Row) -> Result<Self, ParseError> {
        let names: Vec<String> = (0..header.fields.len())
            .map(|k| header.name(k).to_ascii_lowercase())
            .collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        if names[0] != "time" {
            let is_number = names[0].parse::<f64>().is_ok();
            let what = if is_number {
                "the header row is missing; the first row must name the columns, starting with `time`"
            } else {
                "the first column must be `time`"
            };
            return Err(header.error(0, what));
        }
        let rigid = ["time", "x", "y", "z", "qx", "qy", "qz", "qw"];
        if names == rigid[..4] || names == rigid {
            return Ok(Columns::Frame {
                rotation: names.len() == 8,
            });
        }
        if let Some(second) = names.get(1)
            && node_of(second, "x").is_none()
        {
            let differs = |k: &usize| names.get(*k) != Some(&rigid[*k]);
            let at = (1..8).find(differs).unwrap_or(8);
            let what = "the columns of a rigid motion are `time,x,y,z` or `time,x,y,z,qx,qy,qz,qw`, \
                        those of nodes `time,x0,y0,z0,x1,…`";
            return Err(header.error(at.min(names.len()), what));
        }
        Self::nodes(header, &names)
    }

    fn nodes(header: &Row, names: &[&str]) -> Result<Self, ParseError> {
        let mut node_ids = Vec::new();
        for (index, triple) in names[1..].chunks(3).enumerate() {
            let first = 1 + 3 * index;
            let id = node_of(triple[0], "x").ok_or_else(|| {
                header.error(
                    first,
                    "a node's columns start with `x` and its number, such as `x0`",
                )
            })?;
            for (k, axis) in ["y", "z"].into_iter().enumerate() {
                if triple.get(k + 1).and_then(|name| node_of(name, axis)) != Some(id) {
                    let what = format!("column `{axis}{id}` must stand here, after `x{id}`");
                    return Err(header.error(first + k + 1, what));
                }
            }
            node_ids.push(id);
        }
        let mut sorted: Vec<(u32, usize)> = node_ids.iter().copied().zip(1..).collect();
        sorted.sort_unstable();
        let twice = sorted.windows(2).find(|pair| pair[0].0 == pair[1].0);
        match twice {
            Some(pair) => {
                let what = format!("node {} has columns already", pair[0].0);
                Err(header.error(3 * pair[1].1 - 2, what))
            }
            None if node_ids.is_empty() => {
                Err(header.error(1, "there are no columns after `time`"))
            }
            None => Ok(Columns::Nodes(node_ids)),
        }
    }
}

/// The node that a column such as `y12` belongs to.
fn node_of(name: &str, axis: &str) -> Option<u32> {
    let digits = name.strip_prefix(axis)?;
    let only_digits = digits.bytes().all(|b| b.is_ascii_digit());
    only_digits.then(|| digits.parse().ok())?
}

/// A row of the table and the line it stands on.
struct Row {
    line: u64,
    fields: ByteRecord,
}

impl Row {
    fn name(&self, column: usize) -> &str {
        let field = self.fields.get(column).unwrap_or_default();
        std::str::from_utf8(field).unwrap_or_default()
    }

    /// An error in a column, counted from 0 here and from 1 for the reader.
    fn error(&self, column: usize, what: impl Into<String>) -> ParseError {
        let place = Place::Text {
            line: self.line,
            column: column as u64 + 1,
        };
        ParseError::at(place, what)
    }

    fn numbers(&self, header: &Row) -> Result<Vec<f64>, ParseError> {
        let (found, expected) = (self.fields.len(), header.fields.len());
        if found != expected {
            let what = format!("the row has {found} columns, the header {expected}");
            return Err(self.error(found.min(expected), what));
        }
        let fields = self.fields.iter().enumerate();
        fields
            .map(|(column, field)| {
                let text = std::str::from_utf8(field).unwrap_or_default();
                let (name, shown) = (header.name(column), quote(field));
                match text.parse::<f64>() {
                    Ok(number) if number.is_finite() => Ok(number),
                    Ok(number) if number.is_infinite() && has_digits(text) => Err(format!(
                        "`{name}`: {shown} is too large: numbers end at 1.8e308"
                    )),
                    Ok(_) => Err(format!("`{name}`: {shown} is not a finite number")),
                    Err(_) => Err(format!("`{name}`: {shown} is not a number")),
                }
                .map_err(|what| self.error(column, what))
            })
            .collect()
    }

    fn time_after(&self, times: &[f64], time: f64) -> Result<f64, ParseError> {
        match times.last() {
            Some(&before) if time <= before => {
                let what = format!(
                    "time {time} s does not come after {before} s; sort the rows by time and remove doubles"
                );
                Err(self.error(0, what))
            }
            _ => Ok(time),
        }
    }

    /// The rotation of length 1; of the two quaternions that mean the same, the one nearer to `before`,
    /// so that values in between can be interpolated.
    fn rotation_near(&self, xyzw: &[f64], before: Option<&DQuat>) -> Result<DQuat, ParseError> {
        let numbers = DVec4::from_slice(xyzw);
        // Scaled first: the square of a large or small number may not be a number any more.
        let size = numbers.abs().max_element();
        if size == 0.0 {
            let what = "the quaternion is zero, which is no rotation; `0,0,0,1` is no turn";
            return Err(self.error(4, what));
        }
        let rotation = DQuat::from_vec4((numbers / size).normalize());
        let opposite = before.is_some_and(|before| before.dot(rotation) < 0.0);
        Ok(if opposite { -rotation } else { rotation })
    }
}

/// The rows of a CSV file that hold something.
struct Table<R> {
    reader: csv::Reader<FilledLines<R>>,
}

impl<R: BufRead> Table<R> {
    fn new(reader: R) -> Self {
        let reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .trim(csv::Trim::All)
            .from_reader(FilledLines::new(reader));
        Table { reader }
    }

    fn next_row(&mut self) -> Result<Option<Row>, ParseError> {
        let mut fields = ByteRecord::new();
        let found = self.reader.read_byte_record(&mut fields);
        if !found.map_err(|error| ParseError::Io(error.into()))? {
            return Ok(None);
        }
        let nth = fields.position().map_or(0, |p| p.line().saturating_sub(1));
        let lines = &self.reader.get_ref().line_numbers;
        let line = lines.get(nth as usize).copied().unwrap_or_default();
        Ok(Some(Row { line, fields }))
    }
}

/// Hands on the lines that are neither blank nor comments, each ended by LF, and remembers their numbers:
/// the line that the `csv` crate tells for a record is that of the comments before it.
struct FilledLines<R> {
    reader: R,
    line: Vec<u8>,
    start: usize,
    lines_read: u64,
    line_numbers: Vec<u64>,
}

impl<R: BufRead> FilledLines<R> {
    fn new(reader: R) -> Self {
        FilledLines {
            reader,
            line: Vec::new(),
            start: 0,
            lines_read: 0,
            line_numbers: Vec::new(),
        }
    }

    /// Fetches the next filled line; leaves nothing at the end of the file.
    fn advance(&mut self) -> io::Result<()> {
        loop {
            self.line.clear();
            self.start = 0;
            if self.reader.read_until(b'\n', &mut self.line)? == 0 {
                return Ok(());
            }
            self.lines_read += 1;
            if self.lines_read == 1 && self.line.starts_with(b"\xEF\xBB\xBF") {
                self.line.drain(..3);
            }
            self.line.truncate(self.line.trim_ascii_end().len());
            let text = self.line.trim_ascii_start();
            if !text.is_empty() && !text.starts_with(b"#") {
                self.line.push(b'\n');
                self.line_numbers.push(self.lines_read);
                return Ok(());
            }
        }
    }
}

impl<R: BufRead> Read for FilledLines<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.start == self.line.len() {
            self.advance()?;
        }
        let length = (&self.line[self.start..]).read(out)?;
        self.start += length;
        Ok(length)
    }
}
