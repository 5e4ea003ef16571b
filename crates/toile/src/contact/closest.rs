//! The nearest points of a point and a triangle, and of two edges.
//!
//! The answer is a [`Closest`]: weights of the four nodes such that `Σ wᵢ xᵢ` leads from the second feature's nearest point to the
//! first's. The same weights carry velocities and impulses, so that what acts between the two features adds up to nothing:
//! `Σ wᵢ = 0`.

use glam::{DMat3, DVec3};

#[cfg(test)]
mod tests;

/// Where two features are nearest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Closest {
    /// `Σ wᵢ xᵢ` is the way from the second feature to the first. The first's weights add up to 1, the second's to −1.
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

/// A point and a triangle: nodes are the point, then the corners.
pub(crate) fn point_triangle(nodes: &[DVec3; 4]) -> Closest {
    let [p, a, b, c] = *nodes;
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let normal = ab.cross(ac);
    let square = normal.length_squared();
    if square > 0.0 {
        let v = normal.dot(ap.cross(ac)) / square;
        let w = normal.dot(ab.cross(ap)) / square;
        if v >= 0.0 && w >= 0.0 && v + w <= 1.0 {
            return Closest::new([1.0, v + w - 1.0, -v, -w], nodes);
        }
    }
    // Outside, or no area: on one of the sides.
    let sides = [(1, 2), (2, 3), (3, 1)].map(|(i, j)| {
        let share = share_along(nodes[i], nodes[j], p);
        let mut weights = [1.0, 0.0, 0.0, 0.0];
        weights[i] = share - 1.0;
        weights[j] = -share;
        Closest::new(weights, nodes)
    });
    nearest(sides)
}

/// Two edges: nodes are the ends of the first, then those of the second.
pub(crate) fn edge_edge(nodes: &[DVec3; 4]) -> Closest {
    let [p, q, r, s] = *nodes;
    let (first, second, between) = (q - p, s - r, p - r);
    let (a, b, c) = (
        first.length_squared(),
        first.dot(second),
        second.length_squared(),
    );
    let determinant = a * c - b * b;
    // Far from parallel the lines' nearest points will do, if both lie on the edges.
    if determinant > PARALLEL * a * c {
        let (d, e) = (first.dot(between), second.dot(between));
        let (x, y) = ((b * e - c * d) / determinant, (a * e - b * d) / determinant);
        if (0.0..=1.0).contains(&x) && (0.0..=1.0).contains(&y) {
            return Closest::new([1.0 - x, x, y - 1.0, -y], nodes);
        }
    }
    // Else an end of one of them is among the nearest points.
    let at_end = |end: usize, from: usize, to: usize| {
        let share = share_along(nodes[from], nodes[to], nodes[end]);
        let sign = if end < 2 { 1.0 } else { -1.0 };
        let mut weights = [0.0; 4];
        weights[end] = sign;
        weights[from] = sign * (share - 1.0);
        weights[to] = -sign * share;
        Closest::new(weights, nodes)
    };
    nearest([
        at_end(0, 2, 3),
        at_end(1, 2, 3),
        at_end(2, 0, 1),
        at_end(3, 0, 1),
    ])
}

/// Squared sine of the angle below which edges count as parallel.
const PARALLEL: f64 = 1e-12;

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
pub(super) fn frame_of(&[a, b, c]: &[DVec3; 3]) -> Option<DMat3> {
    let along = (b - a).try_normalize()?;
    let normal = (b - a).cross(c - a).try_normalize()?;
    Some(DMat3::from_cols(along, normal, along.cross(normal)))
}
