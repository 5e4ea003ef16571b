//! A point of cloth that is pulled to a place by a spring.
//!
//! The point is `r = Σ wᵢ xᵢ`; the spring pulls it to `p`, which moves with `ṗ`, by
//!
//! `F = k (p − r) + d (ṗ − ṙ)`.
//!
//! In an implicit step it acts with what is sought. With the rule's `x̂` and `H`, `r = r̂ + H ṙ`, and the impulse `J = H F` is linear in
//! the velocities: `J = H (k (p − r̂) + d ṗ) − (H² k + H d) ṙ`. So it is a coupling of the solve like any other, stable whatever `k`.

use crate::drive::Grasp;
use crate::linalg::Coupling;
use glam::{DMat3, DVec3};

/// A spring during a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attachment {
    /// The grasp, by its place in the state.
    pub grasp: u32,
    nodes: [u32; 4],
    weights: [f64; 4],
    /// `p` at the end of the step (m), and its mean velocity (m/s).
    target: DVec3,
    velocity: DVec3,
    /// `k` (N/m) and `d` (N·s/m).
    stiffness: f64,
    damping: f64,
    /// `J` at velocities of zero (N·s), and what a velocity takes from it (kg).
    impulse: DVec3,
    resistance: f64,
    /// The force on the cloth in the last step (N).
    force: DVec3,
}

impl Attachment {
    /// The springs of a grasp, still without strength, in a step between two times (s).
    pub fn of(
        grasp: &Grasp,
        number: u32,
        [now, end]: [f64; 2],
    ) -> impl Iterator<Item = Attachment> {
        (0..grasp.anchors.len()).map(move |k| {
            let (mut nodes, mut weights) = ([grasp.nodes[0]; 4], [0.0; 4]);
            if grasp.weights.is_empty() {
                (nodes, weights[0]) = ([grasp.nodes[k]; 4], 1.0);
            } else {
                nodes[..grasp.nodes.len()].copy_from_slice(&grasp.nodes);
                weights[..grasp.weights.len()].copy_from_slice(&grasp.weights);
            }
            let target = grasp.place(k, end);
            Attachment {
                grasp: number,
                nodes,
                weights,
                target,
                velocity: (target - grasp.place(k, now)) / (end - now),
                stiffness: 0.0,
                damping: 0.0,
                impulse: DVec3::ZERO,
                resistance: 0.0,
                force: DVec3::ZERO,
            }
        })
    }

    /// The same with a stiffness (N/m) and a damping (N·s/m).
    pub fn with(self, stiffness: f64, damping: f64) -> Self {
        Attachment {
            stiffness,
            damping,
            ..self
        }
    }

    fn combine(&self, value: impl Fn(usize) -> DVec3) -> DVec3 {
        let parts = self.nodes.iter().zip(&self.weights);
        let used = parts.filter(|(_, w)| **w != 0.0);
        used.map(|(&n, &w)| w * value(n as usize)).sum()
    }

    /// Prepares it for a solve whose positions are `x̂ + H v`.
    pub fn prepare(&mut self, carried: impl Fn(usize) -> DVec3, reach: f64) {
        let missing = self.target - self.combine(carried);
        self.impulse = reach * (self.stiffness * missing + self.damping * self.velocity);
        self.resistance = reach * (reach * self.stiffness + self.damping);
    }

    /// What it adds to the system.
    pub fn coupling(&self) -> Coupling {
        Coupling {
            nodes: self.nodes,
            weights: self.weights,
            block: DMat3::from_diagonal(DVec3::splat(self.resistance)),
            arm: None,
        }
    }

    /// Adds its impulses at some velocities to the right side.
    pub fn add_impulse(&self, velocities: &[DVec3], right_side: &mut [DVec3]) {
        let impulse = self.impulse - self.resistance * self.combine(|i| velocities[i]);
        for (&node, &weight) in self.nodes.iter().zip(&self.weights) {
            right_side[node as usize] += weight * impulse;
        }
    }

    /// Keeps in mind what the solve pulled with.
    pub fn learn(&mut self, velocities: &[DVec3], reach: f64) {
        let impulse = self.impulse - self.resistance * self.combine(|i| velocities[i]);
        self.force = impulse / reach;
    }

    /// Pulls with the force that it has at these positions and velocities.
    pub fn pull(&mut self, positions: &[DVec3], velocities: &[DVec3]) {
        let missing = self.target - self.combine(|i| positions[i]);
        let slip = self.velocity - self.combine(|i| velocities[i]);
        self.force = self.stiffness * missing + self.damping * slip;
    }

    /// Calls `on(node, force)` with its force on each node (N).
    pub fn share(&self, mut on: impl FnMut(usize, DVec3)) {
        for (&node, &weight) in self.nodes.iter().zip(&self.weights) {
            if weight != 0.0 {
                on(node as usize, weight * self.force);
            }
        }
    }

    /// The force on the cloth in the last step (N), and where it acts with the nodes at these positions (m).
    pub fn load(&self, positions: &[DVec3]) -> (DVec3, DVec3) {
        (self.force, self.combine(|i| positions[i]))
    }
}
