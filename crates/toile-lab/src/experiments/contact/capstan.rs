//! A band around a cylinder: the tensions of its ends differ by `e^{μφ}` while it slides.

use super::run::world_of;
use crate::outcome::Measurement;
use crate::plot::{Axis, Plot, SIZE};
use crate::registry::{Experiment, Findings, LabError, Settings};
use crate::snapshot::Album;
use glam::DVec3;
use std::f64::consts::PI;
use toile::state::State;
use toile_scene::scene::World;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "capstan",
    title: "a band slides around a cylinder as Euler and Eytelwein say",
    reproduces: "the capstan equation: T₂ = T₁ e^{μφ}",
    about: "A band lies around a cylinder. One end is held and the other pulled slowly, so that the band slides on the cylinder while it stretches. \
            Friction makes the tension grow along the way: by the factor e to the power of the friction times the angle of contact, whatever the \
            size of the cylinder. The numbers are the ratios of the tensions of both ends, on average over the last part of the pull, beside the \
            formula, and what the cylinder feels of it.",
    parameters: &[
        (
            "band",
            "3 cm wide, 25 cm straight on each side, 0.2 kg/m², 1000 N/m, no gravity",
        ),
        ("cylinder", "radius 5 cm"),
        ("cells along the band", "5 mm (short version: 10 mm)"),
        (
            "angle of contact, friction",
            "90, 180 and 270 degrees; 0.1, 0.3 and 0.5",
        ),
        ("pull, steps, duration", "4 cm/s, 2 ms, 0.6 s"),
    ],
    run,
};

const RADIUS: f64 = 0.05;
const THICKNESS: f64 = 1e-3;
const WIDTH: f64 = 0.03;
/// Length of each straight part (m).
const STRAIGHT: f64 = 0.25;
const SPEED: f64 = 0.04;
const DURATION: f64 = 0.6;
/// The ratio is taken over the time after this share of the pull.
const SETTLED: f64 = 0.5;
/// It may be off by so much of itself.
const TOLERANCE: f64 = 0.05;

fn run(settings: &Settings) -> Result<Findings, LabError> {
    let mut findings = Findings::default();
    let cell = if settings.quick { 0.01 } else { 0.005 };
    let mut plot = Plot::new(
        "Ratio of the tensions at the ends of a band",
        Axis::linear("friction times angle"),
        Axis::log("ratio"),
    );
    let (mut measured, mut predicted) = (Vec::new(), Vec::new());
    for (degrees, friction) in [
        (90.0, 0.3),
        (180.0, 0.1),
        (180.0, 0.3),
        (180.0, 0.5),
        (270.0, 0.3),
    ] {
        let angle = f64::to_radians(degrees);
        let expected = (friction * angle).exp();
        let pull = pull(cell, angle, friction, &mut findings)?;
        let label = format!("{degrees}°, μ = {friction}");
        findings.measurements.extend([
            Measurement::new(
                format!("{label}: ratio of tensions"),
                "",
                pull.ratio,
                expected,
                TOLERANCE * expected,
            ),
            Measurement::new(
                format!("{label}: torque on the cylinder over (T₂ − T₁) R"),
                "",
                pull.torque,
                1.0,
                TOLERANCE,
            ),
        ]);
        findings.notes.push(format!(
            "{label}: the ratio was between {:.3} and {:.3}",
            pull.range[0], pull.range[1]
        ));
        measured.push([friction * angle, pull.ratio]);
        predicted.push([friction * angle, expected]);
    }
    predicted.sort_by(|a, b| a[0].total_cmp(&b[0]));
    measured.sort_by(|a, b| a[0].total_cmp(&b[0]));
    plot = plot.guide("e^μφ", predicted).curve("measured", measured);
    findings.pictures.push(("ratio", plot.draw(SIZE)));
    Ok(findings)
}

/// What a pull showed.
struct Pull {
    ratio: f64,
    range: [f64; 2],
    /// Over what the tensions would do.
    torque: f64,
}

fn pull(cell: f64, angle: f64, friction: f64, findings: &mut Findings) -> Result<Pull, LabError> {
    let around = RADIUS + 0.5 * THICKNESS;
    let arc = angle * around;
    let length = 2.0 * STRAIGHT + arc;
    // Towards where the band leaves.
    let (sin, cos) = angle.sin_cos();
    let velocity = SPEED * DVec3::new(sin, 0.0, cos);
    let world = world_of("capstan", scene(cell, length, friction, velocity))?;
    // Straight up to the cylinder, around it, and away along the tangent.
    let place = |p: DVec3| {
        let s = p.x + 0.5 * length - STRAIGHT;
        let turned = (s / around).clamp(0.0, angle);
        let beyond = s - turned * around;
        let (sin, cos) = turned.sin_cos();
        let (outward, along) = (DVec3::new(-cos, 0.0, sin), DVec3::new(sin, 0.0, cos));
        around * outward + beyond * along + DVec3::Y * p.y
    };
    let mut state = world.state.clone();
    for p in &mut state.positions {
        *p = place(*p);
    }
    let ends = [1.0, -1.0].map(|side: f64| section(&world, side * 0.5 * (length - STRAIGHT)));
    let mut simulation = world.simulation_from(state);
    let mut album = Album::new(&world);
    let (mut sums, mut count) = ([0.0; 3], 0.0);
    let mut range = [f64::INFINITY, f64::NEG_INFINITY];
    for n in 1..=world.schedule.steps() {
        simulation.step()?;
        if n as f64 > SETTLED * world.schedule.steps() as f64 {
            let [pulled, held] = [0, 1].map(|k| strain(&ends[k], simulation.state()));
            let torque = simulation.body_loads()[0].torque.y;
            for (sum, value) in sums.iter_mut().zip([pulled, held, torque.abs()]) {
                *sum += value;
            }
            count += 1.0;
            range = [range[0].min(pulled / held), range[1].max(pulled / held)];
        }
    }
    if angle > PI {
        album.add(
            simulation.state(),
            format!("{:.0} degrees, friction {friction}", angle.to_degrees()),
        );
        findings.pictures.push(("band", album.sheet(1)));
    }
    let [pulled, held, torque] = sums.map(|sum| sum / count);
    let tension = STIFFNESS * WIDTH * (pulled - held);
    Ok(Pull {
        ratio: pulled / held,
        range,
        torque: torque / (tension * around),
    })
}

/// Tension per width and strain (N/m).
const STIFFNESS: f64 = 1000.0;

/// Edges along the band about this place, and their lengths at rest (m).
fn section(world: &World, x: f64) -> Vec<([usize; 2], f64)> {
    let cloth = &world.model.cloths[0];
    let rest = &world.state.positions;
    let edges = cloth.topology.edges.iter().zip(&cloth.rest.edge_lengths);
    let edges = edges.map(|(edge, &length)| (edge.nodes.map(|n| n as usize), length));
    let here = |([a, b], _): &([usize; 2], f64)| {
        let middle = 0.5 * (rest[*a] + rest[*b]);
        (rest[*a].y - rest[*b].y).abs() < 1e-9 && (middle.x - x).abs() < 0.2 * STRAIGHT
    };
    edges.filter(here).collect()
}

/// The mean strain of edges.
fn strain(edges: &[([usize; 2], f64)], state: &State) -> f64 {
    let strains = edges.iter().map(|([a, b], rest)| {
        let length = state.positions[*a].distance(state.positions[*b]);
        length / rest - 1.0
    });
    strains.sum::<f64>() / edges.len() as f64
}

fn scene(cell: f64, length: f64, friction: f64, velocity: DVec3) -> String {
    let cells = (length / cell).round();
    format!(
        "[contact]\nstart = \"tolerate\"\n[time]\nstep = 0.002\nduration = {DURATION:?}\ntolerance = 1e-6\n[environment]\ngravity = [0, 0, 0]\n\
         [cloth.band]\nmesh.grid = {{ size = [{length:?}, {WIDTH:?}], cells = [{cells}, 3] }}\n\
         thickness = {THICKNESS:?}\ndamping = 2\n\
         [cloth.band.material]\ndensity = 0.2\nstretch_stiffness = {STIFFNESS:?}\nshear_stiffness = 1.0\nbend = 1e-9\n\
         [[cloth.band.pin]]\nselect.box = {{ min = [{:?}, -1, -1], max = [{:?}, 1, 1] }}\n\
         [[cloth.band.pin]]\nselect.box = {{ min = [{:?}, -1, -1], max = [{:?}, 1, 1] }}\nmotion.velocity = {{ linear = {:?} }}\n\
         [body.cylinder]\nshape.cylinder = {{ radius = {RADIUS:?}, height = 0.1 }}\n\
         place = {{ rotate_degrees = [90, 0, 0] }}\nfriction = {friction:?}\n",
        -0.5 * length - 0.1 * cell,
        -0.5 * length + 0.1 * cell,
        0.5 * length - 0.1 * cell,
        0.5 * length + 0.1 * cell,
        velocity.to_array(),
    )
}
