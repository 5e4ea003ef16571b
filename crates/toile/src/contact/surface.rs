//! The triangles and edges of all cloths in one numbering: what can touch what.

use super::broad_phase::BroadPhase;
use crate::model::{Cloth, Model};

/// Half of a cloth's thickness in contact is at most this part of its triangles' smallest height. At 1/2,
/// vertices of a flat cloth would touch the triangles next to their own; a quarter leaves as much again for
/// bending.
const THICKEST: f64 = 0.25;

/// The surfaces of the cloths.
#[derive(Clone, Debug)]
pub(crate) struct Surface {
    pub broad_phase: BroadPhase,
    /// How far each node keeps from others' nodes, as half of the distance between two of the same cloth (m).
    pub offsets: Vec<f64>,
    /// The smallest height of the triangles of each node's cloth (m).
    pub heights: Vec<f64>,
    /// Friction coefficient of each node's cloth against another like it.
    pub friction: Vec<f64>,
}

impl Surface {
    /// The surfaces of a model's cloths, if any of them may touch. A quad is what
    /// [`Face::triangles`](crate::mesh::Face::triangles) cuts it into, diagonal included.
    pub fn of(model: &Model) -> Option<Self> {
        if model.contacts.is_empty() {
            return None;
        }
        let (mut triangles, mut parts) = (Vec::new(), Vec::new());
        let (mut offsets, mut heights, mut friction) = (Vec::new(), Vec::new(), Vec::new());
        for (part, cloth) in model.cloths.iter().enumerate() {
            let first = cloth.nodes.start as u32;
            for face in &cloth.topology.faces {
                for corners in face.triangles() {
                    triangles.push(corners.map(|n| n + first));
                    parts.push(part as u16);
                }
            }
            let height = smallest_height(cloth);
            let offset = cloth.contact_offset.min(THICKEST * height);
            offsets.resize(cloth.nodes.end, offset);
            heights.resize(cloth.nodes.end, height);
            friction.resize(cloth.nodes.end, cloth.friction);
        }
        let pairs = &model.contacts;
        let may_collide = |a: u16, b: u16| {
            let [a, b] = [a, b].map(usize::from);
            pairs.contains(&[a, b]) || pairs.contains(&[b, a])
        };
        let edges = sides(&triangles);
        let nodes = model.node_count();
        let broad_phase = BroadPhase::new(nodes, &triangles, &edges, &parts, may_collide)
            .expect("the cloths' own triangles and sides");
        Some(Surface {
            broad_phase,
            offsets,
            heights,
            friction,
        })
    }

    /// Friction between two nodes' cloths.
    pub fn friction_between(&self, a: u32, b: u32) -> f64 {
        let [a, b] = [a, b].map(|n| self.friction[n as usize]);
        (a * b).sqrt()
    }
}

/// Every side of some triangles, once.
fn sides(triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let around = |&[a, b, c]: &[u32; 3]| [[a, b], [b, c], [c, a]];
    let mut all: Vec<[u32; 2]> = triangles.iter().flat_map(around).collect();
    for side in &mut all {
        side.sort_unstable();
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// The smallest height of a cloth's triangles at rest (m).
fn smallest_height(cloth: &Cloth) -> f64 {
    let heights = cloth.rest.corners.iter().zip(&cloth.topology.faces);
    let heights = heights.flat_map(|(corners, face)| {
        // The corners at rest in the face's own order; its triangles name them by node.
        let place = |node: u32| {
            let at = face.corners().iter().position(|&n| n == node);
            corners[at.unwrap_or(0)]
        };
        let triangles = face.triangles();
        triangles.map(move |nodes| {
            let [a, b, c] = nodes.map(place);
            let twice_area = (b - a).perp_dot(c - a).abs();
            let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
            twice_area / longest
        })
    });
    heights.fold(f64::INFINITY, f64::min)
}
