//! Stretch and shear conditions of Baraff and Witkin (1998).
//!
//! `ψ = ½ k_u (|w_u| − b_u)² + ½ k_v (|w_v| − b_v)² + ½ k_s (w_u·w_v)²`
//!
//! The paper's conditions `C = a (|w| − b)` carry the triangle's area `a`, which makes the energy `½ k C²`
//! grow with `a²` and `k` a number that depends on the mesh. Here each condition carries `√a`: the energy is
//! `a ψ`, `k` is in N/m, and the same cloth on a finer mesh is the same cloth.
//!
//! **Damping** works on each condition: force `−τ k Ċ ∂C/∂x` with a time `τ` (s), so `D = τ k ∂C ∂Cᵀ`
//! exactly. Its derivative by position has two parts. `τ k ∂C ∂Ċᵀ` is not symmetric, and the paper drops it;
//! `τ k Ċ ∂²C` is what the paper keeps. It counts the damping force as tension, negative where cloth is being
//! compressed, and is of the order of what was dropped; so it is left out unless
//! [`BaraffWitkin::damping_in_stiffness`] asks for it.
//!
//! **Projection.** Stretch: `k [ŵŵᵀ + (1 − b/|w|)(I − ŵŵᵀ)]`; the bracket's second part counts only in
//! tension. Shear: with `C = w_u·w_v`, `s = (w_u + w_v)/√2`, `d = (w_u − w_v)/√2` and the same change of
//! basis for the directions, the matrix is `k [C I + ssᵀ, −sdᵀ; −dsᵀ, −C I + ddᵀ]`. Directions across `s` and
//! across `d` have the eigenvalues `C` and `−C`; the other two are those of a 2×2 matrix with trace
//! `T = |w_u|² + |w_v|²` and determinant `−3C²`, of which exactly one, `λ = (T + √(T² + 12C²))/2`, is
//! positive.
//!
//! Limits: `w` without length has no direction, so it gives no force; cloth without shear (`C = 0`) keeps its
//! exact matrix.

use super::gradient::{Columns, Law, Measured, Response, Symmetric, Tangent};
use super::{Hessian, MembraneError, not_negative};
use crate::energy::Weights;
use glam::DVec3;

/// Stiffness and damping of the Baraff–Witkin membrane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BaraffWitkin {
    /// `k_u`, `k_v`: force per width at 100 % stretch of warp and weft (N/m).
    pub stretch: [f64; 2],
    /// `k_s` (N/m).
    pub shear: f64,
    /// `b_u`, `b_v`: length of warp and weft at which they are free of force, relative to their rest length.
    pub rest_stretch: [f64; 2],
    /// `τ` of warp and weft (s).
    pub stretch_damping: [f64; 2],
    /// `τ` of shear (s).
    pub shear_damping: f64,
    /// The matrix an implicit step sees.
    pub hessian: Hessian,
    /// Whether the matrix counts the damping force as tension, as the paper's does.
    pub damping_in_stiffness: bool,
}

impl Default for BaraffWitkin {
    fn default() -> Self {
        BaraffWitkin {
            stretch: [1000.0; 2],
            shear: 30.0,
            rest_stretch: [1.0; 2],
            stretch_damping: [0.0; 2],
            shear_damping: 0.0,
            hessian: Hessian::default(),
            damping_in_stiffness: false,
        }
    }
}

impl BaraffWitkin {
    pub(super) fn check(&self) -> Result<(), MembraneError> {
        for k in 0..2 {
            not_negative(["stretch[0]", "stretch[1]"][k], self.stretch[k])?;
            not_negative(
                ["stretch_damping[0]", "stretch_damping[1]"][k],
                self.stretch_damping[k],
            )?;
            let value = self.rest_stretch[k];
            if !(value.is_finite() && value > 0.0) {
                return Err(MembraneError::Parameter {
                    name: ["rest_stretch[0]", "rest_stretch[1]"][k],
                    value,
                    must: "a finite number above 0",
                });
            }
        }
        not_negative("shear", self.shear)?;
        not_negative("shear_damping", self.shear_damping)
    }

    /// One thread direction. Which of the two is `axis`.
    #[inline(always)]
    fn thread(&self, axis: usize, w: DVec3, rate: DVec3) -> Thread {
        let measured = Measured::new(w);
        let k = self.stretch[axis];
        let speed = measured.direction.dot(rate);
        let elastic = k * (measured.length - self.rest_stretch[axis]);
        let drag = k * self.stretch_damping[axis] * speed;
        let counted = elastic + if self.damping_in_stiffness { drag } else { 0.0 };
        let exact = counted * measured.inverse;
        Thread {
            direction: measured.direction,
            inverse: measured.inverse,
            tension: elastic + drag,
            speed,
            transverse: match self.hessian {
                Hessian::Exact => exact,
                Hessian::Projected => exact.max(0.0),
                Hessian::GaussNewton => 0.0,
            },
        }
    }

    /// The shear term's matrix over `k_s`, from `T = |w_u|² + |w_v|²`, `C` and `C + τĊ`.
    #[inline(always)]
    fn shear_channels(&self, trace: f64, c: f64, counted: f64) -> Channels {
        let gauss_newton = Channels {
            sum: 0.0,
            sum_outer: 1.0,
            difference: 0.0,
            difference_outer: 1.0,
            cross: 1.0,
        };
        match self.hessian {
            Hessian::GaussNewton => gauss_newton,
            Hessian::Exact => Channels {
                sum: counted,
                difference: -counted,
                ..gauss_newton
            },
            // The closed form holds for the elastic part only; tension is added to it without its negative
            // half.
            Hessian::Projected if self.damping_in_stiffness => Channels {
                sum: counted.max(0.0),
                difference: (-counted).max(0.0),
                ..gauss_newton
            },
            Hessian::Projected => Channels::projected(trace, c),
        }
    }
}

/// One thread direction at one point.
struct Thread {
    direction: DVec3,
    /// `1/|w|`.
    inverse: f64,
    /// Elastic and damping force per width (N/m).
    tension: f64,
    /// `d|w|/dt` (1/s).
    speed: f64,
    /// What the matrix has across the thread (N/m).
    transverse: f64,
}

/// The matrix `[sum I + sum_outer ssᵀ, −cross sdᵀ; −cross dsᵀ, difference I + difference_outer ddᵀ]`.
#[derive(Clone, Copy, Debug)]
struct Channels {
    sum: f64,
    sum_outer: f64,
    difference: f64,
    difference_outer: f64,
    cross: f64,
}

impl Channels {
    /// The exact matrix without its negative eigenvalues. The longer of `s` and `d` belongs to the positive
    /// of `C` and `−C`; `large` is its square. With `δ = λ − λ₋` and `e = λ − M₂₂`, the positive
    /// eigenvector's projector on the two is `[e, −·; −·, |s|²|d|²/e]/δ`, written so that nothing is divided
    /// by the shorter one.
    #[inline(always)]
    fn projected(trace: f64, c: f64) -> Self {
        // Where both threads have shrunk to nothing any matrix will do that is finite.
        let half = 0.5 * trace.max(1e-60);
        let size = c.abs();
        let large = half + size;
        let spread = (half * half + 3.0 * c * c).sqrt();
        let positive = half + spread;
        let e = spread + 2.0 * size;
        // One division for three.
        let all = 1.0 / (spread * large * e);
        let share = 0.5 * positive * (all * large * e);
        let along = (share * e - size) * (all * spread * e);
        let across = share * large * (all * spread * large);
        let upper = c >= 0.0;
        Channels {
            sum: c.max(0.0),
            sum_outer: if upper { along } else { across },
            difference: (-c).max(0.0),
            difference_outer: if upper { across } else { along },
            cross: share,
        }
    }

    /// `stiffness` times this plus `damping` times the product of first derivatives.
    #[inline(always)]
    fn weighted(&self, stiffness: f64, damping: f64) -> Self {
        Channels {
            sum: stiffness * self.sum,
            sum_outer: stiffness * self.sum_outer + damping,
            difference: stiffness * self.difference,
            difference_outer: stiffness * self.difference_outer + damping,
            cross: stiffness * self.cross + damping,
        }
    }

    /// The matrix times a rate.
    #[inline(always)]
    fn times(&self, w: &Columns, rate: &Columns) -> Columns {
        // Twice s·(u̇ + v̇)/√2 and d·(u̇ − v̇)/√2; the halves are taken at the end.
        let (s, d) = (w.u + w.v, w.u - w.v);
        let (p, m) = (rate.u + rate.v, rate.u - rate.v);
        let (along_s, along_d) = (0.5 * s.dot(p), 0.5 * d.dot(m));
        let sum = self.sum * p + (self.sum_outer * along_s - self.cross * along_d) * s;
        let difference =
            self.difference * m + (self.difference_outer * along_d - self.cross * along_s) * d;
        Columns {
            u: 0.5 * (sum + difference),
            v: 0.5 * (sum - difference),
        }
    }
}

impl Law for BaraffWitkin {
    #[inline(always)]
    fn density(&self, w: &Columns, _face: f64) -> f64 {
        let stretch = |axis: usize, w: DVec3| {
            let excess = w.length() - self.rest_stretch[axis];
            self.stretch[axis] * excess * excess
        };
        let shear = w.u.dot(w.v);
        0.5 * (stretch(0, w.u) + stretch(1, w.v) + self.shear * shear * shear)
    }

    #[inline(always)]
    fn stress(&self, w: &Columns, rate: &Columns, _face: f64) -> Columns {
        let (warp, weft) = (self.thread(0, w.u, rate.u), self.thread(1, w.v, rate.v));
        let speed = rate.u.dot(w.v) + w.u.dot(rate.v);
        let shear = self.shear * (w.u.dot(w.v) + self.shear_damping * speed);
        Columns {
            u: warp.tension * warp.direction + shear * w.v,
            v: weft.tension * weft.direction + shear * w.u,
        }
    }

    #[inline(always)]
    fn respond(&self, w: &Columns, rate: &Columns, weights: &Weights, _face: f64) -> Response {
        let (warp, weft) = (self.thread(0, w.u, rate.u), self.thread(1, w.v, rate.v));
        let c = w.u.dot(w.v);
        let speed = rate.u.dot(w.v) + w.u.dot(rate.v);
        let drag = self.shear_damping * speed;
        let counted = c + if self.damping_in_stiffness { drag } else { 0.0 };
        let channels = self.shear_channels(w.u.length_squared() + w.v.length_squared(), c, counted);

        // K times the rate, for a force that looks ahead.
        let [k_u, k_v] = self.stretch;
        let ahead = |k: f64, thread: &Thread, rate: DVec3| {
            (k - thread.transverse) * thread.speed * thread.direction + thread.transverse * rate
        };
        let shear_ahead = channels.times(w, rate);
        let shear = self.shear * (c + drag);
        let (tau, s) = (weights.ahead, weights.ahead * self.shear);
        let stress = Columns {
            u: warp.tension * warp.direction
                + shear * w.v
                + tau * ahead(k_u, &warp, rate.u)
                + s * shear_ahead.u,
            v: weft.tension * weft.direction
                + shear * w.u
                + tau * ahead(k_v, &weft, rate.v)
                + s * shear_ahead.v,
        };

        // As a factor of wwᵀ rather than of ŵŵᵀ, which the shear needs anyway.
        let along = |axis: usize, thread: &Thread| {
            let k = self.stretch[axis];
            (weights.stiffness * (k - thread.transverse)
                + weights.damping * k * self.stretch_damping[axis])
                * (thread.inverse * thread.inverse)
        };
        let shares = channels.weighted(
            weights.stiffness * self.shear,
            weights.damping * self.shear * self.shear_damping,
        );
        // The matrix above, taken back from sums and differences to u and v.
        let (even, odd) = (
            0.25 * (shares.sum_outer + shares.difference_outer),
            0.25 * (shares.sum_outer - shares.difference_outer),
        );
        let (both, apart) = (
            0.5 * (shares.sum + shares.difference),
            0.5 * (shares.sum - shares.difference),
        );
        let half = 0.5 * shares.cross;
        let (u2, v2) = (Symmetric::square(w.u), Symmetric::square(w.v));
        let mixed = Symmetric::product(w.u, w.v);
        let leaning = mixed * odd;
        let tangent = Tangent {
            uu: (u2 * (along(0, &warp) + even - half) + v2 * (even + half) + leaning)
                .plus_identity(weights.stiffness * warp.transverse + both),
            vv: (u2 * (even + half) + v2 * (along(1, &weft) + even - half) + leaning)
                .plus_identity(weights.stiffness * weft.transverse + both),
            uv: ((u2 + v2) * odd + mixed * even).plus_identity(apart),
            // ½ cross (w_v w_uᵀ − w_u w_vᵀ)
            twist: half * w.u.cross(w.v),
        };
        Response { stress, tangent }
    }
}
