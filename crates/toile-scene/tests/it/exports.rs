//! Exports are read back by other means than those that wrote them.

mod fixture;
mod glb;
mod painted;
mod point_cache;
mod usda;
mod vtu;

use fixture::{Folder, record, record_frames};
use std::fs;
use toile_scene::export::{ExportError, ExportFormat, ExportOptions, export};

const ALL: [ExportFormat; 7] = [
    ExportFormat::Pc2,
    ExportFormat::Mdd,
    ExportFormat::Obj,
    ExportFormat::Ply,
    ExportFormat::Glb,
    ExportFormat::Usda,
    ExportFormat::Vtu,
];

#[test]
fn files_that_exist_are_replaced_only_by_force() {
    for format in ALL {
        let folder = Folder::new();
        let recording = record(&folder);
        let out = folder.path().join("walk");
        let mut options = ExportOptions::default();
        let summary = export(&recording, format, &out, &options).unwrap();
        let last = summary.files.last().unwrap();
        fs::write(last, "mine").unwrap();

        let refused = export(&recording, format, &out, &options).unwrap_err();
        assert!(matches!(refused, ExportError::Exists { .. }), "{refused}");
        assert_eq!(fs::read(last).unwrap(), b"mine");

        options.force = true;
        let again = export(&recording, format, &out, &options).unwrap();
        assert_eq!(again.files, summary.files);
        assert_ne!(fs::read(last).unwrap(), b"mine");
    }
}

#[test]
fn a_single_existing_file_of_a_sequence_stops_it_before_anything_is_written() {
    let folder = Folder::new();
    let recording = record(&folder);
    fs::write(folder.path().join("walk_0003.vtu"), "mine").unwrap();
    let before = folder.names();
    let out = folder.path().join("walk.vtu");
    let error = export(
        &recording,
        ExportFormat::Vtu,
        &out,
        &ExportOptions::default(),
    )
    .unwrap_err();
    assert!(error.to_string().contains("walk_0003.vtu"), "{error}");
    assert_eq!(folder.names(), before);
}

#[test]
fn a_node_that_is_nowhere_is_named_and_leaves_no_file() {
    for format in ALL {
        let folder = Folder::new();
        let recording = record_frames(&folder, 4, |frame, nodes| {
            if frame == 3 {
                // The second cloth starts at node 9.
                nodes[9 + 2].y = 1e19;
            }
        });
        let before = folder.names();
        let out = folder.path().join("walk");
        let error = export(&recording, format, &out, &ExportOptions::default()).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("cloth `flag`, node 2, frame 3"), "{text}");
        assert_eq!(folder.names(), before, "{format:?}");

        let options = ExportOptions {
            frames: Some(0..3),
            ..Default::default()
        };
        export(&recording, format, &out, &options).unwrap();
    }
}

#[test]
fn only_the_chosen_frames_are_exported() {
    let folder = Folder::new();
    let recording = record(&folder);
    let options = ExportOptions {
        frames: Some(1..5),
        every: 3,
        ..Default::default()
    };
    let out = folder.path().join("walk.obj");
    let summary = export(&recording, ExportFormat::Obj, &out, &options).unwrap();
    let names: Vec<_> = summary
        .files
        .iter()
        .map(|f| f.file_name().unwrap())
        .collect();
    assert_eq!(names, ["walk_0001.obj", "walk_0004.obj"]);
    for (file, frame) in summary.files.iter().zip([1, 4]) {
        let text = fs::read_to_string(file).unwrap();
        let first = text.lines().find(|line| line.starts_with("v ")).unwrap();
        let x: f64 = first.split_whitespace().nth(1).unwrap().parse().unwrap();
        assert_eq!(x, recording.frame(frame).unwrap().positions[0][0]);
        let faces = text.lines().filter(|line| line.starts_with("f "));
        let corners: Vec<_> = faces
            .map(|line| line.split_whitespace().count() - 1)
            .collect();
        assert_eq!(corners, [4, 4, 4, 4, 3, 3]);
    }
}

#[test]
fn impossible_choices_of_frames_are_refused() {
    let folder = Folder::new();
    let recording = record(&folder);
    let out = folder.path().join("walk");
    for (frames, every) in [(None, 0), (Some(2..9), 1), (Some(2..2), 1), (Some(7..8), 1)] {
        let options = ExportOptions {
            frames,
            every,
            ..Default::default()
        };
        let error = export(&recording, ExportFormat::Usda, &out, &options).unwrap_err();
        assert!(error.to_string().contains("has 5 frames"), "{error}");
    }
}

#[test]
fn a_folder_is_no_file_name() {
    let folder = Folder::new();
    let recording = record(&folder);
    for format in ALL {
        let error =
            export(&recording, format, folder.path(), &ExportOptions::default()).unwrap_err();
        assert!(matches!(error, ExportError::BadPath { .. }), "{error}");
    }
}

#[test]
fn what_a_format_leaves_out_is_said() {
    let folder = Folder::new();
    let recording = record(&folder);
    for format in ALL {
        let out = folder.path().join(format!("walk-{format:?}"));
        let notes = export(&recording, format, &out, &ExportOptions::default())
            .unwrap()
            .notes;
        let says = |what: &str| notes.iter().any(|note| note.contains(what));
        assert!(says("body `floor`"), "{notes:?}");
        let triangulated = says("4 quads were written as 8 triangles");
        assert_eq!(triangulated, format == ExportFormat::Glb, "{notes:?}");
    }
}
