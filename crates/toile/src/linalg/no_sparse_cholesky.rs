//! Stands in for the sparse factor in builds without it: there never is one.

/// No value of this type exists.
#[derive(Clone, Debug)]
pub(super) enum Sparse {}

impl Sparse {
    pub(super) const AVAILABLE: bool = false;

    pub(super) fn new(_rows: &[Vec<usize>]) -> Option<Self> {
        None
    }

    pub(super) fn rows(&self) -> usize {
        match *self {}
    }

    pub(super) fn place(&self, _row: usize, _column: usize) -> usize {
        match *self {}
    }

    pub(super) fn values_mut(&mut self) -> &mut [f64] {
        match *self {}
    }

    #[must_use]
    pub(super) fn factor(&mut self, _damping: f64) -> bool {
        match *self {}
    }

    pub(super) fn solve(&mut self, _x: &mut [f64]) {
        match *self {}
    }
}
