//! Mixed explicit/implicit schemes (Bridson, Marino and Fedkiw 2003, section 3): elastic forces explicit in
//! the positions, damping implicit in the velocities.
//!
//! With `a(x, v) = M⁻¹ f(x, v)` all three are made of two kinds of half-step (see [`HalfSteps`]) around a
//! position update with the velocity in the middle of the step:
//!
//! * **A**: `v½ = vⁿ + h/2 a(xⁿ, vⁿ)`; filter `ṽ½`; `xⁿ⁺¹ = xⁿ + h ṽ½`; `vⁿ⁺¹ = v½ + h/2 a(xⁿ⁺¹, vⁿ⁺¹)`; filter
//! * **B** (central Newmark): `v½ = vⁿ + h/2 a(xⁿ, v½)`; filter; `xⁿ⁺¹ = xⁿ + h v½`; `vⁿ⁺¹ = v½ + h/2 a(xⁿ⁺¹, v½)`
//! * **C**: `ṽ½ = vⁿ + h/2 a(xⁿ, ṽ½)`; filter; `xⁿ⁺¹ = xⁿ + h ṽ½`; `v½ = vⁿ + h/2 a(xⁿ, vⁿ)`;
//!   `vⁿ⁺¹ = v½ + h/2 a(xⁿ⁺¹, vⁿ⁺¹)`; filter
//!
//! As maps from `(xⁿ, vⁿ)` to `(xⁿ⁺¹, vⁿ⁺¹)` all have a local error `O(h³)`: they are of second order, with steps of any
//! length. For a mode of frequency `ω` all are stable while `h < 2/ω`, however strong the damping `γ`; C up to
//! `h²ω² < 4 + 2hγ`.
//!
//! They differ where the damping is stiff, `hγ ≫ 1`:
//!
//! * A takes the trapezoidal rule between `vⁿ` and `vⁿ⁺¹`, and keeps its order on a smooth motion. But its middle velocity
//!   is an explicit `(1 − hγ/2) vⁿ + …`: whatever is not smooth overshoots, and moves the positions.
//! * B takes the trapezoidal rule between the middles of two steps. If these differ in length its error is of first order
//!   (which is what the paper means), and a mode may grow by as much as the steps shrink.
//! * C's middle velocity is `vⁿ/(1 + hγ/2) + …`, which cannot overshoot; it belongs to the forces at the start of the
//!   step, so C is of first order there.
//!
//! Internal forces keep linear momentum in all three, and angular momentum in A and B, to rounding. C moves the
//! positions with another velocity than the one it keeps, and so changes angular momentum by `O(h²)`.
//!
//! **The filter** holds nodes and limits strain. It is needed twice, because it bounds two things. The first bounds the
//! positions. In A and C nothing of what it did is in the velocity that is kept: `vⁿ⁺¹` starts from the velocities before it. So
//! the second takes out of `vⁿ⁺¹` what would carry edges beyond their bounds in another step, which bounds the rate of strain: an
//! edge at its bound no longer grows. Without it that velocity gathers speed as if there were no limit, and the first filter has more to do
//! in every step. B keeps what its one filter did, but adds half a step of forces after it.
//!
//! All other limits, and bodies, are met after the step, not in it. The [fourth scheme](limited) has all of them inside.

mod damping_solve;
mod half_step;
mod limited;
#[cfg(test)]
mod tests;

pub(crate) use damping_solve::DampingScratch;
pub(crate) use half_step::{HalfSteps, ImplicitOutcome};

use super::Predicted;
use crate::contact::Candidate;
use crate::model::Model;
use crate::parallel;
use crate::state::State;
use crate::step::{Watch, Workspace};
use glam::DVec3;

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

/// Vectors that live from step to step.
#[derive(Debug)]
pub(crate) struct MixedScratch {
    /// Velocities in the middle and at the end of the step (m/s).
    middle: Vec<DVec3>,
    end: Vec<DVec3>,
    /// Positions at the end of the step (m).
    positions: Vec<DVec3>,
    damping: DampingScratch,
}

impl MixedScratch {
    pub fn new(nodes: usize) -> Self {
        let zeros = || vec![DVec3::ZERO; nodes];
        MixedScratch {
            middle: zeros(),
            end: zeros(),
            positions: zeros(),
            damping: DampingScratch::new(nodes),
        }
    }
}

pub(super) fn predict(
    model: &Model,
    state: &State,
    workspace: &mut Workspace,
    settings: &MixedSettings,
    h: f64,
    watch: &mut Watch,
) -> Predicted {
    if settings.scheme == MixedScheme::Limited {
        return limited::predict(model, state, workspace, settings, h, watch);
    }
    let Workspace {
        plan,
        mixed,
        holds,
        target_velocities,
        candidates,
        limits,
        ..
    } = workspace;
    let plan = plan.as_ref().expect("made for mixed integrators");
    let MixedScratch {
        middle,
        end,
        positions,
        damping,
    } = mixed.as_deref_mut().expect("made for mixed integrators");
    let half = HalfSteps::new(model, state, plan, (holds, target_velocities), 0.5 * h);
    let start = &state.positions;
    let mut predicted = Predicted::EXPLICIT;

    middle.copy_from_slice(&state.velocities);
    match settings.scheme {
        MixedScheme::A => {
            half.explicit(start, middle, damping);
            end.copy_from_slice(middle);
        }
        MixedScheme::B => {
            predicted.take(half.implicit(start, middle, settings, damping));
        }
        _ => {
            predicted.take(half.implicit(start, middle, settings, damping));
            end.copy_from_slice(&state.velocities);
            half.explicit(start, end, damping);
        }
    }
    half.filter(start, middle, limits);
    parallel::fill(positions, |i| start[i] + h * middle[i]);
    match settings.scheme {
        MixedScheme::B => {
            end.copy_from_slice(middle);
            half.explicit(positions, end, damping);
        }
        _ => {
            predicted.take(half.implicit(positions, end, settings, damping));
            half.filter(positions, end, limits);
        }
    }
    watch.lap(|times| &mut times.solve);

    parallel::fill(candidates, |i| Candidate {
        position: positions[i],
        velocity: end[i],
    });
    predicted
}

impl Predicted {
    fn take(&mut self, outcome: ImplicitOutcome) {
        self.converged &= outcome.converged;
        self.iterations += outcome.iterations;
        self.linear_residual = self.linear_residual.max(outcome.residual);
    }
}
