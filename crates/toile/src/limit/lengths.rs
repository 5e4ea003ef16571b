//! Quasi-inextensible cloth: every edge keeps its length, and nothing else is held.
//!
//! For each edge `l²/l̄² − 1 = 0`, a quadratic form of the positions (Goldenthal et al. 2007, "Efficient
//! simulation of inextensible cloth"). It is solved in the form `C = 2 (l/l̄ − 1)`, which has the same roots
//! and, there, the same gradients: the lengths of a taut row add up to the distance of its ends, their
//! squares do not, and a projection would try in vain to mend the difference. Edges of quads run along warp
//! and weft, so a mesh of quads does not stretch but may shear; diagonals are left to soft springs. On
//! triangles all edges are held, shear with them, and the cloth locks: a square of `2N²` triangles has only
//! `4N + 3` degrees of freedom left (Jin et al. 2017, "Inequality cloth", section 2). That is what
//! [`Metric`](super::Metric) is for.

use super::constraints::{Constraints, Gradient, LANES, Shape};
use super::forms::{Draft, QuadraticForms};
use crate::mesh::{RestShape, Topology};
use glam::DVec3;
use thiserror::Error;

/// Squares of relative lengths below this count as it: an edge without length has no direction. Only kept
/// from dividing by zero.
const LEAST_SQUARE: f64 = 1e-12;

/// Edges that share a stencil: more would widen the factor's front.
const TOGETHER: usize = 2;

/// Lengths that cannot be held.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum LengthsError {
    /// An edge has no length at rest.
    #[error(
        "the edge between nodes {} and {} has the rest length {length} m; it must be finite and above 0: merge its \
         nodes or mend the rest shape", .nodes[0], .nodes[1]
    )]
    Length {
        /// The ends of the edge (counted from 0 in the cloth).
        nodes: [u32; 2],
        /// Its rest length (m).
        length: f64,
    },
    /// The rest shape is not that of the cloth.
    #[error(
        "the rest shape has {given} edges, the cloth {edges}; both must come from the same mesh"
    )]
    Mismatch {
        /// Edges of the rest shape.
        given: usize,
        /// Edges of the cloth.
        edges: usize,
    },
}

/// The lengths of a cloth's edges.
#[derive(Clone, Debug)]
pub struct Lengths {
    forms: QuadraticForms,
    /// Which stencils may be shorter.
    one_sided: Vec<bool>,
}

impl Lengths {
    /// Every edge of the faces keeps its rest length; diagonals of quads are no edges. `first_node` is the
    /// number of the cloth's first node in the world.
    pub fn new(
        topology: &Topology,
        rest: &RestShape,
        first_node: u32,
    ) -> Result<Self, LengthsError> {
        check_lengths(topology, rest)?;
        let mut forms = QuadraticForms::default();
        let edges: Vec<usize> = (0..topology.edges.len()).collect();
        // Edges are sorted by their first node: those of one node fill a stencil.
        let same_node =
            |a: &usize, b: &usize| topology.edges[*a].nodes[0] == topology.edges[*b].nodes[0];
        for star in edges.chunk_by(same_node) {
            push_edges(&mut forms, topology, rest, star, first_node);
        }
        let one_sided = vec![false; forms.stencils()];
        Ok(Lengths { forms, one_sided })
    }
}

impl Lengths {
    /// Pairs of nodes (in the cloth) with the distance (m) that they keep, or may not exceed if the pair is
    /// one-sided. Distances must be finite and above 0. Pairs of the same first node share stencils if they
    /// follow one another.
    pub(super) fn of_pairs(pairs: &[([u32; 2], f64, bool)], first_node: u32) -> Self {
        let (mut forms, mut one_sided) = (QuadraticForms::default(), Vec::new());
        for group in pairs.chunk_by(|a, b| a.0[0] == b.0[0] && a.2 == b.2) {
            for few in group.chunks(TOGETHER) {
                let mut nodes: Vec<u32> = few.iter().flat_map(|(nodes, ..)| *nodes).collect();
                nodes.sort_unstable();
                nodes.dedup();
                let mut draft = Draft::new(nodes, few.len());
                for (row, &(ends, length, _)) in few.iter().enumerate() {
                    draft.add_length(row, ends, length);
                }
                forms.push(&draft, first_node);
                one_sided.push(few[0].2);
            }
        }
        Lengths { forms, one_sided }
    }
}

/// Refuses rest shapes with edges that have no length.
pub(super) fn check_lengths(topology: &Topology, rest: &RestShape) -> Result<(), LengthsError> {
    let (given, edges) = (rest.edge_lengths.len(), topology.edges.len());
    if given != edges {
        return Err(LengthsError::Mismatch { given, edges });
    }
    for (edge, &length) in topology.edges.iter().zip(&rest.edge_lengths) {
        // The square must be a good number too.
        let square = length * length;
        if !(length > 0.0 && square.is_normal() && (1.0 / square).is_normal()) {
            let nodes = edge.nodes;
            return Err(LengthsError::Length { nodes, length });
        }
    }
    Ok(())
}

/// Adds the lengths of edges that follow one another, a few to a stencil.
pub(super) fn push_edges(
    forms: &mut QuadraticForms,
    topology: &Topology,
    rest: &RestShape,
    edges: &[usize],
    first_node: u32,
) {
    for few in edges.chunks(TOGETHER) {
        let mut nodes: Vec<u32> = few.iter().flat_map(|&e| topology.edges[e].nodes).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let mut draft = Draft::new(nodes, few.len());
        for (row, &e) in few.iter().enumerate() {
            draft.add_length(row, topology.edges[e].nodes, rest.edge_lengths[e]);
        }
        forms.push(&draft, first_node);
    }
}

impl Constraints for Lengths {
    fn stencils(&self) -> usize {
        self.forms.stencils()
    }

    fn rows(&self, stencil: usize) -> usize {
        self.forms.rows(stencil)
    }

    fn nodes(&self, stencil: usize) -> &[u32] {
        self.forms.nodes(stencil)
    }

    fn second_derivative(&self, stencil: usize, places: [usize; 2]) -> [f64; LANES] {
        self.forms.second_derivative(stencil, places)
    }

    /// With `q = l² − 1` and `C = 2 (√(1 + q) − 1)`: `C' = 1/l` and `C'' = −1/2l³`, where `∇C = ∇q / l`.
    fn shape(&self, _: usize, values: &[f64; LANES]) -> Shape {
        let lengths = values.map(|c| 1.0 + 0.5 * c);
        Shape {
            form: lengths.map(|l| 1.0 / l),
            outer: lengths.map(|l| -0.5 / l),
        }
    }

    fn is_one_sided(&self, stencil: usize) -> bool {
        self.one_sided[stencil]
    }

    #[inline]
    fn linearise(
        &self,
        stencil: usize,
        positions: &[DVec3],
        gradients: &mut [Gradient],
    ) -> [f64; LANES] {
        let squares = self.forms.linearise(stencil, positions, gradients);
        let lengths = squares.map(|c| (1.0 + c).max(LEAST_SQUARE).sqrt());
        for gradient in gradients.as_flattened_mut() {
            for k in 0..LANES {
                gradient[k] /= lengths[k];
            }
        }
        lengths.map(|l| 2.0 * (l - 1.0))
    }
}
