//! Nodes that stick to cloth.

use super::left_to_adhesion;
use crate::geometry::closest::frame_of;
use glam::DVec3;

/// The part of what is missing to the thickness by which a node that was caught nearer comes out in a step;
/// as `RESTORED_PER_STEP` between cloths.
const EASED: f64 = 0.1;

/// A node that sticks to a face of cloth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bond {
    /// The node.
    pub node: u32,
    /// The adhesion that caught it.
    pub adhesion: u32,
    /// Corners of the face.
    pub face: [u32; 3],
    /// Their weights at the foot of the node.
    pub weights: [f64; 3],
    /// From the foot to the node, in the frame of the face (m).
    pub way: DVec3,
    /// What the adhesion had to bear in the last step (N).
    pub pull: f64,
    /// Whether it was torn off. Then nothing is held, and nothing caught until the node has come away from
    /// all that it could stick to.
    pub is_torn: bool,
}

impl Bond {
    /// The node, then the face's.
    pub(crate) fn nodes(&self) -> [u32; 4] {
        let [a, b, c] = self.face;
        [self.node, a, b, c]
    }

    /// Those of the node and, below zero, of the face.
    pub(crate) fn signed_weights(&self) -> [f64; 4] {
        let [a, b, c] = self.weights;
        [1.0, -a, -b, -c]
    }

    /// Of the node above its face, on the side of the normal (m).
    pub(crate) fn height(&self) -> f64 {
        // The frame's second axis is the normal.
        self.way.y
    }

    /// Where the node is to be with the face at these places (m); `None` if that has no area.
    pub fn place(&self, positions: &[DVec3]) -> Option<DVec3> {
        let corners = self.face.map(|n| positions[n as usize]);
        let foot: DVec3 = (0..3).map(|k| self.weights[k] * corners[k]).sum();
        frame_of(&corners).map(|frame| foot + frame * self.way)
    }

    /// Lets a node that was caught nearer than contact keeps it come out by a part of what is missing to that
    /// (m).
    pub(crate) fn ease(&mut self, thickness: f64) {
        let length = self.way.length();
        if 0.0 < length && length < thickness {
            self.way *= 1.0 + EASED * (thickness / length - 1.0);
        }
    }

    /// Bears a force on the node (N); `outwards` leads from the face to it. Contact pushes by itself.
    pub(crate) fn bear(&mut self, force: DVec3, outwards: DVec3) {
        self.pull = left_to_adhesion(force, outwards, 0.0);
    }

    /// What decides which comes first.
    pub(crate) fn key(&self) -> [u32; 2] {
        [self.node, self.adhesion]
    }
}
