//! Systems with a few couplings that the pattern does not know: `A + Σ (w wᵀ) ⊗ K`.
//!
//! Where cloth touches cloth, nodes that have nothing to do with each other in the mesh push each other, other ones in every step. A pattern made anew
//! for them would cost more than the solve. Each coupling acts on the weighted sum `Σ wᵢ xᵢ` of four nodes through a
//! symmetric block `K`; its diagonal part `wᵢ² K` is added to the matrix, which is then factored as ever, and the rest joins in the products of
//! conjugate gradients in double precision, preconditioned by that factor.
//!
//! The factor knows both sides of a coupling as if the other stood still. A coupling much stiffer than the nodes' own rows therefore
//! slows the iteration, as the square root of how much stiffer it is.

use super::conjugate_gradient::Reduction;
use super::{BlockMatrix, Filter};
use crate::parallel::dot;
use glam::{DMat3, DVec3};

/// Four nodes tied together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coupling {
    pub nodes: [u32; 4],
    pub weights: [f64; 4],
    /// `K`, symmetric and not negative.
    pub block: DMat3,
}

impl Coupling {
    fn parts(&self) -> impl Iterator<Item = (usize, f64)> {
        let nodes = self.nodes.into_iter().map(|n| n as usize);
        nodes.zip(self.weights)
    }

    /// Adds `wᵢ² K` to the diagonal.
    pub fn add_to(&self, diagonal: &mut [DMat3]) {
        for (node, weight) in self.parts() {
            diagonal[node] += weight * weight * self.block;
        }
    }

    /// Adds what is beside the diagonal to `out`.
    fn multiply(&self, x: &[DVec3], out: &mut [DVec3]) {
        let sum: DVec3 = self.parts().map(|(node, weight)| weight * x[node]).sum();
        for (node, weight) in self.parts() {
            out[node] += weight * (self.block * (sum - weight * x[node]));
        }
    }
}

/// `out = A x` with couplings whose diagonal parts are in the matrix.
pub(super) fn multiply(
    matrix: &BlockMatrix,
    couplings: &[Coupling],
    x: &[DVec3],
    out: &mut [DVec3],
) {
    matrix.multiply(x, out);
    for coupling in couplings {
        coupling.multiply(x, out);
    }
}

/// The vectors of the iteration.
#[derive(Clone, Debug)]
pub(super) struct Coupled {
    preconditioned: Vec<DVec3>,
    direction: Vec<DVec3>,
    image: Vec<DVec3>,
}

impl Coupled {
    pub(super) fn new(rows: usize) -> Self {
        let zeros = || vec![DVec3::ZERO; rows];
        Coupled {
            preconditioned: zeros(),
            direction: zeros(),
            image: zeros(),
        }
    }

    /// Reduces the residual as wanted and adds the correction to `x`; answers the iterations made.
    pub(super) fn correct(
        &mut self,
        (matrix, couplings): (&BlockMatrix, &[Coupling]),
        r: &mut [DVec3],
        filters: &[Filter],
        wanted: Reduction,
        x: &mut [DVec3],
        mut precondition: impl FnMut(&[DVec3], &mut [DVec3]),
    ) -> u32 {
        let Coupled {
            preconditioned: z,
            direction: p,
            image: q,
        } = self;
        let target = (wanted.unit * wanted.reduction).powi(2);
        let mut rz = 0.0;
        for iteration in 0..wanted.limit {
            precondition(r, z);
            for (z, filter) in z.iter_mut().zip(filters) {
                *z = filter.apply(*z);
            }
            let rz_new = dot(r, z);
            let beta = if iteration == 0 { 0.0 } else { rz_new / rz };
            rz = rz_new;
            for (p, z) in p.iter_mut().zip(&*z) {
                *p = *z + beta * *p;
            }
            multiply(matrix, couplings, p, q);
            for (q, filter) in q.iter_mut().zip(filters) {
                *q = filter.apply(*q);
            }
            let alpha = rz / dot(p, q);
            if !alpha.is_finite() {
                return iteration;
            }
            for i in 0..x.len() {
                x[i] += alpha * p[i];
                r[i] -= alpha * q[i];
            }
            if dot(r, r) <= target {
                return iteration + 1;
            }
        }
        wanted.limit
    }
}
