//! Which nodes stick during a step, and where they are led.

use super::{Adhesion, Stuck};
use crate::contact::Shape;
use crate::contact::body::sample_at;
use crate::drive::Pose;
use crate::linalg::Filter;
use crate::model::Model;
use crate::parallel;
use crate::state::State;
use crate::step::Workspace;
use glam::DVec3;

/// Lets go of nodes that no longer stick, catches those that do now, and leads them all with their bodies. A step belongs to an
/// adhesion if that is at work when it begins. Pins come first.
pub(crate) fn drive_stuck(model: &Model, state: &mut State, workspace: &mut Workspace, h: f64) {
    let adhesions = &model.body_contact.adhesions;
    if adhesions.is_empty() {
        return;
    }
    let now = state.time + 1e-9 * h;
    let active: Vec<bool> = adhesions.iter().map(|a| a.is_active(now)).collect();
    if !active.contains(&true) {
        state.stuck.clear();
        return;
    }
    let may_tear =
        |(adhesion, active): (&Adhesion, &bool)| *active && adhesion.strength.is_finite();
    if adhesions.iter().zip(&active).any(may_tear) {
        workspace.add_up_forces(model, state);
    }
    let mut before = vec![None; model.node_count()];
    for &stuck in &state.stuck {
        before[stuck.node as usize] = Some(stuck);
    }
    let bodies = model.bodies.iter();
    let scene = Scene {
        model,
        state,
        active: &active,
        poses: bodies
            .map(|b| [b.pose(state.time), b.pose(state.time + h)])
            .collect(),
        forces: &workspace.forces,
        h,
    };
    let mut after: Vec<Option<Stuck>> = vec![None; model.node_count()];
    let holds = &workspace.holds;
    parallel::fill(&mut after, |i| {
        if holds[i] != Filter::Free {
            return None;
        }
        let kept = before[i].filter(|stuck| scene.still_holds(stuck));
        kept.or_else(|| scene.catch(i))
    });
    let targets = after.iter().flatten().map(|stuck| scene.target(stuck));
    let targets: Vec<DVec3> = targets.collect();
    state.stuck.clear();
    state.stuck.extend(after.iter().flatten());
    for (stuck, target) in state.stuck.iter().zip(targets) {
        let here = state.positions[stuck.node as usize];
        workspace.hold(stuck.node as usize, here, target, Filter::Held, h);
    }
}

/// All that decides.
struct Scene<'a> {
    model: &'a Model,
    state: &'a State,
    active: &'a [bool],
    /// Of the bodies, at both ends of the step.
    poses: Vec<[Pose; 2]>,
    /// What acts on the nodes (N), if any adhesion can tear.
    forces: &'a [DVec3],
    h: f64,
}

impl Scene<'_> {
    fn target(&self, stuck: &Stuck) -> DVec3 {
        self.poses[stuck.body as usize][1].apply(stuck.anchor)
    }

    fn still_holds(&self, stuck: &Stuck) -> bool {
        self.active[stuck.adhesion as usize] && self.bears(stuck)
    }

    /// The first adhesion that catches a node, and the first body to which.
    fn catch(&self, node: usize) -> Option<Stuck> {
        let adhesions = self.model.body_contact.adhesions.iter().enumerate();
        let mut at_work = adhesions.filter(|(k, a)| self.active[*k] && a.catches(node as u32));
        at_work.find_map(|(k, adhesion)| {
            let bodies = match adhesion.body {
                Some(body) => body..body + 1,
                None => 0..self.model.bodies.len(),
            };
            let mut caught = bodies.filter_map(|body| self.touches(node, (k, adhesion), body));
            caught.find(|stuck| self.bears(stuck))
        })
    }

    fn touches(
        &self,
        node: usize,
        (number, adhesion): (usize, &Adhesion),
        body: usize,
    ) -> Option<Stuck> {
        // What sticks is held in a body's frame, which does not follow a surface that deforms.
        if matches!(self.model.bodies[body].shape, Shape::Sequence(_)) {
            return None;
        }
        let anchor = self.poses[body][0].unapply(self.state.positions[node]);
        if !adhesion.region.contains(anchor) {
            return None;
        }
        let distance = self.model.bodies[body].shape.sample(anchor).distance;
        let gap = distance - self.model.contact_offsets[node];
        (gap <= adhesion.reach).then_some(Stuck {
            node: node as u32,
            adhesion: number as u32,
            body: body as u32,
            anchor,
        })
    }

    /// Whether the adhesion is as strong as holding the node through the step asks.
    fn bears(&self, stuck: &Stuck) -> bool {
        let strength = self.model.body_contact.adhesions[stuck.adhesion as usize].strength;
        if strength.is_infinite() {
            return true;
        }
        let i = stuck.node as usize;
        let (here, velocity) = (self.state.positions[i], self.state.velocities[i]);
        let body = &self.model.bodies[stuck.body as usize];
        let change = (self.target(stuck) - here) / self.h - velocity;
        let needed = self.model.masses[i] * change / self.h - self.forces[i];
        let normal = sample_at(&body.shape, &self.poses[stuck.body as usize][0], here).normal;
        let along = needed.dot(normal);
        let across = (needed - along * normal).length();
        let torn = (-along).max(0.0);
        let sheared = (across - body.friction.at_rest * along.max(0.0)).max(0.0);
        torn.hypot(sheared) <= strength * self.model.node_area(i)
    }
}
