//! Tracks of held nodes that the cloth between them can follow.
//!
//! Recorded places of two held nodes may be farther apart than the cloth between them is long: by noise, or because the camera's metres are
//! not those of the ruler. Cloth that does not stretch has no answer to that. And what is held by one hanger does not change its shape,
//! whatever noise says.

use super::place::laid_onto;
use glam::DVec3;

/// Distances of held nodes that vary by less than this many deviations of the noise are those of a rigid hanger.
const RIGID: f64 = 3.0;
/// Cloth between held nodes is kept a hair slack. Drawn exactly taut it leaves limits nothing to give: simulations of isometric cloth took twice as long,
/// with the same errors.
const SLACK: f64 = 1.0 - 1e-5;

/// What was done to the tracks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Mended {
    /// All frames were given one shape.
    pub rigid: bool,
    /// How much farther apart nodes were than the cloth allows, at the most (m).
    pub too_far: f64,
}

/// Mends tracks (`tracks[node][frame]`) of nodes with these places at rest. Tracks are taken to be rigid only if they are noisy.
pub(super) fn mend(tracks: &mut [Vec<DVec3>], rest: &[DVec3], noise: f64) -> Mended {
    let frames = tracks.first().map_or(0, Vec::len);
    let mut mended = Mended::default();
    if tracks.len() < 2 || frames == 0 {
        return mended;
    }
    let configuration = |tracks: &[Vec<DVec3>], frame: usize| -> Vec<DVec3> {
        tracks.iter().map(|track| track[frame]).collect()
    };
    if noise > 0.0 && spread(tracks) < RIGID * noise {
        let shape = mean_shape(tracks, &configuration(tracks, 0));
        for frame in 0..frames {
            let laid = laid_onto(&shape, &configuration(tracks, frame), |_| true);
            for (track, place) in tracks.iter_mut().zip(laid) {
                track[frame] = place;
            }
        }
        mended.rigid = true;
    }
    for frame in 0..frames {
        let places = configuration(tracks, frame);
        let (share, beyond) = shrink(&places, rest);
        mended.too_far = mended.too_far.max(beyond);
        if share < 1.0 {
            let middle = places.iter().sum::<DVec3>() / places.len() as f64;
            for (track, place) in tracks.iter_mut().zip(places) {
                track[frame] = middle + share * (place - middle);
            }
        }
    }
    mended
}

fn pairs(count: usize) -> impl Iterator<Item = [usize; 2]> {
    (0..count).flat_map(|a| (0..a).map(move |b| [a, b]))
}

/// The largest standard deviation over time of a distance between two nodes (m).
fn spread(tracks: &[Vec<DVec3>]) -> f64 {
    let deviation = |[a, b]: [usize; 2]| {
        let distances = tracks[a]
            .iter()
            .zip(&tracks[b])
            .map(|(p, q)| p.distance(*q));
        let (count, sum, squares) =
            distances.fold((0.0, 0.0, 0.0), |(n, s, q), d| (n + 1.0, s + d, q + d * d));
        let mean = sum / count;
        (squares / count - mean * mean).max(0.0).sqrt()
    };
    pairs(tracks.len()).map(deviation).fold(0.0, f64::max)
}

/// The mean of all frames, each moved as a whole onto the first.
fn mean_shape(tracks: &[Vec<DVec3>], first: &[DVec3]) -> Vec<DVec3> {
    let frames = tracks[0].len();
    let mut sum = vec![DVec3::ZERO; tracks.len()];
    for frame in 0..frames {
        let places: Vec<DVec3> = tracks.iter().map(|track| track[frame]).collect();
        let laid = laid_onto(&places, first, |_| true);
        sum.iter_mut().zip(laid).for_each(|(s, p)| *s += p);
    }
    sum.iter().map(|s| *s / frames as f64).collect()
}

/// By which share places must come nearer to each other so that none are farther apart than at rest, and by how much they were too far (m).
fn shrink(places: &[DVec3], rest: &[DVec3]) -> (f64, f64) {
    let (mut share, mut beyond) = (1.0f64, 0.0f64);
    for [a, b] in pairs(places.len()) {
        let (now, most) = (places[a].distance(places[b]), rest[a].distance(rest[b]));
        if now > SLACK * most {
            share = share.min(SLACK * most / now);
            beyond = beyond.max(now - most);
        }
    }
    (share, beyond)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn a_noisy_hanger_becomes_rigid_and_no_wider_than_the_cloth() {
        let mut random = Random::new(2);
        let mut shaken = |x: f64| -> Vec<DVec3> {
            let frame = |k: u32| {
                let noise = DVec3::from_array([(); 3].map(|()| 0.002 * random.normal()));
                DVec3::new(x, 0.1 * (0.1 * f64::from(k)).sin(), 0.0) + noise
            };
            (0..200).map(frame).collect()
        };
        let mut tracks = vec![shaken(0.0), shaken(0.305)];
        let rest = [DVec3::ZERO, 0.3 * DVec3::X];
        let mended = mend(&mut tracks, &rest, 0.002);
        assert!(
            mended.rigid && (mended.too_far - 0.005).abs() < 0.001,
            "{mended:?}"
        );
        for (p, q) in tracks[0].iter().zip(&tracks[1]) {
            assert!((p.distance(*q) - 0.3).abs() < 1e-5);
        }
    }

    #[test]
    fn grippers_that_move_apart_are_left_alone() {
        let still = vec![DVec3::ZERO; 50];
        let away = (0..50).map(|k| 0.004 * f64::from(k) * DVec3::X).collect();
        let mut tracks = vec![still, away];
        let before = tracks.clone();
        let mended = mend(&mut tracks, &[DVec3::ZERO, 0.3 * DVec3::X], 0.001);
        assert_eq!((mended, tracks), (Mended::default(), before));
    }
}
