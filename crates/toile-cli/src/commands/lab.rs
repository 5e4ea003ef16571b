//! `toile lab`.

mod report;
mod run;

use super::check_out;
use crate::args::{LabArgs, LabCommand};
use crate::output::say;
use miette::{Result, miette};
use std::process::ExitCode;
use toile_lab::{EXPERIMENTS, Experiment, find};

pub fn lab(args: &LabArgs) -> Result<ExitCode> {
    match &args.command {
        LabCommand::List { long } => list(*long),
        LabCommand::Show { names } => {
            for name in names {
                say(description(look_up(name)?));
            }
            Ok(ExitCode::SUCCESS)
        }
        LabCommand::Run(args) => run::run(args),
        LabCommand::Report {
            folder,
            out,
            force,
            budget,
        } => {
            if let Some(path) = out {
                check_out(path, *force)?;
            }
            report::report(folder, out.as_deref(), *budget as usize * 1_000_000)
        }
    }
}

fn list(long: bool) -> Result<ExitCode> {
    let width = EXPERIMENTS.iter().map(|e| e.name.len()).max().unwrap_or(0);
    for experiment in EXPERIMENTS {
        say(match long {
            true => description(experiment),
            false => format!("{:width$}  {}", experiment.name, experiment.title),
        });
    }
    Ok(ExitCode::SUCCESS)
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

/// All that is known of an experiment before it runs.
fn description(experiment: &Experiment) -> String {
    let Experiment {
        name,
        title,
        reproduces,
        about,
        parameters,
        ..
    } = experiment;
    let mut text = format!("{name}: {title}\n  reproduces: {reproduces}\n\n");
    for line in wrapped(about, 96) {
        text += &format!("  {line}\n");
    }
    text += "\n";
    let width = parameters
        .iter()
        .map(|(name, _)| name.chars().count())
        .max();
    let width = width.unwrap_or(0);
    for (name, value) in *parameters {
        text += &format!("  {name:width$}  {value}\n");
    }
    text + "\n"
}

/// Lines of so many letters at the most, broken between words.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
