//! From a picture to an image: the outline of the whole work.

use crate::camera::Camera;
use crate::color::Encoder;
use crate::image::Image;
use crate::parallel::for_each_piece;
use crate::picture::{Picture, Quality, Size};
use crate::projection::Projection;
use crate::raster::{Plane, Visibility, rasterise};
use crate::reach::Reach;
use crate::scene::Scene;
use crate::shade::{Shader, background_rows};
use glam::Vec3;

/// The ground gives way to what lies on it: it is taken to be this much further away than it is.
const GROUND_BEHIND: f64 = 5e-4;

/// Draws a picture as a camera sees it. Sizes above [`Size::LARGEST`] are brought down to it.
///
/// ```
/// use toile_render::{Camera, Picture, Quality, Size, draw};
/// let size = Size { width: 32, height: 24 };
/// let image = draw(&Picture::default(), &Camera::default(), size, Quality::default());
/// assert_eq!(image.rgb.len(), 32 * 24 * 3);
/// ```
pub fn draw(picture: &Picture, camera: &Camera, size: Size, quality: Quality) -> Image {
    let size = size.limited();
    let mut image = Image::filled(size.width, size.height, picture.background.top);
    if size.width == 0 || size.height == 0 {
        return image;
    }
    let Some(projection) = Projection::new(camera, size) else {
        return image;
    };
    let scene = Scene::new(picture, projection, size, quality);
    let ground = ground_plane(&scene);
    let supersampling = quality.supersampling.clamp(1, 4);
    let visibility = rasterise(&scene.primitives, scene.size, supersampling, ground);
    let detailed = quality.ambient_occlusion || scene.shadow_map.is_some();
    let shader = Shader {
        scene: &scene,
        reach: detailed.then(|| Reach::new(&scene, &visibility)),
        background: background_rows(&scene, &picture.background),
    };
    let encoder = Encoder::new();
    for_each_piece(&mut image.rgb, 3 * size.width as usize, |row, bytes| {
        for (column, pixel) in bytes.chunks_mut(3).enumerate() {
            let light = resolve(&shader, &visibility, [column, row]);
            pixel.copy_from_slice(&encoder.encode(light));
        }
    });
    image
}

/// One over the distance of the ground, as it counts against what lies on it.
pub(crate) fn ground_plane(scene: &Scene) -> Option<Plane> {
    scene.ground.as_ref().map(|(_, plane)| Plane {
        x: plane.x * (1.0 - GROUND_BEHIND),
        y: plane.y * (1.0 - GROUND_BEHIND),
        constant: plane.constant * (1.0 - GROUND_BEHIND),
    })
}

/// The mean of a pixel's samples. What several samples see is shaded once, in their middle.
fn resolve(shader: &Shader, visibility: &Visibility, pixel: [usize; 2]) -> Vec3 {
    let samples = visibility.offsets.len();
    let width = shader.scene.size[0] as usize;
    let first = (pixel[1] * width + pixel[0]) * samples;
    let ids = &visibility.ids[first..first + samples];
    if ids.iter().all(|id| *id == ids[0]) {
        let (x, y) = (pixel[0] as f32 + 0.5, pixel[1] as f32 + 0.5);
        return shader.color(ids[0], pixel, x, y);
    }
    let mut light = Vec3::ZERO;
    for (s, &id) in ids.iter().enumerate() {
        if ids[..s].contains(&id) {
            continue;
        }
        let mut place = [0.0f32; 2];
        let mut count = 0.0;
        for (offset, _) in visibility
            .offsets
            .iter()
            .zip(ids)
            .filter(|(_, i)| **i == id)
        {
            place[0] += offset[0];
            place[1] += offset[1];
            count += 1.0;
        }
        let x = pixel[0] as f32 + place[0] / count;
        let y = pixel[1] as f32 + place[1] / count;
        light += count * shader.color(id, pixel, x, y);
    }
    light / samples as f32
}
