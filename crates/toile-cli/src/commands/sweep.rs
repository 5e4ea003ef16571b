//! `toile sweep`.

use super::run::{STOP, listen_for_interrupts};
use super::{OrReport, find_changed_scene, results_folder};
use crate::INTERRUPTED;
use crate::args::SweepArgs;
use crate::output::{say, warn};
use crate::progress::CountDisplay;
use miette::{Result, miette};
use std::process::ExitCode;
use toile_lab::sweep::{Sweep, SweepOutcome, parse_axis, read_variants, sweep as run_sweep};
use toile_lab::variants::{Variant, combine, zipped};

/// What is listed, what goes together, and what is combined with all of these.
fn axes(args: &SweepArgs) -> Result<Vec<Vec<Variant>>> {
    let mut axes = Vec::new();
    if let Some(file) = &args.variants {
        axes.push(read_variants(file).or_report()?);
    }
    for text in &args.zip {
        let fields = parse_axis(text).map_err(|error| miette!("--zip {text}: {error}"))?;
        let together = zipped(&fields);
        axes.push(together.ok_or_else(|| {
            miette!("--zip {text}: fields that change together need as many values each")
        })?);
    }
    for text in &args.grid {
        let fields = parse_axis(text).map_err(|error| miette!("--grid {text}: {error}"))?;
        let choices = |axis: Vec<_>| axis.into_iter().map(Variant::from).collect();
        axes.extend(fields.into_iter().map(choices));
    }
    Ok(axes)
}

pub fn sweep(args: &SweepArgs) -> Result<ExitCode> {
    args.work.apply()?;
    let source = find_changed_scene(&args.scene)?;
    let axes = axes(args)?;
    let variants = combine(&axes).or_report()?;
    let path = args.out.clone();
    let path = path.unwrap_or_else(|| results_folder(&args.scene.scene, "sweep"));
    listen_for_interrupts("variant")?;
    let job = Sweep {
        source: &source,
        variants: &variants,
        jobs: toile_lab::jobs::usual(),
        folder: &path,
        frames: args.frames,
        resume: args.resume,
        force: args.force,
        stop: &STOP,
    };
    let mut display = CountDisplay::new("variant", args.quiet);
    let outcome = run_sweep(&job, |done, all| display.show(done as u64, all as u64, ""));
    display.finish();
    let SweepOutcome { rows, recalled } = outcome.or_report()?;
    let done = rows.iter().flatten();
    let failed = done.clone().filter(|row| row.status != "finished").count();
    let missed = done.clone().filter(|row| row.holds == Some(false)).count();
    if !args.quiet {
        say(format!(
            "{} of {} variants ({recalled} from before) in {}",
            done.count(),
            rows.len(),
            path.join("results.csv").display()
        ));
    }
    if failed > 0 {
        warn(&format!(
            "{failed} variants failed; the column `status` says why"
        ));
    }
    if missed > 0 {
        warn(&format!(
            "{missed} variants missed the scene's expectations"
        ));
    }
    if rows.iter().any(Option::is_none) {
        eprintln!("stopped; continue with the same command and --resume");
        return Ok(ExitCode::from(INTERRUPTED));
    }
    Ok(match failed {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}
