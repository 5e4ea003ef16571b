//! How large a mesh is, and of what it is made.

use super::connections::{Connections, Groups};
use super::places::finite_bounds;
use super::shapes::Shape;
use crate::mesh::Mesh;

/// Numbers of a mesh. Everything but `nodes`, `triangles`, `quads` and `extents` leaves out faces that
/// name missing nodes or a node twice, and copies of other faces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Statistics {
    /// Nodes.
    pub nodes: usize,
    /// Faces with three corners.
    pub triangles: usize,
    /// Faces with four corners.
    pub quads: usize,
    /// Edges.
    pub edges: usize,
    /// Connected rims: 0 for a closed surface, 1 for a sheet, 2 for a tube. Rims that touch at a node
    /// count as one.
    pub boundary_loops: usize,
    /// Parts that no edge connects.
    pub components: usize,
    /// Nodes that faces use, minus edges, plus faces: 2 for a closed ball, 1 for a sheet, 0 for a tube.
    pub euler_characteristic: i64,
    /// Size along `x`, `y` and `z` (m).
    pub extents: [f64; 3],
    /// Shortest edge (m).
    pub shortest_edge: f64,
    /// Mean length of the edges (m).
    pub mean_edge: f64,
    /// Longest edge (m).
    pub longest_edge: f64,
    /// Smallest angle of any face (rad).
    pub smallest_angle: f64,
    /// Total area (m²).
    pub area: f64,
}

impl Statistics {
    pub(super) fn new(mesh: &Mesh, faces: &[u32], connections: &Connections) -> Self {
        let extents = finite_bounds(mesh).map_or([0.0; 3], |(low, high)| (high - low).into());
        let mut result = Statistics {
            nodes: mesh.positions.len(),
            triangles: mesh.faces.len() - mesh.quad_count(),
            quads: mesh.quad_count(),
            edges: 0,
            boundary_loops: 0,
            components: 0,
            euler_characteristic: 0,
            extents,
            shortest_edge: f64::INFINITY,
            mean_edge: 0.0,
            longest_edge: 0.0,
            smallest_angle: f64::INFINITY,
            area: 0.0,
        };
        result.measure_faces(mesh, faces);
        result.measure_edges(mesh, connections);
        result.count_parts(mesh, faces, connections);
        // A mesh without faces has no shortest edge; 0 is easier to read than infinity.
        for value in [&mut result.shortest_edge, &mut result.smallest_angle] {
            if *value == f64::INFINITY {
                *value = 0.0;
            }
        }
        result
    }

    fn measure_faces(&mut self, mesh: &Mesh, faces: &[u32]) {
        for &face in faces {
            let shape = Shape::new(&mesh.faces[face as usize], &mesh.positions);
            if shape.is_finite() {
                self.area += shape.area();
                self.smallest_angle = self.smallest_angle.min(shape.smallest_angle());
            }
        }
    }

    fn measure_edges(&mut self, mesh: &Mesh, connections: &Connections) {
        let (mut sum, mut measured) = (0.0, 0.0);
        for ([a, b], _) in connections.edge_nodes() {
            self.edges += 1;
            let length = mesh.positions[a as usize].distance(mesh.positions[b as usize]);
            if length.is_finite() {
                self.shortest_edge = self.shortest_edge.min(length);
                self.longest_edge = self.longest_edge.max(length);
                sum += length;
                measured += 1.0;
            }
        }
        if measured > 0.0 {
            self.mean_edge = sum / measured;
        }
    }

    fn count_parts(&mut self, mesh: &Mesh, faces: &[u32], connections: &Connections) {
        let mut parts = Groups::new(mesh.positions.len());
        let mut rims = Groups::new(mesh.positions.len());
        let mut in_face = vec![false; mesh.positions.len()];
        let mut on_rim = vec![false; mesh.positions.len()];
        for ([a, b], face_count) in connections.edge_nodes() {
            parts.join(a, b);
            in_face[a as usize] = true;
            in_face[b as usize] = true;
            if face_count == 1 {
                rims.join(a, b);
                on_rim[a as usize] = true;
                on_rim[b as usize] = true;
            }
        }
        // Nodes that are not part of it are sets of their own.
        let count = |marks: &[bool]| marks.iter().filter(|&&m| m).count();
        let (used, rim) = (count(&in_face), count(&on_rim));
        self.components = parts.count() - (self.nodes - used);
        self.boundary_loops = rims.count() - (self.nodes - rim);
        self.euler_characteristic = used as i64 - self.edges as i64 + faces.len() as i64;
    }
}
