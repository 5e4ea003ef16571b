//! Point caches, read back by their published layouts.

use super::fixture::{FPS, FRAMES, Folder, record, record_frames};
use glam::DVec3;
use std::path::Path;
use toile_scene::export::{ExportFormat, ExportOptions, UpAxis, export};
use toile_scene::format::read_mesh;

struct Words<'a>(&'a [u8]);

impl Words<'_> {
    fn next(&mut self) -> [u8; 4] {
        let (word, rest) = self.0.split_first_chunk::<4>().unwrap();
        self.0 = rest;
        *word
    }
}

fn single(place: &DVec3) -> [f32; 3] {
    place.as_vec3().to_array()
}

/// Start, rate, and the places of every sample.
fn read_pc2(path: &Path) -> (f32, f32, Vec<Vec<[f32; 3]>>) {
    let bytes = std::fs::read(path).unwrap();
    assert_eq!(&bytes[..12], b"POINTCACHE2\0");
    let mut words = Words(&bytes[12..]);
    assert_eq!(i32::from_le_bytes(words.next()), 1, "version");
    let points = i32::from_le_bytes(words.next());
    let (start, rate) = (
        f32::from_le_bytes(words.next()),
        f32::from_le_bytes(words.next()),
    );
    let samples = i32::from_le_bytes(words.next());
    let mut place = || std::array::from_fn(|_| f32::from_le_bytes(words.next()));
    let all = (0..samples).map(|_| (0..points).map(|_| place()).collect());
    let all = all.collect();
    assert!(words.0.is_empty());
    (start, rate, all)
}

/// Times, and the places of every frame.
fn read_mdd(path: &Path) -> (Vec<f32>, Vec<Vec<[f32; 3]>>) {
    let bytes = std::fs::read(path).unwrap();
    let mut words = Words(&bytes);
    let frames = i32::from_be_bytes(words.next());
    let points = i32::from_be_bytes(words.next());
    let times = (0..frames)
        .map(|_| f32::from_be_bytes(words.next()))
        .collect();
    let mut place = || std::array::from_fn(|_| f32::from_be_bytes(words.next()));
    let all = (0..frames).map(|_| (0..points).map(|_| place()).collect());
    let all = all.collect();
    assert!(words.0.is_empty());
    (times, all)
}

#[test]
fn pc2_holds_every_cloth_in_every_frame_beside_its_mesh() {
    let folder = Folder::new();
    let recording = record(&folder);
    let out = folder.path().join("walk.pc2");
    let summary = export(
        &recording,
        ExportFormat::Pc2,
        &out,
        &ExportOptions::default(),
    )
    .unwrap();
    let names: Vec<_> = summary
        .files
        .iter()
        .map(|f| f.file_name().unwrap())
        .collect();
    let expected = [
        "walk_table_cloth.obj",
        "walk_table_cloth.pc2",
        "walk_flag.obj",
        "walk_flag.pc2",
    ];
    assert_eq!(names, expected);
    for (cloth, files) in recording.cloths().iter().zip(summary.files.chunks(2)) {
        let mesh = read_mesh(&files[0]).unwrap();
        assert_eq!(mesh.faces, cloth.faces);
        let (start, rate, samples) = read_pc2(&files[1]);
        assert_eq!((start, rate, samples.len()), (1.0, 1.0, FRAMES));
        for (index, sample) in samples.iter().enumerate() {
            let recorded = recording.frame(index).unwrap().positions;
            let own = recorded[cloth.first_node..][..cloth.node_count].iter();
            assert_eq!(*sample, own.map(single).collect::<Vec<_>>());
        }
        let first: Vec<[f32; 3]> = mesh
            .positions
            .iter()
            .map(|p| p.as_vec3().to_array())
            .collect();
        assert_eq!(
            first, samples[0],
            "the mesh is the first sample, node by node"
        );
    }
    let says = |what: &str| summary.notes.iter().any(|note| note.contains(what));
    assert!(
        says("at 25 frames per second, from frame 1 to 5"),
        "{:?}",
        summary.notes
    );
    assert!(says("z is up"), "{:?}", summary.notes);
}

#[test]
fn mdd_has_the_times_and_y_can_be_up() {
    let folder = Folder::new();
    let recording = record(&folder);
    let out = folder.path().join("walk");
    let options = ExportOptions {
        frames: Some(1..5),
        every: 2,
        up: UpAxis::Y,
        ..Default::default()
    };
    let summary = export(&recording, ExportFormat::Mdd, &out, &options).unwrap();
    let (times, frames) = read_mdd(&summary.files[3]);
    assert_eq!(times, [0.0, (2.0 / FPS) as f32]);
    let flag = &recording.cloths()[1];
    for (frame, index) in frames.iter().zip([1, 3]) {
        let recorded = recording.frame(index).unwrap().positions;
        let turned = recorded[flag.first_node..]
            .iter()
            .map(single)
            .map(|[x, y, z]| [x, z, -y]);
        assert_eq!(*frame, turned.collect::<Vec<_>>());
    }
    let mesh = read_mesh(&summary.files[2]).unwrap();
    let first: Vec<[f32; 3]> = mesh
        .positions
        .iter()
        .map(|p| p.as_vec3().to_array())
        .collect();
    assert_eq!(first, frames[0]);
}

#[test]
fn pc2_says_where_it_starts_and_how_many_frames_a_sample_lasts() {
    let folder = Folder::new();
    let recording = record_frames(&folder, 7, |_, _| {});
    let options = ExportOptions {
        every: 3,
        start_frame: 101,
        ..Default::default()
    };
    let out = folder.path().join("walk");
    let summary = export(&recording, ExportFormat::Pc2, &out, &options).unwrap();
    let (start, rate, samples) = read_pc2(&summary.files[1]);
    assert_eq!((start, rate, samples.len()), (101.0, 3.0, 3));
}
