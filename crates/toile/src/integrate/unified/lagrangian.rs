//! The Lagrangian of a step: where its quadratic model is taken, its gradient and its matrix.

use super::{ContactRow, Step, Unified, free_norm};
use crate::energy::Weights;
use crate::hold::{Attachment, Context};
use crate::parallel;
use glam::{DMat3, DVec3};

impl Step<'_> {
    /// Takes the quadratic model of inertia and energies, places the search point, and recalls the rows.
    pub(super) fn begin(&self, solve: &mut Unified) {
        let Context {
            model,
            state,
            holds,
            ..
        } = *self.context;
        let (rule, reach) = (self.rule, self.rule.reach);
        solve.attachments.clone_from(&holds.attachments);
        for attachment in &mut solve.attachments {
            attachment.prepare(|i| rule.position(i), reach);
        }
        parallel::fill(&mut solve.velocities, |i| rule.first_velocity(i));
        solve.search.copy_from_slice(&state.positions);
        self.linearise(solve, rule.step);
        let velocities = &solve.velocities;
        parallel::fill(&mut solve.reference, |i| rule.end(i, velocities[i]));
        solve.committed.copy_from_slice(&state.positions);
        // What nothing stops goes on getting faster as it did. Elsewhere the last change of velocities may have been an impact.
        let free = solve.limits.is_empty() && solve.pairs.is_none() && solve.bodies.is_none();
        let growth = if free { 1.0 } else { 0.0 };
        parallel::fill(&mut solve.search, |i| {
            let guess = rule.end(i, state.velocities[i] + growth * state.last_change[i]);
            holds.filters[i].constrain(holds.targets[i], guess)
        });
        let unit = reach * reach;
        solve
            .limits
            .begin(model, &state.positions, &state.limit_forces, unit);
        solve.rows.clear();
        solve.matrix.begin();
        if let Some(pairs) = solve.pairs.as_deref_mut() {
            pairs.begin(&state.positions);
        }
        if let Some(bodies) = solve.bodies.as_deref_mut() {
            bodies.begin(self.context, self.around);
        }
        // Contacts of the step before push from the start; what would meet on the way is found at once.
        self.find_rows(solve, 0.0);
        for row in &mut solve.rows {
            row.radius = row.cone(0.0);
            let key = row.key;
            if let Ok(at) = state.contacts.binary_search_by_key(&key, |kept| kept.key) {
                let kept = &state.contacts[at];
                row.push = unit * kept.push;
                row.radius = row.cone(row.push);
                let drag = (unit * kept.drag).reject_from_normalized(row.normal);
                row.drag = drag.clamp_length_max(row.radius);
            }
        }
    }

    /// Matrix and right side of inertia and energies at the search point; `ahead` as in [`Weights`].
    fn linearise(&self, solve: &mut Unified, ahead: f64) {
        let (model, reach) = (self.context.model, self.rule.reach);
        let Unified {
            plan,
            base,
            right_side,
            search,
            velocities,
            attachments,
            ..
        } = solve;
        parallel::fill(&mut base.diagonal, |i| {
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
        let system = (&mut *base, &mut right_side[..]);
        plan.add_systems(
            &model.energies,
            &memory,
            search,
            velocities,
            &weights,
            system,
        );
        let (context, rule, velocities) = (self.context, self.rule, &*velocities);
        parallel::for_each(right_side, |i, value| {
            let drag = model.air_damping[i] * velocities[i];
            let inertia = rule.velocity(i) - velocities[i];
            let pull = context.pull(i) - drag;
            *value = model.masses[i] * (inertia + reach * pull) + reach * *value;
        });
        for attachment in attachments.iter() {
            attachment.add_impulse(velocities, right_side);
        }
    }

    /// The gradient of the Lagrangian at the search point; energies are linearised there too if asked for. Answers its norm in the
    /// free directions (kg·m).
    pub(super) fn evaluate(&self, solve: &mut Unified, again: bool) -> f64 {
        let (model, rule) = (self.context.model, self.rule);
        if again && (self.settings.newton_steps > 1 || solve.has_left_its_model()) {
            let search = &solve.search;
            parallel::fill(&mut solve.velocities, |i| rule.velocity_to(i, search[i]));
            self.linearise(solve, 0.0);
            solve.reference.copy_from_slice(&solve.search);
        }
        let Unified {
            base,
            right_side,
            reference,
            search,
            saved,
            smooth,
            downhill,
            balance,
            product,
            limits,
            rows,
            attachments,
            ..
        } = solve;
        let (from, to) = (&*reference, &*search);
        parallel::fill(saved, |i| to[i] - from[i]);
        base.multiply(saved, product);
        for attachment in attachments.iter() {
            attachment.coupling().add_product(saved, product);
        }
        let (right_side, product, reach) = (&*right_side, &*product, rule.reach);
        parallel::fill(smooth, |i| product[i] - reach * right_side[i]);
        downhill.copy_from_slice(smooth);
        balance.copy_from_slice(smooth);
        limits.evaluate(model, search);
        limits.add_gradient(model, [&mut *downhill, &mut *balance]);
        parallel::for_each(downhill, |_, g| *g = -*g);
        parallel::for_each(balance, |_, g| *g = -*g);
        for row in rows.iter() {
            let force = row.force(row.combine(search));
            for (&node, &weight) in row.nodes.iter().zip(&row.weights) {
                downhill[node as usize] += weight * force;
                balance[node as usize] += weight * force;
            }
        }
        free_norm(&solve.downhill, self.context)
    }

    /// The matrix of the Lagrangian where its gradient was taken last.
    pub(super) fn fill_matrix(&self, solve: &mut Unified) {
        let Unified {
            base,
            matrix,
            search,
            limits,
            rows,
            couplings,
            attachments,
            ..
        } = solve;
        matrix.mesh.diagonal.copy_from_slice(&base.diagonal);
        matrix.mesh.lower.copy_from_slice(&base.lower);
        limits.add_matrix(self.context.model, &mut matrix.mesh);
        couplings.clear();
        couplings.extend(attachments.iter().map(Attachment::coupling));
        let coupling = |row: &ContactRow| row.coupling(row.combine(search));
        couplings.extend(rows.iter().filter_map(coupling));
        matrix.add(couplings);
    }
}
