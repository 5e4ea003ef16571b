//! Animated meshes from binary glTF 2.0 (`.glb`): moving nodes, morph targets and skins.
//!
//! Read are triangles, their positions, and whatever moves them. Materials, cameras, and other animations than the chosen one are passed over.
//! The crate `gltf` reads the file's tables, but turning them into positions at a time is left to its users, and that is most of the work; what is needed
//! of the tables is small.

mod accessor;
mod motion;
#[cfg(test)]
mod tests;

use super::{FormatError, ParseError, Place};
use crate::files::Files;
use accessor::Buffer;
use glam::{DMat4, DVec2, DVec3};
use motion::Animation;
use serde_json::Value;
use std::path::Path;
use toile::mesh::Face;

/// A scene of meshes that move, as one mesh with z up.
#[derive(Clone, Debug)]
pub struct AnimatedMesh {
    nodes: Vec<Node>,
    /// Nodes without a parent in the scene.
    roots: Vec<usize>,
    parts: Vec<Part>,
    skins: Vec<Skin>,
    animation: Option<Animation>,
    faces: Vec<Face>,
    /// Of every face's corners, as long as all parts have texture coordinates.
    corner_uvs: Option<Vec<[DVec2; 4]>>,
}

/// A node of the scene as it stands unanimated.
#[derive(Clone, Debug)]
struct Node {
    place: motion::Trs,
    /// A matrix in place of the above; such nodes cannot be animated.
    matrix: Option<DMat4>,
    children: Vec<usize>,
    weights: Vec<f64>,
}

/// Triangles on a node.
#[derive(Clone, Debug)]
struct Part {
    node: usize,
    positions: Vec<DVec3>,
    /// Displacements of each morph target.
    targets: Vec<Vec<DVec3>>,
    skin: Option<usize>,
    /// Joints and weights of every node, if it has a skin.
    bones: Vec<[(usize, f64); 4]>,
}

#[derive(Clone, Debug)]
struct Skin {
    joints: Vec<usize>,
    inverse_bind: Vec<DMat4>,
}

/// Something in the file that is not as it should be.
type Flaw = String;

/// The number of a mesh, and of its skin.
type Worn = (usize, Option<usize>);

impl AnimatedMesh {
    /// Reads a `.glb` file. `animation` is a name; without one the first animation is taken.
    pub fn read(
        files: &dyn Files,
        path: &Path,
        animation: Option<&str>,
    ) -> Result<Self, FormatError> {
        let bytes = files.read(path);
        let bytes = bytes.map_err(|error| ParseError::from(error).in_file(path))?;
        let refuse = |flaw: Flaw| ParseError::at(Place::WholeFile, flaw).in_file(path);
        Self::from_bytes(&bytes, animation).map_err(refuse)
    }

    /// Reads the bytes of such a file.
    pub fn from_bytes(bytes: &[u8], animation: Option<&str>) -> Result<Self, String> {
        let (json, binary) = chunks(bytes)?;
        let root: Value = serde_json::from_slice(json).map_err(|e| format!("its JSON: {e}"))?;
        let buffer = Buffer::new(&root, binary);
        let nodes: Vec<Node> = list(&root, "nodes")
            .iter()
            .map(Node::new)
            .collect::<Result<_, _>>()?;
        let roots = roots(&root, &nodes)?;
        let skins = list(&root, "skins")
            .iter()
            .map(|skin| Skin::new(skin, &buffer, nodes.len()))
            .collect::<Result<Vec<_>, _>>()?;
        let mut mesh = AnimatedMesh {
            animation: Animation::choose(&root, &buffer, nodes.len(), animation)?,
            nodes,
            roots,
            parts: Vec::new(),
            skins,
            faces: Vec::new(),
            corner_uvs: Some(Vec::new()),
        };
        for (node, worn) in mesh.worn(&root)? {
            mesh.add(&root, &buffer, node, worn)?;
        }
        if mesh.faces.is_empty() {
            return Err("its scene shows no triangles".into());
        }
        Ok(mesh)
    }

    /// Which nodes of the scene show a mesh, and with which skin.
    fn worn(&self, root: &Value) -> Result<Vec<(usize, Worn)>, Flaw> {
        let mut found = Vec::new();
        let mut pending = self.roots.clone();
        pending.reverse();
        while let Some(node) = pending.pop() {
            let value = &root["nodes"][node];
            if let Some(mesh) = index(value, "mesh", list(root, "meshes").len())? {
                let skin = index(value, "skin", self.skins.len())?;
                found.push((node, (mesh, skin)));
            }
            pending.extend(self.nodes[node].children.iter().rev());
        }
        Ok(found)
    }

    fn add(
        &mut self,
        root: &Value,
        buffer: &Buffer,
        node: usize,
        (mesh, skin): Worn,
    ) -> Result<(), Flaw> {
        let mesh = &root["meshes"][mesh];
        if self.nodes[node].weights.is_empty() {
            self.nodes[node].weights = numbers(&mesh["weights"]);
        }
        for primitive in list(mesh, "primitives") {
            if primitive["mode"].as_u64().unwrap_or(4) != 4 {
                continue; // points, lines and strips bound nothing
            }
            let attributes = &primitive["attributes"];
            let positions = buffer.vectors(&attributes["POSITION"])?;
            let count = positions.len();
            let corners = match &primitive["indices"] {
                Value::Null => (0..count as u32).collect(),
                indices => buffer.integers(indices)?,
            };
            if corners.iter().any(|&n| n as usize >= count) {
                return Err("a triangle names a node that is not there".into());
            }
            let mut targets = Vec::new();
            for target in list(primitive, "targets") {
                let moved = match &target["POSITION"] {
                    Value::Null => vec![DVec3::ZERO; count],
                    place => buffer.vectors(place)?,
                };
                if moved.len() != count {
                    return Err("a morph target has another number of nodes than its mesh".into());
                }
                targets.push(moved);
            }
            let bones = match skin {
                None => Vec::new(),
                Some(skin) => buffer.bones(attributes, count, self.skins[skin].joints.len())?,
            };
            let first: u32 = self
                .parts
                .iter()
                .map(|part| part.positions.len() as u32)
                .sum();
            let uvs = match &attributes["TEXCOORD_0"] {
                Value::Null => None,
                place => Some(buffer.pairs(place)?).filter(|uvs| uvs.len() == count),
            };
            self.add_uvs(uvs.as_deref(), &corners);
            let triangles = corners.chunks_exact(3);
            let face = |t: &[u32]| Face::Tri([t[0] + first, t[1] + first, t[2] + first]);
            self.faces.extend(triangles.map(face));
            self.parts.push(Part {
                node,
                positions,
                targets,
                skin,
                bones,
            });
        }
        Ok(())
    }

    /// Keeps the texture coordinates of a part's triangles, v upwards as in other formats.
    fn add_uvs(&mut self, uvs: Option<&[DVec2]>, corners: &[u32]) {
        let (Some(uvs), Some(list)) = (uvs, &mut self.corner_uvs) else {
            self.corner_uvs = None;
            return;
        };
        let place = |n: u32| DVec2::new(uvs[n as usize].x, 1.0 - uvs[n as usize].y);
        let triangles = corners.chunks_exact(3);
        list.extend(triangles.map(|t| [place(t[0]), place(t[1]), place(t[2]), DVec2::ZERO]));
    }

    /// The texture coordinates of the triangles' corners, v upwards, if all of them have any.
    pub fn corner_uvs(&self) -> Option<&[[DVec2; 4]]> {
        self.corner_uvs.as_deref()
    }

    /// The triangles, the same at all times.
    pub fn faces(&self) -> &[Face] {
        &self.faces
    }

    /// How long the animation lasts (s); 0 without one.
    pub fn duration(&self) -> f64 {
        self.animation.as_ref().map_or(0.0, Animation::duration)
    }

    /// All nodes at a time of the animation (m), z up.
    pub fn positions(&self, time: f64) -> Vec<DVec3> {
        let mut places: Vec<motion::Trs> = self.nodes.iter().map(|node| node.place).collect();
        let mut weights: Vec<Vec<f64>> = self.nodes.iter().map(|n| n.weights.clone()).collect();
        if let Some(animation) = &self.animation {
            animation.apply(time, &mut places, &mut weights);
        }
        let mut world = vec![DMat4::IDENTITY; self.nodes.len()];
        let mut pending: Vec<(usize, DMat4)> = self
            .roots
            .iter()
            .map(|&root| (root, DMat4::IDENTITY))
            .collect();
        while let Some((node, above)) = pending.pop() {
            let own = self.nodes[node]
                .matrix
                .unwrap_or_else(|| places[node].matrix());
            world[node] = above * own;
            pending.extend(
                self.nodes[node]
                    .children
                    .iter()
                    .map(|&child| (child, world[node])),
            );
        }
        let mut all = Vec::new();
        for part in &self.parts {
            let joints: Vec<DMat4> = part.skin.map_or_else(Vec::new, |skin| {
                let Skin {
                    joints,
                    inverse_bind,
                } = &self.skins[skin];
                let pairs = joints.iter().zip(inverse_bind);
                pairs.map(|(&joint, bind)| world[joint] * *bind).collect()
            });
            for (node, rest) in part.positions.iter().enumerate() {
                let morphs = part.targets.iter().zip(&weights[part.node]);
                let shape = *rest + morphs.map(|(t, w)| *w * t[node]).sum::<DVec3>();
                let placed = match part.bones.get(node) {
                    None => world[part.node].transform_point3(shape),
                    Some(bones) => bones
                        .iter()
                        .map(|&(joint, weight)| weight * joints[joint].transform_point3(shape))
                        .sum(),
                };
                // glTF is y up, scenes are z up.
                all.push(DVec3::new(placed.x, -placed.z, placed.y));
            }
        }
        all
    }
}

impl Node {
    fn new(value: &Value) -> Result<Self, Flaw> {
        let matrix = numbers(&value["matrix"]);
        let children = list(value, "children").iter().filter_map(Value::as_u64);
        Ok(Node {
            place: motion::Trs::of_node(value)?,
            matrix: (matrix.len() == 16).then(|| DMat4::from_cols_slice(&matrix)),
            children: children.map(|child| child as usize).collect(),
            weights: numbers(&value["weights"]),
        })
    }
}

impl Skin {
    fn new(value: &Value, buffer: &Buffer, nodes: usize) -> Result<Self, Flaw> {
        let joints = list(value, "joints").iter().filter_map(Value::as_u64);
        let joints: Vec<usize> = joints.map(|joint| joint as usize).collect();
        if joints.iter().any(|&joint| joint >= nodes) {
            return Err("a skin names a node that is not there".into());
        }
        let inverse_bind = match &value["inverseBindMatrices"] {
            Value::Null => vec![DMat4::IDENTITY; joints.len()],
            place => buffer.matrices(place)?,
        };
        if inverse_bind.len() < joints.len() {
            return Err("a skin has fewer matrices than joints".into());
        }
        Ok(Skin {
            joints,
            inverse_bind,
        })
    }
}

/// The nodes at the top of the scene that is shown, or of all if none is named. Nodes must form trees.
fn roots(root: &Value, nodes: &[Node]) -> Result<Vec<usize>, Flaw> {
    let mut parents = vec![0; nodes.len()];
    for child in nodes.iter().flat_map(|node| &node.children) {
        match parents.get_mut(*child) {
            Some(count) => *count += 1,
            None => return Err("a node has a child that is not there".into()),
        }
    }
    if parents.iter().any(|&count| count > 1) {
        return Err("a node has two parents".into());
    }
    let scene = root["scene"].as_u64().unwrap_or(0) as usize;
    let named = list(&root["scenes"][scene], "nodes")
        .iter()
        .filter_map(Value::as_u64);
    let named: Vec<usize> = named.map(|node| node as usize).collect();
    if named.iter().any(|&node| parents.get(node) != Some(&0)) {
        return Err("its scene names a node that is not there or not at the top".into());
    }
    Ok(match named.is_empty() {
        true => (0..nodes.len())
            .filter(|&node| parents[node] == 0)
            .collect(),
        false => named,
    })
}

/// The JSON and the binary chunk.
fn chunks(bytes: &[u8]) -> Result<(&[u8], &[u8]), Flaw> {
    let word = |at: usize| {
        let four = bytes.get(at..at + 4)?;
        Some(u32::from_le_bytes([four[0], four[1], four[2], four[3]]))
    };
    if bytes.get(..4) != Some(b"glTF") || word(4) != Some(2) {
        return Err(
            "it is no binary glTF 2.0; save it as .glb, in which meshes and motion are one file"
                .into(),
        );
    }
    let (mut json, mut binary): (&[u8], &[u8]) = (&[], &[]);
    let mut at = 12;
    while let (Some(length), Some(kind)) = (word(at), word(at + 4)) {
        let start = at + 8;
        let end = start.checked_add(length as usize);
        let Some(data) = end.and_then(|end| bytes.get(start..end)) else {
            return Err("it ends too early".into());
        };
        match &kind.to_le_bytes() {
            b"JSON" => json = data,
            b"BIN\0" => binary = data,
            _ => {}
        }
        at = start + length as usize;
    }
    Ok((json, binary))
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

fn numbers(value: &Value) -> Vec<f64> {
    let all = value.as_array().into_iter().flatten();
    all.filter_map(Value::as_f64).collect()
}

/// A number of something that there are `count` of.
fn index(value: &Value, key: &str, count: usize) -> Result<Option<usize>, Flaw> {
    match value[key].as_u64() {
        None => Ok(None),
        Some(n) if (n as usize) < count => Ok(Some(n as usize)),
        Some(n) => Err(format!("{key} {n} is named, but there are only {count}")),
    }
}
