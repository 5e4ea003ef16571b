//! Element kernels alone: force and matrix of every membrane element of a 129×129 sheet, on one core.
//!
//! `cargo bench -p toile --bench elements` prints elements per second and nanoseconds per element, each the best of
//! several rounds. The sheet is wavy and moves, so that half of it is compressed and every term has work to do. A
//! checksum keeps the compiler from leaving the work out; it is printed so that a change of results shows.

#![allow(clippy::print_stdout)] // printing is what a benchmark is for

use std::time::Instant;
use toile::energy::{
    BaraffWitkin, Elements, Fabric, Hessian, Kawabata, Local, MembraneBatch, MembraneLaw, Weights,
};
use toile::glam::DVec3;
use toile::mesh::generate::{Diagonals, Grid, GridPattern, grid};
use toile::mesh::{RestShape, Topology, Warp};

const CELLS: u32 = 128;
const ROUNDS: u32 = 30;
const PIECE: usize = 512;

struct Sheet {
    topology: Topology,
    rest: RestShape,
    positions: Vec<DVec3>,
    velocities: Vec<DVec3>,
}

fn sheet(pattern: GridPattern) -> Sheet {
    let mesh = grid(&Grid {
        size: [1.0, 1.0],
        cells: [CELLS, CELLS],
        pattern,
    })
    .expect("a grid");
    let topology = Topology::new(mesh.positions.len(), mesh.faces).expect("a surface");
    let mut rest = RestShape::from_positions(&topology, &mesh.positions).expect("a rest shape");
    rest.align_warp(&topology, &mesh.positions, Warp::Unspecified)
        .expect("a flat sheet");
    let wave = |p: &DVec3, speed: f64| {
        let phase = 40.0 * p.x + 25.0 * p.y;
        DVec3::new(phase.sin(), (1.7 * phase).cos(), (0.8 * phase).sin()) * speed
    };
    let moved = |p: &DVec3| *p + wave(p, 0.002);
    Sheet {
        positions: mesh.positions.iter().map(moved).collect(),
        velocities: mesh.positions.iter().map(|p| wave(p, 0.3)).collect(),
        topology,
        rest,
    }
}

fn measure<const N: usize>(name: &str, sheet: &Sheet, batch: &impl Elements<N>) {
    let weights = Weights {
        stiffness: 1e-4,
        damping: 1e-2,
        ahead: 1e-2,
    };
    let mut checksum = 0.0;
    // Each piece at its fastest: too short for another program to interrupt every round of it.
    let mut best = vec![f64::INFINITY; batch.count().div_ceil(PIECE)];
    for _ in 0..ROUNDS {
        checksum = 0.0;
        for (piece, fastest) in best.iter_mut().enumerate() {
            let elements = piece * PIECE..batch.count().min((piece + 1) * PIECE);
            let start = Instant::now();
            for element in elements {
                let nodes = batch.nodes(element).map(|n| n as usize);
                let x = nodes.map(|n| sheet.positions[n]);
                let v = nodes.map(|n| sheet.velocities[n]);
                let local: Local<N> = batch.linearise(element, &x, &v, &weights);
                let local = std::hint::black_box(&local);
                checksum += local.force[0].x + local.blocks[N - 1][0].y_axis.z;
            }
            *fastest = fastest.min(start.elapsed().as_secs_f64());
        }
    }
    let best: f64 = best.iter().sum();
    let count = batch.count() as f64;
    println!(
        "{name:<34} {:6.2} million/s, {:6.1} ns per element (checksum {checksum:.12e})",
        1e-6 * count / best,
        1e9 * best / count
    );
}

fn main() {
    // `cargo test` builds and runs benches once without --bench; measuring is only for `cargo bench`.
    if !std::env::args().any(|a| a == "--bench") {
        return;
    }
    let triangles = sheet(GridPattern::Triangles(Diagonals::Alternating));
    let quads = sheet(GridPattern::Quads);
    let fabric = Fabric::named("cotton").expect("a known fabric");
    for hessian in [Hessian::Projected, Hessian::GaussNewton] {
        let smooth = MembraneLaw::BaraffWitkin(BaraffWitkin {
            stretch_damping: [1e-3; 2],
            shear_damping: 1e-3,
            hessian,
            ..BaraffWitkin::default()
        });
        let measured = MembraneLaw::Kawabata(Kawabata {
            hessian,
            ..Kawabata::new(&fabric)
        });
        for (name, law) in [("Baraff–Witkin", smooth), ("Kawabata", measured)] {
            let batch =
                MembraneBatch::triangles(&triangles.topology, &triangles.rest, 0, law.clone());
            let label = |kind: &str| format!("{name}, {kind}, {hessian:?}");
            measure(&label("triangles"), &triangles, &batch.expect("a material"));
            let batch = MembraneBatch::quads(&quads.topology, &quads.rest, 0, law);
            measure(&label("quads"), &quads, &batch.expect("a material"));
        }
    }
}
