//! What cloth does to bodies and to those who hold it.
//!
//! Several parts of a step push nodes away from bodies: the implicit solve, limits, the trace after it,
//! contact between cloths. Each records the impulse that a body gave to a node; the body got the opposite.
//! All of it counts as *impulses of the step's velocity* (N·s): an integrator that follows velocities for `H`
//! seconds (its [reach](crate::integrate::Integrator)) turns a force `f` into `H f` of them. So a node at
//! rest weighs on its body with `m g` whatever the rule. Corrections of positions alone are no forces.

use super::Placement;
use crate::hold::{Attachment, Context, Holder};
use glam::DVec3;

/// The force of cloth on a body, or on whoever holds it, during a step or on average over several.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Load {
    /// N
    pub force: DVec3,
    /// About the origin of the body's or the grasp's own frame where it stands at the end; for a pin, about the middle of its
    /// nodes (N·m).
    pub torque: DVec3,
    /// How many nodes pressed or pulled, at the most at once.
    pub nodes: usize,
}

impl Load {
    fn add(&mut self, other: &Load, weight: f64) {
        self.force += weight * other.force;
        self.torque += weight * other.torque;
        self.nodes = self.nodes.max(other.nodes);
    }

    /// Adds a force (N) at the end of an arm (m).
    fn pull(&mut self, force: DVec3, arm: DVec3) {
        self.force += force;
        self.torque += arm.cross(force);
        self.nodes += 1;
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

/// The loads of a step, and of those steps that cover a span of time.
#[derive(Debug, Default)]
struct Ledger {
    step: Vec<Load>,
    /// Force times time of steps that may still be taken back, and of those that stay.
    pending: Vec<Load>,
    kept: Vec<Load>,
}

impl Ledger {
    /// Empty, for so many bodies or holders.
    fn begin_span(&mut self, count: usize) {
        for list in [&mut self.step, &mut self.pending, &mut self.kept] {
            list.clear();
            list.resize(count, Load::default());
        }
    }

    fn begin_step(&mut self, count: usize) {
        self.step.clear();
        self.step.resize(count, Load::default());
    }

    fn hold(&mut self, h: f64) {
        for (sum, load) in self.pending.iter_mut().zip(&self.step) {
            sum.add(load, h);
        }
    }

    fn drop_pending(&mut self) {
        self.pending.fill(Load::default());
    }

    fn keep_pending(&mut self) {
        for (sum, load) in self.kept.iter_mut().zip(&self.pending) {
            sum.add(load, 1.0);
        }
        self.drop_pending();
    }

    fn end_span(&mut self, duration: f64) {
        for (load, sum) in self.step.iter_mut().zip(&self.kept) {
            *load = Load {
                force: sum.force / duration,
                torque: sum.torque / duration,
                nodes: sum.nodes,
            };
        }
    }
}

/// The books of a step, and those of the steps that cover a span of time.
#[derive(Debug, Default)]
pub(crate) struct Loads {
    /// What bodies gave, by node.
    pub given: Vec<Given>,
    /// What whoever holds a node gave to it (N·s), by node.
    pub held: Vec<DVec3>,
    bodies: Ledger,
    pins: Ledger,
    grasps: Ledger,
}

impl Loads {
    pub fn new(nodes: usize, bodies: usize) -> Self {
        Loads {
            // Without bodies nobody books anything.
            given: vec![Vec::new(); if bodies > 0 { nodes } else { 0 }],
            held: vec![DVec3::ZERO; nodes],
            ..Loads::default()
        }
    }

    /// A new step begins.
    pub fn clear(&mut self) {
        self.given.iter_mut().for_each(Vec::clear);
        self.held.fill(DVec3::ZERO);
    }

    /// Adds up what was booked in a step that ended with the state.
    pub fn add_up(&mut self, context: &Context, bodies: &[Placement], attachments: &[Attachment]) {
        let (positions, reach) = (&context.state.positions, context.reach);
        self.bodies.begin_step(bodies.len());
        for (given, &position) in self.given.iter().zip(positions) {
            for &(body, impulse) in given {
                let arm = position - bodies[body as usize].end.translation;
                self.bodies.step[body as usize].pull(-impulse / reach, arm);
            }
        }
        self.add_up_holders(context, attachments);
    }

    fn add_up_holders(&mut self, context: &Context, attachments: &[Attachment]) {
        let Context {
            model,
            state,
            holds,
            reach,
            ..
        } = *context;
        let grasps = &state.commanded.grasps;
        self.pins.begin_step(model.pins.len());
        self.grasps.begin_step(grasps.len());
        let middles = model.pins.iter().map(|pin| {
            let places = pin.nodes.iter().map(|&n| state.positions[n as usize]);
            places.sum::<DVec3>() / pin.nodes.len().max(1) as f64
        });
        let middles: Vec<DVec3> = middles.collect();
        let frame = |g: u32| grasps[g as usize].travel.pose(state.time).translation;
        for (i, holder) in holds.holders.iter().enumerate() {
            let (load, centre) = match *holder {
                Holder::None => continue,
                Holder::Pin(pin) => (&mut self.pins.step[pin as usize], middles[pin as usize]),
                Holder::Grasp(grasp) => (&mut self.grasps.step[grasp as usize], frame(grasp)),
            };
            load.pull(-self.held[i] / reach, state.positions[i] - centre);
        }
        for attachment in attachments {
            let (force, place) = attachment.load(&state.positions);
            let load = &mut self.grasps.step[attachment.grasp as usize];
            load.pull(-force, place - frame(attachment.grasp));
        }
    }

    fn ledgers(&mut self) -> [&mut Ledger; 3] {
        [&mut self.bodies, &mut self.pins, &mut self.grasps]
    }

    /// A span of time begins in a world with so many bodies, pins and grasps.
    pub fn begin_span(&mut self, counts: [usize; 3]) {
        for (ledger, count) in self.ledgers().into_iter().zip(counts) {
            ledger.begin_span(count);
        }
    }

    /// A step of this length (s) was made.
    pub fn hold(&mut self, h: f64) {
        self.ledgers().into_iter().for_each(|ledger| ledger.hold(h));
    }

    /// The steps since the last one that stays are taken back.
    pub fn drop_pending(&mut self) {
        self.ledgers().into_iter().for_each(Ledger::drop_pending);
    }

    /// They stay.
    pub fn keep_pending(&mut self) {
        self.ledgers().into_iter().for_each(Ledger::keep_pending);
    }

    /// The span has ended after so many seconds: its mean takes the place of the last step.
    pub fn end_span(&mut self, duration: f64) {
        self.ledgers()
            .into_iter()
            .for_each(|ledger| ledger.end_span(duration));
    }

    /// On each body.
    pub fn on_bodies(&self) -> &[Load] {
        &self.bodies.step
    }

    /// On each pin of the model.
    pub fn on_pins(&self) -> &[Load] {
        &self.pins.step
    }

    /// On each grasp, in the order of the state.
    pub fn on_grasps(&self) -> &[Load] {
        &self.grasps.step
    }
}
