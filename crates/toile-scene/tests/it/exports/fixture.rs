//! A small recording: a cloth of quads, one of triangles, a body that moves, one that rests, and a floor.

use glam::{DQuat, DVec3};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use toile::mesh::Face;
use toile_scene::recording::{BodyPose, BodyTrack, ClothTrack, Morph, Recording, RecordingWriter};

pub const FPS: f64 = 25.0;
pub const FRAMES: usize = 5;

/// A folder of its own that goes away with the test.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("toile-exports-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub fn record(folder: &Folder) -> Recording {
    record_frames(folder, FRAMES, |_, _| {})
}

/// The same frames, with texture coordinates on both cloths, a seam in those of the flag, colours on the table cloth,
/// and a ball that deforms.
pub fn record_painted(folder: &Folder) -> Recording {
    let (mut cloths, mut bodies) = (cloths(), bodies());
    let place = |n: u32| [(n % 3) as f32 * 0.5, (n / 3) as f32 * 0.25];
    let uvs = |face: &Face| std::array::from_fn(|k| place(face.corners()[k]));
    cloths[0].attributes.corner_uvs = Some(cloths[0].faces.iter().map(uvs).collect());
    let shade = |n: u8| [0.0, 1.0, f32::from(n) / 15.0];
    cloths[0].attributes.node_colors = Some((0..9).map(shade).collect());
    cloths[1].attributes.corner_uvs = Some(SEAM.to_vec());
    // One node of the ball moves, until 0.06 s.
    let bulge = |by: f64| -> Vec<[f32; 3]> {
        let mut places = bodies[0].positions.clone();
        places[0].x += by;
        places.iter().map(|p| p.as_vec3().to_array()).collect()
    };
    bodies[0].morph = Some(Morph {
        times: vec![0.0, 0.06],
        frames: vec![bulge(0.0), bulge(0.3)],
    });
    write(folder, FRAMES, |_, _| {}, &cloths, &bodies)
}

/// The flag's second triangle lies elsewhere in the pattern than its first.
pub const SEAM: [[[f32; 2]; 4]; 2] = [
    [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]],
    [[5.0, 0.0], [6.0, 1.0], [5.0, 1.0], [0.0, 0.0]],
];

/// Writes frames, each changed by `spoil` before it is written, and opens them.
pub fn record_frames(
    folder: &Folder,
    frames: usize,
    spoil: impl Fn(usize, &mut [DVec3]),
) -> Recording {
    write(folder, frames, spoil, &cloths(), &bodies())
}

fn write(
    folder: &Folder,
    frames: usize,
    spoil: impl Fn(usize, &mut [DVec3]),
    cloths: &[ClothTrack],
    bodies: &[BodyTrack],
) -> Recording {
    let path = folder.path().join("frames.toile");
    let title = "a \"test\" <of> two cloths";
    let mut writer = RecordingWriter::create(&path, title, FPS, cloths, bodies).unwrap();
    for frame in 0..frames {
        let mut nodes = positions(frame);
        spoil(frame, &mut nodes);
        writer
            .push(frame as f64 / FPS, &poses(frame), &nodes, &[])
            .unwrap();
    }
    Recording::open(&path).unwrap()
}

/// Nine nodes of a square of 2 m, then four of a smaller one 1 m above it; both rise, stretch and bulge.
fn positions(frame: usize) -> Vec<DVec3> {
    let t = frame as f64;
    let table = (0..9).map(|n| {
        let (x, y) = (f64::from(n % 3) - 1.0, f64::from(n / 3) - 1.0);
        DVec3::new(x * (1.0 + 0.1 * t), y, 0.1 * t * (1.0 - x * x) + 0.05 * t)
    });
    let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let flag = corners.map(|[x, y]| DVec3::new(x, y, 1.0 + 0.2 * t * x * y));
    table.chain(flag).collect()
}

fn poses(frame: usize) -> Vec<BodyPose> {
    let t = frame as f64;
    let turn = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, 2.0) / 3.0, 0.5 * t);
    // Either sign is the same rotation; a file must not flicker between them.
    let rotation = if frame % 2 == 1 { -turn } else { turn };
    let still = |x: f64| BodyPose {
        translation: DVec3::new(x, 0.0, -1.0),
        rotation: DQuat::IDENTITY,
    };
    vec![
        BodyPose {
            translation: DVec3::new(0.3 * t, 0.0, 2.0),
            rotation,
        },
        still(0.0),
        still(5.0),
    ]
}

fn cloths() -> Vec<ClothTrack> {
    let quads = [[0, 1, 4, 3], [1, 2, 5, 4], [3, 4, 7, 6], [4, 5, 8, 7]];
    let triangles = [[0, 1, 2], [0, 2, 3]];
    let cloth = |name: &str, first_node, node_count, faces: Vec<Face>, rest_area| ClothTrack {
        name: name.into(),
        first_node,
        node_count,
        rest_areas: vec![rest_area; faces.len()],
        edges: vec![[0, 1], [1, 2]],
        rest_lengths: vec![1.0, 1.0],
        thickness: 0.0,
        colors: [[0.8, 0.2, 0.1], [0.1, 0.2, 0.8]],
        attributes: Default::default(),
        faces,
    };
    vec![
        cloth("table cloth", 0, 9, quads.map(Face::Quad).to_vec(), 1.0),
        cloth("flag", 9, 4, triangles.map(Face::Tri).to_vec(), 0.5),
    ]
}

fn bodies() -> Vec<BodyTrack> {
    let body = |name: &str, positions, faces, smooth| BodyTrack {
        name: name.into(),
        positions,
        faces,
        smooth,
        morph: None,
        ground_height: None,
        color: [0.5, 0.5, 0.5],
        attributes: Default::default(),
    };
    let octahedron: Vec<DVec3> = [DVec3::X, DVec3::Y, DVec3::Z]
        .into_iter()
        .flat_map(|axis| [0.4 * axis, -0.4 * axis])
        .collect();
    let octants = [
        [0, 2, 4],
        [2, 1, 4],
        [1, 3, 4],
        [3, 0, 4],
        [2, 0, 5],
        [1, 2, 5],
        [3, 1, 5],
        [0, 3, 5],
    ];
    let corner = |n: u32| DVec3::new(f64::from(n & 1), f64::from(n >> 1 & 1), f64::from(n >> 2));
    let sides = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [1, 3, 7, 5],
        [3, 2, 6, 7],
        [2, 0, 4, 6],
    ];
    let floor = BodyTrack {
        morph: None,
        ground_height: Some(-1.0),
        ..body("floor", vec![], vec![], false)
    };
    vec![
        body("ball", octahedron, octants.map(Face::Tri).to_vec(), true),
        body(
            "box",
            (0..8).map(corner).collect(),
            sides.map(Face::Quad).to_vec(),
            false,
        ),
        floor,
    ]
}
