//! Strips bent far: under their own weight, and pressed together.

use super::{bisect, complete_e, complete_k};
use std::f64::consts::{FRAC_PI_2, PI};

/// A strip clamped level at one end and bent by its own weight.
///
/// With the angle `θ` below the level and the load `Γ = σ g L³ / D`, `θ'' = −Γ (1 − ξ) cos θ`, `θ(0) = 0`,
/// `θ'(1) = 0`, in arc lengths `ξ = s/L`. Seen from the free end, with `φ = π/2 − θ` and `u = 1 − ξ`, it is
/// `φ'' = Γ u sin φ`, `φ'(0) = 0`, which grows from the unknown `φ(0)`; that one is found by bisection of its
/// logarithm so that `φ(1) = π/2`.
#[derive(Clone, Debug)]
pub(crate) struct HeavyElastica {
    /// Places (horizontal, height; in lengths of the strip) from the clamp to the free end, evenly spaced.
    pub points: Vec<[f64; 2]>,
}

/// Steps of the fourth-order integration.
const STEPS: usize = 2000;

impl HeavyElastica {
    pub(crate) fn new(load: f64) -> Self {
        let angle = |log: f64| Self::march(load, log.exp(), |_, _| {});
        // The angle at the free end lies between hanging all but straight down and lying level.
        let log = bisect(-80.0, FRAC_PI_2.ln(), |log| angle(log) - FRAC_PI_2);
        let mut slopes = vec![0.0; STEPS + 1];
        Self::march(load, log.exp(), |i, phi| slopes[i] = phi);
        slopes.reverse(); // from the clamp to the free end
        let step = 1.0 / STEPS as f64;
        let mut points = vec![[0.0, 0.0]];
        for pair in slopes.windows(2) {
            // The middle slope of an interval to fourth order is more than its two ends know; the trapezoidal
            // rule's error of step² is far below anything compared with this.
            let [x, z] = points[points.len() - 1];
            let along = 0.5 * (pair[0].sin() + pair[1].sin());
            let down = 0.5 * (pair[0].cos() + pair[1].cos());
            points.push([x + step * along, z - step * down]);
        }
        HeavyElastica { points }
    }

    /// Integrates from the free end; answers `φ(1)`, or something beyond π as soon as it gets there.
    fn march(load: f64, start: f64, mut see: impl FnMut(usize, f64)) -> f64 {
        let step = 1.0 / STEPS as f64;
        let (mut phi, mut slope) = (start, 0.0);
        see(0, phi);
        for i in 0..STEPS {
            let u = i as f64 * step;
            let bend = |u: f64, phi: f64| load * u * phi.sin();
            let (k1, l1) = (slope, bend(u, phi));
            let (k2, l2) = (
                slope + 0.5 * step * l1,
                bend(u + 0.5 * step, phi + 0.5 * step * k1),
            );
            let (k3, l3) = (
                slope + 0.5 * step * l2,
                bend(u + 0.5 * step, phi + 0.5 * step * k2),
            );
            let (k4, l4) = (slope + step * l3, bend(u + step, phi + step * k3));
            phi += step / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
            slope += step / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4);
            if phi > PI {
                return phi;
            }
            see(i + 1, phi);
        }
        phi
    }

    /// Place at the arc length `s` (lengths of the strip).
    pub(crate) fn at(&self, s: f64) -> [f64; 2] {
        let position = s.clamp(0.0, 1.0) * STEPS as f64;
        let i = (position as usize).min(STEPS - 1);
        let share = position - i as f64;
        let [a, b] = [self.points[i], self.points[i + 1]];
        [0, 1].map(|k| a[k] + share * (b[k] - a[k]))
    }

    /// Where the free end is.
    pub(crate) fn tip(&self) -> [f64; 2] {
        self.points[STEPS]
    }
}

/// A strip on hinges pressed together at its ends until it has bowed out (Euler's elastica).
#[derive(Clone, Copy, Debug)]
pub(crate) struct PostBuckled {
    /// The modulus `k = sin(α/2)`, `α` the slope at the ends.
    modulus: f64,
}

impl PostBuckled {
    /// The strip whose ends have come nearer by this share of its length, between 0 and 1.
    pub(crate) fn new(shortening: f64) -> Self {
        let chord = |k: f64| 2.0 * complete_e(k) / complete_k(k) - 1.0;
        PostBuckled {
            modulus: bisect(0.0, 0.9999, |k| 1.0 - chord(k) - shortening),
        }
    }

    /// Force over Euler's critical one, `P L² / (π² D)` per width.
    pub(crate) fn force(&self) -> f64 {
        (2.0 * complete_k(self.modulus) / PI).powi(2)
    }

    /// How far the middle stands out (lengths of the strip).
    pub(crate) fn rise(&self) -> f64 {
        self.modulus / complete_k(self.modulus)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_light_load_bends_like_a_beam_and_a_heavy_one_hangs_down() {
        // w(1) = Γ/8 for small loads.
        let light = HeavyElastica::new(1e-3).tip();
        assert!((light[1] / -1.25e-4 - 1.0).abs() < 1e-3, "{light:?}");
        let heavy = HeavyElastica::new(1e4).tip();
        assert!(heavy[1] < -0.93 && heavy[0] < 0.07, "{heavy:?}");
    }

    #[test]
    fn the_heavy_elastica_keeps_its_length_and_balances_moments() {
        // The clamp's moment, D θ'(0), carries the weight at its lever: Γ times the mean horizontal place.
        let load = 50.0;
        let curve = HeavyElastica::new(load);
        let step = 1.0 / STEPS as f64;
        let slope = |i: usize| {
            let [a, b] = [curve.points[i], curve.points[i + 1]];
            ((a[1] - b[1]) / step).atan2((b[0] - a[0]) / step)
        };
        // That quotient belongs to the first inner point; θ'' = −Γ leads back to the clamp.
        let bend = (slope(1) - slope(0)) / step + load * step;
        let inner = curve.points.iter().map(|p| p[0]).sum::<f64>() - 0.5 * curve.tip()[0];
        assert!((bend / (load * inner * step) - 1.0).abs() < 1e-4);
    }

    #[test]
    fn a_strip_pressed_a_little_carries_eulers_load_and_rises_by_the_sine() {
        let little = PostBuckled::new(1e-4);
        assert!((little.force() - 1.0).abs() < 1e-3);
        // shortening = (π²/4) rise²
        assert!((little.rise() / (2.0 / PI * 1e-2) - 1.0).abs() < 1e-3);
    }

    #[test]
    fn ends_that_meet_need_the_tabulated_load() {
        // The elastica whose ends touch: α = 130.71°, k = 0.9089, P/P_c = 2.1835.
        let closed = PostBuckled::new(1.0);
        assert!((closed.modulus - 0.90891).abs() < 1e-4);
        assert!((closed.force() - 2.1835).abs() < 1e-3);
    }
}
