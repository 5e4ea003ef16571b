//! Tracks of held nodes, as a camera saw them: how noisy they are, and the smooth motion behind them.
//!
//! Noise of a few millimetres thirty times a second would shake the cloth with tens of metres per second squared. No hand does that.

use glam::DVec3;

/// Standard deviation of the noise in each coordinate of a track (m), from differences of third order: with equal times their variance
/// is 20 times that of the noise, and a smooth motion leaves almost nothing in them. The median makes it safe against single jumps.
pub(super) fn noise(track: &[DVec3]) -> f64 {
    let thirds = track
        .windows(4)
        .flat_map(|w| (w[3] - 3.0 * w[2] + 3.0 * w[1] - w[0]).to_array());
    let mut sizes: Vec<f64> = thirds.map(f64::abs).collect();
    if sizes.is_empty() {
        return 0.0;
    }
    let middle = sizes.len() / 2;
    let (_, median, _) = sizes.select_nth_unstable_by(middle, f64::total_cmp);
    // The median of the size of a normal number is 0.6745 deviations.
    *median / (0.6745 * 20f64.sqrt())
}

/// The track smoothed: at each time the parabola that fits best to what lies within `reach` seconds (local regression with
/// tricube weights, Cleveland 1979). Where fewer than four frames do, the track stays as it is.
pub(super) fn smooth(times: &[f64], track: &[DVec3], reach: f64) -> Vec<DVec3> {
    let place = |k: usize| {
        let now = times[k];
        let from = times.partition_point(|&t| t <= now - reach);
        let to = times.partition_point(|&t| t < now + reach);
        if to - from < 4 {
            return track[k];
        }
        let (mut moments, mut sums) = ([0.0; 5], [DVec3::ZERO; 3]);
        for (&t, &x) in times[from..to].iter().zip(&track[from..to]) {
            let s = (t - now) / reach;
            let weight = (1.0 - s.abs().powi(3)).powi(3);
            let mut power = weight;
            for (order, moment) in moments.iter_mut().enumerate() {
                *moment += power;
                if let Some(sum) = sums.get_mut(order) {
                    *sum += power * x;
                }
                power *= s;
            }
        }
        constant_of_parabola(&moments, &sums).unwrap_or(track[k])
    };
    (0..track.len()).map(place).collect()
}

/// The value at zero of the parabola with these normal equations, by Cramer's rule.
fn constant_of_parabola(m: &[f64; 5], y: &[DVec3; 3]) -> Option<DVec3> {
    let c = [
        m[2] * m[4] - m[3] * m[3],
        m[2] * m[3] - m[1] * m[4],
        m[1] * m[3] - m[2] * m[2],
    ];
    let determinant = m[0] * c[0] + m[1] * c[1] + m[2] * c[2];
    let solved = (c[0] * y[0] + c[1] * y[1] + c[2] * y[2]) / determinant;
    (determinant > 1e-12 * m[0].powi(3) && solved.is_finite()).then_some(solved)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn swing(times: &[f64], noise: f64) -> Vec<DVec3> {
        let mut random = Random::new(3);
        let wave = |t: &f64| 0.075 * (3.77 * t).cos();
        times
            .iter()
            .map(|t| {
                let shake = DVec3::from_array([(); 3].map(|()| noise * random.normal()));
                wave(t) * DVec3::X + shake
            })
            .collect()
    }

    #[test]
    fn noise_is_told_from_motion() {
        let times: Vec<f64> = (0..300).map(|k| f64::from(k) / 30.0).collect();
        assert!(noise(&swing(&times, 0.0)) < 1e-4);
        let found = noise(&swing(&times, 0.003));
        assert!((found - 0.003).abs() < 4e-4, "{found}");
        assert_eq!(noise(&[DVec3::ZERO; 3]), 0.0);
    }

    #[test]
    fn smoothing_takes_noise_and_leaves_motion() {
        // Irregular times.
        let times: Vec<f64> = (0..300)
            .map(|k| f64::from(k) / 30.0 + 0.01 * f64::from(k % 3))
            .collect();
        let clean = swing(&times, 0.0);
        let off = |track: &[DVec3]| {
            let squares = track
                .iter()
                .zip(&clean)
                .map(|(a, b)| a.distance_squared(*b));
            (squares.sum::<f64>() / times.len() as f64).sqrt()
        };
        assert!(off(&smooth(&times, &clean, 0.2)) < 5e-4);
        let noisy = swing(&times, 0.003);
        let smoothed = smooth(&times, &noisy, 0.2);
        assert!(
            off(&smoothed) < 0.6 * off(&noisy),
            "{} {}",
            off(&smoothed),
            off(&noisy)
        );
        assert_eq!(smooth(&times[..3], &clean[..3], 0.2), clean[..3]);
    }
}
