//! A scene as it starts, with what intersects marked.

use super::{PictureStyle, ground_height};
use crate::recording::origin_of;
use crate::scene::World;
use glam::{DVec3, Vec3};
use toile::contact::intersections;
use toile::mesh::Face;
use toile_render::{Camera, Image, Picture, Rgb, Surface, View, draw};

/// The colour of faces that intersect.
const MARKED: Rgb = [1.0, 0.0, 0.75];

/// Draws the start of a world. Faces that intersect others, and those with a node inside a body, are marked.
pub fn start_picture(world: &World, style: &PictureStyle) -> Image {
    let positions = &world.state.positions;
    // Far from zero single precision is too coarse.
    let origin = origin_of(positions);
    let points: Vec<Vec3> = positions.iter().map(|&p| (p - origin).as_vec3()).collect();
    let through = intersections(&world.model, positions).concat();
    let inside = |cloth: usize, node: usize| {
        let bodies = world.model.bodies.iter().enumerate();
        let mut met = bodies.filter(|(b, _)| !world.model.passes.contains(&[cloth, *b]));
        met.any(|(_, body)| body.sample(positions[node], 0.0).distance < 0.0)
    };
    let mut faces = Vec::new();
    let mut first_face = 0;
    for (number, cloth) in world.cloth_tracks.iter().enumerate() {
        let (mut plain, mut marked) = (Vec::new(), Vec::new());
        for (k, face) in cloth.faces.iter().enumerate() {
            let is_through = through.contains(&((first_face + k) as u32));
            let corners = face.corners().iter();
            let mut nodes = corners.map(|&n| cloth.first_node + n as usize);
            if is_through || nodes.any(|n| inside(number, n)) {
                marked.push(*face);
            } else {
                plain.push(*face);
            }
        }
        first_face += cloth.faces.len();
        faces.push((plain, marked));
    }
    let mut surfaces = Vec::new();
    for (cloth, (plain, marked)) in world.cloth_tracks.iter().zip(&faces) {
        let nodes = &points[cloth.first_node..cloth.first_node + cloth.node_count];
        let surface = |faces, [front, back]: [Rgb; 2]| Surface {
            back,
            smooth: false,
            wireframe: true,
            ..Surface::new(nodes, faces, front)
        };
        surfaces.push(surface(plain.as_slice(), cloth.colors));
        surfaces.push(surface(marked.as_slice(), [MARKED; 2]));
    }
    for (body, track) in world.body_frames.iter().zip(&world.body_tracks) {
        let pose = body.pose(&world.model, 0.0);
        let place = |p: &DVec3| (pose.apply(*p) - origin).as_vec3();
        let placed: Vec<Vec3> = track.positions.iter().map(place).collect();
        surfaces.push(Surface {
            smooth: track.smooth,
            ..Surface::new(placed, track.faces.as_slice(), track.color)
        });
    }
    let view = View {
        azimuth: style.camera.azimuth.to_radians() as f32,
        elevation: style.camera.elevation.to_radians() as f32,
        zoom: style.camera.zoom as f32,
    };
    let camera = Camera::framing(points.iter().copied(), view, style.size.aspect());
    let picture = Picture {
        surfaces: surfaces.into_iter().filter(has_faces).collect(),
        ground: ground_height(&world.body_tracks).map(|height| height - origin.z),
        ..Picture::default()
    };
    draw(&picture, &camera, style.size, style.quality)
}

fn has_faces(surface: &Surface) -> bool {
    let faces: &[Face] = surface.faces;
    !faces.is_empty()
}
