//! `toile lab report`.

use super::super::OrReport;
use crate::output::{say, warn};
use miette::Result;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use toile_lab::report::{FILE_NAME, ReportSummary, write_report};
use toile_lab::{DamagedResult, read_results};

pub fn report(folder: &Path, out: Option<&Path>, budget: usize) -> Result<ExitCode> {
    let written = write(folder, out, budget)?;
    written.tell(false);
    Ok(if written.damaged.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// A page that was written.
pub struct Written {
    path: PathBuf,
    summary: ReportSummary,
    damaged: Vec<DamagedResult>,
}

/// Makes the page of all results in a folder.
pub fn write(folder: &Path, out: Option<&Path>, budget: usize) -> Result<Written> {
    let results = read_results(folder).or_report()?;
    let path = out.map_or_else(|| folder.join(FILE_NAME), Path::to_owned);
    for damaged in &results.damaged {
        warn(&format!("{}: {}", damaged.path.display(), damaged.why));
    }
    let summary = write_report(&results, folder, &path, budget).or_report()?;
    Ok(Written {
        path,
        summary,
        damaged: results.damaged,
    })
}

impl Written {
    /// Says where it is and what is not in it; `quiet` leaves standard output to something else.
    pub fn tell(&self, quiet: bool) {
        for path in &self.summary.missing {
            warn(&format!("{} cannot be shown", path.display()));
        }
        if self.summary.linked > 0 {
            warn(&format!(
                "{} pictures and clips did not fit into the page and are linked",
                self.summary.linked
            ));
        }
        if !quiet {
            let megabytes = self.summary.bytes as f64 / 1e6;
            say(format!(
                "look at {} ({megabytes:.1} MB)",
                self.path.display()
            ));
        }
    }
}
