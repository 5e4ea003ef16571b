//! From space to pixels and back.

use crate::camera::Camera;
use crate::picture::Size;
use crate::raster::Plane;
use glam::{DVec3, Vec2, Vec3};

/// A camera together with the picture it takes. Pixel coordinates start at the top left corner, so the middle of
/// the first pixel is at 0.5, 0.5. The *distance* of a point is measured along the line of sight, not
/// along the ray to it.
#[derive(Clone, Debug)]
pub(crate) struct Projection {
    pub eye: Vec3,
    pub right: Vec3,
    up: Vec3,
    pub forward: Vec3,
    /// Pixels per unit of tangent.
    pub focal: f32,
    middle: Vec2,
    pub near: f32,
    /// The ray through the top left corner of the picture.
    corner_ray: Vec3,
    /// How the ray changes from one pixel to the next, to the right and down.
    pub ray_steps: [Vec3; 2],
}

impl Projection {
    /// `None` if the camera cannot see anything: it looks nowhere, or a number in it makes no sense.
    pub fn new(camera: &Camera, size: Size) -> Option<Self> {
        let forward = (camera.target - camera.eye).try_normalize()?;
        let right = forward
            .cross(camera.up)
            .try_normalize()
            .unwrap_or_else(|| forward.any_orthonormal_vector());
        let fov = camera.vertical_fov.clamp(1e-3, 3.1);
        let focal = 0.5 * size.height as f32 / (0.5 * fov).tan();
        let sane = camera.eye.is_finite() && right.is_finite() && focal.is_finite() && focal > 0.0;
        let distance = camera.eye.distance(camera.target);
        let up = right.cross(forward);
        let middle = 0.5 * Vec2::new(size.width as f32, size.height as f32);
        sane.then(|| Projection {
            eye: camera.eye,
            right,
            up,
            forward,
            focal,
            middle,
            near: if camera.near > 0.0 {
                camera.near
            } else {
                1e-3 * distance
            },
            corner_ray: forward + (up * middle.y - right * middle.x) / focal,
            ray_steps: [right / focal, -up / focal],
        })
    }

    /// A point in homogeneous pixel coordinates: column and row, each times the distance, and the distance.
    pub fn homogeneous(&self, point: Vec3) -> DVec3 {
        let offset = point.as_dvec3() - self.eye.as_dvec3();
        let distance = offset.dot(self.forward.as_dvec3());
        let focal = f64::from(self.focal);
        DVec3::new(
            f64::from(self.middle.x) * distance + focal * offset.dot(self.right.as_dvec3()),
            f64::from(self.middle.y) * distance - focal * offset.dot(self.up.as_dvec3()),
            distance,
        )
    }

    /// Where a point appears in the picture; `None` if it is not in front of the eye.
    #[cfg(test)]
    pub fn to_pixel(&self, point: Vec3) -> Option<Vec2> {
        let seen = self.homogeneous(point);
        (seen.z > 0.0).then(|| Vec2::new((seen.x / seen.z) as f32, (seen.y / seen.z) as f32))
    }

    /// The ray through a place in the picture, as long as its distance is 1.
    pub fn ray(&self, x: f32, y: f32) -> Vec3 {
        self.corner_ray + self.ray_steps[0] * x + self.ray_steps[1] * y
    }

    /// One over the distance of a level plane, which is linear over the picture; `None` if the eye is
    /// not above it.
    pub fn level_plane(&self, height: f32) -> Option<Plane> {
        let drop = f64::from(height) - f64::from(self.eye.z);
        if drop.is_nan() || drop >= 0.0 {
            return None;
        }
        let [across, down] = self.ray_steps;
        Some(Plane {
            x: f64::from(across.z) / drop,
            y: f64::from(down.z) / drop,
            constant: f64::from(self.ray(0.0, 0.0).z) / drop,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ray_leads_back_to_the_point_it_was_made_for() {
        let size = Size {
            width: 300,
            height: 200,
        };
        let camera = Camera::default();
        let projection = Projection::new(&camera, size).unwrap();
        let point = Vec3::new(0.3, -0.2, 0.7);
        let pixel = projection.to_pixel(point).unwrap();
        let distance = (point - camera.eye).dot(projection.forward);
        let back = camera.eye + projection.ray(pixel.x, pixel.y) * distance;
        assert!(back.distance(point) < 1e-4);
    }

    #[test]
    fn the_level_plane_is_where_the_rays_meet_it() {
        let size = Size {
            width: 300,
            height: 200,
        };
        let projection = Projection::new(&Camera::default(), size).unwrap();
        let plane = projection.level_plane(-1.0).unwrap();
        let distance = 1.0 / plane.at(120.0, 180.0) as f32;
        let hit = projection.eye + projection.ray(120.0, 180.0) * distance;
        assert!((hit.z + 1.0).abs() < 1e-4);
        assert!(projection.level_plane(projection.eye.z + 1.0).is_none());
    }

    #[test]
    fn a_camera_that_looks_nowhere_sees_nothing() {
        let size = Size {
            width: 30,
            height: 20,
        };
        let still = Camera {
            target: Camera::default().eye,
            ..Camera::default()
        };
        assert!(Projection::new(&still, size).is_none());
        let lost = Camera {
            eye: Vec3::NAN,
            ..Camera::default()
        };
        assert!(Projection::new(&lost, size).is_none());
    }
}
