//! Integrators: from forces to a candidate step.

mod backward_euler;
mod symplectic_euler;

pub(crate) use backward_euler::Solver;

use crate::linalg::LinearSolver;
use crate::model::Model;
use crate::state::State;
use crate::step::{Watch, Workspace};

/// How time is advanced.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Integrator {
    /// Explicit, first order, keeps momentum; stable only for `h < O(l̄ √(ρ/Y))`.
    SymplecticEuler,
    /// Linearly implicit, first order, stable for any step; eats motion at large ones.
    BackwardEuler(BackwardEulerSettings),
}

/// Settings of backward Euler's linear solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BackwardEulerSettings {
    /// The solve stops when its residual is this much smaller than the larger of the right side and the
    /// impulse of gravity.
    pub tolerance: f64,
    /// Iterations at the most.
    pub max_iterations: u32,
    /// How the system is solved.
    pub solver: LinearSolver,
}

impl Default for BackwardEulerSettings {
    fn default() -> Self {
        BackwardEulerSettings {
            tolerance: 1e-3,
            max_iterations: 500,
            solver: LinearSolver::Auto,
        }
    }
}

/// What predicting a step told.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Predicted {
    pub converged: bool,
    pub iterations: u32,
    pub linear_residual: f64,
}

impl Predicted {
    const EXPLICIT: Predicted = Predicted {
        converged: true,
        iterations: 0,
        linear_residual: 0.0,
    };
}

/// Fills the workspace's candidates with the integrator's step.
pub(crate) fn predict(
    model: &Model,
    state: &State,
    workspace: &mut Workspace,
    h: f64,
    watch: &mut Watch,
) -> Predicted {
    match model.integrator {
        Integrator::SymplecticEuler => {
            symplectic_euler::predict(model, state, workspace, h);
            watch.lap(|times| &mut times.assemble);
            Predicted::EXPLICIT
        }
        Integrator::BackwardEuler(settings) => {
            backward_euler::predict(model, state, workspace, settings, h, watch)
        }
    }
}
