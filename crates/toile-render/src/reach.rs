//! How much light reaches each pixel: from the lamp and from the sky.
//!
//! Both are found by looking around at a few places, for every second pixel as on a chessboard. Each such pixel of a block of
//! 4 × 4 looks at other places, and the shader takes the mean over such a block around it, which sees eight
//! times as many places and hides the pattern. Only neighbours on the same surface count.

use crate::occlusion;
use crate::parallel::in_order;
use crate::raster::{NOTHING, Visibility};
use crate::scene::Scene;
use glam::{Vec2, Vec3};

/// Side of the block of pixels that share their light.
const BLOCK: usize = 4;
/// How far off the tangent plane a neighbour may be to share its light (pixels).
const SAME_SURFACE: f32 = 5.0;
/// Places that one pixel can look at.
const PLACES: usize = 24;

/// Places in the unit circle.
pub(crate) type Disk = [Vec2; PLACES];

/// For each pixel that looks around in a block, row by row, its places. Together they are one spiral of
/// evenly spread points, dealt out in turn.
pub(crate) fn disks() -> Vec<Disk> {
    // Neighbours get points far from each other.
    const ORDER: [usize; BLOCK * BLOCK / 2] = [0, 4, 6, 2, 3, 7, 5, 1];
    // Turning by the golden angle from one to the next spreads points evenly.
    const GOLDEN_ANGLE: f32 = 2.399_963_2;
    let all = (ORDER.len() * PLACES) as f32;
    let disk = |&order: &usize| {
        std::array::from_fn(|i| {
            let point = (i * ORDER.len() + order) as f32;
            let radius = ((point + 0.5) / all).sqrt();
            radius * Vec2::from_angle(GOLDEN_ANGLE * point)
        })
    };
    ORDER.iter().map(disk).collect()
}

/// The surface in each pixel: what the sample nearest to its middle sees.
pub(crate) struct Seen {
    pub width: usize,
    pub height: usize,
    /// Where that sample is in the pixel.
    pub offset: [f32; 2],
    /// Along the line of sight (m); infinite where there is nothing.
    pub distances: Vec<f32>,
}

impl Seen {
    fn new(size: [u32; 2], visibility: &Visibility, central: usize) -> Self {
        let samples = visibility.offsets.len();
        let distance = |pixel: usize| match visibility.ids[pixel * samples + central] {
            NOTHING => f32::INFINITY,
            _ => 1.0 / visibility.nearness[pixel * samples + central],
        };
        Seen {
            width: size[0] as usize,
            height: size[1] as usize,
            offset: visibility.offsets[central],
            distances: in_order(visibility.ids.len() / samples, distance),
        }
    }
}

/// The sample nearest to the middle of its pixel.
fn central_sample(visibility: &Visibility) -> usize {
    let from_middle = |s: &usize| {
        let [x, y] = visibility.offsets[*s];
        (x - 0.5).hypot(y - 0.5)
    };
    let samples = 0..visibility.offsets.len();
    samples
        .min_by(|a, b| from_middle(a).total_cmp(&from_middle(b)))
        .unwrap_or(0)
}

/// How much light reaches a pixel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Light {
    /// Share of the lamp.
    pub lamp: f32,
    /// Share of the sky.
    pub sky: f32,
}

impl Light {
    pub const FULL: Light = Light {
        lamp: 1.0,
        sky: 1.0,
    };
}

/// What a pixel that looked around tells its neighbours.
#[derive(Clone, Copy)]
struct Cell {
    /// Along the line of sight (m).
    distance: f32,
    light: Light,
}

/// How much light reaches the pixels, not yet smoothed.
pub(crate) struct Reach {
    seen: Seen,
    /// Cells in a row: one for every second pixel, the first one or the one behind it in turn.
    row_cells: usize,
    cells: Vec<Cell>,
}

impl Reach {
    pub fn new(scene: &Scene, visibility: &Visibility) -> Self {
        let central = central_sample(visibility);
        let samples = visibility.offsets.len();
        let seen = Seen::new(scene.size, visibility, central);
        let disks = disks();
        let row_cells = seen.width.div_ceil(2);
        let cell = |index: usize| {
            let (row, column) = (index / row_cells, index % row_cells);
            let pixel = [(2 * column + row % 2).min(seen.width - 1), row];
            let place = row * seen.width + pixel[0];
            let distance = seen.distances[place];
            let light = if scene.is_lit_in_detail(distance) {
                let disk = &disks[row % BLOCK * (BLOCK / 2) + column % (BLOCK / 2)];
                let x = pixel[0] as f32 + seen.offset[0];
                let y = row as f32 + seen.offset[1];
                let id = visibility.ids[place * samples + central];
                let normal = scene.normal(id, x, y);
                look_around(
                    scene,
                    &seen,
                    pixel,
                    (normal, scene.half_thickness(id)),
                    disk,
                )
            } else {
                Light::FULL
            };
            Cell { distance, light }
        };
        let cells = in_order(row_cells * seen.height, cell);
        Reach {
            seen,
            row_cells,
            cells,
        }
    }

    /// The light on a surface at a place in the picture, as the mean over the pixels around it that show
    /// the same surface.
    pub fn smoothed(&self, scene: &Scene, pixel: [usize; 2], point: Vec3, normal: Vec3) -> Light {
        let projection = &scene.projection;
        let offset = point - projection.eye;
        let distance = offset.dot(projection.forward);
        // A neighbour shows the same surface if it is not more than a few pixels above or below. Its way
        // from the tangent plane is linear in its distance and its place in the picture.
        let scaled_normal = normal * (projection.focal / (SAME_SURFACE * distance));
        let to_plane = scaled_normal.dot(offset);
        let [across, down] = projection.ray_steps.map(|step| scaled_normal.dot(step));
        let [x, y] = self.seen.offset;
        let corner = scaled_normal.dot(projection.ray(x, y));
        let first_row = pixel[1].saturating_sub(BLOCK / 2 - 1);
        let last_row = (pixel[1] + BLOCK / 2 + 1).min(self.seen.height);
        let first_column = pixel[0].saturating_sub(BLOCK / 2 - 1);
        let (mut lamp, mut sky, mut total) = (0.0, 0.0, 0.0);
        for row in first_row..last_row {
            // The first cell at or behind the first column.
            let first = (first_column + 1 - row % 2) / 2;
            let last = (first + BLOCK / 2).min(self.row_cells);
            let column = (2 * first + row % 2) as f32;
            let mut along_ray = corner + across * column + down * row as f32;
            let start = row * self.row_cells;
            for cell in &self.cells[start + first.min(last)..start + last] {
                let away = (along_ray * cell.distance - to_plane).abs();
                let weight = if away < 1.0 { 1.0 - away } else { 0.0 };
                lamp += weight * cell.light.lamp;
                sky += weight * cell.light.sky;
                total += weight;
                along_ray += 2.0 * across;
            }
        }
        if total > 0.0 {
            Light {
                lamp: lamp / total,
                sky: sky / total,
            }
        } else {
            // Something so thin that no neighbour shows it; its own pixel's light is near enough.
            let column = (pixel[0] / 2).min(self.row_cells - 1);
            self.cells[pixel[1] * self.row_cells + column].light
        }
    }
}

fn look_around(
    scene: &Scene,
    seen: &Seen,
    pixel: [usize; 2],
    (normal, half): (Vec3, f32),
    disk: &Disk,
) -> Light {
    let index = pixel[1] * seen.width + pixel[0];
    let x = pixel[0] as f32 + seen.offset[0];
    let y = pixel[1] as f32 + seen.offset[1];
    let projection = &scene.projection;
    let lamp = match &scene.shadow_map {
        Some(map) => {
            let position = projection.eye + projection.ray(x, y) * seen.distances[index];
            // The map has the middle of cloth.
            map.light(position - half * normal, normal, disk)
        }
        None => 1.0,
    };
    let sky = if scene.quality.ambient_occlusion {
        occlusion::sky(scene, seen, pixel, normal, disk)
    } else {
        1.0
    };
    Light { lamp, sky }
}
