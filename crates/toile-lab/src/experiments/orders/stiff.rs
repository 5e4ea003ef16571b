//! One node on a spring with stiff damping: `ẍ = −λ x − γ ẋ`, `hγ ≫ 1`.
//!
//! Left alone it creeps back as `e^{−st}` with `s ≈ λ/γ`.
//!
//! **On that slow motion** A, which takes the trapezoidal rule between `vⁿ` and `vⁿ⁺¹`, is of second order. B takes it between the
//! middles of the steps. If their halves `τ` differ, its error obeys `τₙ eₙ = −τₙ₋₁ eₙ₋₁ + (τₙ₋₁² − τₙ²) v̇`; with alternating steps the
//! forcing keeps pace with the sign, and the position is off by `O(h)`. C's middle velocity follows the force at the start of the
//! step: `O(h)` whatever the steps. (Where the damping is not stiff, all three are of second order.)
//!
//! **Let go at rest** from `x₀`, A's first half-step knows no damping yet and moves the node to `(1 − h²λ/2) x₀`, beyond its place of rest if
//! `h² λ > 2`, and then to and fro. B and C, whose first half-step is implicit, creep.

use crate::outcome::Measurement;
use crate::paper_scene;
use crate::plot::{Axis, Plot, SIZE};
use crate::registry::{Findings, LabError};
use glam::DVec3;
use toile::state::State;
use toile_scene::scene::World;

const SCHEMES: [&str; 3] = ["mixed-a", "mixed-b", "mixed-c"];

/// One free node at 1 m, on a spring along x with these `λ` (1/s²) and `γ` (1/s).
fn spring(integrator: &str, lambda: f64, gamma: f64) -> Result<World, LabError> {
    // One square cell has four nodes of 0.05 kg; its edges are springs of k = Y/2, shear and bending are off. All but node 1 are
    // held, and 1 moves along x: the other edge at it is crosswise, but must not turn.
    let text = format!(
        "[time]\nduration = 1\nfps = 100\nintegrator = \"{integrator}\"\ntolerance = 1e-13\n\
             [environment]\ngravity = [0, 0, 0]\n\
             [cloth.sheet]\nmesh.grid = {{ size = [1, 1], cells = [1, 1] }}\n\
             [[cloth.sheet.pin]]\nselect.nodes = [0, 2, 3]\n\
             [cloth.sheet.material]\ndensity = 0.2\nstretch_stiffness = {}\nshear_stiffness = 0\nbend = 0\ndamping = {}\n",
        0.1 * lambda,
        gamma / lambda
    );
    let mut world = paper_scene::world("orders", &text)?;
    world.change(|parts| {
        for energy in &mut parts.energies {
            if let toile::energy::EnergyBatch::Springs(batch) = energy {
                batch.springs.retain(|s| s.nodes == [0, 1]);
            }
        }
    })?;
    Ok(world)
}

fn displacement(world: &World, state: &State) -> f64 {
    state.positions[1].x - world.state.positions[1].x
}

/// Distance from the slow solution after 1 s in `pairs` pairs of steps, the first `ratio` times as long as the second.
fn slow_error(integrator: &str, pairs: u32, ratio: f64) -> Result<f64, LabError> {
    let (lambda, gamma) = (400.0, 1e5f64);
    let slow = 2.0 * lambda / (gamma + (gamma * gamma - 4.0 * lambda).sqrt());
    let world = spring(integrator, lambda, gamma)?;
    let mut state = world.state.clone();
    state.positions[1].x += 0.5;
    state.velocities[1] = -slow * 0.5 * DVec3::X;
    let mut simulation = world.simulation_from(state);
    let short = 1.0 / f64::from(pairs) / (1.0 + ratio);
    for _ in 0..pairs {
        simulation.step_by(ratio * short)?;
        simulation.step_by(short)?;
    }
    Ok((displacement(&world, simulation.state()) - 0.5 * (-slow).exp()).abs())
}

/// Orders on the slow motion, with steps far above `1/γ`.
pub(super) fn orders(findings: &mut Findings) -> Result<(), LabError> {
    let mut plot = Plot::new(
        "Stiff damping (damping rate × step from 800 to 6000): error of the slow motion",
        Axis::log("mean step h (s)"),
        Axis::log("error (m)"),
    );
    for (integrator, expected) in [
        ("mixed-a", [Some(2.0), Some(2.0)]),
        ("mixed-b", [None, Some(1.0)]),
        ("mixed-c", [Some(1.0), Some(1.0)]),
    ] {
        for (ratio, expected) in [1.0, 2.0].into_iter().zip(expected) {
            let mut points = Vec::new();
            for pairs in [8, 16, 32, 64] {
                points.push([
                    0.5 / f64::from(pairs),
                    slow_error(integrator, pairs, ratio)?,
                ]);
            }
            let steps = if ratio == 1.0 {
                "equal steps"
            } else {
                "steps 2 : 1"
            };
            if let Some(expected) = expected {
                let order = (points[0][1] / points[1][1]).log2();
                let what = format!("stiff damping: order of {integrator}, {steps}");
                findings
                    .measurements
                    .push(Measurement::new(what, "", order, expected, 0.1));
            }
            plot = if ratio == 1.0 {
                plot.curve(integrator, points)
            } else {
                plot.variant(format!("{integrator}, 2 : 1"), points)
            };
        }
    }
    let [equal, varying] = [
        slow_error("mixed-b", 8, 1.0)?,
        slow_error("mixed-b", 8, 2.0)?,
    ];
    findings.notes.push(format!(
        "stiff damping: mixed-b errs {:.0} times as much with steps 2 : 1 as with equal ones",
        varying / equal
    ));
    findings.pictures.push(("stiff", plot.draw(SIZE)));
    Ok(())
}

/// A stretched spring let go at rest.
pub(super) fn overshoot(findings: &mut Findings) -> Result<(), LabError> {
    // h² λ = 4 · 0.8² and γ = 2 s: the exact solution has relaxed to 12 % of the stretch at the end.
    let (lambda, gamma) = (400.0f64, 400.0 * 0.5f64);
    let h = 0.8 * 2.0 / lambda.sqrt();
    let (stretch, steps) = (0.1, 14);
    let mut plot = Plot::new(
        "A stretched spring with strong damping, let go",
        Axis::linear("time (s)"),
        Axis::linear("stretch over first stretch"),
    );
    let root = (gamma * gamma - 4.0 * lambda).sqrt();
    let (slow, fast) = (0.5 * (gamma - root), 0.5 * (gamma + root));
    let exact = |t: f64| (fast * (-slow * t).exp() - slow * (-fast * t).exp()) / (fast - slow);
    for integrator in SCHEMES {
        let world = spring(integrator, lambda, gamma)?;
        let mut state = world.state.clone();
        state.positions[1].x += stretch;
        let mut simulation = world.simulation_from(state);
        let mut points = vec![[0.0, 1.0]];
        for _ in 0..steps {
            simulation.step_by(h)?;
            let moved = displacement(&world, simulation.state());
            points.push([simulation.time(), moved / stretch]);
        }
        judge(integrator, h * h * lambda, h * gamma, &points, findings);
        plot = plot.curve(integrator, points);
    }
    let end = f64::from(steps) * h;
    let times = (0..=200).map(|k| end * f64::from(k) / 200.0);
    let plot = plot.guide("exact", times.map(|t| [t, exact(t)]).collect());
    findings.pictures.push(("overshoot", plot.draw(SIZE)));
    Ok(())
}

/// What the first step and the whole motion must look like; `q = h²λ`, `d = hγ`.
fn judge(integrator: &str, q: f64, d: f64, points: &[[f64; 2]], findings: &mut Findings) {
    let first = match integrator {
        "mixed-a" => 1.0 - 0.5 * q,
        _ => 1.0 - 0.5 * q / (1.0 + 0.5 * d),
    };
    let what = format!("overshoot: {integrator}, stretch left after one step");
    let mut push = |what, measured, reference, tolerance| {
        let measurement = Measurement::new(what, "", measured, reference, tolerance);
        findings.measurements.push(measurement);
    };
    push(what, points[1][1], first, 1e-9);
    let rises = points.windows(2).filter(|w| w[1][1] > w[0][1]).count();
    let what = format!("overshoot: {integrator}, steps that stretch the spring again");
    if integrator == "mixed-a" {
        // Every second step goes back.
        push(what, rises as f64, 0.5 * (points.len() - 1) as f64, 0.5);
    } else {
        push(what, rises as f64, 0.0, 0.0);
    }
}
