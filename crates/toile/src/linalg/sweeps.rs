//! The factor behind the preconditioned iteration: two sweeps over the nodes.
//!
//! Write `A = L_A + D_A + L_Aᵀ` in blocks. The preconditioner is `P = (D + L_A) D⁻¹ (D + L_Aᵀ)` with the block
//! diagonal `D` chosen so that `P` and `A` agree on theirs: `D_i = (D_A)_i − Σ_k A_ik D_k⁻¹ A_ikᵀ`, the diagonal
//! form of incomplete Cholesky. If a `D_i` is not positive definite, the diagonal of `A` is enlarged and the
//! factor made anew (Manteuffel 1980).
//!
//! With `D_i = C_i C_iᵀ` and everything scaled by `C` on both sides, `P` becomes `(I + L)(I + Lᵀ)`, and
//! Eisenstat's observation (1981) makes the preconditioned product as cheap as the preconditioner alone:
//!
//! `(I+L)⁻¹ A (I+Lᵀ)⁻¹ p = t + (I+L)⁻¹ (p + (E − 2I) t)`, where `t = (I+Lᵀ)⁻¹ p` and `E` is the scaled
//! diagonal.
//!
//! Everything here is in single precision, four lanes at a time; [`solve`](super::solve) refines the result in
//! double precision.

use super::{BlockMatrix, BlockPattern, Filter};
use glam::{DMat3, DVec3, Mat3A, Vec3A};
use std::sync::Arc;

/// The scaled factor, with room for refilling in place.
#[derive(Clone, Debug)]
pub struct Sweeps {
    pattern: Arc<BlockPattern>,
    /// `L`, at the places of the matrix's lower blocks.
    lower: Vec<Mat3A>,
    /// `E − 2I`.
    diagonal: Vec<Mat3A>,
    /// `C_i⁻¹`.
    scale: Vec<Mat3A>,
}

impl Sweeps {
    /// Sets memory aside for matrices of this pattern.
    pub fn new(pattern: Arc<BlockPattern>) -> Self {
        let (rows, blocks) = (pattern.rows(), pattern.off_diagonal_count());
        Sweeps {
            lower: vec![Mat3A::ZERO; blocks],
            diagonal: vec![Mat3A::ZERO; rows],
            scale: vec![Mat3A::ZERO; rows],
            pattern,
        }
    }

    /// Makes the factor of a matrix, restricted to the directions that the filters leave free: the others
    /// are decoupled, with unit diagonal. `false` if no enlarged diagonal helps, which means that the matrix
    /// has entries that are not finite.
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
        for row in 0..self.pattern.rows() {
            let range = self.pattern.row(row);
            let full = restrict_diagonal(&matrix.diagonal[row], &filters[row], shift);
            let mut pivot = full;
            // First B_ik = A_ik C_k⁻ᵀ, which is all that the pivot needs; then L_ik = C_i⁻¹ B_ik.
            for at in range.clone() {
                let column = self.pattern.columns[at] as usize;
                let block = restrict(&matrix.lower[at], &filters[row], &filters[column]);
                let half = block * self.scale[column].transpose();
                self.lower[at] = half;
                pivot -= half * half.transpose();
            }
            let Some(scale) = inverse_cholesky(&pivot, &full) else {
                return false;
            };
            self.scale[row] = scale;
            for block in &mut self.lower[range] {
                *block = scale * *block;
            }
            self.diagonal[row] = scale * full * scale.transpose() - Mat3A::IDENTITY * 2.0;
        }
        true
    }

    /// `x ← (I+L)⁻¹ x`.
    pub(super) fn forward(&self, x: &mut [Vec3A]) {
        for row in 0..x.len() {
            let range = self.pattern.row(row);
            let blocks = &self.lower[range.clone()];
            let mut sum = x[row];
            for (block, &column) in blocks.iter().zip(&self.pattern.columns[range]) {
                sum -= *block * x[column as usize];
            }
            x[row] = sum;
        }
    }

    /// `x ← (I+Lᵀ)⁻¹ x`.
    pub(super) fn backward(&self, x: &mut [Vec3A]) {
        for row in (0..x.len()).rev() {
            let range = self.pattern.row(row);
            let value = x[row];
            let blocks = &self.lower[range.clone()];
            for (block, &column) in blocks.iter().zip(&self.pattern.columns[range]) {
                x[column as usize] -= block.transpose() * value;
            }
        }
    }

    /// `image ← (I+L)⁻¹ A (I+Lᵀ)⁻¹ p`, leaving `t = (I+Lᵀ)⁻¹ p` behind.
    pub(super) fn product(&self, p: &[Vec3A], t: &mut [Vec3A], image: &mut [Vec3A]) {
        t.copy_from_slice(p);
        self.backward(t);
        for row in 0..p.len() {
            image[row] = p[row] + self.diagonal[row] * t[row];
        }
        self.forward(image);
        for (out, &t) in image.iter_mut().zip(&*t) {
            *out += t;
        }
    }

    /// `(I+L)⁻¹ C⁻¹ r`: a residual as the iteration sees it, divided by `unit` to stay in range.
    pub(super) fn enter(&self, residual: &[DVec3], unit: f64, out: &mut [Vec3A]) {
        for (row, value) in out.iter_mut().enumerate() {
            *value = self.scale[row] * (residual[row] / unit).as_vec3a();
        }
        self.forward(out);
    }

    /// `out ← P⁻¹ r` for iterations on other matrices than the one factored; `work` is scratch of as many rows.
    pub(crate) fn precondition(&self, r: &[DVec3], work: &mut [Vec3A], out: &mut [DVec3]) {
        let unit = r.iter().map(|v| v.abs().max_element()).fold(0.0, f64::max);
        if unit == 0.0 {
            out.fill(DVec3::ZERO);
            return;
        }
        self.enter(r, unit, work);
        self.backward(work);
        for (row, value) in out.iter_mut().enumerate() {
            *value = unit * self.leave(row, work[row]);
        }
    }

    /// `C⁻ᵀ y` of one node: a solution as the caller wants it.
    pub(super) fn leave(&self, row: usize, y: Vec3A) -> DVec3 {
        (self.scale[row].transpose() * y).as_dvec3()
    }
}

fn restrict(block: &DMat3, row: &Filter, column: &Filter) -> Mat3A {
    match (row, column) {
        (Filter::Free, Filter::Free) => Mat3A::from(block.as_mat3()),
        (Filter::Held, _) | (_, Filter::Held) => Mat3A::ZERO,
        _ => Mat3A::from((projection(row) * *block * projection(column)).as_mat3()),
    }
}

fn restrict_diagonal(block: &DMat3, filter: &Filter, shift: f64) -> Mat3A {
    let lifted = *block * (1.0 + shift);
    let size = (block.x_axis.x + block.y_axis.y + block.z_axis.z) / 3.0;
    let kept = match filter {
        Filter::Free => lifted,
        Filter::Held => DMat3::from_diagonal(DVec3::splat(size)),
        Filter::Sliding(normal) => {
            let inside = projection(filter);
            inside * lifted * inside + outer(*normal) * size
        }
    };
    Mat3A::from(kept.as_mat3())
}

fn projection(filter: &Filter) -> DMat3 {
    match filter {
        Filter::Free => DMat3::IDENTITY,
        Filter::Held => DMat3::ZERO,
        Filter::Sliding(normal) => DMat3::IDENTITY - outer(*normal),
    }
}

fn outer(n: DVec3) -> DMat3 {
    DMat3::from_cols(n * n.x, n * n.y, n * n.z)
}

/// `C⁻¹` of a pivot `C Cᵀ`, or `None` if the pivot is no longer safely positive definite beside the block
/// of `A` it came from.
fn inverse_cholesky(pivot: &Mat3A, original: &Mat3A) -> Option<Mat3A> {
    let floor = 1e-5
        * original
            .x_axis
            .x
            .max(original.y_axis.y)
            .max(original.z_axis.z);
    let [a, b, c] = [pivot.x_axis, pivot.y_axis, pivot.z_axis];
    let safe = |d: f32| (d > floor).then(|| d.sqrt());
    let l00 = safe(a.x)?;
    let (l10, l20) = (a.y / l00, a.z / l00);
    let l11 = safe(b.y - l10 * l10)?;
    let l21 = (b.z - l20 * l10) / l11;
    let l22 = safe(c.z - l20 * l20 - l21 * l21)?;
    let (i00, i11, i22) = (1.0 / l00, 1.0 / l11, 1.0 / l22);
    let i10 = -l10 * i00 * i11;
    let i21 = -l21 * i11 * i22;
    let i20 = -(l20 * i00 + l21 * i10) * i22;
    Some(Mat3A::from_cols(
        Vec3A::new(i00, i10, i20),
        Vec3A::new(0.0, i11, i21),
        Vec3A::new(0.0, 0.0, i22),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block-tridiagonal matrix has no fill: its incomplete factor is complete, and the product is the
    /// identity.
    #[test]
    fn a_chain_is_factored_exactly() {
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
        let mut sweeps = Sweeps::new(pattern);
        assert!(sweeps.factor(&matrix, &vec![Filter::Free; rows]));
        let p: Vec<Vec3A> = (0..rows).map(|i| Vec3A::new(i as f32, 1.0, -0.5)).collect();
        let (mut t, mut image) = (p.clone(), p.clone());
        sweeps.product(&p, &mut t, &mut image);
        for (a, b) in p.iter().zip(&image) {
            assert!(a.distance(*b) < 1e-4 * a.length(), "{a} {b}");
        }
    }

    #[test]
    fn an_indefinite_matrix_is_shifted_until_it_factors_and_a_nan_is_told() {
        let pattern = Arc::new(BlockPattern::new(2, [[0, 1]].into_iter()));
        let mut matrix = BlockMatrix::new(pattern.clone());
        matrix.diagonal.fill(DMat3::IDENTITY);
        matrix.lower.fill(DMat3::IDENTITY * 1.5);
        let mut sweeps = Sweeps::new(pattern);
        assert!(sweeps.factor(&matrix, &[Filter::Free; 2]));
        matrix.lower[0] *= f64::NAN;
        assert!(!sweeps.factor(&matrix, &[Filter::Free; 2]));
    }

    #[test]
    fn the_inverse_cholesky_factor_undoes_the_pivot() {
        let pivot = Mat3A::from_cols(
            Vec3A::new(4.0, 1.0, 0.5),
            Vec3A::new(1.0, 3.0, -0.7),
            Vec3A::new(0.5, -0.7, 2.0),
        );
        let inverse = inverse_cholesky(&pivot, &pivot).unwrap();
        let one = inverse * pivot * inverse.transpose();
        assert!(one.abs_diff_eq(Mat3A::IDENTITY, 1e-5), "{one}");
    }
}
