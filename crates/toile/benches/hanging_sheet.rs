//! Mass–spring backward Euler: a 65×65 sheet pinned at two corners, 2 s at 100 steps/s.
//!
//! `cargo bench -p toile --bench hanging_sheet` prints speed and, beside it, quality. Each line is the fastest
//! of three runs, because whatever else a machine does can only slow a run down. With `-- solvers` a table
//! compares the linear solvers over sizes and stiffnesses instead.

#![allow(clippy::print_stdout)] // printing is what a benchmark is for

#[path = "../tests/it/common/mod.rs"]
mod common;

use common::{COTTON, fixed, square, world};
use std::sync::OnceLock;
use std::time::Instant;
use toile::certificate::PhaseTimes;
use toile::energy::MassSpringMaterial;
use toile::glam::DVec3;
use toile::integrate::{ImplicitSettings, Integrator};
use toile::linalg::LinearSolver;
use toile::step::{Workspace, step};

fn seconds() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}

fn measure(cells: u32, stretch: f64, tolerance: f64) {
    let settings = ImplicitSettings {
        tolerance,
        ..Default::default()
    };
    let runs = (0..3).map(|_| run(cells, stretch, settings));
    let fastest = runs.min_by(|a, b| a.wall.total_cmp(&b.wall));
    println!("{}", fastest.expect("there are three").line);
}

/// Milliseconds and iterations a step of each linear solver.
fn compare_solvers(cells: u32, stretch: f64) {
    print!("{0:>3}×{0:<3} Y = {stretch:>6} N/m:", cells + 1);
    for solver in [
        LinearSolver::IncompleteCholesky,
        LinearSolver::BlockJacobi,
        LinearSolver::Direct,
    ] {
        let settings = ImplicitSettings {
            solver,
            max_iterations: 5000,
            ..Default::default()
        };
        let runs: Vec<Run> = (0..2).map(|_| run(cells, stretch, settings)).collect();
        let wall = runs.iter().map(|r| r.wall).fold(f64::INFINITY, f64::min);
        let milliseconds = 1e3 * wall / f64::from(STEPS);
        let iterations = runs[0].iterations;
        print!("  {solver:?} {milliseconds:.3} ms, {iterations:.1} iterations;");
    }
    println!();
}

struct Run {
    wall: f64,
    iterations: f64,
    line: String,
}

const STEPS: u32 = 200;

fn run(cells: u32, stretch: f64, settings: ImplicitSettings) -> Run {
    let material = MassSpringMaterial {
        stretch,
        shear: stretch / 5.0,
        damping: 1e-3,
        ..COTTON
    };
    let tolerance = settings.tolerance;
    let (model, mut state) = world(
        &square(cells),
        material,
        vec![fixed(vec![0, cells])],
        DVec3::new(0.0, 0.0, -9.81),
        Integrator::Implicit(settings),
    );
    let mut workspace = Workspace::new(&model, Some(seconds));
    let (mut times, mut iterations, mut worst, mut residual) =
        (PhaseTimes::default(), 0, 0f64, 0f64);
    let start = Instant::now();
    for _ in 0..STEPS {
        let report = step(&model, &mut state, &mut workspace, 0.01).expect("the sheet hangs");
        times.add(&report.times);
        iterations += report.certificate.iterations;
        worst = worst.max(report.certificate.stretch_worst);
        residual = residual.max(report.certificate.linear_residual);
    }
    let wall = start.elapsed().as_secs_f64();
    let iterations = f64::from(iterations) / f64::from(STEPS);
    let line = format!(
        "{0:>3}×{0:<3} Y = {stretch:>6} N/m  tol {tolerance:.0e}: {1:7.1} steps/s, {2:5.1} iterations/step, solve {3:4.1} %, \
         assemble+factor {4:4.1} %, certify {5:3.1} % | worst stretch {6:5.2} %, residual {7:.1e}, lowest node {8:.3} m",
        cells + 1,
        f64::from(STEPS) / wall,
        iterations,
        100.0 * times.solve / times.total(),
        100.0 * times.assemble / times.total(),
        100.0 * times.certify / times.total(),
        100.0 * worst,
        residual,
        state.positions.iter().map(|p| p.z).fold(0.0, f64::min),
    );
    Run {
        wall,
        iterations,
        line,
    }
}

fn main() {
    // `cargo test` builds and runs benches once without --bench; measuring is only for `cargo bench`.
    if !std::env::args().any(|a| a == "--bench") {
        return;
    }
    let only_solvers = std::env::args().any(|a| a == "solvers");
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        println!("threads: {threads}");
        pool.expect("a thread pool").install(|| {
            if only_solvers {
                for (cells, stretch) in [8, 16, 24, 32]
                    .into_iter()
                    .flat_map(|cells| [1e3, 1e5].map(|stretch| (cells, stretch)))
                {
                    compare_solvers(cells, stretch);
                }
                return;
            }
            for (stretch, tolerance) in [(1000.0, 1e-2), (1000.0, 1e-3), (4000.0, 1e-3)] {
                measure(64, stretch, tolerance);
            }
        });
    }
}
