//! Polygons with any number of corners, cut into triangles.

use glam::{DVec2, DVec3};

/// Cuts a polygon into triangles, given by the numbers of its corners; always two fewer than there are corners.
///
/// Ears are cut off in the plane that fits the corners best, the one with the largest smallest angle first. Where
/// the outline crosses itself there may be no ear; what is left is then cut as a fan.
pub fn cut_polygon(corners: &[DVec3]) -> Vec<[usize; 3]> {
    let mut triangles = Vec::with_capacity(corners.len().saturating_sub(2));
    let flat = flatten(corners);
    let mut left: Vec<usize> = (0..corners.len()).collect();
    let mut ears: Vec<f64> = left.iter().map(|&k| ear(&flat, &left, k)).collect();
    while left.len() > 3 {
        let best = (0..left.len()).max_by(|&a, &b| ears[a].total_cmp(&ears[b]).then(b.cmp(&a)));
        let Some(best) = best.filter(|&k| ears[k] > f64::NEG_INFINITY) else {
            break;
        };
        let count = left.len();
        triangles.push([
            left[(best + count - 1) % count],
            left[best],
            left[(best + 1) % count],
        ]);
        left.remove(best);
        ears.remove(best);
        let count = left.len();
        for k in [(best + count - 1) % count, best % count] {
            ears[k] = ear(&flat, &left, k);
        }
    }
    for pair in left.windows(2).skip(1) {
        triangles.push([left[0], pair[0], pair[1]]);
    }
    triangles
}

/// The corners in the plane across the outline's vector area, counter-clockwise. No plane is special where that is zero.
fn flatten(corners: &[DVec3]) -> Vec<DVec2> {
    let next = corners.iter().cycle().skip(1);
    let area: DVec3 = corners.iter().zip(next).map(|(a, b)| a.cross(*b)).sum();
    let (u, v) = area
        .try_normalize()
        .unwrap_or(DVec3::Z)
        .any_orthonormal_pair();
    corners
        .iter()
        .map(|p| DVec2::new(p.dot(u), p.dot(v)))
        .collect()
}

/// How good a triangle the corner at place `k` would make: the smallest of its sines, or −∞ if it is no ear.
fn ear(flat: &[DVec2], left: &[usize], k: usize) -> f64 {
    let count = left.len();
    let around = [
        left[(k + count - 1) % count],
        left[k],
        left[(k + 1) % count],
    ];
    let [a, b, c] = around.map(|n| flat[n]);
    let area = (b - a).perp_dot(c - a);
    if area <= 0.0 {
        return f64::NEG_INFINITY;
    }
    let inside = |p: DVec2| {
        // A corner on the rim counts only if it is not one of the triangle's own places.
        let sides = [(a, b), (b, c), (c, a)];
        p != a && p != b && p != c && sides.iter().all(|(s, t)| (*t - *s).perp_dot(p - *s) >= 0.0)
    };
    let others = left.iter().filter(|n| !around.contains(n));
    if others.map(|&n| flat[n]).any(inside) {
        return f64::NEG_INFINITY;
    }
    let lengths = [a.distance(b), b.distance(c), c.distance(a)];
    let sines = [0, 1, 2].map(|k| area / (lengths[k] * lengths[(k + 2) % 3]));
    sines.into_iter().fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::f64::consts::TAU;

    fn area(points: &[DVec3], [a, b, c]: [usize; 3]) -> DVec3 {
        0.5 * (points[b] - points[a]).cross(points[c] - points[a])
    }

    proptest! {
        /// Stars around a point are simple, however deep their notches are.
        #[test]
        fn a_star_is_covered_once(
            radii in proptest::collection::vec(0.2..1.0_f64, 5..30),
            tilt in -1.0..1.0_f64,
        ) {
            let count = radii.len() as f64;
            let points: Vec<DVec3> = radii.iter().enumerate().map(|(k, r)| {
                let (sin, cos) = (TAU * k as f64 / count).sin_cos();
                DVec3::new(r * cos, r * sin, tilt * r * cos)
            }).collect();
            let triangles = cut_polygon(&points);
            prop_assert_eq!(triangles.len(), points.len() - 2);
            let whole: DVec3 = points.iter().zip(points.iter().cycle().skip(1)).map(|(a, b)| 0.5 * a.cross(*b)).sum();
            let parts: f64 = triangles.iter().map(|&t| area(&points, t).length()).sum();
            // Triangles that overlapped or lay outside would add up to more.
            prop_assert!((parts - whole.length()).abs() < 1e-9 * parts);
            let forward = triangles.iter().all(|&t| area(&points, t).dot(whole) > 0.0);
            prop_assert!(forward);
        }
    }

    #[test]
    fn a_quad_is_cut_where_its_triangles_are_better() {
        let points = [[0.0, 0.0], [2.0, 0.0], [2.5, 1.0], [0.0, 1.0]];
        let points = points.map(|[x, y]| DVec3::new(x, y, 0.0));
        let has_diagonal = |p: &[DVec3], a, b| {
            cut_polygon(p)
                .iter()
                .all(|t| t.contains(&a) && t.contains(&b))
        };
        assert!(has_diagonal(&points, 1, 3));
        // An arrow's head can be cut only from its notch.
        let arrow = [[0.0, 0.0], [2.0, -1.0], [0.5, 0.0], [2.0, 1.0]];
        assert!(has_diagonal(
            &arrow.map(|[x, y]| DVec3::new(x, y, 0.0)),
            0,
            2
        ));
    }

    #[test]
    fn corners_without_area_still_make_triangles() {
        assert_eq!(cut_polygon(&[DVec3::ZERO; 6]).len(), 4);
        let line: Vec<DVec3> = (0..5).map(|k| DVec3::X * f64::from(k)).collect();
        assert_eq!(cut_polygon(&line).len(), 3);
    }
}
