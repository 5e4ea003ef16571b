//! Random numbers that are the same in every run, today and later.
//!
//! What is drawn here ends up in logs that are replayed, so the generator is written down in this file and not
//! left to a crate that may choose another one.

/// The SplitMix64 generator (Steele, Lea, Flood 2014).
#[derive(Clone, Debug)]
pub(crate) struct Random {
    state: u64,
    /// The second of the two numbers that Box and Muller's method makes at once.
    spare: Option<f64>,
}

impl Random {
    pub fn new(seed: u64) -> Self {
        Random {
            state: seed,
            spare: None,
        }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Between 0 and 1, and never 1.
    pub fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Normally distributed around 0 with standard deviation 1, by Box and Muller's method.
    pub fn normal(&mut self) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        let (sine, cosine) = (std::f64::consts::TAU * self.uniform()).sin_cos();
        self.spare = Some(radius * sine);
        radius * cosine
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_numbers_have_mean_0_and_deviation_1() {
        let mut random = Random::new(7);
        let drawn: Vec<f64> = (0..20_000).map(|_| random.normal()).collect();
        let mean = drawn.iter().sum::<f64>() / 2e4;
        let square = drawn.iter().map(|x| x * x).sum::<f64>() / 2e4;
        assert!(
            mean.abs() < 0.02 && (square - 1.0).abs() < 0.03,
            "{mean} {square}"
        );
    }

    #[test]
    fn uniform_numbers_fill_the_interval() {
        let mut random = Random::new(1);
        let drawn: Vec<f64> = (0..1000).map(|_| random.uniform()).collect();
        assert!(drawn.iter().all(|x| (0.0..1.0).contains(x)));
        assert!(drawn.iter().any(|&x| x < 0.01) && drawn.iter().any(|&x| x > 0.99));
    }
}
