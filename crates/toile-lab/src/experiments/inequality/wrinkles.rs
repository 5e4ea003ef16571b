//! Weak springs set how finely inequality cloth wrinkles: figures 9 and 13.
//!
//! The limits alone do not resist bending, so cloth wrinkles as finely as its mesh allows; weak springs on edges and cross edges make
//! wrinkles longer. Here it is a skirt: a flat ring held at its inner rim, whose hem falls into folds. How many there are is counted on
//! the radius of the hem's nodes, as the mean wave number of its spectrum. The short version is too coarse for that and judges the limits alone.

use super::sweep::{Sweep, clip, judge_fewer, pictures};
use super::{Run, shake, world};
use crate::outcome::Measurement;
use crate::plot::{Axis, Plot, SIZE};
use crate::registry::{Experiment, Findings, LabError, Settings};
use glam::DVec3;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "wrinkle-stiffness",
    title: "folds of a skirt of inequality cloth against the stiffness of its weak springs",
    reproduces: "Jin et al. 2017, figures 9 and 13: the stiffer the springs, the fewer and larger the folds",
    about: "A flat ring of inequality cloth is held at its inner rim and falls into the folds of a skirt. The limits do not resist \
            bending; weak springs do, and their stiffness sets how many folds there are. The wave number is the mean number of \
            waves around the hem: it must fall as the springs get stiffer.",
    parameters: &[
        (
            "skirt",
            "radii 0.12 and 0.4 m, 96×16 cells (short version: 32×6), 0.15 kg/m²",
        ),
        ("allowed stretch, tolerance", "1 %, 0.5 %"),
        (
            "weak springs",
            "0.01, 1 and 100 N/m (short version: 0.01 and 100)",
        ),
        ("steps, duration", "10 ms, 2 s (short version: 0.8 s)"),
    ],
    run,
};

/// Allowed stretch.
const ALPHA: f64 = 0.01;
/// Of the solver.
const TOLERANCE: f64 = 5e-3;
/// N/m
const SPRINGS: [f64; 3] = [0.01, 1.0, 100.0];

fn run(settings: &Settings) -> Result<Findings, LabError> {
    let (cells, duration) = if settings.quick {
        ([32, 6], 0.8)
    } else {
        ([96, 16], 2.0)
    };
    let springs = if settings.quick {
        &[0.01, 100.0][..]
    } else {
        &SPRINGS[..]
    };
    let mut findings = Findings::default();
    let sweep = Sweep {
        stretch: ALPHA,
        tolerance: TOLERANCE,
        duration,
        scene: &|stiffness| skirt(cells, stiffness),
        ring: &hem,
    };
    let all = sweep.run(springs, &mut findings)?;
    let title = "A skirt falls into folds: weak springs from soft to stiff";
    findings.clips.push(clip(title, &all)?);
    if settings.quick {
        return Ok(findings);
    }
    let numbers: Vec<_> = all.iter().map(|s| [s.stiffness, s.wave_number()]).collect();
    let [softest, .., stiffest] = &numbers[..] else {
        return Ok(findings);
    };
    judge_fewer("mean wave number", stiffest[1], softest[1], &mut findings);
    let rises = numbers.windows(2).filter(|n| n[1][1] > n[0][1]).count();
    findings.measurements.push(Measurement::new(
        "stiffer springs with finer folds than the softer ones before",
        "",
        rises as f64,
        0.0,
        0.0,
    ));
    let plot = Plot::new(
        "Folds of a skirt",
        Axis::log("stiffness of the weak springs (N/m)"),
        Axis::linear("mean wave number of the hem"),
    )
    .curve("hem", numbers);
    findings.pictures.push(("folds", plot.draw(SIZE)));
    findings.pictures.push(("skirts", pictures(&all)));
    Ok(findings)
}

fn skirt(cells: [u32; 2], stiffness: f64) -> Result<toile_scene::scene::World, LabError> {
    let mut world = world(
        "wrinkle-stiffness",
        format!(
            "[time]\nduration = 10\nfps = 20\nstep = 0.01\n\
             [cloth.skirt]\nmesh.ring = {{ inner_radius = 0.12, outer_radius = 0.4, cells = {cells:?}, pattern = \"alternating\" }}\n\
             model = \"inequality\"\nbending = \"none\"\ndamping = 2\n\
             limit.inequality = {{ stretch = {ALPHA}, tolerance = {TOLERANCE} }}\n\
             material = {{ density = 0.15, weak_springs = {stiffness:?} }}\n\
             [[cloth.skirt.pin]]\nselect.ball = {{ center = [0, 0, 0], radius = 0.125 }}\n"
        ),
    )?;
    let inner = |x: DVec3| x.truncate().length() < 0.125;
    shake(&mut world.state.positions, 1e-3, |x| {
        if inner(x) { DVec3::ZERO } else { DVec3::Z }
    });
    Ok(world)
}

/// Radii of the hem's nodes (m), around.
fn hem(run: &Run) -> Vec<f64> {
    let loops = &run.world.model.cloths[0].topology.boundary_loops;
    let first = &run.world.state.positions;
    let outer = |l: &&Vec<u32>| first[l[0] as usize].truncate().length() > 0.3;
    let nodes = loops.iter().find(outer).map_or(&[][..], |l| l);
    let places = nodes.iter().map(|&n| run.state.positions[n as usize]);
    places.map(|p| p.truncate().length()).collect()
}
