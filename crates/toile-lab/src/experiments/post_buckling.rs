//! A strip on hinges, pressed together at its ends: Euler's elastica beyond buckling.
//!
//! With its ends nearer by a share `s` of its length, the strip stands out by `k/K(k)` lengths and presses back with
//! `(2K(k)/π)²` times Euler's load, where `2E(k)/K(k) − 1 = 1 − s`. The force is measured as the slope of the elastic energy by the
//! distance of the ends, as virtual work has it. The strip has no weight.

use crate::outcome::Measurement;
use crate::plot::{Axis, Plot, SIZE};
use crate::reference::PostBuckled;
use crate::registry::{Experiment, Findings, LabError, Settings};
use crate::strip::{
    ALTERNATING, ALTERNATING_HINGES, ALTERNATING_ROW, HERRING_BONE, Kind, QUAD_FORM, QUAD_HINGES,
    Strip, TRIANGLE_ROW, TRIANGLES, hold_between, settle,
};
use std::f64::consts::PI;
use toile::certificate::Energies;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "post-buckling",
    title: "a strip pressed together at its ends bows out as the elastica",
    reproduces: "Euler's elastica: rise and force against the shortening of the ends",
    about: "A strip without weight is pressed together at its ends and bows out. Euler's elastica gives its rise and the force \
            with which it presses back; folds of real cloth are pieces of this curve. Rise is in lengths of the strip and force in \
            units of Euler's load, the smallest force that makes a strip buckle.",
    parameters: &[
        ("length, rigidity", "0.2 m, 1e-3 N·m"),
        ("shortening of the ends", "2, 10, 30, 50 % of the length"),
        ("mesh", "64 cells along; 16, 32 and 64 for the order"),
        ("solver", "static"),
    ],
    run,
};

const LENGTH: f64 = 0.2;
const BEND: f64 = 1e-3;
const SHORTENINGS: [f64; 4] = [0.02, 0.1, 0.3, 0.5];

fn run(settings: &Settings) -> Result<Findings, LabError> {
    let kinds: &[Kind] = if settings.quick {
        &[QUAD_HINGES, ALTERNATING]
    } else {
        &[
            QUAD_HINGES,
            QUAD_FORM,
            TRIANGLES,
            ALTERNATING,
            HERRING_BONE,
            TRIANGLE_ROW,
            ALTERNATING_ROW,
            ALTERNATING_HINGES,
        ]
    };
    let cells = 64;
    let mut findings = Findings::default();
    let shortening = |k: u32| 0.01 * f64::from(k);
    let exact = (1..=60).map(|k| [shortening(k), PostBuckled::new(shortening(k)).rise()]);
    let mut plot = Plot::new(
        "rise of the middle against shortening",
        Axis::linear("shortening of the ends"),
        Axis::linear("rise / L"),
    )
    .guide("elastica", exact.collect());
    for kind in kinds {
        let mut points = Vec::new();
        for shortening in SHORTENINGS {
            let exact = PostBuckled::new(shortening);
            let [rise, energy] = press(*kind, cells, shortening)?;
            // A central difference of the energy by the distance of the ends.
            let by = 1e-3;
            let more = press(*kind, cells, shortening + by)?[1];
            let less = press(*kind, cells, shortening - by)?[1];
            let width = f64::from(kind.across) * LENGTH / f64::from(cells);
            let force = (more - less) / (2.0 * by * LENGTH) / width;
            let euler = PI * PI * BEND / (LENGTH * LENGTH);
            points.push([shortening, rise]);
            if *kind == ALTERNATING_HINGES {
                // Not judged: such a sheet relaxes by small folds along its diagonals and is softer than its rigidity says.
                findings.notes.push(format!(
                    "{}, {} cells wide, shortened by {shortening}: {:.3} of the elastica's force, {:.4} of its rise",
                    kind.name,
                    kind.across,
                    force / euler / exact.force(),
                    rise / exact.rise()
                ));
                continue;
            }
            let name = |what: &str| format!("{}, shortened by {shortening}: {what}", kind.name);
            findings.measurements.push(Measurement::new(
                name("rise over L"),
                "",
                rise,
                exact.rise(),
                0.02 * exact.rise(),
            ));
            findings.measurements.push(Measurement::new(
                name("force over Euler's"),
                "",
                force / euler,
                exact.force(),
                0.02 * exact.force(),
            ));
            debug_assert!(energy > 0.0);
        }
        plot = plot.curve(kind.name, points);
    }
    orders(&mut findings)?;
    findings.pictures.push(("rise", plot.draw(SIZE)));
    Ok(findings)
}

/// The error of the rise over three meshes.
fn orders(findings: &mut Findings) -> Result<(), LabError> {
    let shortening = 0.3;
    let exact = PostBuckled::new(shortening).rise();
    let mut errors = Vec::new();
    for cells in [16, 32, 64] {
        errors.push((press(QUAD_HINGES, cells, shortening)?[0] - exact).abs());
    }
    findings.notes.push(format!(
        "{}, shortened by {shortening}: rise off by {:.2e}, {:.2e}, {:.2e} of L with 16, 32, 64 cells",
        QUAD_HINGES.name, errors[0], errors[1], errors[2]
    ));
    findings.measurements.push(Measurement::new(
        "order of the rise in the cell length",
        "",
        (errors[0] / errors[2]).log2() / 2.0,
        2.0,
        0.3,
    ));
    Ok(())
}

/// Rise of the middle (in lengths of the strip) and elastic energy (J) of a strip shortened by a share of its length.
fn press(kind: Kind, cells: u32, shortening: f64) -> Result<[f64; 2], LabError> {
    let cell = LENGTH / f64::from(cells);
    let strip = Strip {
        kind,
        start: 0.0,
        size: [LENGTH, cell * f64::from(kind.across)],
        cells: [cells, kind.across],
        // So stiff that the strip is shortened by the force a ten-thousandth of what its ends are.
        stretch: 2e4,
        bend: BEND,
        density: 0.2,
        gravity: 0.0,
        more: "",
    };
    let ends = hold_between(-9.0, 0.5 * cell) + &hold_between(LENGTH - 0.5 * cell, 9.0);
    let world = strip.world("", &ends)?;
    let mut state = world.state.clone();
    // Start from half a sine of about the right length.
    let rise = PostBuckled::new(shortening).rise();
    for x in &mut state.positions {
        let share = x.x / LENGTH;
        x.x = LENGTH * (0.5 + (share - 0.5) * (1.0 - shortening));
        x.z = LENGTH * rise * (PI * share).sin();
    }
    settle(&world, &mut state, 1e-6)?;
    let middle = state.positions[cells as usize / 2];
    Ok([
        middle.z.abs() / LENGTH,
        Energies::of(&world.model, &state).elastic,
    ])
}
