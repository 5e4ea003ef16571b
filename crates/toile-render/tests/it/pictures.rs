//! Whole pictures, judged by their pixels.

use glam::Vec3;
use std::f32::consts::FRAC_PI_2;
use toile::mesh::Face;
use toile_render::{Background, Camera, Image, Picture, Quality, Rgb, Size, Surface, View, draw};

const SIZE: Size = Size {
    width: 96,
    height: 96,
};
const QUAD: [Face; 1] = [Face::Quad([0, 1, 2, 3])];

/// A level square of the given half side, its front up.
fn square(half: f32, height: f32) -> Vec<Vec3> {
    [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]
        .map(|[x, y]| Vec3::new(half * x, half * y, height))
        .to_vec()
}

/// Looks down on the origin from a height of 10 m; 2.4 m of the ground around it are seen to each side.
fn from_above() -> Camera {
    Camera {
        eye: Vec3::new(0.0, 0.0, 10.0),
        target: Vec3::ZERO,
        up: Vec3::Y,
        vertical_fov: 2.0 * 0.24f32.atan(),
        near: 0.1,
    }
}

fn picture(surfaces: Vec<Surface>) -> Picture {
    Picture {
        surfaces,
        ground: None,
        background: Background::plain([1.0; 3]),
    }
}

fn pixel(image: &Image, x: u32, y: u32) -> [i32; 3] {
    image.pixel(x, y).unwrap().map(i32::from)
}

fn brightness(image: &Image, x: u32, y: u32) -> i32 {
    pixel(image, x, y).iter().sum()
}

fn is_mostly(color: [i32; 3], channel: usize) -> bool {
    (0..3).all(|k| k == channel || color[channel] > color[k] + 60)
}

#[test]
fn a_square_covers_the_pixels_it_should() {
    let positions = square(1.2, 0.0);
    let surface = Surface::new(&positions, &QUAD, [0.8, 0.1, 0.1]);
    let image = draw(&picture(vec![surface]), &from_above(), SIZE, Quality::DRAFT);
    for y in 0..96 {
        for x in 0..96 {
            // 20 pixels per metre around the middle of the picture.
            let inside = (24..72).contains(&x) && (24..72).contains(&y);
            let color = pixel(&image, x, y);
            assert_eq!(is_mostly(color, 0), inside, "pixel {x}, {y}");
            assert_eq!(color == [255; 3], !inside, "pixel {x}, {y}");
        }
    }
}

#[test]
fn the_nearer_surface_hides_the_farther() {
    let (low, high) = (square(1.5, 0.0), square(0.5, 0.5));
    let red = Surface::new(&low, &QUAD, [0.8, 0.1, 0.1]);
    let green = Surface::new(&high, &QUAD, [0.1, 0.7, 0.1]);
    for surfaces in [vec![red.clone(), green.clone()], vec![green, red]] {
        let image = draw(&picture(surfaces), &from_above(), SIZE, Quality::DRAFT);
        assert!(is_mostly(pixel(&image, 48, 48), 1));
        assert!(is_mostly(pixel(&image, 25, 48), 0));
    }
}

#[test]
fn the_back_has_the_back_color_and_node_colors_go_before_both() {
    let positions = square(1.0, 0.0);
    let turned = [QUAD[0].reversed()];
    let two_sided = |faces| Surface {
        front: [0.1, 0.1, 0.8],
        back: [0.8, 0.1, 0.1],
        ..Surface::new(&positions, faces, [0.0; 3])
    };
    let middle = |surface: Surface| {
        let image = draw(&picture(vec![surface]), &from_above(), SIZE, Quality::DRAFT);
        pixel(&image, 48, 48)
    };
    assert!(is_mostly(middle(two_sided(&QUAD)), 2));
    assert!(is_mostly(middle(two_sided(&turned)), 0));
    let green: Vec<Rgb> = vec![[0.1, 0.7, 0.1]; 4];
    for faces in [&QUAD, &turned] {
        let colored = Surface {
            node_colors: Some(&green),
            ..two_sided(faces)
        };
        assert!(is_mostly(middle(colored), 1));
    }
}

#[test]
fn a_shadow_darkens_the_ground_and_other_surfaces() {
    let (sheet, table) = (square(0.6, 1.0), square(2.0, 0.05));
    let sheet = Surface::new(&sheet, &QUAD, [0.5; 3]);
    let table = Surface::new(&table, &QUAD, [0.6; 3]);
    let on_ground = Picture {
        ground: Some(0.0),
        ..picture(vec![sheet.clone()])
    };
    for scene in [on_ground, picture(vec![sheet, table])] {
        let shaded = draw(&scene, &from_above(), SIZE, Quality::default());
        let plain = Quality {
            shadows: false,
            ..Quality::default()
        };
        let unshaded = draw(&scene, &from_above(), SIZE, plain);
        let places = || (0..96u32).flat_map(|y| (0..96u32).map(move |x| (x, y)));
        let darkest =
            places().map(|(x, y)| brightness(&unshaded, x, y) - brightness(&shaded, x, y));
        assert!(darkest.max() > Some(100), "no shadow to be seen");
        // The sheet itself is above its shadow and not darkened by it.
        assert_eq!(pixel(&shaded, 48, 48), pixel(&unshaded, 48, 48));
    }
}

#[test]
fn folds_get_less_light_than_open_places() {
    // A valley; along each of its two sides only the occlusion changes.
    let positions = vec![
        Vec3::new(-1.0, -2.0, 1.2),
        Vec3::new(0.0, -2.0, 0.0),
        Vec3::new(1.0, -2.0, 1.2),
        Vec3::new(-1.0, 2.0, 1.2),
        Vec3::new(0.0, 2.0, 0.0),
        Vec3::new(1.0, 2.0, 1.2),
    ];
    let faces = [Face::Quad([0, 1, 4, 3]), Face::Quad([1, 2, 5, 4])];
    let surface = Surface {
        smooth: false,
        ..Surface::new(&positions, &faces, [0.6; 3])
    };
    let quality = Quality {
        shadows: false,
        ..Quality::default()
    };
    let image = draw(&picture(vec![surface]), &from_above(), SIZE, quality);
    let (deep, high) = (brightness(&image, 46, 48), brightness(&image, 30, 48));
    assert!(deep + 15 < high, "{deep} {high}");
}

#[test]
fn edges_are_drawn_around_quads_but_not_across() {
    let positions = square(2.0, 0.0);
    let surface = Surface {
        wireframe: true,
        ..Surface::new(&positions, &QUAD, [0.8; 3])
    };
    let image = draw(&picture(vec![surface]), &from_above(), SIZE, Quality::DRAFT);
    let inside = brightness(&image, 30, 48);
    assert_eq!(
        brightness(&image, 48, 48),
        inside,
        "the diagonal is not drawn"
    );
    assert!(brightness(&image, 8, 48) < inside - 60, "the outline is");
}

#[test]
fn the_picture_is_the_same_with_one_thread_and_with_two() {
    let positions: Vec<Vec3> = (0..30 * 30)
        .map(|i| {
            let (x, y) = ((i % 30) as f32 / 15.0 - 1.0, (i / 30) as f32 / 15.0 - 1.0);
            Vec3::new(x, y, 0.4 + 0.2 * (7.0 * x).sin() * (5.0 * y).cos())
        })
        .collect();
    let corners = (0..29 * 29).map(|c| c / 29 * 30 + c % 29);
    let faces: Vec<Face> = corners
        .map(|n| Face::Quad([n, n + 1, n + 31, n + 30]))
        .collect();
    let scene = Picture {
        ground: Some(0.0),
        surfaces: vec![Surface::new(&positions, &faces, [0.2, 0.5, 0.6])],
        ..Picture::default()
    };
    let camera = Camera::framing(positions.iter().copied(), View::default(), SIZE.aspect());
    let image_with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().unwrap();
        pool.install(|| draw(&scene, &camera, SIZE, Quality::default()))
    };
    let one = image_with(1);
    assert_eq!(one, image_with(2));
    assert_eq!(one, image_with(3));
}

#[test]
fn pictures_that_make_no_sense_are_drawn_without_what_cannot_be_drawn() {
    let broken = vec![
        Vec3::NAN,
        Vec3::INFINITY,
        Vec3::splat(1e38),
        Vec3::splat(-1e38),
        Vec3::ZERO,
        Vec3::X,
        Vec3::Y,
    ];
    let faces = [
        Face::Tri([0, 4, 5]),
        Face::Quad([1, 4, 5, 6]),
        Face::Tri([2, 3, 5]),
        Face::Tri([2, 4, 6]),
        Face::Tri([4, 5, 77]),
        Face::Tri([4, 4, 4]),
    ];
    let colors = [[f32::NAN; 3]; 2];
    let surface = Surface {
        node_colors: Some(&colors),
        wireframe: true,
        ..Surface::new(broken.clone(), &faces, [f32::NAN; 3])
    };
    let empty = Surface::new(Vec::new(), &faces, [0.5; 3]);
    let cameras = [
        Camera::framing(broken.into_iter(), View::default(), 1.0),
        Camera::default(),
        Camera {
            eye: Vec3::NAN,
            ..Camera::default()
        },
        Camera {
            target: Camera::default().eye,
            ..Camera::default()
        },
    ];
    for ground in [None, Some(0.0), Some(f64::NAN), Some(1e300)] {
        for camera in &cameras {
            let scene = Picture {
                surfaces: vec![surface.clone(), empty.clone()],
                ground,
                ..Picture::default()
            };
            let image = draw(&scene, camera, SIZE, Quality::FINE);
            assert_eq!(image.rgb.len(), 96 * 96 * 3);
        }
    }
    let nothing = Size {
        width: 0,
        height: 7,
    };
    let image = draw(
        &Picture::default(),
        &Camera::default(),
        nothing,
        Quality::FINE,
    );
    assert!(image.rgb.is_empty());
}

#[test]
fn an_empty_picture_is_the_background() {
    let scene = Picture::default();
    let image = draw(&scene, &Camera::default(), SIZE, Quality::default());
    let top = scene.background.top.map(|c| (c * 255.0) as i32);
    for (shown, wanted) in pixel(&image, 40, 0).into_iter().zip(top) {
        assert!((shown - wanted).abs() <= 2);
    }
}

#[test]
fn an_eye_below_the_ground_does_not_see_it() {
    let positions = square(1.0, 0.5);
    let surface = Surface::new(&positions, &QUAD, [0.1, 0.1, 0.8]);
    let scene = Picture {
        ground: Some(0.0),
        ..picture(vec![surface])
    };
    let view = View {
        elevation: -FRAC_PI_2,
        ..View::default()
    };
    let camera = Camera::framing(positions.iter().copied(), view, 1.0);
    let image = draw(&scene, &camera, SIZE, Quality::default());
    assert!(is_mostly(pixel(&image, 48, 48), 2));
}
