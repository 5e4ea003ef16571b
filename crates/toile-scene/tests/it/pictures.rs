//! What pictures hold in view, and what they say.

use glam::{DQuat, DVec3};
use std::path::PathBuf;
use toile::mesh::Face;
use toile_render::{Camera, Image};
use toile_scene::present::{PictureStyle, camera, picture, read_frames, stretch_range};
use toile_scene::recording::{BodyPose, BodyTrack, ClothTrack, Recording, RecordingWriter};

struct File(PathBuf);

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// A square of 1 m at the height 0, which is stretched by `stretch` from one frame to the next, and bodies: whether each moves, and its
/// nodes.
fn recording(name: &str, stretch: f64, bodies: &[(bool, Vec<DVec3>)]) -> (File, Recording) {
    let path = std::env::temp_dir().join(format!("toile-pictures-{name}-{}", std::process::id()));
    let file = File(path);
    let cloth = ClothTrack {
        name: "sheet".into(),
        first_node: 0,
        node_count: 4,
        faces: vec![Face::Quad([0, 1, 2, 3])],
        rest_areas: vec![1.0],
        edges: vec![[0, 1], [1, 2], [2, 3], [0, 3]],
        rest_lengths: vec![1.0; 4],
        thickness: 0.002,
        colors: [[0.8, 0.1, 0.1]; 2],
        attributes: Default::default(),
    };
    let tracks: Vec<BodyTrack> = bodies
        .iter()
        .enumerate()
        .map(|(k, (_, positions))| BodyTrack {
            name: format!("body {k}"),
            positions: positions.clone(),
            morph: None,
            faces: vec![Face::Tri([0, 1, 2])],
            smooth: false,
            ground_height: None,
            color: [0.5; 3],
            attributes: Default::default(),
        })
        .collect();
    let mut writer = RecordingWriter::create(&file.0, name, 25.0, &[cloth], &tracks).unwrap();
    for frame in 0..2 {
        let size = 1.0 + f64::from(frame) * stretch;
        let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        let positions = corners.map(|[x, y]| size * DVec3::new(x, y, 0.0));
        let pose = |(moves, _): &(bool, Vec<DVec3>)| BodyPose {
            translation: match moves {
                true => DVec3::new(f64::from(frame), 0.0, 0.0),
                false => DVec3::ZERO,
            },
            rotation: DQuat::IDENTITY,
        };
        let poses: Vec<BodyPose> = bodies.iter().map(pose).collect();
        writer
            .push(0.04 * f64::from(frame), &poses, &positions, &[])
            .unwrap();
    }
    let recording = Recording::open(&file.0).unwrap();
    (file, recording)
}

fn view(recording: &Recording) -> Camera {
    let frames = read_frames(recording, &[0, 1]).unwrap();
    camera(recording, &frames, &PictureStyle::default())
}

fn triangle(at: DVec3) -> Vec<DVec3> {
    [DVec3::ZERO, DVec3::X, DVec3::Y]
        .map(|p| at + 0.05 * p)
        .to_vec()
}

#[test]
fn cloth_and_moving_bodies_are_held_in_view_and_standing_ones_near_it() {
    let far = triangle(DVec3::new(3.0, 0.5, 0.0));
    let (_a, alone) = recording("alone", 0.0, &[]);
    let (_b, standing) = recording("standing", 0.0, &[(false, far.clone())]);
    let (_c, near) = recording("near", 0.0, &[(false, triangle(DVec3::new(1.1, 0.5, 0.0)))]);
    let (_d, moving) = recording("moving", 0.0, &[(true, far)]);
    let distance = |r: &Recording| {
        let camera = view(r);
        camera.eye.distance(camera.target)
    };
    let [alone, standing, near, moving] = [&alone, &standing, &near, &moving].map(distance);
    assert_eq!(alone, standing);
    assert!(near > 1.02 * alone, "{near} {alone}");
    assert!(moving > 2.0 * alone, "{moving} {alone}");
}

#[test]
fn the_colour_scale_ends_at_the_round_number_above_what_there_is() {
    let (_a, stretched) = recording("stretched", 0.0173, &[]);
    let frames = read_frames(&stretched, &[0, 1]).unwrap();
    assert_eq!(stretch_range(&stretched, &frames), 0.02);
    let (_b, still) = recording("still", 0.0, &[]);
    let frames = read_frames(&still, &[0, 1]).unwrap();
    assert_eq!(stretch_range(&still, &frames), 1e-4);
}

#[test]
fn a_legend_names_the_cloth_beside_its_colour() {
    let (_file, one) = recording("legend", 0.0, &[]);
    let frames = read_frames(&one, &[0]).unwrap();
    let draw = |legend: bool| -> Image {
        let style = PictureStyle {
            legend,
            ..PictureStyle::default()
        };
        picture(&one, &frames[0], &view(&one), &style)
    };
    let (plain, named) = (draw(false), draw(true));
    let differing: Vec<usize> = (0..plain.rgb.len() / 3)
        .filter(|k| plain.rgb[3 * k..3 * k + 3] != named.rgb[3 * k..3 * k + 3])
        .collect();
    // A square of the cloth's colour and a word, all in the corner.
    let swatch = |k: &&usize| named.rgb[3 * **k..3 * **k + 3] == [204, 26, 26];
    assert!(differing.iter().filter(swatch).count() > 50);
    assert!(differing.len() > 150);
    let width = plain.width as usize;
    assert!(differing.iter().all(|k| k % width < 150 && k / width < 40));
}

#[test]
fn the_thickness_of_cloth_is_in_the_file_and_in_the_picture() {
    let (_file, one) = recording("thick", 0.0, &[]);
    assert_eq!(one.cloths()[0].thickness, 0.002);
    let frames = read_frames(&one, &[0]).unwrap();
    let edge_on = Camera {
        eye: glam::Vec3::new(0.5, -0.06, 0.0) - one.origin().as_vec3(),
        target: glam::Vec3::new(0.5, 0.5, 0.0) - one.origin().as_vec3(),
        near: 0.01,
        ..Camera::default()
    };
    let image = picture(&one, &frames[0], &edge_on, &PictureStyle::default());
    let column = image.width as usize / 2;
    let reds = (0..image.height as usize).filter(|row| {
        let at = 3 * (row * image.width as usize + column);
        image.rgb[at] as i32 - image.rgb[at + 1] as i32 > 40
    });
    // 2 mm at 6 cm, where 480 pixels show 0.55 rad.
    let expected = 0.002 / 0.06 * 480.0 / (2.0 * (0.275f64).tan());
    let rows = reds.count() as f64;
    assert!((rows - expected).abs() < 3.0, "{rows} {expected}");
}
