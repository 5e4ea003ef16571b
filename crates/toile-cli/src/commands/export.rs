//! `toile export`.

use super::{OrReport, check_out};
use crate::args::{ExportArgs, Format, Up};
use crate::output::say;
use miette::{Result, miette};
use std::path::PathBuf;
use std::process::ExitCode;
use toile_lab::observation::{encode_npz, take_down};
use toile_scene::export::{ExportFormat, ExportOptions, UpAxis, export as write};
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
        Format::Pc2 => ExportFormat::Pc2,
        Format::Mdd => ExportFormat::Mdd,
        Format::Npz => return arrays(args, &recording),
    };
    check_options(args, format)?;
    let from = args.from.unwrap_or(0);
    let end = args
        .to_frame
        .map_or(recording.frame_count(), |last| last.saturating_add(1));
    let options = ExportOptions {
        frames: Some(from..end),
        every: args.every as usize,
        force: args.force,
        up: match args.up {
            Some(Up::Y) => UpAxis::Y,
            Some(Up::Z) | None => UpAxis::Z,
        },
        start_frame: args.start_frame.unwrap_or(1),
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

/// Refuses options that would do nothing.
fn check_options(args: &ExportArgs, format: ExportFormat) -> Result<()> {
    let cache = matches!(format, ExportFormat::Pc2 | ExportFormat::Mdd);
    let plain = cache || matches!(format, ExportFormat::Obj | ExportFormat::Ply);
    if args.up.is_some() && !plain {
        let what = "--up: is for obj, ply, pc2 and mdd; this format says itself which axis is up";
        return Err(miette!("{what}"));
    }
    if args.start_frame.is_some() && !cache {
        return Err(miette!("--start-frame: is for pc2 and mdd"));
    }
    Ok(())
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
