//! Limits on a hanging sheet: 65×65 nodes, pinned at two corners, 2 s at 100 steps/s, and how costs grow with the mesh.

#![allow(clippy::print_stdout)] // printing is what a benchmark is for

#[path = "../tests/common/mod.rs"]
mod common;

use common::{COTTON, fixed, square, world};
use std::time::Instant;
use toile::energy::MassSpringMaterial;
use toile::glam::DVec3;
use toile::integrate::{ImplicitSettings, Integrator};
use toile::limit::inequality::{InequalityLimit, InequalitySettings, InequalitySolver};
use toile::limit::{EquationSolver, Equations, Lengths, Limit, Metric, ProjectionSettings};
use toile::model::Model;
use toile::step::{Workspace, step};

const STEPS: u32 = 200;

fn run(name: &str, cells: u32, stretch: f64, limit: &dyn Fn(&Model) -> Option<Limit>) {
    let material = MassSpringMaterial {
        stretch,
        shear: (stretch / 5.0).max(2.0),
        damping: 1e-3,
        ..COTTON
    };
    let (mut model, mut state) = world(
        &square(cells),
        material,
        vec![fixed(vec![0, cells])],
        DVec3::new(0.0, 0.0, -9.81),
        Integrator::Implicit(ImplicitSettings::default()),
    );
    model.limits.extend(limit(&model).map(|l| (0, l)));
    let mut workspace = Workspace::new(&model, None);
    let (mut worst, mut mean, mut residual, mut its, mut linear, mut missed) =
        (0f64, 0f64, 0f64, 0, 0, 0);
    let start = Instant::now();
    let steps: u32 = argument("steps").unwrap_or(STEPS as f64) as u32;
    for _ in 0..steps {
        let report = step(&model, &mut state, &mut workspace, 0.01).expect("the sheet hangs");
        let c = report.certificate;
        worst = worst.max(c.stretch_worst);
        mean = mean.max(c.stretch_mean);
        if let Some(limit) = c.limit {
            residual = residual.max(limit.residual);
            its += limit.iterations;
            linear += limit.linear_iterations;
            missed += u32::from(!limit.converged);
        }
    }
    let wall = start.elapsed().as_secs_f64();
    let each = |n: u32| f64::from(n) / f64::from(steps);
    println!(
        "{name:<28} {0:>3}×{0:<3} {wall:7.2} s | worst stretch {1:6.2} % mean {2:5.2} % | {3:5.1} iterations, {4:6.1} linear a step, residual {residual:.1e}, missed {missed}, lowest {5:.3}",
        cells + 1,
        100.0 * worst,
        100.0 * mean,
        each(its),
        each(linear),
        state.positions.iter().map(|p| p.z).fold(0.0, f64::min),
    );
}

fn argument(name: &str) -> Option<f64> {
    std::env::args().find_map(|a| a.strip_prefix(name)?.strip_prefix('=')?.parse().ok())
}

fn main() {
    if !std::env::args().any(|a| a == "--bench") {
        return;
    }
    let cells = argument("cells").unwrap_or(64.0) as u32;
    let settings = ProjectionSettings {
        tolerance: argument("tolerance").unwrap_or(1e-3),
        max_iterations: argument("most").unwrap_or(100.0) as u32,
        ..Default::default()
    };
    let wants = |name: &str| std::env::args().any(|a| a == name);
    let solver = if wants("direct") {
        EquationSolver::Projection
    } else {
        EquationSolver::Multipliers
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(argument("threads").unwrap_or(1.0) as usize)
        .build();
    pool.expect("a pool").install(|| {
        if wants("lengths") {
            run("lengths", cells, argument("y").unwrap_or(1.0), &|m| {
                let c = &m.cloths[0];
                let lengths = Lengths::new(&c.topology, &c.rest, 0).expect("good");
                Some(Limit::Lengths(
                    Equations::new(lengths, solver, settings).expect("good"),
                ))
            });
        }
        if wants("metric") {
            run("metric", cells, argument("y").unwrap_or(1.0), &|m| {
                let c = &m.cloths[0];
                let lengths = Metric::new(&c.topology, &c.rest, None, 0).expect("good");
                Some(Limit::Metric(
                    Equations::new(lengths, solver, settings).expect("good"),
                ))
            });
        }
        if wants("inequality") {
            run("inequality", cells, argument("y").unwrap_or(1.0), &|m| {
                let c = &m.cloths[0];
                let settings = InequalitySettings {
                    solver: InequalitySolver::Multipliers,
                    max_iterations: settings.max_iterations,
                    tolerance: settings.tolerance,
                    ..Default::default()
                };
                let l = InequalityLimit::new(&c.topology, &c.rest, 0, settings).expect("good");
                Some(Limit::Inequality(Box::new(l)))
            });
        }
        if wants("springs") {
            run("springs", cells, argument("y").unwrap_or(1e5), &|_| None);
        }
    });
}
