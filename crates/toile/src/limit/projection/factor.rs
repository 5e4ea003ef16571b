//! The factor of `J W Jᵀ`: within its envelope while that is small, else sparse.

use super::envelope::Envelope;
use crate::linalg::SparseCholesky;

/// Systems with more equations than this go to the sparse factor.
const SMALL: usize = 3000;

/// A matrix to be filled in and its factor.
#[derive(Clone, Debug)]
pub(super) enum Factor {
    Envelope(Envelope),
    Sparse(SparseCholesky),
}

impl Factor {
    /// Whether a system of this size is factored within its envelope, so that its order matters.
    pub(super) fn is_small(rows: usize) -> bool {
        rows <= SMALL || !SparseCholesky::AVAILABLE
    }

    /// The zero matrix with a pattern: for each row its columns at and left of the diagonal. `None` if the factor does not
    /// fit into memory.
    pub(super) fn new(pattern: &[Vec<usize>]) -> Option<Self> {
        if !Self::is_small(pattern.len()) {
            return SparseCholesky::new(pattern.iter().map(|row| row.iter().copied()))
                .map(Factor::Sparse);
        }
        let first: Vec<usize> = pattern.iter().map(|columns| columns[0]).collect();
        Some(Factor::Envelope(Envelope::new(&first)))
    }

    /// Where an entry at or below the diagonal is stored.
    pub(super) fn place(&self, row: usize, column: usize) -> usize {
        match self {
            Factor::Envelope(envelope) => envelope.place(row, column),
            Factor::Sparse(sparse) => sparse.place(row, column),
        }
    }

    /// All entries, for filling in. They are gone after [`factor`](Self::factor).
    pub(super) fn values_mut(&mut self) -> &mut [f64] {
        match self {
            Factor::Envelope(envelope) => envelope.values_mut(),
            Factor::Sparse(sparse) => sparse.values_mut(),
        }
    }

    /// Factors the matrix with its diagonal enlarged by a part of itself; `false` if that was not enough to make it
    /// definite.
    #[must_use]
    pub(super) fn factor(&mut self, damping: f64) -> bool {
        match self {
            Factor::Envelope(envelope) => {
                envelope.factor(damping);
                true
            }
            Factor::Sparse(sparse) => {
                // An equation that nothing can change gets any diagonal.
                sparse
                    .for_each_diagonal(|d| *d = if *d > 0.0 { *d * (1.0 + damping) } else { 1.0 });
                sparse.factor()
            }
        }
    }

    /// How long a vector for [`solve`](Self::solve) must be.
    pub(super) fn padded_rows(&self) -> usize {
        match self {
            Factor::Envelope(envelope) => envelope.padded_rows(),
            Factor::Sparse(sparse) => sparse.rows(),
        }
    }

    /// Solves in place.
    pub(super) fn solve(&mut self, x: &mut [f64]) {
        match self {
            Factor::Envelope(envelope) => envelope.solve(x),
            Factor::Sparse(sparse) => sparse.solve(x),
        }
    }
}
