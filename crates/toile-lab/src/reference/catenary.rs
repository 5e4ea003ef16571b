//! The hanging chain: `z = a cosh(x/a)`.

use super::bisect;

/// A chain hung between two points at the same height.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Catenary {
    /// `a`, horizontal tension over weight per length (m).
    pub parameter: f64,
    half_span: f64,
}

impl Catenary {
    /// The chain of this length over this span (m), the length being the larger.
    pub(crate) fn new(length: f64, span: f64) -> Self {
        // length = 2a sinh(span/2a); in t = span/2a: sinh(t)/t = length/span.
        let ratio = length / span;
        let t = bisect(1e-9, 50.0, |t| t.sinh() / t - ratio);
        Catenary {
            parameter: 0.5 * span / t,
            half_span: 0.5 * span,
        }
    }

    /// How far the lowest point hangs below the ends (m).
    pub(crate) fn sag(&self) -> f64 {
        -self.height(0.0)
    }

    /// Height above the ends (m) at the horizontal distance `x` from the middle (m).
    pub(crate) fn height(&self, x: f64) -> f64 {
        let a = self.parameter;
        a * ((x / a).cosh() - (self.half_span / a).cosh())
    }

    /// Place on the chain (horizontal, height; m) at the arc length `s` from the middle (m).
    pub(crate) fn at(&self, s: f64) -> [f64; 2] {
        let x = self.parameter * (s / self.parameter).asinh();
        [x, self.height(x)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chain_has_its_length_and_a_tight_one_its_parabola() {
        let chain = Catenary::new(1.5, 1.0);
        let end = chain.at(0.75);
        assert!((end[0] - 0.5).abs() < 1e-12 && end[1].abs() < 1e-12);
        // A tight chain sags by √(3/8 · span · excess).
        let tight = Catenary::new(1.0001, 1.0);
        let parabola = (3.0 / 8.0 * 1e-4f64).sqrt();
        assert!((tight.sag() / parabola - 1.0).abs() < 1e-4);
    }
}
