//! The angle between two faces, its gradient and its Hessian.
//!
//! Four points: the wing points `x₁`, `x₂` of the two faces and the edge `E = x₄ − x₃` between them, with the
//! first face to the left of `x₃ → x₄`. A wing point sits over the foot `x₃ + s E` at the height `h`, in the
//! direction `t̂` square to the edge; `ê = E/|E|`, and the faces' normals are `n̂₁ = ê × t̂₁`,
//! `n̂₂ = t̂₂ × ê`. Then
//!
//! * `θ = atan2(t̂₁ × t̂₂ · ê, −t̂₁ · t̂₂)`, in (−π, π]: zero when flat, positive when the faces fold towards
//!   their normals (a valley seen from the front)
//! * `∂θ/∂x_i = Σ_a c_i n̂_a/h_a`, where `c = 1, −(1−s_a), −s_a` for the wing point `a`, `x₃`, `x₄`
//! * `∂²θ/∂x_i∂x_j = −Σ_a [(c_i c_j/h_a² + b_i b_j/2|E|²)(t̂_a n̂_aᵀ + n̂_a t̂_aᵀ) + (c_i b_j ê n̂_aᵀ + b_i
//!   c_j n̂_a êᵀ)/(|E| h_a)]`, where `b = 0, −1, +1`.
//!
//! The gradient is the bending mode `u` of Bridson, Marino and Fedkiw (2003): `n̂/h = |E| N/|N|²`. Their rule
//! for the sign of the angle (that of `n̂₁ × n̂₂ · ê`) would make `u` minus the gradient; here it has the
//! sign that makes it the gradient.
//!
//! The Hessian follows from three variations. With `δ = dx_a − (1−s) dx₃ − s dx₄`, the motion of a wing point
//! against its foot: `dh = t̂·δ`, `dn̂ = −t̂ (n̂·δ)/h − ê (n̂·dE)/|E|`, `ds = ê·δ/|E| + h t̂·dE/|E|²`. Each
//! wing's share alone leaves an antisymmetric part `±½[ê]×/|E|²`, and the two cancel. (Tamstorf and Grinspun
//! 2013 arrive at the same matrix in other terms.)

use glam::{DMat3, DVec3};

/// Faces whose height is less than this part of their edge, or the other way round, have no direction to bend
/// in: half the digits of a double, as heights are square roots of differences.
const SLIM: f64 = 1e-8;

/// Two faces about an edge, seen from one configuration.
#[derive(Clone, Copy, Debug)]
pub(in crate::energy) struct Fold {
    /// `θ` (rad).
    pub angle: f64,
    /// `∂θ/∂x` (1/m) of wing points 1 and 2 and the edge's ends 3 and 4.
    pub gradient: [DVec3; 4],
    wings: [Wing; 2],
    edge_length: f64,
    edge: DVec3,
}

#[derive(Clone, Copy, Debug)]
struct Wing {
    /// `t̂`, from the edge to the wing point.
    away: DVec3,
    normal: DVec3,
    height: f64,
    /// Which part of the wing point's motion square to the face the foot takes back: `c` of `x₃` and `x₄`.
    foot: [f64; 2],
}

/// `value` brought into [−π, π] by whole turns.
pub(in crate::energy) fn wrapped(value: f64) -> f64 {
    use std::f64::consts::{PI, TAU};
    if value.abs() <= PI {
        value
    } else {
        value - TAU * (value / TAU).round()
    }
}

impl Fold {
    /// Nothing if a face has no area or the edge no length.
    pub fn new(points: &[DVec3; 4]) -> Option<Self> {
        let [first, second, from, to] = *points;
        let offset = to - from;
        let edge_length = offset.length();
        let edge = offset / edge_length;
        let wing = |tip: DVec3, side: f64| {
            let arm = tip - from;
            let along = arm.dot(edge);
            let away = arm - along * edge;
            let height = away.length();
            let reach = edge_length.max(arm.length());
            // Written so that a NaN counts as degenerate.
            let sound = height > SLIM * reach && edge_length > SLIM * reach;
            let away = away / height;
            let foot = along / edge_length;
            sound.then(|| Wing {
                away,
                normal: side * edge.cross(away),
                height,
                foot: [foot - 1.0, -foot],
            })
        };
        let wings = [wing(first, 1.0)?, wing(second, -1.0)?];
        let [a, b] = wings.map(|w| w.away);
        let [m, n] = wings.map(|w| w.normal / w.height);
        let end = |k: usize| wings[0].foot[k] * m + wings[1].foot[k] * n;
        Some(Fold {
            angle: a.cross(b).dot(edge).atan2(-a.dot(b)),
            gradient: [m, n, end(0), end(1)],
            wings,
            edge_length,
            edge,
        })
    }

    /// `∂²θ/∂x²` (1/m²), all sixteen blocks.
    pub fn hessian(&self) -> [[DMat3; 4]; 4] {
        const EDGE: [f64; 4] = [0.0, 0.0, -1.0, 1.0];
        let mut blocks = [[DMat3::ZERO; 4]; 4];
        let inverse = 1.0 / self.edge_length;
        for (a, wing) in self.wings.iter().enumerate() {
            let mut share = [0.0, 0.0, wing.foot[0], wing.foot[1]];
            share[a] = 1.0;
            let swing = outer(wing.away, wing.normal) + outer(wing.normal, wing.away);
            let tilt = outer(self.edge, wing.normal) * (inverse / wing.height);
            let lean = tilt.transpose();
            let turn = (1.0 / wing.height).powi(2);
            for (i, row) in blocks.iter_mut().enumerate() {
                for (j, block) in row.iter_mut().enumerate() {
                    let both =
                        turn * share[i] * share[j] + 0.5 * inverse * inverse * EDGE[i] * EDGE[j];
                    *block -=
                        swing * both + tilt * (share[i] * EDGE[j]) + lean * (EDGE[i] * share[j]);
                }
            }
        }
        blocks
    }
}

/// `a bᵀ`.
pub(in crate::energy) fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}
