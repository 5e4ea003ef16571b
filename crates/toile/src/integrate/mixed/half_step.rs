//! The two half-steps of mixed schemes: `v' = v + τ M⁻¹ f(x, v)` and `v' = v + τ M⁻¹ f(x, v')`.
//!
//! `f` is everything that acts on a node: energies with their damping, gravity, and the air's drag. Nodes that
//! are held have the velocity that leads them to their target, in both.

use super::MixedSettings;
use super::damping_solve::{DampingScratch, solve};
use crate::energy::Memory;
use crate::energy::assembly::Plan;
use crate::enforce::LimitWork;
use crate::hold::Context;
use crate::model::Model;
use crate::parallel;
use glam::DVec3;

/// What the half-steps of one step have in common.
#[derive(Clone, Copy)]
pub(crate) struct HalfSteps<'a> {
    pub(super) context: Context<'a>,
    pub(super) model: &'a Model,
    memory: Memory<'a>,
    plan: &'a Plan,
    /// `τ` (s).
    pub(super) span: f64,
}

/// How an implicit half-step ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ImplicitOutcome {
    pub iterations: u32,
    /// Relative, as [`MixedSettings::tolerance`].
    pub residual: f64,
    pub converged: bool,
}

impl<'a> HalfSteps<'a> {
    /// Half-steps of `span` seconds.
    pub fn new(context: &Context<'a>, plan: &'a Plan, span: f64) -> Self {
        HalfSteps {
            context: *context,
            model: context.model,
            memory: context.state.memory(),
            plan,
            span,
        }
    }

    /// `v ← v + τ M⁻¹ f(x, v)`.
    pub fn explicit(
        &self,
        positions: &[DVec3],
        velocities: &mut [DVec3],
        scratch: &mut DampingScratch,
    ) {
        self.forces(positions, velocities, &mut scratch.force);
        let (force, masses) = (&scratch.force, &self.model.masses);
        parallel::for_each(velocities, |i, v| *v += self.span * force[i] / masses[i]);
        self.hold(velocities);
    }

    /// `v ← v'` with `v' = v + τ M⁻¹ f(x, v')`.
    pub fn implicit(
        &self,
        positions: &[DVec3],
        velocities: &mut [DVec3],
        settings: &MixedSettings,
        scratch: &mut DampingScratch,
    ) -> ImplicitOutcome {
        self.hold(velocities);
        solve(self, positions, velocities, settings, scratch)
    }

    /// The place where velocities are made to obey what forces do not know of, before they move positions and before they
    /// are kept: nodes are held, and strain stays within its limits if nodes move for a whole step from `positions`.
    pub fn filter(
        &self,
        positions: &[DVec3],
        velocities: &mut [DVec3],
        limits: &mut Option<Box<LimitWork>>,
    ) {
        self.hold(velocities);
        if let Some(work) = limits {
            work.filter_velocities(&self.context, positions, velocities);
        }
    }

    fn hold(&self, velocities: &mut [DVec3]) {
        let holds = self.context.holds;
        parallel::for_each(velocities, |i, v| {
            *v = holds.filters[i].constrain(holds.velocities[i], *v);
        });
    }

    /// All that acts on the nodes (N).
    pub(super) fn forces(&self, positions: &[DVec3], velocities: &[DVec3], forces: &mut [DVec3]) {
        let model = self.model;
        parallel::fill(forces, |i| {
            let drag = model.air_damping[i] * velocities[i];
            model.masses[i] * (self.context.pull(i) - drag)
        });
        let energies = &model.energies;
        self.plan
            .add_forces(energies, &self.memory, positions, velocities, forces);
    }
}
