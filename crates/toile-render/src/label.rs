//! Text in pictures.

use crate::color::Rgb;
use crate::font::{CAP_HEIGHT, Glyph, SPACING};
use crate::image::Image;
use glam::Vec2;

/// Which end of a text is at the place it is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// It starts there.
    Left,
    /// Its middle is there.
    Middle,
    /// It ends there.
    Right,
}

/// How text looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextStyle {
    /// Height of capital letters (pixels).
    pub height: f32,
    /// Width of the strokes over the height of capital letters.
    pub weight: f32,
    /// Its colour.
    pub color: Rgb,
}

impl Default for TextStyle {
    fn default() -> Self {
        TextStyle {
            height: 11.0,
            weight: 0.125,
            color: [0.17, 0.18, 0.20],
        }
    }
}

impl TextStyle {
    /// How wide a text is (pixels).
    pub fn width(&self, text: &str) -> f32 {
        let units: f32 = text.chars().map(|c| Glyph::of(c).width + SPACING).sum();
        (units - SPACING).max(0.0) * self.height / CAP_HEIGHT
    }
}

impl Image {
    /// Writes a text with its base line at `y` (pixels from the top) and the given end at `x`.
    pub fn write(&mut self, text: &str, x: f32, y: f32, anchor: Anchor, style: &TextStyle) {
        let scale = style.height / CAP_HEIGHT;
        if !(scale.is_finite() && scale > 0.0 && x.is_finite() && y.is_finite()) {
            return;
        }
        let width = style.width(text);
        let mut start = match anchor {
            Anchor::Left => x,
            Anchor::Middle => x - 0.5 * width,
            Anchor::Right => x - width,
        };
        for character in text.chars() {
            let glyph = Glyph::of(character);
            let place = |p: Vec2| Vec2::new(start + p.x * scale, y - p.y * scale);
            let mut segments = Vec::new();
            for line in glyph.lines() {
                let placed: Vec<Vec2> = line.into_iter().map(place).collect();
                segments.extend(placed.windows(2).map(|s| [s[0], s[1]]));
            }
            self.stroke(&segments, style);
            start += (glyph.width + SPACING) * scale;
        }
    }

    /// Draws segments with a round pen. All at once, so that they do not darken each other where they
    /// meet.
    fn stroke(&mut self, segments: &[[Vec2; 2]], style: &TextStyle) {
        let half_width = (0.5 * style.weight * style.height).max(0.3);
        let ends = segments.iter().flatten();
        let (low, high) = ends.fold((Vec2::INFINITY, Vec2::NEG_INFINITY), |(low, high), &p| {
            (low.min(p), high.max(p))
        });
        let margin = half_width + 1.0;
        let size = Vec2::new(self.width as f32, self.height as f32);
        let low = (low - margin).max(Vec2::ZERO).floor();
        let high = (high + margin).min(size).ceil();
        for row in low.y as i64..high.y as i64 {
            for column in low.x as i64..high.x as i64 {
                let middle = Vec2::new(column as f32 + 0.5, row as f32 + 0.5);
                let distances = segments.iter().map(|s| distance_to_segment(middle, s));
                let nearest = distances.fold(f32::INFINITY, f32::min);
                let opacity = (half_width + 0.5 - nearest).clamp(0.0, 1.0);
                if opacity > 0.0 {
                    self.blend(column, row, style.color, opacity);
                }
            }
        }
    }
}

fn distance_to_segment(point: Vec2, [from, to]: &[Vec2; 2]) -> f32 {
    let way = *to - *from;
    let length_squared = way.length_squared();
    let along = if length_squared > 0.0 {
        ((point - *from).dot(way) / length_squared).clamp(0.0, 1.0)
    } else {
        0.0
    };
    point.distance(*from + along * way)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ink(image: &Image) -> Vec<(u32, u32)> {
        let places = (0..image.height).flat_map(|y| (0..image.width).map(move |x| (x, y)));
        places
            .filter(|&(x, y)| image.pixel(x, y).is_some_and(|p| p[0] < 128))
            .collect()
    }

    #[test]
    fn text_lies_between_its_ends_and_on_its_line() {
        let style = TextStyle {
            height: 14.0,
            weight: 0.15,
            color: [0.0; 3],
        };
        let width = style.width("H.H");
        for (anchor, start) in [
            (Anchor::Left, 60.0),
            (Anchor::Middle, 60.0 - 0.5 * width),
            (Anchor::Right, 60.0 - width),
        ] {
            let mut image = Image::filled(120, 40, [1.0; 3]);
            image.write("H.H", 60.0, 30.0, anchor, &style);
            let ink = ink(&image);
            let left = ink.iter().map(|p| p.0).min().unwrap() as f32;
            let right = ink.iter().map(|p| p.0).max().unwrap() as f32 + 1.0;
            assert!((left - start).abs() < 2.0, "{anchor:?}");
            assert!((right - start - width).abs() < 2.0, "{anchor:?}");
            let top = ink.iter().map(|p| p.1).min().unwrap();
            let bottom = ink.iter().map(|p| p.1).max().unwrap();
            assert!((14..=16).contains(&top) && (29..=31).contains(&bottom));
        }
    }

    #[test]
    fn text_outside_of_the_picture_is_cut_off() {
        let mut image = Image::filled(20, 10, [1.0; 3]);
        let before = image.clone();
        let style = TextStyle::default();
        image.write("far away", 500.0, -300.0, Anchor::Left, &style);
        image.write("nowhere", f32::NAN, 5.0, Anchor::Left, &style);
        assert_eq!(image, before);
        image.write("over the border", -8.0, 8.0, Anchor::Left, &style);
        assert_ne!(image, before);
    }
}
