//! Contacts that outlive a step.

use glam::DVec3;

/// Which features touch. Contacts are kept in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ContactKey {
    /// A node and a body.
    NodeBody(u32, u32),
    /// A triangle and a body.
    FaceBody(u32, u32),
    /// A node and a triangle.
    VertexFace(u32, u32),
    /// Two edges.
    EdgeEdge(u32, u32),
}

/// A contact that was in force when a step ended: what it did is where the next step starts from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeptContact {
    /// The features.
    pub key: ContactKey,
    /// What they pushed each other apart with (N).
    pub push: f64,
    /// What friction pulled with (N).
    pub drag: DVec3,
}

impl ContactKey {
    /// Kind and features as numbers.
    pub(super) fn to_numbers(self) -> [u32; 3] {
        match self {
            ContactKey::NodeBody(a, b) => [0, a, b],
            ContactKey::FaceBody(a, b) => [1, a, b],
            ContactKey::VertexFace(a, b) => [2, a, b],
            ContactKey::EdgeEdge(a, b) => [3, a, b],
        }
    }

    pub(super) fn from_numbers([kind, a, b]: [u32; 3]) -> Option<Self> {
        Some(match kind {
            0 => ContactKey::NodeBody(a, b),
            1 => ContactKey::FaceBody(a, b),
            2 => ContactKey::VertexFace(a, b),
            3 => ContactKey::EdgeEdge(a, b),
            _ => return None,
        })
    }
}
