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

use super::{MixedScheme, MixedSettings, Predicted};
use crate::contact::{Candidate, Trial};
use crate::energy::assembly::Plan;
use crate::enforce::LimitWork;
use crate::hold::Context;
use crate::linalg::Filter;
use crate::model::Model;
use crate::parallel;
use crate::respond::Response;
use crate::timing::Watch;
use glam::DVec3;

/// What mixed schemes need from step to step.
#[derive(Debug)]
pub(crate) struct Mixed {
    plan: Plan,
    /// Velocities in the middle and at the end of the step (m/s).
    middle: Vec<DVec3>,
    end: Vec<DVec3>,
    /// Positions at the end of the step (m).
    positions: Vec<DVec3>,
    damping: DampingScratch,
}

impl Mixed {
    pub fn new(model: &Model) -> Self {
        let nodes = model.node_count();
        let zeros = || vec![DVec3::ZERO; nodes];
        Mixed {
            plan: Plan::new(nodes, &model.energies, None),
            middle: zeros(),
            end: zeros(),
            positions: zeros(),
            damping: DampingScratch::new(nodes),
        }
    }

    /// How forces are added up.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    pub fn predict(
        &mut self,
        context: &Context,
        settings: &MixedSettings,
        response: &mut Response,
        trial: &mut Trial,
        watch: &mut Watch,
    ) -> Predicted {
        let predicted = match settings.scheme {
            MixedScheme::Limited => {
                limited::predict(self, context, settings, response, trial, watch)
            }
            _ => self.predict_filtered(context, settings, &mut response.limits, trial),
        };
        self.book(context, trial);
        watch.lap(|times| &mut times.solve);
        predicted
    }

    /// Schemes A, B and C.
    fn predict_filtered(
        &mut self,
        context: &Context,
        settings: &MixedSettings,
        limits: &mut Option<Box<LimitWork>>,
        trial: &mut Trial,
    ) -> Predicted {
        let Mixed {
            plan,
            middle,
            end,
            positions,
            damping,
        } = self;
        let (state, h) = (context.state, context.h);
        let half = HalfSteps::new(context, plan, 0.5 * h);
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
        parallel::fill(&mut trial.candidates, |i| Candidate {
            position: positions[i],
            velocity: end[i],
        });
        predicted
    }

    /// Books what held nodes got from their holders: what their change of velocity asks for beyond what acts on them where they
    /// end.
    fn book(&mut self, context: &Context, trial: &mut Trial) {
        let Context {
            model,
            state,
            holds,
            h,
            ..
        } = *context;
        if holds.filters.iter().all(|f| *f == Filter::Free) {
            return;
        }
        let Mixed {
            plan,
            end,
            positions,
            damping,
            ..
        } = self;
        let candidates = &trial.candidates;
        parallel::fill(positions, |i| candidates[i].position);
        parallel::fill(end, |i| candidates[i].velocity);
        HalfSteps::new(context, plan, h).forces(positions, end, &mut damping.force);
        let force = &damping.force;
        parallel::fill(&mut trial.loads.held, |i| {
            let change = model.masses[i] * (candidates[i].velocity - state.velocities[i]);
            let missing = change - h * force[i];
            missing - holds.filters[i].apply(missing)
        });
    }
}

impl Predicted {
    fn take(&mut self, outcome: ImplicitOutcome) {
        self.converged &= outcome.converged;
        self.iterations += outcome.iterations;
        self.linear_residual = self.linear_residual.max(outcome.residual);
    }
}
