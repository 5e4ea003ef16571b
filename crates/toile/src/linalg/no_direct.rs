//! Stands in for the direct factor in builds without it: there never is one.

use super::{BlockMatrix, BlockPattern, Filter};
use glam::DVec3;

/// No value of this type exists.
#[derive(Debug)]
pub(super) enum Direct {}

impl Direct {
    pub(super) fn new(_pattern: &BlockPattern) -> Option<Self> {
        None
    }

    #[must_use]
    pub(super) fn factor(&mut self, _matrix: &BlockMatrix, _filters: &[Filter]) -> bool {
        match *self {}
    }

    pub(super) fn correct(&mut self, _residual: &[DVec3], _filters: &[Filter], _x: &mut [DVec3]) {
        match *self {}
    }
}
