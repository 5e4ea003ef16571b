//! The columns `w_u`, `w_v` of the deformation gradient, and what a law says about them.

use crate::energy::Weights;
use glam::{DMat3, DVec3};

/// Lengths of `w_u` and `w_v` (relative to rest) below which they have no direction. Cloth compressed to a
/// billionth; only kept from dividing by zero.
pub(super) const SHORTEST: f64 = 1e-9;

/// A pair of vectors, one for the warp and one for the weft: the columns of the gradient, their rates, or the
/// stresses conjugate to them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Columns {
    pub u: DVec3,
    pub v: DVec3,
}

/// A symmetric 3×3 matrix.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Symmetric {
    /// `xx`, `yy`, `zz`.
    pub diagonal: DVec3,
    /// `yz`, `xz`, `xy`.
    pub beside: DVec3,
}

impl Symmetric {
    /// `a aᵀ`.
    #[inline(always)]
    pub fn square(a: DVec3) -> Self {
        Symmetric {
            diagonal: a * a,
            beside: DVec3::new(a.y * a.z, a.x * a.z, a.x * a.y),
        }
    }

    /// `a bᵀ + b aᵀ`.
    #[inline(always)]
    pub fn product(a: DVec3, b: DVec3) -> Self {
        Symmetric {
            diagonal: 2.0 * a * b,
            beside: DVec3::new(
                a.y * b.z + a.z * b.y,
                a.x * b.z + a.z * b.x,
                a.x * b.y + a.y * b.x,
            ),
        }
    }

    /// `s I + self`.
    #[inline(always)]
    pub fn plus_identity(mut self, s: f64) -> Self {
        self.diagonal += s;
        self
    }

    /// The symmetric part of a matrix.
    pub fn part(m: &DMat3) -> Self {
        let (x, y, z) = (m.x_axis, m.y_axis, m.z_axis);
        Symmetric {
            diagonal: DVec3::new(x.x, y.y, z.z),
            beside: 0.5 * DVec3::new(y.z + z.y, x.z + z.x, x.y + y.x),
        }
    }

    /// This plus the antisymmetric matrix that takes `y` to `twist × y`.
    #[inline(always)]
    pub fn with_twist(&self, twist: DVec3) -> DMat3 {
        let (d, b, t) = (self.diagonal, self.beside, twist);
        DMat3::from_cols(
            DVec3::new(d.x, b.z + t.z, b.y - t.y),
            DVec3::new(b.z - t.z, d.y, b.x + t.x),
            DVec3::new(b.y + t.y, b.x - t.x, d.z),
        )
    }

    /// As a full matrix.
    #[inline(always)]
    pub fn matrix(&self) -> DMat3 {
        self.with_twist(DVec3::ZERO)
    }
}

impl std::ops::Add for Symmetric {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Symmetric {
            diagonal: self.diagonal + other.diagonal,
            beside: self.beside + other.beside,
        }
    }
}

impl std::ops::Mul<f64> for Symmetric {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: f64) -> Self {
        Symmetric {
            diagonal: self.diagonal * s,
            beside: self.beside * s,
        }
    }
}

/// A symmetric 6×6 matrix over [`Columns`]. Its blocks on the diagonal are symmetric; the one beside it,
/// `∂²/∂w_u∂w_v`, is stored as a symmetric part and the vector of its antisymmetric part, which makes all
/// sums shorter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tangent {
    pub uu: Symmetric,
    pub uv: Symmetric,
    pub vv: Symmetric,
    /// The antisymmetric part of the block beside the diagonal takes `y` to `twist × y`.
    pub twist: DVec3,
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
    /// Energy per rest area (J/m²) in a face of this rest area (m²).
    fn density(&self, w: &Columns, face: f64) -> f64;

    /// Elastic and damping stress (N/m).
    fn stress(&self, w: &Columns, rate: &Columns, face: f64) -> Columns;

    /// Stress and tangent for an implicit step.
    fn respond(&self, w: &Columns, rate: &Columns, weights: &Weights, face: f64) -> Response;
}

/// A vector's length and direction; no direction if it is too short to have one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measured {
    pub length: f64,
    pub inverse: f64,
    pub direction: DVec3,
}

impl Measured {
    #[inline(always)]
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
