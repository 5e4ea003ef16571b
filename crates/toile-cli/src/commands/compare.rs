//! `toile compare`.

use super::run::{STOP, listen_for_interrupts};
use super::{OrReport, find_changed_scene, results_folder};
use crate::INTERRUPTED;
use crate::args::CompareArgs;
use crate::memory;
use crate::output::{say, warn};
use crate::progress::ProgressDisplay;
use miette::{Result, miette};
use std::process::ExitCode;
use toile_lab::compare::{
    CompareObserver, CompareOutcome, Comparison, Figures, compare as run_comparison,
};
use toile_lab::sweep::parse_axis;
use toile_lab::variants::{Change, product};
use toile_scene::run::{Observer, RunOptions, wall_clock};

pub fn compare(args: &CompareArgs) -> Result<ExitCode> {
    args.work.apply()?;
    let source = find_changed_scene(&args.scene)?;
    let variants = product(&axes(args)?);
    if variants.len() < 2 {
        return Err(miette!(
            help = "name two or more: --models a,b or --steps 0.01,0.005 or --meshes 8x8,16x16 or --vary field=a,b",
            "there is nothing to compare"
        ));
    }
    let path = args.out.clone();
    let path = path.unwrap_or_else(|| results_folder(&args.scene.scene, "compare"));
    listen_for_interrupts("frame")?;
    let job = Comparison {
        source: &source,
        variants: &variants,
        against: args.against.as_deref(),
        folder: &path,
        force: args.force,
        run: RunOptions {
            until: args.until,
            resume: args.resume,
            threads: args.work.threads(),
            checkpoint_interval: 5.0,
            stop: &STOP,
            clock: wall_clock,
        },
        memory: Some(memory::most_since_last_asked),
    };
    match run_comparison(&job, &mut Announcer { quiet: args.quiet }).or_report()? {
        CompareOutcome::Interrupted => {
            eprintln!("stopped; continue with the same command and --resume");
            Ok(ExitCode::from(INTERRUPTED))
        }
        CompareOutcome::Finished { rows, reference } => {
            if !args.quiet {
                say(table(&rows, reference));
                say(format!("look at {}", path.join("report.html").display()));
            }
            let missed = rows.iter().filter(|(_, figures)| figures.unconverged > 0.0);
            for (label, figures) in missed {
                warn(&format!(
                    "{label}: {} steps did not converge",
                    figures.unconverged
                ));
            }
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// One axis for each option.
fn axes(args: &CompareArgs) -> Result<Vec<Vec<Change>>> {
    let models = args.models.iter().map(|text| {
        let model = text.trim().parse();
        model
            .map(Change::Model)
            .map_err(|error| miette!("--models {text}: {error}"))
    });
    let meshes = args.meshes.iter().map(|text| {
        let mesh = text.trim().parse();
        mesh.map(Change::Mesh)
            .map_err(|error| miette!("--meshes {text}: {error}"))
    });
    let mut axes = vec![
        models.collect::<Result<_>>()?,
        meshes.collect::<Result<_>>()?,
        args.steps.iter().map(|&h| Change::Step(h)).collect(),
    ];
    for text in &args.vary {
        axes.extend(parse_axis(text).map_err(|error| miette!("--vary {error}"))?);
    }
    Ok(axes)
}

struct Announcer {
    quiet: bool,
}

impl CompareObserver for Announcer {
    fn begin(&mut self, label: &str, number: usize, of: usize) -> Box<dyn Observer> {
        if !self.quiet {
            eprintln!("{} of {of}: {label}", number + 1);
        }
        Box::new(ProgressDisplay::new(self.quiet))
    }
}

fn table(rows: &[(String, Figures)], reference: usize) -> String {
    let width = rows
        .iter()
        .map(|(label, _)| label.chars().count())
        .max()
        .unwrap_or(0);
    let mut text = format!(
        "{:width$}  {:>7}  {:>8}  {:>8}  {:>9}  {:>9}  {:>6}  {:>9}  {:>8}  {:>6}  {:>8}\n",
        "",
        "nodes",
        "stretch",
        "area",
        "energy",
        "momentum",
        "folds",
        "distance",
        "time",
        "iter.",
        "memory"
    );
    text += &format!(
        "{:width$}  {:>7}  {:>8}  {:>8}  {:>9}  {:>9}  {:>6}  {:>9}  {:>8}  {:>6}  {:>8}\n",
        "", "", "worst %", "mean %", "rise J", "kg m/s", "", "mean mm", "s", "/step", "MB"
    );
    for (number, (label, f)) in rows.iter().enumerate() {
        let memory = f
            .memory
            .map_or("-".into(), |b| format!("{:.1}", b as f64 / 1e6));
        let distance = match number == reference {
            true => "reference".into(),
            false => format!("{:.2}", 1e3 * f.distance[0]),
        };
        text += &format!(
            "{label:width$}  {:>7}  {:>8.2}  {:>8.2}  {:>9.1e}  {:>9.1e}  {:>6}  {distance:>9}  {:>8.2}  {:>6.1}  {memory:>8}\n",
            f.nodes,
            100.0 * f.stretch_worst,
            100.0 * f.area.mean,
            f.energy.largest_rise,
            f.momentum.linear,
            f.folds,
            f.wall,
            f.iterations,
        );
    }
    text
}
