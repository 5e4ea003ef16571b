//! Integrators: from forces to a candidate step.

#[cfg(test)]
mod friction_tests;
mod implicit;
pub(crate) mod mixed;
mod rule;
mod symplectic_euler;
mod system;

pub use mixed::{MixedScheme, MixedSettings};
pub(crate) use system::System;

use crate::linalg::LinearSolver;
use crate::model::Model;
use crate::state::State;
use crate::step::{Watch, Workspace};
use rule::Rule;

/// How time is advanced.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Integrator {
    /// Explicit, first order, keeps momentum; stable only for `h < O(l̄ √(ρ/Y))`.
    SymplecticEuler,
    /// Elastic forces explicit, damping implicit: stable for `h < O(l̄ √(ρ/Y))` whatever the damping.
    Mixed(MixedSettings),
    /// Stable for any step.
    Implicit(ImplicitSettings),
}

impl Integrator {
    /// Whether a step needs the one before it.
    pub(crate) fn looks_back(&self) -> bool {
        match self {
            Integrator::SymplecticEuler | Integrator::Mixed(_) => false,
            Integrator::Implicit(settings) => settings.rule == ImplicitRule::Bdf2,
        }
    }

    /// By how much a position at the end of a step changes with its velocity there (s).
    pub(crate) fn reach(&self, state: &State, h: f64) -> f64 {
        match self {
            Integrator::SymplecticEuler | Integrator::Mixed(_) => h,
            Integrator::Implicit(settings) => Rule::new(settings.rule, state, h).reach,
        }
    }

    /// Whether steps bound strain themselves, as a filter of velocities.
    pub(crate) fn filters_strain(&self) -> bool {
        matches!(self, Integrator::Mixed(settings) if settings.scheme != MixedScheme::Limited)
    }

    /// Whether a step meets limits and bodies itself, where its scheme wants them; else both come after it.
    pub(crate) fn is_whole(&self) -> bool {
        matches!(self, Integrator::Mixed(settings) if settings.scheme == MixedScheme::Limited)
    }

    /// The order of accuracy in the positions, with steps of varying length.
    pub fn order(&self) -> u32 {
        match self {
            Integrator::SymplecticEuler => 1,
            Integrator::Mixed(settings) => match settings.scheme {
                MixedScheme::A | MixedScheme::C => 2,
                MixedScheme::B | MixedScheme::Limited => 1,
            },
            Integrator::Implicit(settings) => match settings.rule {
                ImplicitRule::BackwardEuler => 1,
                ImplicitRule::Bdf2 => 2,
            },
        }
    }
}

/// Which implicit rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ImplicitRule {
    /// First order; eats motion at large steps.
    #[default]
    BackwardEuler,
    /// Second order, with steps of any length; eats much less.
    Bdf2,
}

/// Settings of an implicit step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImplicitSettings {
    /// The rule.
    pub rule: ImplicitRule,
    /// Newton steps at the most; one is the classic semi-implicit step.
    pub newton_steps: u32,
    /// With more than one Newton step: stop when the residual is this much smaller than the first right
    /// side or the impulse of gravity.
    pub newton_tolerance: f64,
    /// Each linear solve stops when its residual is this much smaller than the larger of the right side and the
    /// impulse of gravity.
    pub tolerance: f64,
    /// Iterations of a linear solve at the most.
    pub max_iterations: u32,
    /// How linear systems are solved.
    pub solver: LinearSolver,
}

impl ImplicitSettings {
    /// The classic semi-implicit step, right to a fraction of a millimetre for ordinary cloth.
    pub const CLASSIC: Self = ImplicitSettings {
        rule: ImplicitRule::BackwardEuler,
        newton_steps: 1,
        newton_tolerance: 1e-4,
        tolerance: 1e-3,
        max_iterations: 500,
        solver: LinearSolver::Auto,
    };
}

impl Default for ImplicitSettings {
    fn default() -> Self {
        Self::CLASSIC
    }
}

/// What predicting a step told.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Predicted {
    pub converged: bool,
    pub iterations: u32,
    pub newton_steps: u32,
    pub linear_residual: f64,
    pub force_residual: Option<f64>,
}

impl Predicted {
    const EXPLICIT: Predicted = Predicted {
        converged: true,
        iterations: 0,
        newton_steps: 0,
        linear_residual: 0.0,
        force_residual: None,
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
    match &model.integrator {
        Integrator::SymplecticEuler => {
            symplectic_euler::predict(model, state, workspace, h);
            watch.lap(|times| &mut times.assemble);
            Predicted::EXPLICIT
        }
        Integrator::Mixed(settings) => mixed::predict(model, state, workspace, settings, h, watch),
        Integrator::Implicit(settings) => {
            implicit::predict(model, state, workspace, settings, h, watch)
        }
    }
}
