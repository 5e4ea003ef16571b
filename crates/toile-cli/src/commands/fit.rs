//! `toile fit`.

use super::run::{STOP, listen_for_interrupts};
use super::{OrReport, find_changed_scene, results_folder};
use crate::INTERRUPTED;
use crate::args::{FitArgs, FitMethod, FitStart, Unit};
use crate::output::{say, warn};
use crate::progress::CountDisplay;
use miette::{Result, miette};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use toile_lab::fit::{
    Fit, FitObserver, FitOutcome, Fitted, Method, Parameter, Prepared, Search, Sensitivity,
    SensitivityGrid, Start, TargetSettings, Threads, prepare, write_results,
};
use toile_lab::observation::{ReadOptions, read};
use toile_scene::files::Disk;

pub fn fit(args: &FitArgs) -> Result<ExitCode> {
    args.work.apply()?;
    let source = find_changed_scene(&args.scene)?;
    let parameters = args
        .params
        .iter()
        .map(|text| Parameter::parse(text, &source).or_report());
    let parameters = parameters.collect::<Result<Vec<_>>>()?;
    let grid = sensitivity_grid(args, &parameters)?;
    let observation = read(&args.recording, &read_options(args)).or_report()?;
    let path = args.out.clone();
    let path = path.unwrap_or_else(|| results_folder(&args.scene.scene, "fit"));
    listen_for_interrupts("simulation")?;
    let prepared = prepare(Fit {
        source: &source,
        files: Arc::new(Disk),
        cloth: args.cloth.as_deref(),
        observation,
        target: target_settings(args)?,
        parameters,
        train: args
            .train
            .as_deref()
            .map(|t| window("--train", t))
            .transpose()?,
        test: args
            .test
            .as_deref()
            .map(|t| window("--test", t))
            .transpose()?,
        search: search(args)?,
        folder: Some(&path),
        force: args.force,
        resume: args.resume,
        stop: &STOP,
    });
    let prepared = prepared.or_report()?;
    if !args.quiet {
        prepared
            .target
            .notes
            .iter()
            .for_each(|note| eprintln!("{note}"));
    }
    let mut display = Display(CountDisplay::new("simulation", args.quiet));
    let mut crew = Threads {
        jobs: toile_lab::jobs::usual(),
        stop: &STOP,
    };
    let outcome = prepared.search(&mut crew, &mut display);
    display.0.finish();
    let FitOutcome::Finished(fitted) = outcome.or_report()? else {
        return Ok(stopped());
    };
    let map = match &grid {
        None => None,
        Some(grid) => match mapped(&prepared, &mut crew, grid, &fitted, args.quiet)? {
            None => return Ok(stopped()),
            map => map,
        },
    };
    write_results(&prepared, &fitted, map.as_ref()).or_report()?;
    conclude(args, &prepared, &fitted, map.as_ref(), &path)
}

fn stopped() -> ExitCode {
    eprintln!("stopped; continue with the same command and --resume");
    ExitCode::from(INTERRUPTED)
}

struct Display(CountDisplay);

impl FitObserver for Display {
    fn progress(&mut self, evaluations: usize, budget: usize, best: f64) {
        let best = format!("best {:.3} cm", 100.0 * best);
        self.0.show(evaluations as u64, budget as u64, &best);
    }
}

fn mapped(
    prepared: &Prepared,
    crew: &mut Threads,
    grid: &SensitivityGrid,
    fitted: &Fitted,
    quiet: bool,
) -> Result<Option<Sensitivity>> {
    let mut display = CountDisplay::new("map", quiet);
    let shown = |done: usize, all: usize| display.show(done as u64, all as u64, "sensitivity");
    let map = prepared.sensitivity(crew, grid, &fitted.values, shown);
    display.finish();
    map.or_report()
}

fn conclude(
    args: &FitArgs,
    prepared: &Prepared,
    fitted: &Fitted,
    map: Option<&Sensitivity>,
    path: &Path,
) -> Result<ExitCode> {
    for (parameter, value) in prepared.parameters().iter().zip(&fitted.values) {
        let bounds = &parameter.bounds;
        let reach = 1e-3 * (bounds.high - bounds.low);
        if value - bounds.low < reach || bounds.high - value < reach {
            warn(&format!(
                "{} ended at its bound {value}; widen the bounds to see whether the recording asks for more",
                parameter.field
            ));
        }
    }
    for note in fitted.confidence.iter().flat_map(|c| &c.notes) {
        warn(note);
    }
    if args.json {
        say(std::fs::read_to_string(path.join("fit.json")).or_report()?);
        return Ok(ExitCode::SUCCESS);
    }
    if args.quiet {
        return Ok(ExitCode::SUCCESS);
    }
    let parameters = prepared.parameters().iter().zip(&fitted.values);
    for (k, (parameter, value)) in parameters.enumerate() {
        let interval = fitted.confidence.as_ref().map(|c| c.intervals[k]);
        let note = interval.map_or_else(String::new, |i| format!(" ({i})"));
        say(format!("{} = {value:.6}{note}", parameter.field));
    }
    for (name, w) in [("training", &fitted.train), ("test", &fitted.test)] {
        say(format!(
            "{name} {:.2} to {:.2} s: mean error {:.3} cm, worst dispersion {:.3} cm",
            w.window[0],
            w.window[1],
            100.0 * w.mean,
            100.0 * w.dispersion
        ));
    }
    say(format!(
        "{} simulations ({} failed, {} from the log) in {:.1} s; {}; training error before {:.3} cm",
        fitted.evaluations,
        fitted.failed,
        fitted.recalled,
        fitted.seconds,
        fitted.ended,
        100.0 * fitted.before
    ));
    if let Some(map) = map {
        let count = map.errors.iter().map(Vec::len).sum::<usize>();
        say(format!(
            "sensitivity: {count} simulations in {:.1} s",
            map.seconds
        ));
    }
    say(format!("look at {}", path.join("report.html").display()));
    Ok(ExitCode::SUCCESS)
}

fn read_options(args: &FitArgs) -> ReadOptions {
    ReadOptions {
        fps: args.fps,
        scale: match args.unit {
            Unit::M => 1.0,
            Unit::Cm => 1e-2,
            Unit::Mm => 1e-3,
        },
        expected_nodes: None,
    }
}

fn target_settings(args: &FitArgs) -> Result<TargetSettings> {
    if let Some(reach) = args.smooth.filter(|t| !(t.is_finite() && *t >= 0.0)) {
        return Err(miette!(
            "--smooth {reach}: it must be a time (s), 0 for none"
        ));
    }
    Ok(TargetSettings {
        start: args.start.map(|start| match start {
            FitStart::Recording => Start::Recording,
            FitStart::Settled => Start::Settled,
            FitStart::Scene => Start::Scene,
        }),
        smoothing: args.smooth,
        drive_from_scene: args.drive_from_scene,
    })
}

fn search(args: &FitArgs) -> Result<Search> {
    if !(args.tolerance.is_finite() && args.tolerance > 0.0) {
        return Err(miette!(
            "--tolerance {}: it must be above zero",
            args.tolerance
        ));
    }
    Ok(Search {
        method: match args.method {
            FitMethod::NelderMead => Method::NelderMead,
            FitMethod::CmaEs => Method::CmaEs,
            FitMethod::Both => Method::Both,
        },
        budget: args.budget as usize,
        restarts: args.restarts as usize,
        tolerance: args.tolerance,
        seed: args.seed,
        population: None,
    })
}

/// `FROM:TO` in seconds.
fn window(option: &str, text: &str) -> Result<[f64; 2]> {
    let wrong =
        || miette!("{option} {text}: write FROM:TO in seconds, such as 0:7, with FROM before TO");
    let (from, to) = text.split_once(':').ok_or_else(wrong)?;
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|t| t.is_finite());
    match (number(from), number(to)) {
        (Some(from), Some(to)) if from < to => Ok([from, to]),
        _ => Err(wrong()),
    }
}

fn sensitivity_grid(args: &FitArgs, parameters: &[Parameter]) -> Result<Option<SensitivityGrid>> {
    let Some(text) = &args.sensitivity else {
        return Ok(None);
    };
    let sides = text
        .split_once('x')
        .map(|(a, b)| [a, b].map(|n| n.trim().parse::<usize>().ok()));
    let Some([Some(columns @ 2..=100), Some(rows @ 2..=100)]) = sides else {
        return Err(miette!(
            "--sensitivity {text}: write COLUMNSxROWS from 2 to 100, such as 10x10"
        ));
    };
    let number = |field: &String| {
        let found = parameters.iter().position(|p| p.field == *field);
        found.ok_or_else(|| miette!("--sensitivity-params {field}: it is not among --params"))
    };
    let chosen = match args.sensitivity_params.as_slice() {
        [] => (0..parameters.len().min(2)).collect(),
        fields => fields.iter().map(number).collect::<Result<Vec<_>>>()?,
    };
    let [first, second] = chosen[..] else {
        return Err(miette!(
            "--sensitivity needs two parameters; there are {}",
            chosen.len()
        ));
    };
    Ok(Some(SensitivityGrid {
        parameters: [first, second],
        sides: [columns, rows],
    }))
}
