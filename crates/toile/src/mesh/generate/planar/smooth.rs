//! Moving the points inside an area until the triangles between them are well shaped.

use super::outline::{PolygonError, Rim};
use super::triangulate::triangulate;
use glam::DVec2;
use std::f64::consts::TAU;

/// Rounds in which all points move, each on a new triangulation. Test:
/// `convex_polygons_get_no_angle_below_twenty_degrees`.
const SMOOTHING_ROUNDS: usize = 6;
/// How often each point moves in a round.
const SMOOTHING_SWEEPS: usize = 2;
/// Rounds in which the points of slender triangles move; it ends sooner when there are none.
const MENDING_ROUNDS: usize = 8;
/// Sine of the angle below which a triangle is mended (33°).
const SLENDER: f64 = 0.545;

/// Moves the points that are not on the rim; answers with the triangles.
pub(super) fn smooth(points: &mut [DVec2], rim: &Rim) -> Result<Vec<[u32; 3]>, PolygonError> {
    let first = rim.points.len();
    let inside = points.len() - first;
    for _ in 0..SMOOTHING_ROUNDS {
        let triangles = triangulate(points, rim)?;
        let stars = Stars::new(points.len(), &triangles);
        for node in (first..points.len())
            .cycle()
            .take(SMOOTHING_SWEEPS * inside)
        {
            let star = stars.of(node);
            let middle = middle_of_star(star, points);
            move_if_valid(node, middle, star, points);
        }
    }
    for _ in 0..MENDING_ROUNDS {
        let triangles = triangulate(points, rim)?;
        let mut slender: Vec<u32> = triangles
            .iter()
            .filter(|t| smallest_sine(t.map(|n| points[n as usize])) < SLENDER)
            .flatten()
            .copied()
            .filter(|&n| n as usize >= first)
            .collect();
        slender.sort_unstable();
        slender.dedup();
        if slender.is_empty() {
            return Ok(triangles);
        }
        let stars = Stars::new(points.len(), &triangles);
        for node in slender {
            widen_angles(node as usize, stars.of(node as usize), points);
        }
    }
    triangulate(points, rim)
}

/// The sides that face each point: its triangles without the point itself.
struct Stars {
    first: Vec<u32>,
    facing: Vec<[u32; 2]>,
}

impl Stars {
    fn new(point_count: usize, triangles: &[[u32; 3]]) -> Self {
        let mut first = vec![0_u32; point_count + 1];
        for &node in triangles.iter().flatten() {
            first[node as usize + 1] += 1;
        }
        for k in 0..point_count {
            first[k + 1] += first[k];
        }
        let mut fill = first.clone();
        let mut facing = vec![[0; 2]; 3 * triangles.len()];
        for &[a, b, c] in triangles {
            for (node, side) in [(a, [b, c]), (b, [c, a]), (c, [a, b])] {
                let slot = &mut fill[node as usize];
                facing[*slot as usize] = side;
                *slot += 1;
            }
        }
        Stars { first, facing }
    }

    fn of(&self, node: usize) -> &[[u32; 2]] {
        &self.facing[self.first[node] as usize..self.first[node + 1] as usize]
    }
}

/// The centroid of all triangles around a point together.
fn middle_of_star(star: &[[u32; 2]], points: &[DVec2]) -> DVec2 {
    let origin = points[star[0][0] as usize];
    let (mut moment, mut area) = (DVec2::ZERO, 0.0);
    for side in star {
        let [a, b] = side.map(|n| points[n as usize] - origin);
        moment += (a + b) / 3.0 * a.perp_dot(b);
        area += a.perp_dot(b);
    }
    origin + moment / area
}

/// Moves a point as far towards a place as its triangles stay the right way round, so it can never leave
/// the area.
fn move_if_valid(node: usize, target: DVec2, star: &[[u32; 2]], points: &mut [DVec2]) {
    let here = points[node];
    for share in [1.0, 0.5, 0.25] {
        let place = here.lerp(target, share);
        let valid = star.iter().all(|side| {
            let [a, b] = side.map(|n| points[n as usize]);
            (b - a).perp_dot(place - a) > 1e-3 * (b - a).length_squared()
        });
        if valid {
            points[node] = place;
            return;
        }
    }
}

/// Searches around a point for a place where the smallest angle of its triangles is larger.
fn widen_angles(node: usize, star: &[[u32; 2]], points: &mut [DVec2]) {
    let worst_at = |place: DVec2, points: &[DVec2]| {
        star.iter()
            .map(|side| {
                let [a, b] = side.map(|n| points[n as usize]);
                smallest_sine([place, a, b])
            })
            .fold(f64::INFINITY, f64::min)
    };
    let [a, b] = star[0].map(|n| points[n as usize]);
    let mut step = 0.25 * a.distance(b);
    let mut worst = worst_at(points[node], points);
    for _ in 0..6 {
        let here = points[node];
        let ring = (0..8).map(|k| here + step * DVec2::from_angle(TAU * f64::from(k) / 8.0));
        for place in ring {
            let there = worst_at(place, points);
            if there > worst {
                worst = there;
                points[node] = place;
            }
        }
        if points[node] == here {
            step *= 0.5;
        }
    }
}

/// Sine of the smallest angle, negative for a triangle the wrong way round.
fn smallest_sine([a, b, c]: [DVec2; 3]) -> f64 {
    let mut squares = [(a, b), (b, c), (c, a)].map(|(p, q)| p.distance_squared(q));
    squares.sort_by(f64::total_cmp);
    // The smallest angle lies between the two longest sides.
    (b - a).perp_dot(c - a) / (squares[1] * squares[2]).sqrt()
}
