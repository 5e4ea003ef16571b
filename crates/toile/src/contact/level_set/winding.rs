//! Which points are inside, and which triangles bound the inside.
//!
//! The winding number of a point (Jacobson, Kavan, Sorkine-Hornung 2013) counts how often the surface goes
//! around it. Once the holes are covered the surface is a closed chain, and then the number is an integer
//! that changes only across triangles: by `+1` where a path enters through a front, by `−1` where it
//! leaves. So it need not be summed over all solid angles. The corners of the root cube are outside,
//! and from one corner of the octree to the next the few triangles in between are counted.

use super::hierarchy::Hierarchy;
use glam::DVec3;

/// What crossing one triangle on the way from `from` to `to` adds to the winding number.
///
/// The segment's line passes through the triangle if it passes all three directed edges on the same side.
/// The side of an edge is the sign of a determinant that two triangles with a common edge compute with
/// exactly opposite results, zeros being decided by the names of the nodes; so no line slips through
/// between two neighbours, and none is counted by both.
pub(super) fn crossing(from: DVec3, to: DVec3, nodes: &[u32; 3], &[a, b, c]: &[DVec3; 3]) -> i32 {
    let normal = (b - a).cross(c - a);
    let in_front = |point: DVec3| normal.dot(point - a) > 0.0;
    let (start, end) = (in_front(from), in_front(to));
    if start == end {
        return 0;
    }
    let along = to - from;
    let (a, b, c) = (a - from, b - from, c - from);
    let left_of = |p: DVec3, q: DVec3, tie: bool| {
        let volume = along.dot(p.cross(q));
        volume > 0.0 || (volume == 0.0 && tie)
    };
    let first = left_of(a, b, nodes[0] < nodes[1]);
    if left_of(b, c, nodes[1] < nodes[2]) != first || left_of(c, a, nodes[2] < nodes[0]) != first {
        return 0;
    }
    i32::from(start) - i32::from(end)
}

/// Which triangles (by place) have the outside in front of them and the inside behind: on all others, where
/// two parts of the body overlap or a part is inside out, the sign of the distance does not change.
/// A triangle that is only partly so counts as a boundary.
pub(super) fn boundary(hierarchy: &Hierarchy, extent: f64) -> Vec<bool> {
    // Towards each corner as well, but only if the centre says that the triangle is hidden.
    const PROBES: [[f64; 3]; 4] = [
        [1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0],
        [0.98, 0.01, 0.01],
        [0.01, 0.98, 0.01],
        [0.01, 0.01, 0.98],
    ];
    let is_boundary = |place: usize| {
        let corners = *hierarchy.corners(place as u32);
        let [a, b, c] = corners;
        let normal = (b - a).cross(c - a).normalize_or_zero();
        PROBES.iter().any(|&weights| {
            let start = super::closest::weighted(weights, &corners);
            let far = start + 2.0 * extent * normal;
            // The winding number in front: that of the far end, 0, less what was gained on the way there.
            hierarchy.crossings(start, far, Some(place as u32)) == 0
        })
    };
    crate::parallel::in_order(hierarchy.len(), is_boundary)
}
