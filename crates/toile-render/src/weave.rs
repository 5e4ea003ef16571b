//! A plain weave: warp and weft take turns on top.

use glam::{Vec2, Vec3};
use std::f32::consts::PI;

/// How far the normal leans on the flank of a yarn, across it and along it, where it dives under the next.
const FLANKS: [f32; 2] = [0.22, 0.1];
/// How much darker it is between yarns than on them.
const DEPTH: f32 = 0.12;
/// Yarns are seen in full up to so many in a pixel, and not at all from so many on.
const SEEN: [f32; 2] = [0.18, 0.5];

/// What a weave makes of a place on cloth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Woven {
    pub normal: Vec3,
    /// How bright it is; 1 on the mean.
    pub brightness: f32,
}

/// `place` is in yarns along warp and weft, `directions` are how the place in space changes from one yarn to the next (m), `pixel` is
/// how much of the cloth a pixel shows (m).
pub(crate) fn woven(normal: Vec3, place: Vec2, directions: [Vec3; 2], pixel: f32) -> Woven {
    let finest = directions[0].length().min(directions[1].length());
    let crowd = pixel / finest.max(f32::MIN_POSITIVE);
    let seen = ((SEEN[1] - crowd) / (SEEN[1] - SEEN[0])).clamp(0.0, 1.0);
    if seen <= 0.0 || !place.is_finite() {
        return Woven {
            normal,
            brightness: 1.0,
        };
    }
    let yarn = place.floor();
    let within = (place - yarn) * PI;
    let warp_on_top = (yarn.x + yarn.y).rem_euclid(2.0) < 0.5;
    let [across, along] = FLANKS;
    let lean = match warp_on_top {
        true => Vec2::new(across, along),
        false => Vec2::new(along, across),
    };
    let slope = seen * lean * Vec2::new(within.x.cos(), within.y.cos());
    let [warp, weft] = directions.map(Vec3::normalize_or_zero);
    let leaning = (normal - slope.x * warp - slope.y * weft).normalize_or_zero();
    let crown = within.x.sin() * within.y.sin();
    Woven {
        normal: leaning,
        brightness: 1.0 + DEPTH * seen * (crown - 4.0 / (PI * PI)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean_over_two_yarns(pixel: f32) -> (Vec3, f32) {
        let mut normal = Vec3::ZERO;
        let mut brightness = 0.0;
        for i in 0..40 {
            for j in 0..40 {
                let place = Vec2::new(i as f32 + 0.5, j as f32 + 0.5) / 20.0;
                let woven = woven(Vec3::Z, place, [1e-3 * Vec3::X, 1e-3 * Vec3::Y], pixel);
                assert!((woven.normal.length() - 1.0).abs() < 1e-5);
                normal += woven.normal / 1600.0;
                brightness += woven.brightness / 1600.0;
            }
        }
        (normal, brightness)
    }

    #[test]
    fn yarns_lean_to_all_sides_alike_and_are_as_bright_as_plain_cloth() {
        let (normal, brightness) = mean_over_two_yarns(1e-4);
        assert!(normal.truncate().length() < 1e-5);
        assert!(normal.z < 0.99, "nothing leans");
        assert!((brightness - 1.0).abs() < 2e-3, "{brightness}");
    }

    #[test]
    fn yarns_finer_than_pixels_are_not_seen() {
        assert_eq!(mean_over_two_yarns(6e-4).0.truncate(), Vec2::ZERO);
        let lost = woven(Vec3::Z, Vec2::NAN, [Vec3::X, Vec3::Y], 0.1);
        assert_eq!(lost.normal, Vec3::Z);
        let nowhere = woven(Vec3::Z, Vec2::ZERO, [Vec3::ZERO; 2], 0.1);
        assert_eq!(nowhere.normal, Vec3::Z);
    }
}
