//! Incomplete block Cholesky factorisation without fill: `A ≈ L D Lᵀ` on the pattern of `A`.
//!
//! `L` is unit lower triangular in blocks, `D` block diagonal:
//! `L_ik D_k = A_ik − Σ_j L_ij D_j L_kjᵀ` and `D_i = A_ii − Σ_k L_ik D_k L_ikᵀ`, where only products that
//! fall on stored blocks are kept (Meijerink and van der Vorst 1977). If a pivot loses its positive
//! definiteness the diagonal is enlarged and the factorisation starts again (Manteuffel 1980).
//!
//! The factors are kept in single precision: a preconditioner only steers the search, and half the memory
//! is half the time of a triangular solve.

use super::{BlockMatrix, BlockPattern, Filter};
use glam::{DMat3, DVec3, Mat3, Vec3};
use std::sync::Arc;

/// The factorisation, with room for refactoring in place.
#[derive(Clone, Debug)]
pub struct IncompleteCholesky {
    pattern: Arc<BlockPattern>,
    /// `L_ik` at the place of `A_ik`.
    lower: Vec<Mat3>,
    /// `D_i⁻¹`.
    inverse_diagonal: Vec<Mat3>,
    /// `L_ik D_k` of the row being factored.
    scaled: Vec<DMat3>,
    /// `L` in double precision, needed only while factoring.
    exact: Vec<DMat3>,
    half: Vec<Vec3>,
}

impl IncompleteCholesky {
    /// Sets memory aside for matrices of this pattern.
    pub fn new(pattern: Arc<BlockPattern>) -> Self {
        let (rows, blocks) = (pattern.rows(), pattern.off_diagonal_count());
        IncompleteCholesky {
            lower: vec![Mat3::ZERO; blocks],
            inverse_diagonal: vec![Mat3::ZERO; rows],
            scaled: vec![DMat3::ZERO; blocks],
            exact: vec![DMat3::ZERO; blocks],
            half: vec![Vec3::ZERO; rows],
            pattern,
        }
    }

    /// Factors a matrix. Held nodes count as rows and columns of the identity. `false` if no shift of the diagonal helps, which means that the matrix has entries that are not finite.
    #[must_use]
    pub fn factor(&mut self, matrix: &BlockMatrix, filters: &[Filter]) -> bool {
        let mut shift = 0.0;
        while !self.try_factor(matrix, filters, shift) {
            if shift > 1e3 {
                return false;
            }
            shift = (shift * 4.0f64).max(1e-3);
        }
        true
    }

    fn try_factor(&mut self, matrix: &BlockMatrix, filters: &[Filter], shift: f64) -> bool {
        let pattern = &self.pattern;
        for row in 0..pattern.rows() {
            let range = pattern.row(row);
            if filters[row] == Filter::Held {
                self.exact[range.clone()].fill(DMat3::ZERO);
                self.scaled[range.clone()].fill(DMat3::ZERO);
                self.lower[range].fill(Mat3::ZERO);
                self.inverse_diagonal[row] = Mat3::IDENTITY;
                continue;
            }
            let mut pivot = matrix.diagonal[row] * (1.0 + shift);
            for at in range.clone() {
                let column = pattern.columns[at] as usize;
                if filters[column] == Filter::Held {
                    (self.exact[at], self.scaled[at]) = (DMat3::ZERO, DMat3::ZERO);
                    self.lower[at] = Mat3::ZERO;
                    continue;
                }
                let value = matrix.lower[at] - self.overlap(range.start..at, pattern.row(column));
                let factor = value * self.inverse_diagonal[column].as_dmat3();
                self.scaled[at] = value;
                self.exact[at] = factor;
                self.lower[at] = factor.as_mat3();
                pivot -= factor * value.transpose();
            }
            match invert_positive(&pivot, &matrix.diagonal[row]) {
                Some(inverse) => self.inverse_diagonal[row] = inverse.as_mat3(),
                None => return false,
            }
        }
        true
    }

    /// `Σ_j (L_ij D_j) L_kjᵀ` over the columns that two rows share.
    fn overlap(&self, row: std::ops::Range<usize>, other: std::ops::Range<usize>) -> DMat3 {
        let columns = &self.pattern.columns;
        let (mut i, mut k) = (row.start, other.start);
        let mut sum = DMat3::ZERO;
        while i < row.end && k < other.end {
            match columns[i].cmp(&columns[k]) {
                std::cmp::Ordering::Less => i += 1,
                std::cmp::Ordering::Greater => k += 1,
                std::cmp::Ordering::Equal => {
                    sum += self.scaled[i] * self.exact[k].transpose();
                    i += 1;
                    k += 1;
                }
            }
        }
        sum
    }

    /// `out = (L D Lᵀ)⁻¹ r`.
    pub fn apply(&mut self, r: &[DVec3], out: &mut [DVec3]) {
        let pattern = &self.pattern;
        let y = &mut self.half;
        for row in 0..pattern.rows() {
            let range = pattern.row(row);
            let mut sum = r[row].as_vec3();
            for (block, &column) in self.lower[range.clone()]
                .iter()
                .zip(&pattern.columns[range])
            {
                sum -= *block * y[column as usize];
            }
            y[row] = sum;
        }
        for (value, inverse) in y.iter_mut().zip(&self.inverse_diagonal) {
            *value = *inverse * *value;
        }
        for row in (0..pattern.rows()).rev() {
            let range = pattern.row(row);
            let value = y[row];
            out[row] = value.as_dvec3();
            for (block, &column) in self.lower[range.clone()]
                .iter()
                .zip(&pattern.columns[range])
            {
                y[column as usize] -= block.transpose() * value;
            }
        }
    }
}

/// Inverse of a pivot, or `None` if it is no longer safely positive definite beside the block of `A` it
/// came from.
fn invert_positive(pivot: &DMat3, original: &DMat3) -> Option<DMat3> {
    let scale = original
        .x_axis
        .x
        .max(original.y_axis.y)
        .max(original.z_axis.z);
    let floor = 1e-6 * scale;
    let a = pivot.x_axis.x;
    let minor = a * pivot.y_axis.y - pivot.x_axis.y * pivot.x_axis.y;
    let determinant = pivot.determinant();
    let positive = a > floor && minor > floor * floor && determinant > floor * floor * floor;
    positive.then(|| pivot.inverse())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_is_factored_exactly() {
        // A block-tridiagonal matrix has no fill, so the incomplete factorisation is complete.
        let rows = 20;
        let pattern = BlockPattern::new(rows, (1..rows as u32).map(|i| [i - 1, i]));
        let pattern = Arc::new(pattern);
        let mut matrix = BlockMatrix::new(pattern.clone());
        let coupling = DMat3::from_cols(
            DVec3::new(1.0, 0.2, 0.0),
            DVec3::new(0.1, 0.9, 0.3),
            DVec3::new(0.0, -0.2, 1.1),
        );
        matrix.lower.fill(-coupling);
        matrix.diagonal.fill(DMat3::IDENTITY * 3.0);
        let mut factor = IncompleteCholesky::new(pattern);
        assert!(factor.factor(&matrix, &vec![Filter::Free; rows]));
        let x: Vec<DVec3> = (0..rows)
            .map(|i| DVec3::new(i as f64, 1.0, (i as f64).sin()))
            .collect();
        let mut b = vec![DVec3::ZERO; rows];
        matrix.multiply(&x, &mut b);
        let mut solved = vec![DVec3::ZERO; rows];
        factor.apply(&b, &mut solved);
        for (a, b) in x.iter().zip(&solved) {
            assert!(a.distance(*b) < 1e-4, "{a} {b}"); // single precision inside
        }
    }

    #[test]
    fn an_indefinite_matrix_is_shifted_until_it_factors() {
        let pattern = Arc::new(BlockPattern::new(2, [[0, 1]].into_iter()));
        let mut matrix = BlockMatrix::new(pattern.clone());
        matrix.diagonal.fill(DMat3::IDENTITY);
        matrix.lower.fill(DMat3::IDENTITY * 1.5);
        let mut factor = IncompleteCholesky::new(pattern);
        assert!(factor.factor(&matrix, &[Filter::Free; 2]));
        let mut out = [DVec3::ZERO; 2];
        factor.apply(&[DVec3::X, DVec3::ZERO], &mut out);
        assert!(out[0].x > 0.0 && out[0].is_finite());
    }
}
