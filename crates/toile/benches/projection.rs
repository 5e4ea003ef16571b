//! Fast projection: a sheet of A3 size that two driven corners swing, 14 s at 100 steps a second.
//!
//! `cargo bench -p toile --bench projection` prints, for the metric and for lengths of edges, the time of a step, its
//! iterations and the worst violation left, then what an iteration costs with a new factor and with a kept one, and how that
//! grows with the mesh. Each time is the fastest of several runs, because whatever else a machine does can
//! only slow a run down. Everything runs on one thread.

#![allow(clippy::print_stdout)] // printing is what a benchmark is for

use std::time::Instant;
use toile::glam::DVec3;
use toile::limit::{
    Constraints, Lengths, LimitReport, LimitStep, Metric, Projection, ProjectionScratch,
    ProjectionSettings, Reuse,
};
use toile::linalg::Filter;
use toile::mesh::generate::{Grid, GridPattern, grid};
use toile::mesh::{RestShape, Topology};

const H: f64 = 0.01;
const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -9.81);
/// Density (kg/m²), damping by the air (1/s) and rigidity (N·m) of a light cotton.
const DENSITY: f64 = 0.1;
const AIR: f64 = 2.0;
const RIGIDITY: f64 = 1e-5;

/// Stiffness of the springs along diagonals (N/m): the shear that lengths of edges leave free.
const SHEAR: f64 = 0.5;

/// A sheet that hangs from two corners.
struct Sheet {
    nodes: usize,
    cells: u32,
    topology: Topology,
    rest: RestShape,
    start: Vec<DVec3>,
    inverse_masses: Vec<f64>,
    filters: Vec<Filter>,
}

impl Sheet {
    fn new(cells: u32) -> Self {
        let mesh = grid(&Grid {
            size: [0.42, 0.297],
            cells: [cells; 2],
            pattern: GridPattern::Quads,
        })
        .expect("a good grid");
        let topology = Topology::new(mesh.positions.len(), mesh.faces.clone()).expect("a sheet");
        let rest = RestShape::from_positions(&topology, &mesh.positions).expect("a sheet");
        let nodes = mesh.positions.len();
        let mut filters = vec![Filter::Free; nodes];
        filters[nodes - 1] = Filter::Held;
        filters[nodes - 1 - cells as usize] = Filter::Held;
        let upright = |p: &DVec3| DVec3::new(p.x, 0.0, p.y);
        let mut start: Vec<DVec3> = mesh.positions.iter().map(upright).collect();
        // A top row that is exactly taut is a hard case for lengths; `slack=0.01` brings its pins 1 % closer.
        for pin in [nodes - 1, nodes - 1 - cells as usize] {
            start[pin].x *= 1.0 - argument("slack").unwrap_or(0.0);
        }
        Sheet {
            nodes,
            cells,
            start,
            inverse_masses: rest
                .node_areas
                .iter()
                .map(|a| 1.0 / (DENSITY * a))
                .collect(),
            topology,
            rest,
            filters,
        }
    }

    fn metric(&self) -> Metric {
        Metric::new(&self.topology, &self.rest, None, 0).expect("a sheet")
    }

    fn lengths(&self) -> Lengths {
        Lengths::new(&self.topology, &self.rest, 0).expect("a sheet")
    }

    fn step(&self) -> LimitStep<'_> {
        LimitStep {
            start: &[],
            h: H,
            inverse_masses: &self.inverse_masses,
            filters: &self.filters,
        }
    }

    /// Candidates of one step: explicit bending between triples of nodes, gravity, damping, driven corners.
    fn predict(&self, x: &[DVec3], v: &mut [DVec3], time: f64, candidates: &mut [DVec3]) {
        let across = self.cells as usize + 1;
        let spacing = 0.35 / f64::from(self.cells);
        // Finer sheets are made softer, or these explicit forces would be unstable at this step.
        let fineness = 8.0 / f64::from(self.cells);
        let stiffness = RIGIDITY / (spacing * spacing) * fineness.powi(4);
        let shear = SHEAR * fineness.powi(2);
        let mut bend = |a: usize, b: usize, c: usize| {
            let push = stiffness * H * (x[a] - 2.0 * x[b] + x[c]);
            v[a] -= push * self.inverse_masses[a];
            v[b] += 2.0 * push * self.inverse_masses[b];
            v[c] -= push * self.inverse_masses[c];
        };
        for row in 0..across {
            for k in 1..across - 1 {
                bend(row * across + k - 1, row * across + k, row * across + k + 1);
                bend(
                    (k - 1) * across + row,
                    k * across + row,
                    (k + 1) * across + row,
                );
            }
        }
        for cell in 0..(across - 1) * (across - 1) {
            let a = cell / (across - 1) * across + cell % (across - 1);
            for (p, q) in [(a, a + across + 1), (a + 1, a + across)] {
                let (now, rest) = (x[q] - x[p], self.start[q] - self.start[p]);
                let pull = shear * H * (1.0 - rest.length() / now.length()) * now;
                v[p] += pull * self.inverse_masses[p];
                v[q] -= pull * self.inverse_masses[q];
            }
        }
        let sway = |t: f64| DVec3::Y * (0.12 * (std::f64::consts::TAU * 0.6 * t).sin());
        for i in 0..self.nodes {
            v[i] = (v[i] + H * GRAVITY) / (1.0 + H * AIR);
            candidates[i] = if self.filters[i] == Filter::Held {
                self.start[i] + sway(time)
            } else {
                x[i] + H * v[i]
            };
        }
    }
}

#[derive(Clone, Copy, Default)]
struct Totals {
    seconds: f64,
    steps: u32,
    iterations: u32,
    most: u32,
    worst: f64,
    missed: u32,
}

impl Totals {
    fn add(&mut self, report: &LimitReport) {
        self.steps += 1;
        self.iterations += report.iterations;
        self.most = self.most.max(report.iterations);
        self.worst = self.worst.max(report.residual);
        self.missed += u32::from(!report.converged);
    }
}

/// Swings the sheet; answers with the totals and the last candidates before projection.
fn swing<C: Constraints>(
    sheet: &Sheet,
    projection: &Projection<C>,
    steps: u32,
) -> (Totals, Vec<DVec3>, Vec<DVec3>) {
    let mut scratch = projection.scratch();
    let mut x = sheet.start.clone();
    let mut v = vec![DVec3::ZERO; x.len()];
    let mut candidates = x.clone();
    let mut before = x.clone();
    let mut totals = Totals::default();
    let start = Instant::now();
    for k in 0..steps {
        sheet.predict(&x, &mut v, f64::from(k + 1) * H, &mut candidates);
        if k + 1 == steps {
            before.copy_from_slice(&candidates);
        }
        totals.add(&projection.apply(&sheet.step(), &mut scratch, &mut candidates));
        for ((v, x), new) in v.iter_mut().zip(&mut x).zip(&candidates) {
            *v = (*new - *x) / H;
            *x = *new;
        }
    }
    totals.seconds = start.elapsed().as_secs_f64();
    (totals, before, x)
}

/// Seconds of one projection that takes exactly so many iterations.
fn time<C: Constraints>(
    sheet: &Sheet,
    projection: &Projection<C>,
    scratch: &mut ProjectionScratch,
    candidates: &[DVec3],
    repeats: u32,
) -> f64 {
    let mut work = candidates.to_vec();
    let once = |work: &mut Vec<DVec3>, scratch: &mut ProjectionScratch| {
        let start = Instant::now();
        for _ in 0..repeats {
            work.copy_from_slice(candidates);
            projection.apply(&sheet.step(), scratch, work);
        }
        start.elapsed().as_secs_f64() / f64::from(repeats)
    };
    let times = (0..5).map(|_| once(&mut work, scratch));
    times.fold(f64::INFINITY, f64::min)
}

/// What one iteration costs with a new factor and with a kept one.
fn iteration_costs<C: Constraints + Clone>(
    sheet: &Sheet,
    constraints: &C,
    candidates: &[DVec3],
) -> [f64; 2] {
    let repeats = (200_000 / (sheet.nodes * sheet.nodes.ilog2() as usize)).clamp(1, 200) as u32;
    let timed = |reuse: Reuse, max_iterations: u32| {
        let settings = ProjectionSettings {
            tolerance: 1e-300,
            max_iterations,
            reuse,
            ..Default::default()
        };
        let projection = Projection::new(constraints.clone(), settings).expect("a projection");
        let mut scratch = projection.scratch();
        time(sheet, &projection, &mut scratch, candidates, repeats)
    };
    let one = timed(Reuse::Step, 1);
    [
        timed(Reuse::Iteration, 2) - one,
        timed(Reuse::Step, 2) - one,
    ]
}

/// `name=value` among the arguments.
fn argument(name: &str) -> Option<f64> {
    std::env::args().find_map(|a| a.strip_prefix(name)?.strip_prefix('=')?.parse().ok())
}

fn report<C: Constraints + Clone>(name: &str, constraints: &C, sheet: &Sheet, steps: u32) -> f64 {
    let across = sheet.cells + 1;
    let both = [Reuse::Iteration, Reuse::Step];
    for &reuse in &both[..if steps > 1000 { 2 } else { 1 }] {
        let usual = ProjectionSettings::default();
        let settings = ProjectionSettings {
            reuse,
            damping: argument("damping").unwrap_or(usual.damping),
            ..usual
        };
        let projection = Projection::new(constraints.clone(), settings).expect("a projection");
        let runs =
            (0..if steps > 1000 { 5 } else { 1 }).map(|_| swing(sheet, &projection, steps).0);
        let t = runs
            .min_by(|a, b| a.seconds.total_cmp(&b.seconds))
            .expect("there is one");
        println!(
            "{name} {across:>3}×{across:<3} {:>6} equations, factor each {reuse:<9}: {:8.3} s for {} steps, {:9.1} µs/step, \
             {:.2} iterations/step (most {}), worst violation {:.1e}, missed {}",
            constraints.count(),
            t.seconds,
            t.steps,
            1e6 * t.seconds / f64::from(t.steps),
            f64::from(t.iterations) / f64::from(t.steps),
            t.most,
            t.worst,
            t.missed,
            reuse = format!("{reuse:?}").to_lowercase(),
        );
    }
    let projection =
        Projection::new(constraints.clone(), Default::default()).expect("a projection");
    let (_, candidates, _) = swing(sheet, &projection, steps.min(100));
    let [new, kept] = iteration_costs(sheet, constraints, &candidates);
    println!(
        "{name} {across:>3}×{across:<3} iteration with a new factor {:9.1} µs, with a kept one {:8.1} µs",
        1e6 * new,
        1e6 * kept,
    );
    new
}

fn main() {
    // `cargo test` builds and runs benches once without --bench; measuring is only for `cargo bench`.
    if !std::env::args().any(|a| a == "--bench") {
        return;
    }
    let only_small = std::env::args().any(|a| a == "small");
    let small = Sheet::new(8);
    if let Some(steps) = argument("profile") {
        // Nothing but the swinging sheet, for a profiler to look at.
        let projection = Projection::new(small.metric(), Default::default()).expect("a projection");
        let totals = swing(&small, &projection, steps as u32).0;
        println!("{} iterations in {} steps", totals.iterations, totals.steps);
        return;
    }
    report("lengths", &small.lengths(), &small, 1400);
    report("metric ", &small.metric(), &small, 1400);
    if only_small {
        return;
    }
    let mut last: Option<(f64, f64)> = None;
    for (cells, steps) in [(16, 100), (32, 30), (64, 6), (128, 2)] {
        let sheet = Sheet::new(cells);
        let cost = report("metric ", &sheet.metric(), &sheet, steps);
        let nodes = sheet.nodes as f64;
        if let Some((fewer, before)) = last {
            let exponent = (cost / before).ln() / (nodes / fewer).ln();
            println!("        grows with nodes to the power {exponent:.2}");
        }
        last = Some((nodes, cost));
    }
}
