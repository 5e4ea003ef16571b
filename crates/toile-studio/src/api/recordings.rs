//! Recordings: their worlds, frames and tables, and files of them for other programs.

use super::{Answer, as_json, aside, find, typed};
use crate::error::Denial;
use crate::folder::Folder;
use crate::state::Shared;
use axum::extract::{Query, State};
use axum::http::header;
use axum::response::IntoResponse;
use serde::Deserialize;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toile_live::recorded;
use toile_scene::export::{ExportFormat, ExportOptions};
use toile_scene::files::read_input_text;
use toile_scene::recording::{FILE_NAME, Recording};
use toile_scene::report::MetricsTable;

/// Bytes of frames in one answer.
const MOST_BYTES: usize = 32 << 20;
/// Bytes of a table or a scene beside a recording.
const MOST_TEXT: u64 = 64 << 20;
/// Bytes of a file to save.
const MOST_EXPORT: u64 = 1 << 30;

#[derive(Deserialize)]
pub struct RecordingPath {
    path: String,
    #[serde(default)]
    from: usize,
    #[serde(default)]
    count: usize,
    #[serde(default)]
    format: String,
}

/// The folder of a recording, inside the served one.
fn folder_of(shared: &Shared, path: &str) -> Result<PathBuf, Denial> {
    let found = find(shared, path)?;
    let folder = match found.file_name().is_some_and(|n| n == FILE_NAME) {
        true => found.parent().map(Path::to_owned).unwrap_or(found),
        false => found,
    };
    // A link inside the folder may not lead out either.
    let inside = shared.folder.shown(&folder.join(FILE_NAME));
    find(shared, &inside).map(|_| folder)
}

fn open(folder: &Path) -> Result<Recording, Denial> {
    let opened = Recording::open(&folder.join(FILE_NAME));
    opened.map_err(|error| Denial::file(error.to_string()))
}

/// A text beside a recording, if it is there and not too long.
fn beside(served: &Folder, folder: &Path, name: &str) -> Option<String> {
    let inside = served.shown(&folder.join(name));
    let found = served.find(Path::new(&inside)).ok()?;
    let length = std::fs::metadata(&found).ok()?.len();
    (length <= MOST_TEXT).then(|| read_input_text(&found).ok())?
}

/// What a recording shows.
pub async fn world(
    State(shared): State<Arc<Shared>>,
    Query(asked): Query<RecordingPath>,
) -> Answer {
    let folder = folder_of(&shared, &asked.path)?;
    let bytes = aside(move || {
        let recording = open(&folder)?;
        let resolved = beside(&shared.folder, &folder, "scene.resolved.toml");
        Ok(recorded::message(&recording, &resolved.unwrap_or_default()))
    });
    Ok(typed("application/octet-stream", bytes.await?))
}

/// Some of its frames.
pub async fn frames(
    State(shared): State<Arc<Shared>>,
    Query(asked): Query<RecordingPath>,
) -> Answer {
    let folder = folder_of(&shared, &asked.path)?;
    let bytes = aside(move || {
        let recording = open(&folder)?;
        let mut all = Vec::new();
        let end = asked.from.saturating_add(asked.count.max(1));
        for number in asked.from..end.min(recording.frame_count()) {
            let frame = recording.frame(number);
            let frame = frame.map_err(|error| Denial::file(error.to_string()))?;
            all.extend(recorded::frame(&recording, number, &frame));
            if all.len() > MOST_BYTES {
                break;
            }
        }
        Ok(all)
    });
    Ok(typed("application/octet-stream", bytes.await?))
}

/// Its table of numbers, which is empty for recordings that have none, such as clips of the lab.
pub async fn numbers(
    State(shared): State<Arc<Shared>>,
    Query(asked): Query<RecordingPath>,
) -> Answer {
    let folder = folder_of(&shared, &asked.path)?;
    let table = aside(move || {
        let text = beside(&shared.folder, &folder, "metrics.csv").unwrap_or_default();
        if text.is_empty() {
            return Ok(MetricsTable::default());
        }
        let table = MetricsTable::parse_csv(&text);
        table.map_err(|error| Denial::file(error.to_string()))
    });
    let table = table.await?;
    Ok(as_json(
        &json!({ "columns": table.columns, "rows": table.rows }),
    ))
}

/// A file of it for another program.
pub async fn export(
    State(shared): State<Arc<Shared>>,
    Query(asked): Query<RecordingPath>,
) -> Answer {
    let folder = folder_of(&shared, &asked.path)?;
    let name = folder
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || c == '-' {
            c
        } else {
            '_'
        }
    };
    let name: String = name.chars().map(plain).collect();
    let (bytes, kind, extension) = aside(move || {
        let (format, extension) = match asked.format.as_str() {
            "glb" => (ExportFormat::Glb, "glb"),
            "usda" | "usd" => (ExportFormat::Usda, "usda"),
            "csv" => {
                let text = beside(&shared.folder, &folder, "metrics.csv");
                let text = text.ok_or_else(|| Denial::file("there is no metrics.csv"))?;
                return Ok((text.into_bytes(), "text/csv; charset=utf-8", "csv"));
            }
            "vtu" => {
                let bytes = converted(&open(&folder)?, ExportFormat::Vtu, "vtu")?;
                return Ok((bytes, "application/zip", "zip"));
            }
            other => {
                let message =
                    format!("there is no format `{other}`; known are glb, usda, vtu and csv");
                return Err(Denial::message(message));
            }
        };
        let bytes = converted(&open(&folder)?, format, extension)?;
        Ok((bytes, "application/octet-stream", extension))
    })
    .await?;
    let saved_as = format!("attachment; filename=\"{name}.{extension}\"");
    let headers = [
        (header::CONTENT_TYPE, kind.to_owned()),
        (header::CONTENT_DISPOSITION, saved_as),
    ];
    Ok((headers, bytes).into_response())
}

/// The bytes of an export; several files are packed into one.
fn converted(
    recording: &Recording,
    format: ExportFormat,
    extension: &str,
) -> Result<Vec<u8>, Denial> {
    let workshop = Workshop::new()?;
    let out = match format {
        ExportFormat::Vtu => workshop.0.join("cloth"),
        _ => workshop.0.join(format!("cloth.{extension}")),
    };
    let exported = toile_scene::export::export(recording, format, &out, &ExportOptions::default());
    let files = exported
        .map_err(|error| Denial::message(error.to_string()))?
        .files;
    let wrong = |error: std::io::Error| Denial::message(error.to_string());
    let sizes = files
        .iter()
        .map(|f| std::fs::metadata(f).map_or(0, |m| m.len()));
    if sizes.sum::<u64>() > MOST_EXPORT {
        let message = "the export is too large for a page; take `toile export`";
        return Err(Denial::message(message));
    }
    if let ([file], true) = (&files[..], format != ExportFormat::Vtu) {
        return std::fs::read(file).map_err(wrong);
    }
    let mut pack = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for file in &files {
        let name = file
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let options = zip::write::SimpleFileOptions::default();
        let begun = pack.start_file(name, options);
        begun.map_err(|error| Denial::message(error.to_string()))?;
        let bytes = std::fs::read(file).map_err(wrong)?;
        std::io::Write::write_all(&mut pack, &bytes).map_err(wrong)?;
    }
    let packed = pack.finish();
    let packed = packed.map_err(|error| Denial::message(error.to_string()))?;
    Ok(packed.into_inner())
}

/// A folder of the system's own for files on their way; gone when it is let go.
struct Workshop(PathBuf);

impl Workshop {
    fn new() -> Result<Self, Denial> {
        let secret = crate::secret::Secret::new();
        let secret = secret.map_err(|error| Denial::message(error.to_string()))?;
        let folder = std::env::temp_dir().join(format!("toile-export-{}", secret.text()));
        let made = std::fs::create_dir(&folder);
        made.map_err(|error| Denial::message(error.to_string()))?;
        Ok(Workshop(folder))
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        // What cannot be removed is in the system's folder for such files.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
