//! Limits of fine meshes: the method of multipliers.
//!
//! The task is that of a [projection](super::projection): the nearest positions, in the norm of the masses,
//! at which equations `C(x) = 0` or inequalities `C(x) ≤ 0` hold,
//!
//! `min ½ (x − x̂)ᵀ M (x − x̂)` with `C(x) = 0`.
//!
//! A projection factors `J W Jᵀ`, which on fine meshes costs too much and converges too slowly: it knows
//! nothing of how `J` turns when nodes move sideways, and cloth under tension moves sideways all the time.
//! Here each constraint is a spring with a force of its own (Hestenes 1969, Powell 1969; for inequalities
//! Rockafellar 1973). With multipliers `λ` and stiffnesses `k`,
//!
//! `L(x) = ½ (x − x̂)ᵀ M (x − x̂) + Σ (t² − λ²) / 2k`, `t = λ + k C(x)`, for an inequality not below 0.
//!
//! Each iteration is one step of Newton's method on `L`, with the matrix
//!
//! `H = M + Σ k ∇C ∇Cᵀ + Σ max(t, 0) ∇²C`,
//!
//! taken as far along its line as `L` falls: stress that pushes is left out of `H`, which makes it too stiff
//! where cloth is crumpled, and long steps meet the fourth order of `L`, for which it is too soft. Where `L`
//! hardly falls any more and the constraints do not hold yet, `λ = t` is set. `H` has the pattern of the mesh
//! and no entries but those of stiff springs, for which [`SystemSolver`] is made; its last term is the
//! stiffness of taut cloth against moving sideways. A pattern of strain whose share of `J W Jᵀ` is `μ` is
//! left with `1 / (1 + kμ)` of its violation for each change of `λ`. Long patterns have the smallest `μ`, and
//! it falls with the square of the nodes across; so `k` grows with the number of nodes, and the changes stay
//! few at any size of mesh.
//!
//! **From step to step.** The forces of a moment ago are a very good guess: most steps need no other `λ` than
//! that of the last, and one or two steps of Newton's method from where the nodes were. What is handed on is
//! the multiplier that the last of them predicts, `λ + k (C + J Δ)`, and not `λ + k C`: the second order of
//! `C` is not a force. The caller keeps it ([`State`](crate::state::State)).
//!
//! **Inequalities** count in the matrix, though not in the gradient, when they are nearly in force
//! ([`NEAR`]). Otherwise slack cloth would be moved as if it could never become taut, and most of each step
//! would have to be taken back.
//!
//! Lengths are convex functions. So for inequalities `L` is convex, its minimum is the only one, and the
//! method converges whatever the start. Equations that contradict each other (pins pulled apart) let `λ` grow
//! without an end; the iterations end first, positions stay in between, and what is handed on does not grow
//! any more.
//!
//! **Momentum.** The exact answer `x̂ − W Jᵀλ` has the momentum of `x̂`, linear and, about `x`, angular. An
//! iteration that is not finished has not quite; for cloth that nothing holds what is wrong is a rigid
//! motion, which changes no constraint and is taken out.
//!
//! **Obstacles** are inequalities of one node each, with friction as a force `τ` along them, `|τ| ≤ μ t`; see
//! [`obstacles`].

mod assembly;
mod obstacles;
#[cfg(test)]
mod tests;

use super::constraints::Constraints;
use super::{LimitReport, LimitStep, Obstacle};
use crate::linalg::{BlockMatrix, Filter, LinearSolver, Outcome, SolveSettings, SystemSolver};
use crate::parallel;
use assembly::NEARLY_ACTIVE;
pub(crate) use assembly::{Rows, Wiring, for_each_pair};
use glam::{DMat3, DVec3};
use obstacles::NodeObstacle;
use std::ops::Range;

/// How exactly to work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LagrangianSettings {
    /// Worst violation that is left, relative.
    pub tolerance: f64,
    /// Newton steps at the most.
    pub max_iterations: u32,
    /// Stiffness of the constraints, relative to that at which a constraint by itself would lose half of its
    /// violation in an iteration, for each node of the cloth.
    pub stiffness: f64,
    /// What a linear solve must leave of its residual.
    pub linear_tolerance: f64,
    /// An iteration has found the minimum when `L` fell as much as its quadratic model said, but for this
    /// part of the largest fall, and no inequality leaves an edge shorter by twice this part than it has to
    /// be. Positions that merely satisfy the constraints are not enough: slack cloth would be held up.
    pub exactness: f64,
}

impl Default for LagrangianSettings {
    fn default() -> Self {
        LagrangianSettings {
            tolerance: 1e-3,
            max_iterations: 30,
            stiffness: 16.0,
            linear_tolerance: 5e-2,
            exactness: 5e-3,
        }
    }
}

/// Iterations of the linear solver at the most, in one step of Newton's method. What it has reached by then
/// is a descent direction still.
const LINEAR_ITERATIONS: u32 = 300;
/// Shares of a Newton step that are tried in the line search, at the most.
const LOOKS: u32 = 8;
/// How much farther, or less far, the next share may be: bounds the secant where it is flat.
const SHARE_RANGE: f64 = 4.0;
/// A step that went less far says nothing of how near the minimum is.
const LARGE_SHARE: f64 = 0.5;
/// A share is good when the best is within this part of it.
const NEAR_ENOUGH: f64 = 0.3;
/// Relative violations above this at the end mean that the constraints cannot hold at all; smaller ones are
/// only slow to go. Pins pulled apart by more than a twentieth are the case meant
/// (`limit/lagrangian/tests.rs`).
const HOPELESS: f64 = 0.05;
/// Relative differences of the augmented Lagrangian that are rounding of its sum.
const MERIT_ROUNDING: f64 = 1e-12;
/// Falls of `L` are compared with no less than this part of the inertia term of the step, so that cloth at
/// rest is not solved to the last digit.
const LEAST_MERIT_SHARE: f64 = 1e-2;
/// `L` hardly falls any more when an iteration takes less than this part of it away; then multipliers are
/// updated. A matter of cost.
const HARDLY: f64 = 0.1;

/// Brings candidates to where constraints hold, by multipliers.
#[derive(Clone, Debug)]
pub struct Lagrangian<C> {
    constraints: C,
    settings: LagrangianSettings,
    nodes: Range<usize>,
    wiring: Wiring,
}

/// What a [`Lagrangian`] works in. What it holds from before does not change any result.
#[derive(Debug)]
pub struct LagrangianScratch {
    rows: Rows,
    matrix: BlockMatrix,
    solver: SystemSolver,
    filters: Vec<Filter>,
    masses: Vec<f64>,
    /// Candidates as they came.
    start: Vec<DVec3>,
    saved: Vec<DVec3>,
    downhill: Vec<DVec3>,
    moves: Vec<DVec3>,
    touches: Vec<NodeObstacle>,
    /// What obstacles pushed nodes by in the last call: node and impulse (kg·m).
    pushes: Vec<(u32, DVec3)>,
}

impl LagrangianScratch {
    pub(in crate::limit) fn pushes(&self, add: &mut dyn FnMut(u32, DVec3)) {
        for &(node, push) in &self.pushes {
            add(node, push);
        }
    }
}

impl<C: Constraints> Lagrangian<C> {
    /// How it works.
    pub fn settings(&self) -> &LagrangianSettings {
        &self.settings
    }

    /// Prepares for some constraints: the pattern of the matrix and what adds up to each block of it.
    pub fn new(constraints: C, settings: LagrangianSettings) -> Self {
        Lagrangian {
            nodes: constraints.node_range(),
            wiring: Wiring::new(&constraints),
            constraints,
            settings,
        }
    }

    /// The constraints.
    pub fn constraints(&self) -> &C {
        &self.constraints
    }

    /// Scratch memory.
    pub fn scratch(&self) -> LagrangianScratch {
        let nodes = self.nodes.len();
        let pattern = &self.wiring.pattern;
        LagrangianScratch {
            rows: Rows::new(&self.wiring),
            matrix: BlockMatrix::new(pattern.clone()),
            solver: SystemSolver::new(pattern, LinearSolver::Auto),
            filters: vec![Filter::Free; nodes],
            masses: vec![0.0; nodes],
            start: vec![DVec3::ZERO; nodes],
            saved: vec![DVec3::ZERO; nodes],
            downhill: vec![DVec3::ZERO; nodes],
            moves: vec![DVec3::ZERO; nodes],
            touches: Vec::new(),
            pushes: Vec::new(),
        }
    }

    /// How many multipliers there are.
    pub fn memory(&self) -> usize {
        self.constraints.count()
    }

    /// Moves candidate positions (m) of the whole world until the constraints hold. `residual` of the report
    /// is the worst violation. `forces` are the multipliers of the step before (N·m, one for each constraint,
    /// 0 if there was none) and then of this.
    pub fn apply(
        &self,
        step: &LimitStep,
        obstacles: &[Obstacle],
        forces: &mut [f64],
        scratch: &mut LagrangianScratch,
        positions: &mut [DVec3],
    ) -> LimitReport {
        self.prepare(step, obstacles, scratch, positions);
        let mut report = LimitReport {
            iterations: 0,
            linear_iterations: 0,
            residual: 0.0,
            least_multiplier: None,
            converged: false,
        };
        self.linearise(scratch, positions);
        scratch
            .rows
            .stiffen(&self.wiring, &scratch.masses, self.stiffness());
        scratch
            .rows
            .load(&self.constraints, forces, step.h * step.h);
        self.go_back(step, scratch, positions);
        let mut found = self.linearise(scratch, positions);
        let mut merit = self.merit(scratch, positions);
        // At rest, steps of Newton's method move nothing but rounding. What matters there is measured by the
        // weight.
        let mut scale = LEAST_MERIT_SHARE * self.inertia(scratch, positions);
        while report.iterations < self.settings.max_iterations {
            report.iterations += 1;
            let Some(solved) = self.newton_step(scratch, positions) else {
                if report.iterations == 1 {
                    positions[self.nodes.clone()].copy_from_slice(&scratch.start);
                    found = self.linearise(scratch, positions);
                }
                break;
            };
            report.linear_iterations += solved.iterations;
            scratch.rows.predict(&self.wiring, &scratch.moves);
            let before = merit;
            let foreseen = 0.5 * parallel::dot(&scratch.downhill, &scratch.moves);
            scale = scale.max(foreseen);
            let share;
            (found, merit, share) = self.search(scratch, positions, before, -2.0 * foreseen);
            let settled = (before - merit - foreseen).abs() <= self.settings.exactness * scale
                && !obstacles::changed(&scratch.touches, &scratch.start, self.local(positions));
            if share == 0.0 || solved.converged && settled && self.holds(scratch, found) {
                break;
            }
            if share >= LARGE_SHARE && before - merit < HARDLY * before.abs() {
                scratch.rows.keep_multipliers(&self.wiring);
                obstacles::keep_multipliers(
                    &mut scratch.touches,
                    &scratch.start,
                    self.local(positions),
                );
                merit = self.merit(scratch, positions);
            }
        }
        report.residual = found;
        report.converged = found <= self.settings.tolerance;
        let (square, hopeless) = (step.h * step.h, found > HOPELESS);
        scratch
            .rows
            .store(&self.constraints, hopeless, forces, square);
        scratch.pushes.clear();
        let here = self.local(positions);
        let pushes = obstacles::pushes(&scratch.touches, &scratch.start, here);
        let pushes = pushes.filter(|(_, push)| *push != DVec3::ZERO);
        scratch.pushes.extend(pushes);
        self.keep_momentum(scratch, positions);
        report.least_multiplier = self.least_multiplier(scratch);
        report
    }

    /// Whether the constraints hold and no inequality pulls that need not.
    fn holds(&self, scratch: &LagrangianScratch, worst: f64) -> bool {
        worst <= self.settings.tolerance
            && scratch.rows.slack(&self.wiring) <= 2.0 * self.settings.exactness
    }

    fn stiffness(&self) -> f64 {
        self.settings.stiffness * self.nodes.len() as f64
    }

    /// Begins where the step began, with what is held already where it is going: what was taut then is so
    /// still.
    fn go_back(&self, step: &LimitStep, scratch: &LagrangianScratch, positions: &mut [DVec3]) {
        if step.start.is_empty() {
            return;
        }
        let here = positions[self.nodes.clone()]
            .iter_mut()
            .zip(&scratch.filters);
        for ((position, filter), start) in here.zip(&step.start[self.nodes.clone()]) {
            *position = filter.constrain(*position, *start);
        }
    }

    fn local<'a>(&self, positions: &'a [DVec3]) -> &'a [DVec3] {
        &positions[self.nodes.clone()]
    }

    fn prepare(
        &self,
        step: &LimitStep,
        obstacles: &[Obstacle],
        scratch: &mut LagrangianScratch,
        positions: &[DVec3],
    ) {
        for (local, node) in self.nodes.clone().enumerate() {
            let weight = step.inverse_masses[node];
            let movable = weight > 0.0 && weight.is_finite();
            scratch.masses[local] = if movable { 1.0 / weight } else { 1.0 };
            scratch.filters[local] = if movable {
                step.filters[node]
            } else {
                Filter::Held
            };
        }
        scratch.start.copy_from_slice(self.local(positions));
        obstacles::find(
            obstacles,
            &self.nodes,
            &scratch.masses,
            &mut scratch.touches,
        );
    }

    /// Works out values and gradients at some positions; answers with the worst violation.
    fn linearise(&self, scratch: &mut LagrangianScratch, positions: &[DVec3]) -> f64 {
        let rows = &mut scratch.rows;
        rows.linearise(&self.constraints, &self.wiring, positions)
    }

    /// `L` at the positions that the rows were linearised at.
    fn merit(&self, scratch: &LagrangianScratch, positions: &[DVec3]) -> f64 {
        let touches = obstacles::merit(&scratch.touches, &scratch.start, self.local(positions));
        self.inertia(scratch, positions) + scratch.rows.merit(&self.wiring) + touches
    }

    /// `½ (x − x̂)ᵀ M (x − x̂)`
    fn inertia(&self, scratch: &LagrangianScratch, positions: &[DVec3]) -> f64 {
        let here = self.local(positions);
        parallel::sum(here.len(), |i| {
            0.5 * scratch.masses[i] * (here[i] - scratch.start[i]).length_squared()
        })
    }

    /// Works out the moves of one step of Newton's method; answers with how the linear solve ended, or `None`
    /// if there is no such step.
    fn newton_step(&self, scratch: &mut LagrangianScratch, positions: &[DVec3]) -> Option<Outcome> {
        let here = self.local(positions);
        let (masses, start) = (&scratch.masses, &scratch.start);
        scratch
            .rows
            .weigh(&self.constraints, &self.wiring, NEARLY_ACTIVE);
        let rows = &scratch.rows;
        parallel::fill(&mut scratch.downhill, |i| {
            masses[i] * (start[i] - here[i]) - rows.gradient(&self.wiring, i)
        });
        let matrix = &mut scratch.matrix;
        parallel::fill(&mut matrix.diagonal, |i| {
            DMat3::from_diagonal(DVec3::splat(masses[i])) + rows.diagonal(&self.wiring, i)
        });
        parallel::fill(&mut matrix.lower, |b| rows.block(&self.wiring, b));
        obstacles::add(
            &mut scratch.touches,
            start,
            here,
            &mut scratch.downhill,
            matrix,
        );
        if !scratch.solver.factor(matrix, &scratch.filters) {
            return None;
        }
        scratch.moves.fill(DVec3::ZERO);
        let free = scratch.downhill.iter().zip(&scratch.filters);
        let unbalanced: f64 = free.map(|(d, f)| f.apply(*d).length_squared()).sum();
        let settings = SolveSettings {
            residual: self.settings.linear_tolerance * unbalanced.sqrt(),
            iterations: LINEAR_ITERATIONS,
        };
        let matrix = &scratch.matrix;
        let (b, x) = (&scratch.downhill, &mut scratch.moves);
        let solved = scratch
            .solver
            .solve(matrix, b, &scratch.filters, x, settings);
        solved.residual.is_finite().then_some(solved)
    }

    /// Goes along the moves to where `L` is least, as far as a few looks tell; answers with the worst
    /// violation there, `L`, and the share. `slope` is that of `L` at the start of the whole step.
    fn search(
        &self,
        scratch: &mut LagrangianScratch,
        positions: &mut [DVec3],
        merit: f64,
        slope: f64,
    ) -> (f64, f64, f64) {
        scratch.saved.copy_from_slice(self.local(positions));
        let mut best = (0.0, merit, 0.0);
        let mut share = 1.0;
        for _ in 0..LOOKS {
            let worst = self.go(scratch, positions, share);
            let reached = self.merit(scratch, positions);
            let here = (worst, reached, share);
            let better = reached <= best.1 + MERIT_ROUNDING * best.1.abs();
            if better {
                best = here;
            }
            // The parabola with this slope through both values is lowest here.
            let curvature = (reached - merit) / share - slope;
            let lowest = match curvature {
                c if c.is_nan() => 0.0,
                c if c <= 0.0 => f64::INFINITY,
                c => -0.5 * slope * share / c,
            };
            let next = lowest.clamp(share / SHARE_RANGE, share * SHARE_RANGE);
            if better && (next / share - 1.0).abs() <= NEAR_ENOUGH || !better && best.2 > 0.0 {
                break;
            }
            share = next;
        }
        if best.2 != share {
            best.0 = self.go(scratch, positions, best.2);
        }
        best
    }

    /// Goes a share of the moves; answers with the worst violation there.
    fn go(&self, scratch: &mut LagrangianScratch, positions: &mut [DVec3], share: f64) -> f64 {
        let here = &mut positions[self.nodes.clone()];
        let steps = scratch.saved.iter().zip(&scratch.moves);
        for (position, (from, step)) in here.iter_mut().zip(steps) {
            *position = *from + share * *step;
        }
        self.linearise(scratch, positions)
    }

    /// Takes the rigid motion out of what was done to cloth that nothing holds.
    fn keep_momentum(&self, scratch: &mut LagrangianScratch, positions: &mut [DVec3]) {
        let free = |f: &Filter| *f == Filter::Free;
        if !scratch.filters.iter().all(free) || !scratch.pushes.is_empty() {
            return;
        }
        let here = &mut positions[self.nodes.clone()];
        // Once for the motion, and again for the little that turning has moved the points that momentum is
        // about.
        for _ in 0..3 {
            let steps = here.iter().zip(&scratch.start);
            for (step, (position, start)) in scratch.moves.iter_mut().zip(steps) {
                *step = *position - *start;
            }
            let motion = rigid_motion(&scratch.masses, here, &scratch.moves);
            for position in here.iter_mut() {
                *position -= motion.at(*position);
            }
        }
    }

    fn least_multiplier(&self, scratch: &LagrangianScratch) -> Option<f64> {
        let edges = scratch.rows.least_multiplier(&self.constraints);
        let touches = scratch.touches.iter().filter_map(NodeObstacle::multiplier);
        edges.into_iter().chain(touches).reduce(f64::min)
    }
}

/// A small rigid motion about a point.
struct RigidMotion {
    centre: DVec3,
    shift: DVec3,
    turn: DVec3,
}

impl RigidMotion {
    fn at(&self, position: DVec3) -> DVec3 {
        self.shift + self.turn.cross(position - self.centre)
    }
}

/// The rigid motion that takes the linear and angular momentum out of some moves to these positions. Turning
/// them by `−ω` leaves `Σ m r × Δ − Σ m ((r·s) I − r sᵀ) ω` of the moment about the centre, with `r` the arms
/// now and `s = r − Δ` those before.
fn rigid_motion(masses: &[f64], positions: &[DVec3], moves: &[DVec3]) -> RigidMotion {
    let total: f64 = masses.iter().sum();
    let mean = |values: &[DVec3]| {
        let sum: DVec3 = values.iter().zip(masses).map(|(v, m)| *m * *v).sum();
        sum / total
    };
    let (centre, shift) = (mean(positions), mean(moves));
    let (mut inertia, mut spin) = (DMat3::ZERO, DVec3::ZERO);
    for ((position, step), mass) in positions.iter().zip(moves).zip(masses) {
        let (arm, change) = (*position - centre, *step - shift);
        let before = arm - change;
        let product = DMat3::from_diagonal(DVec3::splat(arm.dot(before)));
        let outer = DMat3::from_cols(arm * before.x, arm * before.y, arm * before.z);
        inertia += *mass * (product - outer);
        spin += *mass * arm.cross(change);
    }
    // Cloth on a straight line cannot be turned about it.
    let invertible = inertia.determinant() > 1e-12 * inertia.x_axis.length().powi(3);
    RigidMotion {
        centre,
        shift,
        turn: if invertible {
            inertia.inverse() * spin
        } else {
            DVec3::ZERO
        },
    }
}
