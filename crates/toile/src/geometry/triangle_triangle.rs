//! Whether two triangles have a point in common, decided by the signs of exact determinants.

use glam::DVec3;
use robust::{Coord, Coord3D};

type Triangle = [DVec3; 3];

/// More than the rounding of the short sums that reject pairs early: about ten roundings of 1.1·10⁻¹⁶ each. A
/// pair that is not rejected goes to the exact predicates, so a larger value costs time only.
const FILTER_ROUNDING: f64 = 1e-14;

/// Whether two triangles have any point in common.
pub(crate) fn meet(a: &Triangle, b: &Triangle) -> bool {
    let between = centre(a) - centre(b);
    let [nearest, farthest] = extents(between, a[0], a, b);
    if nearest > farthest || beside_plane(a, b) || beside_plane(b, a) {
        return false;
    }
    // Two convex sets with common points have some of them on the rim of one.
    let rim_meets =
        |rim: &Triangle, other| sides(rim).any(|[p, q]| segment_meets_triangle(p, q, other));
    rim_meets(a, b) || rim_meets(b, a)
}

/// Whether two triangles whose first corner is the same node have any other point in common.
pub(crate) fn meet_beyond_corner(a: &Triangle, b: &Triangle) -> bool {
    let between = centre(a) - centre(b);
    let [nearest, farthest] = extents(between, a[0], &a[1..], &b[1..]);
    if nearest > 0.0 && farthest < 0.0 {
        return false;
    }
    // From the shared corner a ray of common points runs on until it leaves one of the triangles,
    // through the side that faces the corner.
    segment_meets_triangle(a[1], a[2], b) || segment_meets_triangle(b[1], b[2], a)
}

/// Whether two triangles whose first two corners are the same nodes meet anywhere but along that edge.
pub(crate) fn meet_beyond_edge(a: &Triangle, b: &Triangle) -> bool {
    let ([from, to, apex], other) = (*a, b[2]);
    let edge = to - from;
    let normals = [apex, other].map(|p| edge.cross(p - from));
    let size = edge.length_squared() * (apex - from).length() * (other - from).length();
    if normals[0].dot(normals[1]) < -FILTER_ROUNDING * size {
        return false; // They lie on opposite sides of the edge.
    }
    if orient3(from, to, apex, other) != 0 {
        return false; // Their planes have only the edge's line in common.
    }
    match projection(a).or_else(|| projection(b)) {
        Some(axis) => orient2(axis, from, to, apex) * orient2(axis, from, to, other) > 0,
        None => {
            // Two needles on one line: they overlap beyond the edge if both stick out at one end.
            let past = |p: DVec3, end, start| p != end && in_box(end, start, p);
            let both_past = |end, start| past(apex, end, start) && past(other, end, start);
            both_past(to, from) || both_past(from, to)
        }
    }
}

/// How close the points `ahead` come to `origin` along `direction`, and how far those `behind` reach,
/// each made worse by more than the rounding.
fn extents(direction: DVec3, origin: DVec3, ahead: &[DVec3], behind: &[DVec3]) -> [f64; 2] {
    let along = |p: &DVec3| (*p - origin).dot(direction);
    let slack = |p: &DVec3| FILTER_ROUNDING * (*p - origin).abs().dot(direction.abs());
    let nearest = ahead.iter().map(|p| along(p) - slack(p));
    let farthest = behind.iter().map(|p| along(p) + slack(p));
    [
        nearest.fold(f64::INFINITY, f64::min),
        farthest.fold(f64::NEG_INFINITY, f64::max),
    ]
}

fn centre(t: &Triangle) -> DVec3 {
    (t[0] + t[1] + t[2]) / 3.0
}

fn sides(t: &Triangle) -> impl Iterator<Item = [DVec3; 2]> {
    [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]].into_iter()
}

/// Whether all of `t` lies strictly on one side of the plane of `other`.
fn beside_plane(t: &Triangle, other: &Triangle) -> bool {
    let [a, b, c] = *other;
    let first = orient3(a, b, c, t[0]);
    first != 0 && t[1..].iter().all(|&p| orient3(a, b, c, p) == first)
}

fn segment_meets_triangle(p: DVec3, q: DVec3, t: &Triangle) -> bool {
    let Some(axis) = projection(t) else {
        return sides(t).any(|[a, b]| segments_meet(p, q, a, b));
    };
    let [a, b, c] = *t;
    match (orient3(a, b, c, p), orient3(a, b, c, q)) {
        (0, 0) => segment_meets_triangle_in_plane(axis, p, q, t),
        (above, below) if above == below => false,
        // The line crosses the plane once, inside the triangle if it passes all sides the same way.
        _ => same_way(sides(t).map(|[a, b]| orient3(p, q, a, b))),
    }
}

fn segment_meets_triangle_in_plane(axis: usize, p: DVec3, q: DVec3, t: &Triangle) -> bool {
    same_way(sides(t).map(|[a, b]| orient2(axis, a, b, p)))
        || sides(t).any(|[a, b]| segments_meet_in_plane(axis, p, q, a, b))
}

/// Only needed for triangles without area.
fn segments_meet(p: DVec3, q: DVec3, a: DVec3, b: DVec3) -> bool {
    if orient3(p, q, a, b) != 0 {
        return false;
    }
    let triples = [[p, q, a], [p, q, b], [a, b, p], [a, b, q]];
    match triples.iter().find_map(projection) {
        Some(axis) => segments_meet_in_plane(axis, p, q, a, b),
        // All on one line: they meet where their boxes do.
        None => p.min(q).cmple(a.max(b)).all() && a.min(b).cmple(p.max(q)).all(),
    }
}

fn segments_meet_in_plane(axis: usize, p: DVec3, q: DVec3, a: DVec3, b: DVec3) -> bool {
    let of_ab = [orient2(axis, a, b, p), orient2(axis, a, b, q)];
    let of_pq = [orient2(axis, p, q, a), orient2(axis, p, q, b)];
    if of_ab[0] * of_ab[1] < 0 && of_pq[0] * of_pq[1] < 0 {
        return true;
    }
    (of_ab[0] == 0 && in_box(p, a, b))
        || (of_ab[1] == 0 && in_box(q, a, b))
        || (of_pq[0] == 0 && in_box(a, p, q))
        || (of_pq[1] == 0 && in_box(b, p, q))
}

/// Whether `p` lies in the box that has `a` and `b` as corners: for points on the line through `a` and
/// `b`, whether it lies between them.
fn in_box(p: DVec3, a: DVec3, b: DVec3) -> bool {
    a.min(b).cmple(p).all() && p.cmple(a.max(b)).all()
}

fn same_way(mut signs: impl Iterator<Item = i8>) -> bool {
    let mut seen = 0;
    signs.all(|sign| {
        let fits = sign * seen >= 0;
        seen = if sign == 0 { seen } else { sign };
        fits
    })
}

/// An axis along which the triangle's shadow has area; `None` if the triangle itself has none.
fn projection(t: &Triangle) -> Option<usize> {
    let [a, b, c] = *t;
    let best = (b - a).cross(c - a).abs().max_position();
    [best, (best + 1) % 3, (best + 2) % 3]
        .into_iter()
        .find(|&axis| orient2(axis, a, b, c) != 0)
}

/// On which side of the line from `a` to `b` the point `c` lies, looking along a coordinate axis.
fn orient2(axis: usize, a: DVec3, b: DVec3, c: DVec3) -> i8 {
    let shadow = |p: DVec3| Coord {
        x: p[(axis + 1) % 3],
        y: p[(axis + 2) % 3],
    };
    sign(robust::orient2d(shadow(a), shadow(b), shadow(c)))
}

/// On which side of the plane through `a`, `b`, `c` the point `d` lies.
fn orient3(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> i8 {
    // Flat sheets along the axes are common, and the adaptive predicate is slow on exact zeros.
    let level = a.cmpeq(b) & a.cmpeq(c) & a.cmpeq(d);
    if level.any() {
        return 0;
    }
    let point = |p: DVec3| Coord3D {
        x: p.x,
        y: p.y,
        z: p.z,
    };
    sign(robust::orient3d(point(a), point(b), point(c), point(d)))
}

fn sign(value: f64) -> i8 {
    i8::from(value > 0.0) - i8::from(value < 0.0)
}
