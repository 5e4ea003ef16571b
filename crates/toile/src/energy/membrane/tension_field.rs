//! Cloth that buckles within its faces: tension-field theory with the buckling stress of the bending rigidity.
//!
//! With Green's strain `E`, written `e = (E_uu, E_vv, 2E_uv) = (½(|w_u|² − 1), ½(|w_v|² − 1), w_u·w_v)`, warp, weft and shear store
//!
//! `ψ₀(e) = ½ k_u e₁² + ½ k_v e₂² + ½ k_s e₃²`.
//!
//! A face that is pushed together cannot fold, as real cloth would; with `ψ₀` alone a mesh resists every bend that does not follow its
//! edges (membrane locking). So a face may take part of its shortening as folds too small for the mesh, `W ⪰ 0`, which cost the stress
//! `p` at which a strip as long as the face buckles:
//!
//! `ψ(e) = min { ψ₀(e + w) + P : W | W ⪰ 0 }, P = diag(p_u, p_v), p = c B / h²`
//!
//! with the bending rigidity `B` of each thread and the area `h²` of the face. The minimum is convex in `e`. Its stress `S` never pushes
//! harder than the face would buckle at: `T = S + P ⪰ 0`, `T : W = 0`. Three cases follow (Pipkin 1986; Steigmann 1990, with `P = 0`):
//!
//! * **taut**: `T ⪰ 0` for `W = 0`: the plain membrane;
//! * **slack**: `S = −P`, wherever `−(E + C⁻¹P) ⪰ 0`;
//! * **wrinkled** between them: `T = t m mᵀ`, tension along one direction `m` alone.
//!
//! **The wrinkled case.** With `z = −(e + C⁻¹p)`, `w` is the nearest point to `z` on the cone `w₁w₂ = ¼w₃²` in the norm of the
//! stiffnesses: `k_u (w₁ − z₁) = λ w₂`, `k_v (w₂ − z₂) = λ w₁`, `k_s (w₃ − z₃) = −½ λ w₃`. With `κ = √(k_u k_v)`, `λ = κμ`,
//! `r = κ/2k_s`, `S, D = √k_u z₁ ± √k_v z₂` and `F² = κ z₃²` the cone's equation becomes
//!
//! `(1 − 2x) √(D² + F²/(1 + (r − 1)x)²) = S, x = μ/(1 + μ)`,
//!
//! whose left side falls steadily from `√(D² + F²)` (slack beyond it) to `−√(D² + F²/r²)` (taut beyond it). So there is one root, and a
//! guarded Newton iteration finds it.
//!
//! **Its tangent.** Dually `ψ = max_m ½ η²/q` with `η = mᵀ(E + C⁻¹P)m` and `q = x⁴/k_u + y⁴/k_v + x²y²/k_s` for `m = (x, y)`, up to a
//! constant. A dash being the derivative by the angle of `m`, and `v = ∂η/∂e = (x², y², xy)`,
//!
//! `∂²ψ/∂e² = v vᵀ/q + t g gᵀ/N, g = v′ − ½ (q′/q) v, N = ½ t q″ − ¼ t q′²/q − η″ > 0`,
//!
//! positive semi-definite, as of any convex function. For an implicit step the stress counts with its positive part only; what is left
//! out is at most `p`.
//!
//! **Damping** with the time `τ` is `τ ((1 − d) ∂²ψ/∂e² + d C) ė` with the taut stiffness `C`: folds resist being opened and closed, if
//! less than taut cloth does. Without the share `d` nothing would slow faces that flutter between slack and taut.
//!
//! **The matrix** of an implicit step has the share `s` of `C` in folds too. Where a slack face becomes taut within a step a Newton step
//! would otherwise know of no resistance, and overshoot. It is in the matrix alone, and not in
//! the exact one: the forces that balance are without it.

use super::gradient::{Columns, Law, Response, Symmetric, Tangent};
use super::{Hessian, MembraneError, not_negative};
use crate::energy::Weights;

/// Stiffness, buckling and damping of the tension-field membrane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TensionField {
    /// `k_u`, `k_v`: force per width per strain of warp and weft (N/m); positive.
    pub stretch: [f64; 2],
    /// `k_s` (N/m); positive.
    pub shear: f64,
    /// `c B`: a face's buckling stress times its area, for warp and weft (N·m).
    pub buckling: [f64; 2],
    /// `τ` (s).
    pub damping: f64,
    /// The matrix an implicit step sees.
    pub hessian: Hessian,
}

/// `c`: a strip that is clamped at one end and free to turn at the other buckles under `x² B / h²` with the first `x = tan x` above 0
/// (Euler's third case). Its neighbours hold a face more than hinges would, and less than clamps, with 1 and 4 in place of 2.05 times
/// `π²`. Of the three it is the one whose drape changes least with the mesh (lab experiment `drape-meshes`).
pub const BUCKLING: f64 = 4.493_409_457_909_064 * 4.493_409_457_909_064;

/// `d`: folds damp this part of what taut cloth does.
pub(super) const FOLD_DAMPING: f64 = 0.1;

/// `s`: folds have this part of the taut stiffness in the matrix.
pub(super) const FOLD_STIFFNESS: f64 = 0.1;

/// What may be left of the wrinkled case's equation, relative to its terms.
const ROOT: f64 = 1e-15;
/// Newton steps and bisections that are enough for it.
const ROOT_STEPS: usize = 60;

/// How a face takes its strain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Case {
    /// Without folds.
    Taut,
    /// Folded in every direction.
    Slack,
    /// Folded across one direction.
    Wrinkled {
        /// `t` (N/m).
        tension: f64,
        /// `m`: its components along warp and weft.
        along: [f64; 2],
        /// `w`.
        folds: [f64; 3],
    },
}

impl TensionField {
    pub(super) fn check(&self) -> Result<(), MembraneError> {
        for (name, value) in [
            ("stretch[0]", self.stretch[0]),
            ("stretch[1]", self.stretch[1]),
            ("shear", self.shear),
        ] {
            if !(value.is_finite() && value > 0.0) {
                let must = "a finite number above 0";
                return Err(MembraneError::Parameter { name, value, must });
            }
        }
        not_negative("buckling[0]", self.buckling[0])?;
        not_negative("buckling[1]", self.buckling[1])?;
        not_negative("damping", self.damping)
    }

    /// `e`.
    #[inline(always)]
    pub(super) fn strain(w: &Columns) -> [f64; 3] {
        [
            0.5 * (w.u.length_squared() - 1.0),
            0.5 * (w.v.length_squared() - 1.0),
            w.u.dot(w.v),
        ]
    }

    #[inline(always)]
    fn moduli(&self) -> [f64; 3] {
        [self.stretch[0], self.stretch[1], self.shear]
    }

    /// How a face takes the strain `e` that buckles under the stresses `p` (N/m).
    #[inline(always)]
    pub(super) fn case(&self, e: &[f64; 3], p: &[f64; 2]) -> Case {
        let [ku, kv, ks] = self.moduli();
        let t = [ku * e[0] + p[0], kv * e[1] + p[1], ks * e[2]];
        if t[0] >= 0.0 && t[1] >= 0.0 && t[0] * t[1] >= t[2] * t[2] {
            return Case::Taut;
        }
        let z = [-e[0] - p[0] / ku, -e[1] - p[1] / kv, -e[2]];
        if z[0] >= 0.0 && z[1] >= 0.0 && 4.0 * z[0] * z[1] >= z[2] * z[2] {
            return Case::Slack;
        }
        let kappa = (ku * kv).sqrt();
        let r = 0.5 * kappa / ks;
        let (zu, zv) = (ku.sqrt() * z[0], kv.sqrt() * z[1]);
        let (s, d, f2) = (zu + zv, zu - zv, kappa * z[2] * z[2]);
        let x = root(s, d * d, f2, r);
        // 1/(1 + μ) and 1/(1 + rμ).
        let w3 = z[2] * (1.0 - x) / (1.0 + (r - 1.0) * x);
        let m = d * (1.0 - x);
        let big = (m * m + kappa * w3 * w3).sqrt();
        // The smaller of the two from the cone, where their difference would cancel.
        let (mut y1, mut y2) = (0.5 * (big + m), 0.5 * (big - m));
        let product = 0.25 * kappa * w3 * w3;
        match y1 > y2 {
            true => y2 = product / y1.max(f64::MIN_POSITIVE),
            false => y1 = product / y2.max(f64::MIN_POSITIVE),
        }
        let w = [y1 / ku.sqrt(), y2 / kv.sqrt(), w3];
        // T is in proportion to (w₂, w₁, −½w₃).
        let length = (w[0] + w[1]).max(f64::MIN_POSITIVE);
        let along = [(w[1] / length).sqrt(), -(w[0] / length).sqrt().copysign(w3)];
        let (xx, yy, xy) = (
            along[0] * along[0],
            along[1] * along[1],
            along[0] * along[1],
        );
        let eta = -(z[0] * xx + z[1] * yy + z[2] * xy);
        let q = xx * xx / ku + yy * yy / kv + xy * xy / ks;
        Case::Wrinkled {
            tension: (eta / q).max(0.0),
            along,
            folds: w,
        }
    }

    /// The stress conjugate to `e` (N/m).
    #[inline(always)]
    fn stress_of(&self, e: &[f64; 3], case: &Case, p: &[f64; 2]) -> [f64; 3] {
        match case {
            Case::Taut => {
                let k = self.moduli();
                [k[0] * e[0], k[1] * e[1], k[2] * e[2]]
            }
            Case::Slack => [-p[0], -p[1], 0.0],
            Case::Wrinkled { tension, along, .. } => {
                let [x, y] = *along;
                [
                    tension * x * x - p[0],
                    tension * y * y - p[1],
                    tension * x * y,
                ]
            }
        }
    }

    /// `∂²ψ/∂e²`, as `11, 22, 33, 12, 13, 23` (N/m).
    #[inline(always)]
    fn slope_of(&self, e: &[f64; 3], case: &Case, p: &[f64; 2]) -> [f64; 6] {
        let [ku, kv, ks] = self.moduli();
        match case {
            Case::Taut => [ku, kv, ks, 0.0, 0.0, 0.0],
            Case::Slack => [0.0; 6],
            Case::Wrinkled {
                tension: t, along, ..
            } => {
                let [x, y] = *along;
                let (xx, yy, xy) = (x * x, y * y, x * y);
                let q = xx * xx / ku + yy * yy / kv + xy * xy / ks;
                // Derivatives by the angle: x′ = −y, y′ = x.
                let v = [xx, yy, xy];
                let dv = [-2.0 * xy, 2.0 * xy, xx - yy];
                let (a, b) = (1.0 / ks - 2.0 / ku, 1.0 / ks - 2.0 / kv);
                let dq = 2.0 * xy * (xx * a - yy * b);
                let ddq = 2.0 * (xx - yy) * (xx * a - yy * b) - 4.0 * xy * xy * (a + b);
                let bar = [e[0] + p[0] / ku, e[1] + p[1] / kv, e[2]];
                let ddeta = 2.0 * ((bar[1] - bar[0]) * (xx - yy) - 2.0 * bar[2] * xy);
                let n = 0.5 * t * ddq - 0.25 * t * dq * dq / q - ddeta;
                let half = 0.5 * dq / q;
                let g = [
                    dv[0] - half * v[0],
                    dv[1] - half * v[1],
                    dv[2] - half * v[2],
                ];
                let share = if n > 0.0 { t / n } else { 0.0 };
                let entry = |i: usize, j: usize| v[i] * v[j] / q + share * g[i] * g[j];
                [
                    entry(0, 0),
                    entry(1, 1),
                    entry(2, 2),
                    entry(0, 1),
                    entry(0, 2),
                    entry(1, 2),
                ]
            }
        }
    }

    /// The stresses (N/m) under which a face of this area (m²) buckles.
    #[inline(always)]
    pub(super) fn buckling_stress(&self, face: f64) -> [f64; 2] {
        self.buckling.map(|b| b / face)
    }
}

/// The root `x` of `(1 − 2x) √(D² + F²/(1 + (r − 1)x)²) = S` between 0 and 1.
#[inline]
fn root(s: f64, d2: f64, f2: f64, r: f64) -> f64 {
    let scale = s.abs().max((d2 + f2).sqrt());
    let (mut low, mut high) = if s >= 0.0 { (0.0, 0.5) } else { (0.5, 1.0) };
    // Exact where F does not matter, or where r is 1.
    let mut x = 0.5 * (1.0 - s / (d2 + f2).sqrt().max(f64::MIN_POSITIVE));
    if !(x > low && x < high) {
        x = 0.5 * (low + high);
    }
    for _ in 0..ROOT_STEPS {
        let beside = 1.0 + (r - 1.0) * x;
        let part = f2 / (beside * beside);
        let q = (d2 + part).sqrt();
        let h = (1.0 - 2.0 * x) * q - s;
        if h.abs() <= ROOT * scale {
            break;
        }
        match h > 0.0 {
            true => low = x,
            false => high = x,
        }
        let slope = -2.0 * q - (1.0 - 2.0 * x) * part * (r - 1.0) / (beside * q);
        let next = x - h / slope;
        x = match next > low && next < high {
            true => next,
            false => 0.5 * (low + high),
        };
        if high - low <= ROOT {
            break;
        }
    }
    x
}

/// The positive semi-definite part of the matrix `[a, c; c, b]`, as `a, b, c`.
#[inline(always)]
fn positive_part(s: [f64; 3]) -> [f64; 3] {
    let [a, b, c] = s;
    let (mean, half) = (0.5 * (a + b), 0.5 * (a - b));
    let spread = (half * half + c * c).sqrt();
    let (high, low) = (mean + spread, mean - spread);
    if low >= 0.0 {
        return s;
    }
    if high <= 0.0 {
        return [0.0; 3];
    }
    // high · n nᵀ with 2nnᵀ = I + (half, −half, c)/spread.
    let share = 0.5 * high / spread;
    [share * (spread + half), share * (spread - half), share * c]
}

/// A symmetric matrix stored as in [`TensionField::slope_of`] times a vector.
#[inline(always)]
fn times(c: &[f64; 6], e: &[f64; 3]) -> [f64; 3] {
    [
        c[0] * e[0] + c[3] * e[1] + c[4] * e[2],
        c[3] * e[0] + c[1] * e[1] + c[5] * e[2],
        c[4] * e[0] + c[5] * e[1] + c[2] * e[2],
    ]
}

/// What a stress conjugate to `e` is for the columns.
#[inline(always)]
fn pulled(s: &[f64; 3], w: &Columns) -> Columns {
    Columns {
        u: s[0] * w.u + s[2] * w.v,
        v: s[1] * w.v + s[2] * w.u,
    }
}

#[inline(always)]
fn strain_rate(w: &Columns, rate: &Columns) -> [f64; 3] {
    [
        w.u.dot(rate.u),
        w.v.dot(rate.v),
        w.u.dot(rate.v) + w.v.dot(rate.u),
    ]
}

/// A share of the taut stiffness `k` and the rest of `c`, stored as `c` is.
#[inline(always)]
fn blend(c: &[f64; 6], k: &[f64; 3], share: f64) -> [f64; 6] {
    let mut c = c.map(|c| (1.0 - share) * c);
    for i in 0..3 {
        c[i] += share * k[i];
    }
    c
}

impl Law for TensionField {
    #[inline(always)]
    fn density(&self, w: &Columns, face: f64) -> f64 {
        let (e, p) = (Self::strain(w), self.buckling_stress(face));
        let k = self.moduli();
        let folds = match self.case(&e, &p) {
            Case::Taut => [0.0; 3],
            Case::Slack => [-e[0] - p[0] / k[0], -e[1] - p[1] / k[1], -e[2]],
            Case::Wrinkled { folds, .. } => folds,
        };
        let stored: f64 = (0..3).map(|i| k[i] * (e[i] + folds[i]).powi(2)).sum();
        0.5 * stored + p[0] * folds[0] + p[1] * folds[1]
    }

    #[inline(always)]
    fn stress(&self, w: &Columns, rate: &Columns, face: f64) -> Columns {
        let (e, p) = (Self::strain(w), self.buckling_stress(face));
        let case = self.case(&e, &p);
        let mut s = self.stress_of(&e, &case, &p);
        if self.damping > 0.0 {
            let viscous = blend(&self.slope_of(&e, &case, &p), &self.moduli(), FOLD_DAMPING);
            let drag = times(&viscous, &strain_rate(w, rate));
            for k in 0..3 {
                s[k] += self.damping * drag[k];
            }
        }
        pulled(&s, w)
    }

    #[inline(always)]
    fn respond(&self, w: &Columns, rate: &Columns, weights: &Weights, face: f64) -> Response {
        let p = self.buckling_stress(face);
        let (tau, closing) = (weights.ahead, strain_rate(w, rate));
        // Stress and tangent of the strain that is ahead, not of the present one extrapolated: a slack face that is being pulled
        // taut resists in the step in which it becomes so.
        let now = Self::strain(w);
        let e: [f64; 3] = std::array::from_fn(|k| now[k] + tau * closing[k]);
        let case = self.case(&e, &p);
        let s = self.stress_of(&e, &case, &p);
        let c = self.slope_of(&e, &case, &p);
        let kept = match self.hessian {
            Hessian::Exact => s,
            Hessian::Projected => positive_part(s),
            Hessian::GaussNewton => [0.0; 3],
        };
        let k = self.moduli();
        let viscous = blend(&c, &k, FOLD_DAMPING);
        let c = match self.hessian {
            Hessian::Exact => c,
            Hessian::Projected | Hessian::GaussNewton => blend(&c, &k, FOLD_STIFFNESS),
        };
        let drag = times(&viscous, &closing);
        let total: [f64; 3] = std::array::from_fn(|k| s[k] + self.damping * drag[k]);
        let mut stress = pulled(&total, w);
        let geometric = pulled(&kept, rate);
        stress.u += tau * geometric.u;
        stress.v += tau * geometric.v;

        let c: [f64; 6] = std::array::from_fn(|i| {
            weights.stiffness * c[i] + weights.damping * self.damping * viscous[i]
        });
        let kept = kept.map(|s| weights.stiffness * s);
        let (u2, v2) = (Symmetric::square(w.u), Symmetric::square(w.v));
        let mixed = Symmetric::product(w.u, w.v);
        let tangent = Tangent {
            uu: (u2 * c[0] + mixed * c[4] + v2 * c[2]).plus_identity(kept[0]),
            vv: (v2 * c[1] + mixed * c[5] + u2 * c[2]).plus_identity(kept[1]),
            // c₁₂ w_u w_vᵀ + c₃₃ w_v w_uᵀ: half of both in the symmetric part, the rest in the twist.
            uv: (u2 * c[4] + v2 * c[5] + mixed * (0.5 * (c[3] + c[2]))).plus_identity(kept[2]),
            twist: 0.5 * (c[2] - c[3]) * w.u.cross(w.v),
        };
        Response { stress, tangent }
    }
}
