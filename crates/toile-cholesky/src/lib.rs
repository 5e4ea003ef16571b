//! Sparse Cholesky factor of a scalar matrix: the order of elimination and the pattern of the factor are worked out once
//! (approximate minimum degree, supernodes: the `faer` crate); later only the numbers are refilled. It runs on one thread.
//!
//! This is a crate of its own because `faer` is generic: whoever calls it compiles it. Here that is done once, and not again with every
//! change of the engine and for every one of its tests. So nothing that is generic may call `faer`.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::cholesky::{LltRef, SymbolicCholesky, factorize_symbolic_cholesky};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMat};
use faer::{Conj, MatMut, Par, Side};
use std::sync::Arc;

/// The matrix, its factor and the room it needs.
pub struct SparseCholesky {
    /// The upper triangle by columns, which is the lower by rows.
    pattern: Arc<SymbolicSparseColMat<usize>>,
    values: Vec<f64>,
    symbolic: Arc<SymbolicCholesky<usize>>,
    factor: Vec<f64>,
    memory: MemBuffer,
}

impl std::fmt::Debug for SparseCholesky {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SparseCholesky")
            .field("rows", &self.rows())
            .field("entries", &self.factor.len())
            .finish_non_exhaustive()
    }
}

impl Clone for SparseCholesky {
    fn clone(&self) -> Self {
        SparseCholesky {
            pattern: Arc::clone(&self.pattern),
            values: self.values.clone(),
            symbolic: Arc::clone(&self.symbolic),
            factor: self.factor.clone(),
            memory: MemBuffer::new(needed(&self.symbolic)),
        }
    }
}

fn needed(symbolic: &SymbolicCholesky<usize>) -> faer::dyn_stack::StackReq {
    symbolic
        .factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default())
        .or(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq))
}

impl SparseCholesky {
    /// Whether this build of the engine has it.
    pub const AVAILABLE: bool = true;

    /// Analyses the lower triangle of a pattern, row by row, the columns of each increasing and its diagonal last; `None` if
    /// the factor does not fit into memory.
    pub fn new(rows: impl IntoIterator<Item = impl IntoIterator<Item = usize>>) -> Option<Self> {
        let (mut starts, mut indices) = (vec![0], Vec::new());
        for row in rows {
            indices.extend(row);
            starts.push(indices.len());
        }
        Self::analyse(starts, indices)
    }

    fn analyse(starts: Vec<usize>, indices: Vec<usize>) -> Option<Self> {
        let values = vec![0.0; indices.len()];
        let count = starts.len() - 1;
        let pattern = SymbolicSparseColMat::new_checked(count, count, starts, None, indices);
        let symbolic = factorize_symbolic_cholesky(
            pattern.as_ref(),
            Side::Upper,
            Default::default(),
            Default::default(),
        )
        .ok()?;
        Some(SparseCholesky {
            factor: vec![0.0; symbolic.len_val()],
            memory: MemBuffer::try_new(needed(&symbolic)).ok()?,
            symbolic: Arc::new(symbolic),
            pattern: Arc::new(pattern),
            values,
        })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.pattern.nrows()
    }

    /// Where in the values an entry of the pattern is.
    pub fn place(&self, row: usize, column: usize) -> usize {
        let starts = self.pattern.col_ptr();
        let columns = &self.pattern.row_idx()[starts[row]..starts[row + 1]];
        let at = columns.partition_point(|&c| c < column);
        debug_assert_eq!(columns[at], column);
        starts[row] + at
    }

    /// The entries, row by row.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// The diagonal entries.
    pub fn for_each_diagonal(&mut self, mut change: impl FnMut(&mut f64)) {
        for end in &self.pattern.col_ptr()[1..] {
            change(&mut self.values[end - 1]);
        }
    }

    /// Factors the values; `false` if they are not finite or not positive definite.
    #[must_use]
    pub fn factor(&mut self) -> bool {
        if !self.values.iter().all(|v| v.is_finite()) {
            return false;
        }
        let pattern: &SymbolicSparseColMat<usize> = &self.pattern;
        let matrix = SparseColMatRef::new(pattern.as_ref(), &self.values);
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

    /// Solves in place with the last factor.
    pub fn solve(&mut self, x: &mut [f64]) {
        let rows = x.len();
        LltRef::new(&self.symbolic, &self.factor).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(x, rows, 1),
            Par::Seq,
            MemStack::new(&mut self.memory),
        );
    }
}
