//! The system of the pressures: `G p = A − Ā` with the diagonal of `G` times `α`.

use super::AreaMatrix;
use crate::limit::LimitStep;
use crate::mesh::Face;
use glam::DVec3;

/// `2 ∂A/∂x_i = n̂ × (x_before − x_after)` for each corner (m); the fourth of a triangle is zero.
pub(super) fn twice_gradient(face: &Face, x: &[DVec3]) -> [DVec3; 4] {
    let normal = face.vector_area(x).normalize_or_zero();
    let corners = face.corners();
    let count = corners.len();
    let mut gradient = [DVec3::ZERO; 4];
    for (k, gradient) in gradient.iter_mut().enumerate().take(count) {
        let before = x[corners[(k + count - 1) % count] as usize];
        let after = x[corners[(k + 1) % count] as usize];
        *gradient = normal.cross(before - after);
    }
    gradient
}

/// A face in the system.
#[derive(Clone, Copy, Debug)]
struct Row {
    /// Corners; a triangle names its third twice, with nothing at the fourth.
    nodes: [u32; 4],
    /// `√w_i F_i n̂ × (x_before − x_after)` (m kg^-½).
    gradients: [DVec3; 4],
}

impl Row {
    fn dot(&self, nodal: &[DVec3]) -> f64 {
        (0..4)
            .map(|k| self.gradients[k].dot(nodal[self.nodes[k] as usize]))
            .sum()
    }
}

/// How a solve ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Solve {
    pub iterations: u32,
    pub converged: bool,
}

/// Rows, right side and vectors of the solve.
#[derive(Clone, Debug, Default)]
pub(super) struct Pressures {
    rows: Vec<Row>,
    /// `α G_aa`, and how much of it is not in `2 J W Jᵀ`.
    diagonal: Vec<f64>,
    added: Vec<f64>,
    /// Off-diagonal entries of the published matrix.
    couplings: Vec<([u32; 2], f64)>,
    p: Vec<f64>,
    residual: Vec<f64>,
    direction: Vec<f64>,
    image: Vec<f64>,
    nodal: Vec<DVec3>,
}

/// Edges of a face that has collapsed count as at least this part of the root of its rest area, so that its
/// corners are not thrown far. A choice (`docs/contact.md`, Constants).
const LEAST_EDGE: f64 = 0.1;

impl Pressures {
    /// Takes areas and gradients at `x`.
    pub fn linearise(
        &mut self,
        faces: &[Face],
        areas: &[f64],
        step: &LimitStep,
        x: &[DVec3],
        alpha: f64,
    ) {
        self.rows.clear();
        self.diagonal.clear();
        self.added.clear();
        self.residual.clear();
        self.nodal.resize(x.len(), DVec3::ZERO);
        for (face, &area) in faces.iter().zip(areas) {
            let corners = face.corners();
            let nodes: [u32; 4] = std::array::from_fn(|k| corners[k.min(corners.len() - 1)]);
            let plain = twice_gradient(face, x);
            let mut row = Row {
                nodes,
                gradients: plain,
            };
            let (mut own, mut mobility) = (0.0, 0.0);
            for k in 0..corners.len() {
                let node = nodes[k] as usize;
                let weight = step.inverse_masses[node];
                row.gradients[k] = weight.sqrt() * step.filters[node].apply(plain[k]);
                own += 0.5 * row.gradients[k].length_squared();
                mobility += 0.5 * weight;
            }
            let diagonal = alpha * own.max(mobility * LEAST_EDGE * LEAST_EDGE * area);
            // A face that nothing can move has an equation of its own that says p = 0.
            let can_move = own > 0.0 && diagonal.is_finite();
            self.rows.push(row);
            self.diagonal.push(if can_move { diagonal } else { 1.0 });
            self.added.push(if can_move { diagonal - own } else { 1.0 });
            let excess = face.vector_area(x).length() - area;
            self.residual.push(if can_move { excess } else { 0.0 });
        }
    }

    /// The paper's entries `½ Σ w_i (n_a·n_c) |x_before − x_after|²` over the nodes that `a` and `c` share,
    /// with the mean of the two faces' lengths.
    pub fn couple_as_published(
        &mut self,
        faces: &[Face],
        neighbours: &[([u32; 2], [u32; 2])],
        step: &LimitStep,
        x: &[DVec3],
    ) {
        self.couplings.clear();
        for &(pair, nodes) in neighbours {
            let [a, c] = pair.map(|f| &faces[f as usize]);
            let normal = |f: &Face| f.vector_area(x).normalize_or_zero();
            let squared = |face: &Face, node: u32| {
                let gradients = twice_gradient(face, x);
                let corner = face.corners().iter().position(|&n| n == node);
                corner.map_or(0.0, |k| {
                    step.filters[node as usize]
                        .apply(gradients[k])
                        .length_squared()
                })
            };
            let sum: f64 = nodes
                .iter()
                .map(|&n| {
                    let mean = 0.5 * (squared(a, n) + squared(c, n));
                    0.5 * step.inverse_masses[n as usize] * mean
                })
                .sum();
            self.couplings.push((pair, normal(a).dot(normal(c)) * sum));
        }
    }

    fn product(&mut self, matrix: AreaMatrix) {
        match matrix {
            AreaMatrix::Consistent => {
                self.scatter_direction();
                for (i, row) in self.rows.iter().enumerate() {
                    self.image[i] = 0.5 * row.dot(&self.nodal) + self.added[i] * self.direction[i];
                }
            }
            AreaMatrix::Published => {
                for i in 0..self.rows.len() {
                    self.image[i] = self.diagonal[i] * self.direction[i];
                }
                for &([a, c], entry) in &self.couplings {
                    let [a, c] = [a as usize, c as usize];
                    self.image[a] += entry * self.direction[c];
                    self.image[c] += entry * self.direction[a];
                }
            }
        }
    }

    fn scatter_direction(&mut self) {
        self.nodal.fill(DVec3::ZERO);
        for (row, &p) in self.rows.iter().zip(&self.direction) {
            for k in 0..4 {
                self.nodal[row.nodes[k] as usize] += p * row.gradients[k];
            }
        }
    }

    /// Conjugate gradients, preconditioned by the diagonal. They stop where the matrix turns out not to be
    /// definite.
    pub fn solve(&mut self, matrix: AreaMatrix, tolerance: f64, limit: u32) -> Solve {
        let count = self.rows.len();
        self.p.clear();
        self.p.resize(count, 0.0);
        self.image.resize(count, 0.0);
        self.direction.clear();
        let scaled = self.residual.iter().zip(&self.diagonal).map(|(r, d)| r / d);
        self.direction.extend(scaled);
        let mut energy = self.preconditioned_square();
        let goal = tolerance * tolerance * energy;
        for iteration in 0..limit {
            if energy <= goal || !energy.is_finite() {
                let converged = energy <= goal;
                return Solve {
                    iterations: iteration,
                    converged,
                };
            }
            self.product(matrix);
            let curvature: f64 = (0..count).map(|i| self.direction[i] * self.image[i]).sum();
            if curvature.is_nan() || curvature <= 0.0 {
                return Solve {
                    iterations: iteration,
                    converged: false,
                };
            }
            let step = energy / curvature;
            for i in 0..count {
                self.p[i] += step * self.direction[i];
                self.residual[i] -= step * self.image[i];
            }
            let next = self.preconditioned_square();
            for i in 0..count {
                let fresh = self.residual[i] / self.diagonal[i];
                self.direction[i] = fresh + next / energy * self.direction[i];
            }
            energy = next;
        }
        Solve {
            iterations: limit,
            converged: energy <= goal,
        }
    }

    fn preconditioned_square(&self) -> f64 {
        let pairs = self.residual.iter().zip(&self.diagonal);
        pairs.map(|(r, d)| r * r / d).sum()
    }

    /// `w_i F_i Σ p n̂ × (x_before − x_after)` of each node, to be taken from its position.
    pub fn moves(&mut self, step: &LimitStep, moves: &mut [DVec3]) {
        for (row, &p) in self.rows.iter().zip(&self.p) {
            for k in 0..4 {
                moves[row.nodes[k] as usize] += p * row.gradients[k];
            }
        }
        for (node, step_of_node) in moves.iter_mut().enumerate() {
            *step_of_node *= step.inverse_masses[node].sqrt();
        }
    }

    /// An entry of the matrix, for tests.
    #[cfg(test)]
    pub fn entry(&mut self, matrix: AreaMatrix, row: usize, column: usize) -> f64 {
        let count = self.rows.len();
        self.direction.clear();
        self.direction.resize(count, 0.0);
        self.direction[column] = 1.0;
        self.image.resize(count, 0.0);
        self.product(matrix);
        self.image[row]
    }
}
