//! The factor behind the preconditioned iteration: two sweeps over the nodes.
//!
//! Write `A = L_A + D_A + L_Aᵀ` in blocks. The preconditioner is `P = (D + L_A) D⁻¹ (D + L_Aᵀ)` with the
//! block diagonal `D` chosen so that `P` and `A` agree on theirs: `D_i = (D_A)_i − Σ_k A_ik D_k⁻¹ A_ikᵀ`, the
//! diagonal form of incomplete Cholesky. If a `D_i` is not positive definite, the diagonal of `A` is enlarged
//! and the factor made anew (Manteuffel 1980).
//!
//! With `D_i = C_i C_iᵀ` and everything scaled by `C` on both sides, `P` becomes `(I + L)(I + Lᵀ)`, and
//! Eisenstat's observation (1981) makes the preconditioned product as cheap as the preconditioner alone:
//!
//! `(I+L)⁻¹ A (I+Lᵀ)⁻¹ p = t + (I+L)⁻¹ (p + (E − 2I) t)`, where `t = (I+Lᵀ)⁻¹ p` and `E` is the scaled
//! diagonal.
//!
//! `L` is stored [column by column](super::columns). The forward sweep takes a node's value off the nodes
//! below it as soon as it is known, the backward sweep collects a node's value from them: both read the
//! blocks in a row, one up, one down. Nodes are gone through in an [order](super::order) in which neighbours
//! do not follow one another, so that the processor can work on several at once; the factor is the same as in
//! the order of the matrix.
//!
//! Everything here is in single precision, in the processor's wide [`lanes`](super::lanes);
//! [`solve`](super::solver::SystemSolver::solve) refines the result in double precision.

use super::coarse::Coarse;
use super::columns::{Columns, Place};
use super::filter::restrict;
use super::lanes::{Kernel, Lanes, run, times};
use super::order::Order;
use super::sums::DotSum;
use super::{BlockMatrix, BlockPattern, Filter};
use glam::{DMat3, DVec3, Mat3A, Vec3A};
use std::sync::Arc;

/// Vectors that [`Sweeps::precondition`] works in.
#[derive(Clone, Debug)]
pub(crate) struct PreconditionScratch {
    forward: Vec<Vec3A>,
    direction: Vec<Vec3A>,
    backward: Vec<Vec3A>,
    patches: Vec<f64>,
}

impl PreconditionScratch {
    pub(crate) fn new(sweeps: &Sweeps) -> Self {
        PreconditionScratch {
            forward: sweeps.zeros(),
            direction: sweeps.zeros(),
            backward: sweeps.zeros(),
            patches: vec![0.0; 3 * sweeps.coarse.count()],
        }
    }
}

/// The scaled factor, with room for refilling in place.
#[derive(Clone, Debug)]
pub struct Sweeps {
    pattern: Arc<BlockPattern>,
    /// In which order the rows of the matrix are gone through; everything below is in this order.
    order: Order,
    lower: Columns,
    /// Where in `lower` the matrix's lower blocks go.
    places: Vec<Place>,
    /// `E − 2I`.
    diagonal: Vec<Mat3A>,
    /// `C_i⁻¹`.
    scale: Vec<Mat3A>,
    pub(super) coarse: Coarse,
}

impl Sweeps {
    /// Sets memory aside for matrices of this pattern.
    pub fn new(pattern: Arc<BlockPattern>) -> Self {
        Sweeps::with_coarse(pattern, Coarse::new)
    }

    /// The same for a pattern that joins more of the same nodes.
    pub(super) fn joined(&self, pattern: Arc<BlockPattern>) -> Self {
        Sweeps::with_coarse(pattern, |pattern, order| self.coarse.joined(pattern, order))
    }

    fn with_coarse(
        pattern: Arc<BlockPattern>,
        coarse: impl FnOnce(&BlockPattern, &Order) -> Coarse,
    ) -> Self {
        let rows = pattern.rows();
        let order = Order::new(&pattern);
        let entries = order.rows().flat_map(|row| {
            let columns = pattern.columns[pattern.row(row)].iter();
            columns.map(move |&column| [row, column as usize])
        });
        let entries: Vec<_> = entries
            .map(|pair| pair.map(|row| order.place(row) as u32))
            .collect();
        let (lower, in_order) = Columns::new(rows, rows, &entries);
        let mut places = vec![0; in_order.len()];
        let stored = order.rows().flat_map(|row| pattern.row(row));
        for (at, place) in stored.zip(in_order) {
            places[at] = place;
        }
        Sweeps {
            coarse: coarse(&pattern, &order),
            order,
            lower,
            places,
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
        self.coarse.finish(&self.scale);
        true
    }

    fn try_factor(&mut self, matrix: &BlockMatrix, filters: &[Filter], shift: f64) -> bool {
        self.coarse.clear();
        run(Factor {
            sweeps: self,
            matrix,
            filters,
            lift: 1.0 + shift as f32,
        })
    }

    /// `x ← (I+L)⁻¹ x`.
    pub(super) fn forward(&self, x: &mut [Vec3A]) {
        run(Forward(&self.lower, x));
    }

    /// `p ← r + β p`, `t ← (I+Lᵀ)⁻¹ p`.
    pub(super) fn backward(&self, r: &[Vec3A], beta: f32, p: &mut [Vec3A], t: &mut [Vec3A]) {
        let lower = &self.lower;
        run(Backward {
            lower,
            r,
            beta,
            p,
            t,
        });
    }

    /// `z ← (I+L)⁻¹ (z + p + (E − 2I) t)`; answers `p·(z + t)`.
    pub(super) fn forward_product(&self, p: &[Vec3A], t: &[Vec3A], z: &mut [Vec3A]) -> f64 {
        let (lower, diagonal) = (&self.lower, &self.diagonal);
        run(ForwardProduct {
            lower,
            diagonal,
            p,
            t,
            z,
        })
    }

    /// A vector in the sweeps' order, with the [spare](super::columns) entry at its end.
    pub(super) fn zeros(&self) -> Vec<Vec3A> {
        vec![Vec3A::ZERO; self.pattern.rows() + 1]
    }

    /// `C⁻¹ r`, with `r` divided by `unit` to stay in range, from the matrix's order to the sweeps'.
    pub(super) fn scale(&self, residual: &[DVec3], unit: f64, out: &mut [Vec3A]) {
        for ((value, scale), row) in out.iter_mut().zip(&self.scale).zip(self.order.rows()) {
            *value = *scale * (residual[row] / unit).as_vec3a();
        }
    }

    /// `out ← (P⁻¹ + Z E⁻¹ Zᵀ) r` for iterations on other matrices than the one factored.
    pub(crate) fn precondition(
        &self,
        r: &[DVec3],
        work: &mut PreconditionScratch,
        out: &mut [DVec3],
    ) {
        let unit = r.iter().map(|v| v.abs().max_element()).fold(0.0, f64::max);
        if unit == 0.0 {
            out.fill(DVec3::ZERO);
            return;
        }
        self.scale(r, unit, &mut work.forward);
        self.forward(&mut work.forward);
        self.backward(&work.forward, 0.0, &mut work.direction, &mut work.backward);
        self.coarse.correction(r, unit, &mut work.patches);
        for (row, value) in self.solution(&work.backward) {
            let patch = DVec3::from_slice(&work.patches[3 * self.coarse.patch(row)..]);
            out[row] = unit * (value + patch);
        }
    }

    /// `C⁻ᵀ y`, a solution as the caller wants it, with the rows of the matrix.
    pub(super) fn solution(&self, y: &[Vec3A]) -> impl Iterator<Item = (usize, DVec3)> {
        let scaled = self.scale.iter().zip(y);
        let values = scaled.map(|(scale, &y)| (scale.transpose() * y).as_dvec3());
        self.order.rows().zip(values)
    }
}

struct Forward<'a>(&'a Columns, &'a mut [Vec3A]);

impl Kernel for Forward<'_> {
    type Answer = ();
    #[inline(always)]
    fn run(self, lanes: impl Lanes) {
        let Forward(lower, x) = self;
        lower.push(lanes, x, |row, x| x[row]);
    }
}

struct Backward<'a> {
    lower: &'a Columns,
    r: &'a [Vec3A],
    beta: f32,
    p: &'a mut [Vec3A],
    t: &'a mut [Vec3A],
}

impl Kernel for Backward<'_> {
    type Answer = ();
    #[inline(always)]
    fn run(self, lanes: impl Lanes) {
        let beta = Vec3A::splat(self.beta);
        let Backward { r, p, .. } = self;
        self.lower.pull(lanes, self.t, |row, t, below| {
            p[row] = lanes.add_product(r[row], beta, p[row]);
            t[row] = p[row] - below;
        });
    }
}

struct ForwardProduct<'a> {
    lower: &'a Columns,
    diagonal: &'a [Mat3A],
    p: &'a [Vec3A],
    t: &'a [Vec3A],
    z: &'a mut [Vec3A],
}

impl Kernel for ForwardProduct<'_> {
    type Answer = f64;
    #[inline(always)]
    fn run(self, lanes: impl Lanes) -> f64 {
        let mut sum = DotSum::default();
        self.lower.push(lanes, self.z, |row, z| {
            let (p, t) = (self.p[row], self.t[row]);
            z[row] += lanes.add_image(p, &self.diagonal[row], t);
            sum.add(p, z[row] + t);
            z[row]
        });
        sum.total()
    }
}

struct Factor<'a> {
    sweeps: &'a mut Sweeps,
    matrix: &'a BlockMatrix,
    filters: &'a [Filter],
    /// By how much the diagonal is enlarged.
    lift: f32,
}

impl Kernel for Factor<'_> {
    type Answer = bool;
    #[inline(always)]
    fn run(self, lanes: impl Lanes) -> bool {
        let Sweeps {
            pattern,
            order,
            lower,
            places,
            diagonal,
            scale,
            coarse,
        } = self.sweeps;
        let mut halves: Vec<Mat3A> = Vec::new(); // of one row
        // In the matrix's own order: here its memory counts for more than who waits for whom.
        for (row, filter) in self.filters.iter().enumerate() {
            let place = order.place(row);
            let block = &self.matrix.diagonal[row];
            let (free, full) = match filter {
                Filter::Free => (single(block), single(block)),
                _ => {
                    let free = filter.restrict_diagonal(block);
                    (single(&free), single(&(free + filter.stand_in(block))))
                }
            };
            coarse.add_diagonal(row, &free);
            // Only the preconditioner is lifted, never the matrix that is iterated on.
            let mut pivot = full * self.lift;
            // First B_ik = A_ik C_k⁻ᵀ, which is all that the pivot needs; then L_ik = C_i⁻¹ B_ik.
            halves.clear();
            let range = pattern.row(row);
            let blocks = self.matrix.lower[range.clone()].iter();
            for (at, (block, &column)) in range
                .clone()
                .zip(blocks.zip(&pattern.columns[range.clone()]))
            {
                let column = column as usize;
                let block = match (filter, &self.filters[column]) {
                    (Filter::Free, Filter::Free) => single(block),
                    (row, column) => single(&restrict(block, row, column)),
                };
                coarse.add_lower(at, &block);
                let half = times_transposed(lanes, &block, &scale[order.place(column)]);
                subtract_square(lanes, &mut pivot, &half);
                halves.push(half);
            }
            let Some(inverse) = inverse_cholesky(&pivot, &full) else {
                return false;
            };
            scale[place] = inverse;
            for (half, &place) in halves.iter().zip(&places[range]) {
                lower.set(place, &times(lanes, &inverse, half));
            }
            let scaled = times_transposed(lanes, &times(lanes, &inverse, &full), &inverse);
            diagonal[place] = scaled - Mat3A::IDENTITY * 2.0;
        }
        true
    }
}

/// `A Cᵀ` with a lower triangular `C`.
#[inline(always)]
fn times_transposed(lanes: impl Lanes, a: &Mat3A, c: &Mat3A) -> Mat3A {
    let splat = Vec3A::splat;
    let y = a.x_axis * splat(c.x_axis.y);
    let z = a.x_axis * splat(c.x_axis.z);
    let z = lanes.add_product(z, a.y_axis, splat(c.y_axis.z));
    Mat3A::from_cols(
        a.x_axis * splat(c.x_axis.x),
        lanes.add_product(y, a.y_axis, splat(c.y_axis.y)),
        lanes.add_product(z, a.z_axis, splat(c.z_axis.z)),
    )
}

/// `P ← P − B Bᵀ`.
#[inline(always)]
fn subtract_square(lanes: impl Lanes, pivot: &mut Mat3A, b: &Mat3A) {
    for column in [b.x_axis, b.y_axis, b.z_axis] {
        let part = |c: Vec3A, by: f32| lanes.subtract_product(c, column, Vec3A::splat(by));
        pivot.x_axis = part(pivot.x_axis, column.x);
        pivot.y_axis = part(pivot.y_axis, column.y);
        pivot.z_axis = part(pivot.z_axis, column.z);
    }
}

#[inline(always)]
fn single(block: &DMat3) -> Mat3A {
    Mat3A::from(block.as_mat3())
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
        let mut p = sweeps.zeros();
        for (i, p) in p.iter_mut().take(rows).enumerate() {
            *p = Vec3A::new(i as f32, 1.0, -0.5);
        }
        let (mut direction, mut t, mut z) = (p.clone(), sweeps.zeros(), sweeps.zeros());
        sweeps.backward(&p, 0.0, &mut direction, &mut t);
        assert_eq!(p, direction);
        sweeps.forward_product(&p, &t, &mut z);
        for ((a, t), z) in p.iter().zip(&t).zip(&z).take(rows) {
            let b = *t + *z;
            assert!(a.distance(b) < 1e-4 * a.length(), "{a} {b}");
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
