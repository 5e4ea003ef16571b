//! Pictures of specimens.

use crate::plot::draw_line;
use glam::{DVec2, DVec3, Vec2, Vec3};
use std::f64::consts::TAU;
use toile::mesh::Face;
use toile::state::State;
use toile_render::{
    Anchor, Camera, Image, Picture, Quality, Rgb, Size, Surface, TextStyle, View, draw,
};
use toile_scene::present::cloth_surface;
use toile_scene::scene::World;

const SIZE: Size = Size {
    width: 640,
    height: 480,
};
const PAPER: Rgb = [1.0, 1.0, 1.0];
const CLOTH: Rgb = [0.80, 0.87, 0.94];
const INK: Rgb = [0.00, 0.37, 0.66];
const GREY: Rgb = [0.55, 0.56, 0.58];

/// The triangles of all cloths, seen from above. A quad is two of them.
pub(super) fn from_above(world: &World, positions: &[DVec3]) -> Vec<[DVec2; 3]> {
    let mut seen = Vec::new();
    for cloth in &world.cloth_tracks {
        let place = |node: u32| positions[cloth.first_node + node as usize].truncate();
        let triangles = cloth.faces.iter().flat_map(Face::triangles);
        seen.extend(triangles.map(|t| t.map(place)));
    }
    seen
}

/// The specimen at rest, with bodies, and perhaps a round table of this radius under it.
pub(super) fn perspective(world: &World, state: &State, table: Option<f64>) -> Image {
    let view = View {
        elevation: 30f32.to_radians(),
        ..View::default()
    };
    seen(world, state, table, view)
}

/// A flat specimen from straight above.
pub(super) fn from_top(world: &World, state: &State) -> Image {
    let view = View {
        azimuth: (-90f32).to_radians(),
        elevation: 90f32.to_radians(),
        ..View::default()
    };
    seen(world, state, None, view)
}

fn seen(world: &World, state: &State, table: Option<f64>, view: View) -> Image {
    let mut surfaces = Vec::new();
    let points: Vec<Vec3> = state.positions.iter().map(|p| p.as_vec3()).collect();
    let cloths = world.cloth_tracks.iter();
    surfaces.extend(cloths.map(|cloth| cloth_surface(cloth, &points)));
    for (body, track) in world.body_frames.iter().zip(&world.body_tracks) {
        let pose = body.pose(&world.model, state.time);
        let place = |p: &DVec3| pose.apply(*p).as_vec3();
        let positions: Vec<Vec3> = track.positions.iter().map(place).collect();
        surfaces.push(Surface {
            smooth: track.smooth,
            ..Surface::new(positions, &track.faces, track.color)
        });
    }
    let fan: Vec<Face> = (1..97).map(|k| Face::Tri([0, k, k + 1])).collect();
    if let Some(radius) = table {
        let rim = |k: u32| {
            let (sin, cos) = (TAU * f64::from(k) / 96.0).sin_cos();
            DVec3::new(radius * cos, radius * sin, -1e-4).as_vec3()
        };
        let positions: Vec<Vec3> = std::iter::once(Vec3::ZERO)
            .chain((0..97).map(rim))
            .collect();
        surfaces.push(Surface::new(positions, &fan, [0.62, 0.64, 0.68]));
    }
    let camera = Camera::framing(points.iter().copied(), view, SIZE.aspect());
    let picture = Picture {
        surfaces,
        ..Picture::default()
    };
    draw(&picture, &camera, SIZE, Quality::default())
}

/// The shadow of the specimen, its outline `r(φ)`, and two circles.
pub(super) fn profile(
    triangles: &[[DVec2; 3]],
    outline: &[f64],
    circles: [f64; 2],
    label: &str,
) -> Image {
    let side = 640;
    let mut image = Image::filled(side, side, PAPER);
    let scale = 0.46 * f64::from(side) / circles[1].max(1e-9);
    let middle = 0.5 * f64::from(side);
    let place = |p: DVec2| Vec2::new((middle + scale * p.x) as f32, (middle - scale * p.y) as f32);
    for triangle in triangles {
        fill(&mut image, triangle.map(place));
    }
    let ring = |radius: &dyn Fn(usize) -> f64, count: usize| -> Vec<Vec2> {
        let corner = |k: usize| {
            let angle = TAU * k as f64 / count as f64;
            place(radius(k % count) * DVec2::from_angle(angle))
        };
        (0..=count).map(corner).collect()
    };
    for radius in circles {
        draw_line(&mut image, &ring(&|_| radius, 180), 1.2, GREY, true);
    }
    let curve = ring(&|k| outline[k], outline.len());
    draw_line(&mut image, &curve, 2.2, INK, false);
    image.write(label, 14.0, 28.0, Anchor::Left, &TextStyle::default());
    image
}

/// Fills a triangle, pixel by pixel.
fn fill(image: &mut Image, corners: [Vec2; 3]) {
    let [a, b, c] = corners;
    let low = a.min(b).min(c).floor();
    let high = a.max(b).max(c).ceil();
    for row in low.y as i64..high.y as i64 {
        for column in low.x as i64..high.x as i64 {
            let p = Vec2::new(column as f32 + 0.5, row as f32 + 0.5);
            let sides = [(a, b), (b, c), (c, a)].map(|(s, t)| (t - s).perp_dot(p - s));
            let inside = sides.iter().all(|&s| s >= 0.0) || sides.iter().all(|&s| s <= 0.0);
            if inside {
                image.blend(column, row, CLOTH, 1.0);
            }
        }
    }
}
