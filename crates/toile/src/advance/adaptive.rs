//! Steps by their estimated error.
//!
//! Every pair of steps `h/2` is held against one step `h` from the same state. For a rule of order `p` the difference of
//! the positions over `2ᵖ − 1` estimates the error of the pair, which is what stays. The next pair is
//!
//! `h · 0.9 · e⁻⁰·⁷ᐟᵏ · e'⁰·⁴ᐟᵏ`, `k = p + 1`,
//!
//! long, with `e` and `e'` the errors of this pair and of the last one over the tolerance (a proportional–integral
//! controller, Gustafsson 1991). A pair with `e > 1` is taken back and made shorter by `0.9 e⁻¹ᐟᵏ`.
//!
//! The error is the position's alone, the largest of all nodes. A contact that begins or ends within a step is no smooth
//! motion; there the smallest step decides, and the report counts how often.

use super::course::Course;
use crate::certificate::{StepError, StepReport};
use crate::state::StepMemory;

const SAFETY: f64 = 0.9;
/// How much shorter or longer the next pair may be.
const SHORTER: f64 = 0.1;
const LONGER: f64 = 2.0;
/// Errors below this share of the tolerance say no more than that the step may grow.
const NEGLIGIBLE: f64 = 1e-4;
/// A pair for a rule that looks back is at most this many times as long as the step before it, which is half a
/// pair: beyond 1 + √2 such a rule is not stable.
const LOOKING_BACK: f64 = 2.3;

pub(super) fn cover(
    course: &mut Course,
    duration: f64,
    tolerance: f64,
    smallest: f64,
) -> Result<(), StepError> {
    let first = StepMemory {
        pair: duration,
        error: 1.0,
    };
    let mut memory = course.state.step_memory.unwrap_or(first);
    let rate = 1.0 / f64::from(course.model.integrator.order() + 1);
    let mut remaining = duration;
    loop {
        let count = (remaining / longest_pair(course, memory.pair, smallest) - 1e-9).ceil();
        let count = count.max(1.0);
        let pair = remaining / count;
        let can_shrink = pair > 2.0 * smallest * (1.0 + 1e-9);
        let tried = match try_pair(course, pair) {
            Err(cause) if !can_shrink || !cause.is_divergence() => {
                return Err(cause.after_retries(course.rejected, 0.5 * pair));
            }
            tried => tried.ok(),
        };
        let error = tried.map_or(f64::INFINITY, |t| (t.error / tolerance).max(NEGLIGIBLE));
        let accepted = tried.filter(|_| error <= 1.0 || !can_shrink);
        let Some(accepted) = accepted else {
            course.restore();
            course.rejected += 1;
            let shrink = SAFETY * error.powf(-rate);
            memory.pair = (pair * shrink.clamp(SHORTER, 0.5)).max(2.0 * smallest);
            continue;
        };
        accepted.steps.iter().for_each(|step| course.gather(step));
        course.gather_effort(&accepted.comparison);
        course.above_tolerance += u32::from(error > 1.0);
        let grow = SAFETY * error.powf(-0.7 * rate) * memory.error.powf(0.4 * rate);
        memory = StepMemory {
            pair: (pair * grow.clamp(SHORTER, LONGER)).min(duration),
            error: error.min(1.0),
        };
        course.state.step_memory = Some(memory);
        if count == 1.0 {
            return Ok(());
        }
        remaining -= pair;
    }
}

fn longest_pair(course: &Course, wanted: f64, smallest: f64) -> f64 {
    let wanted = wanted.max(2.0 * smallest);
    match &course.state.previous {
        Some(previous) if course.model.integrator.looks_back() => {
            wanted.min(LOOKING_BACK * previous.step)
        }
        _ => wanted,
    }
}

/// A pair of steps that was made.
#[derive(Clone, Copy)]
struct Pair {
    /// Its estimated error (m).
    error: f64,
    steps: [StepReport; 2],
    /// The step over the same time.
    comparison: StepReport,
}

/// Makes a pair of steps and estimates its error.
fn try_pair(course: &mut Course, pair: f64) -> Result<Pair, StepError> {
    course.save();
    let comparison = course.attempt(pair)?;
    course.keep_coarse();
    course.restore();
    let steps = [course.attempt(0.5 * pair)?, course.attempt(0.5 * pair)?];
    let order = course.model.integrator.order();
    Ok(Pair {
        error: course.distance_from_coarse() / (f64::from(1u32 << order) - 1.0),
        steps,
        comparison,
    })
}
