//! What there is in the folder: runs, results of the lab, fits, sweeps, comparisons and textile tests.

use crate::folder::Folder;
use serde::Serialize;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use toile_lab::Outcome;
use toile_scene::files::read_input;
use toile_scene::recording::{FILE_NAME, Recording};

/// How deep results are looked for, and among how many files.
const DEPTH: usize = 5;
const MOST_FILES: usize = 20_000;
/// What is listed, the newest first.
const MOST_ITEMS: usize = 300;
/// Bytes of a file that is read for its title.
const MOST_TEXT: u64 = 4 << 20;
/// Folders that hold many files and no results.
const PASSED_BY: [&str; 2] = ["target", "node_modules"];

/// Something on the shelf.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Item {
    pub kind: Kind,
    pub path: String,
    pub title: String,
    /// Seconds since 1970.
    pub modified: u64,
    pub thumbnail: Option<String>,
    pub report: Option<String>,
    pub recording: Option<String>,
    pub summary: String,
}

/// What it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    Run,
    Lab,
    Fit,
    Sweep,
    Textile,
    Comparison,
}

/// Shows all regular files of a folder, but not hidden ones nor what links lead to, with when they were changed.
pub fn walk(folder: &Folder, see: &mut impl FnMut(&Path, u64)) {
    let mut left = MOST_FILES;
    let mut folders = vec![(folder.root().to_owned(), 0)];
    while let Some((path, depth)) = folders.pop() {
        let Ok(entries) = fs::read_dir(&path) else {
            continue;
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let Ok(found) = entry.metadata() else {
                continue;
            };
            if name.starts_with('.') || found.is_symlink() || left == 0 {
                continue;
            }
            left -= 1;
            if found.is_file() {
                see(&entry.path(), seconds(&found));
            } else if found.is_dir() && depth < DEPTH && !PASSED_BY.contains(&&*name) {
                folders.push((entry.path(), depth + 1));
            }
        }
    }
}

fn seconds(found: &fs::Metadata) -> u64 {
    let modified = found.modified().ok();
    let since = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since.map_or(0, |since| since.as_secs())
}

/// All that there is, the newest first.
pub fn items(folder: &Folder) -> Vec<Item> {
    let mut found: Vec<(u64, PathBuf)> = Vec::new();
    walk(folder, &mut |path, modified| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_sign = matches!(
            &*name,
            FILE_NAME
                | "fit.json"
                | "compare.csv"
                | "results.csv"
                | "cusick.png"
                | "cantilever.png"
                | "bias.png"
                | "hanging.png"
        );
        if is_sign || name.ends_with(".json") {
            found.push((modified, path.to_owned()));
        }
    });
    found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let mut items: Vec<Item> = Vec::new();
    for (modified, path) in found {
        if items.len() >= MOST_ITEMS {
            break;
        }
        let Some(item) = item(folder, &path, modified) else {
            continue;
        };
        // A fit and a comparison have several of the signs.
        let is_known = |known: &Item| known.path == item.path;
        match items.iter().position(is_known) {
            Some(place) if items[place].kind == Kind::Run && item.kind != Kind::Run => {
                items[place] = item;
            }
            Some(_) => {}
            None => items.push(item),
        }
    }
    items
}

/// What a file is a sign of.
fn item(folder: &Folder, path: &Path, modified: u64) -> Option<Item> {
    let inside = path.parent()?;
    let name = path.file_name()?.to_str()?;
    let kind = match name {
        FILE_NAME => Kind::Run,
        "fit.json" => Kind::Fit,
        "compare.csv" => Kind::Comparison,
        "results.csv" => Kind::Sweep,
        _ if name.ends_with(".png") => Kind::Textile,
        _ => return lab(folder, path, modified),
    };
    let is_clip = inside
        .parent()
        .and_then(Path::file_name)
        .is_some_and(|n| n == "clips");
    if kind == Kind::Run && is_clip {
        return None;
    }
    let recording = inside.join(FILE_NAME);
    let opened = recording
        .is_file()
        .then(|| Recording::open(&recording).ok())
        .flatten();
    let own_name = inside
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let title = opened.as_ref().map(|r| r.header().title.clone());
    let summary = match (&opened, kind) {
        (Some(recording), _) => frames_in_words(recording),
        (None, Kind::Sweep) => rows_in_words(path),
        (None, Kind::Textile) => drape_in_words(&inside.join("cusick.json")),
        (None, _) => String::new(),
    };
    if kind == Kind::Run && opened.is_none() {
        return None;
    }
    let pictures = [
        "preview.png",
        "cusick.png",
        "cantilever.png",
        "bias.png",
        "hanging.png",
    ];
    Some(Item {
        kind,
        path: folder.shown(inside),
        title: title.filter(|t| !t.is_empty()).unwrap_or(own_name),
        modified,
        thumbnail: pictures
            .iter()
            .find_map(|n| address(folder, &inside.join(n))),
        report: address(folder, &inside.join("report.html")),
        recording: opened.is_some().then(|| folder.shown(inside)),
        summary,
    })
}

fn frames_in_words(recording: &Recording) -> String {
    let header = recording.header();
    let frames = recording.frame_count();
    let seconds = frames.saturating_sub(1) as f64 / header.fps;
    format!(
        "{frames} frames, {seconds:.2} s, {} nodes",
        header.node_count
    )
}

fn rows_in_words(path: &Path) -> String {
    let text = small(path).and_then(|bytes| String::from_utf8(bytes).ok());
    let rows = text.map_or(0, |t| t.lines().count().saturating_sub(1));
    format!("{rows} rows")
}

/// Of a drape test that left its numbers.
fn drape_in_words(path: &Path) -> String {
    let value: Option<serde_json::Value> =
        small(path).and_then(|b| serde_json::from_slice(&b).ok());
    let coefficient = value
        .as_ref()
        .and_then(|v| v.get("drape_coefficient")?.as_f64());
    let percent = |c: f64| format!("drape coefficient {:.1} %", 100.0 * c);
    coefficient.map_or(String::new(), percent)
}

fn small(path: &Path) -> Option<Vec<u8>> {
    let length = fs::metadata(path).ok()?.len();
    (length <= MOST_TEXT).then(|| read_input(path).ok())?
}

/// An outcome of an experiment.
fn lab(folder: &Folder, path: &Path, modified: u64) -> Option<Item> {
    let outcome: Outcome = serde_json::from_slice(&small(path)?).ok()?;
    let inside = path.parent()?;
    let holding = outcome.measurements.iter().filter(|m| m.holds).count();
    let clip = outcome.clips.first();
    // What a file says of other files is not to be trusted.
    let inside_of = |name: &Path| {
        let found = folder
            .find(Path::new(&folder.shown(&inside.join(name))))
            .ok()?;
        found.exists().then_some(found)
    };
    let clip = clip.and_then(|clip| inside_of(&clip.path.join(FILE_NAME)));
    let picture = outcome.pictures.first().and_then(|name| inside_of(name));
    Some(Item {
        kind: Kind::Lab,
        path: folder.shown(path),
        title: outcome.title,
        modified,
        thumbnail: picture.and_then(|path| address(folder, &path)),
        report: address(folder, &inside.join("report.html")),
        recording: clip.and_then(|c| Some(folder.shown(c.parent()?))),
        summary: format!(
            "{holding} of {} measurements hold",
            outcome.measurements.len()
        ),
    })
}

/// Where a browser gets a file, if it is there.
fn address(folder: &Folder, path: &Path) -> Option<String> {
    let is_there = fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
    is_there.then(|| format!("api/file?path={}", encoded(&folder.shown(path))))
}

/// A path as a part of an address.
fn encoded(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => {
                text.push(byte.into());
            }
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}
