//! `toile fabrics`.

use super::OrReport;
use crate::output::say;
use miette::Result;
use std::process::ExitCode;
use toile::energy::Fabric;

pub fn fabrics() -> Result<ExitCode> {
    let known: Vec<Fabric> = Fabric::names()
        .map(Fabric::named)
        .collect::<std::result::Result<_, _>>()
        .or_report()?;
    let width = known.iter().map(|f| f.name.len()).max().unwrap_or(0);
    let line = |cells: [&str; 4]| {
        let [name, density, bending, shear] = cells;
        say(format!(
            "{name:width$}  {density:>7}  {bending:>19}  {shear:>6}"
        ));
    };
    line(["", "density", "bending, warp/weft", "shear"]);
    line(["", "kg/m²", "N·m", "N/m"]);
    for fabric in &known {
        let bending = fabric.bending();
        line([
            &fabric.name,
            &fabric.density.to_string(),
            &format!("{:.1e} / {:.1e}", bending[0], bending[1]),
            &format!("{:.1}", fabric.shear_stiffness()),
        ]);
    }
    for (names, source) in by_source(&known) {
        say(format!("\n{}: {source}", names.join(", ")));
    }
    Ok(ExitCode::SUCCESS)
}

/// Names of the fabrics that share a source, and the source; in the order of the fabrics.
fn by_source(known: &[Fabric]) -> Vec<(Vec<&str>, &str)> {
    let mut groups: Vec<(Vec<&str>, &str)> = Vec::new();
    for fabric in known {
        match groups.iter_mut().find(|group| group.1 == fabric.source) {
            Some(group) => group.0.push(&fabric.name),
            None => groups.push((vec![&fabric.name], &fabric.source)),
        }
    }
    groups
}
