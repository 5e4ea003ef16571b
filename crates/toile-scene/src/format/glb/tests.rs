use super::*;
use serde_json::json;
use std::f64::consts::FRAC_1_SQRT_2;

/// A file under construction: a tetrahedron and the accessors of whatever moves it.
struct File {
    json: Value,
    bytes: Vec<u8>,
}

impl File {
    fn new() -> Self {
        let json = json!({
            "asset": { "version": "2.0" }, "accessors": [], "bufferViews": [], "scenes": [{ "nodes": [0] }],
        });
        let mut file = File {
            json,
            bytes: Vec::new(),
        };
        let corners = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        let positions = file.floats("VEC3", 3, &corners);
        let names: [u8; 12] = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3];
        let indices = file.accessor("SCALAR", 5121, 12, &names);
        file.json["meshes"] = json!([{ "primitives": [{
            "attributes": { "POSITION": positions }, "indices": indices,
        }] }]);
        file.json["nodes"] = json!([{ "mesh": 0 }]);
        file
    }

    fn accessor(&mut self, kind: &str, component: u32, count: usize, bytes: &[u8]) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let view =
            json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() });
        self.bytes.extend(bytes);
        let views = self.json["bufferViews"].as_array_mut().unwrap();
        views.push(view);
        let entry = json!({
            "type": kind, "componentType": component, "count": count, "bufferView": views.len() - 1,
        });
        let accessors = self.json["accessors"].as_array_mut().unwrap();
        accessors.push(entry);
        accessors.len() - 1
    }

    fn floats(&mut self, kind: &str, width: usize, numbers: &[f32]) -> usize {
        let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.accessor(kind, 5126, numbers.len() / width, &bytes)
    }

    /// An animation from 0 to 2 s with one channel.
    fn animate(&mut self, path: &str, node: usize, kind: &str, width: usize, values: &[f32]) {
        let input = self.floats("SCALAR", 1, &[0.0, 2.0]);
        let output = self.floats(kind, width, values);
        self.json["animations"] = json!([{
            "name": "move",
            "samplers": [{ "input": input, "output": output }],
            "channels": [{ "sampler": 0, "target": { "node": node, "path": path } }],
        }]);
    }

    fn encode(&self) -> Vec<u8> {
        let mut json = serde_json::to_vec(&self.json).unwrap();
        json.resize(json.len().next_multiple_of(4), b' ');
        let mut binary = self.bytes.clone();
        binary.resize(binary.len().next_multiple_of(4), 0);
        let mut out = b"glTF".to_vec();
        out.extend(2u32.to_le_bytes());
        out.extend(((28 + json.len() + binary.len()) as u32).to_le_bytes());
        for (kind, chunk) in [(b"JSON", json), (b"BIN\0", binary)] {
            out.extend((chunk.len() as u32).to_le_bytes());
            out.extend(kind);
            out.extend(chunk);
        }
        out
    }

    fn read(&self) -> Result<AnimatedMesh, String> {
        AnimatedMesh::from_bytes(&self.encode(), None)
    }
}

fn near(a: DVec3, b: [f64; 3]) {
    assert!(a.distance(DVec3::from(b)) < 1e-6, "{a} is not {b:?}");
}

#[test]
fn nodes_move_and_turn_and_up_is_up() {
    let mut file = File::new();
    // Along y, which is up, under a parent that is shifted along x.
    file.animate("translation", 1, "VEC3", 3, &[0.0, 0.0, 0.0, 0.0, 4.0, 0.0]);
    file.json["nodes"] = json!([
        { "translation": [7.0, 0.0, 0.0], "children": [1] }, { "mesh": 0, "scale": [2.0, 2.0, 2.0] },
    ]);
    let mesh = file.read().unwrap();
    assert_eq!((mesh.faces().len(), mesh.duration()), (4, 2.0));
    near(mesh.positions(0.5)[0], [7.0, 0.0, 1.0]);
    near(mesh.positions(0.5)[3], [7.0, -2.0, 1.0]);
    near(mesh.positions(9.0)[1], [9.0, 0.0, 4.0]);
    let half = FRAC_1_SQRT_2 as f32;
    file.animate(
        "rotation",
        0,
        "VEC4",
        4,
        &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, half, half],
    );
    file.json["nodes"] = json!([{ "mesh": 0 }]);
    // Halfway of a quarter turn about z (glTF).
    let at = file.read().unwrap().positions(1.0)[1];
    near(at, [FRAC_1_SQRT_2, 0.0, FRAC_1_SQRT_2]);
}

#[test]
fn morph_targets_add_up_by_their_weights() {
    let mut file = File::new();
    let moved = file.floats(
        "VEC3",
        3,
        &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    );
    file.json["meshes"][0]["primitives"][0]["targets"] = json!([{ "POSITION": moved }]);
    file.animate("weights", 0, "SCALAR", 1, &[0.0, 1.0]);
    let mesh = file.read().unwrap();
    near(mesh.positions(0.5)[1], [1.25, 0.0, 0.0]);
    near(mesh.positions(0.5)[2], [0.0, 0.0, 1.0]);
}

#[test]
fn skins_follow_their_joints() {
    let mut file = File::new();
    let joints = file.accessor(
        "VEC4",
        5121,
        4,
        &[0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0],
    );
    let mut weights = vec![0.0; 16];
    for (node, weight) in [0.0, 1.0, 0.5, 0.25].into_iter().enumerate() {
        weights[4 * node] = 1.0 - weight;
        weights[4 * node + 1] = weight;
    }
    let weights = file.floats("VEC4", 4, &weights);
    let attributes = &mut file.json["meshes"][0]["primitives"][0]["attributes"];
    attributes["JOINTS_0"] = json!(joints);
    attributes["WEIGHTS_0"] = json!(weights);
    file.json["nodes"] = json!([
        { "mesh": 0, "skin": 0, "children": [1, 2] }, { "name": "still" }, { "name": "moving" },
    ]);
    file.json["skins"] = json!([{ "joints": [1, 2] }]);
    file.animate("translation", 2, "VEC3", 3, &[0.0, 0.0, 0.0, 8.0, 0.0, 0.0]);
    let places = file.read().unwrap().positions(2.0);
    let moved: Vec<f64> = places.iter().map(|p| p.x).collect();
    assert_eq!(moved, [0.0, 9.0, 4.0, 2.0]);
}

#[test]
fn damaged_files_are_refused_and_never_panic() {
    let mut file = File::new();
    file.animate("translation", 0, "VEC3", 3, &[0.0, 0.0, 0.0, 0.0, 4.0, 0.0]);
    let whole = file.encode();
    for end in (0..whole.len()).step_by(7) {
        let _ = AnimatedMesh::from_bytes(&whole[..end], None);
    }
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x15;
        if let Ok(mesh) = AnimatedMesh::from_bytes(&damaged, None) {
            let _ = mesh.positions(1.0);
        }
    }
    let refused = |change: fn(&mut File), what: &str| {
        let mut file = File::new();
        change(&mut file);
        let error = file.read().err().unwrap_or_default();
        assert!(error.contains(what), "{what:?} not in {error:?}");
    };
    refused(|f| f.bytes[2..6].fill(0xff), "not finite");
    refused(|f| f.bytes.truncate(20), "beyond the end");
    refused(|f| f.bytes[48] = 9, "not there");
    refused(|f| f.json["nodes"] = json!([{}]), "no triangles");
    refused(|f| f.json["nodes"] = json!([{ "mesh": 3 }]), "only 1");
    let named = AnimatedMesh::from_bytes(&whole, Some("jump")).unwrap_err();
    assert!(named.contains("there are: move"), "{named}");
    assert!(
        AnimatedMesh::from_bytes(b"{}", None)
            .unwrap_err()
            .contains(".glb")
    );
}
