//! Continuous collision detection: when two moving primitives first touch. No contact is ever missed.
//!
//! # Invariant
//! Every point moves in a straight line from its start to its end over t in [0, 1]. The time returned is
//! never later than the true first contact, and `None` is a proof that there is none. This holds for
//! the doubles as given and in exact arithmetic, for any finite coordinates and however degenerate the
//! primitives: triangles and edges are closed sets, may be segments or points, and touching counts.
//!
//! # Mathematics
//! A point p meets a triangle abc exactly if the triangle of differences p−a, p−b, p−c contains the
//! origin; an edge pq meets an edge rs exactly if the parallelogram p−r, p−s, q−s, q−r does. Either is a
//! flat convex polygon whose corners x_i(t) move in straight lines (`moving_polygon`).
//!
//! A direction n with n · x_i(t) > 0 for all corners separates the origin from the polygon at time t. n · x_i
//! is linear in t, so that a direction proves a whole *interval* of time to be free of contact, whose ends
//! are the zeros of linear functions. The search (`search`) covers [0, 1] with such intervals and returns the
//! beginning of the earliest gap that it cannot close. Directions are guessed (`direction`): the one to the
//! nearest point of the polygon at some time in the gap. Only the test of a direction has to be certain; it
//! takes off more than all rounding can do (`moving_polygon`, with the bounds).
//!
//! Things that stay close while they turn together want a proof of another kind: the volume spanned by
//! three corners, a cubic in t, does not vanish (`volume`).
//!
//! Gaps that remain at the precision of doubles are tried once more with about 32 digits (`number`).
//! What then is left open counts as contact: misses by less than about 1e-22 of the size of things, and
//! motions that keep so close together all the while that the search runs out of its budget. Otherwise
//! the time is early by at most 1e-6. Work per query is bounded, nothing is allocated.
//!
//! Separating directions over a time interval are the continuous form of the separating axis theorem
//! (Redon, Kheddar & Coquillart 2002, *Fast continuous collision detection between rigid bodies*, use
//! fixed ones); the advance by steps proven free is conservative advancement (Mirtich 1996); the
//! requirements are those of Wang, Ferguson, Schneider, Jiang, Attene & Panozzo (2021), *A large-scale
//! benchmark and an inclusion-based algorithm for continuous collision detection*.

mod direction;
mod moving_polygon;
mod number;
mod search;
#[cfg(test)]
mod tests;
mod volume;

use glam::DVec3;
use moving_polygon::{Corners, MovingPolygon};
use number::{DoubleDouble, Real};

const POINT_TRIANGLE: Corners<3> = [[0, 1], [0, 2], [0, 3]];
const EDGE_EDGE: Corners<4> = [[0, 2], [0, 3], [1, 3], [1, 2]];

/// When a moving point first touches a moving triangle: a time in [0, 1] before which there is certainly
/// no contact, or `None` if there is certainly none at all.
///
/// The four points (m) are the point and the corners of the triangle, at `start` (t = 0) and at `end`
/// (t = 1). Times are parts of the motion. Coordinates that are not finite give 0.
pub fn point_triangle(start: &[DVec3; 4], end: &[DVec3; 4]) -> Option<f64> {
    point_triangle_within(start, end, 0.0)
}

/// When a moving point first comes as near as `distance` (m) to a moving triangle, by the same rules as
/// [`point_triangle`]: never too late, and `None` only if it certainly stays farther away.
pub fn point_triangle_within(start: &[DVec3; 4], end: &[DVec3; 4], distance: f64) -> Option<f64> {
    time_of_impact(&POINT_TRIANGLE, start, end, distance)
}

/// When two moving edges first touch: a time in [0, 1] before which there is certainly no contact, or
/// `None` if there is certainly none at all.
///
/// The four points (m) are the two ends of the one edge and the two ends of the other, at `start`
/// (t = 0) and at `end` (t = 1). Times are parts of the motion. Coordinates that are not finite give 0.
pub fn edge_edge(start: &[DVec3; 4], end: &[DVec3; 4]) -> Option<f64> {
    edge_edge_within(start, end, 0.0)
}

/// When two moving edges first come as near as `distance` (m) to each other, by the same rules as
/// [`edge_edge`]: never too late, and `None` only if they certainly stay farther apart.
pub fn edge_edge_within(start: &[DVec3; 4], end: &[DVec3; 4], distance: f64) -> Option<f64> {
    time_of_impact(&EDGE_EDGE, start, end, distance)
}

/// Sizes at which no product in the search can overflow, nor lose to underflow what matters.
const TAME: std::ops::Range<f64> = 1e-40..1e40;

fn time_of_impact<const N: usize>(
    corners: &Corners<N>,
    start: &[DVec3; 4],
    end: &[DVec3; 4],
    distance: f64,
) -> Option<f64> {
    // To overlap by some depth is not asked for; a NaN is left to be one.
    let distance = if distance < 0.0 { 0.0 } else { distance };
    let motion = MovingPolygon::new(corners, start, end, distance);
    let size = motion.size();
    if !TAME.contains(&size) || !distance.is_finite() {
        return outlandish(corners, start, end, distance, size);
    }
    if motion.boxes_are_apart() {
        return None;
    }
    search_in_both_precisions(&motion, || {
        MovingPolygon::new(corners, start, end, distance)
    })
}

/// What `f64` cannot decide is left to double-double numbers.
fn search_in_both_precisions<const N: usize>(
    motion: &MovingPolygon<f64, N>,
    fine_motion: impl Fn() -> MovingPolygon<DoubleDouble, N>,
) -> Option<f64> {
    search::cover(motion, [0.0, 1.0], |gap| {
        // A distance asked for is not worth 32 digits, nor is contact that is plain to see.
        if motion.distance > 0.0 || search::passes_through(motion, gap) {
            return Some(gap[0]);
        }
        let is_contact = |[from, _]: [DoubleDouble; 2]| Some(from);
        let time = search::cover(&fine_motion(), gap.map(Real::exact), is_contact)?;
        Some(time.rounded_down())
    })
}

/// Brings differences of any size to somewhere near 1, by a power of two.
#[cold]
fn outlandish<const N: usize>(
    corners: &Corners<N>,
    start: &[DVec3; 4],
    end: &[DVec3; 4],
    distance: f64,
    size: f64,
) -> Option<f64> {
    let finite = start.iter().chain(end).all(|p| p.is_finite()) && distance.is_finite();
    if size == 0.0 || !finite {
        return Some(0.0);
    }
    // The difference of two of the largest numbers is none any more, but that of their quarters is.
    let shrink = if size > 1.0 { 0.25 } else { 1.0 };
    let [start, end] = [start, end].map(|points| points.map(|p| p * shrink));
    let distance = distance * shrink;
    let size = MovingPolygon::<f64, N>::new(corners, &start, &end, distance).size();
    let exponent = -size.min(f64::MAX).log2();
    let factor = 2f64.powi(exponent.clamp(-1000.0, 1000.0) as i32);
    let motion = MovingPolygon::new(corners, &start, &end, distance).scaled(factor);
    search_in_both_precisions(&motion, || {
        MovingPolygon::new(corners, &start, &end, distance).scaled(factor)
    })
}
