//! A ribbon of fixed length that buckles into a circular arc, as a function of its chord.
//!
//! Length `L`, chord `d ≤ L`, shortening `ε = 1 − d/L`, half the arc's angle `u = κL/2` with
//! `sinc u = sin u / u = d/L`. `u` runs from 0 (straight) over π/2 (half circle) to π (the ends meet), so
//! `sinc` has one inverse. With the rigidity `B` (N·m²) and `s = sinc u`, `s' = (cos u − s)/u`,
//! `s'' = −s − 2s'/u`:
//!
//! * energy `½ B L κ² = (2B/L) u²`
//! * tension `dE/dd = (4B/L²) u/s' = B κ² / (cos u − sinc u)`, negative: from `−12 B/L²` (straight) to
//!   `−4π² B/L²`
//! * its slope `(4B/L³) (3s' + u s)/s'³`, positive: from `7.2 B/L³` to `12π² B/L³`
//!
//! The functions here are for `B = L = 1`. (Euler's load of a hinged column is `π²`, not 12: the arc is not
//! the elastica.)

use std::f64::consts::PI;

/// Below this half angle the formulas lose digits by cancellation and power series take over.
const SMALL: f64 = 1.0;

/// Terms of the power series; the first one left out is below rounding.
const TERMS: usize = 9;

/// Coefficients of `(1 − sinc u)/y`, `−s'/u` and `−(3s' + u s)/u³` as series in `y = u²`, from the terms
/// `(−y)^k / (2k+1)!` of sinc. The third starts one term later, at `k = 2`.
const SERIES: [[f64; TERMS]; 3] = {
    let mut series = [[0.0; TERMS]; 3];
    let mut factorial = 1.0; // (2k+1)!
    let mut sign = 1.0; // (−1)^(k−1)
    let mut k = 1;
    while k <= TERMS + 1 {
        let n = k as f64;
        factorial *= 2.0 * n * (2.0 * n + 1.0);
        if k <= TERMS {
            series[0][k - 1] = sign / factorial;
            series[1][k - 1] = sign * 2.0 * n / factorial;
        }
        if k > 1 {
            series[2][k - 2] = sign * (6.0 * n - 2.0 * n * (2.0 * n + 1.0)) / factorial;
        }
        sign = -sign;
        k += 1;
    }
    series
};

fn series(y: f64) -> [f64; 3] {
    let sum = |row: &[f64; TERMS]| row.iter().rev().fold(0.0, |sum, c| sum * y + c);
    [y * sum(&SERIES[0]), sum(&SERIES[1]), sum(&SERIES[2])]
}

/// `1 − sinc u`, `−s'/u` and `−(3s' + u s)/u³`.
fn shape(y: f64) -> [f64; 3] {
    if y < SMALL * SMALL {
        return series(y);
    }
    let u = y.sqrt();
    let s = u.sin() / u;
    let slope = (u.cos() - s) / u;
    [1.0 - s, -slope / u, -(3.0 * slope + u * s) / (u * y)]
}

/// `u²` of the arc that is shortened by `ε` in 0…1: a polynomial that is right at both ends, and Newton's
/// method.
pub(super) fn half_angle_squared(shortening: f64) -> f64 {
    let e = shortening.clamp(0.0, 1.0);
    // 6ε + 9/5 ε² + 144/175 ε³ is the series of the inverse; the last term makes it π² at 1.
    let last = PI * PI - 6.0 - 1.8 - 144.0 / 175.0;
    let mut y = e * (6.0 + e * (1.8 + e * (144.0 / 175.0 + e * last)));
    for _ in 0..5 {
        let [reached, slope, _] = shape(y);
        let step = (reached - e) / (0.5 * slope); // d(1 − sinc)/dy = −s'/(2u)
        y -= step;
        if step.abs() < 1e-9 * y {
            break; // the next step would be the square of this
        }
    }
    y.max(0.0)
}

/// Tension and its slope at `u²`.
pub(super) fn tension(y: f64) -> (f64, f64) {
    let [_, slope, third] = shape(y);
    (-4.0 / slope, 4.0 * third / slope.powi(3))
}

/// Energy at `u²`.
pub(super) fn energy(y: f64) -> f64 {
    2.0 * y
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_of_sinc_is_right_to_rounding_from_end_to_end() {
        for k in 1..=4000 {
            let u = PI * f64::from(k) / 4000.0;
            let [shortening, _, _] = shape(u * u);
            let found = half_angle_squared(shortening);
            // Rounding of ε moves u² by dy/dε ε ≤ 2π² · 2⁻⁵³.
            assert!(
                (found - u * u).abs() < 1e-14 * (u * u + 1.0),
                "u = {u}: {found}"
            );
        }
        for exponent in 1..300 {
            let e = 10f64.powi(-exponent);
            let y = half_angle_squared(e);
            let expected = 6.0 * e + 1.8 * e * e;
            assert!((y / expected - 1.0).abs() < 0.2 * e * e + 1e-15, "{e}: {y}");
        }
        assert_eq!(half_angle_squared(0.0), 0.0);
        assert!((half_angle_squared(1.0) - PI * PI).abs() < 1e-14);
    }

    #[test]
    fn series_and_closed_formulas_agree_where_they_meet() {
        let below = shape(1.0 - 1e-15);
        let above = shape(1.0);
        for k in 0..3 {
            assert!(
                (below[k] / above[k] - 1.0).abs() < 1e-13,
                "{below:?} {above:?}"
            );
        }
    }

    #[test]
    fn tension_and_slope_have_their_known_ends() {
        let close = |a: (f64, f64), b: (f64, f64)| {
            assert!(
                (a.0 / b.0 - 1.0).abs() < 1e-13 && (a.1 / b.1 - 1.0).abs() < 1e-12,
                "{a:?} {b:?}"
            );
        };
        close(tension(0.0), (-12.0, 7.2));
        close(tension(1e-12), (-12.0, 7.2));
        close(tension(PI * PI), (-4.0 * PI * PI, 12.0 * PI * PI));
        // Half circle: κ = π, cos − sinc = −2/π.
        let half = tension(PI * PI / 4.0);
        assert!((half.0 + PI.powi(3) / 2.0).abs() < 1e-12, "{half:?}");
    }
}
