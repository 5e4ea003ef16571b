//! `report.html`: a finished run as one page that opens from the disk, with a player and plots.
//!
//! The law of this room: the page stands alone. It loads nothing, its content security policy forbids it to,
//! and everything that a user wrote (titles, names, the scene) reaches it escaped.
//!
//! The scripts are plain files next to this one, put into the page in the order of `SCRIPTS`; they
//! share one function scope. `pack` describes the bytes they read.

mod base64;
mod embed;
mod metrics;
mod pack;
#[cfg(test)]
mod tests;

pub use base64::data_uri;
pub use embed::{EmbeddedRecording, embed, player_shell};
pub use metrics::{MetricsError, MetricsTable};

use crate::recording::{Recording, RecordingError};
use crate::spec::CameraSpec;
use pack::{FrameLayout, Opening, Pack};
use std::io::{self, Write};
use thiserror::Error;

/// Name of the report inside a run folder.
pub const FILE_NAME: &str = "report.html";

/// How large a report may become if nobody says otherwise (bytes).
pub const DEFAULT_BUDGET_BYTES: usize = 24 << 20;

const TEMPLATE: &str = include_str!("player.html");
const STYLE: &str = include_str!("player.css");
const SCRIPTS: [&str; 10] = [
    include_str!("data.js"),
    include_str!("measure.js"),
    include_str!("colours.js"),
    include_str!("camera.js"),
    include_str!("shaders.js"),
    include_str!("renderer.js"),
    include_str!("axes.js"),
    include_str!("plots.js"),
    include_str!("controls.js"),
    include_str!("player.js"),
];

/// Everything a report shows.
#[derive(Debug)]
pub struct ReportInput<'a> {
    /// The frames.
    pub recording: &'a Recording,
    /// The numbers to plot.
    pub metrics: &'a MetricsTable,
    /// Name and value of what the page lists under the player, such as `("nodes", "4225")`.
    pub facts: Vec<(String, String)>,
    /// The resolved scene, shown folded up at the end.
    pub scene_source: Option<&'a str>,
    /// From where the player shows the start.
    pub camera: CameraSpec,
    /// Whether the player says which cloth has which colour.
    pub legend: bool,
    /// How large the page may become (bytes); frames are left out evenly if there are too many. The
    /// surfaces and two frames are written in any case.
    pub budget_bytes: usize,
}

impl<'a> ReportInput<'a> {
    /// A recording and its numbers, from the usual side, in a page of the usual size.
    pub fn new(recording: &'a Recording, metrics: &'a MetricsTable) -> Self {
        ReportInput {
            recording,
            metrics,
            facts: Vec::new(),
            scene_source: None,
            camera: CameraSpec::default(),
            legend: false,
            budget_bytes: DEFAULT_BUDGET_BYTES,
        }
    }
}

/// What became of the recording.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReportSummary {
    /// Size of the page (bytes).
    pub bytes: u64,
    /// Frames in the recording.
    pub frames_recorded: usize,
    /// Frames in the page.
    pub frames_kept: usize,
    /// By how much a coordinate of a node can be off in the page (m).
    pub rounding_error: f64,
}

/// A report that cannot be written.
#[derive(Debug, Error)]
pub enum ReportError {
    /// The frames cannot be read.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// A row of the metrics does not fit the columns.
    #[error("row {row} of the metrics has {found} values for {expected} columns")]
    MetricsRow {
        /// The row (counted from 0).
        row: usize,
        /// How many columns there are.
        expected: usize,
        /// How many values the row has.
        found: usize,
    },
    /// The page cannot be written.
    #[error("the report cannot be written: {0}")]
    Write(#[from] io::Error),
}

/// Writes the page.
pub fn write_report(
    input: &ReportInput,
    out: &mut impl Write,
) -> Result<ReportSummary, ReportError> {
    let expected = input.metrics.columns.len();
    for (row, values) in input.metrics.rows.iter().enumerate() {
        let found = values.len();
        if found != expected {
            return Err(ReportError::MetricsRow {
                row,
                expected,
                found,
            });
        }
    }
    let page_bytes = page(input, &FrameLayout::default(), 0).concat().len();
    let pack = Pack::new(
        input.recording,
        input.metrics,
        Opening {
            camera: input.camera,
            legend: input.legend,
        },
        page_bytes,
        input.budget_bytes,
    )?;
    let [before, between, after] = page(input, pack.frames(), pack.metric_rows_left_out());
    let manifest = pack.manifest_json();
    for text in [&before, &manifest, &between] {
        out.write_all(text.as_bytes())?;
    }
    let data_bytes = pack.write(out)?;
    out.write_all(after.as_bytes())?;
    let text_bytes = before.len() + manifest.len() + between.len() + after.len();
    Ok(ReportSummary {
        bytes: text_bytes as u64 + data_bytes,
        frames_recorded: pack.frames().recorded,
        frames_kept: pack.frames().count,
        rounding_error: pack.frames().rounding_error(),
    })
}

/// The page before the manifest, from there to the data, and after them.
fn page(input: &ReportInput, frames: &FrameLayout, rows_left_out: usize) -> [String; 3] {
    let title = match input.recording.header().title.trim() {
        "" => "Untitled scene".to_owned(),
        title => escape(title),
    };
    fill(|name| match name {
        "title" => title.clone(),
        "overview" => overview(input.recording, frames),
        "facts" => facts(&input.facts),
        "notes" => notes(frames, rows_left_out),
        "scene" => scene(input.scene_source),
        _ => String::new(),
    })
}

/// The template with its places filled in, cut where the manifest and the data belong.
fn fill(value: impl Fn(&str) -> String) -> [String; 3] {
    let mut parts: [String; 3] = Default::default();
    let mut part = 0;
    // One pass over the template: what is filled in is never searched for places again.
    for (index, piece) in TEMPLATE.split("{{").enumerate() {
        let (name, text) = match (index, piece.split_once("}}")) {
            (1.., Some((name, text))) => (name, text),
            _ => ("", piece),
        };
        match name {
            "style" => parts[part] += STYLE,
            "scripts" => parts[part] += &SCRIPTS.concat(),
            "manifest" | "data" => part += 1,
            other => parts[part] += &value(other),
        }
        parts[part] += text;
    }
    parts
}

fn overview(recording: &Recording, frames: &FrameLayout) -> String {
    let count = |n: usize, one: &str, many: &str| match n {
        1 => format!("1 {one}"),
        n => format!("{} {many}", thousands(n)),
    };
    let faces = recording.cloths().iter().map(|c| c.faces.len()).sum();
    let bodies = recording.bodies().len();
    let mut parts = vec![
        count(recording.cloths().len(), "cloth", "cloths"),
        count(recording.header().node_count, "node", "nodes"),
        count(faces, "face", "faces"),
        count(bodies, "body", "bodies"),
        match frames.count == frames.recorded {
            true => count(frames.recorded, "frame", "frames"),
            false => format!(
                "{} of {} frames",
                thousands(frames.count),
                thousands(frames.recorded)
            ),
        },
    ];
    if bodies == 0 {
        parts.remove(3);
    }
    parts.join(" · ")
}

fn facts(facts: &[(String, String)]) -> String {
    if facts.is_empty() {
        return String::new();
    }
    let rows: String = facts
        .iter()
        .map(|(name, value)| {
            format!(
                "<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n",
                escape(name),
                escape(value)
            )
        })
        .collect();
    format!(
        "<section class=\"facts\" aria-labelledby=\"facts-title\">\n<h2 id=\"facts-title\">Facts</h2>\n\
         <table><tbody>\n{rows}</tbody></table>\n</section>\n"
    )
}

fn notes(frames: &FrameLayout, rows_left_out: usize) -> String {
    if frames.recorded == 0 {
        return "The recording has no complete frame.".to_owned();
    }
    let bits = if frames.fine { 24 } else { 16 };
    let rounding = length(frames.rounding_error());
    let kept = match frames.count == frames.recorded {
        true => String::new(),
        false => format!(
            "To stay within the size asked for, this page holds {} of the {} recorded frames, evenly spaced. ",
            thousands(frames.count),
            thousands(frames.recorded)
        ),
    };
    let rows = match rows_left_out {
        0 => String::new(),
        n => format!(
            " {} rows of the metrics are left out of the plots.",
            thousands(n)
        ),
    };
    format!(
        "{kept}Positions are rounded to {bits} bits per coordinate inside the recording’s bounding box: \
         each is off by at most {rounding}.{rows}"
    )
}

fn scene(source: Option<&str>) -> String {
    let Some(source) = source else {
        return String::new();
    };
    // The newline after <pre> is not part of its text.
    format!(
        "<details class=\"scene\">\n<summary>Resolved scene</summary>\n<pre tabindex=\"0\">\n{}</pre>\n</details>\n",
        escape(source)
    )
}

/// Text that may stand between tags and inside quoted attributes.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            // HTML has no way to write a null character.
            '\0' => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
    out
}

/// A length with two digits and a fitting unit.
pub fn length(metres: f64) -> String {
    let units = [(1.0, "m"), (1e-3, "mm"), (1e-6, "µm"), (1e-9, "nm")];
    let fitting = units.iter().find(|(size, _)| metres >= *size);
    match fitting {
        None => "less than a nanometre".to_owned(),
        Some((size, unit)) if metres / size >= 10.0 => format!("{:.0} {unit}", metres / size),
        Some((size, unit)) => format!("{:.1} {unit}", metres / size),
    }
}

fn thousands(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
