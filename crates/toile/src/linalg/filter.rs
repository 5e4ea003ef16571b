//! Constrained nodes: which directions of a node a solve may change.
//!
//! Constrained nodes keep what they were given of their unknown: all of it, or its part along a normal, or
//! all but its part along a line. Taking those parts out of the residual and of every search direction is the
//! modified method of Baraff and Witkin in the form of Ascher and Boxerman (2003): a plain symmetric system
//! `P A P` on the directions that are left. Where a whole matrix is needed, the other directions get a
//! diagonal of the block's own size, which couples to nothing.

use glam::{DMat3, DVec3};

/// Which directions of a node the solve may change.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum Filter {
    /// All.
    #[default]
    Free,
    /// None.
    Held,
    /// All but this unit normal.
    Sliding(DVec3),
    /// Only this unit direction.
    Line(DVec3),
}

impl Filter {
    /// The part of a vector that the solve may change.
    pub fn apply(&self, value: DVec3) -> DVec3 {
        match self {
            Filter::Free => value,
            Filter::Held => DVec3::ZERO,
            Filter::Sliding(normal) => value - value.dot(*normal) * *normal,
            Filter::Line(direction) => value.dot(*direction) * *direction,
        }
    }

    /// `given` in the directions that are not free, `guess` in those that are.
    pub fn constrain(&self, given: DVec3, guess: DVec3) -> DVec3 {
        match self {
            Filter::Free => guess,
            _ => given + self.apply(guess - given),
        }
    }

    fn projection(&self) -> DMat3 {
        match self {
            Filter::Free => DMat3::IDENTITY,
            Filter::Held => DMat3::ZERO,
            Filter::Sliding(normal) => DMat3::IDENTITY - outer(*normal),
            Filter::Line(direction) => outer(*direction),
        }
    }

    /// A diagonal block of `P A P`.
    #[inline]
    pub(super) fn restrict_diagonal(&self, block: &DMat3) -> DMat3 {
        restrict(block, self, self)
    }

    /// What takes the place of a diagonal block in the directions that are not free.
    pub(super) fn stand_in(&self, block: &DMat3) -> DMat3 {
        let size = (block.x_axis.x + block.y_axis.y + block.z_axis.z) / 3.0;
        match self {
            Filter::Free => DMat3::ZERO,
            Filter::Held => DMat3::from_diagonal(DVec3::splat(size)),
            Filter::Sliding(normal) => outer(*normal) * size,
            Filter::Line(direction) => (DMat3::IDENTITY - outer(*direction)) * size,
        }
    }
}

/// An off-diagonal block of `P A P`.
#[inline]
pub(super) fn restrict(block: &DMat3, row: &Filter, column: &Filter) -> DMat3 {
    match (row, column) {
        (Filter::Free, Filter::Free) => *block,
        (Filter::Held, _) | (_, Filter::Held) => DMat3::ZERO,
        _ => row.projection() * *block * column.projection(),
    }
}

fn outer(n: DVec3) -> DMat3 {
    DMat3::from_cols(n * n.x, n * n.y, n * n.z)
}
