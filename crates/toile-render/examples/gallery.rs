//! Draws a few pieces of cloth, made up from formulas and not simulated, into a folder:
//!
//! ```text
//! cargo run --release --package toile-render --example gallery -- FOLDER
//! ```

use glam::Vec3;
use std::error::Error;
use std::f32::consts::{PI, TAU};
use std::path::{Path, PathBuf};
use toile::mesh::Face;
use toile_render::{
    Camera, ColorBar, Image, Picture, Quality, Size, Surface, View, animated_png, contact_sheet,
    draw, heat,
};

const SIZE: Size = Size {
    width: 960,
    height: 720,
};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).map(PathBuf::from);
    let folder = folder.ok_or("name the folder to draw into")?;
    std::fs::create_dir_all(&folder)?;
    save(&folder, "drape.png", &drape(SIZE))?;
    save(&folder, "curtain.png", &curtain(0.0, SIZE))?;
    save(&folder, "patch.png", &patch(SIZE))?;
    let small = Size {
        width: 360,
        height: 270,
    };
    let times = [0.0, 0.25, 0.5, 0.75, 1.0, 1.25];
    let labelled = times.map(|t| (curtain(t, small), format!("t = {t:.2} s")));
    save(&folder, "sheet.png", &contact_sheet(&labelled, 3))?;
    let frames: Vec<Image> = (0..30).map(|i| curtain(i as f32 / 20.0, small)).collect();
    std::fs::write(
        folder.join("curtain-moving.png"),
        animated_png(&frames, 20.0)?,
    )?;
    Ok(())
}

fn save(folder: &Path, name: &str, image: &Image) -> Result<(), Box<dyn Error>> {
    std::fs::write(folder.join(name), image.encode_png()?)?;
    Ok(())
}

/// A square sheet over a ball on the ground.
fn drape(size: Size) -> Image {
    let (ball, ball_faces) = sphere(Vec3::new(0.0, 0.0, 0.5), 0.5);
    let cells = 130;
    let (sheet, faces) = grid(cells, cells, |u, v| {
        draped(1.94 * (u - 0.5), 1.94 * (v - 0.5))
    });
    let picture = Picture {
        surfaces: vec![
            Surface {
                back: [0.93, 0.80, 0.66],
                ..Surface::new(sheet.clone(), &faces, [0.74, 0.27, 0.24])
            },
            Surface::new(ball, &ball_faces, [0.35, 0.38, 0.42]),
        ],
        ground: Some(0.0),
        ..Picture::default()
    };
    let camera = Camera::framing(sheet.into_iter(), View::default(), size.aspect());
    draw(&picture, &camera, size, Quality::FINE)
}

/// Where a point of the flat sheet comes to lie: along the ball, then down in folds, then out over the
/// ground.
fn draped(x: f32, y: f32) -> Vec3 {
    let middle = Vec3::new(0.0, 0.0, 0.5);
    let radius = 0.508;
    let contact = 1.25;
    let leave = radius * contact;
    let along = x.hypot(y);
    let around = y.atan2(x);
    let fold = 0.5 + 0.5 * (12.0 * around + PI + 0.5 * (around + 1.0).sin()).cos();
    let (mut out, mut height) = (0.0, middle.z + radius);
    let steps = 200;
    let step = along / steps as f32;
    for k in 0..steps {
        let here = (k as f32 + 0.5) * step;
        let turn = smooth((here - leave) / 0.2);
        let hanging_slope = 1.62 - 0.24 * fold * smooth((here - leave) / 0.5);
        let mut slope = (here / radius).min(contact);
        slope += (hanging_slope - slope) * turn;
        // Near the ground it turns outwards.
        slope *= smooth((height - 0.012) / 0.16);
        out += step * slope.cos();
        height -= step * slope.sin();
    }
    let hanging = smooth((along - leave) / 0.65);
    out += 0.12 * hanging * (fold - 0.3);
    let lifted = height + 0.05 * hanging * fold * smooth((0.2 - height) / 0.2);
    let around = around + 0.018 * hanging * (24.0 * around).sin();
    let point = Vec3::new(out * around.cos(), out * around.sin(), lifted);
    // Nothing is inside of the ball.
    let from_middle = point - middle;
    middle + from_middle * (radius / from_middle.length()).max(1.0)
}

/// A curtain on a rod, a little further in its swing at every time (s).
fn curtain(time: f32, size: Size) -> Image {
    let (rod, rod_faces) = grid(24, 2, |u, v| {
        let (sin, cos) = (TAU * u).sin_cos();
        Vec3::new(2.7 * (v - 0.5), 0.022 * cos, 2.0 + 0.022 * sin)
    });
    let (cloth, faces) = grid(220, 120, |u, v| hanging(u, v, time));
    let picture = Picture {
        surfaces: vec![
            Surface {
                back: [0.80, 0.77, 0.66],
                ..Surface::new(cloth, &faces, [0.25, 0.50, 0.55])
            },
            Surface::new(rod.clone(), &rod_faces, [0.45, 0.33, 0.22]),
        ],
        ground: Some(0.0),
        ..Picture::default()
    };
    let framed = rod
        .into_iter()
        .chain([Vec3::new(-1.1, -0.5, 0.0), Vec3::new(1.1, -0.5, 0.0)]);
    let view = View {
        azimuth: -1.95,
        elevation: 0.16,
        zoom: 1.0,
    };
    let camera = Camera::framing(framed, view, size.aspect());
    draw(&picture, &camera, size, Quality::FINE)
}

fn hanging(u: f32, v: f32, time: f32) -> Vec3 {
    let down = 1.0 - v;
    let folds = TAU * 9.0 * (u + 0.018 * (5.0 * u).sin() * down);
    let depth = 0.03 + 0.035 * smooth(1.4 * down) * (1.0 + 0.5 * (11.0 * u + 2.0).sin());
    let wave = (2.0 * u - 2.6 * time * TAU / 1.5 + 1.2 * down).sin();
    let swing = 0.16 * down.powi(2) * wave;
    let x = 2.3 * (u - 0.5) + 0.022 * (2.0 * folds).sin() * (0.3 + 0.7 * down);
    let lift = 0.05 * down * swing.abs() + 0.012 * (folds + 0.7).cos() * down;
    Vec3::new(x, depth * folds.cos() + swing, 2.0 - 1.93 * down + lift)
}

/// A patch of quads, coloured by how steep it is.
fn patch(size: Size) -> Image {
    let shape = |u: f32, v: f32| {
        let (x, y) = (2.0 * u - 1.0, 2.0 * v - 1.0);
        let bump = 0.42 * (-3.5 * (x * x + y * y)).exp();
        Vec3::new(x, y, 0.3 + bump + 0.09 * (PI * x).sin() * (PI * y).cos())
    };
    let (positions, faces) = grid(28, 28, shape);
    let steepness = |u: f32, v: f32| {
        let along = (shape(u + 0.01, v) - shape(u - 0.01, v)) / 0.04;
        let across = (shape(u, v + 0.01) - shape(u, v - 0.01)) / 0.04;
        along.cross(across).length() - 1.0
    };
    let (values, _) = grid(28, 28, |u, v| Vec3::splat(steepness(u, v)));
    let colors: Vec<_> = values.iter().map(|value| heat(value.x / 0.30)).collect();
    let picture = Picture {
        surfaces: vec![Surface {
            node_colors: Some(&colors),
            wireframe: true,
            ..Surface::new(positions.clone(), &faces, [0.5; 3])
        }],
        ground: Some(0.0),
        ..Picture::default()
    };
    let view = View {
        elevation: 0.52,
        zoom: 0.85,
        ..View::default()
    };
    let mut camera = Camera::framing(positions.into_iter(), view, size.aspect());
    // Room for the colour bar on the right.
    let aside = 0.32 * Vec3::new(-view.azimuth.sin(), view.azimuth.cos(), 0.0);
    camera.eye += aside;
    camera.target += aside;
    let mut image = draw(&picture, &camera, size, Quality::FINE);
    ColorBar::new("area strain (%)", heat, 0.0, 30.0).paint(&mut image);
    image
}

/// A grid of quads over the unit square.
fn grid(columns: u32, rows: u32, place: impl Fn(f32, f32) -> Vec3) -> (Vec<Vec3>, Vec<Face>) {
    let nodes = (0..=rows).flat_map(|j| (0..=columns).map(move |i| (i, j)));
    let positions = nodes
        .map(|(i, j)| place(i as f32 / columns as f32, j as f32 / rows as f32))
        .collect();
    let cells = (0..rows).flat_map(|j| (0..columns).map(move |i| (i, j)));
    let faces = cells
        .map(|(i, j)| {
            let first = j * (columns + 1) + i;
            let above = first + columns + 1;
            Face::Quad([first, first + 1, above + 1, above])
        })
        .collect();
    (positions, faces)
}

fn sphere(middle: Vec3, radius: f32) -> (Vec<Vec3>, Vec<Face>) {
    grid(64, 32, |u, v| {
        let (sin, cos) = (TAU * u).sin_cos();
        let (ring, height) = (PI * (v - 1.0)).sin_cos();
        middle - radius * Vec3::new(ring * cos, ring * sin, -height)
    })
}

/// From 0 to 1 without corners.
fn smooth(t: f32) -> f32 {
    let t = t.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}
