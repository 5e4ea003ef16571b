//! Line plots: axes with ticks, curves with markers, a legend.
//!
//! ```text
//! Plot::new("title", Axis::log("step (s)"), Axis::log("error (m)"))
//!     .curve("scheme A", points)
//!     .guide("h²", points)
//!     .draw(SIZE)
//! ```
//!
//! An axis spans what the curves need, on a logarithmic one only numbers above zero are shown. The label of the vertical axis
//! stands above it, so that nobody has to turn their head. Curves get a colour and a marker each, the same for every plot.

mod axis;
mod heat;
mod ink;

pub(crate) use axis::Axis;
pub(crate) use heat::HeatMap;
pub(crate) use ink::draw_line;

use axis::Span;
use glam::Vec2;
use ink::{Marker, draw_marker};
use toile_render::{Anchor, Image, Rgb, Size, TextStyle};

/// A size that is good to read on a page.
pub(crate) const SIZE: Size = Size {
    width: 960,
    height: 560,
};

const PAPER: Rgb = [1.0, 1.0, 1.0];
const FRAME: Rgb = [0.35, 0.36, 0.38];
const GRID: Rgb = [0.90, 0.90, 0.91];
const GUIDE: Rgb = [0.55, 0.56, 0.58];
/// Told apart by eyes that do not see every colour as well.
const COLORS: [Rgb; 7] = [
    [0.00, 0.37, 0.66],
    [0.84, 0.37, 0.00],
    [0.00, 0.58, 0.42],
    [0.72, 0.35, 0.60],
    [0.25, 0.25, 0.27],
    [0.87, 0.60, 0.00],
    [0.34, 0.66, 0.89],
];

/// One curve.
#[derive(Clone, Debug)]
struct Curve {
    label: String,
    points: Vec<[f64; 2]>,
    color: Rgb,
    marker: Option<Marker>,
    dashed: bool,
}

/// A plot in the making.
#[derive(Clone, Debug)]
pub(crate) struct Plot {
    title: String,
    horizontal: Axis,
    vertical: Axis,
    curves: Vec<Curve>,
    /// Curves with a colour of their own so far.
    colored: usize,
}

impl Plot {
    pub fn new(title: impl Into<String>, horizontal: Axis, vertical: Axis) -> Self {
        Plot {
            title: title.into(),
            horizontal,
            vertical,
            curves: Vec::new(),
            colored: 0,
        }
    }

    /// A curve in the next colour, with a marker at every point if there are few enough to see them.
    pub fn curve(mut self, label: impl Into<String>, points: Vec<[f64; 2]>) -> Self {
        let marker = (points.len() <= 24).then(|| Marker::number(self.colored));
        self.curves.push(Curve {
            label: label.into(),
            color: COLORS[self.colored % COLORS.len()],
            marker,
            dashed: false,
            points,
        });
        self.colored += 1;
        self
    }

    /// A dashed curve in the colour of the curve before it: the same thing under other conditions.
    pub fn variant(mut self, label: impl Into<String>, points: Vec<[f64; 2]>) -> Self {
        let number = self.colored.saturating_sub(1);
        self.curves.push(Curve {
            label: label.into(),
            color: COLORS[number % COLORS.len()],
            marker: (points.len() <= 24).then(|| Marker::number(number)),
            dashed: true,
            points,
        });
        self
    }

    /// A thin grey curve to hold others against.
    pub fn guide(mut self, label: impl Into<String>, points: Vec<[f64; 2]>) -> Self {
        self.curves.push(Curve {
            label: label.into(),
            color: GUIDE,
            marker: None,
            dashed: true,
            points,
        });
        self
    }

    /// The picture.
    pub fn draw(&self, size: Size) -> Image {
        let mut image = Image::filled(size.width, size.height, PAPER);
        let text = TextStyle::default();
        let legend = self.curves.iter().map(|c| text.width(&c.label));
        let legend_width = legend.fold(0.0, f32::max) + 58.0;
        let area = Area {
            low: Vec2::new(72.0, size.height as f32 - 56.0),
            high: Vec2::new(size.width as f32 - legend_width - 24.0, 76.0),
            spans: [
                self.horizontal.span(self.values(0)),
                self.vertical.span(self.values(1)),
            ],
        };
        self.draw_axes(&mut image, &area, &text);
        for curve in &self.curves {
            draw_curve(&mut image, &area, curve);
        }
        self.draw_legend(&mut image, area.high + Vec2::new(20.0, 12.0), &text);
        image
    }

    fn values(&self, axis: usize) -> impl Iterator<Item = f64> {
        let points = self.curves.iter().flat_map(|c| &c.points);
        points.map(move |p| p[axis])
    }

    fn draw_axes(&self, image: &mut Image, area: &Area, text: &TextStyle) {
        let Area { low, high, spans } = area;
        for tick in spans[0].ticks() {
            let x = area.place_on(0, tick.value);
            let [foot, head] = [Vec2::new(x, low.y), Vec2::new(x, high.y)];
            if tick.label.is_some() {
                draw_line(image, &[foot, head], 1.0, GRID, false);
            }
            let length = if tick.label.is_some() { 6.0 } else { 3.0 };
            draw_line(image, &[foot, foot - Vec2::Y * length], 1.2, FRAME, false);
            if let Some(label) = &tick.label {
                label.write(image, Vec2::new(x, low.y + 22.0), Anchor::Middle, text);
            }
        }
        for tick in spans[1].ticks() {
            let y = area.place_on(1, tick.value);
            let [left, right] = [Vec2::new(low.x, y), Vec2::new(high.x, y)];
            if tick.label.is_some() {
                draw_line(image, &[left, right], 1.0, GRID, false);
            }
            let length = if tick.label.is_some() { 6.0 } else { 3.0 };
            draw_line(image, &[left, left + Vec2::X * length], 1.2, FRAME, false);
            if let Some(label) = &tick.label {
                label.write(image, Vec2::new(low.x - 9.0, y + 5.0), Anchor::Right, text);
            }
        }
        let corners = [
            *low,
            Vec2::new(high.x, low.y),
            *high,
            Vec2::new(low.x, high.y),
            *low,
        ];
        draw_line(image, &corners, 1.2, FRAME, false);
        let title = TextStyle {
            height: 14.0,
            ..*text
        };
        image.write(&self.title, 18.0, 32.0, Anchor::Left, &title);
        image.write(
            &self.vertical.label,
            18.0,
            high.y - 14.0,
            Anchor::Left,
            text,
        );
        let middle = 0.5 * (low.x + high.x);
        image.write(
            &self.horizontal.label,
            middle,
            low.y + 44.0,
            Anchor::Middle,
            text,
        );
    }

    fn draw_legend(&self, image: &mut Image, corner: Vec2, text: &TextStyle) {
        for (row, curve) in self.curves.iter().enumerate() {
            let left = corner + Vec2::Y * (22.0 * row as f32);
            let sample = [left, left + Vec2::X * 34.0];
            draw_line(image, &sample, curve.width(), curve.color, curve.dashed);
            if let Some(marker) = curve.marker {
                draw_marker(image, left + Vec2::X * 17.0, marker, curve.color);
            }
            image.write(
                &curve.label,
                left.x + 42.0,
                left.y + 5.0,
                Anchor::Left,
                text,
            );
        }
    }
}

impl Curve {
    fn width(&self) -> f32 {
        if self.color == GUIDE { 1.2 } else { 2.0 }
    }
}

/// Where on the picture the numbers lie.
struct Area {
    /// Bottom left (pixels).
    low: Vec2,
    /// Top right (pixels).
    high: Vec2,
    spans: [Span; 2],
}

impl Area {
    fn place_on(&self, axis: usize, value: f64) -> f32 {
        let share = self.spans[axis].share(value) as f32;
        self.low[axis] + share * (self.high[axis] - self.low[axis])
    }

    fn place(&self, point: [f64; 2]) -> Option<Vec2> {
        let shown = (0..2).all(|axis| self.spans[axis].shows(point[axis]));
        shown.then(|| Vec2::new(self.place_on(0, point[0]), self.place_on(1, point[1])))
    }
}

fn draw_curve(image: &mut Image, area: &Area, curve: &Curve) {
    // A number that cannot be shown interrupts the line.
    let places: Vec<Option<Vec2>> = curve.points.iter().map(|&p| area.place(p)).collect();
    for part in places.split(|place| place.is_none()) {
        let line: Vec<Vec2> = part.iter().flatten().copied().collect();
        draw_line(image, &line, curve.width(), curve.color, curve.dashed);
    }
    for place in places.into_iter().flatten() {
        if let Some(marker) = curve.marker {
            draw_marker(image, place, marker, curve.color);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_goes_through_its_points() {
        let points = vec![[0.0, 0.0], [1.0, 1.0], [2.0, 4.0]];
        let plot = Plot::new("", Axis::linear("x"), Axis::linear("y")).curve("c", points.clone());
        let image = plot.draw(SIZE);
        let blue = |p: [u8; 3]| p[2] > 120 && p[0] < 60;
        let count = (0..SIZE.width)
            .flat_map(|x| (0..SIZE.height).map(move |y| (x, y)))
            .filter(|&(x, y)| image.pixel(x, y).is_some_and(blue))
            .count();
        // About 900 pixels of line, two wide, and the markers.
        assert!((1000..4000).contains(&count), "{count}");
    }

    #[test]
    fn empty_plots_and_numbers_that_cannot_be_shown_do_no_harm() {
        let odd = vec![
            [f64::NAN, 1.0],
            [0.0, -1.0],
            [1.0, f64::INFINITY],
            [1e-300, 1e300],
        ];
        for axis in [Axis::linear, Axis::log] {
            let plot = Plot::new("odd", axis("x"), axis("y"));
            plot.clone().draw(SIZE);
            plot.curve("odd", odd.clone()).draw(SIZE);
        }
    }
}
