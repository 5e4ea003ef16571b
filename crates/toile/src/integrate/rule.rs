//! Implicit rules in one form.
//!
//! Backward Euler and BDF2 both ask for a velocity `v` with
//!
//! `M (v − v̂) = H f(x̂ + H v, v)`, then `x = x̂ + H v`,
//!
//! where `x̂`, `v̂` continue the past and `H` is the share of the step that the new forces act:
//!
//! * backward Euler: `x̂ = xⁿ`, `v̂ = vⁿ`, `H = h`; first order, damps motion
//! * BDF2 with the step ratio `ω = hⁿ/hⁿ⁻¹`: `x̂ = xⁿ + c (xⁿ − xⁿ⁻¹)`, the same for `v̂`, with `c = ω²/(1+2ω)` and
//!   `H = h (1+ω)/(1+2ω)`; second order with varying steps too, stable for `ω < 1 + √2`.
//!
//! A single Newton step starts at `xⁿ`, because there the cloth is not stretched by a guess. Seen from
//! there with a velocity `v₀`, the new position lies `x̂ + H v₀ − xⁿ` away, and we choose `v₀` so that this is
//! `h v₀`: the last velocity for backward Euler (any would do), the mean velocity `(xⁿ − xⁿ⁻¹)/hⁿ⁻¹` of the last
//! step for BDF2.

use super::ImplicitRule;
use crate::state::State;
use glam::DVec3;

/// One step of an implicit rule.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule<'a> {
    state: &'a State,
    /// `c`.
    carry: f64,
    /// `H` (s).
    pub reach: f64,
    /// `h` (s).
    pub step: f64,
    /// `hⁿ⁻¹` (s).
    last_step: f64,
}

impl<'a> Rule<'a> {
    pub fn new(rule: ImplicitRule, state: &'a State, h: f64) -> Self {
        let last = state.last_step();
        let (carry, reach) = rule.shares(last, h);
        Rule {
            state,
            carry,
            reach,
            step: h,
            last_step: last.unwrap_or(h),
        }
    }

    fn carried(&self, i: usize, now: &[DVec3], before: impl Fn(&State) -> Option<DVec3>) -> DVec3 {
        if self.carry == 0.0 {
            return now[i];
        }
        before(self.state).map_or(now[i], |before| now[i] + self.carry * (now[i] - before))
    }

    /// `x̂` of a node (m).
    pub fn position(&self, i: usize) -> DVec3 {
        self.carried(i, &self.state.positions, |state| {
            state.previous.as_ref().map(|p| p.positions[i])
        })
    }

    /// `v̂` of a node (m/s).
    pub fn velocity(&self, i: usize) -> DVec3 {
        self.carried(i, &self.state.velocities, |state| {
            state.previous.as_ref().map(|p| p.velocities[i])
        })
    }

    /// `v₀` of a node (m/s).
    pub fn first_velocity(&self, i: usize) -> DVec3 {
        match &self.state.previous {
            Some(previous) if self.carry > 0.0 => {
                (self.state.positions[i] - previous.positions[i]) / self.last_step
            }
            _ => self.state.velocities[i],
        }
    }

    /// Where a node gets with this velocity (m).
    pub fn end(&self, i: usize, velocity: DVec3) -> DVec3 {
        self.position(i) + self.reach * velocity
    }

    /// The velocity that brings a node to a place (m/s).
    pub fn velocity_to(&self, i: usize, place: DVec3) -> DVec3 {
        (place - self.position(i)) / self.reach
    }
}
