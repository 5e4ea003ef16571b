//! The scheme of inequality cloth (Jin, Lu, Geng and Fedkiw 2017, section 5.2), with contact and every limit inside the step:
//!
//! 1. `v* = vⁿ + h/2 a(xⁿ, v*)`, implicit in the damping
//! 2. `x* = xⁿ + h v*`
//! 3. contact on `(x*, vⁿ)` gives `(x̂, v̂ⁿ)`
//! 4. limits move `x̂` by `Δx`: an impulse, `ṽⁿ = v̂ⁿ + Δx/h`
//! 5. the same force again, `ṽ½ = ṽⁿ + (v* − vⁿ)`
//! 6. `x̃ = xⁿ + h ṽ½`
//! 7. contact on `x̃` gives `xⁿ⁺¹`
//! 8. `vⁿ⁺¹ = ṽⁿ + h a(xⁿ⁺¹, vⁿ⁺¹)`, implicit in the damping, with contact
//!
//! Where nothing is touched `x̂ = x*`, and 5 and 6 come to `x̃ = x* + Δx`: the positions at which the limits were met. We
//! take `x̃ = x̂ + Δx` always, so that limits hold in contact too. The difference is what contact does to positions alone, which must
//! not become speed; the paper leaves it to step 7.
//!
//! **Order.** Positions have a local error `O(h³)`, but the velocity of step 8 takes all of the force from the end of the step, with an
//! error of `O(h²)`: the scheme is of first order. On a mode of rate `ω` with `q = h²ω²` a step has the determinant `1 − q/2` and the trace
//! `2 − 3q/2`: the amplitude falls by `√(1 − q/2)`, and it is stable for `h < √2/ω`, whatever the damping.
//!
//! **Limits.** The velocity that is kept lags behind: it holds the limits' impulse for positions half a step after the forces,
//! and so still points outward by `h/2` times the pull that the next step will take from it. Over two steps the positions obey
//! `xⁿ⁺¹ − 2xⁿ + xⁿ⁻¹ = h² aⁿ + Δx`, with `Δx` along the gradients at the end of the step: like constraints in backward Euler, it eats some
//! motion along curved paths, in proportion to `h`.

use super::{HalfSteps, ImplicitOutcome, Mixed, MixedSettings};
use crate::contact::{Candidate, Trial};
use crate::hold::Context;
use crate::integrate::Predicted;
use crate::parallel;
use crate::respond::Response;
use crate::timing::Watch;

pub(super) fn predict(
    mixed: &mut Mixed,
    context: &Context,
    settings: &MixedSettings,
    response: &mut Response,
    trial: &mut Trial,
    watch: &mut Watch,
) -> Predicted {
    let mut predicted = Predicted::EXPLICIT;
    let (state, h) = (context.state, context.h);

    // Steps 1 and 2.
    let Mixed {
        plan,
        middle,
        damping,
        ..
    } = mixed;
    middle.copy_from_slice(&state.velocities);
    let half = HalfSteps::new(context, plan, 0.5 * h);
    predicted.take(half.implicit(&state.positions, middle, settings, damping));
    parallel::fill(&mut trial.candidates, |i| Candidate {
        position: state.positions[i] + h * middle[i],
        velocity: state.velocities[i],
    });
    watch.lap(|times| &mut times.solve);

    // Limits expect numbers; the step says which node has none.
    if trial.is_finite() {
        meet(context, response, trial, watch);
        predicted.take(final_velocity(mixed, context, settings, trial));
        response.halt_at_bodies(context, trial);
    }
    predicted
}

/// Steps 3 to 7: candidates meet bodies and limits.
fn meet(context: &Context, response: &mut Response, trial: &mut Trial, watch: &mut Watch) {
    response.meet_bodies(context, trial);
    watch.lap(|times| &mut times.collide);
    response.enforce_limits(context, trial);
    watch.lap(|times| &mut times.limit);
    if !context.model.limits.is_empty() {
        response.meet_bodies(context, trial);
    }
    watch.lap(|times| &mut times.collide);
}

/// Step 8, but for its contact.
fn final_velocity(
    mixed: &mut Mixed,
    context: &Context,
    settings: &MixedSettings,
    trial: &mut Trial,
) -> ImplicitOutcome {
    let Mixed {
        plan,
        end,
        positions,
        damping,
        ..
    } = mixed;
    let candidates = &mut trial.candidates;
    parallel::fill(positions, |i| candidates[i].position);
    parallel::fill(end, |i| candidates[i].velocity);
    let whole = HalfSteps::new(context, plan, context.h);
    let outcome = whole.implicit(positions, end, settings, damping);
    parallel::for_each(candidates, |i, candidate| candidate.velocity = end[i]);
    outcome
}
