//! `toile check`.

use super::OrReport;
use super::find_scene;
use crate::args::CheckArgs;
use crate::output::{say, warn};
use miette::Result;
use std::path::Path;
use std::process::ExitCode;
use toile::mesh::Mesh;
use toile::mesh::doctor::examine;
use toile_scene::format::read_mesh;
use toile_scene::scene::resolve;

pub fn check(args: &CheckArgs) -> Result<ExitCode> {
    let extension = Path::new(&args.file)
        .extension()
        .map(|e| e.to_ascii_lowercase());
    let is_mesh = extension.is_some_and(|e| e == "obj" || e == "ply");
    let healthy = if is_mesh {
        let mesh = read_mesh(Path::new(&args.file)).or_report()?;
        report(&args.file, &mesh)
    } else {
        check_scene(&args.file)?
    };
    Ok(if healthy {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn check_scene(name: &str) -> Result<bool> {
    let source = find_scene(name)?;
    let world = resolve(&source, source.parse()?)?;
    world.warnings.iter().for_each(|w| warn(w));
    let mut healthy = true;
    for cloth in &world.model.cloths {
        let positions = world.state.positions[cloth.nodes.clone()].to_vec();
        let mesh = Mesh::new(positions, cloth.topology.faces.clone());
        healthy &= report(&format!("cloth `{}`", cloth.name), &mesh);
    }
    if healthy {
        say(format!(
            "{name}: ready to run ({} cloths, {} bodies, {} pins, {} steps)",
            world.model.cloths.len(),
            world.model.bodies.len(),
            world.model.pins.len(),
            world.schedule.steps(),
        ));
    }
    Ok(healthy)
}

/// Prints a diagnosis; answers whether the mesh can be simulated.
fn report(name: &str, mesh: &Mesh) -> bool {
    let diagnosis = examine(mesh);
    say(format!("{name}:"));
    for line in diagnosis.to_string().lines() {
        say(format!("  {line}"));
    }
    diagnosis.is_usable()
}
