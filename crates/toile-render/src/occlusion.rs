//! Ambient occlusion: folds, and places where things touch, see less of the sky.
//!
//! Computed from the picture alone: around a pixel, whatever rises above its surface's tangent plane takes
//! away light, the more the nearer and the steeper it stands (M. McGuire and others, 2011).

use crate::projection::Projection;
use crate::reach::{Disk, Seen};
use glam::Vec3;

/// How far things take light from each other, as a share of the scene's radius.
const REACH: f32 = 0.22;
/// How dark it gets.
const STRENGTH: f32 = 2.0;
/// How far a surface may bend above its tangent plane before it counts, as a share of the reach.
const BIAS: f32 = 0.02;
/// The furthest a pixel looks, as a share of the picture's height: beyond, nothing of the neighbourhood
/// is left in the processor's cache.
const FURTHEST: f32 = 0.18;

/// How many places of the disk to look at.
const PLACES: usize = 9;

/// The share of the sky, from 0 to 1, that the surface in a pixel sees.
pub(crate) fn sky(
    seen: &Seen,
    projection: &Projection,
    pixel: [usize; 2],
    radius: f32,
    disk: &Disk,
) -> f32 {
    let index = pixel[1] * seen.width + pixel[0];
    let normal = seen.normals[index];
    let distance = seen.distances[index];
    let ray = |x: i32, y: i32| projection.ray(x as f32 + seen.offset[0], y as f32 + seen.offset[1]);
    let (column, row) = (pixel[0] as i32, pixel[1] as i32);
    let position = ray(column, row) * distance;
    let reach = REACH * radius;
    let wanted = reach * projection.focal / distance;
    let pixels = wanted.min(FURTHEST * seen.height as f32);
    if pixels < 1.0 {
        return 1.0;
    }
    let reach = reach * pixels / wanted;
    let (reach_squared, bias) = (reach * reach, BIAS * reach);
    let mut taken = 0.0;
    for place in &disk[..PLACES] {
        // Squaring the way from the middle looks more closely at what is near.
        let stretch = pixels * place.length();
        let x = (column as f32 + 0.5 + place.x * stretch) as i32;
        let y = (row as f32 + 0.5 + place.y * stretch) as i32;
        if x < 0 || y < 0 || x >= seen.width as i32 || y >= seen.height as i32 {
            continue;
        }
        let other = seen.distances[y as usize * seen.width + x as usize];
        if other == f32::INFINITY {
            continue;
        }
        let way: Vec3 = ray(x, y) * other - position;
        let squared = way.length_squared();
        let above = way.dot(normal) - bias;
        if above > 0.0 && squared < reach_squared {
            let fade = 1.0 - squared / reach_squared;
            taken += fade * above / squared.sqrt();
        }
    }
    (1.0 - STRENGTH * taken / PLACES as f32).max(0.0)
}
