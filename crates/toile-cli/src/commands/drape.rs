//! `toile drape`.

use super::run::{STOP, listen_for_interrupts, report_verdicts};
use super::{OrReport, change, find_changed_scene, results_folder};
use crate::INTERRUPTED;
use crate::args::DrapeArgs;
use crate::output::{say, warn};
use crate::progress::DrapeDisplay;
use miette::Result;
use std::process::ExitCode;
use toile::contact::intersections;
use toile::equilibrium::{Curvature, EquilibriumCertificate, EquilibriumStatus};
use toile_scene::present::{PictureStyle, write_labelled_previews, write_report_page};
use toile_scene::recording::{RecordedFrame, Recording};
use toile_scene::report::{MetricsTable, ReportInput};
use toile_scene::run::{
    DrapeOptions, DrapeSummary, RunFolder, drape as drape_world, judge, start_warnings, wall_clock,
};
use toile_scene::scene::{World, resolve};
use toile_scene::spec::OutputSpec;

pub fn drape(args: &DrapeArgs) -> Result<ExitCode> {
    args.work.apply()?;
    let mut source = find_changed_scene(&args.scene)?;
    let settings = [
        args.tolerance.map(|t| format!("drape.tolerance={t:e}")),
        args.max_iterations
            .map(|n| format!("drape.max_iterations={n}")),
    ];
    let settings: Vec<String> = settings.into_iter().flatten().collect();
    change(&mut source, &settings)?;
    let spec = source.parse()?;
    let output = spec.output.clone();
    let world = resolve(&source, spec)?;
    start_warnings(&world).iter().for_each(|w| warn(w));
    let path = args.out.clone();
    let path = path.unwrap_or_else(|| results_folder(&args.scene.scene, "drape"));
    let folder = if args.resume {
        RunFolder::resume(&path)
    } else {
        RunFolder::create(&path, args.force)
    }
    .or_report()?;
    listen_for_interrupts("iteration")?;

    let note = |text: String| {
        if !args.quiet {
            say(text);
        }
    };
    note(introduction(&world));
    let mut display = DrapeDisplay::new(args.quiet);
    let options = DrapeOptions {
        resume: args.resume,
        threads: args.work.threads(),
        checkpoint_interval: output.checkpoint_interval,
        stop: &STOP,
        clock: wall_clock,
    };
    let summary = drape_world(&world, &folder, &options, &mut display);
    display.finish();
    let summary = summary.or_report()?;
    note(conclusion(&summary));
    end_warnings(&world, &summary).iter().for_each(|w| warn(w));
    if summary.status == EquilibriumStatus::Interrupted {
        eprintln!("stopped; {}", go_on(args, &folder));
        return Ok(ExitCode::from(INTERRUPTED));
    }
    finish(&world, &folder, &output, args, &summary)
}

/// What a limit may be exceeded by before it is worth a word, relative to the allowed length.
const LIMIT_EXCEEDED: f64 = 1e-3;

/// What a drape does not look after, where it would have been needed.
fn end_warnings(world: &World, summary: &DrapeSummary) -> Vec<String> {
    let mut warnings = Vec::new();
    let exceeded = summary.certificate.limit_exceeded;
    if exceeded > LIMIT_EXCEEDED {
        warnings.push(format!(
            "cloth is stretched beyond its limit by {:.2} %: a drape looks for the shape without it; let it fall with `toile run`, or \
             give it a higher `material.stretch_stiffness`",
            exceeded * 100.0
        ));
    }
    let through = intersections(&world.model, &summary.state.positions).len();
    if through > 0 {
        warnings.push(format!(
            "a drape knows no contact between cloths, and here cloth passes through cloth at {through} pairs of faces; let it fall with \
             `toile run`"
        ));
    }
    warnings
}

fn go_on(args: &DrapeArgs, folder: &RunFolder) -> String {
    format!(
        "continue with: toile drape {} -o {} --resume",
        args.scene.scene,
        folder.path().display()
    )
}

fn introduction(world: &World) -> String {
    format!(
        "{}: {} nodes, {} faces, to a force of {:e} of the weight",
        if world.title.is_empty() {
            "scene"
        } else {
            &world.title
        },
        world.model.node_count(),
        world.model.face_count(),
        world.drape.tolerance,
    )
}

fn conclusion(summary: &DrapeSummary) -> String {
    let certificate = &summary.certificate;
    let resumed = summary
        .resumed_at
        .map_or(String::new(), |k| format!(" (resumed at {k})"));
    let end = match summary.status {
        EquilibriumStatus::Converged => "in balance",
        EquilibriumStatus::Interrupted => "stopped",
        EquilibriumStatus::IterationLimit | EquilibriumStatus::Stalled => "not in balance",
    };
    format!(
        "{end} after {} iterations{resumed} in {:.2} s: force {:.1e} of the weight, {}; worst stretch {:.2} %{}",
        summary.iterations,
        summary.wall,
        certificate.gradient,
        kind(certificate),
        certificate.stretch_worst * 100.0,
        certificate
            .gap_smallest
            .map_or(String::new(), |gap| format!(
                ", smallest gap {:.3} mm",
                gap * 1e3
            )),
    )
}

fn kind(certificate: &EquilibriumCertificate) -> &'static str {
    match certificate.curvature {
        Curvature::NoneNegative => "a minimum as far as was looked",
        Curvature::Negative => "a saddle",
        Curvature::Unknown => "not looked at further",
    }
}

/// Pictures, report and verdict of a drape that reached an end of its own.
fn finish(
    world: &World,
    folder: &RunFolder,
    output: &OutputSpec,
    args: &DrapeArgs,
    summary: &DrapeSummary,
) -> Result<ExitCode> {
    let recording = Recording::open(folder.path()).or_report()?;
    let text = std::fs::read_to_string(folder.file("metrics.csv")).or_report()?;
    let mut metrics = MetricsTable::parse_csv(&text).or_report()?;
    if output.preview && !args.no_report {
        let rate = world.schedule.fps;
        let label = |frame: &RecordedFrame| format!("iteration {:.0}", frame.time * rate);
        let style = PictureStyle {
            camera: output.camera,
            ..PictureStyle::default()
        };
        write_labelled_previews(&recording, folder.path(), &style, &label).or_report()?;
    }
    if output.report && !args.no_report {
        let (facts, scene) = (facts(world, summary), &world.resolved);
        let input = ReportInput {
            facts,
            scene_source: Some(scene),
            camera: output.camera,
            ..ReportInput::new(&recording, &metrics)
        };
        write_report_page(&input, folder.path()).or_report()?;
        if !args.quiet {
            say(format!("look at {}", folder.file("report.html").display()));
        }
    }
    if summary.status != EquilibriumStatus::Converged {
        eprintln!("{}", advice(args, folder, summary));
        return Ok(ExitCode::FAILURE);
    }
    // What the scene expects is judged by the end alone; at rest no speed is worth a word, and cloth here does not meet cloth.
    metrics.rows = metrics.rows.pop().into_iter().collect();
    let mut verdicts = judge(&world.expect, &metrics, &summary.state);
    verdicts.retain(|v| !["speed_below", "no_intersections"].contains(&v.what));
    Ok(report_verdicts(&verdicts, args.quiet))
}

fn advice(args: &DrapeArgs, folder: &RunFolder, summary: &DrapeSummary) -> String {
    let certificate = &summary.certificate;
    let left = format!(
        "the force is still {:.1e} of the weight",
        certificate.gradient
    );
    if summary.status == EquilibriumStatus::Stalled {
        return format!(
            "no step lowers the energy any more, and {left}; ask for less with --tolerance"
        );
    }
    format!(
        "the limit of iterations is reached and {left}. Cloth that nothing holds or catches has no equilibrium, and without \
         friction it may slide off a body; otherwise {}",
        go_on(args, folder)
    )
}

fn facts(world: &World, summary: &DrapeSummary) -> Vec<(String, String)> {
    let certificate = &summary.certificate;
    let mut facts = vec![
        ("nodes".to_owned(), world.model.node_count().to_string()),
        ("faces".to_owned(), world.model.face_count().to_string()),
        ("iterations".to_owned(), summary.iterations.to_string()),
        (
            "force left / weight".to_owned(),
            format!("{:.1e}", certificate.gradient),
        ),
        ("equilibrium".to_owned(), kind(certificate).to_owned()),
        (
            "worst stretch".to_owned(),
            format!("{:.2} %", certificate.stretch_worst * 100.0),
        ),
    ];
    if !world.model.bodies.is_empty() {
        let force = certificate.contact_force.length();
        facts.push(("force of bodies".to_owned(), format!("{force:.4} N")));
    }
    facts
}
