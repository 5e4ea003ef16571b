//! USD text, taken apart by a reader that knows just enough of its grammar.

use super::fixture::{FRAMES, Folder, record};
use glam::{DQuat, DVec3};
use toile_scene::export::{ExportFormat, ExportOptions, export};
use toile_scene::recording::Recording;

fn exported(options: &ExportOptions) -> (String, Recording, Folder) {
    let folder = Folder::new();
    let recording = record(&folder);
    let out = folder.path().join("walk.usda");
    let summary = export(&recording, ExportFormat::Usda, &out, options).unwrap();
    assert_eq!(summary.files, vec![out.clone()]);
    (std::fs::read_to_string(out).unwrap(), recording, folder)
}

/// The text between a prim's braces.
fn prim<'t>(text: &'t str, opening: &str) -> &'t str {
    let start = text.find(opening).unwrap_or_else(|| panic!("no {opening}"));
    let body = &text[start + opening.len()..];
    // Metadata in parentheses may hold braces of its own; the prim's own brace stands alone on its line.
    let brace = body.lines().scan(0, |at, line| {
        *at += line.len() + 1;
        Some((*at, line.trim() == "{"))
    });
    let brace = brace
        .filter(|(_, opens)| *opens)
        .map(|(at, _)| at)
        .next()
        .unwrap();
    let mut depth = 1;
    for (at, character) in body[brace..].char_indices() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &body[brace..brace + at];
        }
    }
    panic!("{opening} is not closed");
}

fn value<'t>(prim: &'t str, attribute: &str) -> &'t str {
    let opening = format!("{attribute} = ");
    let line = prim.lines().find(|line| line.trim().starts_with(&opening));
    let line = line.unwrap_or_else(|| panic!("no {attribute}"));
    &line.trim()[opening.len()..]
}

/// Time code and numbers of each sample.
fn samples(prim: &str, attribute: &str) -> Vec<(f64, Vec<f64>)> {
    let opening = format!("{attribute}.timeSamples = {{\n");
    let start = prim
        .find(&opening)
        .unwrap_or_else(|| panic!("no {attribute}"));
    let lines = prim[start + opening.len()..].lines();
    lines
        .take_while(|line| line.trim() != "}")
        .map(|line| {
            let (code, list) = line.split_once(':').unwrap();
            (code.trim().parse().unwrap(), numbers(list))
        })
        .collect()
}

fn numbers(text: &str) -> Vec<f64> {
    text.split(|c| "[](), ".contains(c))
        .filter(|word| !word.is_empty())
        .map(|word| word.parse().unwrap_or_else(|_| panic!("{word:?}")))
        .collect()
}

#[test]
fn the_layer_says_what_its_numbers_mean() {
    let (text, ..) = exported(&ExportOptions::default());
    assert!(text.starts_with("#usda 1.0\n(\n"));
    for line in [
        "defaultPrim = \"World\"",
        "doc = \"a \\\"test\\\" <of> two cloths\"",
        "upAxis = \"Z\"",
        "metersPerUnit = 1",
        "timeCodesPerSecond = 25",
        "startTimeCode = 0",
        "endTimeCode = 4",
    ] {
        let found = text.lines().any(|l| l.trim() == line);
        assert!(found, "{line}");
    }
    for [open, close] in [["{", "}"], ["(", ")"], ["[", "]"]] {
        assert_eq!(text.matches(open).count(), text.matches(close).count());
    }
}

#[test]
fn points_are_those_of_the_recording_bit_for_bit() {
    let (text, recording, _folder) = exported(&ExportOptions::default());
    for (cloth, name) in recording.cloths().iter().zip(["table_cloth", "flag"]) {
        let mesh = prim(&text, &format!("def Mesh \"{name}\""));
        let points = samples(mesh, "point3f[] points");
        let extents = samples(mesh, "float3[] extent");
        let normals = samples(mesh, "normal3f[] normals");
        assert_eq!([points.len(), extents.len(), normals.len()], [FRAMES; 3]);
        for (index, (code, sample)) in points.iter().enumerate() {
            assert_eq!(*code, index as f64);
            let recorded = recording.frame(index).unwrap().positions;
            let recorded = &recorded[cloth.first_node..][..cloth.node_count];
            let recorded: Vec<[f32; 3]> = recorded.iter().map(|p| p.as_vec3().into()).collect();
            let read: Vec<f32> = sample.iter().map(|&x| x as f32).collect();
            assert_eq!(read, recorded.as_flattened());
            for axis in 0..3 {
                let along = recorded.iter().map(|p| p[axis]);
                assert_eq!(
                    extents[index].1[axis] as f32,
                    along.clone().reduce(f32::min).unwrap()
                );
                assert_eq!(
                    extents[index].1[3 + axis] as f32,
                    along.reduce(f32::max).unwrap()
                );
            }
            let lengths = normals[index]
                .1
                .chunks(3)
                .map(|n| DVec3::from_slice(n).length());
            assert!(
                lengths
                    .into_iter()
                    .all(|length| (length - 1.0).abs() < 2e-4)
            );
        }
    }
}

#[test]
fn quads_stay_quads() {
    let (text, ..) = exported(&ExportOptions::default());
    let table = prim(&text, "def Mesh \"table_cloth\"");
    assert_eq!(value(table, "int[] faceVertexCounts"), "[4, 4, 4, 4]");
    let corners = numbers(value(table, "int[] faceVertexIndices"));
    assert_eq!(corners[..8], [0.0, 1.0, 4.0, 3.0, 1.0, 2.0, 5.0, 4.0]);
    assert_eq!(value(table, "uniform token subdivisionScheme"), "\"none\"");
    assert_eq!(value(table, "uniform bool doubleSided"), "1");
    let flag = prim(&text, "def Mesh \"flag\"");
    assert_eq!(value(flag, "int[] faceVertexCounts"), "[3, 3]");
    assert_eq!(
        numbers(value(flag, "color3f[] primvars:displayColor")).len(),
        3
    );
}

#[test]
fn a_name_that_had_to_change_is_kept_beside_it() {
    let (text, ..) = exported(&ExportOptions::default());
    assert!(text.contains("customData = { string name = \"table cloth\" }"));
    assert!(!text.contains("string name = \"flag\""));
}

#[test]
fn bodies_are_where_the_recording_had_them() {
    let (text, recording, _folder) = exported(&ExportOptions::default());
    let ball = prim(&text, "def Xform \"ball\"");
    let orient = samples(ball, "quatf xformOp:orient");
    let translate = samples(ball, "double3 xformOp:translate");
    assert_eq!([orient.len(), translate.len()], [FRAMES; 2]);
    for index in 0..FRAMES {
        let pose = recording.frame(index).unwrap().poses[0];
        let [w, x, y, z] = orient[index].1[..] else {
            panic!("four numbers")
        };
        let probe = DVec3::new(0.1, -0.2, 0.3);
        let read = DQuat::from_xyzw(x, y, z, w) * probe + DVec3::from_slice(&translate[index].1);
        assert!(read.distance(pose.rotation * probe + pose.translation) < 1e-6);
    }
    let order = value(ball, "uniform token[] xformOpOrder");
    assert_eq!(order, "[\"xformOp:translate\", \"xformOp:orient\"]");
    let resting = prim(&text, "def Xform \"box\"");
    assert_eq!(value(resting, "double3 xformOp:translate"), "(0, 0, -1)");
    assert_eq!(numbers(value(resting, "point3f[] points")).len(), 24);
    // A box is flat: one normal per face, pointing out of it.
    let normals = value(resting, "normal3f[] normals").trim_end_matches(" (");
    assert_eq!(numbers(normals)[..6], [0.0, 0.0, -1.0, 0.0, 0.0, 1.0]);
    assert!(resting.contains("interpolation = \"uniform\""));
}

#[test]
fn a_part_of_the_recording_keeps_its_time_codes() {
    let options = ExportOptions {
        frames: Some(1..5),
        every: 2,
        ..Default::default()
    };
    let (text, ..) = exported(&options);
    let points = samples(prim(&text, "def Mesh \"flag\""), "point3f[] points");
    let codes: Vec<f64> = points.iter().map(|(code, _)| *code).collect();
    assert_eq!(codes, [1.0, 3.0]);
    assert!(text.contains("startTimeCode = 1\n") && text.contains("endTimeCode = 3\n"));
}

#[test]
fn a_single_frame_has_plain_values() {
    let (text, ..) = exported(&ExportOptions {
        frames: Some(2..3),
        ..Default::default()
    });
    assert!(!text.contains("timeSamples"));
    let flag = prim(&text, "def Mesh \"flag\"");
    assert_eq!(numbers(value(flag, "point3f[] points")).len(), 12);
}
