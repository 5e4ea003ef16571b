//! `toile export`.

use super::OrReport;
use crate::args::{ExportArgs, Format};
use crate::output::say;
use miette::{Result, miette};
use std::process::ExitCode;
use toile_lab::observation::{encode_npz, take_down};
use toile_scene::export::{ExportFormat, ExportOptions, export as write};
use toile_scene::recording::Recording;
use toile_scene::run::write_atomically;

pub fn export(args: &ExportArgs) -> Result<ExitCode> {
    let recording = Recording::open(&args.folder).or_report()?;
    let format = match args.to {
        Format::Obj => ExportFormat::Obj,
        Format::Ply => ExportFormat::Ply,
        Format::Glb => ExportFormat::Glb,
        Format::Usda => ExportFormat::Usda,
        Format::Vtu => ExportFormat::Vtu,
        Format::Npz => return arrays(args, &recording),
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

/// Node positions as arrays for numpy.
fn arrays(args: &ExportArgs, recording: &Recording) -> Result<ExitCode> {
    if args.out.exists() && !args.force {
        let path = args.out.display();
        return Err(miette!("{path} exists already; replace it with --force"));
    }
    let from = args.from.unwrap_or(0);
    let last = args
        .to_frame
        .map_or(recording.frame_count(), |n| n.saturating_add(1));
    let taken = take_down(recording, (from..last).step_by(args.every as usize));
    let taken = taken.or_report()?.or_report()?;
    let bytes = encode_npz(&taken).or_report()?;
    write_atomically(&args.out, &bytes).or_report()?;
    say(format!("wrote {}", args.out.display()));
    Ok(ExitCode::SUCCESS)
}
