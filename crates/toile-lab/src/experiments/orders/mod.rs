//! Order of accuracy of every integrator, and what strong damping does to the mixed ones.
//!
//! **Orders.** A sheet held along its rim under a tenth of stretch swings like a drum, damped, with no contact and no
//! fold: a smooth motion. With steps `h`, `h/2`, `h/4`, … the distance between two successive solutions falls as `hᵖ`. Steps are
//! of one length, alternate 2 : 1, or are drawn between 2/3 and 4/3 of their mean.
//!
//! **Stiff damping** (module [`stiff`]). One spring whose damping no explicit rule would survive: which schemes keep their
//! order, which overshoot (Bridson, Marino and Fedkiw 2003, section 3).
//!
//! **A sheet with stiff damping** must not gain energy in any of the mixed schemes, while symplectic Euler with the same step explodes.

mod stiff;

use crate::outcome::Measurement;
use crate::paper_scene;
use crate::plot::{Axis, Plot, SIZE};
use crate::registry::{Experiment, Findings, LabError, Settings};
use glam::DVec3;
use toile::advance::stable_step;
use toile::certificate::Energies;
use toile::state::State;
use toile::step::{Workspace, step};
use toile_scene::scene::World;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "orders",
    title: "order of accuracy of every integrator; mixed schemes under strong damping",
    reproduces: "Bridson, Marino, Fedkiw 2003, section 3: second order, stable whatever the damping, C without overshoot",
    about: "The same motion is computed with smaller and smaller steps by every integrator, and the distance between the solutions \
            is measured. A method of first order gets twice as good when its step is halved, one of second order four times; the \
            number is that order, as the slope of the error in a double logarithmic plot. Strong damping is where methods lose \
            their order or overshoot, so one stiff spring and one stiff sheet are tried as well.",
    parameters: &[
        (
            "sheet",
            "0.4 m × 0.4 m, 6×6 cells, held at its rim, stretched by 10 %",
        ),
        ("density, stretch stiffness", "0.2 kg/m², 50 N/m"),
        ("duration", "0.1 s"),
        (
            "steps",
            "1.7 ms, halved five times (short version: three times)",
        ),
        (
            "kinds of steps",
            "equal, alternating 2 : 1, random between 2/3 and 4/3 of the mean",
        ),
    ],
    run,
};

/// How steps vary in length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Steps {
    Equal,
    Alternating,
    Random,
}

impl Steps {
    fn name(self) -> &'static str {
        match self {
            Steps::Equal => "equal steps",
            Steps::Alternating => "steps 2 : 1",
            Steps::Random => "random steps",
        }
    }

    /// `count` steps (an even number) that cover `duration` (s).
    fn lengths(self, duration: f64, count: u32) -> Vec<f64> {
        let mut seed = 12345u64;
        let mut next = || {
            // A linear congruential generator: the same steps in every run.
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1u64 << 53) as f64
        };
        let weights: Vec<f64> = (0..count)
            .map(|k| match self {
                Steps::Equal => 1.0,
                Steps::Alternating => f64::from(2 - k % 2),
                Steps::Random => (2.0 + 2.0 * next()) / 3.0,
            })
            .collect();
        let sum: f64 = weights.iter().sum();
        weights.iter().map(|w| w * duration / sum).collect()
    }
}

/// A square sheet held along its rim.
fn drum(integrator: &str, damping: f64) -> Result<World, LabError> {
    let text = format!(
        "[time]\nduration = 1\nfps = 100\nintegrator = \"{integrator}\"\n\
             tolerance = 1e-9\nmax_iterations = 2000\nnewton_steps = 20\nnewton_tolerance = 1e-11\n\
             [environment]\ngravity = [0, 0, 0]\n\
             [cloth.sheet]\nmesh.grid = {{ size = [0.4, 0.4], cells = [6, 6] }}\n\
             [[cloth.sheet.pin]]\nselect.boundary = 0\n\
             [cloth.sheet.material]\ndensity = 0.2\nstretch_stiffness = 50\nshear_stiffness = 10\nbend = 1e-6\n\
             damping = {damping}\n"
    );
    let mut world = paper_scene::world("orders", &text)?;
    world.state.positions.iter_mut().for_each(|x| *x *= 1.1);
    Ok(world)
}

/// Struck in the shape of its first mode (m/s).
fn strike(state: &mut State) {
    let wave = |x: f64| (std::f64::consts::PI * (x / 0.44 + 0.5)).sin();
    for (x, v) in state.positions.iter().zip(&mut state.velocities) {
        *v = DVec3::Z * 0.6 * wave(x.x) * wave(x.y);
    }
}

fn run(settings: &Settings) -> Result<Findings, LabError> {
    let mut findings = Findings::default();
    let levels = if settings.quick { 4 } else { 6 };
    orders_of_a_drum(levels, &mut findings)?;
    stiff::orders(&mut findings)?;
    stiff::overshoot(&mut findings)?;
    stiff_drum(&mut findings)?;
    Ok(findings)
}

/// Angular frequency of the drum's first mode, about (1/s): what a speed is worth as a distance.
const RATE: f64 = 50.0;

/// Integrators, the order each must have, and how steps may vary.
const CASES: [(&str, f64, &[Steps]); 6] = [
    ("symplectic-euler", 1.0, &[Steps::Equal]),
    ("backward-euler", 1.0, &[Steps::Equal]),
    ("bdf2", 2.0, &ALL),
    ("mixed-a", 2.0, &ALL),
    ("mixed-b", 2.0, &ALL),
    ("mixed-c", 2.0, &ALL),
];
const ALL: [Steps; 3] = [Steps::Equal, Steps::Alternating, Steps::Random];

fn orders_of_a_drum(levels: u32, findings: &mut Findings) -> Result<(), LabError> {
    let mut plot = Plot::new(
        "A swinging sheet: distance between solutions with mean steps h and h/2",
        Axis::log("mean step h (s)"),
        Axis::log("distance (m)"),
    );
    for (integrator, expected, variants) in CASES {
        for &steps in variants {
            let points = convergence(integrator, steps, levels)?;
            let order = last_order(&points);
            findings.measurements.push(Measurement::new(
                format!("order of {integrator}, {}", steps.name()),
                "",
                order,
                expected,
                0.12,
            ));
            plot = match steps {
                Steps::Equal => plot.curve(integrator, points),
                Steps::Alternating => plot.variant(format!("{integrator}, 2 : 1"), points),
                Steps::Random => plot,
            };
        }
    }
    let [coarse, fine] = [1.0 / 600.0, 1.0 / 600.0 * 0.5f64.powi(levels as i32 - 2)];
    let slope = |power: i32, at: f64| vec![[fine, at * (fine / coarse).powi(power)], [coarse, at]];
    let plot = plot
        .guide("slope 1", slope(1, 4e-3))
        .guide("slope 2", slope(2, 8e-6));
    findings.pictures.push(("convergence", plot.draw(SIZE)));
    Ok(())
}

/// Mean step and distance to the solution with half of it.
fn convergence(integrator: &str, steps: Steps, levels: u32) -> Result<Vec<[f64; 2]>, LabError> {
    let duration = 0.1;
    let world = drum(integrator, 2e-3)?;
    let mut solutions: Vec<(f64, State)> = Vec::new();
    for level in 0..levels {
        let count = 60u32 << level;
        let mut state = world.state.clone();
        strike(&mut state);
        let mut simulation = world.simulation_from(state);
        for h in steps.lengths(duration, count) {
            simulation.step_by(h)?;
        }
        let end = simulation.state().clone();
        solutions.push((duration / f64::from(count), end));
    }
    let pairs = solutions.windows(2);
    Ok(pairs
        .map(|w| [w[0].0, distance(&w[0].1, &w[1].1)])
        .collect())
}

/// Largest distance of two states' nodes (m), in position and velocity: where one of them turns, its own error may vanish.
fn distance(a: &State, b: &State) -> f64 {
    let moved = a.positions.iter().zip(&b.positions);
    let sped = a.velocities.iter().zip(&b.velocities);
    moved
        .zip(sped)
        .map(|((x, y), (v, w))| x.distance(*y).hypot(v.distance(*w) / RATE))
        .fold(0.0, f64::max)
}

/// The slope between the two finest points.
fn last_order(points: &[[f64; 2]]) -> f64 {
    match points {
        [.., coarse, fine] => (coarse[1] / fine[1]).ln() / (coarse[0] / fine[0]).ln(),
        _ => f64::NAN,
    }
}

/// A sheet whose damping limits an explicit rule to a small part of the step.
fn stiff_drum(findings: &mut Findings) -> Result<(), LabError> {
    let damping = 1.0;
    let rough = |state: &mut State| {
        for (i, x) in state.positions.iter_mut().enumerate() {
            // Nodes of the rim are held where they stand, so this stretches springs of all kinds.
            *x *= 1.0 + 0.04 * (1.7 * i as f64).sin();
            x.z += 0.01 * (2.3 * i as f64).cos();
        }
    };
    let explicit = drum("symplectic-euler", damping)?;
    let mut start = explicit.state.clone();
    rough(&mut start);
    let h = 0.8 * stable_step(&drum("mixed-a", damping)?.model, &start);
    let allowed = stable_step(&explicit.model, &start);
    findings.notes.push(format!(
        "stiff sheet: steps of {:.2} ms, {:.0} times the explicit limit of {:.2e} s",
        1e3 * h,
        h / allowed,
        allowed
    ));
    for (integrator, grows) in [
        ("mixed-a", false),
        ("mixed-b", false),
        ("mixed-c", false),
        ("symplectic-euler", true),
    ] {
        let world = drum(integrator, damping)?;
        let growth = energy_growth(&world, &start, h);
        findings.measurements.push(if grows {
            let what = format!("stiff sheet, {integrator}: energy grows a thousandfold (1 = yes)");
            Measurement::new(what, "", f64::from(growth > 1e3), 1.0, 0.0)
        } else {
            let what = format!("stiff sheet, {integrator}: growth of the energy");
            Measurement::new(what, "", (growth - 1.0).max(0.0), 0.0, 1e-6)
        });
    }
    Ok(())
}

/// Largest energy of a run over the energy at its start; infinite if the run breaks.
fn energy_growth(world: &World, start: &State, h: f64) -> f64 {
    let mut state = start.clone();
    let first = Energies::of(&world.model, &state).total();
    // Bare steps: a simulation would halve those that diverge, and here they may.
    let mut workspace = Workspace::new(&world.model, None);
    let mut largest = first;
    for _ in 0..300 {
        if step(&world.model, &mut state, &mut workspace, h).is_err() {
            return f64::INFINITY;
        }
        largest = largest.max(Energies::of(&world.model, &state).total());
    }
    largest / first
}
