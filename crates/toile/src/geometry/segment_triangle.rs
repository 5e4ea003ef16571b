//! Segments against triangles and boxes.

use super::bounds::Bounds;
use glam::{DVec3, Vec3A, Vec3Swizzles};

/// By how much bounds from boxes are loosened against exact ones: a hundred roundings in single precision, of
/// which a bound takes about ten. Has no influence on results.
pub(super) const CAUTION: f64 = 1.0 + 1e-5;

/// What crossing one triangle on the way from `from` to `to` adds to the winding number.
///
/// The segment's line passes through the triangle if it passes all three directed edges on the same side.
/// The side of an edge is the sign of a determinant that two triangles with a common edge compute with
/// exactly opposite results, zeros being decided by the names of the nodes; so no line slips through
/// between two neighbours, and none is counted by both.
pub(crate) fn crossing(from: DVec3, to: DVec3, nodes: &[u32; 3], &[a, b, c]: &[DVec3; 3]) -> i32 {
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

/// A segment `middle ± reach`.
pub(super) struct Segment {
    middle: Vec3A,
    reach: Vec3A,
    size: Vec3A,
}

impl Segment {
    pub(super) fn new(middle: Vec3A, reach: Vec3A) -> Self {
        Segment {
            middle,
            reach,
            size: reach.abs(),
        }
    }

    /// Whether it may meet a box: no axis of the box and no cross product of an axis with the segment
    /// separates them.
    #[inline(always)]
    pub(super) fn meets(&self, bounds: &Bounds) -> bool {
        let extent = 0.5 * (bounds.high - bounds.low);
        let apart = self.middle - 0.5 * (bounds.low + bounds.high);
        let near = apart.abs().cmple(extent + self.size);
        let across = apart.cross(self.reach).abs();
        let shadow = extent.yzx() * self.size.zxy() + extent.zxy() * self.size.yzx();
        (near & across.cmple(shadow * CAUTION as f32)).all()
    }
}
