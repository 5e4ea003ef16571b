//! Limits on a hanging sheet, and how their costs grow with the mesh.
//!
//! `cargo bench -p toile --bench limits` hangs a sheet of 65×65 nodes by two corners for 2 s, in steps of 10 ms, with each limit and with
//! stiff springs, and prints time beside quality. With `-- growth` it takes sheets of 100 to 100,000 nodes through 20 steps of their fall and prints
//! milliseconds a step, the power of the number of nodes, and the memory that model and workspace take. `cells=32` (with `growth` the largest), `threads=2` and
//! `tolerance=1e-3` change one thing each; `only=metric` leaves the others out.

#![allow(clippy::print_stdout)] // printing is what a benchmark is for
#![allow(unsafe_code)] // an allocator that counts, with its proof beside it

#[path = "../tests/it/common/mod.rs"]
mod common;

use common::{COTTON, fixed, square, world};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use toile::energy::MassSpringMaterial;
use toile::glam::DVec3;
use toile::integrate::{ImplicitSettings, Integrator};
use toile::limit::area::{AreaLimit, AreaSettings};
use toile::limit::inequality::{InequalityLimit, InequalitySettings};
use toile::limit::strain::{StrainBounds, StrainLimit, StrainSettings};
use toile::limit::{EquationSolver, Equations, Lengths, Limit, Metric, ProjectionSettings};
use toile::model::Model;
use toile::state::State;
use toile::step::{Workspace, step};

/// Counts the bytes that are in use.
struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is handed to the system's allocator as it is; only a counter is added.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        IN_USE.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the pointer came from `alloc` above, that is from the system's allocator, with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const H: f64 = 0.01;

/// One line of the table.
struct Case {
    name: &'static str,
    /// Stiffness of the springs along edges (N/m).
    springs: f64,
    limit: fn(&Model, Option<f64>) -> Option<Limit>,
}

const CASES: [Case; 8] = [
    Case {
        name: "lengths",
        springs: 1.0,
        limit: |m, t| Some(lengths(m, t.unwrap_or(1e-2))),
    },
    Case {
        name: "lengths, 1 %",
        springs: 1.0,
        limit: |m, t| Some(lengths(m, t.unwrap_or(1.9e-2))),
    },
    Case {
        name: "inequality",
        springs: 1.0,
        limit: |m, t| Some(inequality(m, t.unwrap_or(5e-3))),
    },
    Case {
        name: "metric",
        springs: 1.0,
        limit: |m, t| Some(metric(m, t.unwrap_or(1e-2))),
    },
    Case {
        name: "strain 1 %, springs 1e3",
        springs: 1e3,
        limit: |m, _| Some(strain(m)),
    },
    Case {
        name: "area, springs 1e3",
        springs: 1e3,
        limit: |m, _| Some(area(m)),
    },
    Case {
        name: "springs 1e4",
        springs: 1e4,
        limit: |_, _| None,
    },
    Case {
        name: "springs 1e5",
        springs: 1e5,
        limit: |_, _| None,
    },
];

fn settings(tolerance: f64) -> ProjectionSettings {
    ProjectionSettings {
        tolerance,
        max_iterations: 30,
        ..Default::default()
    }
}

fn lengths(model: &Model, tolerance: f64) -> Limit {
    let cloth = &model.cloths[0];
    let made = Lengths::new(&cloth.topology, &cloth.rest, 0).expect("a good sheet");
    Limit::Lengths(
        Equations::new(made, EquationSolver::Auto, settings(tolerance)).expect("good settings"),
    )
}

fn metric(model: &Model, tolerance: f64) -> Limit {
    let cloth = &model.cloths[0];
    let made = Metric::new(&cloth.topology, &cloth.rest, None, 0).expect("a good sheet");
    Limit::Metric(
        Equations::new(made, EquationSolver::Auto, settings(tolerance)).expect("good settings"),
    )
}

fn inequality(model: &Model, tolerance: f64) -> Limit {
    let settings = InequalitySettings {
        stretch: 0.005,
        tolerance,
        ..Default::default()
    };
    let cloth = &model.cloths[0];
    let made = InequalityLimit::new(&cloth.topology, &cloth.rest, 0, settings);
    Limit::Inequality(Box::new(made.expect("a good sheet")))
}

fn strain(model: &Model) -> Limit {
    let settings = StrainSettings {
        edges: StrainBounds {
            stretch: 0.01,
            compression: 1.0,
        },
        ..Default::default()
    };
    let cloth = &model.cloths[0];
    let made = StrainLimit::new(&cloth.topology, &cloth.rest, 0, settings);
    Limit::Strain(made.expect("a good sheet"))
}

fn area(model: &Model) -> Limit {
    let cloth = &model.cloths[0];
    let made = AreaLimit::new(&cloth.topology, &cloth.rest, 0, AreaSettings::default());
    Limit::Area(made.expect("a good sheet"))
}

fn sheet(cells: u32, case: &Case) -> (Model, State) {
    let material = MassSpringMaterial {
        stretch: case.springs,
        shear: (case.springs / 5.0).max(2.0),
        damping: 1e-3,
        ..COTTON
    };
    let (mut model, state) = world(
        &square(cells),
        material,
        vec![fixed(vec![0, cells])],
        DVec3::new(0.0, 0.0, -9.81),
        Integrator::Implicit(ImplicitSettings::default()),
    );
    let limit = (case.limit)(&model, argument("tolerance"));
    model = model
        .rebuilt(|parts| parts.limits.extend(limit.map(|l| (0, l))))
        .expect("the limit is of this cloth");
    (model, state)
}

/// What some steps showed.
#[derive(Default)]
struct Course {
    seconds: f64,
    worst: f64,
    mean: f64,
    iterations: f64,
    linear: f64,
    residual: f64,
    missed: u32,
}

fn go(model: &Model, state: &mut State, workspace: &mut Workspace, steps: u32) -> Course {
    let mut course = Course::default();
    let start = Instant::now();
    for _ in 0..steps {
        let report = step(model, state, workspace, H).expect("the sheet hangs");
        let certificate = report.certificate;
        course.worst = course.worst.max(certificate.stretch_worst);
        course.mean = course.mean.max(certificate.stretch_mean);
        if let Some(limit) = certificate.limit {
            course.iterations += f64::from(limit.iterations) / f64::from(steps);
            course.linear += f64::from(limit.linear_iterations) / f64::from(steps);
            course.residual = course.residual.max(limit.residual);
            course.missed += u32::from(!limit.converged);
        }
    }
    course.seconds = start.elapsed().as_secs_f64();
    course
}

fn hang(cells: u32, case: &Case) {
    let (model, mut state) = sheet(cells, case);
    let course = go(&model, &mut state, &mut Workspace::new(&model, None), 200);
    println!(
        "{0:<24} {1:>3}×{1:<3} {2:7.2} s | worst stretch {3:6.2} %, mean at most {4:5.2} % | {5:5.2} iterations and {6:6.1} linear ones a step, \
         residual {7:.1e}, missed {8:>3} | lowest node {9:.3} m",
        case.name,
        cells + 1,
        course.seconds,
        100.0 * course.worst,
        100.0 * course.mean,
        course.iterations,
        course.linear,
        course.residual,
        course.missed,
        state.positions.iter().map(|p| p.z).fold(0.0, f64::min),
    );
}

fn grow(case: &Case) {
    let mut last: Option<(f64, f64)> = None;
    let largest = argument("cells").unwrap_or(315);
    let steps = 20;
    for cells in [9, 31, 99, 315].into_iter().filter(|&c| c <= largest) {
        let before = IN_USE.load(Ordering::Relaxed);
        let (model, mut state) = sheet(cells, case);
        let mut workspace = Workspace::new(&model, None);
        // Slack cloth in free fall is easy; these steps end with it taut.
        go(&model, &mut state, &mut workspace, 5);
        let course = go(&model, &mut state, &mut workspace, steps);
        let memory = IN_USE.load(Ordering::Relaxed).saturating_sub(before);
        let nodes = f64::from(cells + 1).powi(2);
        let cost = 1e3 * course.seconds / f64::from(steps);
        print!(
            "{:<12} {nodes:>7.0} nodes: {cost:9.2} ms a step, {:5.2} iterations and {:6.1} linear ones, missed {:>2}, worst stretch {:5.2} %, {:7.1} MB",
            case.name,
            course.iterations,
            course.linear,
            course.missed,
            100.0 * course.worst,
            memory as f64 / 1e6,
        );
        if let Some((fewer, cheaper)) = last {
            let power = (cost / cheaper).ln() / (nodes / fewer).ln();
            print!(", power {power:.2}");
        }
        println!();
        last = Some((nodes, cost));
    }
}

/// `name=value` among the arguments.
fn argument<T: std::str::FromStr>(name: &str) -> Option<T> {
    std::env::args().find_map(|a| a.strip_prefix(name)?.strip_prefix('=')?.parse().ok())
}

fn main() {
    // `cargo test` builds and runs benches once without --bench; measuring is only for `cargo bench`.
    if !std::env::args().any(|a| a == "--bench") {
        return;
    }
    let threads = argument("threads").unwrap_or(1);
    let only: Option<String> = argument("only");
    let wanted = |case: &&Case| only.as_ref().is_none_or(|name| case.name == name);
    let growth = std::env::args().any(|a| a == "growth");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("a thread pool").install(|| {
        println!("threads: {threads}");
        for case in CASES.iter().filter(wanted) {
            if !growth {
                hang(argument("cells").unwrap_or(64), case);
            } else if ["lengths", "inequality", "metric"].contains(&case.name) {
                grow(case);
            }
        }
    });
}
