//! Implicit steps by Newton's method on the velocity.
//!
//! With the rule's `x̂`, `v̂`, `H` (see [`rule`](super::rule)) a Newton step from a velocity `v_k` solves
//!
//! `(M + H D + H² K) δ = M (v̂ − v_k) + H f(x̂ + H v_k, v_k)`
//!
//! The first one is linearised at the start of the step (Baraff and Witkin 1998): there its force is
//! `f − h K v`. One such step is the classic semi-implicit method; more of them, each shortened until the
//! residual's component along `δ` stops changing sign for the worse, solve the nonlinear equation.
//!
//! Held nodes and nodes that rest on bodies have a given `δ`, or a given part of it, and are filtered out.
//!
//! An iterative solve leaves a residual `r`, which acts like a small outside force. On a cloth that nothing
//! holds its sum would change the cloth's momentum; since rigid translation feels no stiffness, adding
//! `Σr / Σm` to every `δ` removes that sum exactly. Done to the first guess as well, it makes free fall exact
//! without a single iteration.

use super::rule::Rule;
use super::system::System;
use super::{ImplicitSettings, Predicted};
use crate::contact::{Candidate, ClothContact, Outlook, Trial};
use crate::energy::Weights;
use crate::hold::Context;
use crate::linalg::{Filter, SolveSettings};
use crate::model::Model;
use crate::parallel::{self, dot};
use crate::respond::Response;
use crate::timing::Watch;
use glam::{DMat3, DVec3};

/// Rounds of solving and judging the supports' reactions. Few nodes change after the second.
const SUPPORT_ROUNDS: usize = 3;
/// Rounds at the most, where friction lets go of node after node.
const MOST_ROUNDS: usize = 10;
/// How much larger a residual will do while the supports are not settled.
const ROUGH: f64 = 10.0;

/// What is around the cloth that a solve is to know of.
pub(super) struct Nearby<'a> {
    pub response: &'a mut Response,
    pub contact: Option<&'a mut ClothContact>,
}

pub(super) fn predict(
    context: &Context,
    system: &mut System,
    settings: &ImplicitSettings,
    near: Nearby,
    trial: &mut Trial,
    watch: &mut Watch,
) -> Predicted {
    let Context {
        model,
        state,
        holds,
        h,
        ..
    } = *context;
    let Nearby {
        response,
        mut contact,
    } = near;
    let Response { around, faces, .. } = response;
    let rule = Rule::new(settings.rule, state, h);
    let step = Newton {
        context,
        model,
        rule,
    };

    step.start(system);
    step.assemble(system, rule.step);
    for (i, change) in system.change.iter_mut().enumerate() {
        let first = rule.first_velocity(i);
        let guess = state.velocities[i] + state.last_change[i] - first;
        *change = match holds.filters[i] {
            Filter::Free => guess,
            hold => hold.constrain(rule.velocity_to(i, holds.targets[i]) - first, guess),
        };
    }
    system.find_supports(context, around);
    watch.lap(|times| &mut times.assemble);
    let outlook = Outlook {
        context: *context,
        places: |i: usize| {
            let free = state.positions[i] + h * (state.velocities[i] + h * context.pull(i));
            let target = holds.targets[i];
            [holds.filters[i].constrain(target, free), rule.position(i)]
        },
    };
    system.cushions.clear();
    system.ties.clear();
    if let Some(contact) = contact.as_deref_mut() {
        contact.forecast(&outlook, &mut system.cushions, &mut system.ties);
    }
    let between_cloths = system.cushions.len();
    if let Some(faces) = faces.as_deref_mut() {
        faces.forecast(&outlook, around, &mut system.cushions);
    }
    system.attach(context, |i| rule.position(i));
    watch.lap(|times| &mut times.contact);
    step.balance_momentum(system);
    watch.lap(|times| &mut times.assemble);

    let scale = step.scale(system);
    let linear = SolveSettings {
        residual: settings.tolerance * scale,
        iterations: settings.max_iterations,
    };
    let loads = &mut trial.loads;
    let mut predicted = step.first_solve(system, &holds.filters, linear, watch);
    if settings.newton_steps == 1 {
        system.book_reactions(around, &mut loads.given);
        system.book_held(&holds.filters, &mut loads.held);
    }
    step.balance_momentum(system);
    system.advance(1.0);
    if settings.newton_steps > 1 {
        step.newton(system, settings, scale, &mut predicted, watch);
        system.book_residuals(around, &mut loads.given);
        system.book_held_residuals(&holds.filters, &mut loads.held);
    }
    if scale > 0.0 {
        predicted.linear_residual /= scale;
    }
    let (cloths, bodies) = system.cushions.split_at(between_cloths);
    if let Some(contact) = contact {
        contact.learn(cloths, &system.velocities, rule.reach);
    }
    if let Some(faces) = faces.as_deref() {
        faces.book_cushions(bodies, &system.velocities, &mut loads.given);
    }
    system.learn_attachments(rule.reach);
    watch.lap(|times| &mut times.solve);

    let velocities = &system.velocities;
    parallel::fill(&mut trial.candidates, |i| Candidate {
        position: rule.end(i, velocities[i]),
        velocity: velocities[i],
    });
    predicted
}

/// What a step's parts have in common.
#[derive(Clone, Copy)]
struct Newton<'a> {
    context: &'a Context<'a>,
    model: &'a Model,
    rule: Rule<'a>,
}

impl Newton<'_> {
    /// Puts the first iterate into the system: the positions as they are, the rule's first velocity.
    fn start(&self, system: &mut System) {
        let (state, rule) = (self.context.state, self.rule);
        system.positions.copy_from_slice(&state.positions);
        parallel::fill(&mut system.velocities, |i| rule.first_velocity(i));
    }

    /// `M (v̂ − v) + H M (g − c v)`: everything of the right side but the energies' share.
    fn outer_impulse(&self, i: usize, velocity: DVec3) -> DVec3 {
        let drag = self.model.air_damping[i] * velocity;
        let inertia = self.rule.velocity(i) - velocity;
        let pull = self.context.pull(i) - drag;
        self.model.masses[i] * (inertia + self.rule.reach * pull)
    }

    /// Matrix and right side at the system's iterate; `ahead` as in [`Weights`].
    fn assemble(&self, system: &mut System, ahead: f64) {
        let (model, reach) = (self.model, self.rule.reach);
        let System {
            plan,
            matrix,
            right_side,
            positions,
            velocities,
            ..
        } = system;
        parallel::fill(&mut matrix.diagonal, |i| {
            let mass = model.masses[i] * (1.0 + reach * model.air_damping[i]);
            DMat3::from_diagonal(DVec3::splat(mass))
        });
        right_side.fill(DVec3::ZERO);
        let weights = Weights {
            stiffness: reach * reach,
            damping: reach,
            ahead,
        };
        let memory = self.context.state.memory();
        plan.add_systems(
            &model.energies,
            &memory,
            positions,
            velocities,
            &weights,
            (matrix, right_side),
        );
        let velocities = &*velocities;
        parallel::for_each(right_side, |i, value| {
            *value = self.outer_impulse(i, velocities[i]) + reach * *value;
        });
    }

    /// The right side alone at the system's iterate.
    fn residual(&self, system: &mut System) {
        let System {
            plan,
            right_side,
            positions,
            velocities,
            ..
        } = system;
        right_side.fill(DVec3::ZERO);
        let memory = self.context.state.memory();
        plan.add_forces(
            &self.model.energies,
            &memory,
            positions,
            velocities,
            right_side,
        );
        let velocities = &*velocities;
        parallel::for_each(right_side, |i, value| {
            *value = self.outer_impulse(i, velocities[i]) + self.rule.reach * *value;
        });
    }

    /// What residuals are small against: the right side or the impulse of gravity, whichever is larger.
    fn scale(&self, system: &System) -> f64 {
        let masses = &self.model.masses;
        let squares = parallel::sum(masses.len(), |i| {
            (masses[i] * self.context.pull(i)).length_squared()
        });
        let weight = self.rule.reach * squares.sqrt();
        let right_side = &system.right_side;
        dot(right_side, right_side).sqrt().max(weight)
    }

    /// The first solve, with the supports settled on the way.
    fn first_solve(
        &self,
        system: &mut System,
        holds: &[Filter],
        settings: SolveSettings,
        watch: &mut Watch,
    ) -> Predicted {
        // Which supports hold shows long before the last digits do.
        let rough = SolveSettings {
            residual: ROUGH * settings.residual,
            ..settings
        };
        let mut iterations = 0;
        system.keep_plain();
        system.renew_cushions();
        for round in 1..=MOST_ROUNDS {
            if system.is_settled() {
                break;
            }
            iterations += system.solve_supported(holds, rough, watch).iterations;
            let unsettled = system.revise(round >= SUPPORT_ROUNDS);
            system.renew_cushions();
            if !unsettled {
                break;
            }
        }
        let outcome = system.solve_supported(holds, settings, watch);
        Predicted {
            converged: outcome.converged,
            iterations: iterations + outcome.iterations,
            newton_steps: 1,
            linear_residual: outcome.residual,
            force_residual: None,
        }
    }

    /// More Newton steps, until the residual is small or there have been enough.
    fn newton(
        &self,
        system: &mut System,
        settings: &ImplicitSettings,
        scale: f64,
        predicted: &mut Predicted,
        watch: &mut Watch,
    ) {
        let rule = self.rule;
        let target = settings.newton_tolerance * scale;
        loop {
            system.place(|i, velocity| rule.end(i, velocity));
            self.assemble(system, 0.0);
            system.add_friction();
            system.add_cushions();
            let left = system.residual_norm();
            predicted.force_residual = Some(if scale > 0.0 { left / scale } else { 0.0 });
            watch.lap(|times| &mut times.assemble);
            if left <= target {
                return;
            }
            if predicted.newton_steps >= settings.newton_steps || !left.is_finite() {
                predicted.converged = false;
                return;
            }
            system.change.fill(DVec3::ZERO);
            // As exact as it can matter (inexact Newton), and never more than the step as a whole asks for.
            let forcing = SolveSettings {
                residual: (settings.tolerance * left).max(0.1 * target),
                iterations: settings.max_iterations,
            };
            let outcome = system.solve(forcing, watch);
            predicted.iterations += outcome.iterations;
            predicted.linear_residual = outcome.residual;
            predicted.newton_steps += 1;
            self.line_search(system);
            watch.lap(|times| &mut times.assemble);
        }
    }

    /// Moves the iterate along the change, by less than all of it where that overshoots.
    ///
    /// The right side is minus the gradient of the step's potential, so its product with the change is
    /// positive at the start and must not have turned strongly negative at the end.
    fn line_search(&self, system: &mut System) {
        let rule = self.rule;
        let before = dot(&system.right_side, &system.change);
        let mut length = 1.0;
        system.advance(1.0);
        for _ in 0..LINE_SEARCH_STEPS {
            system.place(|i, velocity| rule.end(i, velocity));
            self.residual(system);
            system.add_friction_impulse();
            system.add_cushion_impulses();
            let after = dot(&system.right_side, &system.change);
            if after >= -OVERSHOOT * before.abs() {
                return;
            }
            // Where the straight line through the two products crosses zero; a product that is not a number
            // asks for a much shorter step.
            let crossing = before / (before - after);
            let shorter = length
                * if crossing.is_finite() {
                    crossing.clamp(0.1, 0.7)
                } else {
                    0.1
                };
            system.advance(shorter - length);
            length = shorter;
        }
    }

    /// Shifts each cloth that nothing holds so that the right side's momentum is exactly what it gains. Cloths that push each other
    /// are shifted as one.
    fn balance_momentum(&self, system: &mut System) {
        let cloths = &self.model.cloths;
        system.link_cloths(self.model);
        for leader in 0..cloths.len() {
            let is_member = |&cloth: &usize| system.linked[cloth] == leader;
            let members = || (0..cloths.len()).filter(is_member);
            // Air resists translation too; its share of the matrix is not in the sums below. Where something supports the cloth,
            // the reaction is a force like any other.
            let is_free = |cloth: usize| {
                let nodes = &cloths[cloth].nodes;
                self.context.is_unheld(cloth)
                    && !self.model.in_air(nodes)
                    && !system.supports.iter().any(|s| nodes.contains(&s.node))
                    && !system.leans_on_bodies(nodes)
            };
            if !members().all(is_free) {
                continue;
            }
            let mut left = DVec3::ZERO;
            let mut inertia = 0.0;
            for cloth in members().map(|c| &cloths[c]) {
                let drag = 1.0 + self.rule.reach * cloth.air_damping;
                for i in cloth.nodes.clone() {
                    left += system.right_side[i] - drag * self.model.masses[i] * system.change[i];
                    inertia += drag * self.model.masses[i];
                }
            }
            for cloth in members() {
                for change in &mut system.change[cloths[cloth].nodes.clone()] {
                    *change += left / inertia;
                }
            }
        }
    }
}

/// How often a Newton step may be shortened.
const LINE_SEARCH_STEPS: usize = 10;
/// How far the product of residual and change may go beyond zero, relative to where it began.
const OVERSHOOT: f64 = 0.5;
