//! Several measurements of one quantity.

use serde::{Deserialize, Serialize};

/// Mean and scatter of some measurements.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// How many there are.
    pub count: usize,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation, with `n − 1`; one measurement has none.
    pub deviation: Option<f64>,
}

impl Spread {
    /// `None` of no measurements.
    pub fn of(values: &[f64]) -> Option<Self> {
        let count = values.len();
        let mean = values.iter().sum::<f64>() / count as f64;
        let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
        (count > 0).then_some(Spread {
            count,
            mean,
            deviation: (count > 1).then(|| (squares / (count - 1) as f64).sqrt()),
        })
    }

    /// Standard error of the mean, `s/√n`.
    pub fn error(&self) -> Option<f64> {
        Some(self.deviation? / (self.count as f64).sqrt())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn three_measurements_scatter_about_their_mean() {
        let spread = Spread::of(&[1.0, 2.0, 6.0]).unwrap();
        assert_eq!((spread.count, spread.mean), (3, 3.0));
        assert!((spread.deviation.unwrap() - 7f64.sqrt()).abs() < 1e-15);
        assert!((spread.error().unwrap() - (7.0f64 / 3.0).sqrt()).abs() < 1e-15);
        assert_eq!(Spread::of(&[4.0]).unwrap().error(), None);
        assert_eq!(Spread::of(&[]), None);
    }
}
