//! GLB files, read back with the `gltf` crate.

use super::fixture::{FPS, FRAMES, Folder, record, record_frames};
use glam::{DVec3, Quat, Vec3};
use gltf::animation::util::{ReadOutputs, Reader};
use gltf::{Gltf, Mesh, Node};
use toile::mesh::Face;
use toile_scene::export::{ExportError, ExportFormat, ExportOptions, export};
use toile_scene::recording::Recording;

struct Read {
    gltf: Gltf,
    recording: Recording,
    _folder: Folder,
}

impl Read {
    fn new(options: &ExportOptions) -> Self {
        let folder = Folder::new();
        let recording = record(&folder);
        let out = folder.path().join("walk.glb");
        let summary = export(&recording, ExportFormat::Glb, &out, options).unwrap();
        assert_eq!(summary.files, vec![out.clone()]);
        let bytes = std::fs::read(out).unwrap();
        // The length in the header is that of the file, and the file ends on a multiple of four.
        assert_eq!(bytes[8..12], (bytes.len() as u32).to_le_bytes());
        assert_eq!(bytes.len() % 4, 0);
        Read {
            gltf: Gltf::from_slice(&bytes).unwrap(),
            recording,
            _folder: folder,
        }
    }

    fn blob(&self) -> &[u8] {
        self.gltf.blob.as_deref().unwrap()
    }

    fn node(&self, name: &str) -> Node<'_> {
        self.gltf.nodes().find(|n| n.name() == Some(name)).unwrap()
    }

    fn mesh(&self, name: &str) -> Mesh<'_> {
        self.node(name).mesh().unwrap()
    }

    /// Positions and normals of a mesh at each frame, base and morph targets put together.
    fn frames_of(&self, name: &str) -> Vec<(Vec<Vec3>, Vec<Vec3>)> {
        let mesh = self.mesh(name);
        let primitive = mesh.primitives().next().unwrap();
        let reader = primitive.reader(|_| Some(self.blob()));
        let base: Vec<Vec3> = reader.read_positions().unwrap().map(Vec3::from).collect();
        let normals: Vec<Vec3> = reader.read_normals().unwrap().map(Vec3::from).collect();
        let mut frames = vec![(base.clone(), normals.clone())];
        for (positions, turns, _) in reader.read_morph_targets() {
            let moved = positions
                .unwrap()
                .zip(&base)
                .map(|(d, b)| *b + Vec3::from(d));
            let turned = turns
                .unwrap()
                .zip(&normals)
                .map(|(d, n)| *n + Vec3::from(d));
            frames.push((moved.collect(), turned.collect()));
        }
        frames
    }

    fn channel<T>(
        &self,
        node: &str,
        path: gltf::animation::Property,
        read: impl Fn(Vec<f32>, ReadOutputs) -> T,
    ) -> Option<T> {
        let index = self.node(node).index();
        let animation = self.gltf.animations().next()?;
        let channel = animation
            .channels()
            .find(|c| c.target().node().index() == index && c.target().property() == path)?;
        let reader: Reader<_> = channel.reader(|_| Some(self.blob()));
        let times = reader.read_inputs().unwrap().collect();
        Some(read(times, reader.read_outputs().unwrap()))
    }
}

#[test]
fn every_morph_target_is_a_frame_of_the_recording() {
    let read = Read::new(&ExportOptions::default());
    for cloth in read.recording.cloths() {
        let frames = read.frames_of(&cloth.name);
        assert_eq!(frames.len(), FRAMES);
        for (index, (positions, normals)) in frames.iter().enumerate() {
            let recorded = read.recording.frame(index).unwrap().positions;
            let recorded = &recorded[cloth.first_node..][..cloth.node_count];
            assert_eq!(positions.len(), recorded.len());
            for (position, expected) in positions.iter().zip(recorded) {
                assert!(position.distance(expected.as_vec3()) < 1e-6);
            }
            assert!(normals.iter().all(|n| (n.length() - 1.0).abs() < 1e-6));
        }
    }
}

#[test]
fn each_target_has_its_whole_weight_at_its_own_frame() {
    let read = Read::new(&ExportOptions::default());
    for cloth in read.recording.cloths() {
        let path = gltf::animation::Property::MorphTargetWeights;
        let (times, weights) = read
            .channel(&cloth.name, path, |times, outputs| match outputs {
                ReadOutputs::MorphTargetWeights(w) => (times, w.into_f32().collect::<Vec<_>>()),
                _ => panic!("not weights"),
            })
            .unwrap();
        let expected: Vec<f32> = (0..FRAMES).map(|i| (i as f64 / FPS) as f32).collect();
        assert_eq!(times, expected);
        assert_eq!(weights.len(), FRAMES * (FRAMES - 1));
        for (frame, row) in weights.chunks(FRAMES - 1).enumerate() {
            for (target, weight) in row.iter().enumerate() {
                assert_eq!(*weight, if target + 1 == frame { 1.0 } else { 0.0 });
            }
        }
    }
}

#[test]
fn triangles_face_the_way_the_faces_did() {
    let read = Read::new(&ExportOptions::default());
    for cloth in read.recording.cloths() {
        let mesh = read.mesh(&cloth.name);
        let primitive = mesh.primitives().next().unwrap();
        let reader = primitive.reader(|_| Some(read.blob()));
        let corners: Vec<u32> = reader.read_indices().unwrap().into_u32().collect();
        let triangles: usize = cloth.faces.iter().map(|f| f.corners().len() - 2).sum();
        assert_eq!(corners.len(), 3 * triangles);
        let (positions, normals) = &read.frames_of(&cloth.name)[2];
        for corner in corners.chunks(3) {
            let [a, b, c] = [0, 1, 2].map(|k| positions[corner[k] as usize]);
            let normal = (b - a).cross(c - a);
            assert!(normal.z > 0.0, "the fixture's cloths face up");
            assert!(
                corner
                    .iter()
                    .all(|&n| normals[n as usize].dot(normal) > 0.0)
            );
        }
    }
}

#[test]
fn position_accessors_have_their_bounds() {
    let read = Read::new(&ExportOptions::default());
    let mut checked = 0;
    for primitive in read
        .gltf
        .meshes()
        .flat_map(|m| m.primitives().collect::<Vec<_>>())
    {
        let positions = primitive.get(&gltf::Semantic::Positions).unwrap();
        let targets = primitive.morph_targets().map(|t| t.positions().unwrap());
        for accessor in targets.chain([positions]) {
            let view = accessor.view().unwrap();
            assert_eq!(view.target(), Some(gltf::buffer::Target::ArrayBuffer));
            assert_eq!((view.offset() + accessor.offset()) % 4, 0);
            let items =
                gltf::accessor::Iter::<[f32; 3]>::new(accessor.clone(), |_| Some(read.blob()));
            let items: Vec<Vec3> = items.unwrap().map(Vec3::from).collect();
            let low = items.iter().copied().reduce(Vec3::min).unwrap();
            let high = items.iter().copied().reduce(Vec3::max).unwrap();
            let bounds = |value: Option<gltf::json::Value>| -> Vec<f32> {
                let list = value.unwrap();
                let list = list.as_array().unwrap();
                list.iter().map(|x| x.as_f64().unwrap() as f32).collect()
            };
            assert_eq!(bounds(accessor.min()), low.to_array());
            assert_eq!(bounds(accessor.max()), high.to_array());
            checked += 1;
        }
    }
    assert_eq!(checked, 4 + 2 * (FRAMES - 1));
}

#[test]
fn bodies_move_as_recorded_and_resting_ones_have_no_animation() {
    use gltf::animation::Property::{Rotation, Translation};
    let read = Read::new(&ExportOptions::default());
    let translations = read.channel("ball", Translation, |_, outputs| match outputs {
        ReadOutputs::Translations(t) => t.map(Vec3::from).collect::<Vec<_>>(),
        _ => panic!("not translations"),
    });
    let rotations = read.channel("ball", Rotation, |_, outputs| match outputs {
        ReadOutputs::Rotations(r) => r.into_f32().map(Quat::from_array).collect::<Vec<_>>(),
        _ => panic!("not rotations"),
    });
    let (translations, rotations) = (translations.unwrap(), rotations.unwrap());
    assert_eq!((translations.len(), rotations.len()), (FRAMES, FRAMES));
    for index in 0..FRAMES {
        let pose = read.recording.frame(index).unwrap().poses[0];
        let probe = DVec3::new(0.1, -0.2, 0.3);
        let expected = pose.rotation * probe + pose.translation;
        let read = rotations[index] * probe.as_vec3() + translations[index];
        assert!(read.as_dvec3().distance(expected) < 1e-6);
    }
    assert!(rotations.windows(2).all(|pair| pair[0].dot(pair[1]) > 0.0));
    assert!(read.channel("box", Translation, |_, _| ()).is_none());
    let (translation, rotation, _) = read.node("box").transform().decomposed();
    assert_eq!(translation, [0.0, 0.0, -1.0]);
    assert_eq!(rotation, [0.0, 0.0, 0.0, 1.0]);
}

#[test]
fn the_root_turns_z_up_into_y_up_and_holds_everything() {
    let read = Read::new(&ExportOptions::default());
    let scene = read.gltf.default_scene().unwrap();
    let root = scene.nodes().next().unwrap();
    assert_eq!(scene.nodes().count(), 1);
    let names: Vec<_> = root
        .children()
        .map(|n| n.name().unwrap().to_owned())
        .collect();
    assert_eq!(names, ["table cloth", "flag", "ball", "box"]);
    let (_, rotation, _) = root.transform().decomposed();
    let up = Quat::from_array(rotation) * Vec3::Z;
    assert!(up.distance(Vec3::Y) < 1e-6, "{up}");
    let right = Quat::from_array(rotation) * Vec3::X;
    assert!(right.distance(Vec3::X) < 1e-6, "{right}");
}

#[test]
fn materials_are_double_sided_and_show_the_front_colour_in_linear_light() {
    let read = Read::new(&ExportOptions::default());
    let mesh = read.mesh("flag");
    let primitive = mesh.primitives().next().unwrap();
    let material = primitive.material();
    assert!(material.double_sided());
    let [red, green, _, alpha] = material.pbr_metallic_roughness().base_color_factor();
    assert!(
        (red - 0.603_827).abs() < 1e-5 && (green - 0.033_105).abs() < 1e-5,
        "{red} {green}"
    );
    assert_eq!(alpha, 1.0);
}

#[test]
fn title_and_frame_rate_are_extras_of_the_scene() {
    let folder = Folder::new();
    let recording = record(&folder);
    let out = folder.path().join("walk.glb");
    export(
        &recording,
        ExportFormat::Glb,
        &out,
        &ExportOptions::default(),
    )
    .unwrap();
    let bytes = std::fs::read(out).unwrap();
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let json: serde_json::Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    assert_eq!(json["scenes"][0]["extras"]["fps"], FPS);
    assert_eq!(
        json["scenes"][0]["extras"]["title"],
        recording.header().title
    );
    assert_eq!(json["meshes"][0]["extras"]["targetNames"][1], "frame 2");
}

#[test]
fn a_single_frame_is_a_still_without_animation() {
    let read = Read::new(&ExportOptions {
        frames: Some(3..4),
        ..Default::default()
    });
    assert_eq!(read.gltf.animations().count(), 0);
    assert_eq!(read.frames_of("flag").len(), 1);
    let pose = read.recording.frame(3).unwrap().poses[0];
    let (translation, ..) = read.node("ball").transform().decomposed();
    assert_eq!(translation, pose.translation.as_vec3().to_array());
}

#[test]
fn too_many_frames_are_refused_with_advice() {
    let folder = Folder::new();
    let recording = record_frames(&folder, 1600, |_, _| {});
    let out = folder.path().join("walk.glb");
    let mut options = ExportOptions::default();
    let error = export(&recording, ExportFormat::Glb, &out, &options).unwrap_err();
    assert!(matches!(error, ExportError::TooLarge { .. }));
    assert!(
        error.to_string().contains("one frame in 2 (`every`)"),
        "{error}"
    );
    options.every = 2;
    export(&recording, ExportFormat::Glb, &out, &options).unwrap();
    let gltf = Gltf::open(&out).unwrap();
    let primitive = gltf.meshes().next().unwrap().primitives().next().unwrap();
    assert_eq!(primitive.morph_targets().count(), 799);
}

#[test]
fn quads_are_cut_as_the_engine_cuts_them() {
    let read = Read::new(&ExportOptions::default());
    let mesh = read.mesh("table cloth");
    let primitive = mesh.primitives().next().unwrap();
    let reader = primitive.reader(|_| Some(read.blob()));
    let corners: Vec<u32> = reader.read_indices().unwrap().into_u32().collect();
    let faces = &read.recording.cloths()[0].faces;
    let expected: Vec<u32> = faces.iter().flat_map(Face::triangles).flatten().collect();
    assert_eq!(corners, expected);
}
