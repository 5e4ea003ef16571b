//! Where a surface passes through itself, decided exactly.
//!
//! A box tree finds the pairs that might meet, exact predicates decide about each.

use super::Face;
use crate::geometry::{Bounds, BoxTree, triangle_triangle};
use glam::DVec3;

/// Two faces that intersect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IntersectingPair {
    /// The faces (counted from 0), the smaller index first.
    pub faces: [u32; 2],
}

/// A triangle on its way through the search.
#[derive(Clone, Copy)]
struct Piece {
    face: u32,
    nodes: [u32; 3],
    corners: [DVec3; 3],
}

/// All pairs of faces that intersect, each once, in increasing order. An empty answer certifies that
/// the surface nowhere touches itself. Faces that name missing nodes or nodes without finite coordinates
/// are passed over, and so are triangles that name a node twice.
///
/// # What counts
/// Faces are closed sets: two faces intersect when they have **any** point in common, be it a single
/// one, except for what they share by construction:
///
/// * faces that name no common node intersect when they so much as touch, also where two different
///   nodes lie at the same place (an unwelded seam);
/// * triangles that name one common node intersect when they meet anywhere but at that node;
/// * triangles that name two common nodes intersect when they meet anywhere but along that edge, which
///   is to say when they are folded flat onto each other;
/// * triangles that name the same three nodes intersect.
///
/// A quad stands for the two triangles that [`Face::triangles`] cuts it into. They are not tested
/// against each other.
///
/// # How exactly
/// Every decision is the sign of a determinant that the adaptive predicates of Shewchuk (1997) get
/// right for the coordinates as stored; rounding can only send a pair to the exact test that did not
/// need it. This holds while no product of three coordinate differences leaves the range of `f64`,
/// so for anything between a nanometre and the solar system. Triangles without area are taken for the
/// segments or points they are; one that shares a node in the middle of its own length with a
/// neighbour may be reported although they only touch there.
pub fn self_intersections(positions: &[DVec3], faces: &[Face]) -> Vec<IntersectingPair> {
    some_self_intersections(positions, faces, usize::MAX)
}

/// The same, but content with about `limit` pairs: a mesh that lies in one heap has more pairs than fit
/// into any memory.
pub(super) fn some_self_intersections(
    positions: &[DVec3],
    faces: &[Face],
    limit: usize,
) -> Vec<IntersectingPair> {
    let pieces = cut_into_triangles(positions, faces);
    let boxes: Vec<_> = pieces.iter().map(|p| Bounds::around(&p.corners)).collect();
    let mut found = BoxTree::new(&boxes).pairs_where(limit, |i, j| {
        let (a, b) = (&pieces[i as usize], &pieces[j as usize]);
        a.face != b.face && pieces_intersect(a, b)
    });
    for pair in &mut found {
        *pair = pair.map(|piece| pieces[piece as usize].face);
        pair.sort_unstable();
    }
    found.sort_unstable();
    found.dedup();
    let named = |faces| IntersectingPair { faces };
    found.into_iter().map(named).collect()
}

fn cut_into_triangles(positions: &[DVec3], faces: &[Face]) -> Vec<Piece> {
    let mut pieces = Vec::with_capacity(faces.len());
    for (index, face) in faces.iter().enumerate() {
        let exists = |n: &u32| positions.get(*n as usize).is_some_and(|p| p.is_finite());
        if !face.corners().iter().all(exists) {
            continue;
        }
        let whole_triangles = face
            .triangles()
            .filter(|[a, b, c]| a != b && b != c && c != a);
        for nodes in whole_triangles {
            pieces.push(Piece {
                face: index as u32,
                nodes,
                corners: nodes.map(|n| positions[n as usize]),
            });
        }
    }
    pieces
}

/// Sorts the case by how many nodes the triangles share.
fn pieces_intersect(a: &Piece, b: &Piece) -> bool {
    let shared = |node: &u32, other: &Piece| other.nodes.contains(node);
    // The shared corners first, the own ones after them, in the same order for both.
    let arrange = |piece: &Piece, other: &Piece| {
        let mut order = [0, 1, 2];
        order.sort_by_key(|&k| {
            let node = piece.nodes[k];
            (!shared(&node, other), node)
        });
        order.map(|k| piece.corners[k])
    };
    let (from_a, from_b) = (arrange(a, b), arrange(b, a));
    match a.nodes.iter().filter(|n| shared(n, b)).count() {
        0 => triangle_triangle::meet(&from_a, &from_b),
        1 => triangle_triangle::meet_beyond_corner(&from_a, &from_b),
        2 => triangle_triangle::meet_beyond_edge(&from_a, &from_b),
        _ => true,
    }
}

#[cfg(test)]
mod tests;
