//! Quadratic bending: the energy of the mean curvature, for cloth that is flat at rest and hardly stretches.
//!
//! As long as a sheet bends without stretching, the Laplacian of its positions over the rest coordinates is
//! its mean curvature vector, and the bending energy is quadratic in the positions (Bergou et al. 2006; the
//! Willmore energy):
//!
//! * energy `½ D Σ_i A_i |(Lx)_i|² = ½ D xᵀQx`, `Q = LᵀML`, with the nodes' areas `M = diag(A)`
//! * force `−D Q (x + β v)`, stiffness `D Q ⊗ I`, damping `β D Q ⊗ I`
//!
//! `Q` never changes, is positive semi-definite and joins each node with two rings of neighbours. Linear
//! functions of the rest coordinates cost nothing, so a flat sheet may stretch freely; rows and columns of
//! `Q` add up to zero and it is symmetric, so momentum is kept.
//!
//! **The Laplacian** ([`Laplacian`]) is that of linear triangles and bilinear quads, and at the rim the flux
//! through it is taken out: `A_i (Lx)_i = ∮ φ_i ∂x/∂n − Σ ∫ ∇φ_i·∇x`. On triangles this is `−½ Σ |e| [∂x/∂n]`
//! over the inner edges at the node, the jump of the slope across each. A free rim then is free: it feels no
//! moment.
//!
//! **Limits.** One rigidity for all directions. `Q` sees the mean curvature alone, so a saddle or a twist
//! costs nothing here; what resists them is that they stretch the cloth. Under stretch `s` a bend of
//! curvature `κ` counts as `s² κ`. There is no rest curvature: [`check_flat`](QuadraticBend::check_flat)
//! refuses sheets that have one, for which the hinges of [`cloth_hinges`](super::cloth_hinges) are made. How
//! exact it is on various meshes stands there too.

mod laplacian;
#[cfg(test)]
mod tests;

pub use laplacian::{Laplacian, SparseRows};

use crate::mesh::{RestShape, Topology};
use crate::parallel;
use glam::DVec3;
use thiserror::Error;

/// Sheets with no larger rest angle than this (rad) count as flat: about half a degree. Chosen, not derived.
const FLAT: f64 = 0.01;

/// A cloth that is not flat at rest.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[error(
    "the cloth rests at an angle of {:.1}° at the edge between nodes {} and {}, but quadratic bending is for cloth that is \
     flat at rest; use the dihedral model, which has rest angles", .angle.to_degrees(), .nodes[0], .nodes[1]
)]
pub struct CurvedRest {
    /// The ends of the edge (counted from 0 in the cloth).
    pub nodes: [u32; 2],
    /// The largest angle between two faces (rad).
    pub angle: f64,
}

/// The edge at which two neighbouring faces make the largest angle (rad), without its sign; nothing if no two
/// faces meet.
pub fn largest_angle(topology: &Topology, positions: &[DVec3]) -> Option<([u32; 2], f64)> {
    let normal = |face: u32| topology.faces[face as usize].vector_area(positions);
    let mut largest: Option<([u32; 2], f64)> = None;
    for edge in &topology.edges {
        let mut faces = edge.faces();
        let (Some(left), Some(right)) = (faces.next(), faces.next()) else {
            continue;
        };
        let (mut a, b) = (normal(left), normal(right));
        let sides = |face: u32| topology.faces[face as usize].edges();
        if sides(left).any(|s| sides(right).any(|t| s == t)) {
            a = -a; // one of the two faces is the wrong way round
        }
        let angle = a.cross(b).length().atan2(a.dot(b));
        if largest.is_none_or(|(_, most)| angle > most) {
            largest = Some((edge.nodes, angle));
        }
    }
    largest
}

/// Quadratic bending of one cloth, with node numbers over the whole world.
#[derive(Clone, Debug)]
pub struct QuadraticBend {
    first_node: u32,
    rigidity: f64,
    damping_time: f64,
    /// `Q` (1/m²), in the cloth's own node numbers.
    matrix: SparseRows,
}

impl QuadraticBend {
    /// Bending with the rigidity `D` (N·m) and the damping time `β` (s), for a cloth whose nodes start at
    /// `first_node`.
    pub fn new(
        topology: &Topology,
        rest: &RestShape,
        first_node: u32,
        rigidity: f64,
        damping_time: f64,
    ) -> Self {
        QuadraticBend {
            first_node,
            rigidity,
            damping_time,
            matrix: Laplacian::new(topology, rest).squared(),
        }
    }

    /// Whether a cloth that rests in these positions (m) may have this energy.
    pub fn check_flat(topology: &Topology, positions: &[DVec3]) -> Result<(), CurvedRest> {
        match largest_angle(topology, positions) {
            Some((nodes, angle)) if angle > FLAT => Err(CurvedRest { nodes, angle }),
            _ => Ok(()),
        }
    }

    /// Bending rigidity `D` (N·m).
    pub fn rigidity(&self) -> f64 {
        self.rigidity
    }

    /// Damping time `β` (s).
    pub fn damping_time(&self) -> f64 {
        self.damping_time
    }

    /// `Q` (1/m²) in the cloth's own node numbers.
    pub fn matrix(&self) -> &SparseRows {
        &self.matrix
    }

    /// `(Q x)_i` of one node of the cloth. Its row adds up to zero, so differences to the node's own value
    /// serve as well and keep the digits of a cloth far from the origin.
    fn row_product(&self, node: usize, x: &[DVec3]) -> DVec3 {
        let here = x[node];
        let row = self.matrix.row(node);
        row.map(|(j, q)| q * (x[j as usize] - here)).sum()
    }

    fn own<'a, T>(&self, of_world: &'a [T]) -> &'a [T] {
        &of_world[self.first_node as usize..][..self.matrix.rows()]
    }

    /// Stored energy (J).
    pub fn value(&self, positions: &[DVec3]) -> f64 {
        let x = self.own(positions);
        // Measured from one of the nodes, again for the digits.
        let origin = x.first().copied().unwrap_or_default();
        let half = 0.5 * self.rigidity;
        half * parallel::sum(x.len(), |i| (x[i] - origin).dot(self.row_product(i, x)))
    }

    /// Elastic and damping force (N) on one node of the world, looking `ahead` seconds along the velocity:
    /// `−D Q (x + (β + ahead) v)`.
    pub fn force(
        &self,
        node: usize,
        positions: &[DVec3],
        velocities: &[DVec3],
        ahead: f64,
    ) -> DVec3 {
        let own = node.wrapping_sub(self.first_node as usize);
        if own >= self.matrix.rows() {
            return DVec3::ZERO;
        }
        let by_velocity = self.damping_time + ahead;
        let mut product = self.row_product(own, self.own(positions));
        if by_velocity != 0.0 {
            product += by_velocity * self.row_product(own, self.own(velocities));
        }
        -self.rigidity * product
    }

    /// The entries of `D Q` (N/m) on and left of the diagonal, by rows: `([row, column], entry)` in the
    /// world's node numbers. The stiffness is each entry times the unit block, the damping `β` times that.
    pub fn entries(&self) -> impl Iterator<Item = ([u32; 2], f64)> + '_ {
        (0..self.matrix.rows()).flat_map(move |row| {
            let row_number = row as u32;
            let left = self
                .matrix
                .row(row)
                .filter(move |(column, _)| *column <= row_number);
            left.map(move |(column, q)| {
                let nodes = [row_number + self.first_node, column + self.first_node];
                (nodes, self.rigidity * q)
            })
        })
    }

    /// The pairs of nodes that interact: the pattern of the stiffness matrix.
    pub fn pairs(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        self.entries()
            .map(|(nodes, _)| nodes)
            .filter(|[a, b]| a != b)
    }
}
