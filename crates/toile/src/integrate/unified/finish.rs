//! The end of a step: momentum, what bodies and holders gave, what is remembered and reported.

use super::{ContactPoint, DONE, Predicted, Step, Unified, link_cloths};
use crate::contact::{ContactReport, Trial, book};
use crate::hold::Context;
use crate::limit::LimitReport;
use crate::linalg::Filter;
use crate::parallel;
use crate::state::KeptContact;
use glam::DVec3;

impl Step<'_> {
    /// Shifts cloth that nothing but cloth touches by what the solve left of the balance of all its nodes: energies, limits and
    /// contacts between cloths do not feel it, so that momentum is kept to rounding. Cloths that push each other are shifted as
    /// one.
    pub(super) fn balance_momentum(&self, solve: &mut Unified) {
        let (model, reach) = (self.context.model, self.rule.reach);
        let cloths = &model.cloths;
        let Unified {
            rows,
            linked,
            balance,
            committed,
            ..
        } = solve;
        let between = rows.iter().filter(|row| row.body().is_none());
        let pairs = between.map(|row| [row.nodes[0], row.nodes[3]]);
        link_cloths(model, pairs, linked);
        let touches_body = |nodes: &std::ops::Range<usize>| {
            let on_bodies = rows.iter().filter(|row| row.body().is_some());
            on_bodies
                .into_iter()
                .any(|row| nodes.contains(&(row.nodes[0] as usize)))
        };
        let is_free = |cloth: usize| {
            let nodes = &cloths[cloth].nodes;
            self.context.is_unheld(cloth) && !model.in_air(nodes) && !touches_body(nodes)
        };
        for leader in 0..cloths.len() {
            let members = || (0..cloths.len()).filter(|&cloth| linked[cloth] == leader);
            if !members().all(is_free) {
                continue;
            }
            let (mut left, mut inertia) = (DVec3::ZERO, 0.0);
            for i in members().flat_map(|cloth| cloths[cloth].nodes.clone()) {
                left += balance[i];
                inertia += model.masses[i] * (1.0 + reach * model.air_damping[i]);
            }
            for i in members().flat_map(|cloth| cloths[cloth].nodes.clone()) {
                committed[i] += left / inertia;
            }
        }
    }

    /// Books what bodies and holders gave, keeps the multipliers, and reports.
    pub(super) fn finish(
        &self,
        solve: &mut Unified,
        predicted: &Predicted,
        collisions: usize,
        done: f64,
        trial: &mut Trial,
    ) {
        let Context { model, holds, .. } = *self.context;
        let reach = self.rule.reach;
        let unit = reach * reach;
        let loads = &mut trial.loads;
        for (i, filter) in holds.filters.iter().enumerate() {
            if *filter != Filter::Free {
                let given = -solve.balance[i] / reach;
                loads.held[i] = given - filter.apply(given);
            }
        }
        solve.kept.clear();
        for row in &solve.rows {
            let force = row.push * row.normal - row.drag;
            // One that is beyond all numbers would end every step after this.
            if force == DVec3::ZERO || !force.is_finite() {
                continue;
            }
            solve.kept.push(KeptContact {
                key: row.key,
                push: row.push / unit,
                drag: row.drag / unit,
            });
            if let Some(body) = row.body() {
                for (&node, &weight) in row.nodes.iter().zip(&row.weights) {
                    book(
                        &mut loads.given[node as usize],
                        body as usize,
                        weight * force / reach,
                    );
                }
            }
        }
        let rule = self.rule;
        let committed = &solve.committed;
        parallel::fill(&mut solve.velocities, |i| rule.velocity_to(i, committed[i]));
        for attachment in &mut solve.attachments {
            attachment.learn(&solve.velocities, reach);
        }
        solve.limits.evaluate(model, &solve.committed);
        solve.limits.store(model, unit);
        let breaches = solve.rows.iter();
        let breaches = breaches.map(|row| row.breach(row.combine(&solve.committed)) / unit);
        solve.report.friction_residual = breaches.reduce(f64::max);
        solve.report.share_done = done;
        let bodies = solve.bodies.as_deref();
        solve.report.gap_between =
            bodies.and_then(|b| b.smallest_between(self.around, &solve.committed));
        solve.report.limit = (!solve.limits.is_empty()).then(|| LimitReport {
            iterations: predicted.newton_steps,
            linear_iterations: predicted.iterations,
            residual: solve.limits.worst(),
            least_multiplier: None,
            converged: solve.limits.hold(model),
        });
        solve.report.contact = solve.pairs.as_deref().map(|pairs| {
            let (near, smallest_gap) = pairs.nearest(&solve.committed);
            ContactReport {
                near,
                smallest_gap,
                collisions,
                rounds: predicted.newton_steps,
                largest_zone: 0,
                missed: usize::from(done < DONE),
            }
        });
    }
}

impl Unified {
    /// Where cloth touched in the last step, with what it got there.
    pub fn points(&self, positions: &[DVec3], reach: f64) -> Vec<ContactPoint> {
        let rows = self.rows.iter().filter(|row| row.push > 0.0);
        let unit = reach * reach;
        rows.map(|row| {
            let parts = row.nodes.iter().zip(&row.weights);
            let first = parts.filter(|(_, w)| **w > 0.0);
            ContactPoint {
                nodes: row.nodes,
                weights: row.weights,
                body: row.body().map(|b| b as usize),
                place: first.map(|(&n, &w)| w * positions[n as usize]).sum(),
                normal: row.normal,
                force: (row.push * row.normal - row.drag) / unit,
                is_sliding: row.drag.length() >= 0.999 * row.radius,
            }
        })
        .collect()
    }
}
