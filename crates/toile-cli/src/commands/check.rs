//! `toile check`.

use super::{OrReport, change, check_out, find_scene};
use crate::args::CheckArgs;
use crate::output::{say, warn};
use miette::{Result, miette};
use std::path::Path;
use std::process::ExitCode;
use toile::mesh::Mesh;
use toile::mesh::doctor::examine;
use toile_scene::files::Disk;
use toile_scene::format::read_mesh_cut;
use toile_scene::present::{PictureStyle, start_picture};
use toile_scene::run::write_atomically;
use toile_scene::scene::{SceneSource, resolve};
use toile_scene::spec::{SceneSpec, StartSpec};

pub fn check(args: &CheckArgs) -> Result<ExitCode> {
    args.work.apply()?;
    let extension = Path::new(&args.file)
        .extension()
        .map(|e| e.to_ascii_lowercase());
    let is_mesh = extension.is_some_and(|e| e == "obj" || e == "ply");
    let healthy = if is_mesh {
        if args.out.is_some() || !args.overrides.is_empty() {
            return Err(miette!(
                "{}: --out and --set are for scenes, and this is a mesh",
                args.file
            ));
        }
        let (mesh, polygons) = read_mesh_cut(&Disk, Path::new(&args.file)).or_report()?;
        if polygons > 0 {
            let what =
                "faces with more than four corners are cut into triangles, as in simulations";
            say(format!("note: {polygons} {what}"));
        }
        report(&args.file, &mesh)
    } else {
        check_scene(args)?
    };
    Ok(if healthy {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn check_scene(args: &CheckArgs) -> Result<bool> {
    let name = &args.file;
    let mut source = find_scene(name)?;
    change(&mut source, &args.overrides)?;
    let spec = source.parse()?;
    if let Some(file) = &args.out {
        check_out(file, args.force)?;
        draw_start(&source, spec.clone(), file)?;
    }
    let world = resolve(&source, spec)?;
    world.warnings.iter().for_each(|w| warn(w));
    let mut healthy = true;
    for cloth in &world.model.cloths {
        let positions = world.state.positions[cloth.nodes.clone()].to_vec();
        let mesh = Mesh::new(positions, cloth.topology.faces.clone());
        healthy &= report(&format!("cloth `{}`", cloth.name), &mesh);
    }
    if healthy {
        say(format!(
            "{name}: ready to run ({} cloths, {} bodies, {} pins, {} steps{})",
            world.model.cloths.len(),
            world.body_frames.len(),
            world.model.pins.len(),
            world.schedule.steps(),
            match world.stages.len() {
                0 => String::new(),
                stages => format!(" in {stages} stages"),
            },
        ));
    }
    Ok(healthy)
}

/// Draws the start as it was placed, tangled or not.
fn draw_start(source: &SceneSource, mut spec: SceneSpec, file: &Path) -> Result<()> {
    spec.contact.start = StartSpec::Tolerate;
    let style = PictureStyle {
        camera: spec.output.camera,
        ..PictureStyle::default()
    };
    let image = start_picture(&resolve(source, spec)?, &style);
    write_atomically(file, &image.encode_png().or_report()?).or_report()?;
    say(format!("wrote {}", file.display()));
    Ok(())
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
