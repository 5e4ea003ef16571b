//! Stands in for the sparse factor in builds without it: there never is one.

/// No value of this type exists.
#[derive(Clone, Debug)]
pub(crate) enum SparseCholesky {}

impl SparseCholesky {
    pub(crate) const AVAILABLE: bool = false;

    pub(crate) fn new(
        _rows: impl IntoIterator<Item = impl IntoIterator<Item = usize>>,
    ) -> Option<Self> {
        None
    }

    pub(crate) fn rows(&self) -> usize {
        match *self {}
    }

    pub(crate) fn place(&self, _row: usize, _column: usize) -> usize {
        match *self {}
    }

    pub(crate) fn values_mut(&mut self) -> &mut [f64] {
        match *self {}
    }

    pub(crate) fn for_each_diagonal(&mut self, _change: impl FnMut(&mut f64)) {
        match *self {}
    }

    #[must_use]
    pub(crate) fn factor(&mut self) -> bool {
        match *self {}
    }

    pub(crate) fn solve(&mut self, _x: &mut [f64]) {
        match *self {}
    }
}
