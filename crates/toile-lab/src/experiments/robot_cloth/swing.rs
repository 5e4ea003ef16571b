//! What integrators leave of the swing, against the step.
//!
//! Without damping the hanger's start rouses the sheet's own swing (0.93 Hz) beside the one that it is forced to (0.6 Hz), and the free edge beats
//! between about nothing and the sum of both. *The swing* is half of the way of the free edge to and fro below the hanger in the
//! last seven seconds. Backward Euler takes `hω²/2` = 0.17/s from the own swing at 10 ms, so that little of it is left; BDF2 takes
//! `(π/2)(ωh)³` = 0.03 % in a period and makes the period longer by `(ωh)²/3` = 0.1 %.
//!
//! A step is no more exact than its limit. What a projection leaves, up to the tolerance, is an error of the velocity of tolerance times
//! length over `h`, in every step; where it feeds strain that the metric does not see, nothing takes it out again. So the tolerance goes
//! down with `h³`.

use super::sheet::{Course, Recipe, Stage};
use super::{TOLERANCE, UNDAMPED};
use crate::outcome::Measurement;
use crate::plot::{Axis, Plot, SIZE};
use crate::registry::{Findings, LabError};

/// How much of the converged swing a second-order rule must keep at 10 ms.
const KEPT: f64 = 0.03;
/// The step of the paper (s).
const STEP: f64 = 0.01;

fn shaken(stage: Stage, integrator: &'static str, step: f64) -> Result<Course, LabError> {
    Recipe {
        stage,
        integrator,
        step,
        tolerance: tolerance(step),
        ..UNDAMPED
    }
    .run()
}

/// What may be left of the limit's equations with this step (s).
pub(super) fn tolerance(step: f64) -> f64 {
    TOLERANCE * (step / STEP).min(1.0).powi(3)
}

pub(super) fn against_steps(
    stage: Stage,
    quick: bool,
    findings: &mut Findings,
) -> Result<(), LabError> {
    let (steps, finest): (&[f64], f64) = if quick {
        (&[0.01], 0.0025)
    } else {
        (&[0.02, 0.01, 0.005, 0.0025], 0.00125)
    };
    let reference = shaken(stage, "bdf2", finest)?;
    let converged = reference.swing_from(stage.window);
    findings.notes.push(format!(
        "undamped, converged (bdf2, {:.3} ms): swing {:.2} cm, worst edge {:.2} %, {:.1} s of wall time",
        1e3 * finest,
        100.0 * converged,
        100.0 * super::sheet::largest(&reference.strain),
        reference.wall
    ));
    findings.notes.push(
        "rule            step (ms)  swing (cm)  of converged  iterations  worst edge  wall (s)"
            .into(),
    );
    let mut by_step = Plot::new(
        "Undamped A3 sheet, fast motion: swing of the free edge",
        Axis::log("step (s)"),
        Axis::linear("swing (m)"),
    );
    let mut by_time = Plot::new(
        "Undamped A3 sheet, fast motion: free edge from below the hanger",
        Axis::linear("time (s)"),
        Axis::linear("distance (m)"),
    );
    for rule in ["backward-euler", "bdf2"] {
        let mut points = Vec::new();
        for &step in steps {
            let course = shaken(stage, rule, step)?;
            let swing = course.swing_from(stage.window);
            points.push([step, swing]);
            findings.notes.push(format!(
                "{rule:14}  {:9.3}  {:10.2}  {:10.1} %  {:10.2}  {:8.2} %  {:8.2}",
                1e3 * step,
                100.0 * swing,
                100.0 * swing / converged,
                course.iterations,
                100.0 * super::sheet::largest(&course.strain),
                course.wall
            ));
            if step != STEP {
                continue;
            }
            if rule == "bdf2" {
                let what = "undamped, bdf2, 10 ms: swing against the converged one";
                let kept = Measurement::new(what, "m", swing, converged, KEPT * converged);
                findings.measurements.push(kept);
            }
            by_time = by_time.curve(format!("{rule}, 10 ms"), course.swing);
        }
        by_step = by_step.curve(rule, points);
    }
    let level = vec![[finest, converged], [steps[0], converged]];
    let by_step = by_step.guide("converged", level);
    let by_time = by_time.guide("converged", reference.swing);
    findings.pictures.push(("swing", by_step.draw(SIZE)));
    findings.pictures.push(("motion", by_time.draw(SIZE)));
    Ok(())
}
