//! A sheet in free flight: what internal forces must leave alone.
//!
//! Thrown and spinning without gravity, a sheet keeps its linear momentum `Σ m v` and its angular momentum
//! `Σ m x × v` whatever its springs and dampers do. Symplectic Euler keeps both to rounding; backward Euler
//! keeps the first to rounding and damps the second, by an amount that shrinks with the step. Dropped with
//! gravity, every node follows `x = x₀ + g h² n(n+1)/2`, which both integrators must hit exactly.

use crate::clip::ClipRecorder;
use crate::outcome::Measurement;
use crate::paper_scene;
use crate::registry::{Experiment, Findings, LabError, Settings};
use crate::snapshot::Album;
use glam::DVec3;
use toile::certificate::momentum;
use toile_scene::scene::World;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "free-flight",
    title: "a thrown sheet keeps its momentum, a dropped one falls exactly",
    reproduces: "conservation of linear and angular momentum; free fall",
    about: "A square sheet is thrown, spinning and stretched, in a room without gravity, and another one is dropped. Springs and \
            dampers inside the cloth must not push it as a whole, so momentum must stay and the fall must be the exact one; an \
            engine that fails here makes cloth drift or spin by itself. The numbers are relative changes of momentum in one second \
            and distances from the exact fall: nothing but rounding should be left.",
    parameters: &[
        ("sheet", "1 m × 1 m, 32×32 cells (short version: 12×12)"),
        ("stretch and shear stiffness", "500 N/m, 100 N/m"),
        (
            "steps",
            "symplectic Euler 0.1 ms, backward Euler 5 ms (dropped: 10 ms)",
        ),
        ("duration", "1 s thrown, 100 steps dropped"),
    ],
    run,
};

fn sheet(cells: u32, integrator: &str, step: f64, gravity: f64) -> Result<World, LabError> {
    let text = format!(
        "[time]\nduration = 1\nfps = {}\nsubsteps = 1\nintegrator = \"{integrator}\"\n\
             [environment]\ngravity = [0, 0, {gravity}]\n\
             [cloth.sheet]\nmesh.grid = {{ size = [1, 1], cells = [{cells}, {cells}] }}\n\
             [cloth.sheet.material]\nstretch_stiffness = 500\nshear_stiffness = 100\ndamping = 1e-3\n",
        1.0 / step
    );
    paper_scene::world("free-flight", &text)
}

fn run(settings: &Settings) -> Result<Findings, LabError> {
    let cells = if settings.quick { 12 } else { 32 };
    let mut findings = Findings::default();
    thrown(cells, "symplectic-euler", 1e-4, 1e-10, &mut findings)?;
    thrown(cells, "backward-euler", 0.005, f64::INFINITY, &mut findings)?;
    for integrator in ["symplectic-euler", "backward-euler"] {
        dropped(cells, integrator, &mut findings)?;
    }
    Ok(findings)
}

/// Throws the sheet, spinning and stretched, and measures what one second does to its momentum.
fn thrown(
    cells: u32,
    integrator: &str,
    h: f64,
    angular_tolerance: f64,
    findings: &mut Findings,
) -> Result<(), LabError> {
    let world = sheet(cells, integrator, h, 0.0)?;
    let mut state = world.state.clone();
    for (x, v) in state.positions.iter_mut().zip(&mut state.velocities) {
        *x *= 1.02;
        x.z += 0.03 * (6.0 * x.x).sin();
        *v = DVec3::new(0.6, 0.2, 0.0) + DVec3::new(1.5, 3.0, 0.5).cross(*x);
    }
    let (p0, l0) = momentum(&world.model, &state);
    let mut simulation = world.simulation_from(state);
    let mut album = Album::new(&world);
    let mut clip = ClipRecorder::new(&world, 30.0);
    let steps = (1.0 / h).round() as u64;
    for n in 0..=steps {
        clip.record(simulation.state());
        if n % (steps / 3).max(1) == 0 {
            album.add(
                simulation.state(),
                format!("t = {:.2} s", simulation.time()),
            );
        }
        simulation.step_by(h)?;
    }
    let (p, l) = momentum(&world.model, simulation.state());
    let name = |what: &str| format!("{integrator}: {what}");
    findings.measurements.push(Measurement::new(
        name("relative change of linear momentum"),
        "",
        p.distance(p0) / p0.length(),
        0.0,
        1e-10,
    ));
    let turned = l.distance(l0) / l0.length();
    if angular_tolerance.is_finite() {
        findings.measurements.push(Measurement::new(
            name("relative change of angular momentum"),
            "",
            turned,
            0.0,
            angular_tolerance,
        ));
        findings.pictures.push(("thrown", album.sheet(2)));
        let title = "A sheet thrown and spinning, without gravity";
        findings.clips.push(clip.finish("thrown", title));
    } else {
        findings.notes.push(format!(
            "{integrator} at h = {h} s changed the angular momentum by {:.2} % in 1 s, as a first-order implicit rule does",
            100.0 * turned
        ));
    }
    Ok(())
}

/// Drops the sheet and holds every node against the exact fall of the discrete rule.
fn dropped(cells: u32, integrator: &str, findings: &mut Findings) -> Result<(), LabError> {
    // The explicit rule needs a step that its springs allow: with a longer one rounding grows without bound.
    let explicit = integrator == "symplectic-euler";
    let (h, steps) = (if explicit { 1e-4 } else { 0.01 }, 100);
    let world = sheet(cells, integrator, h, -9.81)?;
    let mut simulation = world.simulation();
    for _ in 0..steps {
        simulation.step_by(h)?;
    }
    let n = f64::from(steps);
    let fall = DVec3::Z * (-9.81 * h * h * n * (n + 1.0) / 2.0);
    let pairs = simulation.positions().iter().zip(&world.state.positions);
    let worst = pairs.map(|(now, start)| now.distance(*start + fall));
    findings.measurements.push(Measurement::new(
        format!("{integrator}: distance from the exact free fall"),
        "m",
        worst.fold(0.0, f64::max),
        0.0,
        1e-12,
    ));
    Ok(())
}
