//! Colour maps: a quantity such as stretch, seen as colour.
//!
//! A map is a walk through the OKLab colour space (B. Ottosson, 2020), in which distance is about the difference an eye
//! sees. Walking it at constant speed makes equal steps of the value look like equal steps of colour.

use crate::color::{Rgb, to_srgb};
use glam::Vec3;

/// From dark indigo over violet and coral to pale yellow, ever lighter.
const HEAT: [Vec3; 6] = [
    Vec3::new(0.300, 0.030, -0.135),
    Vec3::new(0.425, 0.105, -0.135),
    Vec3::new(0.550, 0.170, -0.045),
    Vec3::new(0.680, 0.150, 0.075),
    Vec3::new(0.800, 0.055, 0.140),
    Vec3::new(0.930, -0.025, 0.130),
];

/// From blue over a pale neutral to red, as dark on either side.
const DIVERGING: [Vec3; 5] = [
    Vec3::new(0.420, -0.020, -0.145),
    Vec3::new(0.690, -0.035, -0.090),
    Vec3::new(0.940, 0.000, 0.005),
    Vec3::new(0.690, 0.100, 0.060),
    Vec3::new(0.420, 0.140, 0.060),
];

/// What a value that is not a number looks like.
const NOT_A_NUMBER: Rgb = [0.5, 0.5, 0.5];

/// A colour map for quantities from 0 (dark indigo) to 1 (pale yellow). Values outside get the colour
/// of the nearer end, a value that is not a number is grey.
///
/// ```
/// let cold: f32 = toile_render::heat(0.0).iter().sum();
/// let hot: f32 = toile_render::heat(1.0).iter().sum();
/// assert!(cold < hot);
/// ```
pub fn heat(value: f32) -> Rgb {
    walk(&HEAT, value)
}

/// A colour map for quantities around a middle: 0 is blue, 0.5 pale, 1 red. Values outside get the
/// colour of the nearer end, a value that is not a number is grey.
pub fn diverging(value: f32) -> Rgb {
    walk(&DIVERGING, value)
}

/// The colour after walking the given share of the way along the stations.
fn walk(stations: &[Vec3], share: f32) -> Rgb {
    if share.is_nan() {
        return NOT_A_NUMBER;
    }
    let legs = || stations.windows(2).map(|leg| leg[0].distance(leg[1]));
    let mut left = share.clamp(0.0, 1.0) * legs().sum::<f32>();
    for (leg, length) in stations.windows(2).zip(legs()) {
        if left <= length {
            return to_srgb(from_oklab(leg[0].lerp(leg[1], left / length)));
        }
        left -= length;
    }
    to_srgb(from_oklab(stations[stations.len() - 1]))
}

/// Linear light of an OKLab colour.
fn from_oklab(lab: Vec3) -> Vec3 {
    let [l, a, b] = lab.to_array();
    let long = (l + 0.396_337_78 * a + 0.215_803_76 * b).powi(3);
    let medium = (l - 0.105_561_346 * a - 0.063_854_17 * b).powi(3);
    let short = (l - 0.089_484_18 * a - 1.291_485_5 * b).powi(3);
    Vec3::new(
        4.076_741_7 * long - 3.307_711_6 * medium + 0.230_969_94 * short,
        -1.268_438 * long + 2.609_757_4 * medium - 0.341_319_38 * short,
        -0.004_196_086_3 * long - 0.703_418_6 * medium + 1.707_614_7 * short,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color::to_linear;

    fn to_oklab(color: Rgb) -> Vec3 {
        let [r, g, b] = to_linear(color).to_array();
        let long = (0.412_221_46 * r + 0.536_332_55 * g + 0.051_445_995 * b).cbrt();
        let medium = (0.211_903_5 * r + 0.680_699_5 * g + 0.107_396_96 * b).cbrt();
        let short = (0.088_302_46 * r + 0.281_718_85 * g + 0.629_978_7 * b).cbrt();
        Vec3::new(
            0.210_454_26 * long + 0.793_617_8 * medium - 0.004_072_047 * short,
            1.977_998_5 * long - 2.428_592_2 * medium + 0.450_593_7 * short,
            0.025_904_037 * long + 0.782_771_77 * medium - 0.808_675_77 * short,
        )
    }

    #[test]
    fn equal_steps_of_the_value_are_equal_steps_of_color() {
        for map in [heat, diverging] {
            let colors: Vec<Vec3> = (0..=64).map(|i| to_oklab(map(i as f32 / 64.0))).collect();
            let steps: Vec<f32> = colors.windows(2).map(|c| c[0].distance(c[1])).collect();
            let mean = steps.iter().sum::<f32>() / steps.len() as f32;
            for step in steps {
                assert!((step / mean - 1.0).abs() < 0.25, "{step} against {mean}");
            }
        }
    }

    #[test]
    fn heat_grows_ever_lighter() {
        let lightness = |i: usize| to_oklab(heat(i as f32 / 64.0)).x;
        assert!((0..64).all(|i| lightness(i) < lightness(i + 1)));
    }

    #[test]
    fn values_outside_have_the_color_of_the_nearer_end() {
        assert_eq!(heat(-3.0), heat(0.0));
        assert_eq!(diverging(f32::INFINITY), diverging(1.0));
        assert_eq!(heat(f32::NAN), NOT_A_NUMBER);
    }
}
