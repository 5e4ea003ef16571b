//! Smooth noise in space and time: a random number at every point of a lattice, blended between them.
//!
//! The blending polynomial `s(t) = 6t⁵ − 15t⁴ + 10t³` has zero slope and curvature at both ends, so the noise has two continuous
//! derivatives. Numbers come from an integer hash of the lattice point.

use glam::DVec3;

/// Mixes a number into a hash: multiplication spreads low bits upwards, shifts bring high bits down.
pub(super) fn mix(hash: u64, number: u64) -> u64 {
    let mut h = (hash ^ number).wrapping_add(0x9e37_79b9_7f4a_7c15);
    h = (h ^ (h >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    h = (h ^ (h >> 29)).wrapping_mul(0xa076_1d64_78bd_642f);
    h ^ (h >> 32)
}

/// Between −1 and 1.
fn uniform(hash: u64) -> f64 {
    (hash >> 11) as f64 * (2.0 / (1u64 << 53) as f64) - 1.0
}

/// A coordinate's lattice cell, and the weights of both its ends with their slopes.
fn cell(t: f64) -> (i64, [f64; 2], [f64; 2]) {
    let floor = t.floor();
    let f = t - floor;
    let s = f * f * f * (f * (6.0 * f - 15.0) + 10.0);
    let slope = 30.0 * (f * (1.0 - f)).powi(2);
    (floor as i64, [1.0 - s, s], [-slope, slope])
}

/// Gradient in space of the noise field of this seed, per lattice cell.
pub(super) fn gradient(place: DVec3, time: f64, seed: u64) -> DVec3 {
    let [x, y, z] = place.to_array().map(cell);
    let w = cell(time);
    let mut gradient = DVec3::ZERO;
    for corner in 0..16usize {
        let [i, j, k, l] = [0, 1, 2, 3].map(|bit| corner >> bit & 1);
        let mut hash = seed;
        for (axis, end) in [(&x, i), (&y, j), (&z, k), (&w, l)] {
            hash = mix(hash, axis.0.wrapping_add(end as i64) as u64);
        }
        let value = uniform(hash) * w.1[l];
        gradient += value
            * DVec3::new(
                x.2[i] * y.1[j] * z.1[k],
                x.1[i] * y.2[j] * z.1[k],
                x.1[i] * y.1[j] * z.2[k],
            );
    }
    gradient
}
