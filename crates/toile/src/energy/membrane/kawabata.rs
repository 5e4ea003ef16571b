//! Measured tensile and shear curves, as Breen, House and Wozny (1994) take them from Kawabata's (1980)
//! instruments.
//!
//! `ψ = U_u(|w_u| − 1) + U_v(|w_v| − 1) + U_s(φ)`
//!
//! The derivatives of `U_u`, `U_v` are force per width (N/m) against strain, that of `U_s` is shear force per
//! width (N/m) against the shear angle `φ` (rad): how far the angle between warp and weft is from a right
//! one. Hysteresis, which the instruments measure as well, is left out as in the paper. A shear test records
//! force against `tan φ` of displacement; at its 8° the difference to `φ` is below 1 %.
//!
//! **The angle.** `φ = arcsin c` with `c = ŵ_u·ŵ_v` is smooth until the threads lie on each other at 90°,
//! where its slope by `c` is infinite. From 75° on it is continued by its second-order expansion. So `ψ` has
//! continuous second derivatives (as far as the curves do) and finite forces however far a face collapses.
//! Woven cloth locks long before.
//!
//! **Matrix.** A thread gives `U″ ŵŵᵀ + (U′/|w|)(I − ŵŵᵀ)`. Shear, with `E(c) = U_s(φ(c))`, gives
//! `E″ ∂c ∂cᵀ + E′ ∂²c`. Measure directions by `|w_u|` and `|w_v|`, take for `w_u` the axes `û`, `t_u` (in
//! the plane, across `û`, towards `v̂`) and the normal `n`, and likewise for `w_v`. Then sums and differences
//! of the two decouple into 2×2 and 1×1 matrices
//!
//! * sum `[0, −E′s; −E′s, 2s²E″ − 2cE′]`, difference `[0, −E′s; −E′s, 0]` with `s = √(1 − c²)`
//! * sum along `n`: `E′(1 − c)`, difference: `−E′(1 + c)`
//!
//! whose negative eigenvalues are removed in closed form. Damping is that of [`super::BaraffWitkin`], with
//! the strains and `φ` for conditions and the present slopes of the curves for their stiffness.

use super::gradient::{Columns, Law, Measured, Response, Symmetric, Tangent, outer};
use super::{Hessian, MembraneError, not_negative};
use crate::energy::{Curve, Fabric, Weights};
use glam::DVec3;

/// Curves and damping of the Kawabata membrane.
#[derive(Clone, Debug, PartialEq)]
pub struct Kawabata {
    /// Force per width (N/m) of warp and weft against strain.
    pub tensile: [Curve; 2],
    /// Shear force per width (N/m) against shear angle (rad).
    pub shear: Curve,
    /// `τ` of warp and weft (s).
    pub tensile_damping: [f64; 2],
    /// `τ` of shear (s).
    pub shear_damping: f64,
    /// The matrix an implicit step sees.
    pub hessian: Hessian,
    /// Whether the matrix counts the damping force as tension.
    pub damping_in_stiffness: bool,
}

impl Kawabata {
    /// A fabric's curves without damping.
    pub fn new(fabric: &Fabric) -> Self {
        Kawabata {
            tensile: [fabric.tensile_warp.clone(), fabric.tensile_weft.clone()],
            shear: fabric.shear.clone(),
            tensile_damping: [0.0; 2],
            shear_damping: 0.0,
            hessian: Hessian::default(),
            damping_in_stiffness: false,
        }
    }

    pub(super) fn check(&self) -> Result<(), MembraneError> {
        not_negative("tensile_damping[0]", self.tensile_damping[0])?;
        not_negative("tensile_damping[1]", self.tensile_damping[1])?;
        not_negative("shear_damping", self.shear_damping)
    }

    #[inline]
    fn thread(&self, axis: usize, w: &Measured, rate: DVec3) -> Thread {
        let curve = self.tensile[axis].at(w.length - 1.0);
        let damping = self.tensile_damping[axis] * curve.slope;
        let speed = w.direction.dot(rate);
        let drag = damping * speed;
        let counted = curve.value + if self.damping_in_stiffness { drag } else { 0.0 };
        let exact = counted * w.inverse;
        Thread {
            tension: curve.value + drag,
            speed,
            slope: curve.slope,
            damping,
            transverse: match self.hessian {
                Hessian::Exact => exact,
                Hessian::Projected => exact.max(0.0),
                Hessian::GaussNewton => 0.0,
            },
        }
    }

    #[inline]
    fn sheared(&self, frame: &Frame, rate: &Columns) -> Shear {
        let angle = Angle::new(frame.c);
        let curve = self.shear.at(angle.value);
        let damping = self.shear_damping * curve.slope;
        let speed = frame.u.inverse * frame.across_u.dot(rate.u)
            + frame.v.inverse * frame.across_v.dot(rate.v);
        let drag = damping * angle.slope * speed;
        let counted = curve.value + if self.damping_in_stiffness { drag } else { 0.0 };
        let product = curve.slope * angle.slope * angle.slope;
        let (first, second) = match self.hessian {
            Hessian::GaussNewton => (0.0, product),
            _ => (counted * angle.slope, product + counted * angle.second),
        };
        let (c, s) = (frame.c, frame.s);
        let exact = Modes {
            sum: [0.0, -first * s, 2.0 * s * s * second - 2.0 * c * first],
            difference: [0.0, -first * s, 0.0],
            sum_normal: first * (1.0 - c),
            difference_normal: -first * (1.0 + c),
        };
        let projected = self.hessian == Hessian::Projected;
        Shear {
            stress: (curve.value + drag) * angle.slope,
            stiffness: if projected { exact.projected() } else { exact },
            damping: 2.0 * s * s * damping * angle.slope * angle.slope,
        }
    }
}

/// One thread direction at one point.
struct Thread {
    tension: f64,
    speed: f64,
    slope: f64,
    damping: f64,
    transverse: f64,
}

/// Shear at one point.
struct Shear {
    /// `E′` with damping (N/m).
    stress: f64,
    stiffness: Modes,
    /// What damping adds to the sum along `t` (N·s/m).
    damping: f64,
}

/// `φ(c)` and its derivatives.
struct Angle {
    value: f64,
    slope: f64,
    second: f64,
}

impl Angle {
    /// `sin 75°`.
    const LAST: f64 = 0.965_925_826_289_068_3;

    #[inline]
    fn new(c: f64) -> Self {
        let at = c.clamp(-Self::LAST, Self::LAST);
        let beyond = c - at;
        let slope = 1.0 / (1.0 - at * at).sqrt();
        let second = at * slope * slope * slope;
        Angle {
            value: at.asin() + beyond * (slope + 0.5 * beyond * second),
            slope: slope + beyond * second,
            second,
        }
    }
}

/// The directions in which shear decouples.
struct Frame {
    u: Measured,
    v: Measured,
    /// `∂c/∂w_u` times `|w_u|`, and likewise for `v`.
    across_u: DVec3,
    across_v: DVec3,
    normal: DVec3,
    t_u: DVec3,
    t_v: DVec3,
    c: f64,
    s: f64,
}

impl Frame {
    #[inline]
    fn new(w: &Columns) -> Self {
        let (u, v) = (Measured::new(w.u), Measured::new(w.v));
        let c = u.direction.dot(v.direction);
        let cross = u.direction.cross(v.direction);
        let s = cross.length();
        let inverse = 1.0 / s.max(super::gradient::SHORTEST);
        let across_u = v.direction - c * u.direction;
        let across_v = u.direction - c * v.direction;
        Frame {
            u,
            v,
            across_u,
            across_v,
            normal: cross * inverse,
            t_u: across_u * inverse,
            t_v: across_v * inverse,
            c,
            s,
        }
    }
}

/// A matrix over the decoupled directions; symmetric 2×2 matrices as `[11, 12, 22]`.
#[derive(Clone, Copy, Debug)]
struct Modes {
    sum: [f64; 3],
    difference: [f64; 3],
    sum_normal: f64,
    difference_normal: f64,
}

impl Modes {
    fn projected(&self) -> Self {
        Modes {
            sum: project(self.sum),
            difference: project(self.difference),
            sum_normal: self.sum_normal.max(0.0),
            difference_normal: self.difference_normal.max(0.0),
        }
    }

    fn weighted(&self, stiffness: f64, damping: f64) -> Self {
        let scale = |m: [f64; 3]| m.map(|x| stiffness * x);
        let mut sum = scale(self.sum);
        sum[2] += damping;
        Modes {
            sum,
            difference: scale(self.difference),
            sum_normal: stiffness * self.sum_normal,
            difference_normal: stiffness * self.difference_normal,
        }
    }

    /// The matrix times a rate.
    fn times(&self, frame: &Frame, rate: &Columns) -> Columns {
        let (u, v) = (rate.u * frame.u.inverse, rate.v * frame.v.inverse);
        let of_u = [
            frame.u.direction.dot(u),
            frame.t_u.dot(u),
            frame.normal.dot(u),
        ];
        let of_v = [
            frame.v.direction.dot(v),
            frame.t_v.dot(v),
            frame.normal.dot(v),
        ];
        let product = |m: &[f64; 3], n: f64, y: [f64; 3]| {
            [
                m[0] * y[0] + m[1] * y[1],
                m[1] * y[0] + m[2] * y[1],
                n * y[2],
            ]
        };
        let sum = product(
            &self.sum,
            self.sum_normal,
            std::array::from_fn(|k| of_u[k] + of_v[k]),
        );
        let difference = product(
            &self.difference,
            self.difference_normal,
            std::array::from_fn(|k| of_u[k] - of_v[k]),
        );
        let back = |sign: f64, w: &Measured, t: DVec3| {
            let [a, b, n]: [f64; 3] =
                std::array::from_fn(|k| 0.5 * (sum[k] + sign * difference[k]));
            (a * w.direction + b * t + n * frame.normal) * w.inverse
        };
        Columns {
            u: back(1.0, &frame.u, frame.t_u),
            v: back(-1.0, &frame.v, frame.t_v),
        }
    }

    fn matrix(&self, frame: &Frame) -> Tangent {
        let half = |sign: f64| -> [f64; 4] {
            let [a, b, d]: [f64; 3] =
                std::array::from_fn(|k| 0.5 * (self.sum[k] + sign * self.difference[k]));
            [
                a,
                b,
                d,
                0.5 * (self.sum_normal + sign * self.difference_normal),
            ]
        };
        let normal = Symmetric::square(frame.normal);
        let own = |w: &Measured, t: DVec3| {
            let [a, b, d, n] = half(1.0);
            let plane = Symmetric::square(w.direction) * a
                + Symmetric::product(w.direction, t) * b
                + Symmetric::square(t) * d;
            (plane + normal * n) * (w.inverse * w.inverse)
        };
        let [a, b, d, n] = half(-1.0);
        let (u, v) = (frame.u.direction, frame.v.direction);
        let mixed = outer(u, a * v + b * frame.t_v) + outer(frame.t_u, b * v + d * frame.t_v);
        let scale = frame.u.inverse * frame.v.inverse;
        // a bᵀ has the antisymmetric part ½ (b × a)×.
        let twist = (a * v + b * frame.t_v).cross(u) + (b * v + d * frame.t_v).cross(frame.t_u);
        Tangent {
            uu: own(&frame.u, frame.t_u),
            vv: own(&frame.v, frame.t_v),
            uv: (Symmetric::part(&mixed) + normal * n) * scale,
            twist: 0.5 * scale * twist,
        }
    }
}

/// A symmetric 2×2 matrix without its negative eigenvalues.
fn project([a, b, d]: [f64; 3]) -> [f64; 3] {
    let (mean, half) = (0.5 * (a + d), 0.5 * (a - d));
    let radius = half.hypot(b);
    if mean >= radius {
        return [a, b, d];
    }
    let upper = mean + radius;
    if upper <= 0.0 {
        return [0.0; 3];
    }
    // The projector on the upper eigenvector is ½ (I + [half, b; b, −half]/radius).
    let share = 0.5 * upper / radius;
    [share * (radius + half), share * b, share * (radius - half)]
}

impl Law for Kawabata {
    #[inline]
    fn density(&self, w: &Columns, _face: f64) -> f64 {
        let (u, v) = (Measured::new(w.u), Measured::new(w.v));
        let angle = Angle::new(u.direction.dot(v.direction)).value;
        self.tensile[0].at(u.length - 1.0).integral
            + self.tensile[1].at(v.length - 1.0).integral
            + self.shear.at(angle).integral
    }

    #[inline]
    fn stress(&self, w: &Columns, rate: &Columns, _face: f64) -> Columns {
        let frame = Frame::new(w);
        let (warp, weft) = (
            self.thread(0, &frame.u, rate.u),
            self.thread(1, &frame.v, rate.v),
        );
        let shear = self.sheared(&frame, rate).stress;
        Columns {
            u: warp.tension * frame.u.direction + shear * frame.u.inverse * frame.across_u,
            v: weft.tension * frame.v.direction + shear * frame.v.inverse * frame.across_v,
        }
    }

    #[inline]
    fn respond(&self, w: &Columns, rate: &Columns, weights: &Weights, _face: f64) -> Response {
        let frame = Frame::new(w);
        let (warp, weft) = (
            self.thread(0, &frame.u, rate.u),
            self.thread(1, &frame.v, rate.v),
        );
        let shear = self.sheared(&frame, rate);
        let modes = shear
            .stiffness
            .weighted(weights.stiffness, weights.damping * shear.damping);
        let mut tangent = modes.matrix(&frame);
        let along = |thread: &Thread| {
            weights.stiffness * (thread.slope - thread.transverse)
                + weights.damping * thread.damping
        };
        let add = |m: Symmetric, thread: &Thread, w: &Measured| {
            let axial = Symmetric::square(w.direction) * along(thread);
            (m + axial).plus_identity(weights.stiffness * thread.transverse)
        };
        tangent.uu = add(tangent.uu, &warp, &frame.u);
        tangent.vv = add(tangent.vv, &weft, &frame.v);

        let looking = |thread: &Thread, w: &Measured, rate: DVec3| {
            (thread.slope - thread.transverse) * thread.speed * w.direction
                + thread.transverse * rate
        };
        let tau = weights.ahead;
        let shear_ahead = shear.stiffness.times(&frame, rate);
        let stress = Columns {
            u: warp.tension * frame.u.direction
                + shear.stress * frame.u.inverse * frame.across_u
                + tau * (looking(&warp, &frame.u, rate.u) + shear_ahead.u),
            v: weft.tension * frame.v.direction
                + shear.stress * frame.v.inverse * frame.across_v
                + tau * (looking(&weft, &frame.v, rate.v) + shear_ahead.v),
        };
        Response { stress, tangent }
    }
}
