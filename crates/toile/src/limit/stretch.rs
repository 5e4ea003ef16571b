//! The principal stretches of every face stay below a bound.
//!
//! With `F = ∂x/∂ū` at a point of a face and `s` the stretch allowed, the constraint is that
//!
//! `C = Fᵀ F / (1 + s)² − I ⪯ 0`,
//!
//! as a symmetric 2×2 matrix: no direction of the cloth is longer than `1 + s` times its rest length. Triangles have one
//! point; quads have their corners. It does not depend on the frame, on the mesh's edges or on how a quad
//! would be cut, and it lets cloth shrink as it likes.
//!
//! The multiplier is a symmetric matrix too, a *tension* `T ⪰ 0`: cloth at its limit pulls and never pushes. In the
//! augmented Lagrangian (see [`Lagrangian`](super::Lagrangian)) a point adds
//!
//! `(|T'|² − |T|²) / 2k`, `T' = [T + k C]₊`,
//!
//! with `[·]₊` the matrix without its negative principal values. Its gradient is `T' : ∂C`. Its second derivative has
//! the principal directions `u`, `v` of `T + k C` with the values `a ≥ b`; in them the weights of `∂C_uu`, `∂C_uv`,
//! `∂C_vv` are
//!
//! `k [a > 0]`, `2k (a₊ − b₊)/(a − b)`, `k [b > 0]`,
//!
//! besides `T' : ∂²C`, which is `2 Σ_p T'_pp (∇N_i·p)(∇N_j·p) I / (1 + s)²` and never negative. Because the whole matrix is
//! one constraint, nothing jumps where both principal stretches are equal.

use super::quadrature;
use crate::linalg::BlockPattern;
use crate::mesh::{RestShape, Topology};
use crate::parallel;
use glam::{DMat3, DVec2, DVec3};
use thiserror::Error;

/// A symmetric 2×2 matrix: `uu`, `uv`, `vv`.
pub(crate) type Symmetric = [f64; 3];

/// A stretch that no cloth can be held to.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum StretchError {
    /// The bound is below the rest length.
    #[error("the allowed stretch is {stretch}; it must be a number of 0 or more")]
    Stretch {
        /// What was asked for.
        stretch: f64,
    },
    /// The tolerance is not a positive number.
    #[error("the tolerance of the stretch limit is {tolerance}; it must be above 0")]
    Tolerance {
        /// What was asked for.
        tolerance: f64,
    },
    /// The rest shape is not that of the cloth.
    #[error(
        "the rest shape has {given} faces, the cloth {faces}; both must come from the same mesh"
    )]
    Mismatch {
        /// Faces of the rest shape.
        given: usize,
        /// Faces of the cloth.
        faces: usize,
    },
}

/// A place of a face where its stretch is measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StretchPoint {
    /// Corners of the face, numbered over the whole world; a triangle names its first one twice, without a slope.
    pub nodes: [u32; 4],
    /// Slopes `∇N` of their shape functions (1/m).
    pub slopes: [DVec2; 4],
}

impl StretchPoint {
    /// The points of a cloth whose first node has this number in the world.
    pub(crate) fn of_cloth(
        topology: &Topology,
        rest: &RestShape,
        first_node: u32,
    ) -> Vec<StretchPoint> {
        let mut points = Vec::new();
        for (face, corners) in topology.faces.iter().zip(&rest.corners) {
            let mut nodes = [face.corners()[0] + first_node; 4];
            for (node, &corner) in nodes.iter_mut().zip(face.corners()) {
                *node = corner + first_node;
            }
            let of_face = quadrature::strain_points(face, corners);
            points.extend(of_face.iter().map(|point| StretchPoint {
                nodes,
                slopes: point.slopes,
            }));
        }
        points
    }

    /// `∂x/∂ū` along both rest directions, at some positions over the whole world.
    #[inline]
    pub(crate) fn deformation(&self, positions: &[DVec3]) -> [DVec3; 2] {
        let origin = positions[self.nodes[0] as usize];
        let (mut u, mut v) = (DVec3::ZERO, DVec3::ZERO);
        for (&node, slope) in self.nodes.iter().zip(&self.slopes).skip(1) {
            let arm = positions[node as usize] - origin;
            u += slope.x * arm;
            v += slope.y * arm;
        }
        [u, v]
    }

    /// Both principal stretches, the larger first.
    pub(crate) fn principal_stretches(&self, positions: &[DVec3]) -> [f64; 2] {
        let [u, v] = self.deformation(positions);
        let metric = [u.length_squared(), u.dot(v), v.length_squared()];
        let ([a, b], _) = principal(metric);
        [a, b.max(0.0)].map(f64::sqrt)
    }
}

/// Principal values of a symmetric matrix, the larger first, and the direction of the first.
#[inline]
pub(crate) fn principal([uu, uv, vv]: Symmetric) -> ([f64; 2], DVec2) {
    let (mean, half) = (0.5 * (uu + vv), 0.5 * (uu - vv));
    let radius = half.hypot(uv);
    // Twice the angle of the direction has the cosine half/radius; of the two ways to its half, the one without
    // cancellation.
    let direction = if radius == 0.0 {
        DVec2::X
    } else if half >= 0.0 {
        DVec2::new(radius + half, uv).normalize_or(DVec2::X)
    } else {
        DVec2::new(uv, radius - half).normalize_or(DVec2::Y)
    };
    ([mean + radius, mean - radius], direction)
}

/// Bounded principal stretches of one cloth.
#[derive(Clone, Debug)]
pub struct StretchLimit {
    points: Vec<StretchPoint>,
    /// `1 / (1 + s)²`.
    scale: f64,
    stretch: f64,
    tolerance: f64,
}

impl StretchLimit {
    /// Bounds the stretch of a cloth whose first node has this number in the world, to `1 + stretch` within a tolerance, both
    /// relative to the rest lengths.
    pub fn new(
        topology: &Topology,
        rest: &RestShape,
        first_node: u32,
        stretch: f64,
        tolerance: f64,
    ) -> Result<Self, StretchError> {
        if !(stretch >= 0.0 && stretch.is_finite()) {
            return Err(StretchError::Stretch { stretch });
        }
        if !(tolerance > 0.0 && tolerance.is_finite()) {
            return Err(StretchError::Tolerance { tolerance });
        }
        let (given, faces) = (rest.corners.len(), topology.faces.len());
        if given != faces {
            return Err(StretchError::Mismatch { given, faces });
        }
        Ok(StretchLimit {
            points: StretchPoint::of_cloth(topology, rest, first_node),
            scale: (1.0 + stretch).powi(-2),
            stretch,
            tolerance,
        })
    }

    /// What is allowed beyond the rest length, relative.
    pub fn stretch(&self) -> f64 {
        self.stretch
    }

    /// The largest excess that is let stand, relative to the allowed length.
    pub fn tolerance(&self) -> f64 {
        self.tolerance
    }

    /// The largest excess over the allowed length, relative to it.
    pub fn residual(&self, positions: &[DVec3]) -> f64 {
        let excess = |p: &StretchPoint| p.principal_stretches(positions)[0] / (1.0 + self.stretch);
        self.points
            .iter()
            .map(|p| excess(p) - 1.0)
            .fold(0.0, f64::max)
    }

    /// Numbers that it remembers from step to step.
    pub(crate) fn memory(&self) -> usize {
        3 * self.points.len()
    }

    /// Calls `pair` with every two nodes of a point.
    pub(crate) fn for_each_pair(&self, mut pair: impl FnMut([u32; 2])) {
        for point in &self.points {
            let used = |k: usize| k == 0 || point.nodes[k] != point.nodes[0];
            for i in (0..4).filter(|&i| used(i)) {
                (0..i)
                    .filter(|&j| used(j))
                    .for_each(|j| pair([point.nodes[i], point.nodes[j]]));
            }
        }
    }

    /// `C` where `F` has these columns.
    #[inline]
    fn value(&self, [u, v]: [DVec3; 2]) -> Symmetric {
        let metric = [u.length_squared(), u.dot(v), v.length_squared()];
        let scaled = metric.map(|m| m * self.scale);
        [scaled[0] - 1.0, scaled[1], scaled[2] - 1.0]
    }
}

/// A matrix without its negative principal values.
#[inline]
fn positive_part(matrix: Symmetric) -> Symmetric {
    let ([a, b], u) = principal(matrix);
    if b >= 0.0 {
        return matrix;
    }
    let a = a.max(0.0);
    [a * u.x * u.x, a * u.x * u.y, a * u.y * u.y]
}

/// `A : B`.
#[inline]
fn product(a: &Symmetric, b: &Symmetric) -> f64 {
    a[0] * b[0] + 2.0 * a[1] * b[1] + a[2] * b[2]
}

/// The points of a [`StretchLimit`] as rows of an augmented Lagrangian.
#[derive(Clone, Debug)]
pub(crate) struct StretchRows {
    /// `T` of each point (kg·m²).
    tensions: Vec<Symmetric>,
    /// What the last solve predicts of them, and the one before.
    predicted: Vec<Symmetric>,
    before: Vec<Symmetric>,
    /// What each point is like at the iterate.
    seen: Vec<Seen>,
    stiffness: Vec<f64>,
    /// Where the blocks of each point's pairs of nodes are in the matrix: (1,0), (2,0), (2,1), (3,0), (3,1), (3,2).
    blocks: Vec<[u32; 6]>,
}

/// A point at the iterate.
#[derive(Clone, Copy, Debug)]
struct Seen {
    /// The columns of `F`.
    deformation: [DVec3; 2],
    /// `C`.
    value: Symmetric,
    /// Its larger principal value.
    largest: f64,
}

impl Seen {
    /// `T + s C`.
    #[inline]
    fn tried(&self, tension: &Symmetric, s: f64) -> Symmetric {
        let (t, c) = (tension, &self.value);
        [t[0] + s * c[0], t[1] + s * c[1], t[2] + s * c[2]]
    }

    /// How the `C` of point `k` changes along some moves, to first order.
    #[inline]
    fn change(&self, limit: &StretchLimit, k: usize, moves: &[DVec3]) -> Symmetric {
        let ([u, v], [du, dv]) = (self.deformation, limit.points[k].deformation(moves));
        [
            2.0 * limit.scale * u.dot(du),
            limit.scale * (u.dot(dv) + v.dot(du)),
            2.0 * limit.scale * v.dot(dv),
        ]
    }
}

const PAIRS: [[usize; 2]; 6] = [[1, 0], [2, 0], [2, 1], [3, 0], [3, 1], [3, 2]];

impl StretchRows {
    /// Rows over the nodes of a pattern that has all pairs.
    pub(crate) fn new(limit: &StretchLimit, pattern: &BlockPattern) -> Self {
        let count = limit.points.len();
        let block = |point: &StretchPoint, [i, j]: [usize; 2]| {
            let pair = [point.nodes[i], point.nodes[j]];
            let found = pattern.find(pair);
            // A triangle has no fourth node: its pairs are never written.
            found.map_or(u32::MAX, |at| at as u32)
        };
        StretchRows {
            tensions: vec![[0.0; 3]; count],
            predicted: vec![[0.0; 3]; count],
            before: vec![[0.0; 3]; count],
            seen: vec![
                Seen {
                    deformation: [DVec3::ZERO; 2],
                    value: [0.0; 3],
                    largest: 0.0,
                };
                count
            ],
            stiffness: vec![0.0; count],
            blocks: (limit.points.iter())
                .map(|p| PAIRS.map(|pair| block(p, pair)))
                .collect(),
        }
    }

    /// Takes over tensions (N·m); `unit` is the square of the step.
    pub(crate) fn load(&mut self, forces: &[f64], unit: f64) {
        for (tension, force) in self.tensions.iter_mut().zip(forces.chunks_exact(3)) {
            *tension = [force[0], force[1], force[2]].map(|f| unit * f);
        }
        self.predicted.copy_from_slice(&self.tensions);
    }

    /// Hands them on.
    pub(crate) fn store(&self, forces: &mut [f64], unit: f64) {
        for (force, tension) in forces.chunks_exact_mut(3).zip(&self.predicted) {
            force.copy_from_slice(&tension.map(|t| t / unit));
        }
    }

    /// Values at some positions; answers the worst excess, relative to the allowed length.
    pub(crate) fn evaluate(&mut self, limit: &StretchLimit, positions: &[DVec3]) -> f64 {
        parallel::for_each_costly(&mut self.seen, |k, seen| {
            let [u, v] = limit.points[k].deformation(positions);
            let value = limit.value([u, v]);
            *seen = Seen {
                deformation: [u, v],
                value,
                largest: principal(value).0[0],
            };
        });
        let worst = self.seen.iter().map(|s| s.largest).fold(0.0, f64::max);
        // C is twice the strain, for small ones.
        (1.0 + worst).sqrt() - 1.0
    }

    /// Gives each point the stiffness `relative / Σ |∂C|²/m` (kg·m²), the mean over its directions.
    pub(crate) fn stiffen(&mut self, limit: &StretchLimit, masses: &[f64], relative: f64) {
        for (stiffness, point) in self.stiffness.iter_mut().zip(&limit.points) {
            let parts = point.nodes.iter().zip(&point.slopes);
            let compliance = parts.map(|(&n, slope)| slope.length_squared() / masses[n as usize]);
            // Along one direction ∂C is 2 F u (∇N·u), and half of |∇N|² lies along it.
            *stiffness = relative / (2.0 * compliance.sum::<f64>()).max(f64::MIN_POSITIVE);
        }
    }

    #[inline]
    fn tried(&self, k: usize) -> Symmetric {
        self.seen[k].tried(&self.tensions[k], self.stiffness[k])
    }

    /// Adds the gradient of the rows where they were evaluated to `gradients`, first what they pull with, then with the predicted
    /// tensions.
    pub(crate) fn add_gradient(&self, limit: &StretchLimit, gradients: [&mut [DVec3]; 2]) {
        let [gradient, balance] = gradients;
        for (k, point) in limit.points.iter().enumerate() {
            let (pull, predicted) = (positive_part(self.tried(k)), self.predicted[k]);
            if pull == [0.0; 3] && predicted == [0.0; 3] {
                continue;
            }
            let [u, v] = self.seen[k].deformation;
            let twice = 2.0 * limit.scale;
            for i in 0..4 {
                let (slope, node) = (point.slopes[i], point.nodes[i] as usize);
                let along = |t: &Symmetric| {
                    let (a, b) = (
                        slope.x * t[0] + slope.y * t[1],
                        slope.x * t[1] + slope.y * t[2],
                    );
                    twice * (a * u + b * v)
                };
                gradient[node] += along(&pull);
                balance[node] += along(&predicted);
            }
        }
    }

    /// Adds what the rows add to the matrix, in which second derivatives count as much as the predicted tensions say.
    pub(crate) fn add_matrix(
        &self,
        limit: &StretchLimit,
        (diagonal, lower): (&mut [DMat3], &mut [DMat3]),
    ) {
        for (k, point) in limit.points.iter().enumerate() {
            let tried = self.tried(k);
            let tension = self.predicted[k];
            let ([a, b], u) = principal(tried);
            if a <= 0.0 && tension == [0.0; 3] {
                continue;
            }
            let v = u.perp();
            let [along_x, along_y] = self.seen[k].deformation;
            let (fu, fv) = (u.x * along_x + u.y * along_y, v.x * along_x + v.y * along_y);
            let (tu, tv) = (a.max(0.0), b.max(0.0));
            // The predicted tension in the same directions.
            let along = |p: DVec2, q: DVec2| {
                p.x * (tension[0] * q.x + tension[1] * q.y)
                    + p.y * (tension[1] * q.x + tension[2] * q.y)
            };
            let (puu, puv, pvv) = (along(u, u), along(u, v), along(v, v));
            let s = self.stiffness[k];
            let stiff = |value: f64| if value > 0.0 { s } else { 0.0 };
            let (ku, kv) = (stiff(a), stiff(b));
            let kuv = match a - b {
                d if d > 1e-9 * s => 2.0 * s * (tu - tv) / d,
                _ => 2.0 * ku.min(kv),
            };
            let scale = limit.scale;
            let mut slopes = [[0.0; 2]; 4];
            let mut rows = [[DVec3::ZERO; 3]; 4];
            for i in 0..4 {
                let slope = point.slopes[i];
                let [p, q] = [slope.dot(u), slope.dot(v)];
                slopes[i] = [p, q];
                rows[i] = [
                    2.0 * scale * p * fu,
                    scale * (p * fv + q * fu),
                    2.0 * scale * q * fv,
                ];
            }
            let block = |i: usize, j: usize| {
                let ([pi, qi], [pj, qj]) = (slopes[i], slopes[j]);
                let form =
                    2.0 * scale * (puu * pi * pj + puv * (pi * qj + qi * pj) + pvv * qi * qj);
                let outer = |r: usize, w: f64| {
                    let (row, column) = (w * rows[i][r], rows[j][r]);
                    DMat3::from_cols(row * column.x, row * column.y, row * column.z)
                };
                DMat3::from_diagonal(DVec3::splat(form))
                    + outer(0, ku)
                    + outer(1, kuv)
                    + outer(2, kv)
            };
            let count = if point.nodes[3] == point.nodes[0] {
                3
            } else {
                4
            };
            for i in 0..count {
                diagonal[point.nodes[i] as usize] += block(i, i);
            }
            for (at, [i, j]) in self.blocks[k].iter().zip(PAIRS) {
                if i < count {
                    // Stored with the later node as the row.
                    let (row, column) = match point.nodes[i] > point.nodes[j] {
                        true => (i, j),
                        false => (j, i),
                    };
                    lower[*at as usize] += block(row, column);
                }
            }
        }
    }

    /// The slope of the rows along some moves where they were evaluated.
    pub(crate) fn slope(&self, limit: &StretchLimit, moves: &[DVec3]) -> f64 {
        let of_point = |k: usize| {
            if self.tensions[k] == [0.0; 3] && self.seen[k].largest <= 0.0 {
                return 0.0;
            }
            let tried = positive_part(self.tried(k));
            if tried == [0.0; 3] {
                return 0.0;
            }
            product(&tried, &self.seen[k].change(limit, k, moves))
        };
        parallel::sum(limit.points.len(), of_point)
    }

    /// Works out `[T + k (C + ∂C Δ)]₊` where the rows were evaluated.
    pub(crate) fn predict(&mut self, limit: &StretchLimit, moves: &[DVec3]) {
        std::mem::swap(&mut self.predicted, &mut self.before);
        let (tensions, stiffness, seen) = (&self.tensions, &self.stiffness, &self.seen);
        parallel::for_each_costly(&mut self.predicted, |k, there| {
            let (tried, s) = (seen[k].tried(&tensions[k], stiffness[k]), stiffness[k]);
            let change = seen[k].change(limit, k, moves);
            *there = positive_part([0, 1, 2].map(|c| tried[c] + s * change[c]));
        });
    }

    /// Goes only this share of the way to the last prediction.
    pub(crate) fn share_prediction(&mut self, share: f64) {
        for (now, before) in self.predicted.iter_mut().zip(&self.before) {
            for c in 0..3 {
                now[c] = before[c] + share * (now[c] - before[c]);
            }
        }
    }

    /// Makes what was predicted the multiplier.
    pub(crate) fn keep(&mut self) {
        self.tensions.copy_from_slice(&self.predicted);
    }

    /// `Σ |T' − T|² / k`: how far the tensions are from what the points pull with.
    pub(crate) fn unlearned(&self) -> f64 {
        parallel::sum(self.tensions.len(), |k| {
            let (t, now) = (self.tensions[k], self.predicted[k]);
            let change = [now[0] - t[0], now[1] - t[1], now[2] - t[2]];
            product(&change, &change) / self.stiffness[k]
        })
    }
}

#[cfg(test)]
mod tests;
