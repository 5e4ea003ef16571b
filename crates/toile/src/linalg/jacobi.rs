//! Conjugate gradients preconditioned by the diagonal blocks, in double precision: the plain method, slow but
//! without anything that could go wrong.

use super::conjugate_gradient::Reduction;
use super::{BlockMatrix, Filter};
use crate::parallel::dot;
use glam::{DMat3, DVec3};

/// Inverted diagonal blocks, and the vectors of the iteration.
#[derive(Clone, Debug)]
pub(super) struct BlockJacobi {
    inverse: Vec<DMat3>,
    preconditioned: Vec<DVec3>,
    direction: Vec<DVec3>,
    image: Vec<DVec3>,
}

impl BlockJacobi {
    pub(super) fn new(rows: usize) -> Self {
        let zeros = || vec![DVec3::ZERO; rows];
        BlockJacobi {
            inverse: vec![DMat3::IDENTITY; rows],
            preconditioned: zeros(),
            direction: zeros(),
            image: zeros(),
        }
    }

    /// Inverts the diagonal blocks; `false` if one cannot be.
    #[must_use]
    pub(super) fn factor(&mut self, matrix: &BlockMatrix, filters: &[Filter]) -> bool {
        let rows = matrix.diagonal.iter().zip(filters);
        for (inverse, (block, filter)) in self.inverse.iter_mut().zip(rows) {
            *inverse = (filter.restrict_diagonal(block) + filter.stand_in(block)).inverse();
            if !inverse.is_finite() {
                return false;
            }
        }
        true
    }

    /// Reduces the residual as wanted and adds the correction to `x`; answers the iterations made.
    pub(super) fn correct(
        &mut self,
        matrix: &BlockMatrix,
        r: &mut [DVec3],
        filters: &[Filter],
        wanted: Reduction,
        x: &mut [DVec3],
    ) -> u32 {
        let (z, p, q) = (
            &mut self.preconditioned,
            &mut self.direction,
            &mut self.image,
        );
        let target = (wanted.unit * wanted.reduction).powi(2);
        let mut rz = 0.0;
        for iteration in 0..wanted.limit {
            for (z, (inverse, r)) in z.iter_mut().zip(self.inverse.iter().zip(&*r)) {
                *z = *inverse * *r;
            }
            let rz_new = dot(r, z);
            let beta = if iteration == 0 { 0.0 } else { rz_new / rz };
            rz = rz_new;
            for (p, z) in p.iter_mut().zip(&*z) {
                *p = *z + beta * *p;
            }
            matrix.multiply(p, q);
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
