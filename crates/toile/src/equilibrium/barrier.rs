//! Contact as an energy: a barrier on each node's gap to each body.
//!
//! With `d` the distance of a node from a body beyond its contact offset, and `s = d/d̂`:
//!
//! `b(d) = κ d̂² β(s)`, `β(s) = −(s − 1)² ln s` for `0 < s < 1`, and nothing beyond
//!
//! (Li, Ferguson and others 2020, Incremental Potential Contact). It is twice continuously differentiable at
//! `s = 1` and grows without bound at `s = 0`, so whoever goes downhill in small enough steps never touches. The
//! force `−b'` is along the normal: there is no friction, because friction has no energy.
//!
//! `κ` is chosen per node so that a node which carries just its own weight rests at `s = 1/2`. One that carries a
//! hundred times as much rests near `s = 1/100`.

/// `−β'(1/2)`.
const HALF_WAY: f64 = 0.5 + std::f64::consts::LN_2;

/// The barrier of one node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Barrier {
    /// `d̂` (m): from where on a body is felt.
    pub reach: f64,
    /// The force at half the reach (N).
    pub force: f64,
}

impl Barrier {
    /// `b` (J); infinite at and below a gap of zero.
    pub fn value(&self, gap: f64) -> f64 {
        let s = gap / self.reach;
        if s >= 1.0 {
            0.0
        } else if s <= 0.0 {
            f64::INFINITY
        } else {
            -self.force * self.reach / HALF_WAY * (s - 1.0) * (s - 1.0) * s.ln()
        }
    }

    /// `−b'` (N), positive where the body pushes.
    pub fn push(&self, gap: f64) -> f64 {
        let s = gap / self.reach;
        if s >= 1.0 {
            return 0.0;
        }
        let t = s - 1.0;
        self.force / HALF_WAY * (2.0 * t * s.ln() + t * t / s)
    }

    /// `b''` (N/m), never negative.
    pub fn stiffness(&self, gap: f64) -> f64 {
        let s = gap / self.reach;
        if s >= 1.0 {
            return 0.0;
        }
        let t = (s - 1.0) / s;
        self.force / (HALF_WAY * self.reach) * (t * t - 4.0 * t - 2.0 * s.ln())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BARRIER: Barrier = Barrier {
        reach: 2e-3,
        force: 0.3,
    };

    /// Sixth-order difference quotient.
    fn slope(f: impl Fn(f64) -> f64, x: f64, e: f64) -> f64 {
        let pair = |k: f64| f(x + k * e) - f(x - k * e);
        (0.75 * pair(1.0) - 0.15 * pair(2.0) + pair(3.0) / 60.0) / e
    }

    #[test]
    fn push_and_stiffness_are_the_slopes_of_the_barrier() {
        for gap in [2e-5, 3e-4, 1e-3, 1.9e-3] {
            let e = 1e-3 * gap;
            let push = -slope(|d| BARRIER.value(d), gap, e);
            assert!(
                (BARRIER.push(gap) / push - 1.0).abs() < 1e-8,
                "push at {gap}"
            );
            let stiffness = -slope(|d| BARRIER.push(d), gap, e);
            let error = BARRIER.stiffness(gap) / stiffness - 1.0;
            assert!(error.abs() < 1e-8, "stiffness at {gap}: {error}");
        }
    }

    #[test]
    fn at_half_its_reach_the_barrier_pushes_with_its_force() {
        assert!((BARRIER.push(1e-3) - 0.3).abs() < 1e-15);
    }

    #[test]
    fn the_barrier_begins_smoothly_and_ends_at_infinity() {
        assert_eq!(BARRIER.value(2e-3), 0.0);
        assert_eq!(BARRIER.push(3e-3), 0.0);
        assert!(BARRIER.stiffness(2e-3 * (1.0 - 1e-9)) < 1e-6);
        assert_eq!(BARRIER.value(0.0), f64::INFINITY);
        assert_eq!(BARRIER.value(-1e-3), f64::INFINITY);
        assert!(BARRIER.push(1e-9) > 1e5 * BARRIER.force);
    }
}
