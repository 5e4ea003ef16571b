//! The tightening sequence of the paper, with an active set.
//!
//! Targets fall from the worst violation to zero. At each, the constraints at or beyond it are linearised
//! where the cloth is, and the multipliers that bring them to the target follow from
//! `h² Ĵ W Ĵᵀ δλ = ĉ − target`. Two things are added to the paper. The bound `λ ≥ 0` is put on the *sum* of a
//! constraint's increments and solved for, not cut off; so an increment may take back what an earlier one
//! overdid, and in the end only constraints at their limit push. And the sequence may go on (`stationarity`):
//! the paper's increments each act along the directions of their own moment, so the sum is not the force of
//! the final shape. Following `r = x̂ − x − h² W J(x)ᵀλ` with a step `θ` that the curvature of the
//! constraints allows leads to the nearest positions within the limits, of which there is only one because
//! lengths are convex.

use super::constraint::Problem;
use super::multipliers::{Row, product, transposed};
use super::{InequalitySettings, SolveScratch};
use crate::limit::LimitReport;
use glam::DVec3;

/// Rows are solved to this part of the tolerance, so that four fifths of it are left for curvature.
const LINEAR_SHARE: f64 = 0.2;
/// Halvings of a step that makes the worst violation worse: to a sixteenth, which is then taken as it is.
const STEP_HALVINGS: u32 = 4;
/// A round that leaves more than this part of the violation has stopped helping: the limits cannot be met, as
/// between pins that are too far apart.
const STALLED: f64 = 0.98;

pub(super) fn solve(
    problem: &Problem,
    settings: &InequalitySettings,
    scratch: &mut SolveScratch,
    x: &mut [DVec3],
) -> LimitReport {
    let guessed = scratch.start_from_guess(problem, x);
    let first = problem.evaluate(x, &mut scratch.values);
    let mut report = LimitReport {
        iterations: 0,
        linear_iterations: 0,
        residual: first,
        least_multiplier: Some(0.0),
        converged: first <= settings.tolerance,
    };
    if (report.converged && !guessed) || !first.is_finite() {
        return report;
    }
    let mut stalled = 0;
    for iteration in 1..=settings.max_iterations {
        let left = 1.0 - f64::from(iteration) / f64::from(settings.levels.max(1));
        let target = first * left.max(0.0);
        let enough = report.residual <= settings.tolerance || stalled > 2;
        if enough && settings.stationarity.is_none() && (iteration > 1 || !guessed) {
            break;
        }
        collect(problem, settings, scratch, x, target);
        let away = scratch.find_residual(problem, x);
        let stationary = settings
            .stationarity
            .is_none_or(|s| away <= s * problem.unit);
        report.converged = report.residual <= settings.tolerance && stationary;
        if settings.stationarity.is_some() && (report.converged || stalled > 2) {
            break;
        }
        let share = settings
            .stationarity
            .map_or(0.0, |_| scratch.follow(problem, x));
        scratch.right_side(share, target);
        let accuracy = LINEAR_SHARE * settings.tolerance;
        let SolveScratch { rows, unknowns, .. } = &mut *scratch;
        report.linear_iterations += unknowns.solve(rows, accuracy, settings.max_linear_iterations);
        let before = report.residual;
        report.residual = scratch.advance(
            problem,
            x,
            share,
            target.max(before).max(settings.tolerance),
        );
        report.iterations = iteration;
        let useless = target == 0.0
            && report.residual > settings.tolerance
            && report.residual > STALLED * before;
        stalled = if useless { stalled + 1 } else { 0 };
    }
    report.converged = report.residual <= settings.tolerance
        && (report.converged || settings.stationarity.is_none());
    report
}

/// Rows of equations, of constraints that push already and of those at or beyond the target. A pull travels
/// one row of edges a round, from those that are violated to those that this will violate.
fn collect(
    problem: &Problem,
    settings: &InequalitySettings,
    scratch: &mut SolveScratch,
    x: &[DVec3],
    threshold: f64,
) {
    scratch.rows.clear();
    for constraint in 0..problem.count() {
        let (value, multiplier) = (scratch.values[constraint], scratch.multipliers[constraint]);
        let unbounded = problem.is_equal(constraint);
        if value >= threshold || multiplier != 0.0 || unbounded {
            let row = row(problem, constraint, value, x).map(|row| Row {
                regularisation: row.regularisation + settings.regularisation,
                ..row
            });
            scratch.rows.extend(row);
        }
    }
    let nodes = x.len();
    scratch.unknowns.resize(scratch.rows.len(), nodes);
    for (y, row) in scratch.unknowns.y.iter_mut().zip(&scratch.rows) {
        *y = scratch.multipliers[row.constraint as usize] * row.norm * problem.h * problem.h;
    }
}

/// `None` for a constraint between nodes that cannot move.
fn row(problem: &Problem, constraint: usize, value: f64, x: &[DVec3]) -> Option<Row> {
    let gradient = problem.gradient(constraint, x);
    let (mut along, mut space) = (0.0, 0.0);
    let mut gradients = gradient.at;
    for k in 0..2 {
        let node = gradient.nodes[k];
        let weight = problem.weights[node];
        space += weight * gradients[k].length_squared();
        gradients[k] = weight.sqrt() * problem.filters[node].apply(gradients[k]);
        along += gradients[k].length_squared();
    }
    // A node on a rail across its edge is not thrown along the rail: the curvature stands in for the slope.
    let curved = if constraint < problem.pairs.len() {
        (value.abs() / (1.0 + value).max(f64::MIN_POSITIVE)).min(1.0)
    } else {
        0.0
    };
    let square = along.max(curved * space);
    if square.is_nan() || square <= 0.0 {
        return None;
    }
    let norm = square.sqrt();
    Some(Row {
        constraint: constraint as u32,
        nodes: gradient.nodes.map(|n| n as u32),
        gradients: gradients.map(|g| g / norm),
        norm,
        regularisation: 1.0 - along / square,
        unbounded: problem.is_equal(constraint),
    })
}

impl SolveScratch {
    /// Moves as the multipliers that were given say; `false` if there are none.
    fn start_from_guess(&mut self, problem: &Problem, x: &mut [DVec3]) -> bool {
        let mut guessed = false;
        for constraint in 0..problem.count() {
            let multiplier = &mut self.multipliers[constraint];
            if !(problem.is_equal(constraint) || *multiplier > 0.0) || !multiplier.is_finite() {
                *multiplier = 0.0;
            }
            if *multiplier != 0.0 {
                guessed = true;
                let gradient = problem.gradient(constraint, problem.start);
                for k in 0..2 {
                    self.forces[gradient.nodes[k]] -= *multiplier * gradient.at[k];
                }
            }
        }
        for (node, x) in x.iter_mut().enumerate() {
            let mobility = problem.h * problem.h * problem.weights[node];
            *x += mobility * problem.filters[node].apply(self.forces[node]);
        }
        guessed
    }

    /// `r / √w = (x̂ − x) / √w − Ĝᵀ y` in `away`; answers the length of the largest `r` (m).
    fn find_residual(&mut self, problem: &Problem, x: &[DVec3]) -> f64 {
        transposed(&self.rows, &self.unknowns.y, &mut self.away);
        let mut worst = 0.0f64;
        for (node, away) in self.away.iter_mut().enumerate() {
            let root = problem.weights[node].sqrt();
            if root > 0.0 {
                *away = (problem.start[node] - x[node]) / root - *away;
                worst = worst.max(root * away.length());
            }
        }
        worst
    }

    /// How much of `r` a step may follow: against `h² W` the constraints have at most the curvature `κ`, the
    /// largest sum over a node of `2 h² w λ / (l (1 + α) l̄)`.
    fn follow(&mut self, problem: &Problem, x: &[DVec3]) -> f64 {
        self.curvatures.clear();
        self.curvatures.resize(x.len(), 0.0);
        for row in &self.rows {
            if let Some(pair) = problem.pairs.get(row.constraint as usize) {
                let [a, b] = pair.nodes.map(|n| n as usize);
                let multiplier = self.multipliers[row.constraint as usize].abs();
                let stiffness = multiplier / (x[a].distance(x[b]) * pair.longest);
                for node in [a, b] {
                    self.curvatures[node] +=
                        2.0 * problem.h * problem.h * problem.weights[node] * stiffness;
                }
            }
        }
        1.0 / (1.0 + self.curvatures.iter().fold(0.0f64, |a, &b| a.max(b)))
    }

    /// `b = (c − target) / norm + A y + share Ĝ (r / √w)`.
    fn right_side(&mut self, share: f64, target: f64) {
        self.before.clear();
        self.before.extend_from_slice(&self.unknowns.y);
        product(
            &self.rows,
            &self.before,
            &mut self.nodal,
            &mut self.unknowns.b,
        );
        for (row, b) in self.rows.iter().zip(&mut self.unknowns.b) {
            let value = self.values[row.constraint as usize];
            let goal = if row.unbounded {
                value.clamp(-target, target)
            } else {
                target
            };
            *b += (value - goal) / row.norm + share * row.dot(&self.away);
        }
    }

    /// Moves by `share r − h² W Jᵀ δλ`, or a half of it and so on if that makes the worst violation worse
    /// than `worst`, and not at all if nothing helps; answers what the violation is then.
    fn advance(&mut self, problem: &Problem, x: &mut [DVec3], share: f64, worst: f64) -> f64 {
        for (before, y) in self.before.iter_mut().zip(&self.unknowns.y) {
            *before = y - *before;
        }
        transposed(&self.rows, &self.before, &mut self.nodal);
        for (node, step) in self.nodal.iter_mut().enumerate() {
            *step = problem.weights[node].sqrt() * (share * self.away[node] - *step);
        }
        let mut part = 1.0;
        let mut residual = f64::INFINITY;
        self.origin.clear();
        self.origin.extend_from_slice(x);
        for halving in 0..=STEP_HALVINGS {
            part = 0.5f64.powi(halving as i32);
            for node in 0..x.len() {
                x[node] = self.origin[node] + part * self.nodal[node];
            }
            residual = problem.evaluate(x, &mut self.values);
            if residual <= worst {
                break;
            }
        }
        if residual.is_nan() || residual > worst {
            x.copy_from_slice(&self.origin);
            return problem.evaluate(x, &mut self.values);
        }
        for (k, row) in self.rows.iter().enumerate() {
            let constraint = row.constraint as usize;
            let per_unknown = 1.0 / (row.norm * problem.h * problem.h);
            let change = part * self.before[k] * per_unknown;
            // From the unknown itself where the step was whole: one at its bound is 0 then and not nearly 0.
            let y = self.unknowns.y[k] - (1.0 - part) * self.before[k];
            self.multipliers[constraint] = y * per_unknown;
            let gradient = problem.gradient(constraint, &self.origin);
            for k in 0..2 {
                self.forces[gradient.nodes[k]] -= change * gradient.at[k];
            }
        }
        residual
    }
}
