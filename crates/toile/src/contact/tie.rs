//! A node tied to a place at a face of cloth.
//!
//! With weights as those of a contact, `r = Σ wᵢ xᵢ` leads from the foot on the face to the node. It is to be
//! `o`: the way that it was when the tie was made, turned with the face. An implicit solve has a spring for
//! it with the stiffness `k = κ m/H²`, `m` the mass that a pull between the two moves. At the end of the step
//! it gives the impulse
//!
//! `J = H k (o − r)`, linear in the velocities sought: `J = κ m (o − r̂)/H − κ m Σ wᵢ vᵢ`,
//!
//! with `r̂` of the rule's `x̂`. A pull at the end of `o` turns the face as well: with the height `s` of the
//! node above it and the gradients `∇φᵢ` of the corners' weights, the normal changes by `−Σ ∇φᵢ (n·δxᵢ)`, so
//! `r − o` by `Σ Jᵢ δxᵢ`, `Jᵢ = wᵢ I + s ∇φᵢ nᵀ`, and the force on a node is `Jᵢᵀ F`. Without this couple
//! angular momentum would come from nowhere, and layers that hang on each other would creep. What is left
//! then, and what limits and contacts make of it, is taken away after everything else, along with the
//! contacts between cloths: `r = o`, by the impulse `(o − r)/Σ (|Jᵢ|²/mᵢ)`. Integrators without such a solve
//! have nothing but this. Each exchange conserves momentum.

use super::Bond;
use super::pipeline::Outlook;
use super::response::Mobility;
use crate::geometry::closest::frame_of;
use crate::linalg::{Arm, Coupling};
use glam::{DMat3, DVec3};

/// `κ = k H²/m` of a bond: under the weight of its own node it gives by `g H²/100`. Stiff enough for that to
/// be small, and not so stiff that the solve feels it.
const BOND_STIFFNESS: f64 = 100.0;

/// A bond during a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tie {
    /// Whose it is, by place.
    pub bond: usize,
    nodes: [u32; 4],
    weights: [f64; 4],
    /// `o` in the frame of the face (m).
    way: DVec3,
    /// Of the face, as the step begins.
    arm: Arm,
    /// `Σ |Jᵢ|²/mᵢ` (1/kg).
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
    /// The tie of a bond, with nodes at these places; `None` if pins lead all of its nodes.
    pub fn new(
        number: usize,
        bond: &Bond,
        positions: &[DVec3],
        mobility: &Mobility,
    ) -> Option<Self> {
        let nodes = bond.nodes();
        let weights = bond.signed_weights();
        let [_, a, b, c] = nodes.map(|n| positions[n as usize]);
        let arm = arm(&[a, b, c], bond.height());
        // A node that slides on a line or a plane yields less in some directions; who pushes as if it did not
        // pushes too little.
        let along = |axis: DVec3| -> f64 {
            let squares = (0..4).map(|k| {
                let yielding = mobility.shift(nodes[k], axis).dot(axis);
                yielding * (weights[k].abs() + arm.along[k].length()).powi(2)
            });
            squares.sum()
        };
        let yielding = DVec3::AXES.map(along).into_iter().fold(0.0, f64::max);
        (yielding > 0.0).then_some(Tie {
            bond: number,
            nodes,
            weights,
            way: bond.way,
            arm,
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
        // The arm follows the turn of the face from where it starts.
        let wanted = self.wanted(|i| outlook.context.state.positions[i]);
        let carried = self.combine(|i| (outlook.places)(i)[1]);
        let turned = (0..4).map(|k| {
            let i = self.nodes[k] as usize;
            let moved = (outlook.places)(i)[1] - outlook.context.state.positions[i];
            self.arm.forward(k, moved)
        });
        let carried = carried + turned.sum::<DVec3>();
        self.resistance = BOND_STIFFNESS * self.mass();
        self.impulse = self.resistance / outlook.context.reach * (wanted - carried);
    }

    /// `J` at these velocities (N·s).
    fn impulse(&self, velocities: &[DVec3]) -> DVec3 {
        let turned = (0..4).map(|k| {
            let velocity = velocities[self.nodes[k] as usize];
            self.arm.forward(k, velocity)
        });
        let turned: DVec3 = turned.sum();
        self.impulse - self.resistance * (self.combine(|i| velocities[i]) + turned)
    }

    /// What a pull at the node's end does to each node: `Jᵢᵀ F`.
    fn share(&self, k: usize, pull: DVec3) -> DVec3 {
        self.weights[k] * pull + self.arm.back(k, pull)
    }

    /// What it adds to the system.
    pub fn coupling(&self) -> Coupling {
        Coupling {
            nodes: self.nodes,
            weights: self.weights,
            block: DMat3::from_diagonal(DVec3::splat(self.resistance)),
            arm: Some(self.arm),
        }
    }

    /// Adds its impulses at some velocities to the right side.
    pub fn add_impulse(&self, velocities: &[DVec3], right_side: &mut [DVec3]) {
        let impulse = self.impulse(velocities);
        for (k, &node) in self.nodes.iter().enumerate() {
            right_side[node as usize] += self.share(k, impulse);
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
        for (k, &node) in self.nodes.iter().enumerate() {
            ends[node as usize] += mobility.shift(node, self.share(k, push));
        }
        missing.length()
    }

    /// The force on the node in a step of `h` seconds, of an integrator with this reach (N).
    pub fn force(&self, h: f64, reach: f64) -> DVec3 {
        self.solved + self.moved / (reach * h)
    }
}

/// What the turn of a face does to what stands on it at a height (m); the node itself comes first.
fn arm(&[a, b, c]: &[DVec3; 3], height: f64) -> Arm {
    let normal = (b - a).cross(c - a);
    let Some(unit) = normal.try_normalize() else {
        return Arm {
            normal: DVec3::ZERO,
            along: [DVec3::ZERO; 4],
        };
    };
    // `∇φᵢ` is at right angles to the side across, and one over the height above it.
    let gradient = |side: DVec3| height * unit.cross(side) / normal.length();
    Arm {
        normal: unit,
        along: [
            DVec3::ZERO,
            gradient(c - b),
            gradient(a - c),
            gradient(b - a),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FACE: [DVec3; 3] = [
        DVec3::new(0.1, -0.2, 0.3),
        DVec3::new(0.5, 0.1, 0.2),
        DVec3::new(0.0, 0.4, 0.5),
    ];

    /// `−s n` changes by `Σ aᵢ (n·δxᵢ)`.
    #[test]
    fn the_arm_is_the_derivative_of_the_height_along_the_normal() {
        let height = 0.07;
        let tip = |face: &[DVec3; 3]| {
            let [a, b, c] = *face;
            -height * (b - a).cross(c - a).normalize()
        };
        let arm = arm(&FACE, height);
        for corner in 0..3 {
            for axis in DVec3::AXES {
                let (mut ahead, mut behind) = (FACE, FACE);
                ahead[corner] += 1e-6 * axis;
                behind[corner] -= 1e-6 * axis;
                let measured = (tip(&ahead) - tip(&behind)) / 2e-6;
                let found = arm.forward(corner + 1, axis);
                assert!(
                    measured.distance(found) < 1e-9,
                    "{corner}: {measured} {found}"
                );
            }
        }
    }

    #[test]
    fn a_pull_has_no_moment() {
        let bond = Bond {
            node: 0,
            adhesion: 0,
            face: [1, 2, 3],
            weights: [0.2, 0.5, 0.3],
            way: DVec3::new(0.0, 0.05, 0.0),
            pull: 0.0,
            is_torn: false,
        };
        let mut places = [DVec3::ZERO, FACE[0], FACE[1], FACE[2]];
        places[0] = bond.place(&places).expect("the face has an area");
        let mobility = Mobility {
            inverse_masses: &[1.0; 4],
            filters: &[crate::linalg::Filter::Free; 4],
        };
        let tie = Tie::new(0, &bond, &places, &mobility).expect("it is free");
        let pull = DVec3::new(1.0, -2.0, 0.5);
        let forces: [DVec3; 4] = std::array::from_fn(|k| tie.share(k, pull));
        let sum: DVec3 = forces.into_iter().sum();
        let moment: DVec3 = places.iter().zip(forces).map(|(x, f)| x.cross(f)).sum();
        assert!(sum.length() < 1e-14, "{sum}");
        assert!(moment.length() < 1e-14, "{moment}");
    }
}
