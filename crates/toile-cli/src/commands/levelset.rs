//! `toile levelset`.

use super::{OrReport, check_out};
use crate::args::LevelSetArgs;
use crate::output::{say, warn};
use miette::{Result, miette};
use std::process::ExitCode;
use toile::geometry::level_set::{Findings, LevelSet, Settings, Sizes};
use toile_scene::format::read_mesh;
use toile_scene::run::write_atomically;
use toile_scene::scene::default_cell;
use toile_scene::slices::level_set_slices;

pub fn level_set(args: &LevelSetArgs) -> Result<ExitCode> {
    args.threads.apply()?;
    check_out(&args.out, args.force)?;
    let mesh = read_mesh(&args.mesh).or_report()?;
    let cell = args.cell.unwrap_or_else(|| default_cell(&mesh));
    let settings = Settings {
        flip_inverted: args.flip,
        cover_holes: !args.closed,
        ..Settings::with_cell(cell)
    };
    let triangles: Vec<[u32; 3]> = mesh.faces.iter().flat_map(|f| f.triangles()).collect();
    let level_set = LevelSet::new(&mesh.positions, &triangles, settings)
        .map_err(|error| miette!("{}: {error}", args.mesh.display()))?;
    tell(level_set.findings());
    tell_sizes(&level_set.sizes(), cell);
    let picture = level_set_slices(&level_set, args.size);
    let png = picture.encode_png().or_report()?;
    write_atomically(&args.out, &png).or_report()?;
    say(format!("slices in {}", args.out.display()));
    Ok(ExitCode::SUCCESS)
}

fn tell(found: &Findings) {
    say(format!(
        "volume {:.6e} m³ in {} part{}",
        found.volume,
        found.parts,
        if found.parts == 1 { "" } else { "s" }
    ));
    if found.open_edges > 0 {
        warn(&format!(
            "{} open edges in {} holes, the longest rim {:.3} m; each hole was covered",
            found.open_edges, found.holes, found.longest_rim
        ));
    }
    if found.inverted {
        warn("the mesh was inside out and has been turned");
    }
    for (count, what) in [
        (
            found.flipped_triangles,
            "faced the wrong way and were turned",
        ),
        (found.degenerate_triangles, "have no area and were left out"),
        (found.duplicate_triangles, "are copies and were left out"),
        (
            found.hidden_triangles,
            "lie inside another part and do not bound the body",
        ),
    ] {
        if count > 0 {
            warn(&format!("{count} triangles {what}"));
        }
    }
}

fn tell_sizes(sizes: &Sizes, cell: f64) {
    say(format!(
        "{} cells down to {:.4} m in {} levels, {} leaves, {} values, {:.1} MB (and {:.1} MB to rebuild it)",
        sizes.cells,
        cell,
        sizes.depth,
        sizes.leaves,
        sizes.corner_values,
        sizes.bytes as f64 / 1e6,
        sizes.further_bytes as f64 / 1e6
    ));
}
