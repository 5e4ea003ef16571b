//! `toile lab run`.

use super::super::OrReport;
use super::super::run::{STOP, listen_for_interrupts};
use super::{look_up, report};
use crate::INTERRUPTED;
use crate::args::LabRunArgs;
use crate::output::say;
use crate::progress::LabDisplay;
use miette::Result;
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use toile_lab::report::DEFAULT_BUDGET_BYTES;
use toile_lab::{EXPERIMENTS, Experiment, Outcome, Settings, earlier_outcome, run_experiment};

pub fn run(args: &LabRunArgs) -> Result<ExitCode> {
    args.work.apply()?;
    let chosen: Vec<&Experiment> = match args.all {
        true => EXPERIMENTS.iter().collect(),
        false => {
            let names = args.names.iter();
            names.map(|n| look_up(n)).collect::<Result<_>>()?
        }
    };
    listen_for_interrupts("experiment")?;
    let Done {
        outcomes,
        could_not,
        stopped,
    } = run_all(&chosen, args);
    if args.json {
        say(serde_json::to_string_pretty(&outcomes).or_report()?);
    }
    if stopped {
        let left = chosen.len() - outcomes.len() - could_not;
        eprintln!(
            "stopped; {left} experiments are left. Continue with: {}",
            again(args)
        );
        return Ok(ExitCode::from(INTERRUPTED));
    }
    // Without a single result there is nothing to show.
    if !args.no_report && !outcomes.is_empty() {
        report::write(&args.out, None, DEFAULT_BUDGET_BYTES)?.tell(args.json);
    }
    let all_hold = could_not == 0 && outcomes.iter().all(Outcome::holds);
    Ok(if all_hold {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// What came of the experiments.
#[derive(Default)]
struct Done {
    outcomes: Vec<Outcome>,
    /// How many could not be carried out.
    could_not: usize,
    /// Whether the user stopped it.
    stopped: bool,
}

/// Runs one after the other. One that cannot be carried out does not keep the others from it.
fn run_all(chosen: &[&Experiment], args: &LabRunArgs) -> Done {
    let settings = Settings { quick: args.quick };
    let display = LabDisplay::new(chosen.len());
    let mut done = Done::default();
    for (number, experiment) in chosen.iter().enumerate() {
        if STOP.load(Ordering::Relaxed) {
            done.stopped = true;
            break;
        }
        let earlier = match args.resume {
            true => earlier_outcome(&args.out, experiment, &settings),
            false => None,
        };
        let outcome = match earlier {
            Some(outcome) => Ok(outcome),
            None => {
                display.begin(number, experiment.name);
                run_experiment(experiment, &settings, &args.out)
            }
        };
        match outcome {
            Ok(outcome) => {
                let outcome = outcome.in_folder(&args.out);
                if !args.json {
                    display.aside(|| say(outcome.table()));
                }
                done.outcomes.push(outcome);
            }
            Err(error) => {
                display
                    .aside(|| eprintln!("{} could not be carried out: {error}", experiment.name));
                done.could_not += 1;
            }
        }
    }
    display.finish();
    done
}

/// The command that goes on where this one stopped.
fn again(args: &LabRunArgs) -> String {
    let what = match args.all {
        true => "--all".to_owned(),
        false => args.names.join(" "),
    };
    let quick = if args.quick { " --quick" } else { "" };
    format!(
        "toile lab run {what}{quick} --out {} --resume",
        args.out.display()
    )
}
