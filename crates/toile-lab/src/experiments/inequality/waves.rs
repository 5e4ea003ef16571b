//! Waves around a ring of nodes, counted.

use std::f64::consts::TAU;

/// `Σ n |c_n|² / Σ |c_n|²` of the values around a ring.
pub(super) fn mean_wave_number(values: &[f64]) -> f64 {
    let count = values.len();
    let power = |n: usize| {
        let part = |(i, v): (usize, &f64)| {
            let (sin, cos) = (TAU * (n * i) as f64 / count as f64).sin_cos();
            [v * cos, v * sin]
        };
        let parts = values.iter().enumerate().map(part);
        let [c, s] = parts.fold([0.0; 2], |a, b| [a[0] + b[0], a[1] + b[1]]);
        c * c + s * s
    };
    let powers: Vec<f64> = (1..=count / 2).map(power).collect();
    let weighted = powers.iter().enumerate().map(|(i, p)| (i + 1) as f64 * p);
    weighted.sum::<f64>() / powers.iter().sum::<f64>()
}

/// How often the values rise through their mean.
pub(super) fn folds(values: &[f64]) -> usize {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let next = values.iter().cycle().skip(1);
    let pairs = values.iter().zip(next);
    pairs.filter(|(a, b)| **a < mean && **b >= mean).count()
}

pub(super) fn deviation(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares = values.iter().map(|v| (v - mean) * (v - mean));
    (squares.sum::<f64>() / count).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waves_are_counted() {
        let wave = |i: u32| 3.0 + (TAU * 7.0 * f64::from(i) / 60.0 + 0.3).cos();
        let values: Vec<f64> = (0..60).map(wave).collect();
        assert!((mean_wave_number(&values) - 7.0).abs() < 1e-9);
        assert_eq!(folds(&values), 7);
        assert!((deviation(&values) - 0.5f64.sqrt()).abs() < 1e-9);
    }
}
