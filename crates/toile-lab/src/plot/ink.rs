//! Lines and markers with soft edges.

use glam::Vec2;
use toile_render::{Image, Rgb};

/// What marks a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Marker {
    Circle,
    Square,
    Triangle,
    Diamond,
}

impl Marker {
    /// The marker of a curve, by its number.
    pub fn number(number: usize) -> Self {
        [
            Marker::Circle,
            Marker::Square,
            Marker::Triangle,
            Marker::Diamond,
        ][number % 4]
    }

    /// Signed distance (pixels) of a point from the outline, negative inside.
    fn distance(self, from_middle: Vec2) -> f32 {
        const RADIUS: f32 = 4.6;
        let p = from_middle.abs();
        match self {
            Marker::Circle => from_middle.length() - RADIUS,
            Marker::Square => p.max_element() - 0.88 * RADIUS,
            Marker::Diamond => (p.x + p.y - 1.3 * RADIUS) * std::f32::consts::FRAC_1_SQRT_2,
            Marker::Triangle => {
                // Three half-planes; the vertical axis of pictures points down.
                let slanted = 0.866 * p.x - 0.5 * from_middle.y;
                slanted.max(from_middle.y) - 0.62 * RADIUS
            }
        }
    }
}

/// Marks a point, with a thin light rim that keeps it apart from lines below.
pub(super) fn draw_marker(image: &mut Image, at: Vec2, marker: Marker, color: Rgb) {
    paint(image, [at - 8.0, at + 8.0], [1.0; 3], |p| {
        marker.distance(p - at) - 1.2
    });
    paint(image, [at - 8.0, at + 8.0], color, |p| {
        marker.distance(p - at)
    });
}

/// Length of dashes and of the gaps between them (pixels).
const DASH: [f32; 2] = [7.0, 5.0];

/// Draws a line through points, `width` pixels wide.
pub(crate) fn draw_line(image: &mut Image, points: &[Vec2], width: f32, color: Rgb, dashed: bool) {
    let mut travelled = 0.0;
    for ends in points.windows(2) {
        let [from, to] = [ends[0], ends[1]];
        let length = from.distance(to);
        if length > 0.0 && length.is_finite() {
            let margin = Vec2::splat(0.5 * width + 1.0);
            let box_ = [from.min(to) - margin, from.max(to) + margin];
            let along = (to - from) / length;
            paint(image, box_, color, |p| {
                let place = (p - from).dot(along);
                let beyond = (place - length).max(-place).max(0.0);
                let aside = (p - from).perp_dot(along).abs();
                let in_dash = (travelled + place).rem_euclid(DASH[0] + DASH[1]);
                let gap = if dashed { in_dash - DASH[0] } else { -1.0 };
                aside.hypot(beyond).max(gap + 0.5 * width) - 0.5 * width
            });
        }
        travelled += length;
    }
}

/// Colours what lies inside of an outline, given by its signed distance (pixels).
fn paint(image: &mut Image, [low, high]: [Vec2; 2], color: Rgb, distance: impl Fn(Vec2) -> f32) {
    let size = Vec2::new(image.width as f32, image.height as f32);
    let low = low.max(Vec2::ZERO).floor();
    let high = high.min(size).ceil();
    for row in low.y as i64..high.y as i64 {
        for column in low.x as i64..high.x as i64 {
            let middle = Vec2::new(column as f32 + 0.5, row as f32 + 0.5);
            let opacity = (0.5 - distance(middle)).clamp(0.0, 1.0);
            if opacity > 0.0 {
                image.blend(column, row, color, opacity);
            }
        }
    }
}
