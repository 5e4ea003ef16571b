//! Texture coordinates, seams, colours, and bodies that deform.

use super::fixture::{FRAMES, Folder, SEAM, record_painted};
use glam::Vec3;
use gltf::Gltf;
use gltf::animation::util::ReadOutputs;
use std::path::PathBuf;
use toile_scene::export::{ExportFormat, ExportOptions, ExportSummary, export};
use toile_scene::files::Disk;
use toile_scene::format::{AnimatedMesh, read_mesh};
use toile_scene::recording::Recording;

fn exported(format: ExportFormat) -> (Folder, Recording, ExportSummary) {
    let folder = Folder::new();
    let recording = record_painted(&folder);
    let out = folder.path().join("walk");
    let summary = export(&recording, format, &out, &ExportOptions::default()).unwrap();
    (folder, recording, summary)
}

fn text(path: &PathBuf) -> String {
    String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned()
}

#[test]
fn they_come_back_from_the_recording() {
    let folder = Folder::new();
    let recording = record_painted(&folder);
    let [table, flag] = recording.cloths() else {
        panic!("two cloths")
    };
    assert_eq!(flag.attributes.corner_uvs.as_deref(), Some(&SEAM[..]));
    assert_eq!(
        table.attributes.node_colors.as_ref().unwrap()[3],
        [0.0, 1.0, 0.2]
    );
    assert!(flag.attributes.node_colors.is_none());
}

#[test]
fn obj_keeps_seams_colours_and_has_normals() {
    let (_folder, recording, summary) = exported(ExportFormat::Obj);
    let mesh = read_mesh(&summary.files[2]).unwrap();
    let uvs = mesh.corner_uvs.unwrap();
    let flag: Vec<[f64; 2]> = uvs[5].iter().map(|uv| uv.to_array()).collect();
    assert_eq!(flag[..3], [[5.0, 0.0], [6.0, 1.0], [5.0, 1.0]]);
    let colors = mesh.node_colors.unwrap();
    assert_eq!(colors[3], [0.0, 1.0, 0.2]);
    assert_eq!(
        colors[9],
        recording.cloths()[1].colors[0],
        "a cloth without colours has its own"
    );
    let text = text(&summary.files[2]);
    let normals = text.lines().filter(|line| line.starts_with("vn ")).count();
    assert_eq!(normals, mesh.positions.len());
    assert!(text.lines().any(|line| line.starts_with("f 1/1/1 ")));
}

#[test]
fn ply_keeps_seams_and_colours() {
    let (_folder, _, summary) = exported(ExportFormat::Ply);
    let mesh = read_mesh(&summary.files[0]).unwrap();
    let uvs = mesh.corner_uvs.unwrap();
    assert_eq!(uvs[5][1].to_array(), [6.0, 1.0]);
    assert_eq!(mesh.node_colors.unwrap()[3], [0.0, 1.0, 0.2]);
    let head = text(&summary.files[0]);
    assert!(head.contains("property float nx"));
    assert!(
        !head.contains("property double s"),
        "nodes on a seam have no place of their own"
    );
}

#[test]
fn usda_has_the_places_of_the_pattern_and_which_corner_has_which() {
    let (_folder, _, summary) = exported(ExportFormat::Usda);
    let text = text(&summary.files[0]);
    let flag = &text[text.find("def Mesh \"flag\"").unwrap()..];
    let line = |start: &str| {
        flag.lines()
            .map(str::trim)
            .find(|l| l.starts_with(start))
            .unwrap()
    };
    let places = "texCoord2f[] primvars:st = [(0, 0), (1, 0), (1, 1), (5, 0), (6, 1), (5, 1)] (";
    assert_eq!(line("texCoord2f[]"), places);
    assert_eq!(
        line("int[] primvars:st:indices"),
        "int[] primvars:st:indices = [0, 1, 2, 3, 4, 5]"
    );
    assert!(flag.contains("interpolation = \"faceVarying\""));
    let table = &text[..text.find("def Mesh \"flag\"").unwrap()];
    let colors = table.lines().find(|l| l.contains("displayColor")).unwrap();
    assert_eq!(colors.matches("(0, 1, ").count(), 9, "{colors}");
}

#[test]
fn vtu_says_that_it_cannot_hold_seams_and_holds_what_has_none() {
    let (_folder, _, summary) = exported(ExportFormat::Vtu);
    let says = |what: &str| summary.notes.iter().any(|note| note.contains(what));
    assert!(
        says("`flag` has seams: texture coordinates were left out"),
        "{:?}",
        summary.notes
    );
    assert!(text(&summary.files[0]).contains("Name=\"color\""));
    assert!(!text(&summary.files[0]).contains("TextureCoordinates"));
}

/// A GLB mesh: vertices, texture coordinates, triangles, frames.
struct GlbMesh {
    positions: Vec<Vec3>,
    uvs: Option<Vec<[f32; 2]>>,
    triangles: Vec<u32>,
    targets: Vec<Vec<Vec3>>,
    colors: Option<Vec<[f32; 3]>>,
}

fn glb_mesh(gltf: &Gltf, name: &str) -> GlbMesh {
    let blob = gltf.blob.as_deref().unwrap();
    let node = gltf.nodes().find(|n| n.name() == Some(name)).unwrap();
    let mesh = node.mesh().unwrap();
    let primitive = mesh.primitives().next().unwrap();
    let reader = primitive.reader(|_| Some(blob));
    let positions: Vec<Vec3> = reader.read_positions().unwrap().map(Vec3::from).collect();
    let targets = reader.read_morph_targets().map(|(moved, _, _)| {
        let moved = moved.unwrap().map(Vec3::from);
        positions.iter().zip(moved).map(|(p, d)| *p + d).collect()
    });
    GlbMesh {
        targets: targets.collect(),
        uvs: reader
            .read_tex_coords(0)
            .map(|uvs| uvs.into_f32().collect()),
        colors: reader
            .read_colors(0)
            .map(|colors| colors.into_rgb_f32().collect()),
        triangles: reader.read_indices().unwrap().into_u32().collect(),
        positions,
    }
}

#[test]
fn glb_doubles_the_nodes_of_a_seam_in_every_frame() {
    let (_folder, recording, summary) = exported(ExportFormat::Glb);
    let gltf = Gltf::open(&summary.files[0]).unwrap();
    let mesh = glb_mesh(&gltf, "flag");
    // Four nodes, and two of them once more for the other side of the seam.
    assert_eq!(mesh.positions.len(), 6);
    let uvs = mesh.uvs.unwrap();
    let flag = &recording.cloths()[1];
    for (k, &vertex) in mesh.triangles.iter().enumerate() {
        let [u, v] = SEAM[k / 3][k % 3];
        assert_eq!(uvs[vertex as usize], [u, 1.0 - v], "v counts from the top");
        let node = flag.faces[k / 3].corners()[k % 3] as usize;
        for frame in 0..FRAMES {
            let places = &recording.frame(frame).unwrap().positions[flag.first_node..];
            let found = match frame {
                0 => mesh.positions[vertex as usize],
                later => mesh.targets[later - 1][vertex as usize],
            };
            assert!(found.distance(places[node].as_vec3()) < 1e-6);
        }
    }
    let table = glb_mesh(&gltf, "table cloth");
    assert_eq!(table.positions.len(), 9, "no seam, no further vertex");
    assert_eq!(table.colors.unwrap()[0], [0.0, 1.0, 0.0]);
}

/// Frozen in its first shape before: a player saw a body that did not touch the cloth it pushed.
#[test]
fn a_body_that_deforms_does_so_in_glb() {
    let (_folder, recording, summary) = exported(ExportFormat::Glb);
    let gltf = Gltf::open(&summary.files[0]).unwrap();
    let mesh = glb_mesh(&gltf, "ball");
    // At 0 s, at 0.06 s, and at the end, where it is still the same: one target.
    assert_eq!(mesh.targets.len(), 1);
    let body = &recording.bodies()[0];
    for (vertex, place) in mesh.targets[0].iter().zip(body.positions_at(1.0).iter()) {
        assert!(vertex.distance(place.as_vec3()) < 1e-6);
    }
    let animation = gltf.animations().next().unwrap();
    let node = gltf
        .nodes()
        .find(|n| n.name() == Some("ball"))
        .unwrap()
        .index();
    let weights = gltf::animation::Property::MorphTargetWeights;
    let mut channels = animation.channels();
    let channel = channels
        .find(|c| c.target().node().index() == node && c.target().property() == weights)
        .unwrap();
    let blob = gltf.blob.as_deref().unwrap();
    let reader = channel.reader(|_| Some(blob));
    let times: Vec<f32> = reader.read_inputs().unwrap().collect();
    assert_eq!(times, [0.0, 0.06, 0.16]);
    let Some(ReadOutputs::MorphTargetWeights(read)) = reader.read_outputs() else {
        panic!("not weights")
    };
    assert_eq!(read.into_f32().collect::<Vec<_>>(), [0.0, 1.0, 1.0]);
    // One node of six moves, and only that is stored.
    let primitive = gltf.meshes().nth(2).unwrap().primitives().next().unwrap();
    let target = primitive.morph_targets().next().unwrap();
    assert_eq!(target.positions().unwrap().sparse().unwrap().count(), 1);
    let says = |what: &str| summary.notes.iter().any(|note| note.contains(what));
    assert!(
        says("body `ball` deforms: 1 morph targets"),
        "{:?}",
        summary.notes
    );
}

#[test]
fn our_own_reader_sees_the_same_in_a_glb() {
    let (_folder, recording, summary) = exported(ExportFormat::Glb);
    let mesh = AnimatedMesh::read(&Disk, &summary.files[0], None).unwrap();
    let places = mesh.positions(0.16);
    let ball = recording.bodies()[0].placed(&recording.frame(FRAMES - 1).unwrap(), 0);
    // Behind the vertices of the two cloths.
    for (found, expected) in places[9 + 6..].iter().zip(&ball) {
        assert!(found.distance(*expected) < 1e-5, "{found} {expected}");
    }
    // The box has no texture, so the whole has none.
    assert!(mesh.corner_uvs().is_none());
}
