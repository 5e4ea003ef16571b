//! Bessel's `J₀`, whose zeros are the frequencies of a hanging chain.

use super::bisect;
use std::f64::consts::PI;

/// `J₀(x) = (1/π) ∫₀^π cos(x sin φ) dφ`; the trapezoidal rule is exact to rounding here.
pub(crate) fn bessel_j0(x: f64) -> f64 {
    let n = 40 + (2.0 * x.abs()) as u32;
    let terms = (0..n).map(|i| (x * (PI * f64::from(i) / f64::from(n)).sin()).cos());
    terms.sum::<f64>() / f64::from(n)
}

/// The `n`-th positive zero of `J₀`, from 1.
pub(crate) fn bessel_j0_zero(n: u32) -> f64 {
    let near = (f64::from(n) - 0.25) * PI;
    bisect(near - 0.5, near + 0.5, bessel_j0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_zeros_are_the_tabulated_ones() {
        for (n, zero) in [
            (1, 2.404825557695773),
            (2, 5.520078110286311),
            (3, 8.653727912911013),
        ] {
            assert!((bessel_j0_zero(n) - zero).abs() < 1e-12);
        }
        assert_eq!(bessel_j0(0.0), 1.0);
    }
}
