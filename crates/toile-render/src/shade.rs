//! How bright and of which colour things are.

use crate::color::{to_linear, tone_map};
use crate::geometry::{Side, Triangle};
use crate::patch::directions;
use crate::picture::Background;
use crate::raster::{GROUND, NOTHING};
use crate::reach::{Light, Reach};
use crate::scene::{Scene, SurfacePoint};
use crate::weave::{Woven, woven};
use glam::Vec3;

/// The lamp: warm.
const LAMP: Vec3 = Vec3::new(0.84, 0.77, 0.68);
/// The sky above: cool.
const SKY: Vec3 = Vec3::new(0.38, 0.41, 0.45);
/// Light that the ground throws back.
const BOUNCE: Vec3 = Vec3::new(0.25, 0.23, 0.21);
/// Light from where the eye is, so that no fold is ever quite dark.
const FILL: Vec3 = Vec3::new(0.10, 0.10, 0.11);
/// Light that shines through a cloth lit from behind.
const TRANSLUCENCY: f32 = 0.16;
/// How far the light of the lamp wraps around an edge, as fibres that stand off let it.
const WRAP: f32 = 0.12;
/// Brightness of the fibres that stand off, seen at a grazing angle.
const SHEEN: f32 = 0.28;
/// How much paler cut edges are than the two sides.
const UNDYED: f32 = 0.15;
/// How much darker mesh edges are.
const WIRE_STRENGTH: f32 = 0.62;
/// Half the width of mesh edges (pixels).
const WIRE_HALF_WIDTH: f32 = 0.55;

/// Colours of the background, row by row.
pub(crate) fn background_rows(scene: &Scene, background: &Background) -> Vec<Vec3> {
    let height = scene.size[1];
    let (top, bottom) = (Vec3::from(background.top), Vec3::from(background.bottom));
    (0..height)
        .map(|row| {
            // Mixed in sRGB, where equal steps look equal.
            let share = (row as f32 + 0.5) / height as f32;
            to_linear(top.lerp(bottom, share).to_array())
        })
        .collect()
}

/// Colours the places of a picture.
pub(crate) struct Shader<'a> {
    pub scene: &'a Scene,
    /// `None` if every place gets full light.
    pub reach: Option<Reach>,
    pub background: Vec<Vec3>,
}

impl Shader<'_> {
    /// The colour, in linear light and ready to show, of what is seen at a place in a pixel.
    pub fn color(&self, id: u32, pixel: [usize; 2], x: f32, y: f32) -> Vec3 {
        match id {
            NOTHING => self.background[pixel[1]],
            GROUND => self.ground(pixel, x, y),
            id => self.surface(id, pixel, x, y),
        }
    }

    fn light(&self, pixel: [usize; 2], position: Vec3, normal: Vec3) -> Light {
        match &self.reach {
            Some(reach) => reach.smoothed(self.scene, pixel, position, normal),
            None => Light::FULL,
        }
    }

    fn ground(&self, pixel: [usize; 2], x: f32, y: f32) -> Vec3 {
        let behind = self.background[pixel[1]];
        let Some((ground, plane)) = &self.scene.ground else {
            return behind;
        };
        let nearness = plane.at(f64::from(x), f64::from(y)) as f32;
        let projection = &self.scene.projection;
        let ray = projection.ray(x, y);
        let position = projection.eye + ray / nearness;
        let presence = if nearness > 0.0 {
            ground.presence(position)
        } else {
            0.0
        };
        if presence <= 0.0 {
            return behind;
        }
        // The ground's colour is what it looks like in full light; shadow takes away its share.
        let light = self.light(pixel, position, Vec3::Z);
        let lamp = LAMP * self.scene.towards_lamp.z.max(0.0);
        let bright = (SKY * light.sky + lamp * light.lamp) / (SKY + lamp);
        let color = ground.color(projection, position, ray) * bright;
        behind.lerp(color, presence)
    }

    fn surface(&self, id: u32, pixel: [usize; 2], x: f32, y: f32) -> Vec3 {
        let scene = self.scene;
        let point = scene.surface_point(id, x, y);
        let triangle = &scene.geometry.triangles[id as usize];
        let material = &scene.geometry.materials[triangle.surface as usize];
        let projection = &scene.projection;
        let ray = projection.ray(x, y);
        let position = projection.eye + ray * point.distance;
        let mut color = if material.node_colors {
            let nodes = triangle
                .nodes
                .map(|n| scene.geometry.nodes[n as usize].color);
            nodes[0] * point.shares[0] + nodes[1] * point.shares[1] + nodes[2] * point.shares[2]
        } else if triangle.side == Side::Rim {
            // Cut yarns show what both sides are made of, and more of what is not dyed.
            (0.5 * (material.front + material.back)).lerp(Vec3::ONE, UNDYED)
        } else if point.is_front {
            material.front
        } else {
            material.back
        };
        if material.wireframe {
            color *= 1.0 - WIRE_STRENGTH * self.wire(id, triangle, x, y);
        }
        let light = self.light(pixel, position, point.normal);
        let Woven { normal, brightness } = self.woven(triangle, &point, ray);
        let towards_lamp = scene.towards_lamp;
        tone_map(lit(brightness * color, normal, ray, towards_lamp, light))
    }

    /// The yarns at a place on a triangle.
    fn woven(&self, triangle: &Triangle, point: &SurfacePoint, ray: Vec3) -> Woven {
        let geometry = &self.scene.geometry;
        let plain = Woven {
            normal: point.normal,
            brightness: 1.0,
        };
        let material = &geometry.materials[triangle.surface as usize];
        let Some(yarns) = material.yarns.filter(|_| triangle.side != Side::Rim) else {
            return plain;
        };
        let threads = triangle.threads.map(|place| place * yarns);
        let [a, b, c] = geometry.positions(triangle);
        let ways = [threads[1] - threads[0], threads[2] - threads[0]];
        let Some(directions) = directions([b - a, c - a], ways) else {
            return plain;
        };
        let shares = point.shares;
        let place = threads[0] * shares[0] + threads[1] * shares[1] + threads[2] * shares[2];
        // Seen from the side, a pixel shows more.
        let facing = point.normal.dot(-ray.normalize()).max(0.1);
        let pixel = point.distance / (self.scene.projection.focal * facing);
        woven(point.normal, place, directions, pixel)
    }

    /// How much of a mesh edge is at a place, from 0 to 1.
    fn wire(&self, id: u32, triangle: &Triangle, x: f32, y: f32) -> f32 {
        let shares = self.scene.shares(id);
        let mut wire = 0f32;
        for (plane, outline) in shares.iter().zip(triangle.outline) {
            if outline {
                // A share is linear over the picture, so over its slope it is the way to the edge.
                let pixels = (plane.at(f64::from(x), f64::from(y)) / plane.slope()) as f32;
                wire = wire.max((WIRE_HALF_WIDTH + 0.5 - pixels).clamp(0.0, 1.0));
            }
        }
        // Where faces are only a few pixels high, edges would blacken everything.
        let tallest = |k: usize| {
            let corner = self.scene.corner_nearness(triangle, k);
            (f64::from(corner) / shares[k].slope()) as f32
        };
        let height = tallest(0).min(tallest(1)).min(tallest(2));
        wire * ((height - 1.5) / 4.5).clamp(0.0, 1.0)
    }
}

/// The light that a surface sends to the eye.
fn lit(color: Vec3, normal: Vec3, ray: Vec3, towards_lamp: Vec3, light: Light) -> Vec3 {
    let facing = normal.dot(towards_lamp);
    let direct = ((facing + WRAP) / (1.0 + WRAP)).max(0.0);
    let through = TRANSLUCENCY * (-facing).max(0.0);
    let up = 0.5 + 0.5 * normal.z;
    let towards_eye = normal.dot(-ray.normalize()).clamp(0.0, 1.0);
    let ambient = (BOUNCE.lerp(SKY, up) + FILL * towards_eye) * light.sky;
    // A wide lamp is partly hidden, too, where most of the sky is.
    let lamp = LAMP * light.lamp * (0.75 + 0.25 * light.sky);
    // Light that comes through a fold has taken on the colour once more.
    let coloured = color * (lamp * direct + ambient) + color * color * lamp * through;
    let sheen = SHEEN * (1.0 - towards_eye).powi(3) * (0.3 + 0.7 * color);
    coloured + sheen * (ambient + 0.5 * lamp * direct)
}
