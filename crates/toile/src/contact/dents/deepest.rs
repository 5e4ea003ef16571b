//! The place of a triangle where a body is nearest, or reaches deepest.
//!
//! Among the points of a triangle the signed distance `φ` of a body has its least value where it touches
//! first. It is looked for as by Macklin and others (2020), by a local search over the triangle's own
//! coordinates, with any shape that tells distances and normals: from the corners and the middle to the
//! triangle's point that is nearest to the body's nearest (`x − φ n`), some times, which finds convex bodies
//! from outside; then downhill in smaller and smaller steps, which finds the rest. `φ` changes by no more
//! than the way, so most triangles are told from one sample to be too far away.

use crate::contact::Sample;
use crate::geometry::closest::point_triangle;
use glam::DVec3;

/// A place of a triangle, as a body sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deepest {
    /// Weights of the corners.
    pub weights: [f64; 3],
    /// Distance and normal there.
    pub sample: Sample,
}

/// How often the closest points of face and body are taken in turns. Each turn is a step of alternating
/// projection; what is left after three is searched downhill. Belongs to this phase alone.
const TURNS: u32 = 3;
/// The first and the last step downhill, as parts of a side.
const STEPS: [f64; 2] = [0.125, 1.0 / 256.0];
/// Along the sides and across them, both ways: where the distance has an edge, one of them leads on along it,
/// or nearly so.
const DIRECTIONS: [[f64; 3]; 12] = [
    [1.0, -1.0, 0.0],
    [-1.0, 1.0, 0.0],
    [1.0, 0.0, -1.0],
    [-1.0, 0.0, 1.0],
    [0.0, 1.0, -1.0],
    [0.0, -1.0, 1.0],
    [1.0, -0.5, -0.5],
    [-1.0, 0.5, 0.5],
    [-0.5, 1.0, -0.5],
    [0.5, -1.0, 0.5],
    [-0.5, -0.5, 1.0],
    [0.5, 0.5, -1.0],
];
/// Samples of the distance downhill at the most: the pattern search halves its step five times, with twelve
/// directions and a few moves each. A guard, not a setting.
const SAMPLES: u32 = 120;
/// What turns may leave to the search downhill, as a part of the triangle's size: farther off, a few more
/// hundredths do not bring it within reach. Belongs to this phase alone.
const LEFT: f64 = 0.05;

/// The place of a triangle that is nearest to a body, if that is no corner, and not farther than `within`
/// (m). Corners are nodes, which look after themselves; where the body is nearer than a flat one would be by
/// less than `give` (m), they look after the rest too. `ends` is what the corners see.
pub(crate) fn deepest(
    corners: &[DVec3; 3],
    ends: &[Sample; 3],
    (within, give): (f64, f64),
    sample: impl Fn(DVec3) -> Sample,
) -> Option<Deepest> {
    let at = |weights: [f64; 3]| Deepest {
        weights,
        sample: sample(place(corners, &weights)),
    };
    let corner = ends.iter().map(|e| e.distance);
    let corner = corner.fold(f64::INFINITY, f64::min);
    let thirds = [1.0 / 3.0; 3];
    let centre = place(corners, &thirds);
    let radius = corners.iter().map(|c| c.distance(centre));
    let radius = radius.fold(0.0, f64::max);
    // No point is farther from all corners than the centre.
    let is_far = |distance: f64| distance.is_nan() || distance - radius > within;
    if is_far(corner) {
        return None;
    }
    let middle = at(thirds);
    let turns = ends.map(|e| e.normal.distance(middle.sample.normal));
    let turn = turns.into_iter().fold(0.0, f64::max);
    let sag = (level(ends, &thirds) - middle.sample.distance).max(0.5 * radius * turn);
    if is_far(middle.sample.distance) || 1.5 * sag < give {
        return None;
    }
    let turned = |from: &Deepest| {
        let seen = from.sample;
        let surface = place(corners, &from.weights) - seen.distance * seen.normal;
        seen.distance
            .is_finite()
            .then(|| at(nearest(corners, surface)))
    };
    let nearer = |a: Deepest, b: Deepest| match b.sample.distance < a.sample.distance {
        true => b,
        false => a,
    };
    let seen = |k: usize| Deepest {
        weights: [0, 1, 2].map(|i| f64::from(u8::from(i == k))),
        sample: ends[k],
    };
    // A corner may be near without anything deep beside it, so the middles of the sides have their say.
    let sides = [[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.5, 0.0, 0.5]].map(at);
    let sag_of = |d: &Deepest| level(ends, &d.weights) - d.sample.distance;
    let sag = sides.iter().map(sag_of).fold(sag, f64::max);
    let turned_corners = (0..3).filter_map(|k| turned(&seen(k)));
    let mut best = sides.into_iter().chain(turned_corners).fold(middle, nearer);
    for _ in 0..TURNS {
        let Some(next) = turned(&best) else {
            break;
        };
        if next.sample.distance >= best.sample.distance {
            break;
        }
        best = next;
    }
    let sag = sag.max(sag_of(&best));
    // Going on downhill may find it half as deep again.
    if best.sample.distance > within + LEFT * radius || 1.5 * sag < give {
        return None;
    }
    let best = downhill(best, at);
    let found = best.sample.distance;
    (found <= within && found < corner).then_some(best)
}

/// The distance of a flat body with these distances at the corners.
fn level(ends: &[Sample; 3], weights: &[f64; 3]) -> f64 {
    let parts = ends.iter().zip(weights).filter(|(_, w)| **w > 0.0);
    parts.map(|(end, w)| w * end.distance).sum()
}

/// Goes from a place to nearer ones beside it.
fn downhill(mut best: Deepest, at: impl Fn([f64; 3]) -> Deepest) -> Deepest {
    let [mut step, last] = STEPS;
    let mut samples = 0;
    while step >= last && samples < SAMPLES {
        let before = best.sample.distance;
        for direction in DIRECTIONS {
            // As far as the triangle reaches.
            let room = (0..3).map(|k| match direction[k] < 0.0 {
                true => best.weights[k] / -direction[k],
                false => f64::INFINITY,
            });
            let shift = room.fold(step, f64::min);
            if shift > 0.0 {
                let next = at([0, 1, 2].map(|k| (best.weights[k] + shift * direction[k]).max(0.0)));
                if next.sample.distance < best.sample.distance {
                    best = next;
                }
                samples += 1;
            }
        }
        if best.sample.distance >= before {
            step *= 0.5;
        }
    }
    best
}

/// Weights of the place that is nearest to a point.
fn nearest(&[a, b, c]: &[DVec3; 3], point: DVec3) -> [f64; 3] {
    let [_, a, b, c] = point_triangle(&[point, a, b, c]).weights;
    [-a, -b, -c]
}

/// The place with these weights.
pub(crate) fn place(corners: &[DVec3; 3], weights: &[f64; 3]) -> DVec3 {
    (0..3).map(|k| weights[k] * corners[k]).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::Shape;

    const TRIANGLE: [DVec3; 3] = [
        DVec3::new(-0.4, -0.2, 0.0),
        DVec3::new(0.6, -0.3, 0.0),
        DVec3::new(0.0, 0.7, 0.0),
    ];

    /// The least distance on a fine lattice of weights.
    fn by_trying(corners: &[DVec3; 3], sample: impl Fn(DVec3) -> Sample) -> f64 {
        let n = 200;
        let lattice = (0..=n).flat_map(|i| (0..=n - i).map(move |j| [i, j, n - i - j]));
        let weights = lattice.map(|w| w.map(|k| f64::from(k) / f64::from(n)));
        weights
            .map(|w| sample(place(corners, &w)).distance)
            .fold(f64::INFINITY, f64::min)
    }

    /// Samples of a shape that stands somewhere, tilted.
    fn seen(shape: Shape, at: DVec3, tilt: f64) -> impl Fn(DVec3) -> Sample {
        let turn = glam::DQuat::from_axis_angle(DVec3::new(1.0, 2.0, 0.5).normalize(), tilt);
        move |p| {
            let seen = shape.sample(turn.inverse() * (p - at));
            Sample {
                normal: turn * seen.normal,
                ..seen
            }
        }
    }

    #[test]
    fn the_search_finds_what_trying_everything_finds() {
        let shapes = [
            Shape::Sphere { radius: 0.5 },
            Shape::Sphere { radius: 0.05 },
            Shape::Cuboid {
                half_size: DVec3::new(0.3, 0.2, 0.4),
            },
            Shape::Capsule {
                radius: 0.02,
                half_length: 2.0,
            },
            Shape::Cylinder {
                radius: 0.1,
                half_height: 0.3,
            },
        ];
        let mut inside = 0;
        for (k, shape) in shapes.iter().enumerate() {
            for case in 0..40 {
                let turn = 0.37 * f64::from(case) + k as f64;
                let at = DVec3::new(0.3 * turn.sin(), 0.2 * (2.0 * turn).cos(), -0.3);
                // From just out of reach to half a size deep.
                let lift = 0.02 * f64::from(case % 10);
                let sample = seen(shape.clone(), at + DVec3::Z * lift, turn);
                let Some(found) = deepest(&TRIANGLE, &TRIANGLE.map(&sample), (0.1, 0.0), &sample)
                else {
                    continue;
                };
                inside += 1;
                let least = by_trying(&TRIANGLE, &sample);
                let missed = found.sample.distance - least;
                // Deep inside, distances have edges on which steps of twelve directions may stop early: a
                // hundredth of the size is what faces keep.
                assert!(missed < 1e-2, "{shape:?}, {case}: {missed}");
            }
        }
        assert!(inside > 60, "{inside}");
    }

    #[test]
    fn a_thin_rod_between_the_corners_is_not_overlooked() {
        // Across the triangle in any direction, and lower than its plane by less than its radius.
        for k in 0..60 {
            let angle = 0.1 * f64::from(k);
            let shift = DVec3::new(0.05 * angle.sin(), 0.1 * angle.cos(), -4e-3);
            let sample = move |p: DVec3| {
                let turned = glam::DQuat::from_rotation_z(-angle) * (p - shift);
                let rod = Shape::Capsule {
                    radius: 5e-3,
                    half_length: 3.0,
                };
                let seen = rod.sample(DVec3::new(turned.y, turned.z, turned.x));
                let DVec3 { x, y, z } = seen.normal;
                Sample {
                    normal: glam::DQuat::from_rotation_z(angle) * DVec3::new(z, x, y),
                    ..seen
                }
            };
            if TRIANGLE
                .iter()
                .any(|corner| sample(*corner).distance < 1e-3)
            {
                continue; // the corner's own business
            }
            let found = deepest(&TRIANGLE, &TRIANGLE.map(&sample), (1e-3, 1e-3), sample);
            let found = found.expect("the rod reaches through");
            assert!(found.sample.distance < -5e-4, "{k}: {found:?}");
            assert!(found.sample.normal.z > 0.6, "{k}: {found:?}");
        }
    }

    #[test]
    fn a_side_that_reaches_in_beside_a_near_corner_is_found() {
        let sample = |p: DVec3| Shape::Sphere { radius: 0.22 }.sample(p);
        let above = |x: f64, y: f64, distance: f64| {
            let z = (0.22f64.powi(2) - x * x - y * y).sqrt();
            DVec3::new(x, y, z) * (1.0 + distance / 0.22)
        };
        for third in [2e-3, 5e-3, 8e-3] {
            let corners = [
                above(-0.04, 0.0, 2.4e-3),
                above(0.02, 0.0, 1e-3),
                above(-0.01, 0.042, third),
            ];
            let found = deepest(&corners, &corners.map(sample), (1e-4, 7.5e-4), sample);
            let found = found.expect("the ball reaches through").sample.distance;
            let least = by_trying(&corners, sample);
            assert!(least < -2e-4 && found < least + 1e-5, "{found} {least}");
        }
    }

    #[test]
    fn what_is_far_or_flat_is_told_from_few_samples() {
        let count = std::cell::Cell::new(0);
        let counted = |distance: f64| {
            count.set(0);
            let sample = |p: DVec3| {
                count.set(count.get() + 1);
                Sample {
                    distance: distance + p.z,
                    normal: DVec3::Z,
                }
            };
            assert!(deepest(&TRIANGLE, &TRIANGLE.map(&sample), (1e-3, 1e-3), sample).is_none());
            count.get()
        };
        // Those of the corners are shared with their neighbours.
        assert_eq!(counted(5.0), 3);
        assert_eq!(counted(0.01), 4);
    }
}
