//! `toile export`.

use super::OrReport;
use crate::args::{ExportArgs, Format};
use crate::output::say;
use miette::Result;
use std::process::ExitCode;
use toile_scene::export::{ExportFormat, ExportOptions, export as write};
use toile_scene::recording::Recording;

pub fn export(args: &ExportArgs) -> Result<ExitCode> {
    let recording = Recording::open(&args.folder).or_report()?;
    let format = match args.to {
        Format::Obj => ExportFormat::Obj,
        Format::Ply => ExportFormat::Ply,
        Format::Glb => ExportFormat::Glb,
        Format::Usda => ExportFormat::Usda,
        Format::Vtu => ExportFormat::Vtu,
    };
    let from = args.from.unwrap_or(0);
    let end = args
        .to_frame
        .map_or(recording.frame_count(), |last| last.saturating_add(1));
    let options = ExportOptions {
        frames: Some(from..end),
        every: args.every as usize,
        force: args.force,
    };
    let summary = write(&recording, format, &args.out, &options).or_report()?;
    match summary.files.as_slice() {
        [one] => say(format!("wrote {}", one.display())),
        [first, .., last] => say(format!(
            "wrote {} files, {} to {}",
            summary.files.len(),
            first.display(),
            last.display()
        )),
        [] => {}
    }
    for note in &summary.notes {
        say(format!("note: {note}"));
    }
    Ok(ExitCode::SUCCESS)
}
