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

/// How much light reaches each pixel, not yet smoothed.
pub(crate) struct Reach {
    seen: Seen,
    lights: Vec<Light>,
}

impl Reach {
    pub fn new(scene: &Scene, visibility: &Visibility) -> Self {
        let seen = Seen::new(scene, visibility);
        let disks = disks();
        let mut lights = vec![Light::FULL; seen.distances.len()];
        let rows = lights.par_chunks_mut(seen.width).enumerate();
        rows.for_each(|(row, lights)| {
            for (column, light) in lights.iter_mut().enumerate() {
                let distance = seen.distances[row * seen.width + column];
                if !scene.is_lit_in_detail(distance) {
                    continue;
                }
                let disk = &disks[row % BLOCK * BLOCK + column % BLOCK];
                *light = look_around(scene, &seen, [column, row], disk);
            }
        });
        Reach { seen, lights }
    }

    /// The light on a surface at a place in the picture, as the mean over the pixels around it that show
    /// the same surface.
    pub fn smoothed(&self, scene: &Scene, pixel: [usize; 2], point: Vec3, normal: Vec3) -> Light {
        let projection = &scene.projection;
        let width = self.seen.width;
        let window = |middle: usize, count: usize| {
            middle.saturating_sub(BLOCK / 2 - 1)..(middle + BLOCK / 2 + 1).min(count)
        };
        let offset = point - projection.eye;
        let distance = offset.dot(projection.forward);
        // A neighbour shows the same surface if it is not more than a few pixels above or below.
        let tolerance = 5.0 * distance / projection.focal;
        let from_plane = normal.dot(offset) / tolerance;
        let [across, down] = projection.ray_steps();
        let across = normal.dot(across) / tolerance;
        let first = [self.seen.offset[0], self.seen.offset[1]];
        let corner = normal.dot(projection.ray(first[0], first[1])) / tolerance;
        let down = normal.dot(down) / tolerance;
        let (mut lamp, mut sky, mut total) = (0.0, 0.0, 0.0);
        for row in window(pixel[1], self.seen.height) {
            let along_row = corner + down * row as f32;
            for column in window(pixel[0], width) {
                let index = row * width + column;
                let along_ray = along_row + across * column as f32;
                let away = (along_ray * self.seen.distances[index] - from_plane).abs();
                if away < 1.0 {
                    let weight = 1.0 - away;
                    lamp += weight * self.lights[index].lamp;
                    sky += weight * self.lights[index].sky;
                    total += weight;
                }
            }
        }
        if total > 0.0 {
            Light {
                lamp: lamp / total,
                sky: sky / total,
            }
        } else {
            self.lights[pixel[1] * width + pixel[0]]
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
