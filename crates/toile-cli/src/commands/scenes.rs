//! `toile scenes`, `toile schema`, `toile completions`.

use super::find_scene;
use crate::args::{Arguments, CompletionsArgs, ScenesArgs};
use crate::output::say;
use clap::CommandFactory;
use miette::Result;
use std::process::ExitCode;
use toile_scene::scene::BUNDLED;

pub fn scenes(args: &ScenesArgs) -> Result<ExitCode> {
    match &args.name {
        Some(name) => say(find_scene(name)?.text),
        None => {
            let width = BUNDLED.iter().map(|s| s.name.len()).max().unwrap_or(0);
            for scene in BUNDLED {
                say(format!("{:width$}  {}", scene.name, scene.title()));
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

pub fn schema() -> Result<ExitCode> {
    say(toile_scene::spec::json_schema());
    Ok(ExitCode::SUCCESS)
}

pub fn completions(args: &CompletionsArgs) -> Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Arguments::command(), "toile", &mut script);
    say(String::from_utf8_lossy(&script));
    Ok(ExitCode::SUCCESS)
}
