//! Waves around a ring of nodes, counted.

use std::f64::consts::TAU;

/// `Σ n |c_n|² / Σ |c_n|²` of the values around a ring.
pub(super) fn mean_wave_number(values: &[f64]) -> f64 {
    weighted_wave_number(values, |_| 1.0)
}

/// The same of their slopes, in which fine wrinkles on coarse folds are not lost.
pub(super) fn mean_wave_number_of_slopes(values: &[f64]) -> f64 {
    weighted_wave_number(values, |n| n * n)
}

fn weighted_wave_number(values: &[f64], weight: impl Fn(f64) -> f64) -> f64 {
    let count = values.len();
    let power = |n: usize| {
        let part = |(i, v): (usize, &f64)| {
            let (sin, cos) = (TAU * (n * i) as f64 / count as f64).sin_cos();
            [v * cos, v * sin]
        };
        let parts = values.iter().enumerate().map(part);
        let [c, s] = parts.fold([0.0; 2], |a, b| [a[0] + b[0], a[1] + b[1]]);
        weight(n as f64) * (c * c + s * s)
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
        assert!((mean_wave_number_of_slopes(&values) - 7.0).abs() < 1e-9);
        assert_eq!(folds(&values), 7);
        assert!((deviation(&values) - 0.5f64.sqrt()).abs() < 1e-9);
    }

    #[test]
    fn fine_wrinkles_on_coarse_folds_count_by_their_slopes() {
        let wave = |i: u32, n: f64| (TAU * n * f64::from(i) / 60.0).cos();
        let both = |i: u32| wave(i, 2.0) + 0.5 * wave(i, 12.0);
        let values: Vec<f64> = (0..60).map(both).collect();
        // Powers 1 and ¼; of the slopes 4 and 36.
        assert!((mean_wave_number(&values) - (2.0 + 3.0) / 1.25).abs() < 1e-9);
        let slopes = (8.0 + 432.0) / 40.0;
        assert!((mean_wave_number_of_slopes(&values) - slopes).abs() < 1e-9);
    }
}
