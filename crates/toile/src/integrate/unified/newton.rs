//! The Newton steps: down the Lagrangian with a look along the way, or back to the limits.

use super::{Step, Unified, free_norm};
use crate::linalg::{Outcome, SolveSettings};
use crate::parallel::{self, dot};
use glam::DVec3;

/// Looks along a Newton step at the most.
const LOOKS: u32 = 6;
/// A share of it is good when the slope there is this part of that at the start.
const FLAT: f64 = 0.3;

/// The Lagrangian along some moves.
#[derive(Clone, Copy, Debug)]
struct Line {
    /// Its slope at the start.
    steepest: f64,
    /// That of inertia and energies alone, and how it changes along the way.
    smooth: f64,
    curvature: f64,
}

impl Line {
    /// Whether a slope further on is small beside that at the start.
    fn is_flat(&self, slope: f64) -> bool {
        slope.abs() <= FLAT * self.steepest.abs()
    }
}

impl Step<'_> {
    /// Solves for a Newton step, to a residual.
    pub(super) fn newton(&self, solve: &mut Unified, target: f64) -> Outcome {
        let filters = &self.context.holds.filters;
        solve.moves.fill(DVec3::ZERO);
        let factored = solve.matrix.factor(filters);
        if !factored {
            // Forces or stiffness are not finite; hand the fact on to the check that names the node.
            solve.moves.copy_from_slice(&solve.downhill);
        }
        solve.matrix.solve(
            &solve.downhill,
            filters,
            &mut solve.moves,
            SolveSettings {
                residual: target,
                iterations: if factored {
                    self.settings.max_iterations
                } else {
                    0
                },
            },
        )
    }

    /// Moves the search point along the Newton step, and predicts the multipliers of the limits there: as far as the Lagrangian falls,
    /// as a few looks tell.
    pub(super) fn search(&self, solve: &mut Unified) {
        let model = self.context.model;
        let line = self.line(solve);
        solve.limits.predict(model, &solve.moves);
        solve.saved.copy_from_slice(&solve.search);
        let mut share = 1.0f64;
        let mut bracket = [(0.0, line.steepest), (f64::INFINITY, 0.0)];
        for look in 0..LOOKS {
            let slope = self.slope(solve, &line, share);
            if line.is_flat(slope) || look + 1 == LOOKS || slope <= 0.0 && share >= 1.0 {
                break;
            }
            if slope > 0.0 || slope.is_nan() {
                bracket[1] = (share, slope);
            } else {
                bracket[0] = (share, slope);
            }
            let [(low, at_low), (high, at_high)] = bracket;
            let crossing = low + (high - low) * at_low / (at_low - at_high);
            share = match crossing.is_finite() {
                true => crossing.clamp(low + 0.1 * (high - low), high - 0.1 * (high - low)),
                false => low + 0.1 * (high - low),
            };
        }
        if share != 1.0 {
            solve.limits.share_prediction(share);
        }
    }

    /// The Lagrangian along the present moves from the search point.
    fn line(&self, solve: &mut Unified) -> Line {
        solve.base.multiply(&solve.moves, &mut solve.product);
        Line {
            steepest: -dot(&solve.downhill, &solve.moves),
            smooth: dot(&solve.smooth, &solve.moves),
            curvature: dot(&solve.product, &solve.moves),
        }
    }

    /// Its slope after a share of the moves from the saved place; the search point goes there.
    fn slope(&self, solve: &mut Unified, line: &Line, share: f64) -> f64 {
        let model = self.context.model;
        let (saved, moves) = (&solve.saved, &solve.moves);
        parallel::fill(&mut solve.search, |i| saved[i] + share * moves[i]);
        solve.limits.evaluate(model, &solve.search);
        let slopes = solve.rows.iter();
        let rows: f64 = slopes.map(|r| r.slope(&solve.search, &solve.moves)).sum();
        let limits = solve.limits.slope(model, &solve.moves);
        line.smooth + share * line.curvature + rows + limits
    }

    /// Asks the next Newton step for nothing but what the limits are missed by. Forces balance already, with the multipliers that
    /// were predicted: these are kept, and the little that is left of the balance is left alone. To answer to it would move cloth that
    /// buckles by far along what hardly resists, and by that miss the limits anew, from step to step. (The normal step of Byrd and
    /// Omojokun's composite steps.) Answers the norm of what is asked for (kg·m).
    pub(super) fn aim_at_limits(&self, solve: &mut Unified) -> f64 {
        solve.limits.keep();
        self.evaluate(solve, false);
        let Unified {
            downhill, balance, ..
        } = &mut *solve;
        parallel::for_each(downhill, |i, g| *g -= balance[i]);
        free_norm(&solve.downhill, self.context)
    }

    /// Takes such a step, and predicts the multipliers of the limits after it.
    pub(super) fn restore(&self, solve: &mut Unified) {
        let model = self.context.model;
        solve.limits.predict(model, &solve.moves);
        let Unified { search, moves, .. } = &mut *solve;
        parallel::for_each(search, |i, x| *x += moves[i]);
        solve.limits.evaluate(model, &solve.search);
    }
}
