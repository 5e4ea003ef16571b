//! A picture, ready to be rasterised and shaded: what all passes over the pixels share.

use crate::geometry::{Detail, Geometry, Side, Triangle};
use crate::ground::Ground;
use crate::lamp::{self, ShadowMap};
use crate::parallel::some_of;
use crate::picture::{Picture, Quality, Size};
use crate::projection::Projection;
use crate::raster::{Depth, GROUND, NOTHING, Plane, Primitive};
use glam::Vec3;

/// Further away than this, in radii of the scene beyond its middle, no light is looked after in detail.
const DETAIL: f32 = 8.0;

/// Faces with edges longer than so many pixels are cut once where their surface is curved.
const COARSE: f32 = 4.0;

/// Everything that the passes over the picture share.
pub(crate) struct Scene {
    pub size: [u32; 2],
    pub quality: Quality,
    pub projection: Projection,
    pub geometry: Geometry,
    /// The triangles that the picture can show, each with its number as id.
    pub primitives: Vec<Primitive>,
    /// The primitive of each triangle.
    primitive_of: Vec<u32>,
    /// The ground and one over its distance.
    pub ground: Option<(Ground, Plane)>,
    pub towards_lamp: Vec3,
    pub shadow_map: Option<ShadowMap>,
}

/// A place on a surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SurfacePoint {
    /// Along the line of sight (m).
    pub distance: f32,
    /// Barycentric coordinates in its triangle.
    pub shares: [f32; 3],
    /// Pointing to the side that is seen.
    pub normal: Vec3,
    /// Whether that side is the front.
    pub is_front: bool,
}

impl Scene {
    pub fn new(picture: &Picture, projection: Projection, size: Size, quality: Quality) -> Self {
        let size = [size.width, size.height];
        let detail = quality.detail.then(|| Detail {
            coarse: COARSE * smallest_pixel(picture, &projection),
        });
        let geometry = Geometry::new(picture, detail);
        let near = f64::from(projection.near);
        let primitives = some_of(&geometry.triangles, |id, triangle| {
            let corners = geometry.positions(triangle);
            let corners = corners.map(|p| projection.homogeneous(p));
            Primitive::new(id as u32, corners, Depth::Perspective { near }, size)
        });
        let mut primitive_of = vec![u32::MAX; geometry.triangles.len()];
        for (index, primitive) in primitives.iter().enumerate() {
            primitive_of[primitive.id as usize] = index as u32;
        }
        let ground = picture.ground.and_then(|height| {
            let plane = projection.level_plane(height as f32)?;
            let ground = Ground::new(&picture.background, geometry.middle, geometry.radius);
            Some((ground, plane))
        });
        let towards_lamp = lamp::direction(&projection);
        let shadow_map = if quality.shadows {
            ShadowMap::new(&geometry, towards_lamp, size)
        } else {
            None
        };
        Scene {
            size,
            quality,
            projection,
            geometry,
            primitives,
            primitive_of,
            ground,
            towards_lamp,
            shadow_map,
        }
    }

    /// Whether shadows and occlusion matter at this distance (m).
    pub fn is_lit_in_detail(&self, distance: f32) -> bool {
        let middle = (self.geometry.middle - self.projection.eye).dot(self.projection.forward);
        distance < middle.max(0.0) + DETAIL * self.geometry.radius
    }

    /// The barycentric coordinates of a triangle over distance, as functions over the picture.
    pub fn shares(&self, triangle: u32) -> &[Plane; 3] {
        &self.primitives[self.primitive_of[triangle as usize] as usize].shares
    }

    /// One over the distance of a triangle's corner.
    pub fn corner_nearness(&self, triangle: &Triangle, corner: usize) -> f32 {
        let position = self.geometry.nodes[triangle.nodes[corner] as usize].position;
        1.0 / (position - self.projection.eye).dot(self.projection.forward)
    }

    /// How far behind what a sample sees its middle is (m).
    pub fn half_thickness(&self, id: u32) -> f32 {
        match id {
            NOTHING | GROUND => 0.0,
            id => {
                let surface = self.geometry.triangles[id as usize].surface;
                self.geometry.materials[surface as usize].half
            }
        }
    }

    /// The normal, pointing to the side that is seen, of what a sample at a place in the picture sees.
    pub fn normal(&self, id: u32, x: f32, y: f32) -> Vec3 {
        match id {
            NOTHING => Vec3::ZERO,
            GROUND => Vec3::Z,
            id => self.surface_point(id, x, y).normal,
        }
    }

    /// The place on a triangle that is seen at a place in the picture.
    pub fn surface_point(&self, id: u32, x: f32, y: f32) -> SurfacePoint {
        let triangle = &self.geometry.triangles[id as usize];
        let over_distance = self
            .shares(id)
            .map(|plane| (plane.at(f64::from(x), f64::from(y)) as f32).max(0.0));
        let distance = 1.0 / (over_distance[0] + over_distance[1] + over_distance[2]);
        let shares = over_distance.map(|share| share * distance);
        let ray = self.projection.ray(x, y);
        let is_front = match triangle.side {
            Side::Front | Side::Rim => true,
            Side::Back => false,
            Side::Both => triangle.normal.dot(ray) <= 0.0,
        };
        let smooth = self.geometry.materials[triangle.surface as usize].smooth;
        let mut normal = triangle.normal;
        if smooth {
            let nodes = triangle
                .nodes
                .map(|n| self.geometry.nodes[n as usize].normal);
            let mean = nodes[0] * shares[0] + nodes[1] * shares[1] + nodes[2] * shares[2];
            normal = mean.try_normalize().unwrap_or(normal);
        }
        SurfacePoint {
            distance,
            shares,
            normal: towards_eye(if is_front { normal } else { -normal }, ray),
            is_front,
        }
    }
}

/// The side of a pixel at the surface nearest to the eye (m).
fn smallest_pixel(picture: &Picture, projection: &Projection) -> f32 {
    let surfaces = picture.surfaces.iter();
    let nodes = surfaces.flat_map(|s| s.positions.iter());
    let distances = nodes.map(|p| (*p - projection.eye).dot(projection.forward));
    let ahead = distances.filter(|d| *d > projection.near);
    ahead.fold(f32::INFINITY, f32::min) / projection.focal
}

/// An interpolated normal may point away from the eye near the outline of a surface; it is turned until the
/// surface is seen edge-on, which no real surface exceeds.
fn towards_eye(normal: Vec3, ray: Vec3) -> Vec3 {
    let away = normal.dot(ray);
    if away <= 0.0 && normal != Vec3::ZERO {
        return normal;
    }
    let turned = normal - ray * (away / ray.length_squared());
    if turned.length_squared() > 1e-6 {
        turned.normalize()
    } else {
        -ray.normalize_or_zero()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_normal_never_points_away_from_the_eye() {
        let ray = Vec3::new(0.2, 1.0, -0.1);
        for normal in [Vec3::Y, Vec3::X, Vec3::ZERO, -Vec3::Y, ray.normalize()] {
            let turned = towards_eye(normal, ray);
            assert!(turned.dot(ray) < 1e-6, "{normal} {turned}");
            assert!((turned.length() - 1.0).abs() < 1e-5);
        }
    }
}
