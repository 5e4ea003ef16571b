//! A node tied to a place at a face of cloth.
//!
//! With weights as those of a contact, `r = Σ wᵢ xᵢ` leads from the foot on the face to the node. It is to be `o`: the way that it was when the tie was
//! made, turned with the face. An implicit solve has a spring for it with the stiffness `k = κ m/H²`, `m` the mass that a pull between the two moves.
//! At the end of the step it gives the impulse
//!
//! `J = H k (o − r)`, linear in the velocities sought: `J = κ m (o − r̂)/H − κ m Σ wᵢ vᵢ`,
//!
//! with `r̂` of the rule's `x̂`. What is left then, and what limits and contacts make of it, is taken away after everything else, along with the
//! contacts between cloths: `r = o`, by the impulse `(o − r)/Σ (wᵢ²/mᵢ)`. Integrators without such a solve have nothing but this. Each exchange conserves momentum.

use super::adhesion::Bond;
use super::closest::frame_of;
use super::pipeline::Outlook;
use super::response::Mobility;
use crate::linalg::Coupling;
use glam::{DMat3, DVec3};

/// `κ`: stiff enough for the last bit to be small, and not so stiff that the solve feels it.
const STIFFNESS: f64 = 100.0;

/// A bond during a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tie {
    /// Whose it is, by place.
    pub bond: usize,
    nodes: [u32; 4],
    weights: [f64; 4],
    /// `o` in the frame of the face (m).
    way: DVec3,
    /// `Σ wᵢ²/mᵢ` (1/kg).
    yielding: f64,
    /// `J` at velocities of zero (N·s), and what a velocity takes from it (kg).
    impulse: DVec3,
    resistance: f64,
    /// What the solve pulled the node with (N).
    solved: DVec3,
    /// What has been done to it since (kg·m).
    moved: DVec3,
}

impl Tie {
    /// The tie of a bond; `None` if pins lead all of its nodes.
    pub fn new(number: usize, bond: &Bond, mobility: &Mobility) -> Option<Self> {
        let nodes = bond.nodes();
        let weights = bond.signed_weights();
        // A node that slides on a line or a plane yields less in some directions; who pushes as if it did not pushes too little.
        let along = |axis: DVec3| -> f64 {
            let parts = nodes.iter().zip(&weights);
            parts
                .map(|(&n, w)| w * w * mobility.shift(n, axis).dot(axis))
                .sum()
        };
        let yielding = DVec3::AXES.map(along).into_iter().fold(0.0, f64::max);
        (yielding > 0.0).then_some(Tie {
            bond: number,
            nodes,
            weights,
            way: bond.way,
            yielding,
            impulse: DVec3::ZERO,
            resistance: 0.0,
            solved: DVec3::ZERO,
            moved: DVec3::ZERO,
        })
    }

    /// Its node, then those of its face.
    pub fn nodes(&self) -> [u32; 4] {
        self.nodes
    }

    /// The mass that a pull between node and face moves (kg).
    pub fn mass(&self) -> f64 {
        1.0 / self.yielding
    }

    /// `Σ wᵢ vᵢ`.
    pub fn combine(&self, value: impl Fn(usize) -> DVec3) -> DVec3 {
        let parts = self.nodes.iter().zip(&self.weights);
        parts.map(|(&n, &w)| w * value(n as usize)).sum()
    }

    /// `o` with the nodes at these places (m); a face without area leaves the node where it is.
    pub fn wanted(&self, place: impl Fn(usize) -> DVec3) -> DVec3 {
        let [_, a, b, c] = self.nodes.map(|n| place(n as usize));
        match frame_of(&[a, b, c]) {
            Some(frame) => frame * self.way,
            None => self.combine(place),
        }
    }

    /// Prepares it for the solve of a step.
    pub fn forecast(&mut self, outlook: &Outlook<impl Fn(usize) -> [DVec3; 2] + Sync>) {
        let (state, h) = (outlook.state, outlook.step);
        let wanted = self.wanted(|i| state.positions[i] + h * state.velocities[i]);
        let carried = self.combine(|i| (outlook.places)(i)[1]);
        self.resistance = STIFFNESS * self.mass();
        self.impulse = self.resistance / outlook.reach * (wanted - carried);
    }

    /// `J` at these velocities (N·s).
    fn impulse(&self, velocities: &[DVec3]) -> DVec3 {
        self.impulse - self.resistance * self.combine(|i| velocities[i])
    }

    /// What it adds to the system.
    pub fn coupling(&self) -> Coupling {
        Coupling {
            nodes: self.nodes,
            weights: self.weights,
            block: DMat3::from_diagonal(DVec3::splat(self.resistance)),
        }
    }

    /// Adds its impulses at some velocities to the right side.
    pub fn add_impulse(&self, velocities: &[DVec3], right_side: &mut [DVec3]) {
        let impulse = self.impulse(velocities);
        for (&node, weight) in self.nodes.iter().zip(self.weights) {
            right_side[node as usize] += weight * impulse;
        }
    }

    /// Keeps in mind what the solve pulled with.
    pub fn learn(&mut self, velocities: &[DVec3], reach: f64) {
        self.solved = self.impulse(velocities) / reach;
    }

    /// Brings node and face together at these ends; answers how far they were from it (m).
    pub fn relax(&mut self, mobility: &Mobility, ends: &mut [DVec3]) -> f64 {
        let missing = self.wanted(|i| ends[i]) - self.combine(|i| ends[i]);
        let push = missing / self.yielding;
        self.moved += push;
        for (&node, weight) in self.nodes.iter().zip(self.weights) {
            ends[node as usize] += mobility.shift(node, weight * push);
        }
        missing.length()
    }

    /// The force on the node in a step of `h` seconds, of an integrator with this reach (N).
    pub fn force(&self, h: f64, reach: f64) -> DVec3 {
        self.solved + self.moved / (reach * h)
    }
}
