//! Reads a mesh and tells its size and how long reading took; with a second path, writes it there.
//!
//! `cargo run --release -p toile-scene --example read_mesh -- IN [OUT]`
#![allow(clippy::print_stdout)]

use std::path::PathBuf;
use std::time::Instant;
use toile_scene::format::{FormatError, read_mesh, write_mesh};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut paths = std::env::args_os().skip(1).map(PathBuf::from);
    let input = paths.next().ok_or("usage: read_mesh IN [OUT]")?;
    report(&input)?;
    if let Some(output) = paths.next() {
        write_mesh(&output, &read_mesh(&input)?)?;
        report(&output)?;
    }
    Ok(())
}

fn report(path: &std::path::Path) -> Result<(), FormatError> {
    let start = Instant::now();
    let mesh = read_mesh(path)?;
    let seconds = start.elapsed().as_secs_f64();
    let quads = mesh.quad_count();
    println!(
        "{}: {} nodes, {} triangles, {quads} quads, texture coordinates: {}, {seconds:.3} s",
        path.display(),
        mesh.positions.len(),
        mesh.faces.len() - quads,
        if mesh.corner_uvs.is_some() {
            "yes"
        } else {
            "no"
        },
    );
    Ok(())
}
