//! Ambient occlusion: folds, and places where things touch, see less of the sky.
//!
//! Computed from the picture alone: around a pixel, whatever rises above its surface's tangent plane takes
//! away light, the more the nearer and the steeper it stands (M. McGuire and others, 2011).

use crate::reach::{Disk, Seen};
use crate::scene::Scene;
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

/// The share of the sky, from 0 to 1, that the surface in a pixel sees.
pub(crate) fn sky(scene: &Scene, seen: &Seen, pixel: [usize; 2], normal: Vec3, disk: &Disk) -> f32 {
    let (projection, geometry) = (&scene.projection, &scene.geometry);
    let index = pixel[1] * seen.width + pixel[0];
    let distance = seen.distances[index];
    let ray = |x: f32, y: f32| projection.ray(x + seen.offset[0], y + seen.offset[1]);
    let (column, row) = (pixel[0] as f32, pixel[1] as f32);
    let position = ray(column, row) * distance;
    let reach = REACH * geometry.radius;
    let from_middle = projection.eye + position - geometry.middle;
    if from_middle.length_squared() > (geometry.radius + reach).powi(2) {
        return 1.0;
    }
    let wanted = reach * projection.focal / distance;
    let pixels = wanted.min(FURTHEST * seen.height as f32);
    if pixels < 1.0 {
        return 1.0;
    }
    let reach = reach * pixels / wanted;
    let reach_squared = reach * reach;
    // How far a ray rises above the tangent plane is linear over the picture.
    let level = normal.dot(position) + BIAS * reach;
    let corner = normal.dot(ray(0.0, 0.0));
    let [across, down] = projection.ray_steps.map(|step| normal.dot(step));
    let (last_column, last_row) = (seen.width as i32, seen.height as i32);
    let mut taken = 0.0;
    for place in disk {
        // Squaring the way from the middle looks more closely at what is near.
        let stretch = pixels * place.length();
        let x = (column + 0.5 + place.x * stretch) as i32;
        let y = (row + 0.5 + place.y * stretch) as i32;
        if x < 0 || y < 0 || x >= last_column || y >= last_row {
            continue;
        }
        let other = seen.distances[y as usize * seen.width + x as usize];
        let (x, y) = (x as f32, y as f32);
        let above = other * (corner + across * x + down * y) - level;
        if above > 0.0 && other < f32::INFINITY {
            let squared = (ray(x, y) * other - position).length_squared();
            if squared < reach_squared {
                taken += (1.0 - squared / reach_squared) * above / squared.sqrt();
            }
        }
    }
    (1.0 - STRENGTH * taken / disk.len() as f32).max(0.0)
}
