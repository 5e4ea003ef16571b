//! The closest point of a triangle.
//!
//! Two routines, for two kinds of questions. [`point_triangle`] answers for contact: it also takes the point
//! along, and its weights on the face come from areas, which lose no digits where the point is close to the
//! plane. [`closest_weights`] answers for distance fields, which ask millions of times: no cross product, and
//! most points are told by their region after a few dot products.

use super::{Closest, nearest, share_along};
use glam::DVec3;

/// Squared sine of the angle below which a triangle counts as the segments it has collapsed to: the weights
/// would be quotients of rounding errors.
const COLLAPSED: f64 = 1e-20;

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

/// Barycentric weights of the point of the triangle `[a, b, c]` closest to `point`.
///
/// The plane around a triangle falls into seven regions: one beyond each corner, one beside each edge, and
/// the inside (Ericson 2005, §5.1.5). Four dot products and three areas tell which one the point lies over.
/// Triangles without area are taken for their longest segment.
#[inline(always)]
pub(crate) fn closest_weights(point: DVec3, &[a, b, c]: &[DVec3; 3]) -> [f64; 3] {
    let (ab, ac) = (b - a, c - a);
    let from_a = point - a;
    let (a_ab, a_ac) = (ab.dot(from_a), ac.dot(from_a));
    if a_ab <= 0.0 && a_ac <= 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let from_b = point - b;
    let (b_ab, b_ac) = (ab.dot(from_b), ac.dot(from_b));
    if b_ab >= 0.0 && b_ac <= b_ab {
        return [0.0, 1.0, 0.0];
    }
    let from_c = point - c;
    let (c_ab, c_ac) = (ab.dot(from_c), ac.dot(from_c));
    if c_ac >= 0.0 && c_ab <= c_ac {
        return [0.0, 0.0, 1.0];
    }
    // Areas opposite to each corner, all with the common factor |ab × ac|.
    let over_c = a_ab * b_ac - b_ab * a_ac;
    if over_c <= 0.0 && a_ab >= 0.0 && b_ab <= 0.0 {
        let t = share(a_ab, a_ab - b_ab);
        return [1.0 - t, t, 0.0];
    }
    let over_b = c_ab * a_ac - a_ab * c_ac;
    if over_b <= 0.0 && a_ac >= 0.0 && c_ac <= 0.0 {
        let t = share(a_ac, a_ac - c_ac);
        return [1.0 - t, 0.0, t];
    }
    let over_a = b_ab * c_ac - c_ab * b_ac;
    let (b_bc, c_bc) = (b_ac - b_ab, c_ab - c_ac);
    if over_a <= 0.0 && b_bc >= 0.0 && c_bc >= 0.0 {
        let t = share(b_bc, b_bc + c_bc);
        return [0.0, 1.0 - t, t];
    }
    let whole = over_a + over_b + over_c;
    if whole <= COLLAPSED * ab.length_squared() * ac.length_squared() {
        return closest_on_edges(point, &[a, b, c]);
    }
    let (v, w) = (over_b / whole, over_c / whole);
    [1.0 - v - w, v, w]
}

#[inline(always)]
fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

#[cold]
fn closest_on_edges(point: DVec3, corners: &[DVec3; 3]) -> [f64; 3] {
    let mut best = ([1.0, 0.0, 0.0], f64::INFINITY);
    for k in 0..3 {
        let (from, to) = (corners[k], corners[(k + 1) % 3]);
        let t = share_along(from, to, point);
        let squared = point.distance_squared(from + t * (to - from));
        if squared < best.1 {
            let mut weights = [0.0; 3];
            weights[k] = 1.0 - t;
            weights[(k + 1) % 3] = t;
            best = (weights, squared);
        }
    }
    best.0
}

/// The point with these weights.
#[inline(always)]
pub(crate) fn weighted(weights: [f64; 3], &[a, b, c]: &[DVec3; 3]) -> DVec3 {
    weights[0] * a + weights[1] * b + weights[2] * c
}

/// Squared distance of a point to a triangle.
pub(crate) fn squared_distance(point: DVec3, triangle: &[DVec3; 3]) -> f64 {
    point.distance_squared(weighted(closest_weights(point, triangle), triangle))
}
