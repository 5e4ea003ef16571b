//! The closest points of two edges.

use super::{Closest, nearest, share_along};
use glam::DVec3;

/// Squared sine of the angle below which edges count as parallel: the determinant of the two closest points'
/// equations then has lost about 12 of its 16 digits. The ends alone decide below it, which is exact for
/// parallel edges.
const PARALLEL: f64 = 1e-12;

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
