//! Sparse Cholesky factorisation, for small or very stiff systems.
//!
//! The order of elimination and the pattern of the factor are worked out once per pattern (approximate minimum
//! degree, supernodes: the `faer` crate); a step only refills the numbers.

use super::filter::restrict;
use super::{BlockMatrix, BlockPattern, Filter};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::cholesky::{LltRef, SymbolicCholesky, factorize_symbolic_cholesky};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMat};
use faer::{Conj, MatMut, Par, Side};
use glam::{DMat3, DVec3};
use std::sync::Arc;

/// The factor and the room it needs.
pub(super) struct Direct {
    /// The upper triangle by columns, which is the lower by rows.
    pattern: SymbolicSparseColMat<usize>,
    values: Vec<f64>,
    symbolic: Arc<SymbolicCholesky<usize>>,
    factor: Vec<f64>,
    memory: MemBuffer,
    flat: Vec<f64>,
}

impl std::fmt::Debug for Direct {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Direct")
            .field("rows", &self.flat.len())
            .field("entries", &self.factor.len())
            .finish_non_exhaustive()
    }
}

impl Direct {
    /// Analyses a pattern; `None` if its factor does not fit into memory.
    pub(super) fn new(pattern: &BlockPattern) -> Option<Self> {
        let rows = 3 * pattern.rows();
        let (mut starts, mut indices) = (vec![0], Vec::new());
        for row in 0..rows {
            for &column in &pattern.columns[pattern.row(row / 3)] {
                let first = 3 * column as usize;
                indices.extend(first..first + 3);
            }
            indices.extend(3 * (row / 3)..=row);
            starts.push(indices.len());
        }
        let values = vec![0.0; indices.len()];
        let pattern = SymbolicSparseColMat::new_checked(rows, rows, starts, None, indices);
        let symbolic = factorize_symbolic_cholesky(
            pattern.as_ref(),
            Side::Upper,
            Default::default(),
            Default::default(),
        )
        .ok()?;
        let need = symbolic
            .factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default())
            .or(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
        Some(Direct {
            factor: vec![0.0; symbolic.len_val()],
            memory: MemBuffer::try_new(need).ok()?,
            flat: vec![0.0; rows],
            symbolic: Arc::new(symbolic),
            values,
            pattern,
        })
    }

    /// Factors a matrix; `false` if it is not positive definite.
    #[must_use]
    pub(super) fn factor(&mut self, matrix: &BlockMatrix, filters: &[Filter]) -> bool {
        let mut at = 0;
        for row in 0..filters.len() {
            let range = matrix.pattern.row(row);
            let blocks = 3 * range.len();
            // The three scalar rows of a block row follow one another, each one longer than the last.
            let lines = [at, at + blocks + 1, at + 2 * blocks + 3];
            for (k, place) in range.enumerate() {
                let column = matrix.pattern.columns[place] as usize;
                let block = restrict(&matrix.lower[place], &filters[row], &filters[column]);
                self.put(lines, 3 * k, &block, [3; 3]);
            }
            let block = &matrix.diagonal[row];
            let block = filters[row].restrict_diagonal(block) + filters[row].stand_in(block);
            self.put(lines, blocks, &block, [1, 2, 3]);
            at += 3 * blocks + 6;
        }
        if !self.values.iter().all(|v| v.is_finite()) {
            return false;
        }
        let matrix = SparseColMatRef::new(self.pattern.as_ref(), &self.values);
        let outcome = self.symbolic.factorize_numeric_llt(
            &mut self.factor,
            matrix,
            Side::Upper,
            Default::default(),
            Par::Seq,
            MemStack::new(&mut self.memory),
            Default::default(),
        );
        outcome.is_ok()
    }

    /// Writes the rows of a block, as much of each as is stored.
    fn put(&mut self, lines: [usize; 3], from: usize, block: &DMat3, lengths: [usize; 3]) {
        for (i, (line, length)) in lines.into_iter().zip(lengths).enumerate() {
            let row = block.row(i).to_array();
            self.values[line + from..][..length].copy_from_slice(&row[..length]);
        }
    }

    /// Adds the solution for a residual to `x`.
    pub(super) fn correct(&mut self, residual: &[DVec3], filters: &[Filter], x: &mut [DVec3]) {
        for (flat, r) in self.flat.chunks_exact_mut(3).zip(residual) {
            flat.copy_from_slice(&r.to_array());
        }
        let rows = self.flat.len();
        LltRef::new(&self.symbolic, &self.factor).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(&mut self.flat, rows, 1),
            Par::Seq,
            MemStack::new(&mut self.memory),
        );
        for (x, (flat, filter)) in x.iter_mut().zip(self.flat.chunks_exact(3).zip(filters)) {
            *x += filter.apply(DVec3::from_slice(flat));
        }
    }
}
