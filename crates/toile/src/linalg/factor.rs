//! Cholesky factors of scalar symmetric matrices: within the envelope for small systems, sparse for large
//! ones.
//!
//! * [`Envelope`]: dense panels between each row's first entry and the diagonal; finds equations that depend
//!   on others.
//! * `SparseCholesky`: a fill-reducing order and supernodes (the crate `toile-cholesky`), for large systems.
//! * [`Skyline`]: an envelope of single rows filled with 3×3 blocks, for the coarse space of the
//!   preconditioner alone. It sums in another order than the panels of [`Envelope`], so that one cannot take
//!   the other's place without changing every result in its last digits.

mod envelope;
#[cfg(not(feature = "direct"))]
mod no_sparse_cholesky;
mod skyline;

pub(crate) use envelope::Envelope;
#[cfg(not(feature = "direct"))]
pub(crate) use no_sparse_cholesky::SparseCholesky;
pub(super) use skyline::Skyline;
#[cfg(feature = "direct")]
pub(crate) use toile_cholesky::SparseCholesky;

/// Systems with more equations than this go to the sparse factor. Work within an envelope grows with the
/// square of the number of equations, that of the sparse factor with the power 3/2. Test:
/// `both_factors_give_the_same_step`; times: `benches/projection.rs`.
const SMALL_SYSTEM: usize = 3000;

/// A matrix to be filled in and its factor.
#[derive(Clone, Debug)]
pub(crate) enum Factor {
    Envelope(Envelope),
    Sparse(SparseCholesky),
}

impl Factor {
    /// Whether a system of this size is factored within its envelope, so that its order matters.
    pub(crate) fn is_small(rows: usize) -> bool {
        rows <= SMALL_SYSTEM || !SparseCholesky::AVAILABLE
    }

    /// The zero matrix with a pattern: for each row its columns at and left of the diagonal. `None` if the
    /// factor does not fit into memory.
    pub(crate) fn new(pattern: &[Vec<usize>]) -> Option<Self> {
        if !Self::is_small(pattern.len()) {
            return SparseCholesky::new(pattern.iter().map(|row| row.iter().copied()))
                .map(Factor::Sparse);
        }
        let first: Vec<usize> = pattern.iter().map(|columns| columns[0]).collect();
        Some(Factor::Envelope(Envelope::new(&first)))
    }

    /// Where an entry at or below the diagonal is stored.
    pub(crate) fn place(&self, row: usize, column: usize) -> usize {
        match self {
            Factor::Envelope(envelope) => envelope.place(row, column),
            Factor::Sparse(sparse) => sparse.place(row, column),
        }
    }

    /// All entries, for filling in. They are gone after [`factor`](Self::factor).
    pub(crate) fn values_mut(&mut self) -> &mut [f64] {
        match self {
            Factor::Envelope(envelope) => envelope.values_mut(),
            Factor::Sparse(sparse) => sparse.values_mut(),
        }
    }

    /// Factors the matrix with its diagonal enlarged by a part of itself; `false` if that was not enough to
    /// make it definite.
    #[must_use]
    pub(crate) fn factor(&mut self, damping: f64) -> bool {
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
    pub(crate) fn padded_rows(&self) -> usize {
        match self {
            Factor::Envelope(envelope) => envelope.padded_rows(),
            Factor::Sparse(sparse) => sparse.rows(),
        }
    }

    /// Solves in place.
    pub(crate) fn solve(&mut self, x: &mut [f64]) {
        match self {
            Factor::Envelope(envelope) => envelope.solve(x),
            Factor::Sparse(sparse) => sparse.solve(x),
        }
    }
}
