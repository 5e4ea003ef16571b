//! The velocities of an implicit half-step, by conjugate gradients without a matrix.
//!
//! At fixed positions the damping of cloth is linear in the velocities, `f(x, v) = f(x, 0) − D v`, with `D`
//! symmetric and positive semi-definite. So the change `δ` of the velocities solves
//!
//! `(M + τ D) δ = τ f(x, v)`, and `D p = f(x, v) − f(x, v + p)`:
//!
//! a product with the matrix is one evaluation of the forces. Preconditioned by the masses (with their share of the
//! air's drag) this takes a handful of iterations unless the damping is extreme, because `τ M⁻¹ D` is then small.
//!
//! The residual that counts is worked out anew from the forces after the iterations. A force that is not linear in
//! the velocities leaves some, and then a few more rounds start from the velocities reached, whose secants are better.
//!
//! On a cloth that nothing holds, `Σr / Σm` is added to every velocity first. That gives the whole cloth the momentum
//! that is due, and the iterations leave it alone: internal damping has no sum and no torque, nor has anything
//! that they add.

use super::{HalfSteps, ImplicitOutcome, MixedSettings};
use crate::parallel::{self, dot};
use glam::DVec3;
use std::ops::Range;

/// Rounds for forces that are not linear in the velocities; one is enough for those that are.
const ROUNDS: usize = 4;

/// Vectors of the half-steps.
#[derive(Debug)]
pub(crate) struct DampingScratch {
    /// `f(x, v)` (N).
    pub(super) force: Vec<DVec3>,
    /// `f(x, v + p)` (N), then the image of `p` (N·s).
    image: Vec<DVec3>,
    /// `v + p` (m/s).
    probe: Vec<DVec3>,
    direction: Vec<DVec3>,
    residual: Vec<DVec3>,
    /// `δ` (m/s): all of it before this round, and what this round adds.
    change: Vec<DVec3>,
    added: Vec<DVec3>,
}

impl DampingScratch {
    pub fn new(nodes: usize) -> Self {
        let zeros = || vec![DVec3::ZERO; nodes];
        DampingScratch {
            force: zeros(),
            image: zeros(),
            probe: zeros(),
            direction: zeros(),
            residual: zeros(),
            change: zeros(),
            added: zeros(),
        }
    }

    fn residual_norm(&self) -> f64 {
        dot(&self.residual, &self.residual).sqrt()
    }

    /// `v ← v + s`, `δ ← δ + s`, `r ← r − (diagonal) s`, the same `s` for all of these nodes.
    fn shift(&mut self, nodes: Range<usize>, velocities: &mut [DVec3], half: &HalfSteps) {
        let (mut left, mut inertia) = (DVec3::ZERO, 0.0);
        for i in nodes.clone() {
            left += self.residual[i];
            inertia += half.diagonal(i);
        }
        let by = left / inertia;
        for i in nodes {
            velocities[i] += by;
            self.change[i] += by;
            self.residual[i] -= half.diagonal(i) * by;
        }
    }
}

impl HalfSteps<'_> {
    /// `m (1 + τ c)` of a node (kg): the part of the matrix that needs no neighbours.
    fn diagonal(&self, i: usize) -> f64 {
        self.model.masses[i] * (1.0 + self.span * self.model.air_damping[i])
    }

    /// Puts `τ f(x, v) − M δ` into the residual, without the held nodes.
    fn update_residual(
        &self,
        positions: &[DVec3],
        velocities: &[DVec3],
        scratch: &mut DampingScratch,
    ) {
        self.forces(positions, velocities, &mut scratch.force);
        let (force, change, masses) = (&scratch.force, &scratch.change, &self.model.masses);
        parallel::fill(&mut scratch.residual, |i| {
            self.context.holds.filters[i].apply(self.span * force[i] - masses[i] * change[i])
        });
    }

    /// Puts `(M + τ D) p` into the image, without the held nodes, and answers its product with `p`. The secant starts at
    /// the velocities whose force the scratch holds.
    fn apply_matrix(
        &self,
        positions: &[DVec3],
        velocities: &[DVec3],
        scratch: &mut DampingScratch,
    ) -> f64 {
        let (direction, force) = (&scratch.direction, &scratch.force);
        parallel::fill(&mut scratch.probe, |i| velocities[i] + direction[i]);
        self.forces(positions, &scratch.probe, &mut scratch.image);
        parallel::for_each(&mut scratch.image, |i, q| {
            let product = self.model.masses[i] * direction[i] + self.span * (force[i] - *q);
            *q = self.context.holds.filters[i].apply(product);
        });
        dot(direction, &scratch.image)
    }

    /// The norm of gravity's impulse (N·s).
    fn gravity_impulse(&self) -> f64 {
        let masses = &self.model.masses;
        let squares = parallel::sum(masses.len(), |i| {
            (masses[i] * self.context.pull(i)).length_squared()
        });
        self.span * squares.sqrt()
    }
}

/// Brings the velocities from `v` to `v' = v + τ M⁻¹ f(x, v')`. Held nodes keep what they have.
pub(super) fn solve(
    half: &HalfSteps,
    positions: &[DVec3],
    velocities: &mut [DVec3],
    settings: &MixedSettings,
    scratch: &mut DampingScratch,
) -> ImplicitOutcome {
    scratch.change.fill(DVec3::ZERO);
    half.update_residual(positions, velocities, scratch);
    let scale = scratch.residual_norm().max(half.gravity_impulse());
    let target = settings.tolerance * scale;
    let model = half.model;
    // Of what seams join, none moves by itself.
    let alone = |number: &usize| !model.sewn_cloths.iter().flatten().any(|c| c == number);
    let free = (0..model.cloths.len()).filter(|&number| half.context.is_unheld(number));
    for cloth in free.filter(alone).map(|number| &model.cloths[number]) {
        scratch.shift(cloth.nodes.clone(), velocities, half);
    }
    let mut outcome = ImplicitOutcome {
        iterations: 0,
        residual: 0.0,
        converged: scale == 0.0,
    };
    for _ in 0..ROUNDS {
        if outcome.converged || outcome.iterations >= settings.max_iterations {
            break;
        }
        let allowed = settings.max_iterations - outcome.iterations;
        outcome.iterations += iterate(half, positions, velocities, target, allowed, scratch);
        half.update_residual(positions, velocities, scratch);
        let left = scratch.residual_norm();
        if !left.is_finite() {
            // Hand the fact on to the check that names the node.
            velocities.copy_from_slice(&scratch.residual);
            break;
        }
        outcome.residual = left / scale;
        outcome.converged = left <= target;
    }
    outcome
}

/// Conjugate gradients from the velocities as they are, until the residual's norm is below the target. Answers how
/// many iterations it took.
fn iterate(
    half: &HalfSteps,
    positions: &[DVec3],
    velocities: &mut [DVec3],
    target: f64,
    allowed: u32,
    scratch: &mut DampingScratch,
) -> u32 {
    scratch.added.fill(DVec3::ZERO);
    scratch.direction.fill(DVec3::ZERO);
    let mut last = f64::INFINITY;
    let mut made = 0;
    while made < allowed && scratch.residual_norm() > target {
        let residual = &scratch.residual;
        let product = parallel::sum(residual.len(), |i| {
            residual[i].length_squared() / half.diagonal(i)
        });
        let carry = product / last;
        parallel::for_each(&mut scratch.direction, |i, p| {
            *p = residual[i] / half.diagonal(i) + carry * *p;
        });
        let curvature = half.apply_matrix(positions, velocities, scratch);
        if curvature.is_nan() || curvature <= 0.0 {
            break;
        }
        let length = product / curvature;
        let (direction, image) = (&scratch.direction, &scratch.image);
        parallel::for_each(&mut scratch.added, |i, d| *d += length * direction[i]);
        parallel::for_each(&mut scratch.residual, |i, r| *r -= length * image[i]);
        last = product;
        made += 1;
    }
    let added = &scratch.added;
    parallel::for_each(velocities, |i, v| *v += added[i]);
    parallel::for_each(&mut scratch.change, |i, d| *d += added[i]);
    made
}
