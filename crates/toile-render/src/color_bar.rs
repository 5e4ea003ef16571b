//! Colour bars: what the colours of a picture mean.

use crate::color::Rgb;
use crate::image::Image;
use crate::label::{Anchor, TextStyle};

/// A colour map with numbers beside it.
///
/// ```
/// use toile_render::{ColorBar, Image, heat};
/// let mut image = Image::filled(320, 240, [1.0; 3]);
/// ColorBar::new("stretch (%)", heat, 0.0, 5.0).paint(&mut image);
/// ```
#[derive(Clone, Debug)]
pub struct ColorBar {
    /// Written above it: the quantity and its unit.
    pub title: String,
    /// The colours from bottom (0) to top (1).
    pub map: fn(f32) -> Rgb,
    /// Labels and where they are, from 0 at the bottom to 1 at the top.
    pub ticks: Vec<(f32, String)>,
}

impl ColorBar {
    /// A bar from the value `low` at the bottom to `high` at the top, with a few round numbers beside it.
    pub fn new(title: impl Into<String>, map: fn(f32) -> Rgb, low: f64, high: f64) -> Self {
        ColorBar {
            title: title.into(),
            map,
            ticks: round_ticks(low, high),
        }
    }

    /// Paints the bar at the right side of a picture.
    pub fn paint(&self, image: &mut Image) {
        let (width, height) = (image.width as f32, image.height as f32);
        let style = TextStyle {
            height: (height / 42.0).clamp(7.0, 20.0).round(),
            ..TextStyle::default()
        };
        let unit = style.height;
        let label_widths = self.ticks.iter().map(|(_, label)| style.width(label));
        let labels = label_widths.fold(0.0, f32::max);
        let bar_width = (1.5 * unit).round();
        let content = (bar_width + 0.8 * unit + labels).max(style.width(&self.title));
        let left = (width - content - 2.2 * unit).round();
        let bar_height = (0.5 * height).round();
        let top = (0.5 * (height - bar_height)).round();
        for row in 0..bar_height as u32 {
            let value = 1.0 - (row as f32 + 0.5) / bar_height;
            let y = top as i64 + i64::from(row);
            image.fill_rectangle(left as i64, y, bar_width as u32, 1, (self.map)(value));
        }
        image.write(&self.title, left, top - 1.3 * unit, Anchor::Left, &style);
        for (place, label) in &self.ticks {
            let y = top + (1.0 - place.clamp(0.0, 1.0)) * bar_height;
            let line = (y.min(top + bar_height - 1.0)) as i64;
            let end = (left + bar_width) as i64;
            let tick = (0.35 * unit).ceil() as u32;
            image.fill_rectangle(end, line, tick, 1, style.color);
            let x = left + bar_width + 0.8 * unit;
            image.write(label, x, y + 0.5 * unit, Anchor::Left, &style);
        }
    }
}

/// Between three and six round numbers in a range and where they are in it.
fn round_ticks(low: f64, high: f64) -> Vec<(f32, String)> {
    let range = high - low;
    if !range.is_finite() || range == 0.0 {
        return vec![(0.0, format!("{low}"))];
    }
    let wanted = range.abs() / 4.0;
    let decade = 10f64.powf(wanted.log10().floor());
    let steps = [1.0, 2.0, 2.5, 5.0, 10.0].map(|s| s * decade);
    let off = |step: f64| (step / wanted).ln().abs();
    let step = steps
        .into_iter()
        .min_by(|&a, &b| off(a).total_cmp(&off(b)))
        .unwrap_or(wanted);
    // As many decimals as tell neighbouring numbers apart; a step of 2.5 needs one more.
    let decimals = (0..9)
        .find(|&d| {
            let scaled = step * 10f64.powi(d);
            (scaled - scaled.round()).abs() < 1e-6 * scaled
        })
        .unwrap_or(9) as usize;
    let first = (low.min(high) / step - 1e-9).ceil() as i64;
    let last = (low.max(high) / step + 1e-9).floor() as i64;
    (first..=last)
        .map(|k| {
            let value = k as f64 * step;
            let label = format!("{:.decimals$}", if k == 0 { 0.0 } else { value });
            (((value - low) / range) as f32, label.replace('-', "−"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color_map::heat;

    fn labels(low: f64, high: f64) -> Vec<String> {
        round_ticks(low, high).into_iter().map(|t| t.1).collect()
    }

    #[test]
    fn numbers_beside_the_bar_are_round() {
        assert_eq!(labels(0.0, 5.0), ["0", "1", "2", "3", "4", "5"]);
        assert_eq!(
            labels(0.0, 0.1),
            ["0.000", "0.025", "0.050", "0.075", "0.100"]
        );
        assert_eq!(labels(-2.0, 2.0), ["−2", "−1", "0", "1", "2"]);
        assert_eq!(labels(0.03, 0.97), ["0.25", "0.50", "0.75"]);
        assert_eq!(labels(3.0, 3.0), ["3"]);
        assert_eq!(labels(0.0, f64::NAN).len(), 1);
    }

    #[test]
    fn ticks_are_where_their_values_are() {
        let ticks = round_ticks(1.0, 3.0);
        assert_eq!(ticks[1], (0.25, "1.5".to_owned()));
    }

    #[test]
    fn the_bar_shows_the_map_from_bottom_to_top() {
        let mut image = Image::filled(300, 200, [1.0; 3]);
        ColorBar::new("stretch", heat, 0.0, 1.0).paint(&mut image);
        let has = |color: Rgb| {
            let wanted = color.map(|c| (c * 255.0) as i32);
            let close = |p: &[u8]| (0..3).all(|k| (i32::from(p[k]) - wanted[k]).abs() < 6);
            image.rgb.chunks(3).position(close)
        };
        let (low, high) = (has(heat(0.0)).unwrap(), has(heat(1.0)).unwrap());
        assert!(low > high, "low values are at the bottom");
        ColorBar::new("much too large", heat, 0.0, 1.0).paint(&mut Image::filled(3, 2, [1.0; 3]));
    }
}
