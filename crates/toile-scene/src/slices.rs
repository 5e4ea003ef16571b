//! Pictures of level sets: cuts through the middle, the surface a dark line, equal distances as faint ones.

use toile::geometry::level_set::{Axis, LevelSet};
use toile_render::{Anchor, Image, Rgb, TextStyle};

const PAPER: Rgb = [1.0, 1.0, 1.0];
const INK: Rgb = [0.1, 0.1, 0.12];
const INSIDE: Rgb = [0.33, 0.53, 0.78];
const OUTSIDE: Rgb = [0.98, 0.93, 0.84];
/// Between neighbouring pictures (pixels).
const GAP: u32 = 8;

/// Three cuts across the axes through the middle of a body, side by side, each `resolution` pixels wide and high.
pub fn level_set_slices(level_set: &LevelSet, resolution: u32) -> Image {
    let (low, side) = level_set.cube();
    let middle = low + 0.5 * side;
    let cuts = [
        (Axis::X, middle.x, "x"),
        (Axis::Y, middle.y, "y"),
        (Axis::Z, middle.z, "z"),
    ];
    let mut sheet = Image::filled(3 * resolution + 2 * GAP, resolution, PAPER);
    for (k, (axis, offset, name)) in cuts.into_iter().enumerate() {
        let mut cut = slice(level_set, axis, offset, resolution);
        let label = format!("{name} = {offset:.3} m");
        cut.write(&label, 10.0, 21.0, Anchor::Left, &TextStyle::default());
        sheet.blit(&cut, i64::from(k as u32 * (resolution + GAP)), 0);
    }
    sheet
}

fn slice(level_set: &LevelSet, axis: Axis, offset: f64, resolution: u32) -> Image {
    let values = level_set.slice(axis, offset, resolution as usize);
    let pixel = level_set.cube().1 / f64::from(resolution);
    // So many lines of equal distance that they do not run together.
    let spacing = 16.0 * pixel;
    let mut image = Image::filled(resolution, resolution, PAPER);
    for (k, &distance) in values.iter().enumerate() {
        let (column, row) = (k as u32 % resolution, k as u32 / resolution);
        // Rows run upwards in space and downwards in pictures.
        let (x, y) = (i64::from(column), i64::from(resolution - 1 - row));
        let color = if distance < 0.0 { INSIDE } else { OUTSIDE };
        image.blend(x, y, color, 1.0);
        let to_line = distance - spacing * (distance / spacing).round();
        let faint = (1.0 - to_line.abs() / pixel).max(0.0);
        image.blend(x, y, INK, 0.18 * faint as f32);
        let surface = (1.5 - distance.abs() / pixel).clamp(0.0, 1.0);
        image.blend(x, y, INK, surface as f32);
    }
    image
}
