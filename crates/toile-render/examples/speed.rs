//! How long a picture takes: a sheet of 8,000 triangles in folds over the ground, with all effects.
//!
//! ```text
//! cargo run --release --package toile-render --example speed
//! ```

#![allow(clippy::print_stdout)]

use glam::Vec3;
use std::time::Instant;
use toile::mesh::Face;
use toile_render::{Camera, Picture, Quality, Size, Surface, View, draw};

fn main() {
    const COLUMNS: u32 = 80;
    const ROWS: u32 = 50;
    let nodes = (0..=ROWS).flat_map(|j| (0..=COLUMNS).map(move |i| (i as f32, j as f32)));
    let positions: Vec<Vec3> = nodes
        .map(|(i, j)| {
            let folds = 0.08 * (0.5 * i + 0.05 * j).sin();
            Vec3::new(0.03 * i, folds + 0.02 * j, 0.05 + 0.03 * j)
        })
        .collect();
    let cells = (0..ROWS).flat_map(|j| (0..COLUMNS).map(move |i| j * (COLUMNS + 1) + i));
    let quads = cells.map(|n| Face::Quad([n, n + 1, n + COLUMNS + 2, n + COLUMNS + 1]));
    let faces: Vec<Face> = quads.collect();
    let size = Size {
        width: 640,
        height: 480,
    };
    let picture = Picture {
        surfaces: vec![Surface::new(&positions, &faces, [0.7, 0.3, 0.3])],
        ground: Some(0.0),
        ..Picture::default()
    };
    let camera = Camera::framing(positions.iter().copied(), View::default(), size.aspect());
    let mut times: Vec<f64> = (0..15)
        .map(|_| {
            let start = Instant::now();
            let image = draw(&picture, &camera, size, Quality::default());
            assert_eq!(image.width, size.width);
            1e3 * start.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!(
        "{} triangles at {} × {}, {} threads: median {:.1} ms, best {:.1} ms",
        2 * faces.len(),
        size.width,
        size.height,
        std::thread::available_parallelism().map_or(1, |n| n.get()),
        times[times.len() / 2],
        times[0],
    );
}
