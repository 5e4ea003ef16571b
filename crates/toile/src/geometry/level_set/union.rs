//! Several bodies at once: their union, and what is caught between them.

use super::LevelSet;
use crate::geometry::Sample;
use glam::DVec3;

/// Normals count as opposed if they are within 60° of opposite directions.
const OPPOSED: f64 = -0.5;

/// The union of bodies at a point: the sample with the smallest distance, and which body it is from; of
/// equals the first. There is none if there are no bodies.
///
/// Outside of all bodies the distance is exact up to that of the parts. Where bodies overlap it is a bound:
/// the true depth may be larger, and along a surface between two bodies it has a crease of local minima.
pub fn union_sample(bodies: &[&LevelSet], point: DVec3) -> Option<(usize, Sample)> {
    let samples = bodies.iter().map(|body| body.sample(point)).enumerate();
    samples.reduce(|best, next| {
        if next.1.distance < best.1.distance {
            next
        } else {
            best
        }
    })
}

/// Whether a point is squeezed between two bodies: closer to both than `thickness` (m), or inside, with the
/// bodies on opposite sides.
///
/// With a thickness of zero these are the points inside both bodies that Bridson, Marino, Fedkiw (2003, §5.1)
/// flag: cloth there must be left between the bodies, since pushing it out of one pushes it into the other.
/// Where one body is a long way inside the other, both may push the same way; that is no pinch.
pub fn pinched(first: &LevelSet, second: &LevelSet, point: DVec3, thickness: f64) -> bool {
    if first.distance(point) > thickness || second.distance(point) > thickness {
        return false;
    }
    let (a, b) = (first.sample(point), second.sample(point));
    a.normal.dot(b.normal) < OPPOSED
}
