//! What a body that deforms costs in a step: its triangles asked directly, or a level set made anew.
//!
//! `cargo bench -p toile --bench deforming` takes balls of 5,120 to 81,920 triangles that breathe, and 10,000 points at up to 5 cm from their surface. It prints the
//! milliseconds to place the triangles for a step and to sample the points once, and the same for a level set with cells of 5 mm, with the largest distance between the two answers.

#![allow(clippy::print_stdout, clippy::unwrap_used)] // printing is what a benchmark is for

use std::sync::Arc;
use std::time::Instant;
use toile::contact::deforming::{Sequence, SequenceSettings};
use toile::contact::{Body, Shape};
use toile::drive::{Pose, RigidPath};
use toile::geometry::level_set::{LevelSet, Settings};
use toile::glam::{DVec3, dvec3};
use toile::mesh::Face;
use toile::mesh::generate::{Sphere, SpherePattern, sphere};

const RADIUS: f64 = 0.5;
const POINTS: u32 = 10_000;
const STEPS: u32 = 3;

fn main() {
    println!(
        "triangles | direct: place, sample (ms) | level set: rebuild, sample (ms) | apart (mm)"
    );
    for subdivisions in 4..=6 {
        let pattern = SpherePattern::Icosphere { subdivisions };
        let mesh = sphere(&Sphere {
            radius: RADIUS,
            pattern,
        })
        .unwrap();
        let triangles: Vec<[u32; 3]> = mesh.faces.iter().flat_map(Face::triangles).collect();
        let breathed: Vec<DVec3> = mesh
            .positions
            .iter()
            .map(|p| *p * (1.0 + 0.1 * p.z))
            .collect();
        let frames = vec![mesh.positions.clone(), breathed];
        let sequence = Sequence::new(
            mesh.faces.clone(),
            vec![0.0, 1.0],
            frames,
            SequenceSettings::default(),
        );
        let sequence = Arc::new(sequence.unwrap());
        let body = Body {
            name: "ball".into(),
            shape: Shape::Sequence(sequence.clone()),
            place: Pose::IDENTITY,
            path: RigidPath::default(),
            friction: 0.3.into(),
        };
        let mut level_set =
            LevelSet::new(&mesh.positions, &triangles, Settings::with_cell(0.005)).unwrap();
        let points: Vec<DVec3> = (0..POINTS).map(around).collect();
        let (mut times, mut apart) = ([0.0; 4], 0f64);
        for step in 1..=STEPS {
            let time = 0.1 * f64::from(step);
            let mut watch = Instant::now();
            let mut lap = |k: usize| {
                times[k] += 1e3 * watch.elapsed().as_secs_f64() / f64::from(STEPS);
                watch = Instant::now();
            };
            let placed = body.placement(time - 0.005, 0.005);
            lap(0);
            let exact: Vec<f64> = points.iter().map(|p| placed.sample(*p).distance).collect();
            lap(1);
            level_set.rebuild(&sequence.positions(time)).unwrap();
            lap(2);
            let stored: Vec<f64> = points
                .iter()
                .map(|p| level_set.sample(*p).distance)
                .collect();
            lap(3);
            let differences = exact.iter().zip(&stored).map(|(a, b)| (a - b).abs());
            apart = differences.fold(apart, f64::max);
        }
        let [place, sample, rebuild, look] = times;
        println!(
            "{:9} | {place:6.1} {sample:6.1} | {rebuild:8.1} {look:6.1} | {:.3}",
            triangles.len(),
            1e3 * apart
        );
    }
}

/// Points spread over a shell around the ball.
fn around(k: u32) -> DVec3 {
    let up = 1.0 - (2.0 * f64::from(k) + 1.0) / f64::from(POINTS);
    let angle = 2.399_963 * f64::from(k);
    let out = (1.0 - up * up).sqrt();
    let far = RADIUS * 1.06 + 0.05 * f64::from(k % 11) / 10.0;
    far * dvec3(out * angle.cos(), out * angle.sin(), up)
}
