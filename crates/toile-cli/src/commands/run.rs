//! `toile run`.

use super::{OrReport, change, find_scene};
use crate::INTERRUPTED;
use crate::args::RunArgs;
use crate::output::{say, warn};
use crate::progress::{ProgressDisplay, stage_name};
use miette::{Result, miette};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use toile_scene::present::{PictureStyle, write_previews, write_report_page};
use toile_scene::recording::Recording;
use toile_scene::report::{MetricsTable, ReportInput};
use toile_scene::run::{
    BranchPoint, Checkpoint, Findings, Replay, RunFolder, RunOptions, RunOutcome, RunSummary,
    Verdict, branch_off, find_branch_point, findings, judge, restore_start, run_commanded,
    start_warnings, wall_clock,
};
use toile_scene::scene::{World, resolve};
use toile_scene::spec::OutputSpec;

pub(super) static STOP: AtomicBool = AtomicBool::new(false);

pub fn run(args: &RunArgs) -> Result<ExitCode> {
    args.work.apply()?;
    let branch = args.branch.as_deref().map(parse_branch).transpose()?;
    let name = match (&args.scene, &branch) {
        (Some(scene), _) => scene.clone(),
        (None, Some((run, _))) => run.join("scene.resolved.toml").display().to_string(),
        (None, None) => return Err(miette!("name a scene")),
    };
    let mut source = find_scene(&name)?;
    change(&mut source, &args.overrides)?;
    let spec = source.parse()?;
    let output = spec.output.clone();
    let mut world = resolve(&source, spec)?;
    let path = args.out.clone().unwrap_or_else(|| default_folder(&name));
    let mut warnings = start_warnings(&world);
    warnings.iter().for_each(|w| warn(w));
    // Read before the folder, which may be the one it is in, is cleared.
    let replay = args.replay.as_deref().map(Replay::read).transpose();
    let mut replay = replay.or_report()?.unwrap_or_default();
    let taken = branch_of(args, branch.as_ref(), &mut world, &path)?;
    let folder = if args.resume {
        RunFolder::resume(&path)
    } else {
        RunFolder::create(&path, args.force)
    }
    .or_report()?;
    listen_for_interrupts("frame")?;

    let note = |text: String| {
        if !args.quiet {
            say(text);
        }
    };
    note(introduction(&world));
    if let Some(point) = taken {
        let file = point.file.display();
        note(format!("goes on from {file}, at {:.4} s", point.time));
    }
    let mut display = ProgressDisplay::new(args.quiet);
    let options = RunOptions {
        until: args.until,
        resume: args.resume,
        threads: args.work.threads(),
        checkpoint_interval: output.checkpoint_interval,
        stop: &STOP,
        clock: wall_clock,
    };
    let summary = run_commanded(&world, &folder, &options, &mut display, &mut replay);
    display.finish();
    let summary = summary.or_report()?;
    note(conclusion(&summary, folder.path()));
    if summary.outcome == RunOutcome::Interrupted {
        let again = format!(
            "continue with: toile run {} -o {} --resume",
            match branch {
                // Whatever becomes of the other run, what it takes to go on is in the folder.
                Some(_) => path.join("scene.resolved.toml").display().to_string(),
                None => name,
            },
            path.display()
        );
        eprintln!("stopped; {again}");
        return Ok(ExitCode::from(INTERRUPTED));
    }
    if args.until.is_none() {
        warnings.extend(unfinished_stage(&world, &summary));
    }
    warnings.extend(stage_cut_short(&world, &summary));
    finish(&world, &warnings, &folder, &output, args, &summary)
}

/// The run and the time (s) in `RUN@TIME`.
fn parse_branch(text: &str) -> Result<(PathBuf, Option<f64>)> {
    let whole = PathBuf::from(text);
    let Some((run, time)) = text.rsplit_once('@') else {
        return Ok((whole, None));
    };
    if whole.exists() {
        return Ok((whole, None));
    }
    match time.parse::<f64>() {
        Ok(time) if time >= 0.0 => Ok((run.into(), Some(time))),
        _ => Err(miette!(
            "--branch {text}: {time} is not a time in seconds; write RUN@TIME, such as runs/fold@1.5"
        )),
    }
}

/// Lets a world begin where another run was, if that is asked for and the branch has not been begun already.
fn branch_of(
    args: &RunArgs,
    branch: Option<&(PathBuf, Option<f64>)>,
    world: &mut World,
    out: &Path,
) -> Result<Option<BranchPoint>> {
    if let Some((run, _)) = branch {
        check_apart(run, out)?;
    }
    if args.resume && restore_start(world, out).or_report()? {
        return Ok(None);
    }
    let Some((run, time)) = branch else {
        return Ok(None);
    };
    let point = find_branch_point(run, *time).or_report()?;
    branch_off(world, run, &point).or_report()?;
    Ok(Some(point))
}

/// A branch must not write over the run that it comes from.
fn check_apart(run: &Path, out: &Path) -> Result<()> {
    let same = run.canonicalize().ok() == out.canonicalize().ok();
    if out.exists() && same {
        let out = out.display();
        return Err(miette!(
            "-o {out} is the run that --branch starts from; choose another folder"
        ));
    }
    Ok(())
}

/// `runs/NAME`, with the name of the scene file or of the bundled scene.
pub(super) fn default_folder(scene: &str) -> PathBuf {
    let stem = Path::new(scene).file_stem();
    Path::new("runs").join(stem.unwrap_or("scene".as_ref()))
}

/// The first Ctrl-C stops after the present frame or whatever `part` is called, the second at once.
pub(super) fn listen_for_interrupts(part: &'static str) -> Result<()> {
    ctrlc::set_handler(move || {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED.into()); // asked twice: now
        }
        eprintln!("\nstopping after this {part} (once more to stop at once)");
    })
    .or_report()
}

fn introduction(world: &World) -> String {
    let faces = world.model.face_count();
    format!(
        "{}: {} nodes, {faces} faces, {} steps of {:.3} ms",
        if world.title.is_empty() {
            "scene"
        } else {
            &world.title
        },
        world.model.node_count(),
        world.schedule.steps(),
        world.schedule.step * 1e3,
    )
}

/// What to say of a run that ends before its last stage has begun.
fn unfinished_stage(world: &World, summary: &RunSummary) -> Option<String> {
    let stages = &world.stages;
    let number = summary.stage.filter(|&k| k + 1 < stages.len())?;
    let name = stage_name(number, stages);
    Some(format!(
        "the run ends in {name}, before what that waits for; lengthen time.duration or give the stage `at_most`"
    ))
}

/// What to say of a stage that ended before what it waits for had come.
fn stage_cut_short(world: &World, summary: &RunSummary) -> Option<String> {
    let name = stage_name(summary.cut_short?, &world.stages);
    Some(format!(
        "{name} ended before what it waits for had come, because it took as long as `at_most` allows; what comes after it began \
         too early"
    ))
}

fn conclusion(summary: &RunSummary, folder: &Path) -> String {
    let resumed = summary
        .resumed_at
        .map_or(String::new(), |t| format!(" (resumed at {t:.3} s)"));
    if summary.steps == 0 {
        return format!(
            "nothing left to simulate; {} frames in {}",
            summary.frames,
            folder.display()
        );
    }
    format!(
        "{} steps in {:.2} s, {:.0} steps/s, {:.0} % in the linear solve{resumed}; {} frames in {}",
        summary.steps,
        summary.wall,
        summary.steps as f64 / summary.wall,
        100.0 * summary.times.solve / summary.times.total().max(f64::MIN_POSITIVE),
        summary.frames,
        folder.display(),
    )
}

/// Pictures, report and verdict of a run that reached its end.
fn finish(
    world: &World,
    warnings: &[String],
    folder: &RunFolder,
    output: &OutputSpec,
    args: &RunArgs,
    summary: &RunSummary,
) -> Result<ExitCode> {
    let recording = Recording::open(folder.path()).or_report()?;
    let text = std::fs::read_to_string(folder.file("metrics.csv")).or_report()?;
    let metrics = MetricsTable::parse_csv(&text).or_report()?;
    let found = findings(world, warnings, &metrics);
    found.write(folder).or_report()?;
    if output.preview && !args.no_report {
        let style = PictureStyle {
            camera: output.camera,
            ..PictureStyle::default()
        };
        write_previews(&recording, folder.path(), &style).or_report()?;
    }
    if output.report && !args.no_report {
        let facts = facts(world, summary, &found);
        let scene = &world.resolved;
        let mut with_forces = metrics.clone();
        if let Ok(forces) = std::fs::read_to_string(folder.file("forces.csv")) {
            with_forces.add_forces(&forces);
        }
        let input = ReportInput {
            facts,
            scene_source: Some(scene),
            camera: output.camera,
            ..ReportInput::new(&recording, &with_forces)
        };
        write_report_page(&input, folder.path()).or_report()?;
        if !args.quiet {
            say(format!("look at {}", folder.file("report.html").display()));
        }
    }
    let clean = tell(&found, folder, args);
    // A run cut short by --until has not reached the end that the scene speaks of.
    if args.until.is_some() {
        return Ok(clean);
    }
    let checkpoint = Checkpoint::read(&folder.file("checkpoint.toile")).or_report()?;
    let state = checkpoint.map_or_else(|| world.state.clone(), |c| c.state);
    let verdicts = judge(&world.expect, &metrics, &state);
    let kept = report_verdicts(&verdicts, args.quiet);
    Ok(if kept == ExitCode::SUCCESS {
        clean
    } else {
        kept
    })
}

/// Ends the run with what the user should know of it; with --strict that is a failure.
fn tell(found: &Findings, folder: &RunFolder, args: &RunArgs) -> ExitCode {
    if let Some(worst) = found.worst_stretch.as_ref().filter(|_| !args.quiet) {
        say(worst.to_string());
    }
    let count = found.findings.len();
    if count > 0 && (args.strict || !args.quiet) {
        let noun = if count == 1 { "finding" } else { "findings" };
        let file = folder.file("findings.json");
        eprintln!("{count} {noun}, also in {}:", file.display());
        for finding in &found.findings {
            eprintln!("  {}", finding.message);
        }
    }
    match args.strict && count > 0 {
        true => ExitCode::FAILURE,
        false => ExitCode::SUCCESS,
    }
}

/// Says which expectations were missed.
pub(super) fn report_verdicts(verdicts: &[Verdict], quiet: bool) -> ExitCode {
    let missed = verdicts.iter().filter(|v| !v.holds);
    for verdict in missed.clone() {
        eprintln!("{verdict}");
    }
    if missed.count() > 0 {
        return ExitCode::FAILURE;
    }
    if !verdicts.is_empty() && !quiet {
        say(format!(
            "all {} expectations of the scene hold",
            verdicts.len()
        ));
    }
    ExitCode::SUCCESS
}

fn facts(world: &World, summary: &RunSummary, found: &Findings) -> Vec<(String, String)> {
    let faces = world.model.face_count();
    let mut facts = vec![
        ("nodes".into(), world.model.node_count().to_string()),
        ("faces".into(), faces.to_string()),
        (
            "time step".into(),
            format!("{:.3} ms", world.schedule.step * 1e3),
        ),
    ];
    if let Some(worst) = &found.worst_stretch {
        let percent = 100.0 * worst.stretch;
        facts.push(("worst stretch".into(), format!("{percent:.2} %")));
    }
    if summary.steps > 0 {
        let rate = summary.steps as f64 / summary.wall;
        facts.push(("speed".into(), format!("{rate:.0} steps/s")));
        let ratio = rate * world.schedule.step;
        facts.push(("real-time factor".into(), format!("{ratio:.2}")));
    }
    let in_words = found.findings.iter().map(|f| f.message.clone());
    facts.extend(in_words.map(|message| ("finding".into(), message)));
    facts
}
