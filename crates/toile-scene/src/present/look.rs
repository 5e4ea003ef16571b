//! What a camera in the scene sees at a moment: colours, distances, and what is where.

use super::{PictureStyle, staged};
use crate::recording::{RecordedFrame, origin_of};
use crate::scene::World;
use glam::Vec3;
use toile::state::State;
use toile_render::{Camera, Image, Seen, View, draw, sight};

/// What a pixel shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// The background.
    Nothing,
    /// A cloth, by its number in the scene.
    Cloth(usize),
    /// A body, by its number in the scene.
    Body(usize),
}

/// A moment as a camera sees it, row after row from the top.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// Colours, if they were asked for.
    pub image: Option<Image>,
    /// Distance along the line of sight in the middle of each pixel (m), infinite in the background; empty if not asked for.
    pub distances: Vec<f32>,
    /// What is there; empty if not asked for.
    pub labels: Vec<Label>,
}

impl World {
    /// A state as recordings have it.
    pub fn frame(&self, state: &State) -> RecordedFrame {
        RecordedFrame {
            time: state.time,
            poses: self.body_poses(state),
            positions: state.positions.clone(),
            velocities: state.velocities.clone(),
        }
    }
}

/// The camera of the scene's own settings, which holds the start of the cloth in view. Its places are those of the world.
pub fn start_camera(world: &World, style: &PictureStyle) -> Camera {
    let positions = &world.state.positions;
    let origin = origin_of(positions);
    let view = View {
        azimuth: style.camera.azimuth.to_radians() as f32,
        elevation: style.camera.elevation.to_radians() as f32,
        zoom: style.camera.zoom as f32,
    };
    let points = positions.iter().map(|&p| (p - origin).as_vec3());
    let camera = Camera::framing(points, view, style.size.aspect());
    moved(&camera, origin.as_vec3())
}

/// Looks at a state of a scene through a camera, whose places are those of the world. Colours and distances are made if asked for.
pub fn look(
    world: &World,
    state: &State,
    camera: &Camera,
    style: &PictureStyle,
    [colors, depth]: [bool; 2],
) -> Look {
    let frame = world.frame(state);
    // Far from zero single precision is too coarse; what is near the eye counts.
    let origin = origin_of(&frame.positions);
    let camera = moved(camera, -origin.as_vec3());
    let tracks = (&world.cloth_tracks[..], &world.body_tracks[..]);
    staged(tracks, &frame, origin, style, |scene| {
        let image = colors.then(|| draw(scene, &camera, style.size, style.quality));
        let seen = depth.then(|| sight(scene, &camera, style.size));
        let (seen, distances) = seen.map_or_else(Default::default, |s| (s.seen, s.distances));
        Look {
            image,
            distances,
            labels: seen.into_iter().map(|seen| label(world, seen)).collect(),
        }
    })
}

fn label(world: &World, seen: Seen) -> Label {
    let cloths = world.cloth_tracks.len();
    match seen {
        Seen::Nothing => Label::Nothing,
        Seen::Surface(k) if (k as usize) < cloths => Label::Cloth(k as usize),
        Seen::Surface(k) => Label::Body(k as usize - cloths),
        Seen::Ground => {
            let mut bodies = world.body_tracks.iter();
            let ground = bodies.position(|b| b.ground_height.is_some());
            ground.map_or(Label::Nothing, Label::Body)
        }
    }
}

fn moved(camera: &Camera, by: Vec3) -> Camera {
    Camera {
        eye: camera.eye + by,
        target: camera.target + by,
        ..*camera
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{SceneSource, resolve};
    use toile_render::Size;

    const SCENE: &str = "
[cloth.sheet]
mesh.grid = { size = [1, 1], cells = [4, 4] }
place = { at = [100, 0, 0.5] }
[body.floor]
shape = \"plane\"
[body.ball]
shape.sphere = { radius = 0.2 }
place = { at = [100, 0, 1] }
";

    #[test]
    fn a_camera_sees_cloth_bodies_and_ground_at_their_distances() {
        let source = SceneSource {
            name: "seen".into(),
            text: SCENE.into(),
            folder: Default::default(),
            overrides: Vec::new(),
        };
        let world = resolve(&source, source.parse().unwrap()).unwrap();
        let style = PictureStyle {
            size: Size {
                width: 61,
                height: 61,
            },
            ..PictureStyle::default()
        };
        let camera = Camera {
            eye: Vec3::new(100.0, 0.0, 4.0),
            target: Vec3::new(100.0, 0.0, 0.0),
            up: Vec3::Y,
            vertical_fov: 0.8,
            near: 0.01,
        };
        let seen = look(&world, &world.state, &camera, &style, [true, true]);
        let at = |x: usize, y: usize| (seen.labels[61 * y + x], seen.distances[61 * y + x]);
        let names: Vec<&str> = world.body_frames.iter().map(|b| b.name.as_str()).collect();
        let body = |name| Label::Body(names.iter().position(|n| *n == name).unwrap());
        let (label, distance) = at(30, 30);
        assert_eq!(label, body("ball"));
        assert!((distance - 2.8).abs() < 5e-3, "{distance}");
        let (label, distance) = at(38, 30);
        assert_eq!(label, Label::Cloth(0));
        assert!((distance - 3.5).abs() < 5e-3, "{distance}");
        let (label, distance) = at(2, 2);
        assert_eq!(label, body("floor"));
        assert!((distance - 4.0).abs() < 5e-3, "{distance}");
        assert_eq!(seen.image.map(|i| (i.width, i.height)), Some((61, 61)));
        let blind = look(&world, &world.state, &camera, &style, [false, false]);
        assert!(blind.image.is_none() && blind.distances.is_empty() && blind.labels.is_empty());
    }

    #[test]
    fn the_camera_of_the_start_holds_the_cloth_wherever_it_is() {
        let source = SceneSource {
            name: "far".into(),
            text: SCENE.into(),
            folder: Default::default(),
            overrides: Vec::new(),
        };
        let world = resolve(&source, source.parse().unwrap()).unwrap();
        let style = PictureStyle::default();
        let camera = start_camera(&world, &style);
        assert!(camera.target.distance(Vec3::new(100.0, 0.0, 0.5)) < 0.3);
        let seen = look(&world, &world.state, &camera, &style, [false, true]);
        let cloth = seen.labels.iter().filter(|l| **l == Label::Cloth(0));
        assert!(cloth.count() > 5000);
    }
}
