//! Who holds which node during a step, and where it is led: pins of the model, grasps that were commanded.
//!
//! A rigid hold takes directions out of the solve ([`Filter`]); a grip through a spring is an [`Attachment`], a part of the
//! solve. [`Context`] is what every phase of a step may look at once this is settled.

mod attachment;

pub(crate) use attachment::Attachment;

use crate::drive::{Grip, PinPath, Slide};
use crate::linalg::Filter;
use crate::model::Model;
use crate::state::State;
use glam::DVec3;

/// Who holds a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holder {
    /// Nobody, or something sticky.
    None,
    /// A pin of the model, by number.
    Pin(u32),
    /// A grasp, by its place in the state.
    Grasp(u32),
}

/// What is held during a step, and what acts from outside.
#[derive(Debug)]
pub(crate) struct Holds {
    /// What is left free of each node.
    pub filters: Vec<Filter>,
    /// Where each held node is to be at the end of the step (m).
    pub targets: Vec<DVec3>,
    /// Velocity that brings each held node to its target (m/s).
    pub velocities: Vec<DVec3>,
    /// Who holds each node.
    pub holders: Vec<Holder>,
    /// What is pulled by springs.
    pub attachments: Vec<Attachment>,
    /// Forces from outside (N): one for each node, or none at all.
    forces: Vec<DVec3>,
}

/// What every phase of a step may look at.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub model: &'a Model,
    pub state: &'a State,
    pub holds: &'a Holds,
    /// Length of the step (s).
    pub h: f64,
    /// By how much a position at the end of the step changes with its velocity there (s).
    pub reach: f64,
}

impl<'a> Context<'a> {
    pub fn new(model: &'a Model, state: &'a State, holds: &'a Holds, h: f64) -> Self {
        let reach = model.integrator.reach(state.last_step(), h);
        Context {
            model,
            state,
            holds,
            h,
            reach,
        }
    }

    /// Acceleration of a node by gravity and forces from outside (m/s²).
    #[inline]
    pub fn pull(&self, node: usize) -> DVec3 {
        let gravity = self.state.gravity_of(self.model, node);
        match self.holds.forces.get(node) {
            Some(force) => gravity + *force / self.model.masses[node],
            None => gravity,
        }
    }

    /// Whether nothing leads a node or a part of it.
    #[inline]
    pub fn is_free(&self, node: usize) -> bool {
        self.holds.filters[node] == Filter::Free
    }

    /// Whether neither a pin nor anything sticky ever holds a cloth, by number, and nothing grasps it now: then its momentum is
    /// its own.
    pub fn is_unheld(&self, cloth: usize) -> bool {
        let nodes = &self.model.cloths[cloth].nodes;
        self.model.never_held[cloth] && !self.state.commanded.grasps_any(nodes)
    }
}

impl Holds {
    pub fn new(nodes: usize) -> Self {
        Holds {
            filters: vec![Filter::Free; nodes],
            targets: vec![DVec3::ZERO; nodes],
            velocities: vec![DVec3::ZERO; nodes],
            holders: vec![Holder::None; nodes],
            attachments: Vec::new(),
            forces: Vec::new(),
        }
    }

    /// Writes this step's kinematic targets: which nodes are held, and the velocity that brings each to its place at the end
    /// of the step. A step belongs to a pin's interval if the interval holds at its start. What was grasped later counts.
    pub fn begin(&mut self, model: &Model, state: &mut State, h: f64) {
        self.filters.fill(Filter::Free);
        self.holders.fill(Holder::None);
        let times = [state.time + 1e-9 * h, state.time + h];
        for_each_pinned(model, state, times, |held| {
            self.hold(held.node, held.here, held.target, held.slide.filter(), h);
            self.holders[held.node] = Holder::Pin(held.pin);
        });
        self.attachments.clear();
        let (now, end) = (state.time, state.time + h);
        for (number, grasp) in state.commanded.grasps.iter().enumerate() {
            match grasp.grip {
                Grip::Rigid => {
                    for (k, &node) in grasp.nodes.iter().enumerate() {
                        let node = node as usize;
                        let (here, target) = (state.positions[node], grasp.place(k, end));
                        self.hold(node, here, target, Filter::Held, h);
                        self.holders[node] = Holder::Grasp(number as u32);
                    }
                }
                Grip::Spring { stiffness, damping } => {
                    let springs = Attachment::of(grasp, number as u32, [now, end]);
                    let share = 1.0 / grasp.anchors.len() as f64;
                    self.attachments
                        .extend(springs.map(|a| a.with(share * stiffness, share * damping)));
                }
            }
        }
        self.forces.clone_from(&state.commanded.forces);
    }

    /// Turns springs into forces at the start of the step, for integrators that know no implicit ones.
    pub fn pull_explicitly(&mut self, state: &State) {
        if self.attachments.is_empty() {
            return;
        }
        self.forces.resize(self.filters.len(), DVec3::ZERO);
        for attachment in &mut self.attachments {
            attachment.pull(&state.positions, &state.velocities);
            attachment.share(|node, force| self.forces[node] += force);
        }
    }

    /// Marks a node as held during this step in the directions that are not left `free`, moving evenly from `here` to
    /// `target`.
    pub fn hold(&mut self, node: usize, here: DVec3, target: DVec3, free: Filter, h: f64) {
        self.filters[node] = free;
        self.targets[node] = target;
        self.velocities[node] = (target - here) / h;
    }

    /// Largest distance of a held node from its target (m).
    pub fn residual(&self, positions: &[DVec3]) -> f64 {
        let held = (0..positions.len()).filter(|&i| self.filters[i] != Filter::Free);
        held.map(|i| {
            let off = positions[i] - self.targets[i];
            (off - self.filters[i].apply(off)).length()
        })
        .fold(0.0, f64::max)
    }
}

/// Where pins and grasps hold nodes at the time of the state: place (m) and what is left free, for every held node.
pub(crate) fn held_places(model: &Model, state: &mut State) -> Vec<Option<(DVec3, Filter)>> {
    let mut places = vec![None; model.node_count()];
    let now = state.time;
    for_each_pinned(model, state, [now; 2], |held| {
        places[held.node] = Some((held.target, held.slide.filter()));
    });
    for grasp in state.commanded.grasps.iter().filter(|g| g.is_rigid()) {
        for (k, &node) in grasp.nodes.iter().enumerate() {
            places[node as usize] = Some((grasp.place(k, now), Filter::Held));
        }
    }
    places
}

/// A node that a pin holds.
struct Pinned {
    pin: u32,
    node: usize,
    here: DVec3,
    target: DVec3,
    slide: Slide,
}

/// Calls `hold` for every node that is pinned at the first of the times (s), with its place at the second. Nodes that are
/// taken hold of only now are remembered where they are.
fn for_each_pinned(
    model: &Model,
    state: &mut State,
    [now, end]: [f64; 2],
    mut hold: impl FnMut(Pinned),
) {
    for (number, (pin, memory)) in model.pins.iter().zip(&mut state.pins).enumerate() {
        let interval = pin.interval_at(now);
        let taken_now = interval.is_some() && memory.interval != interval;
        memory.interval = interval;
        if interval.is_none() {
            memory.anchors.clear();
            continue;
        }
        let mut held = |node: u32, target: DVec3| {
            hold(Pinned {
                pin: number as u32,
                node: node as usize,
                here: state.positions[node as usize],
                target,
                slide: pin.slide,
            });
        };
        match &pin.path {
            PinPath::Carried(path) => {
                if taken_now {
                    let frame = path.pose(state.time);
                    let place = |&n: &u32| frame.unapply(state.positions[n as usize]);
                    memory.anchors = pin.nodes.iter().map(place).collect();
                }
                let frame = path.pose(end);
                for (&node, &anchor) in pin.nodes.iter().zip(&memory.anchors) {
                    held(node, frame.apply(anchor));
                }
            }
            PinPath::Recorded(trajectory) => {
                for (k, &node) in pin.nodes.iter().enumerate() {
                    held(node, trajectory.position(k, end));
                }
            }
        }
    }
}
