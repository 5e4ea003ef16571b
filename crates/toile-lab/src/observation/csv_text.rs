//! Recordings as CSV text.
//!
//! The header tells the forms apart: `time,x0,y0,z0,x1,…` has a row for each frame, `time,node,x,y,z` a row for each
//! node of each frame, `time,x,y,z` a row for each point of each cloud. A node is missing where its fields are empty or
//! `nan`, or where it has no row. Blank lines and lines that start with `#` are passed over.

use super::RawNodes;
use super::error::RecordingError;
use glam::DVec3;

/// What a file holds.
pub(super) enum Content {
    Nodes(RawNodes),
    /// Times and clouds.
    Clouds(Vec<f64>, Vec<Vec<DVec3>>),
}

/// Reads a CSV file.
pub(super) fn read(bytes: &[u8]) -> Result<Content, RecordingError> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()]
            .iter()
            .filter(|&&b| b == b'\n')
            .count();
        fail(
            line,
            1,
            "a byte that is not UTF-8; save the file as UTF-8 text",
        )
    })?;
    let mut rows = rows(text);
    let header = rows.next().ok_or_else(|| {
        RecordingError::File("the file is empty; the first row must name the columns".to_owned())
    })?;
    let names: Vec<String> = header
        .fields
        .iter()
        .map(|name| name.trim_matches('"').to_ascii_lowercase())
        .collect();
    match &names.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["time", "node", "x", "y", "z"] => long(rows).map(Content::Nodes),
        ["time", "x", "y", "z"] => clouds(rows),
        ["time", "x0", ..] => {
            let nodes = check_wide(&header, &names)?;
            wide(rows, nodes).map(Content::Nodes)
        }
        _ => Err(fail(
            header.line,
            1,
            "the first row must name the columns: `time,x0,y0,z0,x1,…` or `time,node,x,y,z` for nodes, `time,x,y,z` for points",
        )),
    }
}

fn fail(line: usize, column: usize, message: impl Into<String>) -> RecordingError {
    RecordingError::Text {
        line,
        column,
        message: message.into(),
    }
}

/// A line that holds something, cut at its commas.
struct Row<'a> {
    line: usize,
    fields: Vec<&'a str>,
}

fn rows(text: &str) -> impl Iterator<Item = Row<'_>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let filled = |(_, line): &(usize, &str)| !line.trim().is_empty() && !line.starts_with('#');
    let lines = text.lines().enumerate().filter(filled);
    lines.map(|(index, line)| Row {
        line: index + 1,
        fields: line.split(',').map(str::trim).collect(),
    })
}

impl Row<'_> {
    fn check_width(&self, width: usize) -> Result<(), RecordingError> {
        let found = self.fields.len();
        if found == width {
            return Ok(());
        }
        let what = format!("the row has {found} columns, the header {width}");
        Err(fail(self.line, found.min(width) + 1, what))
    }

    /// A number; NaN where the field is empty.
    fn number(&self, column: usize) -> Result<f64, RecordingError> {
        let field = self.fields[column];
        if field.is_empty() {
            return Ok(f64::NAN);
        }
        let refuse = |what: &str| {
            let shown: String = field.chars().take(20).collect();
            fail(self.line, column + 1, format!("`{shown}` {what}"))
        };
        match field.parse::<f64>() {
            Ok(number) if number.is_infinite() && field.bytes().any(|b| b.is_ascii_digit()) => {
                Err(refuse("is too large: numbers end at 1.8e308"))
            }
            Ok(number) => Ok(number),
            Err(_) => Err(refuse("is not a number")),
        }
    }

    fn point(&self, first: usize) -> Result<DVec3, RecordingError> {
        Ok(DVec3::new(
            self.number(first)?,
            self.number(first + 1)?,
            self.number(first + 2)?,
        ))
    }

    /// The time, which must not be before the last one.
    fn time(&self, last: Option<&f64>) -> Result<f64, RecordingError> {
        let time = self.number(0)?;
        if !time.is_finite() {
            return Err(fail(
                self.line,
                1,
                "the time must be a finite number of seconds",
            ));
        }
        match last {
            Some(&last) if time < last => {
                let what = format!("time {time} s comes after {last} s; sort the rows by time");
                Err(fail(self.line, 1, what))
            }
            _ => Ok(time),
        }
    }
}

/// The number of nodes of a wide header.
fn check_wide(header: &Row, names: &[String]) -> Result<usize, RecordingError> {
    for (index, name) in names[1..].iter().enumerate() {
        let expected = format!("{}{}", ["x", "y", "z"][index % 3], index / 3);
        if *name != expected {
            let what = format!(
                "column `{expected}` must stand here; nodes are numbered from 0 without gaps"
            );
            return Err(fail(header.line, index + 2, what));
        }
    }
    if names.len() % 3 != 1 {
        let what = "every node needs three columns, such as `x0,y0,z0`";
        return Err(fail(header.line, names.len(), what));
    }
    Ok((names.len() - 1) / 3)
}

fn wide<'a>(rows: impl Iterator<Item = Row<'a>>, nodes: usize) -> Result<RawNodes, RecordingError> {
    let mut raw = RawNodes::default();
    for row in rows {
        row.check_width(1 + 3 * nodes)?;
        let time = row.time(raw.times.last())?;
        if raw.times.last() == Some(&time) {
            let what = format!("time {time} s has a row already; remove doubles");
            return Err(fail(row.line, 1, what));
        }
        raw.times.push(time);
        let points = (0..nodes).map(|node| row.point(1 + 3 * node));
        raw.frames.push(points.collect::<Result<_, _>>()?);
    }
    Ok(raw)
}

fn long<'a>(rows: impl Iterator<Item = Row<'a>>) -> Result<RawNodes, RecordingError> {
    let mut times: Vec<f64> = Vec::new();
    // Frame, node, position, line.
    let mut entries = Vec::new();
    for row in rows {
        row.check_width(5)?;
        let time = row.time(times.last())?;
        if times.last() != Some(&time) {
            times.push(time);
        }
        let node: u32 = row.fields[1]
            .parse()
            .map_err(|_| fail(row.line, 2, "the node must be a whole number from 0 on"))?;
        entries.push((times.len() - 1, node as usize, row.point(2)?, row.line));
    }
    let nodes = entries.iter().map(|entry| entry.1 + 1).max().unwrap_or(0);
    check_filled(times.len(), nodes, entries.len())?;
    let mut frames = vec![vec![DVec3::NAN; nodes]; times.len()];
    let mut given = vec![vec![false; nodes]; times.len()];
    for (frame, node, position, line) in entries {
        if std::mem::replace(&mut given[frame][node], true) {
            let what = format!("node {node} has a row at {} s already", times[frame]);
            return Err(fail(line, 2, what));
        }
        frames[frame][node] = position;
    }
    Ok(RawNodes {
        times,
        frames,
        ..RawNodes::default()
    })
}

/// Refuses a table that is mostly gaps before memory is set aside for it.
fn check_filled(frames: usize, nodes: usize, rows: usize) -> Result<(), RecordingError> {
    let total = frames.saturating_mul(nodes);
    if total / 2 <= rows {
        return Ok(());
    }
    Err(RecordingError::File(format!(
        "there are {frames} frames and nodes up to number {}, but only {rows} rows: more than half of the positions are \
         missing; number the nodes from 0 without gaps",
        nodes - 1
    )))
}

fn clouds<'a>(rows: impl Iterator<Item = Row<'a>>) -> Result<Content, RecordingError> {
    let mut times: Vec<f64> = Vec::new();
    let mut clouds: Vec<Vec<DVec3>> = Vec::new();
    for row in rows {
        row.check_width(4)?;
        let time = row.time(times.last())?;
        let point = row.point(1)?;
        match clouds.last_mut() {
            Some(cloud) if times.last() == Some(&time) => cloud.push(point),
            _ => {
                times.push(time);
                clouds.push(vec![point]);
            }
        }
    }
    Ok(Content::Clouds(times, clouds))
}
