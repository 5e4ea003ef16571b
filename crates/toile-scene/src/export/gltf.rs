//! The parts of a glTF document: views, accessors and the one buffer they point into.

use serde_json::{Map, Value, json};

/// Element types of accessors, all of four-byte components, so that everything is aligned by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    Index,
    Scalar,
    Vec2,
    Vec3,
    Vec4,
}

impl Element {
    /// `componentType` (5125 is `UNSIGNED_INT`, 5126 `FLOAT`) and `type` as glTF calls them.
    fn names(self) -> (u32, &'static str) {
        match self {
            Element::Index => (5125, "SCALAR"),
            Element::Scalar => (5126, "SCALAR"),
            Element::Vec2 => (5126, "VEC2"),
            Element::Vec3 => (5126, "VEC3"),
            Element::Vec4 => (5126, "VEC4"),
        }
    }
}

/// What a buffer view is bound to (`bufferView.target`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Vertices,
    Indices,
    Animation,
}

/// A glTF document under construction.
#[derive(Debug, Default)]
pub(super) struct Document {
    pub nodes: Vec<Value>,
    pub meshes: Vec<Value>,
    pub materials: Vec<Value>,
    pub samplers: Vec<Value>,
    pub channels: Vec<Value>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    /// The start of the buffer: everything but the morph targets.
    pub bytes: Vec<u8>,
    /// Length of the whole buffer, with what [`Document::reserve`] promised.
    pub buffer_length: u64,
}

impl Document {
    /// Appends a view that is filled at once.
    fn push_bytes(&mut self, target: Target, data: impl Iterator<Item = [u8; 4]>) -> usize {
        let start = self.bytes.len();
        self.bytes.extend(data.flatten());
        self.buffer_length = self.bytes.len() as u64;
        self.push_view(start as u64, (self.bytes.len() - start) as u64, target)
    }

    /// Appends a view of 12-byte elements that will be written later. After this no more
    /// bytes can be pushed: what was promised comes right behind them.
    pub fn reserve(&mut self, length: u64) -> usize {
        let start = self.buffer_length;
        self.buffer_length += length;
        let view = self.push_view(start, length, Target::Vertices);
        // Several accessors share the view, so it must say how far apart their elements are.
        self.views[view]["byteStride"] = json!(12);
        view
    }

    fn push_view(&mut self, offset: u64, length: u64, target: Target) -> usize {
        let mut view = json!({ "buffer": 0, "byteOffset": offset, "byteLength": length });
        match target {
            Target::Vertices => view["target"] = json!(34962),
            Target::Indices => view["target"] = json!(34963),
            Target::Animation => {}
        }
        self.views.push(view);
        self.views.len() - 1
    }

    /// Appends an accessor; `bounds` are written as `min` and `max`.
    pub fn accessor(
        &mut self,
        view: usize,
        offset: u64,
        count: usize,
        element: Element,
        bounds: Option<[&[f32]; 2]>,
    ) -> usize {
        let (component, kind) = element.names();
        let mut accessor = json!({
            "bufferView": view, "byteOffset": offset, "componentType": component, "count": count, "type": kind,
        });
        if let Some([low, high]) = bounds {
            accessor["min"] = json!(low);
            accessor["max"] = json!(high);
        }
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// Numbers for an animation sampler.
    pub fn animation_floats(&mut self, values: &[f32], element: Element) -> usize {
        let view = self.push_bytes(Target::Animation, values.iter().map(|v| v.to_le_bytes()));
        let width = match element {
            Element::Index | Element::Scalar => 1,
            Element::Vec2 => 2,
            Element::Vec3 => 3,
            Element::Vec4 => 4,
        };
        self.accessor(view, 0, values.len() / width, element, None)
    }

    /// Increasing key times (s); glTF wants their range.
    pub fn key_times(&mut self, times: &[f32]) -> usize {
        let view = self.push_bytes(Target::Animation, times.iter().map(|t| t.to_le_bytes()));
        let bounds = times.first().zip(times.last());
        let bounds =
            bounds.map(|(first, last)| [std::slice::from_ref(first), std::slice::from_ref(last)]);
        self.accessor(view, 0, times.len(), Element::Scalar, bounds)
    }

    /// Positions or normals of vertices.
    pub fn vertices(&mut self, values: &[[f32; 3]], bounds: Option<[[f32; 3]; 2]>) -> usize {
        let flat = values.as_flattened().iter();
        let view = self.push_bytes(Target::Vertices, flat.map(|v| v.to_le_bytes()));
        let bounds = bounds.as_ref().map(|[low, high]| [&low[..], &high[..]]);
        self.accessor(view, 0, values.len(), Element::Vec3, bounds)
    }

    /// Texture coordinates of vertices.
    pub fn pairs(&mut self, values: &[[f32; 2]]) -> usize {
        let flat = values.as_flattened().iter();
        let view = self.push_bytes(Target::Vertices, flat.map(|v| v.to_le_bytes()));
        self.accessor(view, 0, values.len(), Element::Vec2, None)
    }

    /// Differences from a mesh, for a morph target: those that are not zero, or all where that is shorter.
    pub fn differences(&mut self, values: &[[f32; 3]]) -> usize {
        let bounds = super::surface::bounds(values.iter().copied());
        let moved = (0..values.len() as u32).filter(|&k| values[k as usize] != [0.0; 3]);
        let mut moved: Vec<u32> = moved.collect();
        if moved.len() * 16 >= values.len() * 12 {
            return self.vertices(values, Some(bounds));
        }
        // A list may not be empty.
        if moved.is_empty() {
            moved.push(0);
        }
        let places = self.push_bytes(Target::Animation, moved.iter().map(|k| k.to_le_bytes()));
        let numbers = moved.iter().flat_map(|&k| values[k as usize]);
        let numbers = self.push_bytes(Target::Animation, numbers.map(f32::to_le_bytes));
        let (component, kind) = Element::Vec3.names();
        let [low, high] = bounds;
        self.accessors.push(json!({
            "componentType": component, "count": values.len(), "type": kind, "min": low, "max": high,
            "sparse": {
                "count": moved.len(),
                "indices": { "bufferView": places, "componentType": Element::Index.names().0 },
                "values": { "bufferView": numbers },
            },
        }));
        self.accessors.len() - 1
    }

    /// Corners of triangles.
    pub fn triangles(&mut self, triangles: &[[u32; 3]]) -> usize {
        let flat = triangles.as_flattened();
        let view = self.push_bytes(Target::Indices, flat.iter().map(|i| i.to_le_bytes()));
        self.accessor(view, 0, flat.len(), Element::Index, None)
    }

    /// A matt material seen from both sides; the colour is in linear light.
    pub fn material(&mut self, name: &str, [r, g, b]: [f32; 3]) -> usize {
        self.materials.push(json!({
            "name": name,
            "doubleSided": true,
            "pbrMetallicRoughness": {
                "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.85,
            },
        }));
        self.materials.len() - 1
    }

    /// Animates one property (`path`) of a node.
    pub fn animate(&mut self, node: usize, path: &str, input: usize, output: usize) {
        self.samplers
            .push(json!({ "input": input, "output": output, "interpolation": "LINEAR" }));
        let sampler = self.samplers.len() - 1;
        self.channels
            .push(json!({ "sampler": sampler, "target": { "node": node, "path": path } }));
    }

    /// The JSON text; node 0 is the root of the scene.
    pub fn to_json(&self, title: &str, fps: f64) -> String {
        let mut root = Map::new();
        let mut set = |key: &str, value: Value| {
            // glTF forbids empty lists.
            if value.as_array().is_none_or(|list| !list.is_empty()) {
                root.insert(key.into(), value);
            }
        };
        set("asset", json!({ "version": "2.0", "generator": "toile" }));
        set("scene", json!(0));
        let extras = json!({ "title": title, "fps": fps });
        set(
            "scenes",
            json!([{ "name": title, "nodes": [0], "extras": extras }]),
        );
        set("nodes", json!(self.nodes));
        set("meshes", json!(self.meshes));
        set("materials", json!(self.materials));
        set("accessors", json!(self.accessors));
        set("bufferViews", json!(self.views));
        set("buffers", json!([{ "byteLength": self.buffer_length }]));
        if !self.channels.is_empty() {
            let animation =
                json!({ "name": title, "samplers": self.samplers, "channels": self.channels });
            set("animations", json!([animation]));
        }
        Value::Object(root).to_string()
    }
}
