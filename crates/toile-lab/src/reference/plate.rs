//! Thin square plates under even load `q`: the middle sinks by a number times `q a⁴ / D`.

#[cfg(test)]
use std::f64::consts::PI;

/// Clamped all around (Taylor and Govindjee 2004).
pub(crate) const CLAMPED_PLATE: f64 = 0.001_265_319;

/// Simply supported all around; Navier's series gives it.
pub(crate) const SUPPORTED_PLATE: f64 = 0.004_062_353;

/// `16/π⁶ Σ (−1)^((m+n)/2−1) / (m n (m² + n²)²)` over odd `m`, `n`.
#[cfg(test)]
fn navier() -> f64 {
    let odd = || (0..200).map(|i| 2.0 * f64::from(i) + 1.0);
    let sign = |m: f64| (0.5 * PI * m).sin();
    let term = |m: f64, n: f64| sign(m) * sign(n) / (m * n * (m * m + n * n).powi(2));
    let sum: f64 = odd().map(|m| odd().map(|n| term(m, n)).sum::<f64>()).sum();
    16.0 / PI.powi(6) * sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn naviers_series_gives_the_supported_plate() {
        assert!((navier() - SUPPORTED_PLATE).abs() < 1e-9);
    }
}
