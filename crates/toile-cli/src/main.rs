//! The program `toile`.

// A program's business is to print; libraries never do.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod args;
mod commands;
mod memory;
mod output;
mod progress;

use args::{Arguments, Command};
use clap::Parser;
use clap::error::ErrorKind;
use std::process::ExitCode;

/// Exit code of a run that was stopped and can be resumed, as shells have it for Ctrl-C.
const INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(answer) => return answered(&answer),
    };
    let done = match arguments.command {
        Command::Run(args) => commands::run::run(&args),
        Command::Drape(args) => commands::drape::drape(&args),
        Command::Check(args) => commands::check::check(&args),
        Command::Mesh(args) => commands::mesh::mesh(&args),
        Command::Export(args) => commands::export::export(&args),
        Command::Render(args) => commands::render::render(&args),
        Command::Levelset(args) => commands::levelset::level_set(&args),
        Command::Scenes(args) => commands::scenes::scenes(&args),
        Command::Fabrics => commands::fabrics::fabrics(),
        Command::Schema => commands::scenes::schema(),
        Command::Lab(args) => commands::lab::lab(&args),
        Command::Compare(args) => commands::compare::compare(&args),
        Command::Fit(args) => commands::fit::fit(&args),
        Command::Sweep(args) => commands::sweep::sweep(&args),
        Command::Textile(args) => commands::textile::textile(&args),
        Command::Material(args) => commands::material::material(&args),
        Command::Studio(args) => commands::studio::studio(&args),
        Command::Completions(args) => commands::scenes::completions(&args),
    };
    match done {
        Ok(code) => code,
        Err(report) => {
            eprintln!("{report:?}");
            ExitCode::FAILURE
        }
    }
}

/// Help, the version, or what is wrong with the command line.
fn answered(answer: &clap::Error) -> ExitCode {
    if let Err(error) = answer.print() {
        output::failed(&error);
    }
    match answer.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => ExitCode::SUCCESS,
        _ => ExitCode::from(2),
    }
}
