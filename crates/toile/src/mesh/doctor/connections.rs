//! How faces hang together: duplicates, edges, and the fans of faces around nodes.

use super::{Cases, EdgeFaces, Finding};
use crate::mesh::Mesh;

/// Finds faces with the same corners; answers with the first of each kind.
pub(super) fn check_duplicates(
    mesh: &Mesh,
    faces: Vec<u32>,
    findings: &mut Vec<Finding>,
) -> Vec<u32> {
    let corner_set = |face: u32| {
        let mut set = [u32::MAX; 4];
        let corners = mesh.faces[face as usize].corners();
        set[..corners.len()].copy_from_slice(corners);
        set.sort_unstable();
        set
    };
    let mut sorted: Vec<([u32; 4], u32)> = faces.iter().map(|&f| (corner_set(f), f)).collect();
    sorted.sort_unstable();
    let mut copies: Vec<[u32; 2]> = Vec::new();
    for same in sorted.chunk_by(|a, b| a.0 == b.0) {
        copies.extend(same[1..].iter().map(|copy| [copy.1, same[0].1]));
    }
    copies.sort_unstable();
    let mut cases = Cases::default();
    for &[copy, original] in &copies {
        cases.add([original, copy]);
    }
    cases.report(Finding::DuplicateFace, findings);
    let is_copy = |face: &u32| copies.binary_search_by_key(face, |c| c[0]).is_ok();
    faces.into_iter().filter(|f| !is_copy(f)).collect()
}

/// One side of a face.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    /// The smaller node first.
    nodes: [u32; 2],
    face: u32,
    /// Whether the face walks from the smaller to the larger node.
    forward: bool,
}

/// Sides of faces, grouped by edge.
pub(super) struct Connections {
    sides: Vec<Side>,
    faces: Vec<u32>,
}

impl Connections {
    pub(super) fn new(mesh: &Mesh, faces: &[u32]) -> Self {
        let sides_of = |&face: &u32| {
            let edges = mesh.faces[face as usize].edges();
            edges.map(move |[a, b]| Side {
                nodes: [a.min(b), a.max(b)],
                face,
                forward: a < b,
            })
        };
        let mut sides: Vec<Side> = faces.iter().flat_map(sides_of).collect();
        sides.sort_unstable();
        Connections {
            sides,
            faces: faces.to_vec(),
        }
    }

    fn edges(&self) -> impl Iterator<Item = &[Side]> {
        self.sides.chunk_by(|a, b| a.nodes == b.nodes)
    }

    /// The ends of each edge and how many faces it has.
    pub(super) fn edge_nodes(&self) -> impl Iterator<Item = ([u32; 2], usize)> + '_ {
        self.edges().map(|sides| (sides[0].nodes, sides.len()))
    }

    pub(super) fn has_edge(&self, a: u32, b: u32) -> bool {
        let nodes = [a.min(b), a.max(b)];
        self.sides.binary_search_by_key(&nodes, |s| s.nodes).is_ok()
    }

    /// Finds edges with too many faces, and neighbours that face different ways.
    pub(super) fn check_edges(&self, findings: &mut Vec<Finding>) {
        let (mut crowded, mut inverted) = (Cases::default(), Cases::default());
        for sides in self.edges() {
            let case = || EdgeFaces {
                nodes: sides[0].nodes,
                faces: sides.iter().map(|s| s.face).collect(),
            };
            match sides {
                [a, b] if a.forward == b.forward => inverted.add(case()),
                [_] | [_, _] => {}
                _ => crowded.add(case()),
            }
        }
        crowded.report(Finding::NonManifoldEdge, findings);
        inverted.report(Finding::Inverted, findings);
    }

    /// Finds nodes whose faces form more than one fan.
    pub(super) fn check_nodes(&self, mesh: &Mesh, findings: &mut Vec<Finding>) {
        // Each corner links the two nodes beside it; a fan is what hangs together by such links.
        let mut links: Vec<[u32; 3]> = Vec::with_capacity(self.sides.len());
        for &face in &self.faces {
            let corners = mesh.faces[face as usize].corners();
            let count = corners.len();
            let beside = |k: usize| [corners[(k + 1) % count], corners[(k + count - 1) % count]];
            links.extend((0..count).map(|k| [corners[k], beside(k)[0], beside(k)[1]]));
        }
        links.sort_unstable();
        let mut cases = Cases::default();
        for around in links.chunk_by(|a, b| a[0] == b[0]) {
            if count_fans(around) > 1 {
                cases.add(around[0][0]);
            }
        }
        cases.report(Finding::NonManifoldNode, findings);
    }
}

fn count_fans(links: &[[u32; 3]]) -> usize {
    let mut beside: Vec<u32> = links.iter().flat_map(|link| [link[1], link[2]]).collect();
    beside.sort_unstable();
    beside.dedup();
    let place = |node: u32| beside.partition_point(|&n| n < node) as u32;
    let mut groups = Groups::new(beside.len());
    for &[_, a, b] in links {
        groups.join(place(a), place(b));
    }
    groups.count()
}

/// Disjoint sets: who hangs together with whom.
pub(in crate::mesh) struct Groups {
    parent: Vec<u32>,
}

impl Groups {
    pub(in crate::mesh) fn new(members: usize) -> Self {
        Groups {
            parent: (0..members as u32).collect(),
        }
    }

    pub(in crate::mesh) fn root(&mut self, mut member: u32) -> u32 {
        while self.parent[member as usize] != member {
            // Halves the path on the way, so that the next walk is short.
            let grandparent = self.parent[self.parent[member as usize] as usize];
            self.parent[member as usize] = grandparent;
            member = grandparent;
        }
        member
    }

    pub(in crate::mesh) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }

    /// How many sets there are.
    pub(super) fn count(&self) -> usize {
        (0..).zip(&self.parent).filter(|(k, p)| k == *p).count()
    }
}
