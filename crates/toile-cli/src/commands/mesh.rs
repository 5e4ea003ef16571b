//! `toile mesh`.

use super::{OrReport, check_out};
use crate::args::{MeshArgs, MeshCommand, MeshFiles};
use crate::output::{say, warn};
use miette::{Result, miette};
use std::process::ExitCode;
use toile::mesh::Mesh;
use toile::mesh::doctor::examine;
use toile::mesh::mend::{default_tolerance, mend, orient, triangulate, weld};
use toile::mesh::remesh::{RemeshSettings, remesh};
use toile_scene::files::Disk;
use toile_scene::format::{mesh_bytes, read_mesh_cut};
use toile_scene::run::write_atomically;

pub fn mesh(args: &MeshArgs) -> Result<ExitCode> {
    match &args.command {
        MeshCommand::Mend { files, tolerance } => change(files, |mesh| {
            let tolerance = checked_tolerance(*tolerance, mesh)?;
            Ok(mend(mesh, tolerance).to_string())
        }),
        MeshCommand::Weld { files, tolerance } => change(files, |mesh| {
            let welded = weld(mesh, checked_tolerance(*tolerance, mesh)?);
            Ok(format!(
                "{} nodes welded to others, {} faces without three corners removed",
                welded.nodes, welded.faces
            ))
        }),
        MeshCommand::Triangulate { files } => change(files, |mesh| {
            Ok(format!("{} quads cut into triangles", triangulate(mesh)))
        }),
        MeshCommand::Orient { files } => change(files, |mesh| {
            let oriented = orient(mesh);
            if oriented.one_sided > 0 {
                let edges = oriented.one_sided;
                warn(&format!(
                    "{edges} edges join fronts to backs: the surface has one side only; cut it open"
                ));
            }
            Ok(format!("{} faces turned round", oriented.turned))
        }),
        MeshCommand::Remesh {
            files,
            length,
            crease,
            rounds,
        } => change(files, |mesh| {
            if !(0.0..=180.0).contains(crease) {
                return Err(miette!(
                    "--crease: is {crease}; it must be from 0 to 180 degrees"
                ));
            }
            let settings = RemeshSettings {
                length: *length,
                crease: crease.to_radians(),
                rounds: *rounds,
            };
            let before = mesh.positions.len();
            *mesh = remesh(mesh, &settings).or_report()?;
            Ok(format!("{before} nodes became {}", mesh.positions.len()))
        }),
    }
}

fn checked_tolerance(given: Option<f64>, mesh: &Mesh) -> Result<f64> {
    match given {
        None => Ok(default_tolerance(mesh)),
        Some(tolerance) if tolerance >= 0.0 && tolerance.is_finite() => Ok(tolerance),
        Some(tolerance) => Err(miette!(
            "--tolerance: is {tolerance}; it must be zero or a positive number of metres"
        )),
    }
}

/// Reads a mesh, changes it, says what was done, and writes it.
fn change(files: &MeshFiles, work: impl FnOnce(&mut Mesh) -> Result<String>) -> Result<ExitCode> {
    let out = &files.out;
    check_out(out, files.force)?;
    let (mut mesh, polygons) = read_mesh_cut(&Disk, &files.input).or_report()?;
    if polygons > 0 {
        say(format!(
            "{polygons} faces with more than four corners cut into triangles"
        ));
    }
    let done = work(&mut mesh)?;
    done.lines().for_each(say);
    let bytes = mesh_bytes(out, &mesh).or_report()?;
    write_atomically(out, &bytes).or_report()?;
    let (nodes, faces) = (mesh.positions.len(), mesh.faces.len());
    say(format!(
        "wrote {}: {nodes} nodes, {faces} faces",
        out.display()
    ));
    if !examine(&mesh).is_usable() {
        warn(&format!(
            "it still has errors; `toile check {}` lists them",
            out.display()
        ));
    }
    Ok(ExitCode::SUCCESS)
}
