//! Vertices for formats in which a vertex has one place in the pattern only.

use crate::recording::Attributes;
use std::collections::HashMap;
use toile::mesh::Face;

/// The vertices of a surface: every node once, in order, and after them one more for each further place that a node has
/// in the pattern, along seams.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Vertices {
    /// The node each vertex shows.
    pub nodes: Vec<u32>,
    /// Texture coordinates of each vertex, if the surface has them.
    pub uvs: Option<Vec<[f32; 2]>>,
    /// The faces as triangles of vertices.
    pub triangles: Vec<[u32; 3]>,
}

impl Vertices {
    pub fn new(node_count: usize, faces: &[Face], attributes: &Attributes) -> Self {
        let mut vertices = Vertices {
            nodes: (0..node_count as u32).collect(),
            uvs: None,
            triangles: faces.iter().flat_map(Face::triangles).collect(),
        };
        if let Some(corner_uvs) = &attributes.corner_uvs {
            vertices.split(faces, corner_uvs);
        }
        vertices
    }

    fn split(&mut self, faces: &[Face], corner_uvs: &[[[f32; 2]; 4]]) {
        let mut places: Vec<Option<[f32; 2]>> = vec![None; self.nodes.len()];
        let mut further: HashMap<(u32, [u32; 2]), u32> = HashMap::new();
        let mut split = Vec::with_capacity(faces.len());
        for (face, uvs) in faces.iter().zip(corner_uvs) {
            let mut corners = [0; 4];
            for ((vertex, &node), &uv) in corners.iter_mut().zip(face.corners()).zip(uvs) {
                *vertex = match places[node as usize] {
                    None => {
                        places[node as usize] = Some(uv);
                        node
                    }
                    Some(known) if known == uv => node,
                    Some(_) => *further
                        .entry((node, uv.map(f32::to_bits)))
                        .or_insert_with(|| {
                            self.nodes.push(node);
                            places.push(Some(uv));
                            self.nodes.len() as u32 - 1
                        }),
                };
            }
            split.push(match face {
                Face::Tri(_) => Face::Tri([corners[0], corners[1], corners[2]]),
                Face::Quad(_) => Face::Quad(corners),
            });
        }
        self.triangles = split.iter().flat_map(Face::triangles).collect();
        self.uvs = Some(places.into_iter().map(Option::unwrap_or_default).collect());
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// A value of each node, for every vertex.
    pub fn spread<'a, T: Copy>(&'a self, values: &'a [T]) -> impl Iterator<Item = T> + 'a {
        self.nodes.iter().map(|&node| values[node as usize])
    }

    /// Whether a node has several places in the pattern.
    pub fn has_seams(&self, node_count: usize) -> bool {
        self.nodes.len() > node_count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_on_a_seam_are_there_once_for_each_place() {
        let faces = [Face::Quad([0, 1, 2, 3]), Face::Tri([1, 0, 4])];
        let uvs = vec![
            [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]],
            // Node 1 keeps its place, node 0 has another one.
            [[1.0, 0.0], [5.0, 0.0], [5.0, 1.0], [0.0, 0.0]],
        ];
        let attributes = Attributes {
            corner_uvs: Some(uvs),
            node_colors: None,
        };
        let vertices = Vertices::new(5, &faces, &attributes);
        assert_eq!(vertices.nodes, [0, 1, 2, 3, 4, 0]);
        assert_eq!(vertices.triangles, [[0, 1, 2], [0, 2, 3], [1, 5, 4]]);
        assert_eq!(vertices.uvs.as_ref().unwrap()[5], [5.0, 0.0]);
        assert!(vertices.has_seams(5));
        assert!(!Vertices::new(5, &faces, &Attributes::default()).has_seams(5));
    }
}
