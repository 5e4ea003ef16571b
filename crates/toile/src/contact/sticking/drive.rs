//! Which nodes stick during a step, and where they are led.

use crate::body::{Adhesion, Anchor, Placement, Region, Shape, Sticky, Stuck, left_to_adhesion};
use crate::hold::Holds;
use crate::linalg::Filter;
use crate::model::Model;
use crate::parallel;
use crate::state::State;
use glam::DVec3;

/// Whether anything sticky that is at work can be torn off, so that what acts on the nodes must be known.
pub(crate) fn asks_for_forces(model: &Model, time: f64, h: f64) -> bool {
    let now = time + 1e-9 * h;
    let adhesions = &model.body_contact.adhesions;
    let may_tear = |a: &Adhesion| a.strength.is_finite();
    adhesions.iter().any(|a| a.is_active(now)) && adhesions.iter().any(may_tear)
}

/// Lets go of nodes that no longer stick to bodies, catches those that do now, and leads them all with their bodies, which have been placed. A step belongs
/// to an adhesion if that is at work when it begins. Pins come first. `forces` are what acts on the nodes as the step begins (N), if
/// [asked for](asks_for_forces).
pub(crate) fn drive_stuck(
    model: &Model,
    state: &mut State,
    holds: &mut Holds,
    bodies: &[Placement],
    forces: &[DVec3],
    h: f64,
) {
    let adhesions = &model.body_contact.adhesions;
    if adhesions.is_empty() {
        return;
    }
    let now = state.time + 1e-9 * h;
    let at_work = |a: &Adhesion| !a.is_on_cloth() && a.is_active(now);
    let active: Vec<bool> = adhesions.iter().map(at_work).collect();
    if !active.contains(&true) {
        state.stuck.clear();
        return;
    }
    let mut before = vec![None; model.node_count()];
    for &stuck in &state.stuck {
        before[stuck.node as usize] = Some(stuck);
    }
    let scene = StickContext {
        model,
        state,
        active: &active,
        bodies,
        forces,
        h,
    };
    let mut after: Vec<Option<Stuck>> = vec![None; model.node_count()];
    let filters = &holds.filters;
    parallel::fill(&mut after, |i| {
        if filters[i] != Filter::Free {
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
        holds.hold(stuck.node as usize, here, target, Filter::Held, h);
    }
}

/// What the decision depends on.
struct StickContext<'a> {
    model: &'a Model,
    state: &'a State,
    active: &'a [bool],
    /// During the step.
    bodies: &'a [Placement],
    /// What acts on the nodes (N), if any adhesion can tear.
    forces: &'a [DVec3],
    h: f64,
}

impl StickContext<'_> {
    fn target(&self, stuck: &Stuck) -> DVec3 {
        let here = self.state.positions[stuck.node as usize];
        let carried = self.bodies[stuck.body as usize].carry_anchor(&stuck.anchor);
        // A body of the other kind does not know the place.
        carried.unwrap_or(here)
    }

    fn still_holds(&self, stuck: &Stuck) -> bool {
        self.active[stuck.adhesion as usize] && self.bears(stuck)
    }

    /// The first adhesion that catches a node, and the first body to which.
    fn catch(&self, node: usize) -> Option<Stuck> {
        let adhesions = self.model.body_contact.adhesions.iter().enumerate();
        let mut at_work = adhesions.filter(|(k, a)| self.active[*k] && a.catches(node as u32));
        at_work.find_map(|(k, adhesion)| {
            let Sticky::Body { body, region } = &adhesion.to else {
                return None;
            };
            let bodies = match *body {
                Some(body) => body..body + 1,
                None => 0..self.bodies.len(),
            };
            let mut caught = bodies.filter_map(|body| {
                let anchor = self.touch(node, body, region, adhesion.reach)?;
                Some(Stuck {
                    node: node as u32,
                    adhesion: k as u32,
                    body: body as u32,
                    anchor,
                })
            });
            caught.find(|stuck| self.bears(stuck))
        })
    }

    /// Where a node touches a body, if it does.
    fn touch(&self, node: usize, body: usize, region: &Region, reach: f64) -> Option<Anchor> {
        let here = self.state.positions[node];
        let within = self.model.contact_offsets[node] + reach;
        let placed = &self.bodies[body];
        let near = placed.at_start(here, within)?;
        if near.sample.distance > within || near.caught {
            return None;
        }
        let anchor = placed.anchor(here);
        let place = match (&self.model.bodies[body].shape, &anchor) {
            (Shape::Sequence(sequence), Anchor::Face { face, weights, .. }) => {
                sequence.first_place(*face, *weights)
            }
            (_, Anchor::Frame(place)) => *place,
            _ => return None,
        };
        region.contains(place).then_some(anchor)
    }

    /// Whether the adhesion is as strong as holding the node through the step asks.
    fn bears(&self, stuck: &Stuck) -> bool {
        let adhesion = &self.model.body_contact.adhesions[stuck.adhesion as usize];
        if adhesion.strength.is_infinite() {
            return true;
        }
        let i = stuck.node as usize;
        let (here, velocity) = (self.state.positions[i], self.state.velocities[i]);
        let body = &self.bodies[stuck.body as usize];
        let change = (self.target(stuck) - here) / self.h - velocity;
        let needed = self.model.masses[i] * change / self.h - self.forces[i];
        let near = body.at_start(here, f64::INFINITY);
        let normal = near.map_or(DVec3::Z, |near| near.sample.normal);
        let left = left_to_adhesion(needed, normal, body.friction.at_rest);
        left <= adhesion.most(self.model.node_area(i))
    }
}
