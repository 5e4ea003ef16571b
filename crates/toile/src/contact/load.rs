//! What cloth does to bodies.
//!
//! Several parts of a step push nodes away from bodies: the implicit solve, limits, the trace after it,
//! contact between cloths. Each records the impulse that a body gave to a node; the body got the opposite.
//! All of it counts as *impulses of the step's velocity* (N·s): an integrator that follows velocities for `H`
//! seconds (its [reach](crate::integrate::Integrator)) turns a force `f` into `H f` of them. So a node at
//! rest weighs on its body with `m g` whatever the rule. Corrections of positions alone are no forces.

use super::Placement;
use glam::DVec3;

/// The force of all cloth on a body, during a step or on average over several.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct BodyLoad {
    /// N
    pub force: DVec3,
    /// About the origin of the body's own frame where it stands at the end (N·m).
    pub torque: DVec3,
    /// How many nodes pressed, at the most at once.
    pub nodes: usize,
}

impl BodyLoad {
    fn add(&mut self, other: &BodyLoad, weight: f64) {
        self.force += weight * other.force;
        self.torque += weight * other.torque;
        self.nodes = self.nodes.max(other.nodes);
    }
}

/// What bodies gave to one node in this step: body and impulse (N·s).
pub(crate) type Given = Vec<(u32, DVec3)>;

/// Records an impulse of a body.
pub(crate) fn book(given: &mut Given, body: usize, impulse: DVec3) {
    if impulse == DVec3::ZERO {
        return;
    }
    let body = body as u32;
    match given.iter_mut().find(|(known, _)| *known == body) {
        Some((_, sum)) => *sum += impulse,
        None => given.push((body, impulse)),
    }
}

/// The records of a step, and those of the steps that cover a span of time.
#[derive(Debug, Default)]
pub(crate) struct Loads {
    /// By node.
    pub given: Vec<Given>,
    step: Vec<BodyLoad>,
    /// Force times time of steps that may still be taken back, and of those that stay.
    pending: Vec<BodyLoad>,
    kept: Vec<BodyLoad>,
}

impl Loads {
    pub fn new(nodes: usize, bodies: usize) -> Self {
        let nothing = || vec![BodyLoad::default(); bodies];
        Loads {
            // Without bodies nothing is recorded.
            given: vec![Vec::new(); if bodies > 0 { nodes } else { 0 }],
            step: nothing(),
            pending: nothing(),
            kept: nothing(),
        }
    }

    /// A new step begins.
    pub fn clear(&mut self) {
        self.given.iter_mut().for_each(Vec::clear);
    }

    /// Adds up what was recorded in a step that follows velocities for `reach` seconds and ended at these
    /// positions.
    pub fn add_up(&mut self, bodies: &[Placement], positions: &[DVec3], reach: f64) {
        self.step.fill(BodyLoad::default());
        for (given, &position) in self.given.iter().zip(positions) {
            for &(body, impulse) in given {
                let load = &mut self.step[body as usize];
                let force = -impulse / reach;
                let arm = position - bodies[body as usize].end.translation;
                load.force += force;
                load.torque += arm.cross(force);
                load.nodes += 1;
            }
        }
    }

    /// A span of time begins.
    pub fn begin_span(&mut self) {
        self.kept.fill(BodyLoad::default());
        self.drop_pending();
    }

    /// A step of this length (s) was made.
    pub fn hold(&mut self, h: f64) {
        for (sum, load) in self.pending.iter_mut().zip(&self.step) {
            sum.add(load, h);
        }
    }

    /// The steps since the last one that stays are taken back.
    pub fn drop_pending(&mut self) {
        self.pending.fill(BodyLoad::default());
    }

    /// They stay.
    pub fn keep_pending(&mut self) {
        for (sum, load) in self.kept.iter_mut().zip(&self.pending) {
            sum.add(load, 1.0);
        }
        self.drop_pending();
    }

    /// The span has ended after so many seconds: its mean takes the place of the last step.
    pub fn end_span(&mut self, duration: f64) {
        for (load, sum) in self.step.iter_mut().zip(&self.kept) {
            *load = BodyLoad {
                force: sum.force / duration,
                torque: sum.torque / duration,
                nodes: sum.nodes,
            };
        }
    }

    pub fn last(&self) -> &[BodyLoad] {
        &self.step
    }
}
