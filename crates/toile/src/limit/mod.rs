//! Limits: what cloth will not do, whatever the forces say.
//!
//! A limit acts on a candidate step. It is a set of constraints `c(x) = 0` or `c(x) ≤ 0` with the Jacobian `J = ∂c/∂x`; it moves
//! the candidate positions so that the constraints hold, and the velocities change by `Δx / h`.
//!
//! * **Moves.** Node `i` moves by `Δx_i = −w_i F_i (Jᵀλ)_i`: `w_i` its inverse mass, `F_i` the projection on the directions in which it
//!   is free ([`Filter`]), `λ` one multiplier per constraint. The matrix of the constraints is `J W Jᵀ = G Gᵀ` with rows
//!   `√w_i F_i ∇_i c`, symmetric and never indefinite.
//! * **Momentum.** Constraints inside the cloth do not see translations and rotations. So `Jᵀλ` adds up to nothing, neither as force nor
//!   as moment about the positions at which `J` was taken, and the moves keep linear and angular momentum.
//! * **Failure.** Constraints that cannot be met (pins pulled apart) are no error. The limit does what it can, leaves finite
//!   positions and reports what is left.
//!
//! The law of this room: a limit knows nothing of scenes, steps or integrators. It is a plain struct with settings and rest data,
//! made once from the topology and the rest shape of a cloth, and a scratch struct that may hold anything between two calls
//! without changing a result. Nodes are counted over the whole world.

pub mod area;
mod colouring;
#[cfg(test)]
mod fixture;
pub mod inequality;
pub mod strain;

use crate::linalg::Filter;

/// What every limit is told about a step.
#[derive(Clone, Copy, Debug)]
pub struct LimitStep<'a> {
    /// Length of the step (s).
    pub h: f64,
    /// Inverse mass of each node (1/kg), over the whole world.
    pub inverse_masses: &'a [f64],
    /// The directions each node may be moved in, over the whole world.
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
