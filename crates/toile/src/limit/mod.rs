//! Limits: what cloth will not do, whatever pulls at it.
//!
//! A limit is a set of constraints `C(x) = 0` (or `≥ 0`) with the Jacobian `J = ∂C/∂x`. It acts on a candidate step: it
//! moves candidate positions until the constraints hold, and the velocities change by `Δx/h`. A node moves by
//! `Δx_i = w_i F_i (Jᵀλ)_i` with its inverse mass `w_i` and the filter `F_i` of the directions it may move in. So a limit
//! acts like forces inside the cloth during one step.
//!
//! Constraints inside a cloth do not change when the whole cloth is moved or turned. The rows of `J` then add up to
//! nothing, and so do their moments: what a limit does to cloth that nobody holds leaves its momentum and, about the
//! positions where `J` was taken, its angular momentum as they were.
//!
//! The law of this room: a limit knows positions, inverse masses and filters, and nothing of scenes, steps or
//! integrators. Node numbers count over the whole world. What is in a limit's scratch never changes its result.

mod constraints;
mod forms;
mod lengths;
mod metric;
mod projection;

pub use constraints::{Constraints, Gradient, LANES, jacobian};
pub use lengths::{Lengths, LengthsError};
pub use metric::{Metric, MetricError};
pub use projection::{
    Obstacle, Projection, ProjectionError, ProjectionScratch, ProjectionSettings, Reuse,
};

use crate::linalg::Filter;

/// What every limit is told about a step.
#[derive(Clone, Copy, Debug)]
pub struct LimitStep<'a> {
    /// Length of the step (s).
    pub h: f64,
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
