//! The moving polygon of differences, and the times a direction proves to be free of contact.

use super::number::{Real, Vector};
use glam::DVec3;

/// The corners of a flat convex polygon in order, each moving in a straight line over t in [0, 1].
pub(super) struct MovingPolygon<S, const N: usize> {
    pub(super) start: [Vector<S>; N],
    pub(super) end: [Vector<S>; N],
    /// How near the origin may come.
    pub(super) distance: f64,
}

/// The corners of the polygon as differences of the four points: `[i, j]` stands for x_i − x_j.
pub(super) type Corners<const N: usize> = [[usize; 2]; N];

/// More than all that products, of three at most, lose when they underflow, and yet nothing: sizes lie
/// between 1e-40 and 1e40.
pub(super) const UNDERFLOW: f64 = 1e-250;

/// Times before this one are not told from zero: quotients stay clear of underflow.
const INSTANT: f64 = 1e-200;

impl<S: Real, const N: usize> MovingPolygon<S, N> {
    pub(super) fn new(
        corners: &Corners<N>,
        start: &[DVec3; 4],
        end: &[DVec3; 4],
        distance: f64,
    ) -> Self {
        let between = |points: &[DVec3; 4]| {
            corners.map(|[i, j]| {
                let (a, b) = (points[i], points[j]);
                Vector([
                    S::difference(a.x, b.x),
                    S::difference(a.y, b.y),
                    S::difference(a.z, b.z),
                ])
            })
        };
        Self {
            start: between(start),
            end: between(end),
            distance,
        }
    }

    /// The same motion in other units. Exact, as `factor` is a power of two.
    pub(super) fn scaled(self, factor: f64) -> Self {
        let scale =
            |corners: [Vector<S>; N]| corners.map(|x| Vector(x.0.map(|c| c.scaled(factor))));
        Self {
            start: scale(self.start),
            end: scale(self.end),
            distance: self.distance * factor,
        }
    }

    /// Where the corners are at `time`, to rounding. Only guesses are built on it.
    pub(super) fn at(&self, time: S) -> [Vector<S>; N] {
        std::array::from_fn(|i| {
            let (start, end) = (self.start[i], self.end[i]);
            if time > S::exact(0.5) {
                end + (start - end) * (S::exact(1.0) - time)
            } else {
                start + (end - start) * time
            }
        })
    }

    /// A time interval [from, to] on which n · x > distance · |n| for every corner x, so that the
    /// polygon keeps its distance from the origin. Certain, whatever the rounding.
    ///
    /// # Why it is certain
    /// Along a fixed n every corner moves linearly: h(t) = (1−t) h(0) + t h(1), with
    /// h = n · x − distance · |n|. So lower bounds l₀ ≤ h(0), l₁ ≤ h(1) give h(t) ≥ (1−t) l₀ + t l₁, and
    /// the times at which the right side is positive are an interval that ends where it vanishes.
    ///
    /// n is taken as exact. In `f64` a component of x has one rounding, a product another, the two sums
    /// two more, the difference l = h − error a fifth. With u = 2⁻⁵³ all of them together stay below
    /// 6u Σ|nₖ||xₖ|, while 16u are taken off (the sum that says how much has at most 5 roundings
    /// itself). For `DoubleDouble` components of x are exact, and (7 + 3 + 3 + 3) u² stand against
    /// 256 u². l₀ / (l₀ − l₁) has no cancellation, as the signs differ: two roundings and the one of the
    /// safety factor, 4u (double-double: 25 u²), against the same 16u (256 u²).
    pub(super) fn free_times(&self, n: Vector<S>) -> Option<[S; 2]> {
        let coarse = n.to_f64().abs();
        // Guesses may be anything. Past this point nothing overflows, and no NaN appears.
        let usable = coarse.dot(Vector([1.0; 3])) < 4.0;
        if !usable {
            return None;
        }
        let one = S::exact(1.0);
        let rounding = S::exact(S::ROUNDING);
        let tiny = S::exact(UNDERFLOW);
        let gap = self.gap_along(n);
        let bound = |x: Vector<S>| {
            let error = x.to_f64().abs().dot(coarse) * S::ROUNDING + gap;
            let bound = n.dot(x) - S::exact(error);
            if bound > tiny {
                bound
            } else {
                bound.min(-tiny)
            }
        };
        let [mut from, mut to] = [S::zero(), one];
        for i in 0..N {
            let (first, last) = (bound(self.start[i]), bound(self.end[i]));
            let zero = || first / (first - last);
            match (first > tiny, last > tiny) {
                (true, true) => {}
                (true, false) => to = to.min(zero() * (one - rounding)),
                (false, true) => from = from.max(zero() * (one + rounding)).max(S::exact(INSTANT)),
                (false, false) => return None,
            }
        }
        let certain = from <= to && to > S::exact(INSTANT);
        certain.then_some([from, to])
    }

    /// distance · |n|, rounded up, and more than any underflow.
    fn gap_along(&self, n: Vector<S>) -> f64 {
        if self.distance == 0.0 {
            return UNDERFLOW;
        }
        let n = n.to_f64();
        self.distance * n.dot(n).sqrt() * (1.0 + <f64 as Real>::ROUNDING) + UNDERFLOW
    }
}

impl<const N: usize> MovingPolygon<f64, N> {
    /// Whether a coordinate axis separates: the boxes swept by the two bodies are apart.
    pub(super) fn boxes_are_apart(&self) -> bool {
        let beyond = self.distance * (1.0 + 2.0 * f64::EPSILON);
        (0..3).any(|axis| {
            let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
            for x in self.start.iter().chain(&self.end) {
                least = least.min(x.0[axis]);
                most = most.max(x.0[axis]);
            }
            least > beyond || -most > beyond
        })
    }

    /// The sum of all coordinate differences; not finite if any of them is not.
    pub(super) fn size(&self) -> f64 {
        let all = self.start.iter().chain(&self.end);
        all.map(|x| x.0.iter().map(|c| c.abs()).sum::<f64>()).sum()
    }
}
