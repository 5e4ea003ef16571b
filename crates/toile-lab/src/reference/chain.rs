//! Chains of equal straight links with their weight in the joints: what a strip of lumped masses is, exactly.
//!
//! A joint carries half of each link beside it, so a link carries what hangs below its own middle. Lengths are rest lengths;
//! `softness` is weight per length over stretch stiffness (1/m).

use super::bisect;

/// Joints (horizontal from the middle, height above the ends; m) of a chain of `links` links (an even number) over a span (m).
pub(crate) fn hung_chain(links: u32, length: f64, span: f64, softness: f64) -> Vec<[f64; 2]> {
    let link = length / f64::from(links);
    let half = |a: f64| {
        let mut place = [0.0, 0.0];
        let mut joints = vec![place];
        for k in 0..links / 2 {
            let s = (f64::from(k) + 0.5) * link;
            let stretched = link * (1.0 / a.hypot(s) + softness);
            place = [place[0] + stretched * a, place[1] + stretched * s];
            joints.push(place);
        }
        joints
    };
    let end = |a: f64| half(a).last().map_or(f64::NAN, |p| p[0]);
    let joints = half(bisect(1e-3 * span, 1e6 * span, |a| end(a) - 0.5 * span));
    let top = joints.last().map_or(f64::NAN, |p| p[1]);
    let left = joints[1..].iter().rev().map(|p| [-p[0], p[1] - top]);
    left.chain(joints.iter().map(|p| [p[0], p[1] - top]))
        .collect()
}

/// A sideways mode of a chain.
#[derive(Clone, Debug)]
pub(crate) struct ChainMode {
    /// Angular frequency (1/s).
    pub frequency: f64,
    /// Deflection of each joint, from the fixed end (0) to the free one (1).
    pub shape: Vec<f64>,
}

/// The sideways mode `mode` (from 1) of a chain that hangs from one end.
pub(crate) fn hanging_mode(
    links: u32,
    length: f64,
    gravity: f64,
    softness: f64,
    mode: usize,
) -> ChainMode {
    let link = length / f64::from(links);
    // Deflections from the free end up; the top must stay. Time is in √(Δ/g).
    let deflections = |square: f64| {
        let mut shape = vec![1.0];
        let (mut here, mut pull) = (1.0, 0.0);
        for k in 0..links {
            let hanging = f64::from(k) + 0.5;
            let mass = if k == 0 { 0.5 } else { 1.0 };
            // A stretched link is as much easier to turn as it is longer.
            let tension = hanging / (1.0 + softness * link * hanging);
            pull -= square * mass * here;
            here += pull / tension;
            shape.push(here);
        }
        shape
    };
    // Each further change of sign along the chain is one more mode below this frequency.
    let changes = |shape: &[f64]| shape.windows(2).filter(|w| w[0] * w[1] < 0.0).count();
    let (mut low, mut high) = (0.0, 4.0 * f64::from(links) * f64::from(links));
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if changes(&deflections(middle)) >= mode {
            high = middle;
        } else {
            low = middle;
        }
    }
    ChainMode {
        frequency: (low * gravity / link).sqrt(),
        shape: deflections(low).into_iter().rev().collect(),
    }
}

/// First mode of a clamped row of straight links that resist being bent against each other, with masses in the
/// joints: `rigidity` (N·m) and `density` (kg/m²) are those of the sheet it stands for.
///
/// The first link is held; `length` (m) counts from its middle, which is where the clamp of a smooth beam would be.
pub(crate) fn clamped_links(links: u32, length: f64, rigidity: f64, density: f64) -> ChainMode {
    let link = length / (f64::from(links) - 0.5);
    let joints = links as usize + 1;
    let mass = |j: usize| density * link * if j + 1 == joints { 0.5 } else { 1.0 };
    let mut shape: Vec<f64> = (0..joints).map(|j| (j as f64).powi(2)).collect();
    let mut square = f64::NAN;
    // Inverse iteration: the bend under the forces `m u` of the last shape. The next mode is 39 times as hard to bend.
    for _ in 0..30 {
        let force: Vec<f64> = (0..joints).map(|j| mass(j) * shape[j]).collect();
        let angle = |k: usize| {
            let arms = (k + 1..joints).map(|j| force[j] * link * (j - k) as f64);
            arms.sum::<f64>() * link / rigidity
        };
        let angles: Vec<f64> = (0..joints).map(angle).collect();
        let bent = |j: usize| (1..j).map(|k| angles[k] * link * (j - k) as f64).sum();
        let next: Vec<f64> = (0..joints).map(bent).collect();
        square = shape[joints - 1] / next[joints - 1];
        shape = next.iter().map(|u| u / next[joints - 1]).collect();
    }
    ChainMode {
        frequency: square.sqrt(),
        shape,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::{Catenary, bessel_j0_zero};

    #[test]
    fn many_links_hang_in_the_catenary_and_few_lower_by_the_predicted_amount() {
        for softness in [0.0, 0.02] {
            let smooth = Catenary::new(1.2, 1.0, softness);
            let chain = hung_chain(20000, 1.2, 1.0, softness);
            assert!((chain[10000][1] + smooth.sag()).abs() < 1e-8);
            assert!((chain[15000][0] - smooth.at(0.3)[0]).abs() < 1e-8);
        }
        let smooth = Catenary::new(1.2, 1.0, 0.0);
        let lower = -hung_chain(60, 1.2, 1.0, 0.0)[30][1] - smooth.sag();
        assert!((lower / (smooth.link_error() * 0.02 * 0.02) - 1.0).abs() < 2e-3);
    }

    #[test]
    fn many_hanging_links_swing_as_bessel_says() {
        for mode in 1..=3 {
            let exact = 0.5 * bessel_j0_zero(mode) * (9.81f64 / 0.7).sqrt();
            let chain = hanging_mode(4000, 0.7, 9.81, 0.0, mode as usize).frequency;
            assert!((chain / exact - 1.0).abs() < 1e-6, "mode {mode}");
        }
    }

    #[test]
    fn one_link_is_a_pendulum() {
        // Half its mass at the end, hung by half its weight.
        let rate = hanging_mode(1, 0.5, 9.81, 0.0, 1).frequency;
        assert!((rate - (9.81f64 / 0.5).sqrt()).abs() < 1e-9);
    }

    #[test]
    fn many_clamped_links_vibrate_as_a_beam() {
        let exact = 1.875104068711961f64.powi(2) * (2e-3f64 / 0.3).sqrt() / 0.4f64.powi(2);
        let links = clamped_links(400, 0.4, 2e-3, 0.3).frequency;
        assert!((links / exact - 1.0).abs() < 1e-5, "{}", links / exact);
    }
}
