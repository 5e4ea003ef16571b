//! Closest points of a point and a triangle, and of two edges.
//!
//! Between two features of cloth the answer is a `Closest`: weights of the four nodes such that `Σ wᵢ xᵢ`
//! leads from the second feature's closest point to the first's. The same weights carry velocities and
//! impulses, so that what acts between the two features adds up to nothing: `Σ wᵢ = 0`.

mod edge_edge;
mod point_triangle;
#[cfg(test)]
mod tests;

pub(crate) use edge_edge::edge_edge;
pub(crate) use point_triangle::{closest_weights, point_triangle, squared_distance, weighted};

use glam::{DMat3, DVec3};

/// Where two features are nearest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Closest {
    /// `Σ wᵢ xᵢ` is the way from the second feature to the first. The first's weights add up to 1, the
    /// second's to −1.
    pub weights: [f64; 4],
    /// That way (m).
    pub way: DVec3,
}

impl Closest {
    fn new(weights: [f64; 4], nodes: &[DVec3; 4]) -> Self {
        // Differences to one of the nodes, for the digits of cloth far from the origin.
        let origin = nodes[3];
        let way = (0..3).map(|k| weights[k] * (nodes[k] - origin)).sum();
        Closest { weights, way }
    }

    /// How far apart the two are (m).
    pub fn distance(&self) -> f64 {
        self.way.length()
    }
}

/// Where along a segment it is nearest to a point, from 0 to 1.
fn share_along(from: DVec3, to: DVec3, point: DVec3) -> f64 {
    let along = to - from;
    let square = along.length_squared();
    if square > 0.0 {
        ((point - from).dot(along) / square).clamp(0.0, 1.0)
    } else {
        0.0
    }
}

fn nearest<const N: usize>(all: [Closest; N]) -> Closest {
    let mut best = all[0];
    for other in &all[1..] {
        if other.way.length_squared() < best.way.length_squared() {
            best = *other;
        }
    }
    best
}

/// The frame of a triangle: a side, the normal, and what is across, orthonormal; `None` if it has no area.
pub(crate) fn frame_of(&[a, b, c]: &[DVec3; 3]) -> Option<DMat3> {
    let along = (b - a).try_normalize()?;
    let normal = (b - a).cross(c - a).try_normalize()?;
    Some(DMat3::from_cols(along, normal, along.cross(normal)))
}
