//! Isometric cloth: the metric of the surface stays as it is at rest.
//!
//! Coltraro, Amorós, Alberich-Carramiñana and Torras (2022), "An inextensible model for the robotic
//! manipulation of textiles". A surface moves without stretching or shearing as long as its first fundamental
//! form `E, F, G` stays. With linear triangles and bilinear quads the form jumps between faces; its value at
//! node `k` is the mean over the faces around it, weighted with the node's shape function (a Galerkin
//! projection with lumped mass),
//!
//! `E_k = (1/m_k) Σ_ij ⟨x_i, x_j⟩ ∫ N_k ∂_u N_i ∂_u N_j dA`, `m_k = ∫ N_k dA`,
//!
//! `G_k` with `∂_v` and `F_k` with `½ (∂_u N_i ∂_v N_j + ∂_v N_i ∂_u N_j)`. The constraints are
//!
//! * `E = 1`, `F = 0`, `G = 1` at every node inside,
//! * `l²/l̄² = 1` for every edge of the rim,
//! * `F` at the corners of the rim, which nothing else would keep from shearing.
//!
//! A square of `N × N` cells has `3 (N − 1)² + 4N + 4` equations for `3 (N + 1)²` unknowns, so `8N − 4`
//! motions are left (for `N ≥ 3`; below, some equations follow from others) where fixed edges of triangles
//! leave `4N + 3` (Jin et al. 2017, section 2). A *flat* sheet is a special place: all gradients lie in its
//! plane, where there are fewer directions than equations, and the rest only show once the sheet bends. (In
//! the paper's algorithm 1 the first sum is printed as `t_F`; it is `t_E`.)
//!
//! **Which `u` and `v`.** The paper differentiates by each element's own reference coordinates, which mean
//! the same on both sides of an edge only in a regular mesh. Here the faces around a node are laid out flat
//! about it, as in [`fan`], and all are differentiated by the same two unit vectors of that plane, in metres.
//! So `E = G = 1` and `F = 0` at rest, whatever the faces and however their corners are numbered, and any
//! affine deformation `A` of a flat piece of cloth gives exactly `AᵀA` at its nodes. On a grid of equal quads
//! both ways give the same equations, times a constant. At a node inside, `u` is the mean of its faces'
//! warps; since all three coefficients are held, another direction would only mix them. At a corner, where
//! there is `F` alone, `u` and `v` are the two sides of the rim, and what stays is the cosine of the angle
//! between them.
//!
//! **Limits.** The integrals are exact for triangles and parallelograms. In other quads the integrand is a
//! quotient; the 3×3 Gauss points make an error of higher order, and none for affine deformations. A mean
//! over the faces around a node does not see strains that alternate from face to face: single faces may
//! stretch, and the mean area error of the paper's garments is about 1 %. That is the room that keeps the
//! mesh from locking.

mod fan;
#[cfg(test)]
mod tests;

use super::constraints::{Constraints, Gradient, LANES};
use super::forms::{Draft, QuadraticForms};
use super::lengths::{LengthsError, check_lengths, push_edges};
use super::quadrature;
use crate::mesh::{RestShape, Topology};
use fan::{Fan, fans_of_nodes};
use glam::{DVec2, DVec3};
use thiserror::Error;

/// Sides of a corner that enclose an angle with a smaller sine are no good pair of axes (15°).
const LEAST_SINE: f64 = 0.26;

/// A metric that cannot be held.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum MetricError {
    /// An edge of the rim has no length.
    #[error(transparent)]
    Lengths(#[from] LengthsError),
    /// A face has no area at rest.
    #[error(
        "face {face} has the rest area {area} m²; it must be finite and above 0: remove the face or mend the rest shape"
    )]
    Area {
        /// The face (counted from 0).
        face: usize,
        /// Its rest area (m²).
        area: f64,
    },
    /// The rest shape is not that of the cloth.
    #[error(
        "the rest shape has {given} faces, the cloth {faces}; both must come from the same mesh"
    )]
    Mismatch {
        /// Faces of the rest shape.
        given: usize,
        /// Faces of the cloth.
        faces: usize,
    },
    /// A corner is not a node of the rim.
    #[error(
        "node {node} is given as a corner, but it is not on the rim of the cloth; name nodes of the rim, or leave the \
         corners out to have them found"
    )]
    Corner {
        /// The node (counted from 0 in the cloth).
        node: u32,
    },
}

/// The metric of a cloth.
#[derive(Clone, Debug)]
pub struct Metric {
    forms: QuadraticForms,
    kinds: Vec<Kind>,
}

/// What a stencil holds.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// `E`, `F` and `G` of a node inside.
    Inside,
    /// `F` of a corner.
    Corner,
    /// Edges of the rim.
    Rim,
}

impl Metric {
    /// Keeps the metric of a rest shape. `corners` are the nodes of the rim that must not shear (counted from
    /// 0 in the cloth); `None` takes those at which the rim turns by more than 45°. `first_node` is the
    /// number of the cloth's first node in the world.
    pub fn new(
        topology: &Topology,
        rest: &RestShape,
        corners: Option<&[u32]>,
        first_node: u32,
    ) -> Result<Self, MetricError> {
        check(topology, rest)?;
        let mut is_corner = vec![false; topology.node_count];
        for &node in corners.unwrap_or(&rest.boundary_corners) {
            let on_rim = |e: &crate::mesh::Edge| e.is_boundary() && e.nodes.contains(&node);
            if !topology.edges.iter().any(on_rim) {
                return Err(MetricError::Corner { node });
            }
            is_corner[node as usize] = true;
        }
        let (mut forms, mut kinds) = (QuadraticForms::default(), Vec::new());
        for (node, fans) in fans_of_nodes(topology, rest).iter().enumerate() {
            for fan in fans {
                let axes = match (fan.closed, is_corner[node]) {
                    (true, _) => coefficients_inside(fan),
                    (false, true) => coefficient_of_corner(fan),
                    (false, false) => continue,
                };
                forms.push(&draft(topology, rest, node as u32, fan, &axes), first_node);
                kinds.push(if fan.closed {
                    Kind::Inside
                } else {
                    Kind::Corner
                });
            }
        }
        for chain in rim_chains(topology) {
            push_edges(&mut forms, topology, rest, &chain, first_node);
        }
        kinds.resize(forms.stencils(), Kind::Rim);
        Ok(Metric { forms, kinds })
    }
}

fn check(topology: &Topology, rest: &RestShape) -> Result<(), MetricError> {
    let (given, faces) = (rest.corners.len(), topology.faces.len());
    if given != faces || rest.areas.len() != faces {
        return Err(MetricError::Mismatch { given, faces });
    }
    for (face, &area) in rest.areas.iter().enumerate() {
        if !(area.is_finite() && area > 0.0) {
            return Err(MetricError::Area { face, area });
        }
    }
    Ok(check_lengths(topology, rest)?)
}

/// The pairs of directions `(p, q)` whose `⟨∂_p x, ∂_q x⟩` a node inside keeps: `E`, `F` and `G`.
fn coefficients_inside(fan: &Fan) -> Vec<[DVec2; 2]> {
    let (u, v) = (fan.warp, fan.warp.perp());
    vec![[u, u], [u, v], [v, v]]
}

/// What a corner keeps: `F` between the two sides of the rim, or across the first if they are nearly in line.
fn coefficient_of_corner(fan: &Fan) -> Vec<[DVec2; 2]> {
    let (first, last) = (DVec2::X, DVec2::from_angle(fan.angle));
    let usable = first.perp_dot(last).abs() >= LEAST_SINE;
    vec![[first, if usable { last } else { first.perp() }]]
}

/// The equations of one node.
fn draft(
    topology: &Topology,
    rest: &RestShape,
    node: u32,
    fan: &Fan,
    axes: &[[DVec2; 2]],
) -> Draft {
    let around = fan.blades.iter();
    let mut nodes: Vec<u32> = around
        .flat_map(|blade| topology.faces[blade.face].corners())
        .copied()
        .filter(|&n| n != node)
        .collect();
    nodes.sort_unstable();
    nodes.dedup();
    // The node itself comes first: places are measured from it.
    nodes.insert(0, node);
    let mut draft = Draft::new(nodes, axes.len());
    let mut mass = 0.0;
    for blade in &fan.blades {
        let face = &topology.faces[blade.face];
        let places: Vec<usize> = face.corners().iter().map(|&n| draft.place(n)).collect();
        for point in quadrature::points(face, &rest.corners[blade.face]) {
            let weight = point.area * point.shape[blade.corner];
            mass += weight;
            let slopes = point.slopes.map(|slope| blade.frame * slope);
            add_products(&mut draft, &places, &slopes, axes, weight);
        }
    }
    for entry in &mut draft.matrix {
        *entry = entry.map(|a| a / mass);
    }
    for (row, [p, q]) in axes.iter().enumerate() {
        draft.rest[row] = p.dot(*q);
    }
    draft
}

/// Adds `weight ⟨∂_p x, ∂_q x⟩` at one point for each pair of directions.
fn add_products(
    draft: &mut Draft,
    places: &[usize],
    slopes: &[DVec2; 4],
    axes: &[[DVec2; 2]],
    weight: f64,
) {
    let count = draft.nodes.len();
    for (&i, a) in places.iter().zip(slopes) {
        for (&j, b) in places.iter().zip(slopes) {
            for (row, [p, q]) in axes.iter().enumerate() {
                let product = p.dot(*a) * q.dot(*b) + q.dot(*a) * p.dot(*b);
                draft.matrix[i * count + j][row] += 0.5 * weight * product;
            }
        }
    }
}

/// The symmetric matrix `(a, b; b, c)` without its negative principal values.
fn pulling_part([a, b, c]: [f64; 3]) -> [f64; 3] {
    let (mean, half) = (0.5 * (a + c), 0.5 * (a - c));
    let radius = half.hypot(b);
    let (large, small) = (mean + radius, mean - radius);
    if small >= 0.0 {
        return [a, b, c];
    }
    if large <= 0.0 {
        return [0.0; 3];
    }
    // `large` times the projection on its direction, which is (A − small) / (large − small).
    let share = large / (large - small);
    [share * (a - small), share * b, share * (c - small)]
}

/// The edges of the rim in chains, each edge beginning where the one before ends as far as there is one.
fn rim_chains(topology: &Topology) -> Vec<Vec<usize>> {
    let rim = |e: &usize| topology.edges[*e].is_boundary();
    let edges: Vec<usize> = (0..topology.edges.len()).filter(rim).collect();
    let mut at_node = vec![Vec::new(); topology.node_count];
    for &e in edges.iter().rev() {
        for node in topology.edges[e].nodes {
            at_node[node as usize].push(e);
        }
    }
    let mut used = vec![false; topology.edges.len()];
    let mut chains = Vec::new();
    for &start in &edges {
        let (mut chain, mut here, mut edge) = (Vec::new(), topology.edges[start].nodes[0], start);
        while !used[edge] {
            used[edge] = true;
            chain.push(edge);
            let [a, b] = topology.edges[edge].nodes;
            here = if here == a { b } else { a };
            let next = at_node[here as usize].iter().rev().find(|&&e| !used[e]);
            edge = *next.unwrap_or(&edge);
        }
        if !chain.is_empty() {
            chains.push(chain);
        }
    }
    chains
}

impl Constraints for Metric {
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

    /// The multipliers of `E`, `F` and `G` are a stress, `(t_E, ½ t_F; ½ t_F, t_G)`. Its second derivatives
    /// are not negative if its principal values are not.
    fn pull(&self, stencil: usize, multipliers: &[f64; LANES]) -> [f64; LANES] {
        match self.kinds[stencil] {
            Kind::Inside => {
                let [e, f, g] =
                    pulling_part([multipliers[0], 0.5 * multipliers[1], multipliers[2]]);
                [e, 2.0 * f, g, 0.0]
            }
            Kind::Corner => [0.0; LANES],
            Kind::Rim => multipliers.map(|t| t.max(0.0)),
        }
    }

    #[inline]
    fn linearise(
        &self,
        stencil: usize,
        positions: &[DVec3],
        gradients: &mut [Gradient],
    ) -> [f64; LANES] {
        self.forms.linearise(stencil, positions, gradients)
    }
}
