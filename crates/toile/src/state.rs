//! What changes while a world moves: exactly what a checkpoint holds.

mod bytes;
mod kept_contact;

pub use bytes::StateError;
pub use kept_contact::{ContactKey, KeptContact};

use crate::body::{Adhesion, Anchor, Bond, Shape, Stuck};
use crate::drive::{Commanded, PinPath, PinState, Pose};
use crate::energy::Memory;
use crate::model::Model;
use glam::DVec3;

/// Time, positions, velocities, and what pins and solver remember.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Simulated time (s).
    pub time: f64,
    /// Steps made so far.
    pub steps: u64,
    /// Node positions (m).
    pub positions: Vec<DVec3>,
    /// Node velocities (m/s).
    pub velocities: Vec<DVec3>,
    /// How much each velocity changed in the last step (m/s): the guess that the next solve starts from.
    pub last_change: Vec<DVec3>,
    /// Where the last step began, for integrators that look back.
    pub previous: Option<Previous>,
    /// Rest angle of every hinge (rad), if the model has any that crease; else empty.
    pub rest_angles: Vec<f64>,
    /// The angle by which each of those hinges has flowed in all (rad).
    pub creased: Vec<f64>,
    /// What the constraints of limits pulled with in the last step (N·m), for limits that remember it.
    pub limit_forces: Vec<f64>,
    /// The contacts of the last step, in the order of their keys, for solves that remember them.
    pub contacts: Vec<KeptContact>,
    /// What the adaptive step control goes on from.
    pub step_memory: Option<StepMemory>,
    /// One memory per pin of the model.
    pub pins: Vec<PinState>,
    /// The nodes that stick to bodies, by number.
    pub stuck: Vec<Stuck>,
    /// The nodes that stick to cloth, by number and adhesion.
    pub bonds: Vec<Bond>,
    /// What was commanded since the start.
    pub commanded: Commanded,
}

/// The state before the last one.
#[derive(Clone, Debug, PartialEq)]
pub struct Previous {
    /// Length of the step that led from there to now (s).
    pub step: f64,
    /// Node positions (m).
    pub positions: Vec<DVec3>,
    /// Node velocities (m/s).
    pub velocities: Vec<DVec3>,
}

/// What the adaptive step control remembers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepMemory {
    /// Length of the next pair of steps (s).
    pub pair: f64,
    /// Error of the last pair over the tolerance.
    pub error: f64,
}

/// Room for states to go back to.
#[derive(Clone, Debug)]
pub(crate) struct Saved {
    /// Before the span.
    pub start: State,
    /// Before the last attempt.
    pub latest: State,
    /// Where a longer step led (m).
    pub coarse: Vec<DVec3>,
}

impl State {
    /// The start of a run: nodes at the given places, at rest.
    pub fn at_rest(model: &Model, positions: Vec<DVec3>) -> Self {
        assert_eq!(positions.len(), model.node_count(), "one position per node");
        let rest_angles = model.first_rest_angles();
        State {
            time: 0.0,
            steps: 0,
            velocities: vec![DVec3::ZERO; positions.len()],
            last_change: vec![DVec3::ZERO; positions.len()],
            positions,
            previous: None,
            creased: vec![0.0; rest_angles.len()],
            rest_angles,
            limit_forces: vec![0.0; model.limit_memory()],
            contacts: Vec::new(),
            step_memory: None,
            pins: vec![PinState::default(); model.pins.len()],
            stuck: Vec::new(),
            bonds: Vec::new(),
            commanded: Commanded::default(),
        }
    }

    /// Acceleration of gravity (m/s²).
    pub fn gravity(&self, model: &Model) -> DVec3 {
        self.commanded.gravity.unwrap_or(model.gravity)
    }

    /// Acceleration of gravity at a node (m/s²).
    pub fn gravity_of(&self, model: &Model, node: usize) -> DVec3 {
        model.gravity_factors[node] * self.gravity(model)
    }

    /// Where a body is at a time (s): where it is led, or else on the path that the model has for it.
    pub fn body_pose(&self, model: &Model, body: usize, time: f64) -> Pose {
        let led = self.commanded.body_pose(body, time);
        led.unwrap_or_else(|| model.bodies[body].pose(time))
    }

    /// What energies know besides positions and velocities.
    pub(crate) fn memory(&self) -> Memory<'_> {
        Memory {
            time: self.time,
            wind: self.commanded.wind,
            rest_angles: &self.rest_angles,
            sewn: false,
        }
    }

    /// Length of the step that led here (s), if an integrator keeps it in mind.
    pub(crate) fn last_step(&self) -> Option<f64> {
        self.previous.as_ref().map(|p| p.step)
    }

    /// Keeps what is now for the step after the one about to be committed, which took `h` seconds.
    pub(crate) fn remember(&mut self, h: f64) {
        let previous = self.previous.get_or_insert_with(|| Previous {
            step: h,
            positions: self.positions.clone(),
            velocities: self.velocities.clone(),
        });
        previous.step = h;
        previous.positions.copy_from_slice(&self.positions);
        previous.velocities.copy_from_slice(&self.velocities);
    }

    /// Becomes the other state, in the memory that it has.
    pub(crate) fn copy_from(&mut self, other: &State) {
        // Taken apart, so that no field can be forgotten.
        let State {
            time,
            steps,
            positions,
            velocities,
            last_change,
            previous,
            rest_angles,
            creased,
            limit_forces,
            contacts,
            step_memory,
            pins,
            stuck,
            bonds,
            commanded,
        } = other;
        self.time = *time;
        self.steps = *steps;
        self.positions.clone_from(positions);
        self.velocities.clone_from(velocities);
        self.last_change.clone_from(last_change);
        self.previous.clone_from(previous);
        self.rest_angles.clone_from(rest_angles);
        self.creased.clone_from(creased);
        self.limit_forces.clone_from(limit_forces);
        self.contacts.clone_from(contacts);
        self.step_memory = *step_memory;
        self.pins.clone_from(pins);
        self.stuck.clone_from(stuck);
        self.bonds.clone_from(bonds);
        self.commanded.clone_from(commanded);
    }

    /// Whether the state belongs to a world like this one.
    pub fn fits(&self, model: &Model) -> bool {
        let pins = self.pins.iter().zip(&model.pins).all(|(memory, pin)| {
            let carried = matches!(pin.path, PinPath::Carried(_));
            let expected = match memory.interval {
                Some(_) if carried => pin.nodes.len(),
                _ => 0,
            };
            memory.anchors.len() == expected
                && memory
                    .interval
                    .is_none_or(|k| (k as usize) < pin.held.len())
        });
        let previous = self.previous.as_ref().is_none_or(|p| {
            p.positions.len() == model.node_count() && p.velocities.len() == model.node_count()
        });
        let hinges = model.first_rest_angles().len();
        let commanded = &self.commanded;
        previous
            && commanded.fits(model.node_count(), model.bodies.len())
            && self.sticks_in(model)
            && self.rest_angles.len() == hinges
            && self.creased.len() == hinges
            && self.limit_forces.len() == model.limit_memory()
            && self.contacts.is_sorted_by_key(|contact| contact.key)
            && self.positions.len() == model.node_count()
            && self.velocities.len() == model.node_count()
            && self.last_change.len() == model.node_count()
            && self.pins.len() == model.pins.len()
            && pins
    }

    /// Whether what sticks could stick in this world.
    fn sticks_in(&self, model: &Model) -> bool {
        let is_node = |n: u32| (n as usize) < model.node_count();
        let adhesion = |k: u32| model.body_contact.adhesions.get(k as usize);
        let stuck = self.stuck.iter().all(|s| {
            let shape = model.bodies.get(s.body as usize).map(|b| &b.shape);
            let is_place = match (shape, s.anchor) {
                (Some(Shape::Sequence(sequence)), Anchor::Face { face, .. }) => {
                    (face as usize) < sequence.triangle_count()
                }
                (Some(Shape::Sequence(_)) | None, _) | (_, Anchor::Face { .. }) => false,
                (Some(_), Anchor::Frame(_)) => true,
            };
            is_place && is_node(s.node) && adhesion(s.adhesion).is_some_and(|a| !a.is_on_cloth())
        });
        let bonds = self.bonds.iter().all(|b| {
            let nodes = is_node(b.node) && b.face.into_iter().all(is_node);
            nodes && adhesion(b.adhesion).is_some_and(Adhesion::is_on_cloth)
        });
        let stuck_in_order = self.stuck.windows(2).all(|w| w[0].node < w[1].node);
        let key = |b: &Bond| [b.node, b.adhesion];
        let bonds_in_order = self.bonds.windows(2).all(|w| key(&w[0]) < key(&w[1]));
        stuck && bonds && stuck_in_order && bonds_in_order
    }
}
