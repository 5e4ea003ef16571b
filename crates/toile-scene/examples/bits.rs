//! Checksums of bundled scenes after a few steps, and of a picture of each: builds with and without threads must agree in all of
//! them (`cargo xtask bits`).

#![allow(clippy::print_stdout)]

use std::error::Error;
use toile_scene::present::{PictureStyle, start_picture};
use toile_scene::scene::{bundled, parse_override, resolve};

/// Cloth on bodies, cloth with cloth, and air; the first so fine that all loops are worth sharing.
const SCENES: [(&str, &[&str]); 4] = [
    ("hello", &["cloth.sheet.mesh.grid.cells=[140, 140]"]),
    ("five-sheets", &[]),
    ("tabard", &[]),
    ("flag", &[]),
];
const STEPS: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    for (name, settings) in SCENES {
        let scene = bundled(name).ok_or("there is no such scene")?;
        let mut source = scene.source();
        for setting in settings {
            source.overrides.push(parse_override(setting)?);
        }
        let world = resolve(&source, source.parse()?)?;
        let picture = start_picture(&world, &PictureStyle::default());
        let mut simulation = world.simulation();
        for _ in 0..STEPS {
            simulation.step()?;
        }
        // Not of the snapshot: it ends with its own checksum, and the checksum of such bytes is always the same.
        let moved = simulation.positions().iter().chain(simulation.velocities());
        let numbers = moved.flat_map(|v| v.to_array());
        let bytes: Vec<u8> = numbers.flat_map(f64::to_le_bytes).collect();
        let (state, picture) = (crc32fast::hash(&bytes), crc32fast::hash(&picture.rgb));
        println!("{name} {state:08x} {picture:08x}");
    }
    Ok(())
}
