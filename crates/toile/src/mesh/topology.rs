//! What follows from the faces alone: edges, cross edges, boundary loops, neighbours.

use super::Face;
use std::collections::HashMap;
use thiserror::Error;

/// No face on this side of an edge.
pub const NO_FACE: u32 = u32::MAX;

/// An undirected edge; `nodes[0] < nodes[1]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// End nodes, the smaller index first.
    pub nodes: [u32; 2],
    /// The faces on either side, in the order they were met.
    faces: [u32; 2],
}

impl Edge {
    /// The one or two faces that meet at the edge.
    pub fn faces(&self) -> impl Iterator<Item = u32> + '_ {
        self.faces.iter().copied().filter(|&f| f != NO_FACE)
    }

    /// Whether only one face has this edge.
    pub fn is_boundary(&self) -> bool {
        self.faces[1] == NO_FACE
    }
}

/// Why two nodes that share no edge are a cross edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrossKind {
    /// They face each other across this edge, which two triangles share.
    TrianglePair {
        /// The shared edge.
        edge: u32,
    },
    /// They are opposite corners of this quad.
    QuadDiagonal {
        /// The quad.
        face: u32,
    },
}

/// Two nodes that face each other across a triangle pair or a quad: what resists shear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CrossEdge {
    /// The two nodes, the smaller index first.
    pub nodes: [u32; 2],
    /// Where they face each other.
    pub kind: CrossKind,
}

/// A mesh whose faces do not form a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum TopologyError {
    /// A corner names a node that is not there.
    #[error("face {face} names node {node}, but the mesh has only {nodes} nodes")]
    IndexOutOfRange {
        /// The face (counted from 0).
        face: usize,
        /// The node it names.
        node: u32,
        /// How many there are.
        nodes: usize,
    },
    /// A face visits a node twice.
    #[error("face {face} names node {node} twice, so it has no area; remove the face")]
    RepeatedCorner {
        /// The face (counted from 0).
        face: usize,
        /// The node it repeats.
        node: u32,
    },
    /// Three or more faces meet at an edge.
    #[error(
        "the edge between nodes {} and {} belongs to more than two faces (the third is face {face}); \
         cloth must be a surface: split the edge's nodes or remove the extra face", .nodes[0], .nodes[1]
    )]
    NonManifoldEdge {
        /// The edge's ends.
        nodes: [u32; 2],
        /// The third face found there (counted from 0).
        face: usize,
    },
    /// More nodes than 32-bit indices can name.
    #[error("the mesh has {nodes} nodes; at most {} can be indexed", u32::MAX - 1)]
    TooManyNodes {
        /// How many there are.
        nodes: usize,
    },
}

/// Edges, cross edges and boundary loops of a set of faces.
#[derive(Clone, Debug, Default)]
pub struct Topology {
    /// Number of nodes.
    pub node_count: usize,
    /// The faces, as given.
    pub faces: Vec<Face>,
    /// Every edge once, ordered by its first node, then its second.
    pub edges: Vec<Edge>,
    /// Opposite nodes of triangle pairs and the diagonals of quads, in the order of edges, then faces.
    pub cross_edges: Vec<CrossEdge>,
    /// Closed walks around each hole and outer rim, with the cloth on the left. Each starts at its
    /// smallest node.
    pub boundary_loops: Vec<Vec<u32>>,
}

impl Topology {
    /// Finds edges, cross edges and boundary loops.
    pub fn new(node_count: usize, faces: Vec<Face>) -> Result<Self, TopologyError> {
        if node_count >= u32::MAX as usize {
            return Err(TopologyError::TooManyNodes { nodes: node_count });
        }
        check_faces(node_count, &faces)?;
        let edges = find_edges(&faces)?;
        let cross_edges = find_cross_edges(&edges, &faces);
        let boundary_loops = find_boundary_loops(&edges, &faces);
        Ok(Topology {
            node_count,
            faces,
            edges,
            cross_edges,
            boundary_loops,
        })
    }

    /// The nodes next to each node along edges, in increasing order.
    pub fn node_neighbours(&self) -> Vec<Vec<u32>> {
        let mut neighbours = vec![Vec::new(); self.node_count];
        for edge in &self.edges {
            let [a, b] = edge.nodes;
            neighbours[a as usize].push(b);
            neighbours[b as usize].push(a);
        }
        for list in &mut neighbours {
            list.sort_unstable();
        }
        neighbours
    }
}

fn check_faces(node_count: usize, faces: &[Face]) -> Result<(), TopologyError> {
    for (index, face) in faces.iter().enumerate() {
        let corners = face.corners();
        for (k, &node) in corners.iter().enumerate() {
            if node as usize >= node_count {
                return Err(TopologyError::IndexOutOfRange {
                    face: index,
                    node,
                    nodes: node_count,
                });
            }
            if corners[..k].contains(&node) {
                return Err(TopologyError::RepeatedCorner { face: index, node });
            }
        }
    }
    Ok(())
}

fn find_edges(faces: &[Face]) -> Result<Vec<Edge>, TopologyError> {
    // Sorting the directed edges groups those of one edge, and needs far less memory than a hash map.
    let mut sides: Vec<([u32; 2], u32)> = faces
        .iter()
        .enumerate()
        .flat_map(|(f, face)| {
            face.edges()
                .map(move |[a, b]| ([a.min(b), a.max(b)], f as u32))
        })
        .collect();
    sides.sort_unstable();
    let mut edges: Vec<Edge> = Vec::with_capacity(sides.len() / 2 + 1);
    for (nodes, face) in sides {
        match edges.last_mut() {
            Some(last) if last.nodes == nodes => {
                if last.faces[1] != NO_FACE {
                    return Err(TopologyError::NonManifoldEdge {
                        nodes,
                        face: face as usize,
                    });
                }
                last.faces[1] = face;
            }
            _ => edges.push(Edge {
                nodes,
                faces: [face, NO_FACE],
            }),
        }
    }
    Ok(edges)
}

fn find_cross_edges(edges: &[Edge], faces: &[Face]) -> Vec<CrossEdge> {
    let ordered = |a: u32, b: u32| [a.min(b), a.max(b)];
    let across = |face: u32, edge: &Edge| match faces[face as usize] {
        Face::Tri(t) => t.into_iter().find(|n| !edge.nodes.contains(n)),
        Face::Quad(_) => None,
    };
    let mut found = Vec::new();
    for (index, edge) in edges.iter().enumerate() {
        if edge.is_boundary() {
            continue;
        }
        let [left, right] = edge.faces;
        if let (Some(a), Some(b)) = (across(left, edge), across(right, edge))
            && a != b
        {
            found.push(CrossEdge {
                nodes: ordered(a, b),
                kind: CrossKind::TrianglePair { edge: index as u32 },
            });
        }
    }
    for (index, face) in faces.iter().enumerate() {
        if let Face::Quad([a, b, c, d]) = *face {
            for (p, q) in [(a, c), (b, d)] {
                found.push(CrossEdge {
                    nodes: ordered(p, q),
                    kind: CrossKind::QuadDiagonal { face: index as u32 },
                });
            }
        }
    }
    found
}

fn find_boundary_loops(edges: &[Edge], faces: &[Face]) -> Vec<Vec<u32>> {
    // A boundary edge is walked in the direction its only face has it, so the cloth is on the left.
    let mut next: HashMap<u32, Vec<u32>> = HashMap::new();
    let mut starts = Vec::new();
    for edge in edges.iter().filter(|e| e.is_boundary()) {
        let [a, b] = edge.nodes;
        let forward = faces[edge.faces[0] as usize]
            .edges()
            .any(|side| side == [a, b]);
        let (from, to) = if forward { (a, b) } else { (b, a) };
        next.entry(from).or_default().push(to);
        starts.push(from);
    }
    starts.sort_unstable();
    for targets in next.values_mut() {
        // Popped from the back: the smallest is walked first.
        targets.sort_unstable_by(|a, b| b.cmp(a));
    }
    let mut loops = Vec::new();
    for start in starts {
        let mut walk = vec![start];
        let mut here = start;
        while let Some(to) = next.get_mut(&here).and_then(Vec::pop) {
            if to == start {
                break;
            }
            walk.push(to);
            here = to;
        }
        if walk.len() > 1 {
            loops.push(walk);
        }
    }
    loops
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_triangles() -> Vec<Face> {
        vec![Face::Tri([0, 1, 2]), Face::Tri([0, 2, 3])]
    }

    #[test]
    fn a_square_of_two_triangles_has_one_cross_edge_and_one_loop() {
        let t = Topology::new(4, two_triangles()).unwrap();
        assert_eq!(t.edges.len(), 5);
        assert_eq!(t.cross_edges.len(), 1);
        assert_eq!(t.cross_edges[0].nodes, [1, 3]);
        assert_eq!(t.boundary_loops, vec![vec![0, 1, 2, 3]]);
    }

    #[test]
    fn a_quad_has_its_diagonals_as_cross_edges() {
        let t = Topology::new(4, vec![Face::Quad([0, 1, 2, 3])]).unwrap();
        assert_eq!(t.edges.len(), 4);
        let pairs: Vec<_> = t.cross_edges.iter().map(|c| c.nodes).collect();
        assert_eq!(pairs, vec![[0, 2], [1, 3]]);
    }

    #[test]
    fn three_faces_at_an_edge_are_refused_by_name() {
        let faces = vec![
            Face::Tri([0, 1, 2]),
            Face::Tri([1, 0, 3]),
            Face::Tri([0, 1, 4]),
        ];
        let error = Topology::new(5, faces).unwrap_err();
        assert_eq!(
            error,
            TopologyError::NonManifoldEdge {
                nodes: [0, 1],
                face: 2
            }
        );
    }

    #[test]
    fn indices_out_of_range_and_repeated_corners_are_refused() {
        assert!(matches!(
            Topology::new(3, vec![Face::Tri([0, 1, 3])]),
            Err(TopologyError::IndexOutOfRange { node: 3, .. })
        ));
        assert!(matches!(
            Topology::new(3, vec![Face::Tri([0, 1, 1])]),
            Err(TopologyError::RepeatedCorner { node: 1, .. })
        ));
    }

    #[test]
    fn loops_that_touch_at_a_node_are_walked_without_repeating_an_edge() {
        // Two triangles that share only node 0.
        let t = Topology::new(5, vec![Face::Tri([0, 1, 2]), Face::Tri([0, 3, 4])]).unwrap();
        let sides: usize = t.boundary_loops.iter().map(Vec::len).sum();
        assert_eq!(sides, 6);
    }
}
