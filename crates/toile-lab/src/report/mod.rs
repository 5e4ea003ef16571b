//! `report.html`: all results of a folder as one page that opens from the disk.
//!
//! The law of this room is that of the report of a run: the page stands alone. It loads nothing, its content security policy
//! forbids it to, and everything that came out of a file reaches it escaped. Pictures and clips are inside the page as long as its
//! budget lasts, and links beyond; what is not there is said to be missing.
//!
//! `page` writes the page, `scale` the small drawings of where a number lies within its tolerance, `media` decides what goes inside. The
//! player of the clips is that of `toile-scene`.

mod media;
mod page;
mod scale;
#[cfg(test)]
mod tests;

use crate::results::Results;
use media::{Media, Shown};
use page::{Page, Section, shell_json};
use std::path::{Path, PathBuf};
use thiserror::Error;
use toile_scene::report::player_shell;
use toile_scene::run::{FolderError, write_atomically};

/// Name of the page inside a folder of results.
pub const FILE_NAME: &str = "report.html";

/// How large the page may become if nobody says otherwise (bytes).
pub const DEFAULT_BUDGET_BYTES: usize = 60 << 20;

/// What became of the results.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReportSummary {
    /// Size of the page (bytes).
    pub bytes: usize,
    /// Pictures and clips inside the page.
    pub embedded: usize,
    /// Pictures and clips that it links, because they did not fit.
    pub linked: usize,
    /// Pictures and clips that are not there.
    pub missing: Vec<PathBuf>,
}

/// A page that cannot be written.
#[derive(Debug, Error)]
pub enum ReportError {
    /// There is not a single result.
    #[error("none of the results in {path} can be read; run the experiments again")]
    Nothing {
        /// The folder.
        path: PathBuf,
    },
    /// The file cannot be written.
    #[error(transparent)]
    Folder(#[from] FolderError),
}

/// Writes the page of a folder's results to a file.
pub fn write_report(
    results: &Results,
    folder: &Path,
    out: &Path,
    budget_bytes: usize,
) -> Result<ReportSummary, ReportError> {
    if results.outcomes.is_empty() {
        return Err(ReportError::Nothing {
            path: folder.to_owned(),
        });
    }
    let (page, mut summary) = report(results, folder, out, budget_bytes);
    write_atomically(out, page.as_bytes())?;
    summary.bytes = page.len();
    Ok(summary)
}

/// Around every picture and clip there is this much text at the most (bytes).
const AROUND: usize = 1200;

fn report(
    results: &Results,
    folder: &Path,
    out: &Path,
    budget_bytes: usize,
) -> (String, ReportSummary) {
    let outcomes = &results.outcomes;
    let bare = outcomes.iter().map(|outcome| Section {
        outcome,
        pictures: Vec::new(),
        clips: Vec::new(),
    });
    let mut page = Page {
        sections: bare.collect(),
        damaged: &results.damaged,
        shell: shell_json(&player_shell()),
        budget_bytes,
    };
    let pictures: usize = outcomes.iter().map(|o| o.pictures.len()).sum();
    let clips: usize = outcomes.iter().map(|o| o.clips.len()).sum();
    let player = if clips > 0 { page.shell.len() } else { 0 };
    let text = page.write().len() + player + AROUND * (pictures + clips);
    let mut media = Media::new(folder, out, budget_bytes.saturating_sub(text));
    // Pictures come first: a page without clips says more than one without pictures.
    for section in &mut page.sections {
        let pictures = section.outcome.pictures.iter();
        section.pictures = pictures.map(|path| media.picture(path)).collect();
    }
    for section in &mut page.sections {
        let clips = section.outcome.clips.iter();
        section.clips = clips.map(|clip| media.clip(&clip.path)).collect();
    }
    let summary = summary(&page);
    (page.write(), summary)
}

fn summary(page: &Page) -> ReportSummary {
    let mut summary = ReportSummary::default();
    let mut count = |shown: &Shown, path: &Path| match shown {
        Shown::Picture(..) | Shown::Clip(_) => summary.embedded += 1,
        Shown::Linked { .. } => summary.linked += 1,
        Shown::Missing { .. } => summary.missing.push(path.to_owned()),
    };
    for section in &page.sections {
        for (shown, path) in section.pictures.iter().zip(&section.outcome.pictures) {
            count(shown, path);
        }
        for (shown, clip) in section.clips.iter().zip(&section.outcome.clips) {
            count(shown, &clip.path);
        }
    }
    summary
}
