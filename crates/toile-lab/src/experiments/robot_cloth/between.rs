//! What the metric at the nodes does not see.
//!
//! The constraints hold means over the faces around a node, so strain of one sign in one face and of the other in the next is free. Nothing
//! restores it, and what every projection leaves within its tolerance feeds it; with a rule that eats little motion it grows over
//! seconds. Weak springs, the model's `hourglass_stiffness`, are felt by that strain alone: what the metric does hold is not strained.

use super::sheet::{Recipe, SheetMotion, Stage, largest};
use super::{TOLERANCE, UNDAMPED, swing};
use crate::outcome::Measurement;
use crate::plot::{Axis, Plot, SIZE};
use crate::registry::{Findings, LabError};
use crate::snapshot::Album;

/// Edges of the isometric sheet within a few per cent.
const EDGES: f64 = 0.05;

/// Worst edges of the undamped sheet over time, with and without.
pub(super) fn strain(stage: Stage, quick: bool, findings: &mut Findings) -> Result<(), LabError> {
    let step = if quick { 0.005 } else { 0.0025 };
    let mut plot = Plot::new(
        format!("Undamped A3 sheet, bdf2, {:.2} ms: worst edge", 1e3 * step),
        Axis::linear("time (s)"),
        Axis::log("change of its length, as a share"),
    );
    let mut pages = Vec::new();
    for (label, hourglass) in [("with hourglass stiffness", None), ("without", Some(0.0))] {
        let recipe = Recipe {
            stage,
            step,
            hourglass,
            tolerance: swing::tolerance(step),
            ..UNDAMPED
        };
        let course = recipe.run()?;
        let worst = largest(&course.strain);
        findings.notes.push(format!(
            "undamped, bdf2, {:.2} ms, {label}: worst edge {:.2} %, area error {:.3} %, {:.2} iterations a step, swing {:.2} cm",
            1e3 * step,
            100.0 * worst,
            100.0 * largest(&course.area_error),
            course.iterations,
            100.0 * course.swing_from(stage.window)
        ));
        if hourglass.is_none() {
            let what = "undamped, small steps: worst edge with hourglass stiffness";
            let edges = Measurement::new(what, "", worst, 0.0, EDGES);
            findings.measurements.push(edges);
        }
        let shown = course.strain.iter().map(|p| [p[0], p[1].max(1e-5)]);
        plot = plot.curve(label, shown.collect());
        pages.extend(course.last.map(|state| (state, label)));
    }
    findings.pictures.push(("edges", plot.draw(SIZE)));
    let world = UNDAMPED.world_of(stage)?;
    let mut album = Album::new(&world);
    for (state, label) in pages {
        album.add(&state, format!("{label}, t = {:.2} s", state.time));
    }
    findings.pictures.push(("zigzag", album.sheet(2)));
    Ok(())
}

/// How far apart hanging shapes may be, as a share of the sheet's height.
const SHAPES: f64 = 0.01;

/// The hanging sheet with its corners brought together must not bend less freely.
pub(super) fn shapes(stage: Stage, quick: bool, findings: &mut Findings) -> Result<(), LabError> {
    let hung = |hourglass: f64| {
        let recipe = Recipe {
            stage: Stage {
                start: 0.0,
                stop: 1.0,
                end: 4.0,
                ..stage
            },
            motion: SheetMotion::Close(0.3),
            integrator: "backward-euler",
            damping: 4.0,
            hourglass: Some(hourglass),
            bend: 1e-4,
            tolerance: 0.01 * TOLERANCE,
            ..UNDAMPED
        };
        recipe.run()
    };
    let mut pages = Vec::new();
    let all = [0.0, 1.0, 10.0, 100.0];
    for &hourglass in if quick { &all[..2] } else { &all } {
        let course = hung(hourglass)?;
        pages.extend(course.last.map(|state| (hourglass, state)));
    }
    let (_, free) = pages[0].clone();
    for (hourglass, state) in &pages[1..] {
        let apart = state.positions.iter().zip(&free.positions);
        let apart: Vec<f64> = apart.map(|(a, b)| a.distance(*b)).collect();
        let mean = apart.iter().sum::<f64>() / apart.len() as f64;
        findings.notes.push(format!(
            "corners 30 % nearer, {hourglass} N/m: nodes {:.2} mm from those without on average, {:.2} mm at the most",
            1e3 * mean,
            1e3 * apart.iter().copied().fold(0.0, f64::max)
        ));
        if *hourglass == 1.0 {
            let what = "corners 30 % nearer: mean distance of shapes with and without";
            let height = super::sheet::SIZE[1];
            let shape = Measurement::new(what, "m", mean, 0.0, SHAPES * height);
            findings.measurements.push(shape);
        }
    }
    let world = UNDAMPED.world_of(stage)?;
    let mut album = Album::new(&world);
    for (hourglass, state) in &pages {
        album.add(state, format!("{hourglass} N/m"));
    }
    findings.pictures.push(("hanging", album.sheet(2)));
    Ok(())
}
