//! The frame cache: what it keeps, and what it refuses.

use glam::DVec3;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use toile::mesh::Face;
use toile_scene::export::{ExportFormat, ExportOptions, export};
use toile_scene::present::{PictureStyle, camera, picture, read_frames};
use toile_scene::recording::{ClothTrack, Recording, RecordingWriter};
use toile_scene::run::{RunFolder, RunOptions, run, wall_clock};
use toile_scene::scene::{SceneSource, World, resolve};

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("toile-frames-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn cloths() -> [ClothTrack; 2] {
    ["left", "right"].map(|name| ClothTrack {
        name: name.into(),
        first_node: if name == "left" { 0 } else { 3 },
        node_count: 3,
        faces: vec![Face::Tri([0, 1, 2])],
        rest_areas: vec![0.5],
        edges: vec![[0, 1]],
        rest_lengths: vec![1.0],
        thickness: 0.0,
        colors: [[0.5; 3]; 2],
        attributes: Default::default(),
    })
}

fn nodes() -> Vec<DVec3> {
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y];
    corners
        .iter()
        .copied()
        .chain(corners.map(|p| p + DVec3::Z))
        .collect()
}

#[test]
fn a_node_that_is_nowhere_is_named_and_not_written() {
    let folder = Folder::new("nan");
    let path = folder.0.join("frames.toile");
    let mut writer = RecordingWriter::create(&path, "two", 25.0, &cloths(), &[]).unwrap();
    writer.push(0.0, &[], &nodes(), &[]).unwrap();
    let mut lost = nodes();
    lost[4].y = f64::NAN;
    let error = writer.push(0.04, &[], &lost, &[]).unwrap_err().to_string();
    assert!(
        error.contains("frame 1") && error.contains("node 1 of cloth `right`"),
        "{error}"
    );
    assert!(writer.push(f64::NAN, &[], &nodes(), &[]).is_err());
    assert!(writer.push(0.04, &[], &nodes()[1..], &[]).is_err());
    writer.sync().unwrap();
    assert_eq!(Recording::open(&path).unwrap().frame_count(), 1);
}

#[test]
fn any_damaged_bit_before_the_frames_is_noticed() {
    let folder = Folder::new("bits");
    let path = folder.0.join("frames.toile");
    let mut writer = RecordingWriter::create(&path, "two", 25.0, &cloths(), &[]).unwrap();
    writer.push(0.0, &[], &nodes(), &[]).unwrap();
    writer.sync().unwrap();
    let whole = std::fs::read(&path).unwrap();
    for at in (0..whole.len()).step_by(7) {
        let mut damaged = whole.clone();
        damaged[at] ^= 4;
        std::fs::write(&path, &damaged).unwrap();
        let read = Recording::open(&path).and_then(|recording| recording.frame(0));
        assert!(read.is_err(), "byte {at}");
    }
}

#[test]
fn an_older_format_says_what_to_do() {
    let folder = Folder::new("older");
    let path = folder.0.join("frames.toile");
    RecordingWriter::create(&path, "two", 25.0, &cloths(), &[]).unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[8] = 1;
    std::fs::write(&path, bytes).unwrap();
    let error = Recording::open(&path).unwrap_err().to_string();
    assert!(
        error.contains("format 1") && error.contains("run the scene again"),
        "{error}"
    );
}

fn world(at: [f64; 3], more: &str) -> World {
    let [x, y, z] = at;
    let source = SceneSource {
        name: "test".into(),
        text: format!(
            "[time]\nduration = 0.2\nfps = 25\n[cloth.sheet]\nmesh.grid = {{ size = [0.4, 0.3], cells = [8, 6] }}\n\
             place.at = [{x:?}, {y:?}, {z:?}]\n[[cloth.sheet.pin]]\nselect.corners = [0]\n\
             [body.ball]\nshape.sphere.radius = 0.1\nplace.at = [{x:?}, {y:?}, {}]\n{more}",
            z - 0.2
        ),
        folder: PathBuf::new(),
        overrides: Vec::new(),
    };
    resolve(&source, source.parse().unwrap()).unwrap()
}

fn carry_out(world: &World, path: &Path) -> Recording {
    let stop = AtomicBool::new(false);
    let options = RunOptions {
        until: None,
        resume: false,
        threads: Some(1),
        checkpoint_interval: 5.0,
        stop: &stop,
        clock: wall_clock,
    };
    let folder = RunFolder::create(path, false).unwrap();
    run(world, &folder, &options, &mut ()).unwrap();
    Recording::open(path).unwrap()
}

/// Mean absolute difference of two pictures, of 255.
fn difference(one: &[u8], other: &[u8]) -> f64 {
    let pairs = one.iter().zip(other);
    pairs.map(|(a, b)| f64::from(a.abs_diff(*b))).sum::<f64>() / one.len() as f64
}

#[test]
fn cloth_far_from_the_origin_is_recorded_drawn_and_exported_as_near_it() {
    let folder = Folder::new("far");
    let at = [9e5, 0.0, 1.0];
    let near = carry_out(&world([0.0, 0.0, 1.0], ""), &folder.0.join("near"));
    let far = carry_out(&world(at, ""), &folder.0.join("far"));
    let shift = DVec3::new(9e5, 0.0, 0.0);
    let (first, second) = (near.frame(0).unwrap(), far.frame(0).unwrap());
    for (a, b) in first.positions.iter().zip(&second.positions) {
        assert!((*b - shift).distance(*a) < 1e-6, "{a} {b}");
    }
    let style = PictureStyle::default();
    let image = |recording: &Recording| {
        let frames = read_frames(recording, &[0]).unwrap();
        let view = camera(recording, &frames, &style);
        picture(recording, &frames[0], &view, &style).rgb
    };
    let apart = difference(&image(&near), &image(&far));
    assert!(apart < 0.5, "{apart}");
    let options = ExportOptions::default();
    for (format, name) in [
        (ExportFormat::Usda, "far.usda"),
        (ExportFormat::Glb, "far.glb"),
    ] {
        let summary = export(&far, format, &folder.0.join(name), &options).unwrap();
        let noted = summary
            .notes
            .iter()
            .any(|note| note.contains("single precision"));
        assert!(noted, "{:?}", summary.notes);
    }
    let usda = std::fs::read_to_string(folder.0.join("far.usda")).unwrap();
    let origin = far.origin();
    let translate = format!(
        "double3 xformOp:translate = ({}, {}, {})",
        origin.x, origin.y, origin.z
    );
    assert!(usda.contains(&translate), "{translate}");
    // Points are small numbers about the root.
    let points = usda.split("point3f[] points.timeSamples").nth(1).unwrap();
    let first: f64 = points
        .split("[(")
        .nth(1)
        .unwrap()
        .split(',')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert!(
        (first + origin.x - second.positions[0].x).abs() < 1e-6,
        "{first}"
    );
    export(&far, ExportFormat::Vtu, &folder.0.join("far.vtu"), &options).unwrap();
    let vtu = std::fs::read(folder.0.join("far_0001.vtu")).unwrap();
    let head = String::from_utf8_lossy(&vtu[..2000]).into_owned();
    assert!(head.contains("type=\"Float64\" Name=\"Points\""), "{head}");
}

#[test]
fn velocities_are_recorded_if_asked_for_and_exported() {
    let folder = Folder::new("velocities");
    let plain = carry_out(&world([0.0, 0.0, 1.0], ""), &folder.0.join("plain"));
    assert!(plain.frame(3).unwrap().velocities.is_empty());
    let moving = world([0.0, 0.0, 1.0], "[output]\nvelocities = true\n");
    let recording = carry_out(&moving, &folder.0.join("moving"));
    let checkpoint = std::fs::read(folder.0.join("moving/checkpoint.toile")).unwrap();
    let state = toile_scene::run::Checkpoint::decode(&checkpoint)
        .unwrap()
        .state;
    let last = recording.frame(recording.frame_count() - 1).unwrap();
    assert_eq!(last.velocities.len(), 63);
    for (single, double) in last.velocities.iter().zip(&state.velocities) {
        assert!(single.distance(*double) < 1e-6 * (1.0 + double.length()));
    }
    assert!(last.velocities.iter().any(|v| v.length() > 0.1));
    let options = ExportOptions::default();
    export(
        &recording,
        ExportFormat::Usda,
        &folder.0.join("a.usda"),
        &options,
    )
    .unwrap();
    let usda = std::fs::read_to_string(folder.0.join("a.usda")).unwrap();
    assert!(usda.contains("vector3f[] velocities.timeSamples = {"));
    export(
        &recording,
        ExportFormat::Vtu,
        &folder.0.join("a.vtu"),
        &options,
    )
    .unwrap();
    let vtu = std::fs::read(folder.0.join("a_0005.vtu")).unwrap();
    let head = String::from_utf8_lossy(&vtu[..2000]).into_owned();
    assert!(
        head.contains("Name=\"velocity\" NumberOfComponents=\"3\""),
        "{head}"
    );
}
