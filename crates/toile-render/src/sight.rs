//! What every pixel sees and how far away it is: what a depth camera gives, and a label for each pixel.

use crate::camera::Camera;
use crate::draw::ground_plane;
use crate::picture::{Picture, Quality, Size};
use crate::projection::Projection;
use crate::raster::{GROUND, NOTHING, rasterise};
use crate::scene::Scene;

/// What a pixel sees in its middle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// Nothing: the background.
    Nothing,
    /// The ground.
    Ground,
    /// A surface, by its number in the picture.
    Surface(u32),
}

/// What every pixel of a picture sees, row after row from the top.
#[derive(Clone, Debug, PartialEq)]
pub struct Sight {
    /// Width (pixels).
    pub width: u32,
    /// Height (pixels).
    pub height: u32,
    /// What is seen.
    pub seen: Vec<Seen>,
    /// How far away it is along the line of sight, not along the ray (m); infinite where nothing is.
    pub distances: Vec<f32>,
}

/// Looks at a picture through the middle of every pixel. Sizes above [`Size::LARGEST`] are brought down to it.
pub fn sight(picture: &Picture, camera: &Camera, size: Size) -> Sight {
    let size = size.limited();
    let pixels = size.width as usize * size.height as usize;
    let mut sight = Sight {
        width: size.width,
        height: size.height,
        seen: vec![Seen::Nothing; pixels],
        distances: vec![f32::INFINITY; pixels],
    };
    let Some(projection) = Projection::new(camera, size).filter(|_| pixels > 0) else {
        return sight;
    };
    let scene = Scene::new(picture, projection, size, Quality::DRAFT);
    let visibility = rasterise(&scene.primitives, scene.size, 1, ground_plane(&scene));
    let samples = visibility.ids.iter().zip(&visibility.nearness);
    let pixels = sight.seen.iter_mut().zip(&mut sight.distances);
    for ((&id, &nearness), (seen, distance)) in samples.zip(pixels) {
        *seen = match id {
            NOTHING => continue,
            GROUND => Seen::Ground,
            id => Seen::Surface(scene.geometry.triangles[id as usize].surface),
        };
        *distance = 1.0 / nearness;
    }
    sight
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::Surface;
    use glam::Vec3;
    use toile::mesh::Face;

    const SIZE: Size = Size {
        width: 40,
        height: 30,
    };

    /// From 5 m above, straight down, with `y` up in the picture.
    fn above() -> Camera {
        Camera {
            eye: Vec3::new(0.0, 0.0, 5.0),
            target: Vec3::ZERO,
            up: Vec3::Y,
            vertical_fov: 0.5,
            near: 0.01,
        }
    }

    fn square(half: f32, height: f32) -> Vec<Vec3> {
        let corner = |x: f32, y: f32| Vec3::new(x * half, y * half, height);
        vec![
            corner(-1.0, -1.0),
            corner(1.0, -1.0),
            corner(1.0, 1.0),
            corner(-1.0, 1.0),
        ]
    }

    #[test]
    fn distances_are_along_the_line_of_sight_and_surfaces_have_their_numbers() {
        let faces = [Face::Quad([0, 1, 2, 3])];
        let picture = Picture {
            surfaces: vec![
                Surface::new(square(2.0, 1.0), &faces, [1.0; 3]),
                Surface::new(square(0.3, 2.0), &faces, [1.0; 3]),
            ],
            ..Picture::default()
        };
        let sight = sight(&picture, &above(), SIZE);
        let middle = 15 * 40 + 20;
        assert_eq!(sight.seen[middle], Seen::Surface(1));
        assert!((sight.distances[middle] - 3.0).abs() < 1e-4);
        // A corner of the picture sees the lower one, at the same distance as if it were in the middle.
        assert_eq!(sight.seen[0], Seen::Surface(0));
        assert!((sight.distances[0] - 4.0).abs() < 1e-4);
    }

    #[test]
    fn the_ground_is_at_its_distance_and_the_background_nowhere() {
        let ground = Picture {
            ground: Some(1.0),
            ..Picture::default()
        };
        let seen = sight(&ground, &above(), SIZE);
        assert_eq!(seen.seen[777], Seen::Ground);
        assert!((seen.distances[777] - 4.0).abs() < 4.0 * 1e-3);
        let nothing = sight(&Picture::default(), &above(), SIZE);
        assert!(nothing.seen.iter().all(|s| *s == Seen::Nothing));
        assert!(nothing.distances.iter().all(|d| d.is_infinite()));
        let empty = sight(
            &ground,
            &above(),
            Size {
                width: 0,
                height: 9,
            },
        );
        assert!(empty.seen.is_empty());
    }
}
