//! `toile lab`.

use super::OrReport;
use crate::args::{LabArgs, LabCommand};
use crate::output::say;
use miette::{Result, miette};
use std::path::Path;
use std::process::ExitCode;
use toile_lab::{EXPERIMENTS, Experiment, Outcome, Settings, find, run_experiment};

pub fn lab(args: &LabArgs) -> Result<ExitCode> {
    match &args.command {
        LabCommand::List => {
            let width = EXPERIMENTS.iter().map(|e| e.name.len()).max().unwrap_or(0);
            for experiment in EXPERIMENTS {
                say(format!("{:width$}  {}", experiment.name, experiment.title));
            }
            Ok(ExitCode::SUCCESS)
        }
        LabCommand::Run {
            names,
            all,
            json,
            quick,
            out,
        } => {
            let chosen: Vec<&Experiment> = if *all {
                EXPERIMENTS.iter().collect()
            } else {
                names.iter().map(|n| look_up(n)).collect::<Result<_>>()?
            };
            run_all(&chosen, *json, *quick, out)
        }
    }
}

fn look_up(name: &str) -> Result<&'static Experiment> {
    find(name).ok_or_else(|| {
        let known: Vec<&str> = EXPERIMENTS.iter().map(|e| e.name).collect();
        miette!(
            help = format!("experiments: {}", known.join(", ")),
            "there is no experiment `{name}`"
        )
    })
}

fn run_all(chosen: &[&Experiment], json: bool, quick: bool, out: &Path) -> Result<ExitCode> {
    let settings = Settings { quick };
    let mut outcomes: Vec<Outcome> = Vec::new();
    for experiment in chosen {
        let outcome = run_experiment(experiment, &settings, out).or_report()?;
        if !json {
            say(outcome.table());
        }
        outcomes.push(outcome);
    }
    if json {
        say(serde_json::to_string_pretty(&outcomes).or_report()?);
    }
    let all_hold = outcomes.iter().all(Outcome::holds);
    Ok(if all_hold {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
