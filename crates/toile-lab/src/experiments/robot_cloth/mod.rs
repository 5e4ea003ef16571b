//! An A3 sheet that a robot shakes by two corners.
//!
//! Coltraro, Amorós, Alberich-Carramiñana and Torras (2022), section 9: 9×9 nodes, quads, two upper corners on a rigid hanger that
//! moves as `A cos(2πft)` across the sheet for ten of fourteen seconds: slowly (0.15 m, 0.3 Hz) and fast (0.075 m, 0.6 Hz); steps of 10 ms by
//! backward Euler, no bending, `α` and `δ` fitted to recordings.
//!
//! * **Models** ([`models`]): iterations, stretch and area of the four models of table 4 with the cotton of table 3.
//! * **Motion kept** ([`swing`]): without damping and with its full weight the sheet swings on. How far, for which rule and step.
//! * **Between the nodes** ([`between`]): strain that alternates from face to face, which the metric at the nodes does not see.
//!
//! What the paper does not say, and what is chosen here: the sheet hangs upright (0.42 m high), starts flat and at rest, and the hanger
//! is just as wide as the sheet; 150 g/m²; the fitted stiffnesses of the other three models (here 4000 N/m, 400 N/m of shear and
//! 1e-5 N·m). The recordings themselves are not to be had, so no error against them is measured.

mod between;
mod models;
mod sheet;
mod swing;

use crate::registry::{Experiment, Findings, LabError, Settings};
use sheet::{FAST, Recipe, Stage};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "robot-cloth",
    title: "an A3 sheet shaken by two corners: four models, motion kept by integrators, strain between nodes",
    reproduces: "Coltraro et al. 2022, section 9: 1.60 iterations a step, total area error almost zero",
    about: "A sheet of A3 size hangs from a hanger that a robot shakes. Four models of cloth do the same motion, then the sheet \
            swings without damping under several integrators and steps, to see how much of the motion they keep. The numbers are \
            iterations a step, errors of area and length as shares, and the swing of the free edge in metres.",
    parameters: &[
        (
            "sheet",
            "0.297 m × 0.42 m, 9×9 nodes (short version: 7×7), 0.15 kg/m²",
        ),
        ("slow motion", "0.15 m at 0.3 Hz (full version only)"),
        ("fast motion", "0.075 m at 0.6 Hz"),
        ("steps", "10 ms; 20 to 1.25 ms for the swing"),
        ("duration", "14 s (short version: 2.5 s)"),
    ],
    run,
};

/// The undamped sheet under the fast motion, by BDF2 in steps of 10 ms.
const UNDAMPED: Recipe = Recipe {
    stage: Stage::FULL,
    motion: FAST,
    model: "isometric",
    integrator: "bdf2",
    step: 0.01,
    damping: 0.0,
    weight: 1.0,
    tolerance: TOLERANCE,
    hourglass: None,
    bend: 0.0,
};
/// The paper's 0.1 %.
const TOLERANCE: f64 = 1e-3;

fn run(settings: &Settings) -> Result<Findings, LabError> {
    let mut findings = Findings::default();
    let stage = if settings.quick {
        Stage::SHORT
    } else {
        Stage::FULL
    };
    models::compare(stage, settings.quick, &mut findings)?;
    swing::against_steps(stage, settings.quick, &mut findings)?;
    between::strain(stage, settings.quick, &mut findings)?;
    between::shapes(stage, settings.quick, &mut findings)?;
    Ok(findings)
}
