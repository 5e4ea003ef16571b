//! Constraints that are quadratic forms of the positions: `C(x) = Σ_ij a_ij ⟨x_i, x_j⟩ − c`.
//!
//! The coefficients are symmetric and never change, and their rows add up to zero, because moving the whole
//! cloth changes nothing. So all that is needed are the places of a stencil's nodes from its first node, the
//! gradient is `∇_i C = 2 Σ_j a_ij (x_j − x_0)`, and the value is `½ Σ_i ∇_i C · (x_i − x_0) − c` (equation
//! 12 of the paper in [`metric`](super::metric), with the products of positions never formed).

use super::constraints::{Constraints, Gradient, LANES};
use crate::linalg::lanes::{Kernel, Lanes, run};
use glam::DVec3;
use std::ops::Range;

/// Stencils of quadratic forms.
#[derive(Clone, Debug, Default)]
pub(super) struct QuadraticForms {
    stencils: Vec<Stencil>,
    nodes: Vec<u32>,
    /// `2 a_ij` of each stencil's equations in its lanes, for all of its nodes but the first, row by row.
    coefficients: Vec<[f64; LANES]>,
}

#[derive(Clone, Debug)]
struct Stencil {
    rows: usize,
    nodes: Range<usize>,
    coefficients: Range<usize>,
    /// `c`.
    rest: [f64; LANES],
}

/// A stencil being put together: a full symmetric matrix of coefficients for each equation.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub nodes: Vec<u32>,
    /// `a_ij` at `i * nodes + j`.
    pub matrix: Vec<[f64; LANES]>,
    pub rows: usize,
    pub rest: [f64; LANES],
}

impl Draft {
    /// Equations without any terms yet.
    pub(super) fn new(nodes: Vec<u32>, rows: usize) -> Self {
        Draft {
            matrix: vec![[0.0; LANES]; nodes.len() * nodes.len()],
            nodes,
            rows,
            rest: [0.0; LANES],
        }
    }

    /// Where a node stands among the stencil's.
    pub(super) fn place(&self, node: u32) -> usize {
        let found = self.nodes.iter().position(|&n| n == node);
        found.expect("a draft is made with all nodes that it needs")
    }

    /// Adds the equation `|x_a − x_b|² / length² − 1`.
    pub(super) fn add_length(&mut self, row: usize, nodes: [u32; 2], length: f64) {
        let [a, b] = nodes.map(|n| self.place(n));
        let (count, weight) = (self.nodes.len(), 1.0 / (length * length));
        for (i, j, sign) in [(a, a, 1.0), (b, b, 1.0), (a, b, -1.0), (b, a, -1.0)] {
            self.matrix[i * count + j][row] += sign * weight;
        }
        self.rest[row] = 1.0;
    }
}

impl QuadraticForms {
    pub(super) fn push(&mut self, draft: &Draft, first_node: u32) {
        let (count, from) = (draft.nodes.len(), self.coefficients.len());
        for i in 1..count {
            for j in 1..count {
                let (a, b) = (draft.matrix[i * count + j], draft.matrix[j * count + i]);
                // Twice the symmetric part.
                self.coefficients.push(std::array::from_fn(|k| a[k] + b[k]));
            }
        }
        let start = self.nodes.len();
        self.nodes
            .extend(draft.nodes.iter().map(|n| n + first_node));
        self.stencils.push(Stencil {
            rows: draft.rows,
            nodes: start..self.nodes.len(),
            coefficients: from..self.coefficients.len(),
            rest: draft.rest,
        });
    }
}

impl Constraints for QuadraticForms {
    fn stencils(&self) -> usize {
        self.stencils.len()
    }

    fn rows(&self, stencil: usize) -> usize {
        self.stencils[stencil].rows
    }

    fn nodes(&self, stencil: usize) -> &[u32] {
        &self.nodes[self.stencils[stencil].nodes.clone()]
    }

    fn second_derivative(&self, stencil: usize, places: [usize; 2]) -> [f64; LANES] {
        let stencil = &self.stencils[stencil];
        let table = &self.coefficients[stencil.coefficients.clone()];
        let others = stencil.nodes.len() - 1;
        // What is not stored, of the first node, is what makes the rows add up to zero.
        let range = |place: usize| match place {
            0 => (0..others, -1.0),
            _ => (place - 1..place, 1.0),
        };
        let [(rows, sign_of_rows), (columns, sign_of_columns)] = places.map(range);
        let mut sum = [0.0; LANES];
        for row in rows {
            for a in &table[row * others..][columns.clone()] {
                for k in 0..LANES {
                    sum[k] += sign_of_rows * sign_of_columns * a[k];
                }
            }
        }
        sum
    }

    fn linearise(
        &self,
        stencil: usize,
        positions: &[DVec3],
        gradients: &mut [Gradient],
    ) -> [f64; LANES] {
        let stencil = &self.stencils[stencil];
        run(Linearise {
            nodes: &self.nodes[stencil.nodes.clone()],
            coefficients: &self.coefficients[stencil.coefficients.clone()],
            rest: &stencil.rest,
            positions,
            gradients,
        })
    }
}

struct Linearise<'a> {
    nodes: &'a [u32],
    coefficients: &'a [[f64; LANES]],
    rest: &'a [f64; LANES],
    positions: &'a [DVec3],
    gradients: &'a mut [Gradient],
}

impl Kernel for Linearise<'_> {
    type Answer = [f64; LANES];

    #[inline(always)]
    fn run(self, lanes: impl Lanes) -> [f64; LANES] {
        // The usual numbers of neighbours are compiled for themselves, with all places in reach.
        match self.nodes.len() - 1 {
            1 => self.with::<1>(lanes),
            2 => self.with::<2>(lanes),
            3 => self.with::<3>(lanes),
            5 => self.with::<5>(lanes),
            6 => self.with::<6>(lanes),
            7 => self.with::<7>(lanes),
            8 => self.with::<8>(lanes),
            others => self.sum(lanes, others, |linearise, k| linearise.place(k)),
        }
    }
}

impl Linearise<'_> {
    /// Where a node is, seen from the first.
    #[inline(always)]
    fn place(&self, other: usize) -> [f64; 3] {
        let (node, origin) = (self.nodes[other + 1] as usize, self.nodes[0] as usize);
        (self.positions[node] - self.positions[origin]).to_array()
    }

    #[inline(always)]
    fn with<const OTHERS: usize>(self, lanes: impl Lanes) -> [f64; LANES] {
        let mut places = [[0.0; 3]; OTHERS];
        for k in 0..OTHERS {
            places[k] = self.place(k);
        }
        self.sum(lanes, OTHERS, |_, k| places[k])
    }

    #[inline(always)]
    fn sum(
        self,
        lanes: impl Lanes,
        others: usize,
        place: impl Fn(&Self, usize) -> [f64; 3],
    ) -> [f64; LANES] {
        let mut values = [0.0; LANES];
        let mut first = [[0.0; LANES]; 3];
        for (i, line) in self.coefficients.chunks_exact(others).enumerate() {
            let mut sums = [[0.0; LANES]; 3];
            for j in 0..others {
                let (a, place) = (line[j], place(&self, j));
                for axis in 0..3 {
                    for k in 0..LANES {
                        sums[axis][k] = lanes.multiply_add(a[k], place[axis], sums[axis][k]);
                    }
                }
            }
            let here = place(&self, i);
            for axis in 0..3 {
                for k in 0..LANES {
                    first[axis][k] -= sums[axis][k];
                    values[k] = lanes.multiply_add(sums[axis][k], here[axis], values[k]);
                }
            }
            self.gradients[i + 1] = sums;
        }
        self.gradients[0] = first;
        for k in 0..LANES {
            values[k] = 0.5 * values[k] - self.rest[k];
        }
        values
    }
}
