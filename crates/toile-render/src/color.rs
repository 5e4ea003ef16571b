//! Colour: sRGB as people write it, linear light as light adds up, and the way back to bytes.

use glam::Vec3;

/// A colour in sRGB, each channel from 0 to 1.
pub type Rgb = [f32; 3];

/// Linear light from one sRGB channel.
fn channel_to_linear(value: f32) -> f32 {
    if value <= 0.04045 {
        value / 12.92
    } else {
        ((value + 0.055) / 1.055).powf(2.4)
    }
}

/// One sRGB channel from linear light.
fn channel_to_srgb(value: f32) -> f32 {
    if value <= 0.003_130_8 {
        value * 12.92
    } else {
        1.055 * value.powf(1.0 / 2.4) - 0.055
    }
}

/// Linear light of an sRGB colour. Channels outside 0…1 and channels that are not numbers are brought
/// inside.
pub(crate) fn to_linear(color: Rgb) -> Vec3 {
    let inside = |c: f32| if c.is_nan() { 0.0 } else { c.clamp(0.0, 1.0) };
    Vec3::from(color.map(|c| channel_to_linear(inside(c))))
}

/// The sRGB colour of some linear light.
pub(crate) fn to_srgb(light: Vec3) -> Rgb {
    light
        .to_array()
        .map(|c| channel_to_srgb(c.clamp(0.0, 1.0)).clamp(0.0, 1.0))
}

/// An sRGB colour as bytes.
pub(crate) fn to_bytes(color: Rgb) -> [u8; 3] {
    color.map(|c| (c.clamp(0.0, 1.0) * 255.0 + 0.5) as u8)
}

/// Up to here light is shown as it is.
const SHOULDER: f32 = 0.7;

/// A mild film curve: what is darker than the shoulder stays as it is, so that a cloth keeps the
/// colour it was given; what is brighter rolls off smoothly and never burns out.
pub(crate) fn tone_map(light: Vec3) -> Vec3 {
    let roll_off = |x: f32| {
        if x <= SHOULDER {
            x
        } else {
            let over = (x - SHOULDER) / (1.0 - SHOULDER);
            SHOULDER + (1.0 - SHOULDER) * over / (1.0 + over)
        }
    };
    Vec3::new(roll_off(light.x), roll_off(light.y), roll_off(light.z))
}

/// Linear light to sRGB bytes by table: a power function for every pixel would cost as much as its
/// shading.
pub(crate) struct Encoder {
    table: Vec<u8>,
}

impl Encoder {
    /// Fine enough that the steepest part of the curve skips no byte.
    const STEPS: usize = 1 << 14;

    pub fn new() -> Self {
        let byte = |i: usize| {
            let srgb = channel_to_srgb(i as f32 / (Self::STEPS - 1) as f32);
            (srgb * 255.0 + 0.5) as u8
        };
        Encoder {
            table: (0..Self::STEPS).map(byte).collect(),
        }
    }

    pub fn encode(&self, light: Vec3) -> [u8; 3] {
        let scale = (Self::STEPS - 1) as f32;
        // The conversion saturates and turns what is not a number into 0.
        light
            .to_array()
            .map(|c| self.table[((c * scale + 0.5) as usize).min(Self::STEPS - 1)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_survives_the_way_to_linear_light_and_back() {
        let encoder = Encoder::new();
        for byte in 0..=255u8 {
            let color = [f32::from(byte) / 255.0; 3];
            assert_eq!(encoder.encode(to_linear(color)), [byte; 3]);
            assert_eq!(to_bytes(to_srgb(to_linear(color))), [byte; 3]);
        }
    }

    #[test]
    fn the_film_curve_keeps_the_dark_and_never_burns_out() {
        assert_eq!(tone_map(Vec3::splat(0.3)), Vec3::splat(0.3));
        let mut last = 0.0;
        for step in 1..200 {
            let shown = tone_map(Vec3::splat(step as f32 * 0.05)).x;
            assert!(shown > last && shown < 1.0);
            last = shown;
        }
    }

    #[test]
    fn colors_that_are_not_numbers_are_black() {
        assert_eq!(to_linear([f32::NAN, -1.0, 2.0]), Vec3::new(0.0, 0.0, 1.0));
        let encoder = Encoder::new();
        assert_eq!(encoder.encode(Vec3::splat(f32::NAN)), [0; 3]);
    }
}
