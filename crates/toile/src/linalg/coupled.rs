//! Systems with a few couplings that the pattern does not know: `A + Σ (w wᵀ) ⊗ K`.
//!
//! Where cloth touches cloth, nodes that have nothing to do with each other in the mesh push each other,
//! other ones in every step. A pattern made anew for them would cost more than the solve. Each coupling acts
//! on the weighted sum `Σ wᵢ xᵢ` of four nodes through a symmetric block `K`; its diagonal part `wᵢ² K` is
//! added to the matrix, which is then factored as ever, and the rest joins in the products of conjugate
//! gradients in double precision, preconditioned by that factor.
//!
//! A coupling may have an [`Arm`]: then each node's `wᵢ` is the matrix `Jᵢ = wᵢ I + aᵢ nᵀ`, and the coupling
//! `Σ Jᵢᵀ K Jⱼ`.
//!
//! The factor knows both sides of a coupling as if the other stood still. A coupling much stiffer than the
//! nodes' own rows therefore slows the iteration, as the square root of how much stiffer it is.

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
    pub arm: Option<Arm>,
}

/// What the turn of a face adds to where something stands on it: `Σ aᵢ (n·xᵢ)`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arm {
    pub normal: DVec3,
    /// Of each node.
    pub along: [DVec3; 4],
}

impl Arm {
    /// What the arm adds to `Jᵢ x`.
    pub fn forward(&self, node: usize, x: DVec3) -> DVec3 {
        self.along[node] * self.normal.dot(x)
    }

    /// What it adds to `Jᵢᵀ y`.
    pub fn back(&self, node: usize, y: DVec3) -> DVec3 {
        self.normal * self.along[node].dot(y)
    }
}

impl Coupling {
    fn parts(&self) -> impl Iterator<Item = (usize, f64)> {
        let nodes = self.nodes.into_iter().map(|n| n as usize);
        nodes.zip(self.weights)
    }

    /// Adds `wᵢ² K` to the diagonal, or `Jᵢᵀ K Jᵢ`.
    pub fn add_to(&self, diagonal: &mut [DMat3]) {
        for (k, (node, weight)) in self.parts().enumerate() {
            diagonal[node] += match &self.arm {
                None => weight * weight * self.block,
                Some(arm) => {
                    let (a, n) = (arm.along[k], arm.normal);
                    let turn = DMat3::from_cols(a * n.x, a * n.y, a * n.z);
                    let j = DMat3::from_diagonal(DVec3::splat(weight)) + turn;
                    j.transpose() * self.block * j
                }
            };
        }
    }

    /// `Jᵢ x` and `Jᵢᵀ y`.
    fn forward(&self, k: usize, x: DVec3) -> DVec3 {
        let turned = self.arm.map_or(DVec3::ZERO, |arm| arm.forward(k, x));
        self.weights[k] * x + turned
    }

    fn back(&self, k: usize, y: DVec3) -> DVec3 {
        let turned = self.arm.map_or(DVec3::ZERO, |arm| arm.back(k, y));
        self.weights[k] * y + turned
    }

    /// Calls `pair` with every two nodes that it joins.
    pub fn for_each_pair(&self, mut pair: impl FnMut([u32; 2])) {
        let used = |k: usize| self.weights[k] != 0.0;
        for k in (0..4).filter(|&k| used(k)) {
            for other in (0..k).filter(|&k| used(k)) {
                if self.nodes[k] != self.nodes[other] {
                    pair([self.nodes[k], self.nodes[other]]);
                }
            }
        }
    }

    /// Adds all of it to a matrix whose pattern has its pairs, and answers the blocks beside the diagonal as
    /// they were, by place; `None`, and nothing added, if the pattern does not know them.
    pub fn add_within(&self, matrix: &mut BlockMatrix) -> Option<[Option<(usize, DMat3)>; 6]> {
        let used = |k: usize| self.weights[k] != 0.0;
        let pairs = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
        let mut places = [None; 6];
        for (place, [a, b]) in places.iter_mut().zip(pairs) {
            if used(a) && used(b) {
                let found = matrix.pattern.find([self.nodes[a], self.nodes[b]])?;
                *place = Some((found, self.weights[a] * self.weights[b]));
            }
        }
        self.add_to(&mut matrix.diagonal);
        Some(places.map(|place| {
            let (at, weight) = place?;
            let before = matrix.lower[at];
            matrix.lower[at] += weight * self.block;
            Some((at, before))
        }))
    }

    /// Adds all of its product with `x` to `out`.
    pub fn add_product(&self, x: &[DVec3], out: &mut [DVec3]) {
        let seen: [DVec3; 4] = std::array::from_fn(|k| self.forward(k, x[self.nodes[k] as usize]));
        let pull = self.block * seen.into_iter().sum::<DVec3>();
        for (k, &node) in self.nodes.iter().enumerate() {
            out[node as usize] += self.back(k, pull);
        }
    }

    /// Adds what is beside the diagonal to `out`.
    fn multiply(&self, x: &[DVec3], out: &mut [DVec3]) {
        if self.arm.is_some() {
            let seen: [DVec3; 4] =
                std::array::from_fn(|k| self.forward(k, x[self.nodes[k] as usize]));
            let sum: DVec3 = seen.into_iter().sum();
            for (k, &node) in self.nodes.iter().enumerate() {
                out[node as usize] += self.back(k, self.block * (sum - seen[k]));
            }
            return;
        }
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::linalg::BlockPattern;
    use std::sync::Arc;

    /// With an arm, the products are those of the matrix `Jᵀ K J`, which is symmetric.
    #[test]
    fn an_arm_makes_matrices_of_the_weights() {
        let pattern = BlockPattern::new(4, std::iter::empty());
        let mut matrix = BlockMatrix::new(Arc::new(pattern));
        let normal = DVec3::new(0.6, 0.0, 0.8);
        let k = DMat3::from_diagonal(DVec3::new(2.0, 3.0, 5.0));
        let coupling = Coupling {
            nodes: [2, 0, 1, 3],
            weights: [1.0, -0.5, -0.3, -0.2],
            block: k,
            arm: Some(Arm {
                normal,
                along: [
                    DVec3::ZERO,
                    DVec3::X * 0.1,
                    DVec3::Y * 0.2,
                    DVec3::ONE * -0.1,
                ],
            }),
        };
        coupling.add_to(&mut matrix.diagonal);
        let x: Vec<DVec3> = (0..4).map(|k| DVec3::new(1.0, k as f64, -2.0)).collect();
        let mut found = vec![DVec3::ZERO; 4];
        multiply(&matrix, &[coupling], &x, &mut found);
        let j = |k: usize| {
            let (a, n) = (coupling.arm.unwrap().along[k], normal);
            let turn = DMat3::from_cols(a * n.x, a * n.y, a * n.z);
            DMat3::from_diagonal(DVec3::splat(coupling.weights[k])) + turn
        };
        let sum: DVec3 = (0..4).map(|k| j(k) * x[coupling.nodes[k] as usize]).sum();
        for (k, &node) in coupling.nodes.iter().enumerate() {
            let expected = j(k).transpose() * (coupling.block * sum);
            assert!(found[node as usize].distance(expected) < 1e-13);
        }
    }

    #[test]
    fn a_coupling_that_the_pattern_knows_is_in_the_matrix_and_comes_out_again() {
        let pattern = BlockPattern::new(5, [[0, 1], [1, 3], [0, 3], [3, 4]].into_iter());
        let mut matrix = BlockMatrix::new(Arc::new(pattern));
        for (k, block) in matrix.lower.iter_mut().enumerate() {
            *block = DMat3::from_diagonal(DVec3::splat(0.1 * k as f64));
        }
        matrix.diagonal.fill(DMat3::IDENTITY);
        let normal = DVec3::new(0.6, 0.0, 0.8);
        let coupling = |nodes| Coupling {
            arm: None,
            nodes,
            weights: [0.5, 0.3, 0.2, 0.0],
            block: DMat3::from_cols(normal * 0.6, DVec3::ZERO, normal * 0.8),
        };
        // The fourth node has no weight, so nobody asks for its pairs; 1 and 4 are not joined.
        let (known, unknown) = (coupling([3, 0, 1, 2]), coupling([3, 4, 1, 0]));
        let x: Vec<DVec3> = (0..5).map(|k| DVec3::new(1.0, k as f64, 2.0)).collect();
        let mut expected = vec![DVec3::ZERO; 5];
        known.add_to(&mut matrix.diagonal);
        multiply(&matrix, &[known], &x, &mut expected);

        matrix.diagonal.fill(DMat3::IDENTITY);
        let plain = matrix.clone();
        assert!(unknown.add_within(&mut matrix).is_none());
        assert_eq!(matrix.diagonal, plain.diagonal);
        let changed = known.add_within(&mut matrix).unwrap();
        let mut found = vec![DVec3::ZERO; 5];
        matrix.multiply(&x, &mut found);
        for (a, b) in expected.iter().zip(&found) {
            assert!(a.distance(*b) < 1e-14, "{a} {b}");
        }
        for (at, before) in changed.into_iter().flatten() {
            matrix.lower[at] = before;
        }
        assert_eq!(matrix.lower, plain.lower);
    }
}
