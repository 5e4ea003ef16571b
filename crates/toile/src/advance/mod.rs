//! Covers a span of time with as many steps as it takes.
//!
//! * [`StepControl::Fixed`]: one step. What it does is bit for bit what [`step`] does.
//! * [`StepControl::Cfl`]: equal steps below a share of the longest stable one of an explicit or mixed integrator.
//! * [`StepControl::Adaptive`]: steps whose estimated error stays below a tolerance.
//!
//! A step *diverges* if a candidate leaves the finite numbers, or if it makes the largest edge ratio `max(1, l/l̄)` of
//! the cloths more than [`EXPLODED`] times as large. Whatever the control, such a step is taken back and its time covered by two
//! of half the length, and so on: down to `2⁻¹⁰` of the first attempt, or to the smallest step of the adaptive control. If that
//! does not help either, it is an error and the state is as it was before the span.
//!
//! Nothing is remembered outside of [`State`]: fixed steps remember nothing; the stability limit is worked out anew
//! from the state in every span; the adaptive control keeps its next step and its last error in
//! [`State::step_memory`]. So a run that is stopped between spans and resumed makes the same steps.

mod adaptive;
mod course;

pub use crate::stability::stable_step;

use crate::certificate::{StepError, StepReport};
use crate::model::Model;
use crate::state::State;
use crate::step::{Workspace, step};
use course::Course;

/// An edge ratio that grows by more than this factor in one step is a step that diverged.
pub const EXPLODED: f64 = 2.0;

/// How often a step that diverged may be halved.
const HALVINGS: u32 = 10;

/// More sub-steps than this in one span are a mistake in the scene, not a simulation.
const MOST_SUB_STEPS: f64 = 1e6;

/// The largest edge ratio may change by this share before the stability limit is worked out again.
const REFRESH: f64 = 0.1;

/// How a span of time is cut into steps.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum StepControl {
    /// One step.
    #[default]
    Fixed,
    /// Equal steps below a share of the stability limit `2/√λmax(M⁻¹K)`; one step for implicit integrators, which have none.
    Cfl {
        /// The share of the limit; below 1.
        fraction: f64,
    },
    /// Steps by their estimated error.
    Adaptive {
        /// Largest error of any node's position that one step may add (m).
        tolerance: f64,
        /// No step is made shorter than this (s). At this length a step is accepted whatever its error.
        smallest: f64,
    },
}

/// What covering a span of time reports.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdvanceReport {
    /// The sub-steps together: the worst of what each said, the mean stretch of the last, iterations and times of all.
    pub report: StepReport,
    /// Steps made, without those that were taken back.
    pub substeps: u32,
    /// Steps taken back: because they diverged, or because their error was too large.
    pub rejected: u32,
    /// Steps of the adaptive control that were accepted at the smallest length with a larger error.
    pub above_tolerance: u32,
}

/// Advances the state by `duration` seconds. On an error the state is as it was.
pub fn advance(
    model: &Model,
    state: &mut State,
    workspace: &mut Workspace,
    duration: f64,
    control: &StepControl,
) -> Result<AdvanceReport, StepError> {
    if !(duration > 0.0 && duration.is_finite()) {
        return Err(StepError::BadStep { h: duration });
    }
    let end = state.time + duration;
    let mut course = Course::begin(model, state, workspace);
    let outcome = match *control {
        StepControl::Fixed => course.step(duration, HALVINGS).map(|_| ()),
        StepControl::Cfl { fraction } => below_limit(&mut course, duration, fraction),
        StepControl::Adaptive {
            tolerance,
            smallest,
        } => adaptive::cover(&mut course, duration, tolerance, smallest),
    };
    let gathered = course.end(outcome)?;
    state.time = end;
    Ok(gathered)
}

/// Equal steps below a share of the stability limit, which is worked out at the start and whenever the cloth has been
/// stretched or has shrunk by a tenth since.
fn below_limit(course: &mut Course, duration: f64, fraction: f64) -> Result<(), StepError> {
    let mut remaining = duration;
    let mut limit: Option<(f64, f64)> = None;
    loop {
        let longest = match limit {
            Some((longest, _)) => longest,
            None => {
                let longest = fraction * course.stable_step();
                limit = Some((longest, course.edge_ratio()));
                longest
            }
        };
        let count = (remaining / longest - 1e-9).ceil().max(1.0);
        if count.is_nan() || count > MOST_SUB_STEPS {
            return Err(StepError::TooManySubSteps {
                time: course.time(),
                longest,
                duration,
            });
        }
        let h = remaining / count;
        let report = course.step(h, HALVINGS)?;
        if count == 1.0 {
            return Ok(());
        }
        remaining -= h;
        let ratio = (1.0 + report.certificate.stretch_worst).max(1.0);
        limit = limit.filter(|(_, then)| (ratio / then - 1.0).abs() <= REFRESH);
    }
}
