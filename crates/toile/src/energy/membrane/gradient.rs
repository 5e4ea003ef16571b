//! The columns `w_u`, `w_v` of the deformation gradient, and what a law says about them.

use crate::energy::Weights;
use glam::{DMat3, DVec3};

/// Lengths of `w_u` and `w_v` (relative to rest) below which they have no direction.
pub(super) const SHORTEST: f64 = 1e-9;

/// A pair of vectors, one for the warp and one for the weft: the columns of the gradient, their rates, or the stresses
/// conjugate to them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Columns {
    pub u: DVec3,
    pub v: DVec3,
}

/// A symmetric 6×6 matrix over [`Columns`]; its fourth block is `uvᵀ`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tangent {
    pub uu: DMat3,
    pub uv: DMat3,
    pub vv: DMat3,
}

/// A law seen from one gradient.
#[derive(Clone, Copy, Debug)]
pub(super) struct Response {
    /// Stress (N/m) by which the force is `f − τ K v`.
    pub stress: Columns,
    /// `stiffness·K + damping·D`.
    pub tangent: Tangent,
}

/// An energy density.
pub(super) trait Law {
    /// Energy per rest area (J/m²).
    fn density(&self, w: &Columns) -> f64;

    /// Elastic and damping stress (N/m).
    fn stress(&self, w: &Columns, rate: &Columns) -> Columns;

    /// Stress and tangent for an implicit step.
    fn respond(&self, w: &Columns, rate: &Columns, weights: &Weights) -> Response;
}

/// A vector's length and direction; no direction if it is too short to have one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measured {
    pub length: f64,
    pub inverse: f64,
    pub direction: DVec3,
}

impl Measured {
    #[inline]
    pub fn new(w: DVec3) -> Self {
        let length = w.length();
        let inverse = 1.0 / length.max(SHORTEST);
        Measured {
            length,
            inverse,
            direction: w * inverse,
        }
    }
}

/// `a bᵀ`.
#[inline]
pub(super) fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// `s I + m`.
#[inline]
pub(super) fn plus_identity(mut m: DMat3, s: f64) -> DMat3 {
    m.x_axis.x += s;
    m.y_axis.y += s;
    m.z_axis.z += s;
    m
}
