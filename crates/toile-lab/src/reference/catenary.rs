//! The hanging chain: `z = a cosh(x/a)`, and how much lower it hangs if it stretches.
//!
//! At the arc length `s` from its lowest point a chain carries the horizontal force `w a` and the weight `w s`, `w` being its weight per
//! length. It points along that force, and stretches by `c` times its tension over `w`:
//!
//! `x' = a (1/√(a²+s²) + c)`, `z' = s (1/√(a²+s²) + c)`.

use super::bisect;

/// A chain hung between two points at the same height.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Catenary {
    /// `a`, horizontal tension over weight per length (m).
    pub parameter: f64,
    /// Half the length of the chain at rest (m).
    pub half_length: f64,
    softness: f64,
}

impl Catenary {
    /// The chain of this length over this span (m), the length being the larger. `softness` is its weight per length over its
    /// stretch stiffness (1/m); 0 for a chain that does not stretch.
    pub(crate) fn new(length: f64, span: f64, softness: f64) -> Self {
        let half_length = 0.5 * length;
        let with = |parameter: f64| Catenary {
            parameter,
            half_length,
            softness,
        };
        let parameter = bisect(1e-3 * span, 1e6 * span, |a| {
            with(a).curve(half_length)[0] - 0.5 * span
        });
        with(parameter)
    }

    /// How far the lowest point hangs below the ends (m).
    pub(crate) fn sag(&self) -> f64 {
        -self.at(0.0)[1]
    }

    /// Place on the chain (horizontal from the middle, height above the ends; m) at the rest length `s` from the middle (m).
    pub(crate) fn at(&self, s: f64) -> [f64; 2] {
        let [x, z] = self.curve(s);
        [x, z - self.curve(self.half_length)[1]]
    }

    /// The same, with heights from the lowest point.
    fn curve(&self, s: f64) -> [f64; 2] {
        let (a, c) = (self.parameter, self.softness);
        // √(a²+s²) − a without cancellation.
        let rise = s * s / (a.hypot(s) + a);
        [a * (s / a).asinh() + c * a * s, rise + 0.5 * c * s * s]
    }

    /// By how much a chain of straight links, with its weight in the joints, hangs lower than the smooth one: the factor on the
    /// square of a link's length (1/m).
    ///
    /// A link carries the weight below its middle, so the joints' places are the integrals of `x'` and `z'` by the midpoint rule, whose error
    /// is `Δ²/24` times the change of the integrand's slope; and the parameter adapts so that the span stays. (Without stretch.)
    pub(crate) fn link_error(&self) -> f64 {
        let (a, s) = (self.parameter, self.half_length);
        let r = a.hypot(s);
        let span_error = a * s / r.powi(3);
        let span_slope = (s / a).asinh() - s / r;
        let drop = 1.0 / a - a * a / r.powi(3) + (1.0 - a / r) * span_error / span_slope;
        drop / 24.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chain_has_its_length_and_a_tight_one_its_parabola() {
        let chain = Catenary::new(1.5, 1.0, 0.0);
        let end = chain.at(0.75);
        assert!((end[0] - 0.5).abs() < 1e-12 && end[1].abs() < 1e-12);
        let (a, x) = (chain.parameter, chain.at(0.3)[0]);
        assert!((a * (x / a).sinh() - 0.3).abs() < 1e-12);
        // A tight chain sags by √(3/8 · span · excess).
        let tight = Catenary::new(1.0001, 1.0, 0.0);
        let parabola = (3.0 / 8.0 * 1e-4f64).sqrt();
        assert!((tight.sag() / parabola - 1.0).abs() < 1e-4);
    }

    #[test]
    fn a_soft_chain_that_hangs_straight_down_stretches_by_half_its_weight() {
        // Hung over next to no span, each half carries itself: it is longer by c S²/2.
        let soft = Catenary::new(2.0, 2e-3, 0.01);
        assert!((soft.sag() - 1.005).abs() < 1e-3);
        assert!(soft.sag() > Catenary::new(2.0, 2e-3, 0.0).sag() + 0.0049);
    }
}
