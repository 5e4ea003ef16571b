//! Neighbours show the same side.

use super::Mesh;
use crate::mesh::Face;
use std::collections::VecDeque;

/// What [`orient`] did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Oriented {
    /// Faces that were turned round.
    pub turned: usize,
    /// Edges where neighbours still face different ways: the surface there has one side only, like a Möbius strip.
    pub one_sided: usize,
}

/// Turns faces so that all of a part show the same side. A closed part has its front outside; of an open one the side that
/// more faces show already is its front. Edges with more than two faces join nothing.
pub fn orient(mesh: &mut Mesh) -> Oriented {
    let neighbours = Neighbours::new(&mesh.faces);
    let mut flip: Vec<Option<bool>> = vec![None; mesh.faces.len()];
    for first in 0..mesh.faces.len() {
        if flip[first].is_some() {
            continue;
        }
        let part = neighbours.spread(first, &mut flip);
        let turned = part.iter().filter(|&&f| flip[f] == Some(true)).count();
        let other_way = match neighbours.is_closed(&part) {
            true => volume(mesh, &part, &flip) < 0.0,
            false => 2 * turned > part.len(),
        };
        if other_way {
            for &face in &part {
                flip[face] = flip[face].map(|flip| !flip);
            }
        }
    }
    let flip: Vec<bool> = flip.into_iter().map(|flip| flip == Some(true)).collect();
    let one_sided = neighbours.conflicts(&flip);
    let mut turned = 0;
    for (index, _) in flip.iter().enumerate().filter(|(_, flip)| **flip) {
        mesh.faces[index] = mesh.faces[index].reversed();
        if let Some(uvs) = &mut mesh.corner_uvs {
            match mesh.faces[index] {
                Face::Tri(_) => uvs[index].swap(1, 2),
                Face::Quad(_) => uvs[index].swap(1, 3),
            }
        }
        turned += 1;
    }
    Oriented { turned, one_sided }
}

/// Six times the volume that a part encloses, once its faces are turned as planned (m³).
fn volume(mesh: &Mesh, part: &[usize], flip: &[Option<bool>]) -> f64 {
    let origin = part
        .first()
        .map(|&f| mesh.positions[mesh.faces[f].corners()[0] as usize]);
    let origin = origin.unwrap_or_default();
    let of_face = |&face: &usize| {
        let sum: f64 = mesh.faces[face]
            .triangles()
            .map(|t| {
                let [a, b, c] = t.map(|n| mesh.positions[n as usize] - origin);
                a.dot(b.cross(c))
            })
            .sum();
        if flip[face] == Some(true) { -sum } else { sum }
    };
    part.iter().map(of_face).sum()
}

/// Which faces share an edge that has no third one.
struct Neighbours {
    /// For each face its neighbours, and whether both walk the edge in the same direction.
    joined: Vec<Vec<(usize, bool)>>,
    /// How many sides of each face have no neighbour.
    open: Vec<usize>,
}

impl Neighbours {
    fn new(faces: &[Face]) -> Self {
        let sides_of = |(index, face): (usize, &Face)| {
            let sides: Vec<_> = face
                .edges()
                .map(|[a, b]| ([a.min(b), a.max(b)], index, a < b))
                .collect();
            sides
        };
        let mut sides: Vec<([u32; 2], usize, bool)> =
            faces.iter().enumerate().flat_map(sides_of).collect();
        sides.sort_unstable();
        let mut joined = vec![Vec::new(); faces.len()];
        let mut open = vec![0; faces.len()];
        for edge in sides.chunk_by(|a, b| a.0 == b.0) {
            match edge {
                [(_, a, forward), (_, b, other)] => {
                    joined[*a].push((*b, forward == other));
                    joined[*b].push((*a, forward == other));
                }
                alone => alone.iter().for_each(|(_, face, _)| open[*face] += 1),
            }
        }
        Neighbours { joined, open }
    }

    /// All faces that hang together with one; those that must be turned to agree with it are marked.
    fn spread(&self, first: usize, flip: &mut [Option<bool>]) -> Vec<usize> {
        flip[first] = Some(false);
        let mut part = vec![first];
        let mut pending = VecDeque::from([first]);
        while let Some(face) = pending.pop_front() {
            let turned = flip[face] == Some(true);
            for &(other, same) in &self.joined[face] {
                if flip[other].is_none() {
                    flip[other] = Some(turned != same);
                    part.push(other);
                    pending.push_back(other);
                }
            }
        }
        part
    }

    fn is_closed(&self, part: &[usize]) -> bool {
        part.iter().all(|&face| self.open[face] == 0)
    }

    /// Edges where two faces would still walk in the same direction.
    fn conflicts(&self, flip: &[bool]) -> usize {
        let pairs = self.joined.iter().enumerate();
        let ends: usize = pairs
            .map(|(face, list)| {
                let wrong = |(other, same): &&(usize, bool)| (flip[face] == flip[*other]) == *same;
                list.iter().filter(wrong).count()
            })
            .sum();
        ends / 2
    }
}
