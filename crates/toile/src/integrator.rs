//! Which integrator a model has; [`integrate`](crate::integrate) does what they say.

use crate::linalg::LinearSolver;

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
    /// `last` is the length of the step before (s), if there was one.
    pub(crate) fn reach(&self, last: Option<f64>, h: f64) -> f64 {
        match self {
            Integrator::SymplecticEuler | Integrator::Mixed(_) => h,
            Integrator::Implicit(settings) => settings.rule.shares(last, h).1,
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

    /// Whether limits and contacts are parts of one solve.
    pub(crate) fn is_unified(&self) -> bool {
        matches!(self, Integrator::Implicit(settings) if settings.constraints == ConstraintSolve::Unified)
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

/// Beyond this ratio of steps (1 + √2) BDF2 is not stable; the step is made by backward Euler instead.
const LARGEST_RATIO: f64 = 2.4;

impl ImplicitRule {
    /// `c` and `H` (s) of a step of `h` seconds after one of `last`: how much of the last step's motion is carried on, and how
    /// long new forces act ([`rule`](crate::integrate) has both in their place).
    pub(crate) fn shares(self, last: Option<f64>, h: f64) -> (f64, f64) {
        match (self, last) {
            (ImplicitRule::Bdf2, Some(last)) if h < LARGEST_RATIO * last => {
                let ratio = h / last;
                let share = 1.0 / (1.0 + 2.0 * ratio);
                (ratio * ratio * share, h * (1.0 + ratio) * share)
            }
            _ => (0.0, h),
        }
    }
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
    /// How limits and contacts are met.
    pub constraints: ConstraintSolve,
}

/// How an implicit step meets limits and contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ConstraintSolve {
    /// One after another, each in a phase of its own.
    #[default]
    Phases,
    /// All of them in [one minimisation](crate::integrate), with the energies.
    Unified,
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
        constraints: ConstraintSolve::Phases,
    };
}

impl Default for ImplicitSettings {
    fn default() -> Self {
        Self::CLASSIC
    }
}

/// Which of the schemes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MixedScheme {
    /// Explicit, then implicit half-step: one solve; strong damping makes the positions overshoot.
    A,
    /// Implicit, then explicit half-step (central Newmark): one solve; for steps of one length.
    B,
    /// The position of B with the velocity of A: two solves, no overshoot.
    C,
    /// The position of B, limits and contact in the middle of the step, and an implicit velocity: two solves, first order (Jin and
    /// others 2017).
    Limited,
}

/// Settings of a mixed step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MixedSettings {
    /// The scheme.
    pub scheme: MixedScheme,
    /// The solve for the damped velocities stops when its residual is this much smaller than the larger of the
    /// right side and the impulse of gravity.
    pub tolerance: f64,
    /// Iterations of one solve at the most.
    pub max_iterations: u32,
}

impl MixedSettings {
    /// A scheme with a tolerance that leaves its order alone at ordinary steps.
    pub const fn new(scheme: MixedScheme) -> Self {
        MixedSettings {
            scheme,
            tolerance: 1e-6,
            max_iterations: 500,
        }
    }
}
