//! From pairs of triangles to the pairs of elements that may meet.

use super::ownership::Owner;
use crate::geometry::{Bounds, Hit};

/// The pairs of elements whose boxes touch during a step, for exact tests of collision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Candidates {
    /// A node and a triangle that it is no corner of, in ascending order.
    pub point_triangle: Vec<[u32; 2]>,
    /// Two edges without a common node, the lower number first, in ascending order.
    pub edge_edge: Vec<[u32; 2]>,
}

impl Candidates {
    /// Forgets the pairs and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.point_triangle.clear();
        self.edge_edge.clear();
    }
}

/// The elements of the world in their present state.
pub(super) struct Elements<'a> {
    pub owners: &'a [Owner],
    pub node_boxes: &'a [Bounds],
    /// The boxes of the nodes along the diagonals.
    pub node_diagonals: &'a [[Bounds; 2]],
}

impl Elements<'_> {
    /// The box of a triangle.
    #[inline]
    pub fn triangle_box(&self, triangle: u32) -> Bounds {
        let corners = self.owners[triangle as usize].corners;
        let [a, b, c] = corners.map(|v| self.node_boxes[v as usize]);
        a.joined(b).joined(c)
    }

    /// The box of an edge.
    #[inline]
    fn edge_box(&self, ends: [u32; 2]) -> Bounds {
        let [a, b] = ends.map(|v| self.node_boxes[v as usize]);
        a.joined(b)
    }

    /// Whether two elements touch along the diagonals too.
    #[inline]
    fn touch_along_diagonals<const A: usize, const B: usize>(
        &self,
        a: [u32; A],
        b: [u32; B],
    ) -> bool {
        (0..2).all(|k| {
            let join = |all: Bounds, v: u32| all.joined(self.node_diagonals[v as usize][k]);
            let one = a.into_iter().fold(Bounds::EMPTY, join);
            one.touches(&b.into_iter().fold(Bounds::EMPTY, join))
        })
    }

    /// Adds the pairs between what two triangles own.
    pub fn examine(&self, out: &mut Candidates, a: Hit, b: Hit) {
        let [one, other] = [a, b].map(|hit| self.owners[hit.index as usize].corners);
        if !self.touch_along_diagonals(one, other) {
            return;
        }
        self.nodes_against_triangle(out, a, b);
        self.nodes_against_triangle(out, b, a);
        self.edges_against_edges(out, a, b);
    }

    /// Adds the pairs of the nodes that one triangle owns with another triangle.
    #[inline]
    fn nodes_against_triangle(&self, out: &mut Candidates, owner: Hit, triangle: Hit) {
        let corners = &self.owners[triangle.index as usize].corners;
        for node in self.owners[owner.index as usize].nodes() {
            let near = self.node_boxes[node as usize].touches(triangle.bounds);
            if near && !corners.contains(&node) && self.touch_along_diagonals([node], *corners) {
                out.point_triangle.push([node, triangle.index]);
            }
        }
    }

    /// Adds the pairs of an edge that one triangle owns with one that the other owns.
    #[inline]
    fn edges_against_edges(&self, out: &mut Candidates, a: Hit, b: Hit) {
        for (e, [p, q]) in self.owners[a.index as usize].edges() {
            let bounds = self.edge_box([p, q]);
            if !bounds.touches(b.bounds) {
                continue;
            }
            for (f, [r, s]) in self.owners[b.index as usize].edges() {
                let apart = p != r && p != s && q != r && q != s;
                if apart
                    && bounds.touches(&self.edge_box([r, s]))
                    && self.touch_along_diagonals([p, q], [r, s])
                {
                    out.edge_edge.push([e.min(f), e.max(f)]);
                }
            }
        }
    }
}
