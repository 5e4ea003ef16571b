//! The cubic that vanishes whenever the origin lies in the plane of the polygon.
//!
//! c(t) = x₀(t) · (x₁(t) × x₂(t)) is a cubic, in Bernstein form Σ cⱼ Bⱼ(t). While it is not zero the
//! plane of the polygon does not contain the origin, so neither does the polygon, degenerate or not. On
//! an interval a polynomial is not zero if all its Bernstein coefficients there have the same sign
//! (Provot 1997 has the cubic; the test of signs is in Tang, Tong, Wang & Manocha 2014, *Fast and exact
//! continuous collision detection with Bernstein sign classification*).
//!
//! A fixed direction is at a loss with things that stay close while they turn together. This is not.

use super::moving_polygon::{MovingPolygon, UNDERFLOW};
use super::number::{Real, Vector};

/// The cubic, and a bound for all that rounding can do to it.
pub(super) struct Volume<S> {
    coefficients: [S; 4],
    error: S,
}

impl<S: Real> Volume<S> {
    /// For the bound: with u = 2⁻⁵³, an entry has one rounding, and a product of three is followed by at
    /// most 8 more on its way into a coefficient; cutting an interval out takes 3 convex combinations of
    /// 3 roundings each. That makes (3 + 2 + 8 + 9) u times the sum of all products of three with
    /// positive signs. 32u are set against it. For double-doubles 90 u² stand against 512 u².
    pub(super) fn new<const N: usize>(motion: &MovingPolygon<S, N>) -> Self {
        let (start, end) = (&motion.start, &motion.end);
        let mut coefficients = [S::zero(); 4];
        let mut largest: f64 = 0.0;
        // Bit i of the choice says whether corner i is taken from the end of the motion.
        for choice in 0..8u32 {
            let corner = |i: usize| {
                if choice >> i & 1 == 0 {
                    start[i]
                } else {
                    end[i]
                }
            };
            let [a, b, c] = [corner(0), corner(1), corner(2)];
            let j = choice.count_ones() as usize;
            coefficients[j] = coefficients[j] + a.dot(b.cross(c));
            largest = largest.max(permanent(a.to_f64(), b.to_f64(), c.to_f64()));
        }
        let third = S::exact(1.0) / S::exact(3.0);
        coefficients[1] = coefficients[1] * third;
        coefficients[2] = coefficients[2] * third;
        let error = S::exact(largest * 2.0 * S::ROUNDING + UNDERFLOW);
        Self {
            coefficients,
            error,
        }
    }

    /// Whether the cubic certainly has no zero in the interval.
    pub(super) fn is_nonzero_on(&self, [from, to]: [S; 2]) -> bool {
        // The coefficients on [a, b] are the blossom at aaa, aab, abb and bbb.
        let inner = [
            self.blossom([from, from, from]),
            self.blossom([from, from, to]),
            self.blossom([from, to, to]),
            self.blossom([to, to, to]),
        ];
        inner.iter().all(|&c| c > self.error) || inner.iter().all(|&c| -c > self.error)
    }

    /// About when the cubic changes its sign, if it does from one end of the interval to the other. By
    /// the rule of false position with the Illinois modification (Dowell & Jarratt 1971).
    pub(super) fn sign_change(&self, [mut from, mut to]: [f64; 2]) -> Option<f64> {
        let coarse = Volume {
            coefficients: self.coefficients.map(S::to_f64),
            error: self.error.to_f64(),
        };
        let at = |time: f64| coarse.blossom([time; 3]);
        let (mut first, mut last) = (at(from), at(to));
        if first.abs() <= coarse.error
            || last.abs() <= coarse.error
            || (first < 0.0) == (last < 0.0)
        {
            return None;
        }
        for _ in 0..10 {
            let time = (from * last - to * first) / (last - first);
            let value = at(time);
            if (value < 0.0) == (last < 0.0) {
                first *= 0.5;
            } else {
                (from, first) = (to, last);
            }
            (to, last) = (time, value);
            if (to - from).abs() < 1e-9 || last.abs() <= coarse.error {
                break;
            }
        }
        Some(to)
    }

    /// De Casteljau's scheme with a time of its own at each level.
    fn blossom(&self, times: [S; 3]) -> S {
        let mut c = self.coefficients;
        for (level, &t) in times.iter().enumerate() {
            let rest = S::exact(1.0) - t;
            for i in 0..3 - level {
                c[i] = c[i] * rest + c[i + 1] * t;
            }
        }
        c[0]
    }
}

/// The determinant with all signs positive.
fn permanent(a: Vector<f64>, b: Vector<f64>, c: Vector<f64>) -> f64 {
    let ([x, y, z], [p, q, r], [l, m, n]) = (a.abs().0, b.abs().0, c.abs().0);
    x * (q * n + r * m) + y * (r * l + p * n) + z * (p * m + q * l)
}
