//! Many small worlds: environment steps a second of a batch, with quality beside it.
//!
//! Sheets of 30×30 nodes, each grasped by a corner that goes up and to and fro in its own way; the others are free. Every count of worlds is
//! stepped on one thread and on all, in one run, and must come to the same bits.

#![allow(clippy::print_stdout)] // printing is what a benchmark is for

#[path = "../tests/it/common/mod.rs"]
mod common;

use common::{COTTON, square, world};
use std::sync::Arc;
use std::time::Instant;
use toile::advance::StepControl;
use toile::batch::Batch;
use toile::drive::{Grasped, Grip, Target};
use toile::glam::DVec3;
use toile::integrate::{ImplicitSettings, Integrator};
use toile::simulation::{Pace, Simulation};

const STEPS: usize = 60;

fn main() {
    // `cargo test --benches` asks whether it runs, not how fast.
    if !std::env::args().any(|a| a == "--bench") {
        return;
    }
    let integrator = Integrator::Implicit(ImplicitSettings::CLASSIC);
    let gravity = DVec3::new(0.0, 0.0, -9.81);
    let (model, state) = world(&square(29), COTTON, vec![], gravity, integrator);
    let pace = Pace {
        step: 0.01,
        control: StepControl::Fixed,
    };
    let first = Simulation::new(Arc::new(model), state, pace);
    println!(
        "worlds threads   steps/s    ratio   worst stretch   iterations a step   a world's state (KiB)"
    );
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    for count in [1, 8, 64] {
        let (alone, bits) = measure(&first, count, 1, None);
        let (_, together) = measure(&first, count, all, Some(alone));
        assert!(bits == together, "the bits depend on the threads");
    }
}

/// Steps a second, and where it led.
fn measure(
    first: &Simulation,
    count: usize,
    threads: usize,
    one: Option<f64>,
) -> (f64, Vec<DVec3>) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.expect("threads can be started");
    let mut batch = Batch::of(first, count);
    for (k, world) in batch.worlds_mut().iter_mut().enumerate() {
        let held = Grasped::Nodes(vec![0, 1, 30, 31]);
        let grasp = world.grasp(held, Grip::Rigid).expect("a corner is free");
        let linear = DVec3::new(0.1 * (k as f64).sin(), 0.1 * (k as f64).cos(), 0.4);
        let to = Target::Velocity {
            linear,
            angular: DVec3::ZERO,
        };
        world.move_grasp(grasp, to, 0.0).expect("it was just made");
    }
    // The first step makes room to work in.
    pool.install(|| batch.step());
    let begin = Instant::now();
    for _ in 0..STEPS {
        let made = pool.install(|| batch.step());
        assert!(made.iter().all(Result::is_ok));
    }
    let rate = (count * STEPS) as f64 / begin.elapsed().as_secs_f64();
    let certificates = batch.worlds().iter().filter_map(Simulation::certificate);
    let (mut stretch, mut iterations) = (0.0f64, 0);
    for certificate in certificates {
        stretch = stretch.max(certificate.stretch_worst);
        iterations += certificate.iterations;
    }
    let bytes = batch.worlds()[0].snapshot().len();
    println!(
        "{count:6} {threads:7} {rate:9.0} {:8.2} {:14.2} % {:19.1} {:23.0}",
        one.map_or(1.0, |one| rate / one),
        100.0 * stretch,
        f64::from(iterations) / count as f64,
        bytes as f64 / 1024.0
    );
    let worlds = batch.worlds().iter();
    (rate, worlds.flat_map(|w| w.positions().to_vec()).collect())
}
