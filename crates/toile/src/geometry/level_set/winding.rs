//! Which points are inside, and which triangles bound the inside.
//!
//! The winding number of a point (Jacobson, Kavan, Sorkine-Hornung 2013) counts how often the surface goes
//! around it. Once the holes are covered the surface is a closed chain, and then the number is an integer
//! that changes only across triangles: by `+1` where a path enters through a front, by `−1` where it
//! leaves. So it need not be summed over all solid angles. The corners of the root cube are outside,
//! and from one corner of the octree to the next the few triangles in between are counted.

use crate::geometry::closest::weighted;
use crate::geometry::triangle_tree::TriangleTree;
use glam::DVec3;

/// Which triangles (by place) have the outside in front of them and the inside behind: on all others, where
/// two parts of the body overlap or a part is inside out, the sign of the distance does not change.
/// A triangle that is only partly so counts as a boundary.
pub(super) fn boundary(tree: &TriangleTree, extent: f64) -> Vec<bool> {
    // Towards each corner as well, but only if the centre says that the triangle is hidden.
    const PROBES: [[f64; 3]; 4] = [
        [1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0],
        [0.98, 0.01, 0.01],
        [0.01, 0.98, 0.01],
        [0.01, 0.01, 0.98],
    ];
    let is_boundary = |place: usize| {
        let corners = *tree.corners(place as u32);
        let [a, b, c] = corners;
        let normal = (b - a).cross(c - a).normalize_or_zero();
        PROBES.iter().any(|&weights| {
            let start = weighted(weights, &corners);
            let far = start + 2.0 * extent * normal;
            // The winding number in front: that of the far end, 0, less what was gained on the way there.
            tree.crossings(start, far, Some(place as u32)) == 0
        })
    };
    crate::parallel::in_order(tree.len(), is_boundary)
}

/// How far to the sides rays go out of the body, as a part of their length, lest they run along the edges of
/// regular meshes.
const ASKEW: [f64; 2] = [0.003_819_66, 0.006_180_34];

/// How often a closed surface within the box from `low` to `high` goes around a point.
pub(crate) fn winding_number(
    triangles: &TriangleTree,
    [low, high]: [DVec3; 2],
    point: DVec3,
) -> i32 {
    if point.cmplt(low).any() || point.cmpgt(high).any() {
        return 0;
    }
    let (below, above) = (point - low, high - point);
    let down = below.min_element() < above.min_element();
    let gap = if down { below } else { above };
    let axis = gap.min_position();
    // Clearly beyond the box, even if the point is on its face.
    let length = gap[axis] + 0.01 * low.distance(high);
    let mut to = point;
    to[axis] += if down { -length } else { length };
    to[(axis + 1) % 3] += ASKEW[0] * length;
    to[(axis + 2) % 3] += ASKEW[1] * length;
    -triangles.crossings(point, to, None)
}
