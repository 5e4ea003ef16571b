//! `toile export`.

use super::{OrReport, check_out};
use crate::args::{ExportArgs, Format};
use crate::output::say;
use miette::{Result, miette};
use std::path::PathBuf;
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
    let named = args.out.extension();
    let out = match named.is_some_and(|e| e.eq_ignore_ascii_case("npz")) {
        true => args.out.clone(),
        false => {
            let mut name = args.out.clone().into_os_string();
            name.push(".npz");
            PathBuf::from(name)
        }
    };
    check_out(&out, args.force)?;
    if let Some(folder) = out.parent() {
        std::fs::create_dir_all(folder)
            .map_err(|error| miette!("{}: {error}", folder.display()))?;
    }
    let from = args.from.unwrap_or(0);
    let last = args
        .to_frame
        .map_or(recording.frame_count(), |n| n.saturating_add(1));
    let taken = take_down(recording, (from..last).step_by(args.every as usize));
    let taken = taken.or_report()?.or_report()?;
    let bytes = encode_npz(&taken).or_report()?;
    write_atomically(&out, &bytes).or_report()?;
    say(format!("wrote {}", out.display()));
    Ok(ExitCode::SUCCESS)
}
