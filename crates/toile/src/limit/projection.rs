//! Fast projection: the nearest positions, in the norm of the masses, at which equations hold.
//!
//! Goldenthal et al. (2007), as Coltraro et al. (2022, section 7) use it. The candidates `x₀` of a step are
//! moved to the solution of `min (x − x₀)ᵀ M (x − x₀)` with `C(x) = 0` by a sequence of quadratic programs
//! with linear constraints: each iteration solves
//!
//! `(J W Jᵀ) λ = C(x)`, `Δx = −W Jᵀ λ`
//!
//! with `J` and `C` at the present positions and `W` the inverse masses in the directions that the filters
//! leave. It stops when the worst `|C|` is below the tolerance; constraints are dimensionless, so that is the
//! relative violation.
//!
//! **The factor** of `J W Jᵀ` costs more than all else, but it pays to make a new one in each iteration. It
//! can be kept for all iterations of a step ([`Reuse::Step`]): `J` and `C` are always those of the present
//! positions, so what is converged to is as exact. But hanging cloth is nearly flat, where some equations can
//! hardly be told apart; what tells them apart changes fast, and an old factor gains little there
//! (`benches/projection.rs` measures both). Nothing is kept from step to step, so a resumed run gives the
//! same bits.
//!
//! **Equations that depend on each other** (the metric of a flat sheet, edges between held nodes) make
//! `J W Jᵀ` singular. Its diagonal is enlarged by a small part of itself; the multipliers of what cannot be
//! told apart then share the work. The first iterations may overshoot. From then on, one that does not reduce
//! the violation, because pins are pulled farther apart than the cloth is long, is taken back and tried again
//! with a larger part (Levenberg and Marquardt). If the tolerance is not met, the best positions found are
//! the answer: they are finite, and the report says what is left.
//!
//! **Contact** ([`Obstacle`]): `gap + n·Δ ≥ 0` joins the same program (Signorini), see [`contact`].

mod contact;
mod order;
mod plan;
#[cfg(test)]
mod tests;

pub use contact::Obstacle;

use super::constraints::{Constraints, Gradient, LANES};
use super::{LimitReport, LimitStep};
use crate::linalg::Filter;
use crate::linalg::factor::Factor;
use crate::linalg::lanes::run;
use contact::ObstacleContact;
use glam::DVec3;
use plan::{Plan, Scatter};
use thiserror::Error;

/// How long a factor is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Reuse {
    /// For one iteration: Newton's method.
    #[default]
    Iteration,
    /// For all iterations of a step, as long as they converge quickly.
    Step,
}

/// How exactly to project.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProjectionSettings {
    /// Worst violation that is left, relative: 10⁻³ is a length that is wrong by half a thousandth.
    pub tolerance: f64,
    /// Iterations at most. Two or three are usual; but a step that misses leaves the next one a worse start,
    /// so there should be enough for the worst.
    pub max_iterations: u32,
    /// How long a factor is kept.
    pub reuse: Reuse,
    /// The part of itself by which the diagonal is enlarged.
    pub damping: f64,
}

impl Default for ProjectionSettings {
    fn default() -> Self {
        ProjectionSettings {
            tolerance: 1e-3,
            max_iterations: 100,
            reuse: Reuse::Iteration,
            damping: 1e-8,
        }
    }
}

impl ProjectionSettings {
    pub(super) fn check(&self) -> Result<(), ProjectionError> {
        let check = |name, value: f64, good: bool, must| match good {
            true => Ok(()),
            false => Err(ProjectionError::Setting { name, value, must }),
        };
        let (tolerance, damping) = (self.tolerance, self.damping);
        let positive = tolerance.is_finite() && tolerance > 0.0;
        check("tolerance", tolerance, positive, "finite and above 0")?;
        let small = (0.0..=1.0).contains(&damping);
        check("damping", damping, small, "between 0 and 1")?;
        let most = self.max_iterations;
        check("max_iterations", f64::from(most), most > 0, "1 or more")
    }
}

/// A projection that cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum ProjectionError {
    /// A setting has a value that makes no sense.
    #[error("`{name}` of the projection is {value}; it must be {must}")]
    Setting {
        /// The setting.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What it must be.
        must: &'static str,
    },
    /// The factor does not fit into memory.
    #[error("the factor of {equations} equations does not fit into memory; use a coarser mesh")]
    TooLarge {
        /// How many equations there are.
        equations: usize,
    },
}

/// Projects candidates onto a set of equations.
#[derive(Clone, Debug)]
pub struct Projection<C> {
    constraints: C,
    settings: ProjectionSettings,
    plan: Plan,
}

/// What a [`Projection`] works in. What it holds from before does not change any result.
#[derive(Clone, Debug)]
pub struct ProjectionScratch {
    /// `√w F ∇C`, slot by slot.
    gradients: Vec<Gradient>,
    /// `C + J s` with what is prescribed, then the multipliers.
    multipliers: Vec<f64>,
    factor: Factor,
    mobility: Vec<Mobility>,
    /// `√w F Jᵀλ` of each node, lane by lane.
    pushes: Vec<Gradient>,
    moves: Vec<DVec3>,
    saved: Vec<DVec3>,
    best: Vec<DVec3>,
    contacts: Vec<ObstacleContact>,
    /// `∇C · P n`, slot by slot, where a node has an obstacle.
    normal_parts: Vec<[f64; LANES]>,
}

/// How a node may move.
#[derive(Clone, Copy, Debug)]
struct Mobility {
    /// `√w` (kg^−½); zero for nodes that are held.
    scale: f64,
    filter: Filter,
    /// Which contact it has.
    contact: Option<u32>,
}

/// What the values say.
#[derive(Clone, Copy, Debug)]
struct Violation {
    worst: f64,
    squares: f64,
}

/// What an iteration hands to the next.
#[derive(Clone, Copy, Debug)]
struct Course {
    damping: f64,
    factor_is_due: bool,
    /// Squares of the violation at the positions in [`ProjectionScratch::best`].
    best: f64,
}

impl Course {
    /// Keeps the positions before an iteration that went uphill, if they were the best so far. With obstacles
    /// nothing is kept: there is no telling a small violation inside them from a larger one outside.
    fn remember(
        &mut self,
        before: &Violation,
        reached: &Violation,
        scratch: &mut ProjectionScratch,
    ) {
        let uphill = reached.squares > before.squares && before.squares < self.best;
        if uphill && scratch.contacts.is_empty() {
            self.best = before.squares;
            scratch.best.copy_from_slice(&scratch.saved);
        }
    }
}

/// So many iterations may overshoot before each must reduce the violation. Folding cloth needs it: the
/// linearised constraints first make others worse. Covered by `limit/projection/tests.rs`.
const BOLD: u32 = 10;
/// Relative violations larger than this are no longer cloth: an edge of no length or of twice its own.
const WORST_OVERSHOOT: f64 = 1.0;
/// With a factor that is kept, an iteration must leave less than this part of the violation, or the next
/// makes a new one: a factor costs about as much as a few iterations.
const QUICK: f64 = 0.5;
/// Damping that an iteration without success is repeated with, and how it grows from then on.
const FIRST_DAMPING: f64 = 1e-5;
const DAMPING_GROWTH: f64 = 30.0;
/// How it falls after a success: slowly, because what was too little a moment ago is so still.
const DAMPING_DECAY: f64 = 3.0;
/// More damping than this is no help: the violation cannot be reduced.
const LARGEST_DAMPING: f64 = 1e4;

impl<C: Constraints> Projection<C> {
    /// Prepares the projection onto some equations: their order, the pattern of the factor.
    pub fn new(constraints: C, settings: ProjectionSettings) -> Result<Self, ProjectionError> {
        settings.check()?;
        let equations = constraints.count();
        let plan = Plan::new(&constraints).ok_or(ProjectionError::TooLarge { equations })?;
        Ok(Projection {
            constraints,
            settings,
            plan,
        })
    }

    /// The equations.
    pub fn constraints(&self) -> &C {
        &self.constraints
    }

    /// The settings.
    pub fn settings(&self) -> &ProjectionSettings {
        &self.settings
    }

    /// Scratch memory.
    pub fn scratch(&self) -> ProjectionScratch {
        let free = Mobility {
            scale: 0.0,
            filter: Filter::Held,
            contact: None,
        };
        let (nodes, slots) = (self.plan.nodes.len(), self.plan.slot_nodes.len());
        ProjectionScratch {
            gradients: vec![[[0.0; LANES]; 3]; slots],
            multipliers: vec![0.0; self.plan.factor.padded_rows()],
            factor: self.plan.factor.clone(),
            mobility: vec![free; nodes],
            pushes: vec![[[0.0; LANES]; 3]; nodes],
            moves: vec![DVec3::ZERO; nodes],
            saved: vec![DVec3::ZERO; nodes],
            best: vec![DVec3::ZERO; nodes],
            contacts: Vec::new(),
            normal_parts: Vec::new(),
        }
    }

    /// Moves candidate positions (m) of the whole world until the equations hold. `residual` of the report is
    /// the worst `|C|`.
    pub fn apply(
        &self,
        step: &LimitStep,
        scratch: &mut ProjectionScratch,
        positions: &mut [DVec3],
    ) -> LimitReport {
        self.apply_with_obstacles(step, &[], scratch, positions)
    }

    /// As [`apply`](Self::apply), with obstacles in the same program. `least_multiplier` of the report is the
    /// smallest impulse (N·s) of an obstacle.
    pub fn apply_with_obstacles(
        &self,
        step: &LimitStep,
        obstacles: &[Obstacle],
        scratch: &mut ProjectionScratch,
        positions: &mut [DVec3],
    ) -> LimitReport {
        self.set_mobility(step, scratch);
        self.set_contacts(obstacles, scratch);
        let mut report = LimitReport {
            iterations: 0,
            linear_iterations: 0,
            residual: 0.0,
            least_multiplier: None,
            converged: false,
        };
        let mut course = Course {
            damping: self.settings.damping,
            factor_is_due: true,
            best: f64::INFINITY,
        };
        let mut violation = self.linearise(scratch, positions);
        loop {
            let settled = contact::plan_friction(&mut scratch.contacts);
            report.converged = settled && violation.worst < self.settings.tolerance;
            if report.converged || report.iterations >= self.settings.max_iterations {
                break;
            }
            report.iterations += 1;
            let here = &positions[self.plan.nodes.clone()];
            scratch.saved.copy_from_slice(here);
            let new_factor = course.factor_is_due || !scratch.contacts.is_empty();
            report.linear_iterations += self.solve_program(scratch, positions, &mut course);
            self.shift(scratch, positions);
            let reached = self.linearise(scratch, positions);
            if self.accepts(&violation, &reached, scratch, report.iterations) {
                course.remember(&violation, &reached, scratch);
                course.factor_is_due = self.settings.reuse == Reuse::Iteration
                    || reached.squares > QUICK * QUICK * violation.squares;
                course.damping = self.settings.damping.max(course.damping / DAMPING_DECAY);
                contact::commit(&mut scratch.contacts, &scratch.moves);
                violation = reached;
                continue;
            }
            // Taken back: an old factor is renewed, a new one damped more.
            positions[self.plan.nodes.clone()].copy_from_slice(&scratch.saved);
            violation = self.linearise(scratch, positions);
            course.factor_is_due = true;
            if new_factor {
                course.damping = FIRST_DAMPING.max(course.damping * DAMPING_GROWTH);
                if course.damping > LARGEST_DAMPING {
                    break;
                }
            }
        }
        if !report.converged && course.best < violation.squares {
            positions[self.plan.nodes.clone()].copy_from_slice(&scratch.best);
            violation = self.linearise(scratch, positions);
        }
        report.residual = violation.worst;
        report.least_multiplier = contact::least_impulse(&scratch.contacts, step.h);
        report
    }

    /// Solves one iteration's program; answers with how many linear solves that took.
    fn solve_program(
        &self,
        scratch: &mut ProjectionScratch,
        positions: &[DVec3],
        course: &mut Course,
    ) -> u32 {
        if !scratch.contacts.is_empty() {
            return self.solve_with_contacts(scratch, positions, &mut course.damping);
        }
        if course.factor_is_due {
            self.make_factor(scratch, &mut course.damping);
        }
        self.solve(scratch);
        1
    }

    /// Whether an iteration was good enough to go on from. The first ones may overshoot: a row that hangs
    /// nearly straight between two pins is mended by lifting it, and too far at first. So may those in which
    /// obstacles prescribe moves.
    fn accepts(
        &self,
        before: &Violation,
        reached: &Violation,
        scratch: &ProjectionScratch,
        iterations: u32,
    ) -> bool {
        let early = iterations <= BOLD && reached.worst < WORST_OVERSHOOT;
        let forced = contact::forced(&scratch.contacts) && reached.squares.is_finite();
        reached.squares < before.squares || early || forced
    }

    fn set_mobility(&self, step: &LimitStep, scratch: &mut ProjectionScratch) {
        for (node, mobility) in self.plan.nodes.clone().zip(&mut scratch.mobility) {
            let weight = step.inverse_masses[node];
            let filter = step.filters[node];
            let movable = weight > 0.0 && weight.is_finite() && filter != Filter::Held;
            *mobility = Mobility {
                scale: if movable { weight.sqrt() } else { 0.0 },
                filter: if movable { filter } else { Filter::Held },
                contact: None,
            };
        }
    }

    /// Works out values and scaled gradients at some positions.
    fn linearise(&self, scratch: &mut ProjectionScratch, positions: &[DVec3]) -> Violation {
        let (mut worst, mut squares) = (0.0f64, 0.0);
        for stencil in 0..self.plan.rows.len() {
            let slots = self.plan.slots[stencil]..self.plan.slots[stencil + 1];
            let gradients = &mut scratch.gradients[slots.clone()];
            let values = self.constraints.linearise(stencil, positions, gradients);
            let mut right = values;
            if !scratch.contacts.is_empty() {
                self.prescribe_moves(scratch, slots.clone(), &mut right);
            }
            let nodes = &self.plan.slot_nodes[slots.clone()];
            for (gradient, &node) in scratch.gradients[slots].iter_mut().zip(nodes) {
                scratch.mobility[node as usize].scale_gradient(gradient);
            }
            let row = self.plan.rows[stencil];
            let rows = usize::from(self.plan.rows_of[stencil]);
            scratch.multipliers[row..row + rows].copy_from_slice(&right[..rows]);
            for value in values {
                squares += value * value;
                worst = worst.max(value.abs());
            }
        }
        // The largest of some numbers is one of them even if others are none.
        let worst = if squares.is_nan() { f64::NAN } else { worst };
        Violation { worst, squares }
    }

    /// Factors `J W Jᵀ` of the present gradients, with as much damping as it needs.
    fn make_factor(&self, scratch: &mut ProjectionScratch, damping: &mut f64) {
        loop {
            let values = scratch.factor.values_mut();
            self.plan.assemble(&scratch.gradients, values);
            if scratch.factor.factor(*damping) || *damping > LARGEST_DAMPING {
                return;
            }
            *damping = FIRST_DAMPING.max(*damping * DAMPING_GROWTH);
        }
    }

    /// Multipliers and moves of the present right side.
    fn solve(&self, scratch: &mut ProjectionScratch) {
        scratch.multipliers[self.plan.count..].fill(0.0);
        scratch.factor.solve(&mut scratch.multipliers);
        scratch.pushes.fill([[0.0; LANES]; 3]);
        run(Scatter {
            plan: &self.plan,
            gradients: &scratch.gradients,
            multipliers: &scratch.multipliers,
            pushes: &mut scratch.pushes,
        });
        let nodes = scratch.pushes.iter().zip(&scratch.mobility);
        for (step, (push, mobility)) in scratch.moves.iter_mut().zip(nodes) {
            let along = |p: &[f64; LANES]| (p[0] + p[1]) + (p[2] + p[3]);
            *step = DVec3::from_array([0, 1, 2].map(|axis| along(&push[axis]))) * -mobility.scale;
        }
    }

    fn shift(&self, scratch: &ProjectionScratch, positions: &mut [DVec3]) {
        let here = &mut positions[self.plan.nodes.clone()];
        for (position, step) in here.iter_mut().zip(&scratch.moves) {
            *position += *step;
        }
    }
}

impl Mobility {
    /// `√w F g` for each equation's gradient.
    #[inline]
    fn scale_gradient(&self, gradient: &mut Gradient) {
        let project = |gradient: &mut Gradient, axis: DVec3, keep: f64, take: f64| {
            let axis = axis.to_array();
            for k in 0..LANES {
                let along = (0..3).map(|d| axis[d] * gradient[d][k]).sum::<f64>();
                for d in 0..3 {
                    gradient[d][k] = keep * gradient[d][k] + take * along * axis[d];
                }
            }
        };
        match self.filter {
            Filter::Free => {
                for value in gradient.as_flattened_mut() {
                    *value *= self.scale;
                }
                return;
            }
            Filter::Held => {
                *gradient = [[0.0; LANES]; 3];
                return;
            }
            Filter::Sliding(normal) => project(gradient, normal, 1.0, -1.0),
            Filter::Line(direction) => project(gradient, direction, 0.0, 1.0),
        }
        for value in gradient.as_flattened_mut() {
            *value *= self.scale;
        }
    }
}
