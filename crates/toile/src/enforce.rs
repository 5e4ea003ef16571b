//! The limits' part of a step: candidates in, candidates that hold out.
//!
//! Limits come after the integrator and before contact. They move positions by `Δx`; the velocities follow the integrator's own
//! rule, `Δv = Δx / H`, with `H` its [reach](crate::integrate::Integrator): the step itself for backward Euler, two thirds of it for
//! BDF2. Two exceptions, both of [mixed schemes](crate::integrate::mixed): strain limits filter their velocities, in the middle
//! of the step and at its end ([`LimitWork::filter_velocities`]); and the limited scheme has all limits in its middle.
//!
//! **The net.** A limit that fails may leave edges at any length, the next step starts from there, and cloth explodes. Where a limit
//! of equations or inequalities has not converged, edges are therefore brought back within coarse bounds by a few sweeps of
//! [strain limiting](crate::limit::strain), which always help. The report keeps what the limit itself had left.

use crate::contact::{Pinch, Surroundings, Trial, book, obstacles};
use crate::hold::Context;
use crate::limit::strain::{StrainBounds, StrainLimit, StrainScratch, StrainSettings};
use crate::limit::{Limit, LimitReport, LimitScratch, LimitStep, Obstacle};
use crate::model::Model;
use crate::parallel;
use glam::DVec3;

/// What the limits of a model work in.
#[derive(Debug)]
pub(crate) struct LimitWork {
    scratch: Vec<LimitScratch>,
    nets: Vec<Option<StrainLimit>>,
    net_scratch: StrainScratch,
    positions: Vec<DVec3>,
    /// What the limits remember, one after another, as it will be after the step.
    forces: Vec<f64>,
    /// Whether a node belongs to a cloth whose limit heeds obstacles.
    heeds: Vec<bool>,
    obstacles: Vec<Obstacle>,
    /// What they did in the last limit: node and impulse (kg·m).
    pushes: Vec<(u32, DVec3)>,
    /// The nearest obstacle of each node, and which body it is.
    obstacle_of_node: Vec<Option<(Obstacle, u32)>>,
    /// How well those held that have acted in this step, all in one.
    report: Option<LimitReport>,
}

impl LimitWork {
    /// Room for a model's limits, if it has any.
    pub(crate) fn for_model(model: &Model) -> Option<Self> {
        if model.limits.is_empty() {
            return None;
        }
        let nodes = model.node_count();
        let mut heeds = vec![false; nodes];
        for (cloth, limit) in &model.limits {
            if limit.heeds_obstacles() {
                heeds[model.cloths[*cloth].nodes.clone()].fill(true);
            }
        }
        Some(LimitWork {
            scratch: model.limits.iter().map(|(_, l)| l.scratch()).collect(),
            nets: model.limits.iter().map(|l| net(model, l)).collect(),
            net_scratch: StrainScratch::default(),
            positions: vec![DVec3::ZERO; nodes],
            forces: vec![0.0; model.limit_memory()],
            heeds,
            obstacles: Vec::new(),
            pushes: Vec::new(),
            obstacle_of_node: vec![None; nodes],
            report: None,
        })
    }

    /// How well the limits hold at these positions, the worst of them, with what they did in this step; `None` if none has acted.
    /// Contact moves cloth after the limits have: what they left then is not what is committed.
    pub(crate) fn certify(&self, model: &Model, positions: &[DVec3]) -> Option<LimitReport> {
        let report = self.report?;
        let limits = model.limits.iter().map(|(_, limit)| limit);
        let mut committed = report;
        for limit in limits {
            let residual = limit.residual(positions);
            committed.residual = committed.residual.max(residual);
            committed.converged &= residual <= limit.tolerance().max(report.residual);
        }
        Some(committed)
    }

    /// A new step begins.
    pub(crate) fn forget(&mut self) {
        self.report = None;
    }

    /// Changes velocities (m/s) so that nodes which start at `positions` and move with them for the step arrive within the
    /// strain limits' bounds.
    pub(crate) fn filter_velocities(
        &mut self,
        context: &Context,
        positions: &[DVec3],
        velocities: &mut [DVec3],
    ) {
        let step = LimitStep {
            h: context.h,
            start: positions,
            inverse_masses: &context.model.inverse_masses,
            filters: &context.holds.filters,
        };
        for ((_, limit), scratch) in context.model.limits.iter().zip(&mut self.scratch) {
            if let (Limit::Strain(strain), LimitScratch::Strain(scratch)) = (limit, scratch) {
                let report = strain.filter_velocities(&step, scratch, positions, velocities);
                self.report = LimitReport::worst(self.report, Some(report));
            }
        }
    }

    /// Moves the candidates until the limits hold that have not filtered velocities already.
    pub(crate) fn apply(&mut self, context: &Context, around: &Surroundings, trial: &mut Trial) {
        let Context {
            model,
            state,
            h,
            reach,
            ..
        } = *context;
        let filters = &context.holds.filters;
        let filtered = model.integrator.filters_strain();
        let done = |limit: &Limit| filtered && matches!(limit, Limit::Strain(_));
        if model.limits.iter().all(|(_, limit)| done(limit)) {
            return;
        }
        self.find_obstacles(context, around, trial);
        let (candidates, given) = (&mut trial.candidates, &mut trial.loads.given);
        for (position, candidate) in self.positions.iter_mut().zip(&*candidates) {
            *position = candidate.position;
        }
        let step = LimitStep {
            h,
            start: &state.positions,
            inverse_masses: &model.inverse_masses,
            filters,
        };
        // A state made before the model got its limits remembers nothing.
        let known = state.limit_forces.len() == self.forces.len();
        self.forces.fill(0.0);
        if known {
            self.forces.copy_from_slice(&state.limit_forces);
        }
        let mut forces = self.forces.as_mut_slice();
        let limits = model.limits.iter().zip(&mut self.scratch);
        for (((cloth, limit), scratch), net) in limits.zip(&self.nets) {
            let (own, rest) = forces.split_at_mut(limit.memory());
            forces = rest;
            if done(limit) {
                continue;
            }
            let report = limit.apply(&step, &self.obstacles, own, scratch, &mut self.positions);
            if let Some(net) = net
                && !report.converged
            {
                net.apply_among(
                    &step,
                    &self.obstacles,
                    &mut self.net_scratch,
                    &mut self.positions,
                );
            }
            self.report = LimitReport::worst(self.report, Some(report));
            self.pushes.clear();
            scratch.pushes(&model.masses, &mut |node, push| {
                self.pushes.push((node, push))
            });
            let nodes = model.cloths[*cloth].nodes.clone();
            if nodes.clone().all(|i| context.is_free(i)) {
                let positions = &self.positions;
                let moved =
                    nodes.map(|i| model.masses[i] * (positions[i] - candidates[i].position));
                balance(&mut self.pushes, moved.sum());
            }
            for &(node, push) in &self.pushes {
                let (i, impulse) = (node as usize, push / reach);
                match (around.pinch(i), self.obstacle_of_node[i]) {
                    (Some(pinch), _) => pinch.book(&mut given[i], impulse),
                    (None, Some((_, body))) => book(&mut given[i], body as usize, impulse),
                    (None, None) => {}
                }
            }
        }
        let positions = &self.positions;
        parallel::for_each(candidates, |i, candidate| {
            candidate.velocity += (positions[i] - candidate.position) / reach;
            candidate.position = positions[i];
        });
    }

    /// What the limits remember of the step.
    pub(crate) fn forces(&self) -> &[f64] {
        &self.forces
    }

    /// The bodies that a limit might push free nodes into: those nearer than the node has moved in this step.
    fn find_obstacles(&mut self, context: &Context, around: &Surroundings, trial: &Trial) {
        let Context {
            model,
            state,
            h,
            reach,
            ..
        } = *context;
        let (candidates, given) = (&trial.candidates, &trial.loads.given);
        self.obstacles.clear();
        if around.is_empty() {
            return;
        }
        let heeds = &self.heeds;
        parallel::fill(&mut self.obstacle_of_node, |i| {
            if !heeds[i] || !context.is_free(i) {
                return None;
            }
            let (start, end) = (state.positions[i], candidates[i].position);
            let offset = around.offsets[i];
            if let Some(pinch) = around.pinch(i) {
                let slip = state.velocities[i] - pinch.way / h;
                let grip = reach * pinch.left(&given[i], slip, reach);
                let target = start + pinch.way;
                return Some(between(i as u32, pinch, (end - target, slip), grip));
            }
            let near = obstacles(&around.bodies, i).filter_map(|(number, body)| {
                let sample = body.way_out(end, offset)?;
                let gap = sample.distance - body.kept(start, offset);
                let carried = body.carry(start);
                let slip = end - carried;
                let sliding = state.velocities[i] - (carried - start) / h;
                let obstacle = Obstacle {
                    node: i as u32,
                    normal: sample.normal,
                    gap,
                    friction: body
                        .friction
                        .at_speed(sliding.reject_from_normalized(sample.normal).length()),
                    slip,
                    grip: None,
                };
                (gap <= slip.length() + model.contact_offsets[i])
                    .then_some((obstacle, number as u32))
            });
            near.min_by(|(a, _), (b, _)| a.gap.total_cmp(&b.gap))
        });
        let found = self.obstacle_of_node.iter().flatten();
        self.obstacles.extend(found.map(|(obstacle, _)| obstacle));
    }
}

/// A pinched node's obstacle: the way off the place between the bodies (m), the velocity relative to them (m/s) and what friction may still do
/// (kg·m). Between bodies it stays.
fn between(
    node: u32,
    pinch: &Pinch,
    (off, velocity): (DVec3, DVec3),
    grip: f64,
) -> (Obstacle, u32) {
    let [a, b] = pinch.friction(velocity).map(|f| f.at_rest);
    let obstacle = Obstacle {
        node,
        normal: pinch.normal,
        gap: off.dot(pinch.normal),
        friction: 0.5 * (a + b),
        slip: off,
        grip: Some(grip),
    };
    (obstacle, pinch.bodies[0] as u32)
}

/// How far edges may be off before the net takes hold of them: more than any limit leaves that is only slow to converge.
const NET: f64 = 0.1;
/// Its sweeps at the most.
const NET_SWEEPS: u32 = 50;

/// The net under a limit that may fail badly.
fn net(model: &Model, (cloth, limit): &(usize, Limit)) -> Option<StrainLimit> {
    if matches!(limit, Limit::Strain(_) | Limit::Area(_)) {
        return None; // edge by edge or area by area, nothing runs away
    }
    let cloth = &model.cloths[*cloth];
    let bounds = |compression| StrainBounds {
        stretch: NET,
        compression,
    };
    // What may shrink by itself is not stretched again.
    let compression = match limit {
        Limit::Inequality(_) => 1.0,
        _ => 2.0 * NET,
    };
    let settings = StrainSettings {
        edges: bounds(compression),
        cross_edges: None,
        max_sweeps: NET_SWEEPS,
        ..Default::default()
    };
    let first = cloth.nodes.start as u32;
    StrainLimit::new(&cloth.topology, &cloth.rest, first, settings).ok()
}

/// Changes what obstacles pushed with (kg·m), each by a part of its size, so that it adds up to the momentum that a limit gave to its cloth. A
/// solver that stops as soon as lengths are right has the sum, but not yet what each node got of it.
fn balance(pushes: &mut [(u32, DVec3)], total: DVec3) {
    let sum: DVec3 = pushes.iter().map(|(_, push)| *push).sum();
    let size: f64 = pushes.iter().map(|(_, push)| push.length()).sum();
    if size > 0.0 {
        for (_, push) in pushes {
            *push += push.length() / size * (total - sum);
        }
    }
}
