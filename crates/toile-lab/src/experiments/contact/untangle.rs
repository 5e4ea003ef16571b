//! Cloth that starts tangled: it is drawn apart, and then stays so.

use crate::outcome::Measurement;
use crate::paper_scene;
use crate::registry::{Experiment, Findings, LabError, Settings};
use crate::snapshot::Album;
use glam::DVec3;
use toile::certificate::Energies;
use toile::contact::intersections;
use toile::state::State;
use toile::untangle::untangle;
use toile_scene::scene::World;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "untangle",
    title: "cloth that starts tangled is drawn apart, and stays so",
    reproduces: "Baraff, Witkin and Kass 2003; Volino and Magnenat-Thalmann 2006: untangling cloth",
    about: "Sheets start through each other or through themselves: a bump, a corner, a fold that \
            passes through itself, two sheets that cross at their borders. Before anything moves they are drawn apart. Then they fall \
            for a second. An exact test that has no part in the simulation looks for faces that intersect, after untangling and \
            after every step. None may be found.",
    parameters: &[
        (
            "sheets",
            "0.4 m × 0.4 m, 24×24 cells (short version: 10×10)",
        ),
        ("steps, duration", "10 ms, 1 s (short version: 0.3 s)"),
    ],
    run,
};

/// A start: its name, how many sheets, and where the point of a sheet is that lies at `p` in the flat one.
type Start = (&'static str, usize, fn(usize, DVec3) -> DVec3);

const STARTS: [Start; 4] = [
    ("bump", 2, bump),
    ("corner", 2, corner),
    ("fold", 1, fold),
    ("borders", 2, borders),
];

/// The second sheet sags through the first: a closed contour.
fn bump(sheet: usize, p: DVec3) -> DVec3 {
    if sheet == 0 {
        return p;
    }
    let sag = 0.016 * (-(p.x * p.x + p.y * p.y) / 0.008).exp();
    DVec3::new(p.x + 0.003, p.y + 0.004, 0.006 - sag)
}

/// A corner of the second sheet pokes through the first.
fn corner(sheet: usize, p: DVec3) -> DVec3 {
    if sheet == 0 {
        return p;
    }
    let half = 0.5f64.sqrt();
    let (s, t) = ((p.x + p.y) * half, (p.x - p.y) * half);
    DVec3::new(0.6 * s + 0.01, t + 0.007, 0.8 * s + 0.19)
}

/// One flap of a folded sheet passes through the other.
fn fold(_: usize, p: DVec3) -> DVec3 {
    if p.x < 0.0 {
        return p;
    }
    let radius = 0.03;
    let turned = (p.x / radius).min(std::f64::consts::PI);
    let back = p.x - turned * radius;
    let round = DVec3::new(radius * turned.sin(), 0.0, radius * (1.0 - turned.cos()));
    round + DVec3::new(-0.8 * back, p.y, -0.6 * back)
}

/// Two sheets cross at their borders: the contour cuts nothing off.
fn borders(sheet: usize, p: DVec3) -> DVec3 {
    if sheet == 0 {
        return p;
    }
    DVec3::new(p.x + 0.33, 0.1 * p.y + 0.004, p.y + 0.002)
}

/// Untangling takes no more steps than this.
const MOST_STEPS: u32 = 2000;

fn run(settings: &Settings) -> Result<Findings, LabError> {
    let mut findings = Findings::default();
    let (cells, duration) = if settings.quick { (10, 0.3) } else { (24, 1.0) };
    for (name, count, place) in STARTS {
        let world = world(count, cells, duration)?;
        one(name, &world, place, &mut findings)?;
    }
    Ok(findings)
}

fn one(
    name: &'static str,
    world: &World,
    place: fn(usize, DVec3) -> DVec3,
    findings: &mut Findings,
) -> Result<(), LabError> {
    let model = &world.model;
    let mut positions = Vec::new();
    for (k, rest) in world.rest_positions.iter().enumerate() {
        positions.extend(rest.iter().map(|&p| place(k, p)));
    }
    let mut album = Album::new(world);
    album.add(
        &State::at_rest(model, positions.clone()),
        format!("{name}: start"),
    );
    let found = untangle(model, &positions, MOST_STEPS);
    let state = State::at_rest(model, found.positions.clone());
    album.add(&state, "untangled".into());
    let elastic = |state: &State| Energies::of(model, state).elastic;
    let energies = [elastic(&State::at_rest(model, positions)), elastic(&state)];
    let mut simulation = world.simulation_from(state);
    let mut later = 0;
    for _ in 0..world.schedule.steps() {
        simulation.step()?;
        later += intersections(model, simulation.positions()).len();
    }
    album.add(
        simulation.state(),
        format!("t = {:.2} s", simulation.time()),
    );
    let none = |what: &str, count: usize| {
        Measurement::new(format!("{name}: {what}"), "", count as f64, 0.0, 0.0)
    };
    findings.measurements.extend([
        none("intersections after untangling", found.left.len()),
        none("intersections after any step", later),
    ]);
    findings.notes.push(format!(
        "{name}: {} pairs of faces intersected; {} steps; nodes moved by up to {:.1} mm; elastic energy {:.2} mJ before, {:.2} mJ after",
        found.before,
        found.steps,
        1e3 * found.farthest,
        1e3 * energies[0],
        1e3 * energies[1]
    ));
    findings.pictures.push((name, album.sheet(3)));
    Ok(())
}

/// Sheets that meet all; where they are is for the start to say.
fn world(count: usize, cells: u32, duration: f64) -> Result<World, LabError> {
    let sheets = (0..count).map(|k| {
        format!(
            "[cloth.sheet{k}]\nmesh.grid = {{ size = [0.4, 0.4], cells = [{cells}, {cells}] }}\n\
             place = {{ at = [0, 0, {k}] }}\ndamping = 0.5\n"
        )
    });
    let text = format!(
        "[contact]\ncloth = \"all\"\n[time]\nstep = 0.01\nduration = {duration:?}\n{}",
        sheets.collect::<String>()
    );
    paper_scene::world("untangle", &text)
}
