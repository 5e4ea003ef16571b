//! Interior points: the logarithmic barrier and the primal–dual method (Boyd and Vandenberghe 2004, chapter
//! 11).
//!
//! With slacks `z > 0`, `c(x) + z = 0` and a weight `μ → 0` both look for `M (x − x̂) / h² + Jᵀλ = 0` with
//! `λ_i z_i = μ`, by Newton steps
//!
//! `(M / h² + Σ λ_i ∇²c_i + Jᵀ S J) Δx = −M (x − x̂) / h² − Jᵀ(μ / z + S (c + z))`, `Δz = −(c + z) − J Δx`,
//!
//! a symmetric positive definite system over the nodes. They differ in one place: the barrier takes
//! `λ = μ / z` and so `S = μ / z²`, the primal–dual method has multipliers of its own, `S = λ / z` and
//! `Δλ = μ / z − λ + S (c + z + J Δx)`. Slacks let both start where the limits are violated, as candidate
//! positions always are.

use super::constraint::Problem;
use super::{InequalitySettings, InequalitySolver, SolveScratch};
use crate::limit::LimitReport;
use crate::linalg::{BlockMatrix, BlockPattern, LinearSolver, SolveSettings, SystemSolver};
use glam::{DMat3, DVec3};
use std::sync::Arc;

/// Steps stop at this part of the way to the boundary (fraction-to-the-boundary rule; 0.9 to 0.995 are usual,
/// Nocedal & Wright 2006, section 19.2).
const TO_BOUNDARY: f64 = 0.95;
/// By what the weight of the barrier falls from one centre to the next; smaller factors need more Newton
/// steps for each. A matter of cost, the last weight decides the result.
const REDUCTION: f64 = 0.1;
/// Slacks that change by less than this part of themselves have settled; Newton's next error is its square.
const CENTRED: f64 = 1e-3;
/// Newton steps of the barrier for one weight, at the most.
const CENTRING: u32 = 8;

/// Memory of the interior point solvers.
#[derive(Debug)]
pub(super) struct Interior {
    pattern: Arc<BlockPattern>,
    matrix: BlockMatrix,
    solver: SystemSolver,
    slack: Vec<f64>,
    slack_step: Vec<f64>,
    multiplier_step: Vec<f64>,
    right_side: Vec<DVec3>,
    step: Vec<DVec3>,
}

impl Interior {
    fn new(pattern: &Arc<BlockPattern>) -> Self {
        let rows = pattern.rows();
        Interior {
            pattern: pattern.clone(),
            matrix: BlockMatrix::new(pattern.clone()),
            solver: SystemSolver::new(pattern, LinearSolver::Direct),
            slack: Vec::new(),
            slack_step: Vec::new(),
            multiplier_step: Vec::new(),
            right_side: vec![DVec3::ZERO; rows],
            step: vec![DVec3::ZERO; rows],
        }
    }
}

pub(super) fn solve(
    problem: &Problem,
    settings: &InequalitySettings,
    pattern: &Arc<BlockPattern>,
    scratch: &mut SolveScratch,
    x: &mut [DVec3],
) -> LimitReport {
    let kept = scratch.interior.take();
    let kept = kept.filter(|kept| Arc::ptr_eq(&kept.pattern, pattern));
    let mut interior = kept.unwrap_or_else(|| Box::new(Interior::new(pattern)));
    let report = interior.run(problem, settings, scratch, x);
    scratch.interior = Some(interior);
    report
}

impl Interior {
    fn run(
        &mut self,
        problem: &Problem,
        settings: &InequalitySettings,
        scratch: &mut SolveScratch,
        x: &mut [DVec3],
    ) -> LimitReport {
        let worst = problem.evaluate(x, &mut scratch.values);
        let mut report = LimitReport {
            iterations: 0,
            linear_iterations: 0,
            residual: worst,
            least_multiplier: None,
            converged: worst <= settings.tolerance,
        };
        if report.converged || !worst.is_finite() || problem.weights.iter().all(|&w| w == 0.0) {
            return report;
        }
        let own_multipliers = settings.solver == InequalitySolver::PrimalDual;
        // The multiplier of one edge that is violated by `worst`, all by itself.
        let scale = typical_multiplier(problem, worst);
        let last_weight = 0.1 * settings.tolerance * scale;
        let mut weight = (0.1 * worst * scale).max(last_weight);
        self.start(scratch, worst, weight);
        let mut inner = 0;
        while report.iterations < settings.max_iterations {
            self.assemble(problem, scratch, x, weight, own_multipliers);
            let Some(iterations) = self.newton(problem) else {
                break;
            };
            report.iterations += 1;
            report.linear_iterations += iterations;
            let (moved, change) = self.advance(problem, scratch, x, weight, own_multipliers);
            report.residual = problem.evaluate(x, &mut scratch.values);
            let near = moved <= settings.tolerance * problem.unit && change <= CENTRED;
            if near && weight <= last_weight && report.residual <= settings.tolerance {
                report.converged = true;
                break;
            }
            inner += 1;
            if own_multipliers {
                let pairs = self.slack.iter().zip(&scratch.multipliers);
                let mean = pairs.map(|(z, l)| z * l).sum::<f64>() / self.slack.len() as f64;
                weight = (REDUCTION * mean).clamp(REDUCTION * last_weight, weight);
            } else if inner >= CENTRING || change <= 0.5 {
                weight = (REDUCTION * weight).max(REDUCTION * last_weight);
                inner = 0;
            }
        }
        finish(problem, scratch, x);
        report
    }

    fn start(&mut self, scratch: &mut SolveScratch, worst: f64, weight: f64) {
        let count = scratch.values.len();
        self.slack.clear();
        let slacks = scratch.values.iter().map(|c| (-c).max(0.1 * worst));
        self.slack.extend(slacks);
        self.slack_step.resize(count, 0.0);
        self.multiplier_step.resize(count, 0.0);
        for (multiplier, slack) in scratch.multipliers.iter_mut().zip(&self.slack) {
            *multiplier = weight / slack;
        }
    }

    /// The matrix and the right side of the Newton step.
    fn assemble(
        &mut self,
        problem: &Problem,
        scratch: &SolveScratch,
        x: &[DVec3],
        weight: f64,
        own_multipliers: bool,
    ) {
        self.matrix.lower.fill(DMat3::ZERO);
        for (node, &w) in problem.weights.iter().enumerate() {
            let mass = if w > 0.0 {
                1.0 / (w * problem.h * problem.h)
            } else {
                1.0
            };
            self.matrix.diagonal[node] = DMat3::from_diagonal(DVec3::splat(mass));
            self.right_side[node] = mass * (problem.start[node] - x[node]);
        }
        for constraint in 0..problem.count() {
            let (z, multiplier) = (self.slack[constraint], scratch.multipliers[constraint]);
            let stiffness = stiffness(z, multiplier, weight, own_multipliers);
            let push = weight / z + stiffness * (scratch.values[constraint] + z);
            let gradient = problem.gradient(constraint, x);
            let [a, b] = gradient.nodes;
            for k in 0..2 {
                self.right_side[gradient.nodes[k]] -= push * gradient.at[k];
            }
            let g = gradient.at[0];
            let mut block = DMat3::from_cols(g * g.x, g * g.y, g * g.z) * stiffness;
            if let Some(curvature) = problem.curvature(constraint, x) {
                block += curvature * multiplier;
            }
            self.matrix.diagonal[a] += block;
            if a != b {
                self.matrix.diagonal[b] += block;
                if let Some(slot) = self.pattern.find([a as u32, b as u32]) {
                    self.matrix.lower[slot] -= block;
                }
            }
        }
    }

    /// Solves for the step; `None` if that is not possible.
    fn newton(&mut self, problem: &Problem) -> Option<u32> {
        self.step.fill(DVec3::ZERO);
        if !self.solver.factor(&self.matrix, problem.filters) {
            return None;
        }
        let norm = crate::parallel::dot(&self.right_side, &self.right_side).sqrt();
        let accuracy = SolveSettings {
            residual: 1e-10 * norm,
            iterations: 1000,
        };
        let outcome = self.solver.solve(
            &self.matrix,
            &self.right_side,
            problem.filters,
            &mut self.step,
            accuracy,
        );
        let finite = self.step.iter().all(|s| s.is_finite());
        finite.then_some(outcome.iterations)
    }

    /// Goes as far along the step as slacks and multipliers stay positive; answers the longest way (m) the
    /// whole step would lead and the largest relative change of a slack.
    fn advance(
        &mut self,
        problem: &Problem,
        scratch: &mut SolveScratch,
        x: &mut [DVec3],
        weight: f64,
        own_multipliers: bool,
    ) -> (f64, f64) {
        let (mut part, mut multiplier_part, mut largest) = (1.0f64, 1.0f64, 0.0f64);
        for constraint in 0..problem.count() {
            let (z, multiplier) = (self.slack[constraint], scratch.multipliers[constraint]);
            let gradient = problem.gradient(constraint, x);
            let change: f64 = (0..2)
                .map(|k| gradient.at[k].dot(self.step[gradient.nodes[k]]))
                .sum();
            let ahead = scratch.values[constraint] + z + change;
            let stiffness = stiffness(z, multiplier, weight, own_multipliers);
            let (dz, dm) = (-ahead, weight / z - multiplier + stiffness * ahead);
            (
                self.slack_step[constraint],
                self.multiplier_step[constraint],
            ) = (dz, dm);
            largest = largest.max((dz / z).abs());
            if dz < 0.0 {
                part = part.min(-TO_BOUNDARY * z / dz);
            }
            if own_multipliers && dm < 0.0 {
                multiplier_part = multiplier_part.min(-TO_BOUNDARY * multiplier / dm);
            }
        }
        for constraint in 0..problem.count() {
            self.slack[constraint] += part * self.slack_step[constraint];
            let multiplier = &mut scratch.multipliers[constraint];
            if own_multipliers {
                *multiplier += multiplier_part * self.multiplier_step[constraint];
            } else {
                *multiplier = weight / self.slack[constraint];
            }
        }
        for (x, step) in x.iter_mut().zip(&self.step) {
            *x += part * *step;
        }
        let moved = self.step.iter().map(|s| s.length()).fold(0.0, f64::max);
        (moved, largest)
    }
}

/// `S`, the weight of `JᵀJ`.
fn stiffness(slack: f64, multiplier: f64, weight: f64, own_multipliers: bool) -> f64 {
    if own_multipliers {
        multiplier / slack
    } else {
        weight / (slack * slack)
    }
}

fn typical_multiplier(problem: &Problem, worst: f64) -> f64 {
    let weights = problem.weights.iter().filter(|&&w| w > 0.0);
    let (sum, count) = weights.fold((0.0, 0.0), |(s, n), w| (s + w, n + 1.0));
    worst * problem.unit * problem.unit * count / (2.0 * sum * problem.h * problem.h)
}

/// The forces of the limits at the end.
fn finish(problem: &Problem, scratch: &mut SolveScratch, x: &[DVec3]) {
    for constraint in 0..problem.count() {
        let gradient = problem.gradient(constraint, x);
        for k in 0..2 {
            scratch.forces[gradient.nodes[k]] -= scratch.multipliers[constraint] * gradient.at[k];
        }
    }
}
