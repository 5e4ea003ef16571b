//! How much light reaches each pixel: from the lamp and from the sky.
//!
//! Both are found by looking around at a few places. Each pixel of a block of 4 × 4 looks at other places, and the shader takes the
//! mean over such a block around it, which sees sixteen times as many places and hides the pattern.
//! Only neighbours on the same surface count.

use crate::occlusion;
use crate::raster::{GROUND, NOTHING, Visibility};
use crate::scene::Scene;
use glam::{Vec2, Vec3};
use rayon::prelude::*;
use std::f32::consts::TAU;

/// Side of the block of pixels that share their light.
const BLOCK: usize = 4;
/// How far off the tangent plane a neighbour may be to share its light (pixels).
const SAME_SURFACE: f32 = 5.0;
/// Places that one pixel looks at.
const PLACES: usize = 12;

/// Places in the unit circle.
pub(crate) type Disk = [Vec2; PLACES];

/// For each pixel of a block, the places to look at: spirals, each turned and grown by another amount.
pub(crate) fn disks() -> Vec<Disk> {
    // Neighbouring pixels get amounts far from each other.
    const ORDER: [u32; BLOCK * BLOCK] = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5];
    // The golden angle spreads a spiral's points evenly.
    const GOLDEN_ANGLE: f32 = 2.399_963_2;
    let disk = |&order: &u32| {
        let turn = TAU * order as f32 / 16.0;
        let growth = ((order * 7 % 16) as f32 + 0.5) / 16.0;
        std::array::from_fn(|i| {
            let radius = ((i as f32 + growth) / PLACES as f32).sqrt();
            radius * Vec2::from_angle(turn + GOLDEN_ANGLE * i as f32)
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
    /// Pointing to the side that is seen.
    pub normals: Vec<Vec3>,
}

impl Seen {
    pub fn new(scene: &Scene, visibility: &Visibility) -> Self {
        let from_middle = |o: &[f32; 2]| (o[0] - 0.5).powi(2) + (o[1] - 0.5).powi(2);
        let samples = visibility.offsets.len();
        let central = (0..samples)
            .min_by(|&a, &b| {
                let [a, b] = [a, b].map(|s| from_middle(&visibility.offsets[s]));
                a.total_cmp(&b)
            })
            .unwrap_or(0);
        let offset = visibility.offsets[central];
        let width = scene.size[0] as usize;
        let (distances, normals) = visibility
            .ids
            .par_chunks(samples)
            .zip(visibility.nearness.par_chunks(samples))
            .enumerate()
            .map(|(pixel, (ids, nearness))| {
                let x = (pixel % width) as f32 + offset[0];
                let y = (pixel / width) as f32 + offset[1];
                match ids[central] {
                    NOTHING => (f32::INFINITY, Vec3::ZERO),
                    GROUND => (1.0 / nearness[central], Vec3::Z),
                    id => {
                        let point = scene.surface_point(id, x, y);
                        (point.distance, point.normal)
                    }
                }
            })
            .unzip();
        Seen {
            width,
            height: scene.size[1] as usize,
            offset,
            distances,
            normals,
        }
    }
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

/// What a pixel tells its neighbours.
#[derive(Clone, Copy)]
struct Cell {
    /// Along the line of sight (m).
    distance: f32,
    light: Light,
}

/// How much light reaches each pixel, not yet smoothed.
pub(crate) struct Reach {
    width: usize,
    height: usize,
    /// Where in its pixel a cell's surface was seen.
    offset: [f32; 2],
    cells: Vec<Cell>,
}

impl Reach {
    pub fn new(scene: &Scene, visibility: &Visibility) -> Self {
        let seen = Seen::new(scene, visibility);
        let disks = disks();
        let cell = |index: usize| {
            let distance = seen.distances[index];
            let mut light = Light::FULL;
            if scene.is_lit_in_detail(distance) {
                let pixel = [index % seen.width, index / seen.width];
                let disk = &disks[pixel[1] % BLOCK * BLOCK + pixel[0] % BLOCK];
                light = look_around(scene, &seen, pixel, disk);
            }
            Cell { distance, light }
        };
        Reach {
            width: seen.width,
            height: seen.height,
            offset: seen.offset,
            cells: (0..seen.distances.len())
                .into_par_iter()
                .map(cell)
                .collect(),
        }
    }

    /// The light on a surface at a place in the picture, as the mean over the pixels around it that show
    /// the same surface.
    pub fn smoothed(&self, scene: &Scene, pixel: [usize; 2], point: Vec3, normal: Vec3) -> Light {
        let projection = &scene.projection;
        let window = |middle: usize, count: usize| {
            middle.saturating_sub(BLOCK / 2 - 1)..(middle + BLOCK / 2 + 1).min(count)
        };
        let offset = point - projection.eye;
        let distance = offset.dot(projection.forward);
        // A neighbour shows the same surface if it is not more than a few pixels above or below. Its way
        // from the tangent plane is linear in its distance and its place in the picture.
        let scaled_normal = normal * (projection.focal / (SAME_SURFACE * distance));
        let to_plane = scaled_normal.dot(offset);
        let [across, down] = projection.ray_steps.map(|step| scaled_normal.dot(step));
        let corner = scaled_normal.dot(projection.ray(self.offset[0], self.offset[1]));
        let columns = window(pixel[0], self.width);
        let first_column = corner + across * columns.start as f32;
        let (mut lamp, mut sky, mut total) = (0.0, 0.0, 0.0);
        for row in window(pixel[1], self.height) {
            let mut along_ray = first_column + down * row as f32;
            let start = row * self.width;
            for cell in &self.cells[start + columns.start..start + columns.end] {
                let away = (along_ray * cell.distance - to_plane).abs();
                let weight = if away < 1.0 { 1.0 - away } else { 0.0 };
                lamp += weight * cell.light.lamp;
                sky += weight * cell.light.sky;
                total += weight;
                along_ray += across;
            }
        }
        if total > 0.0 {
            Light {
                lamp: lamp / total,
                sky: sky / total,
            }
        } else {
            self.cells[pixel[1] * self.width + pixel[0]].light
        }
    }
}

fn look_around(scene: &Scene, seen: &Seen, pixel: [usize; 2], disk: &Disk) -> Light {
    let index = pixel[1] * seen.width + pixel[0];
    let x = pixel[0] as f32 + seen.offset[0];
    let y = pixel[1] as f32 + seen.offset[1];
    let projection = &scene.projection;
    let lamp = match &scene.shadow_map {
        Some(map) => {
            let position = projection.eye + projection.ray(x, y) * seen.distances[index];
            map.light(position, seen.normals[index], disk)
        }
        None => 1.0,
    };
    let sky = if scene.quality.ambient_occlusion {
        occlusion::sky(seen, projection, pixel, scene.geometry.radius, disk)
    } else {
        1.0
    };
    Light { lamp, sky }
}
