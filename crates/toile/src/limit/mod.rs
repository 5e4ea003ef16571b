//! Limits: what cloth will not do, whatever pulls at it.
//!
//! A limit is a set of constraints `C(x) = 0` or `C(x) ≤ 0` with the Jacobian `J = ∂C/∂x`. It acts on a
//! candidate step: it moves candidate positions until the constraints hold, and the velocities change with
//! them.
//!
//! * **Moves.** A node moves by `Δx_i = −w_i F_i (Jᵀλ)_i`: `w_i` its inverse mass, `F_i` the projection on
//!   the directions in which it is free ([`Filter`]), `λ` one multiplier for each constraint. The matrix of
//!   the constraints is `J W Jᵀ = G Gᵀ` with rows `√w_i F_i ∇_i C`: symmetric and never indefinite. So a
//!   limit acts like forces inside the cloth during one step.
//! * **Momentum.** Constraints inside a cloth do not change when the whole cloth is moved or turned. So `Jᵀλ`
//!   adds up to nothing, neither as force nor as moment about the positions at which `J` was taken: what a
//!   limit does to cloth that nobody holds keeps its momentum.
//! * **Failure.** Constraints that cannot be met (pins pulled apart) are no error. A limit does what it can,
//!   leaves finite positions and reports what is left.
//!
//! Invariant: a limit knows positions, inverse masses and filters, and nothing of scenes, steps or
//! integrators. It is a plain struct of settings and rest data, made once from the topology and the rest
//! shape of a cloth, and a scratch struct that may hold anything between two calls without changing a result.
//! Node numbers count over the whole world.

pub mod area;
mod choice;
mod colouring;
mod constraints;
mod equations;
#[cfg(test)]
mod fixture;
mod forms;
pub mod inequality;
mod lagrangian;
mod lengths;
mod metric;
mod projection;
mod quadrature;
pub mod strain;
mod stretch;

pub use choice::{Limit, LimitScratch};
pub use constraints::{Constraints, Gradient, LANES, Shape, jacobian};
pub use equations::{EquationScratch, EquationSolver, Equations};
pub use lagrangian::{Lagrangian, LagrangianScratch, LagrangianSettings};
pub use lengths::{Lengths, LengthsError};
pub use metric::{Metric, MetricError};
pub use projection::{
    Obstacle, Projection, ProjectionError, ProjectionScratch, ProjectionSettings, Reuse,
};

pub use stretch::{StretchError, StretchLimit};

pub(crate) use lagrangian::{Rows, Wiring, for_each_pair};
pub(crate) use stretch::{StretchPoint, StretchRows};

use crate::linalg::Filter;
use glam::DVec3;

/// What every limit is told about a step.
#[derive(Clone, Copy, Debug)]
pub struct LimitStep<'a> {
    /// Length of the step (s).
    pub h: f64,
    /// Positions at the beginning of the step (m), over the whole world.
    pub start: &'a [DVec3],
    /// Inverse mass of each node (1/kg), over the whole world.
    pub inverse_masses: &'a [f64],
    /// The directions each node may be moved in ([`Filter`]): held, sliding, on a line or free.
    pub filters: &'a [Filter],
}

/// How well a limit held.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimitReport {
    /// Iterations or sub-steps of the limit itself.
    pub iterations: u32,
    /// Iterations of its linear solver; a direct solve counts as one.
    pub linear_iterations: u32,
    /// Worst relative violation left (what is relative: each limit says).
    pub residual: f64,
    /// Smallest multiplier of an inequality; `None` for limits that have only equations.
    pub least_multiplier: Option<f64>,
    /// Whether the limit's own tolerance was met.
    pub converged: bool,
}

impl LimitReport {
    /// Two reports in one: the worst of both, of which either may be missing.
    pub(crate) fn worst(a: Option<LimitReport>, b: Option<LimitReport>) -> Option<LimitReport> {
        let (Some(a), Some(b)) = (a, b) else {
            return a.or(b);
        };
        let least = [a.least_multiplier, b.least_multiplier];
        Some(LimitReport {
            iterations: a.iterations.max(b.iterations),
            linear_iterations: a.linear_iterations + b.linear_iterations,
            residual: a.residual.max(b.residual),
            least_multiplier: least.into_iter().flatten().reduce(f64::min),
            converged: a.converged && b.converged,
        })
    }
}
