//! What conjugate gradients are preconditioned with where they run on another operator than the matrix.

use super::direct::Direct;
use super::{BlockMatrix, BlockPattern, Filter, PreconditionScratch, Sweeps};
use glam::DVec3;
use std::sync::Arc;

/// The matrix factored, or swept over.
pub(crate) enum Preconditioner {
    Factor(Box<Direct>),
    Sweeps(Box<Sweeps>, PreconditionScratch),
}

impl Preconditioner {
    /// Factors matrices of up to so many rows, if the build can; sweeps over larger ones.
    pub(crate) fn new(pattern: &Arc<BlockPattern>, factored: usize) -> Self {
        let small = pattern.rows() <= factored;
        match small.then(|| Direct::new(pattern)).flatten() {
            Some(direct) => Preconditioner::Factor(Box::new(direct)),
            None => {
                let sweeps = Box::new(Sweeps::new(Arc::clone(pattern)));
                let scratch = PreconditionScratch::new(&sweeps);
                Preconditioner::Sweeps(sweeps, scratch)
            }
        }
    }

    /// Takes a matrix; `false` if it is not positive definite.
    #[must_use]
    pub(crate) fn factor(&mut self, matrix: &BlockMatrix, filters: &[Filter]) -> bool {
        match self {
            Preconditioner::Factor(direct) => direct.factor(matrix, filters),
            Preconditioner::Sweeps(sweeps, _) => sweeps.factor(matrix, filters),
        }
    }

    /// What it takes to leave nothing, or little, of a residual.
    pub(crate) fn apply(&mut self, residual: &[DVec3], out: &mut [DVec3]) {
        match self {
            Preconditioner::Factor(direct) => direct.precondition(residual, out),
            Preconditioner::Sweeps(sweeps, scratch) => sweeps.precondition(residual, scratch, out),
        }
    }
}
