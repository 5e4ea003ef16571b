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

use super::{HalfSteps, MixedScratch, MixedSettings};
use crate::contact::Candidate;
use crate::integrate::Predicted;
use crate::model::Model;
use crate::parallel;
use crate::state::State;
use crate::step::{Watch, Workspace};

pub(super) fn predict(
    model: &Model,
    state: &State,
    workspace: &mut Workspace,
    settings: &MixedSettings,
    h: f64,
    watch: &mut Watch,
) -> Predicted {
    let mut scratch = workspace.mixed.take().expect("made for mixed integrators");
    let mut predicted = Predicted::EXPLICIT;

    // Steps 1 and 2.
    let MixedScratch {
        middle, damping, ..
    } = &mut *scratch;
    middle.copy_from_slice(&state.velocities);
    let half = half_steps(model, state, workspace, 0.5 * h);
    predicted.take(half.implicit(&state.positions, middle, settings, damping));
    parallel::fill(&mut workspace.candidates, |i| Candidate {
        position: state.positions[i] + h * middle[i],
        velocity: state.velocities[i],
    });
    watch.lap(|times| &mut times.solve);

    // Limits expect numbers; the step says which node has none.
    if workspace.is_finite() {
        meet(model, state, workspace, h, watch);
        predicted.take(final_velocity(
            model,
            state,
            workspace,
            &mut scratch,
            settings,
            h,
        ));
        workspace.halt_at_bodies(model, h);
        watch.lap(|times| &mut times.solve);
    }
    workspace.mixed = Some(scratch);
    predicted
}

/// Steps 3 to 7: candidates meet bodies and limits.
fn meet(model: &Model, state: &State, workspace: &mut Workspace, h: f64, watch: &mut Watch) {
    workspace.meet_bodies(model, state, h);
    watch.lap(|times| &mut times.collide);
    workspace.apply_limits(model, state, h);
    watch.lap(|times| &mut times.limit);
    if !model.limits.is_empty() {
        workspace.meet_bodies(model, state, h);
    }
    watch.lap(|times| &mut times.collide);
}

/// Step 8, but for its contact.
fn final_velocity(
    model: &Model,
    state: &State,
    workspace: &mut Workspace,
    scratch: &mut MixedScratch,
    settings: &MixedSettings,
    h: f64,
) -> super::ImplicitOutcome {
    let MixedScratch {
        end,
        positions,
        damping,
        ..
    } = scratch;
    let candidates = &workspace.candidates;
    parallel::fill(positions, |i| candidates[i].position);
    parallel::fill(end, |i| candidates[i].velocity);
    let whole = half_steps(model, state, workspace, h);
    let outcome = whole.implicit(positions, end, settings, damping);
    parallel::for_each(&mut workspace.candidates, |i, candidate| {
        candidate.velocity = end[i];
    });
    outcome
}

fn half_steps<'a>(
    model: &'a Model,
    state: &'a State,
    workspace: &'a Workspace,
    span: f64,
) -> HalfSteps<'a> {
    let plan = workspace.plan.as_ref().expect("made for mixed integrators");
    let driven = (&workspace.holds[..], &workspace.target_velocities[..]);
    HalfSteps::new(model, state, plan, driven, span)
}
