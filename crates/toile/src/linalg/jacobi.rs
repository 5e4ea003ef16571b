//! The diagonal blocks inverted: the plain preconditioner, slow but without anything that could go wrong.

use super::{BlockMatrix, Filter};
use glam::{DMat3, DVec3};

/// Inverted diagonal blocks.
#[derive(Clone, Debug)]
pub(super) struct BlockJacobi {
    inverse: Vec<DMat3>,
}

impl BlockJacobi {
    pub(super) fn new(rows: usize) -> Self {
        BlockJacobi {
            inverse: vec![DMat3::IDENTITY; rows],
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

    pub(super) fn precondition(&self, r: &[DVec3], out: &mut [DVec3]) {
        for (out, (inverse, r)) in out.iter_mut().zip(self.inverse.iter().zip(r)) {
            *out = *inverse * *r;
        }
    }
}
