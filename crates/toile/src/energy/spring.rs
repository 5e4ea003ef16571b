//! Springs between pairs of nodes.
//!
//! With `d = x_j − x_i`, length `l`, direction `d̂ = d/l`, rest length `l̄`, stiffness `k` (N, the force at
//! 100 % strain) and axial damping `c` (N·s/m):
//!
//! * energy `½ k l̄ (l/l̄ − 1)²`
//! * force on `i`: `[k (l/l̄ − 1) + c (v_j − v_i)·d̂] d̂`, the opposite on `j` (Provot 1995)
//! * `∂f_i/∂x_j = (k/l̄) [d̂d̂ᵀ + (1 − l̄/l)(I − d̂d̂ᵀ)]`, `∂f_i/∂v_j = c d̂d̂ᵀ`
//!
//! The transverse part of the stiffness is negative in a compressed spring, which would make an implicit
//! step's matrix indefinite; it is left out there (Choi and Ko 2002). Forces act along the line between
//! the nodes, so linear and angular momentum are kept to rounding.

use crate::parallel;
use glam::{DMat3, DVec3};

/// Springs with the lists that let forces be gathered node by node.
#[derive(Clone, Debug)]
pub struct SpringBatch {
    nodes: Vec<[u32; 2]>,
    rest_lengths: Vec<f64>,
    /// `k` (N).
    stiffness: Vec<f64>,
    /// `c` (N·s/m).
    damping: Vec<f64>,
    /// Springs at each node: where its list starts; one more entry than nodes.
    starts: Vec<u32>,
    /// Springs at each node, in increasing order; the highest bit is set where the node is the second end.
    incident: Vec<u32>,
}

/// One spring seen from the start of an implicit step of length `h`.
#[derive(Clone, Copy, Debug, Default)]
pub struct SpringStiffness {
    /// `h f + h² (∂f/∂x) v` on the first end (N·s).
    pub impulse: DVec3,
    /// `a` of the block `h² ∂f_i/∂x_j + h ∂f_i/∂v_j = a I + q qᵀ` (kg).
    pub transverse: f64,
    /// `q` of that block (√kg).
    pub axial: DVec3,
}

impl SpringStiffness {
    /// The 3×3 block (kg), positive semi-definite.
    pub fn block(&self) -> DMat3 {
        let q = self.axial;
        let transverse = DMat3::from_diagonal(DVec3::splat(self.transverse));
        DMat3::from_cols(q * q.x, q * q.y, q * q.z) + transverse
    }
}

const SECOND_END: u32 = 1 << 31;

impl SpringBatch {
    /// An empty batch over `node_count` nodes filled by `(nodes, rest length, stiffness, damping)`.
    pub fn new(
        node_count: usize,
        springs: impl Iterator<Item = ([u32; 2], f64, f64, f64)>,
    ) -> Self {
        let (mut nodes, mut rest_lengths) = (Vec::new(), Vec::new());
        let (mut stiffness, mut damping) = (Vec::new(), Vec::new());
        for (pair, rest, k, c) in springs {
            nodes.push(pair);
            rest_lengths.push(rest);
            stiffness.push(k);
            damping.push(c);
        }
        let mut starts = vec![0u32; node_count + 1];
        for &node in nodes.iter().flatten() {
            starts[node as usize + 1] += 1;
        }
        for i in 0..node_count {
            starts[i + 1] += starts[i];
        }
        let mut fill = starts.clone();
        let mut incident = vec![0u32; nodes.len() * 2];
        for (spring, pair) in nodes.iter().enumerate() {
            for (end, &node) in pair.iter().enumerate() {
                let slot = &mut fill[node as usize];
                incident[*slot as usize] = spring as u32 | if end == 1 { SECOND_END } else { 0 };
                *slot += 1;
            }
        }
        SpringBatch {
            nodes,
            rest_lengths,
            stiffness,
            damping,
            starts,
            incident,
        }
    }

    /// The two ends of every spring.
    pub fn nodes(&self) -> &[[u32; 2]] {
        &self.nodes
    }

    /// How many springs there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The springs at a node, each with whether the node is its second end.
    pub fn at_node(&self, node: usize) -> impl Iterator<Item = (usize, bool)> + '_ {
        let range = self.starts[node] as usize..self.starts[node + 1] as usize;
        self.incident[range]
            .iter()
            .map(|&s| ((s & !SECOND_END) as usize, s & SECOND_END != 0))
    }

    /// Stored energy (J).
    pub fn value(&self, positions: &[DVec3]) -> f64 {
        parallel::sum(self.len(), |s| {
            let [i, j] = self.nodes[s].map(|n| positions[n as usize]);
            let rest = self.rest_lengths[s];
            let strain = i.distance(j) / rest - 1.0;
            0.5 * self.stiffness[s] * rest * strain * strain
        })
    }

    /// Adds elastic and damping forces (N).
    pub fn add_forces(
        &self,
        positions: &[DVec3],
        velocities: &[DVec3],
        forces: &mut [DVec3],
        scratch: &mut Vec<DVec3>,
    ) {
        scratch.resize(self.len(), DVec3::ZERO);
        parallel::fill(scratch, |s| self.force(s, positions, velocities));
        parallel::for_each(forces, |node, force| {
            for (spring, second) in self.at_node(node) {
                let pull = scratch[spring];
                *force += if second { -pull } else { pull };
            }
        });
    }

    /// Force on the first end (N).
    fn force(&self, s: usize, positions: &[DVec3], velocities: &[DVec3]) -> DVec3 {
        let [i, j] = self.nodes[s].map(|n| n as usize);
        let offset = positions[j] - positions[i];
        let length = offset.length();
        if length == 0.0 {
            return DVec3::ZERO; // no direction to push in
        }
        let direction = offset / length;
        let elastic = self.stiffness[s] * (length / self.rest_lengths[s] - 1.0);
        let damping = self.damping[s] * (velocities[j] - velocities[i]).dot(direction);
        (elastic + damping) * direction
    }

    /// Force and stiffness of one spring for an implicit step of length `h` (s).
    pub fn linearise(
        &self,
        s: usize,
        positions: &[DVec3],
        velocities: &[DVec3],
        h: f64,
    ) -> SpringStiffness {
        let [i, j] = self.nodes[s].map(|n| n as usize);
        let offset = positions[j] - positions[i];
        let length = offset.length();
        if length == 0.0 {
            return SpringStiffness::default();
        }
        let direction = offset / length;
        let relative = velocities[j] - velocities[i];
        let closing = relative.dot(direction);
        let slack = 1.0 - self.rest_lengths[s] / length;
        let k = self.stiffness[s] / self.rest_lengths[s];
        let force = k * length * slack + self.damping[s] * closing;
        let transverse = h * h * k * slack.max(0.0);
        let along = h * h * k * closing;
        let across = transverse * (relative - closing * direction);
        SpringStiffness {
            impulse: (h * force + along) * direction + across,
            transverse,
            axial: (h * h * k + h * self.damping[s] - transverse).sqrt() * direction,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one_spring(damping: f64) -> SpringBatch {
        SpringBatch::new(2, [([0, 1], 0.8, 30.0, damping)].into_iter())
    }

    fn forces(springs: &SpringBatch, x: &[DVec3], v: &[DVec3]) -> Vec<DVec3> {
        let mut out = vec![DVec3::ZERO; x.len()];
        springs.add_forces(x, v, &mut out, &mut Vec::new());
        out
    }

    /// Largest difference relative to the largest entry.
    fn relative_error(a: &[f64], b: &[f64]) -> f64 {
        let scale = b.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let worst = a.iter().zip(b).map(|(p, q)| (p - q).abs());
        worst.fold(0.0, f64::max) / scale
    }

    #[test]
    fn the_force_is_minus_the_gradient_of_the_energy() {
        let springs = one_spring(0.0);
        for stretch in [0.5, 1.0, 1.7] {
            let x = [
                DVec3::new(0.1, -0.2, 0.3),
                DVec3::new(0.4, 0.3, 0.9).normalize() * stretch,
            ];
            let force = forces(&springs, &x, &[DVec3::ZERO; 2]);
            let e = 1e-6;
            let mut numeric = Vec::new();
            for (node, axis) in (0..2).flat_map(|n| DVec3::AXES.map(|a| (n, a))) {
                let shifted = |s: f64| {
                    let mut y = x;
                    y[node] += s * e * axis;
                    springs.value(&y)
                };
                numeric.push(-(shifted(1.0) - shifted(-1.0)) / (2.0 * e));
            }
            let exact: Vec<f64> = force.iter().flat_map(|f| f.to_array()).collect();
            assert!(relative_error(&exact, &numeric) < 1e-7, "at {stretch}");
        }
    }

    #[test]
    fn the_stiffness_is_the_derivative_of_the_force_in_a_stretched_spring() {
        // With h = 1 the block is ∂f_i/∂x_j + ∂f_i/∂v_j. The spring is at rest, so damping adds nothing
        // to the derivative by position.
        let springs = one_spring(2.0);
        let x = [DVec3::ZERO, DVec3::new(0.7, 0.6, -0.4)];
        let v = [DVec3::ZERO; 2];
        let block = springs.linearise(0, &x, &v, 1.0).block();
        let e = 1e-6;
        let mut numeric = Vec::new();
        for axis in DVec3::AXES {
            let by_position = |s: f64| forces(&springs, &[x[0], x[1] + s * e * axis], &v)[0];
            let by_velocity = |s: f64| forces(&springs, &x, &[v[0], s * e * axis])[0];
            let column =
                by_position(1.0) - by_position(-1.0) + by_velocity(1.0) - by_velocity(-1.0);
            numeric.extend((column / (2.0 * e)).to_array());
        }
        assert!(relative_error(&block.to_cols_array(), &numeric) < 1e-7);
    }

    #[test]
    fn a_compressed_spring_keeps_only_its_axial_stiffness() {
        let springs = one_spring(0.0);
        let x = [DVec3::ZERO, DVec3::X * 0.5];
        let block = springs.linearise(0, &x, &[DVec3::ZERO; 2], 1.0).block();
        let expected = DMat3::from_diagonal(DVec3::X * 30.0 / 0.8);
        assert!((block - expected).abs_diff_eq(DMat3::ZERO, 1e-12));
    }

    #[test]
    fn coincident_ends_make_no_force_and_no_nan() {
        let springs = one_spring(1.0);
        let x = [DVec3::ONE; 2];
        assert_eq!(forces(&springs, &x, &[DVec3::ZERO; 2]), [DVec3::ZERO; 2]);
        let linear = springs.linearise(0, &x, &[DVec3::ZERO; 2], 0.01);
        assert_eq!(linear.impulse, DVec3::ZERO);
    }
}
