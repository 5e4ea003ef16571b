//! `toile material`.

use super::textile::{Cloth, specimen};
use super::{OrReport, check_out};
use crate::args::{MaterialArgs, MaterialCommand, MaterialFitArgs};
use crate::output::{say, warn};
use miette::{Result, miette};
use std::process::ExitCode;
use toile_lab::material::kes::{Kes, Pair};
use toile_lab::material::{Block, drape, overhang};
use toile_lab::textile::Rest;
use toile_lab::textile::cusick::{Setup, Support};
use toile_scene::files::read_input_text;
use toile_scene::run::write_atomically;

pub fn material(args: &MaterialArgs) -> Result<ExitCode> {
    match &args.command {
        MaterialCommand::List => super::fabrics::fabrics(),
        MaterialCommand::Fit(args) => fit(args),
    }
}

fn fit(args: &MaterialFitArgs) -> Result<ExitCode> {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if args.name.is_empty() || !args.name.chars().all(bare) {
        return Err(miette!(
            "--name {:?}: a cloth's name has letters, digits, `-` and `_` only",
            args.name
        ));
    }
    args.work.apply()?;
    if let Some(path) = &args.out {
        check_out(path, args.force)?;
    }
    let block = measured(args)?;
    let text = block.to_toml(&args.name);
    match &args.out {
        None => say(text),
        Some(path) => {
            write_atomically(path, text.as_bytes()).or_report()?;
            say(format!("wrote {}", path.display()));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn measured(args: &MaterialFitArgs) -> Result<Block> {
    let density = || {
        let missing = "--density is missing: mass per area (kg/m²)";
        args.density.ok_or_else(|| miette!("{missing}"))
    };
    if !args.overhang.is_empty() {
        return overhang::fit(&args.overhang, density()?, args.angle).or_report();
    }
    if let Some(path) = &args.kes {
        let text = read_input_text(path).map_err(|error| miette!("{}: {error}", path.display()))?;
        let record = Kes::read(&text).map_err(|error| miette!("{}: {error}", path.display()))?;
        return record.fit().or_report();
    }
    if !args.drape.is_empty() {
        return from_drape(args, density()?);
    }
    let record = Kes {
        density: density()?,
        emt: pair("--emt", &args.emt)?,
        lt: pair("--lt", &args.lt)?,
        g: pair("--g", &args.g)?,
        b: pair("--b", &args.b)?,
        hysteresis: None,
        si: args.si,
    };
    record.fit().or_report()
}

fn pair(name: &str, values: &[f64]) -> Result<Pair> {
    match values {
        [one] => Ok(Pair::One(*one)),
        [warp, weft] => Ok(Pair::Two([*warp, *weft])),
        _ => Err(miette!("{name} takes one number, or WARP,WEFT")),
    }
}

/// The test is that of `textile cusick`, so that it gives back what it was told.
fn from_drape(args: &MaterialFitArgs, density: f64) -> Result<Block> {
    let specimen = specimen(&Cloth {
        model: args.model.as_deref(),
        overrides: &args.overrides,
        ..Cloth::default()
    })?;
    let setup = Setup {
        nodes: args.nodes,
        rest: Rest::let_down(Rest::default().seed),
        support: Support::Clamped,
        ..Setup::default()
    };
    let told = &args.drape;
    let found = drape::fit(told, density, &setup, &specimen, args.tolerance).or_report()?;
    let coefficient = told.iter().sum::<f64>() / told.len() as f64;
    if (found.coefficient - coefficient).abs() > args.tolerance {
        warn(&format!(
            "the nearest coefficient found is {:.3}, after {} tests: folds come and go with the rigidity",
            found.coefficient, found.trials
        ));
    }
    Ok(found.block)
}
