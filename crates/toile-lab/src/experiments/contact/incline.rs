//! A sheet on an incline: it sticks while `tan α < μ`, and beyond slides with `g (sin α − μ cos α)`.

use crate::outcome::Measurement;
use crate::paper_scene;
use crate::plot::{Axis, Plot, SIZE};
use crate::registry::{Experiment, Findings, LabError, Settings};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "incline",
    title: "a sheet on an incline sticks and slides as Coulomb says",
    reproduces: "statics and dynamics of friction: tan α = μ, a = g (sin α − μ cos α)",
    about: "A sheet lies on slopes of several angles. Coulomb's law says that it sticks as long as the tangent of the angle is \
            below the coefficient of friction, and beyond slides faster and faster in a known way. The numbers are the ways it has \
            gone after one second, in metres.",
    parameters: &[
        ("sheet", "0.4 m × 0.4 m, 16×16 cells (short version: 6×6)"),
        ("friction", "0.5"),
        ("tangent of the angle", "0.5 to 2 times the friction"),
        ("steps, duration", "5 ms, 1 s"),
    ],
    run,
};

const GRAVITY: f64 = 9.81;
const FRICTION: f64 = 0.5;
/// How long it may slide (s).
const DURATION: f64 = 1.0;
/// A sheet that sticks moves less than this (m).
const STUCK: f64 = 1e-3;
/// A sheet that slides is where it should be within this share.
const SLIDING: f64 = 0.02;

fn run(settings: &Settings) -> Result<Findings, LabError> {
    let mut findings = Findings::default();
    let cells = if settings.quick { 6 } else { 16 };
    let mut plot = Plot::new(
        format!("Sheet on an incline, friction {FRICTION}, after {DURATION} s"),
        Axis::linear("tan of the angle over the friction"),
        Axis::linear("way (m)"),
    );
    let (mut measured, mut predicted) = (Vec::new(), Vec::new());
    for ratio in [0.5, 0.9, 0.98, 1.02, 1.1, 1.5, 2.0] {
        let angle = f64::atan(ratio * FRICTION);
        let pull = GRAVITY * (angle.sin() - FRICTION * angle.cos());
        let way = slide(cells, angle)?;
        let expected = 0.5 * pull.max(0.0) * DURATION * DURATION;
        let tolerance = if ratio < 1.0 {
            STUCK
        } else {
            SLIDING * expected
        };
        let what = format!("way at tan α = {ratio} μ");
        let verdict = Measurement::new(what, "m", way, expected, tolerance);
        findings.measurements.push(verdict);
        measured.push([ratio, way]);
        predicted.push([ratio, expected]);
    }
    plot = plot.guide("Coulomb", predicted).curve("measured", measured);
    findings.pictures.push(("way", plot.draw(SIZE)));
    Ok(findings)
}

/// How far the middle of a sheet has moved down a slope (m). The slope is level here, and gravity is not.
fn slide(cells: u32, angle: f64) -> Result<f64, LabError> {
    let text = format!(
        "[time]\nduration = {DURATION:?}\nfps = 25\nstep = 0.005\ntolerance = 1e-6\n\
             [environment]\ngravity = [{:?}, 0, {:?}]\n\
             [cloth.sheet]\nmesh.grid = {{ size = [0.4, 0.4], cells = [{cells}, {cells}] }}\n\
             place = {{ at = [0, 0, 0.001] }}\n\
             [body.floor]\nshape = \"plane\"\nfriction = {FRICTION:?}\n",
        GRAVITY * angle.sin(),
        -GRAVITY * angle.cos()
    );
    let world = paper_scene::world("incline", &text)?;
    let mut simulation = world.simulation();
    let middle = |positions: &[glam::DVec3]| {
        positions.iter().map(|p| p.x).sum::<f64>() / positions.len() as f64
    };
    let start = middle(simulation.positions());
    for _ in 0..world.schedule.steps() {
        simulation.step()?;
    }
    Ok(middle(simulation.positions()) - start)
}
