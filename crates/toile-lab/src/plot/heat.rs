//! A map of numbers over two quantities: one coloured, labelled field for each pair.

use super::PAPER;
use toile_render::{Anchor, Image, Rgb, Size, TextStyle};

/// A map in the making. Rows go up, columns to the right.
#[derive(Clone, Debug)]
pub(crate) struct HeatMap {
    pub title: String,
    /// What the columns and the rows are, and their values.
    pub horizontal: (String, Vec<f64>),
    pub vertical: (String, Vec<f64>),
    /// `values[row][column]`; what is not finite stays grey.
    pub values: Vec<Vec<f64>>,
    /// A field to be framed: its column and row.
    pub marked: Option<[usize; 2]>,
}

const INK: Rgb = [0.10, 0.11, 0.13];
const UNKNOWN: Rgb = [0.8, 0.8, 0.8];
/// Dark is small, which is good: blue over green to light yellow.
const SCALE: [Rgb; 5] = [
    [0.16, 0.22, 0.48],
    [0.13, 0.42, 0.60],
    [0.20, 0.62, 0.54],
    [0.62, 0.80, 0.40],
    [0.98, 0.92, 0.55],
];

fn shade(share: f64) -> Rgb {
    let at = share.clamp(0.0, 1.0) * (SCALE.len() - 1) as f64;
    let low = (at as usize).min(SCALE.len() - 2);
    let part = (at - low as f64) as f32;
    std::array::from_fn(|c| SCALE[low][c] + part * (SCALE[low + 1][c] - SCALE[low][c]))
}

impl HeatMap {
    pub fn draw(&self, size: Size) -> Image {
        let mut image = Image::filled(size.width, size.height, PAPER);
        let (columns, rows) = (self.horizontal.1.len().max(1), self.vertical.1.len().max(1));
        let (left, top) = (84.0f32, 84.0f32);
        let width = (size.width as f32 - left - 24.0) / columns as f32;
        let height = (size.height as f32 - top - 64.0) / rows as f32;
        let text = TextStyle::default();
        let known = || {
            self.values
                .iter()
                .flatten()
                .filter(|v| v.is_finite() && **v > 0.0)
        };
        let low = known().copied().fold(f64::INFINITY, f64::min);
        let high = known().copied().fold(0.0, f64::max);
        for (row, values) in self.values.iter().enumerate() {
            for (column, &value) in values.iter().enumerate() {
                let corner = [
                    left + column as f32 * width,
                    top + (rows - 1 - row) as f32 * height,
                ];
                // Errors of a good and a bad fit differ by factors: their logarithms are evenly spread.
                let share = (value / low).ln() / (high / low).ln().max(1e-12);
                let known = value.is_finite() && value > 0.0;
                let color = if known { shade(share) } else { UNKNOWN };
                let marked = self.marked == Some([column, row]);
                let edge = if marked { 4.0 } else { 1.0 };
                fill(
                    &mut image,
                    corner,
                    [width, height],
                    if marked { [0.85, 0.1, 0.1] } else { PAPER },
                );
                let inner = [corner[0] + edge, corner[1] + edge];
                fill(
                    &mut image,
                    inner,
                    [width - 2.0 * edge, height - 2.0 * edge],
                    color,
                );
                let ink = if known && share > 0.4 { INK } else { PAPER };
                let style = TextStyle { color: ink, ..text };
                let middle = [corner[0] + 0.5 * width, corner[1] + 0.5 * height + 5.0];
                image.write(&short(value), middle[0], middle[1], Anchor::Middle, &style);
            }
        }
        self.label(&mut image, [left, top], [width, height], size);
        image
    }

    fn label(
        &self,
        image: &mut Image,
        [left, top]: [f32; 2],
        [width, height]: [f32; 2],
        size: Size,
    ) {
        let text = TextStyle::default();
        let rows = self.vertical.1.len();
        for (column, value) in self.horizontal.1.iter().enumerate() {
            let x = left + (column as f32 + 0.5) * width;
            image.write(
                &short(*value),
                x,
                size.height as f32 - 42.0,
                Anchor::Middle,
                &text,
            );
        }
        for (row, value) in self.vertical.1.iter().enumerate() {
            let y = top + (rows as f32 - row as f32 - 0.5) * height + 5.0;
            image.write(&short(*value), left - 9.0, y, Anchor::Right, &text);
        }
        let title = TextStyle {
            height: 14.0,
            ..text
        };
        image.write(&self.title, 18.0, 32.0, Anchor::Left, &title);
        image.write(&self.vertical.0, 18.0, top - 14.0, Anchor::Left, &text);
        let middle = left + 0.5 * width * self.horizontal.1.len() as f32;
        image.write(
            &self.horizontal.0,
            middle,
            size.height as f32 - 16.0,
            Anchor::Middle,
            &text,
        );
    }
}

/// Three figures are enough to read a map.
fn short(value: f64) -> String {
    match value.abs() {
        _ if !value.is_finite() => "-".into(),
        0.0 => "0".into(),
        size if (0.095..9.95).contains(&size) => format!("{value:.2}"),
        size if (9.95..999.5).contains(&size) => format!("{value:.0}"),
        size if (0.001..0.095).contains(&size) => format!("{value:.3}"),
        _ => format!("{value:.0e}"),
    }
}

fn fill(image: &mut Image, [x, y]: [f32; 2], [width, height]: [f32; 2], color: Rgb) {
    let [left, right] = [x, x + width].map(|v| v.round() as i64);
    let [top, bottom] = [y, y + height].map(|v| v.round() as i64);
    let [width, height] = [right - left, bottom - top].map(|v| v.max(0) as u32);
    image.fill_rectangle(left, top, width, height, color);
}
