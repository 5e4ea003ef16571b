//! The constraints of inequality cloth, numbered: first the pairs of nodes, then the obstacles.

use crate::limit::Obstacle;
use crate::linalg::Filter;
use glam::{DMat3, DVec3};

/// Two nodes that stay together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    /// The nodes, counted within the cloth.
    pub nodes: [u32; 2],
    /// Rest length times `1 + α` (m).
    pub longest: f64,
    /// Whether they may not come closer either.
    pub equal: bool,
}

/// What one call has to solve, all of it counted within the cloth.
#[derive(Clone, Copy)]
pub(super) struct Problem<'a> {
    pub pairs: &'a [Pair],
    pub obstacles: &'a [Obstacle],
    /// Mean rest length (m): the unit of gaps.
    pub unit: f64,
    /// Step (s).
    pub h: f64,
    /// Inverse masses (1/kg), 0 for nodes that are held.
    pub weights: &'a [f64],
    pub filters: &'a [Filter],
    /// Candidate positions as they came (m).
    pub start: &'a [DVec3],
}

/// The gradient of one constraint: at most two nodes. An obstacle names its node twice, with nothing at the
/// second.
pub(super) struct Gradient {
    pub nodes: [usize; 2],
    pub at: [DVec3; 2],
}

impl Problem<'_> {
    /// How many constraints there are.
    pub fn count(&self) -> usize {
        self.pairs.len() + self.obstacles.len()
    }

    /// `l / ((1 + α) l̄) − 1` of a pair, `−d / mean(l̄)` of an obstacle.
    pub fn value(&self, constraint: usize, x: &[DVec3]) -> f64 {
        match self.pairs.get(constraint) {
            Some(pair) => {
                let [a, b] = pair.nodes.map(|n| x[n as usize]);
                a.distance(b) / pair.longest - 1.0
            }
            None => {
                let obstacle = &self.obstacles[constraint - self.pairs.len()];
                let node = obstacle.node as usize;
                -(obstacle.gap + obstacle.normal.dot(x[node] - self.start[node])) / self.unit
            }
        }
    }

    /// The derivative of [`value`](Self::value) (1/m).
    pub fn gradient(&self, constraint: usize, x: &[DVec3]) -> Gradient {
        match self.pairs.get(constraint) {
            Some(pair) => {
                let nodes = pair.nodes.map(|n| n as usize);
                let direction = (x[nodes[1]] - x[nodes[0]]).normalize_or_zero();
                let slope = direction / pair.longest;
                Gradient {
                    nodes,
                    at: [-slope, slope],
                }
            }
            None => {
                let obstacle = &self.obstacles[constraint - self.pairs.len()];
                Gradient {
                    nodes: [obstacle.node as usize; 2],
                    at: [-obstacle.normal / self.unit, DVec3::ZERO],
                }
            }
        }
    }

    /// The second derivative (1/m²) of a pair with respect to one of its nodes; that across has the opposite
    /// sign. It is `(1 − d̂ d̂ᵀ) / (l (1 + α) l̄)`, never indefinite: lengths are convex. Obstacles are flat.
    pub fn curvature(&self, constraint: usize, x: &[DVec3]) -> Option<DMat3> {
        let pair = self.pairs.get(constraint)?;
        let [a, b] = pair.nodes.map(|n| x[n as usize]);
        let length = a.distance(b);
        if length == 0.0 {
            return None;
        }
        let d = (b - a) / length;
        let along = DMat3::from_cols(d * d.x, d * d.y, d * d.z);
        Some((DMat3::IDENTITY - along) * (1.0 / (length * pair.longest)))
    }

    /// Whether the constraint is an equation.
    pub fn is_equal(&self, constraint: usize) -> bool {
        self.pairs.get(constraint).is_some_and(|pair| pair.equal)
    }

    /// By how much a value of a constraint is wrong.
    pub fn violation(&self, constraint: usize, value: f64) -> f64 {
        if self.is_equal(constraint) {
            value.abs()
        } else {
            value.max(0.0)
        }
    }

    /// All values; answers the worst violation.
    pub fn evaluate(&self, x: &[DVec3], values: &mut [f64]) -> f64 {
        crate::parallel::fill(values, |i| self.value(i, x));
        let violations = values
            .iter()
            .enumerate()
            .map(|(i, &c)| self.violation(i, c));
        violations.fold(0.0, f64::max)
    }
}
