//! Complete elliptic integrals by the arithmetic-geometric mean, and the pendulum's period.

use std::f64::consts::PI;

/// `K(k) = ∫₀^{π/2} dφ / √(1 − k² sin²φ)`, modulus `0 ≤ k < 1`.
pub(crate) fn complete_k(k: f64) -> f64 {
    let (mut a, mut b) = (1.0, (1.0 - k * k).sqrt());
    while (a - b).abs() > 1e-15 * a {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    PI / (2.0 * a)
}

/// `E(k) = ∫₀^{π/2} √(1 − k² sin²φ) dφ`, modulus `0 ≤ k < 1`.
pub(crate) fn complete_e(k: f64) -> f64 {
    let (mut a, mut b) = (1.0, (1.0 - k * k).sqrt());
    let (mut sum, mut power) = (0.5 * k * k, 0.5);
    while (a - b).abs() > 1e-15 * a {
        let c = 0.5 * (a - b);
        power *= 2.0;
        sum += power * c * c;
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    (1.0 - sum) * PI / (2.0 * a)
}

/// Period (s) of a pendulum of reduced length `length` (m) that swings out to `amplitude` (rad).
pub(crate) fn pendulum_period(length: f64, gravity: f64, amplitude: f64) -> f64 {
    4.0 * (length / gravity).sqrt() * complete_k((0.5 * amplitude).sin())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_integrals_agree_with_quadrature() {
        for k in [0.0, 0.3, 0.8, 0.99] {
            // The trapezoidal rule converges at once on a periodic integrand.
            let n = 400;
            let (mut first, mut second) = (0.0, 0.0);
            for i in 0..n {
                let phi = PI * f64::from(i) / f64::from(n);
                let root = (1.0 - k * k * phi.sin().powi(2)).sqrt();
                first += 1.0 / root;
                second += root;
            }
            let half = 0.5 * PI / f64::from(n);
            assert!((complete_k(k) - half * first).abs() < 1e-12, "K({k})");
            assert!((complete_e(k) - half * second).abs() < 1e-12, "E({k})");
        }
    }

    #[test]
    fn a_small_swing_has_the_linear_period() {
        let period = pendulum_period(1.0, 9.81, 1e-4);
        assert!((period - 2.0 * PI / 9.81f64.sqrt()).abs() < 1e-8);
    }
}
