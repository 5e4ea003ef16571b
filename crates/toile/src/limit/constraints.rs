//! What a set of equations answers: values and gradients, with a sparsity that never changes.
//!
//! Equations come in *stencils*: up to four that depend on the same few nodes and are worked out together,
//! one in each lane. The metric of a node is one stencil of three equations over the nodes around it.

use glam::DVec3;

/// Equations a stencil can have.
pub const LANES: usize = 4;

/// The gradients of a stencil's equations by the position of one node (1/m): `gradient[axis][equation]`.
pub type Gradient = [[f64; LANES]; 3];

/// Second derivatives of equations: `∂²C/∂x_i∂x_j = form · A_ij I + outer · ∇_iC ∇_jCᵀ`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// What the constant second derivatives count for.
    pub form: [f64; LANES],
    /// What the products of gradients count for.
    pub outer: [f64; LANES],
}

impl Shape {
    /// Of a quadratic form itself.
    pub const FORM: Shape = Shape {
        form: [1.0; LANES],
        outer: [0.0; LANES],
    };
}

/// Equations `C(x) = 0`, dimensionless so that the size of a value is the relative violation.
pub trait Constraints: Sync {
    /// How many stencils there are.
    fn stencils(&self) -> usize;

    /// How many equations a stencil has: 1 to [`LANES`].
    fn rows(&self, stencil: usize) -> usize;

    /// The nodes of a stencil, all different, numbered over the whole world.
    fn nodes(&self, stencil: usize) -> &[u32];

    /// Works out a stencil's equations: gradients by each of its nodes, and the values as answer. Lanes
    /// beyond the stencil's equations are zero.
    fn linearise(
        &self,
        stencil: usize,
        positions: &[DVec3],
        gradients: &mut [Gradient],
    ) -> [f64; LANES];

    /// `A_ij` of two of a stencil's nodes for each equation: the second derivatives of the quadratic form
    /// behind it, which are the same along all axes and never change (1/m²). See [`Shape`].
    fn second_derivative(&self, stencil: usize, places: [usize; 2]) -> [f64; LANES];

    /// How the second derivatives of a stencil's equations follow from `A_ij` and the gradients where the
    /// equations have some values.
    fn shape(&self, stencil: usize, values: &[f64; LANES]) -> Shape {
        let _ = (stencil, values);
        Shape::FORM
    }

    /// The nearest multipliers whose second derivatives, added up, are not negative in any direction: what
    /// pulls stays, what pushes goes.
    fn pull(&self, stencil: usize, multipliers: &[f64; LANES]) -> [f64; LANES] {
        let _ = stencil;
        multipliers.map(|t| t.max(0.0))
    }

    /// Whether a stencil's equations are inequalities, `C ≤ 0`.
    fn is_one_sided(&self, stencil: usize) -> bool {
        let _ = stencil;
        false
    }

    /// How many equations there are in all.
    fn count(&self) -> usize {
        (0..self.stencils()).map(|s| self.rows(s)).sum()
    }

    /// The first node of all stencils and one past the last.
    fn node_range(&self) -> std::ops::Range<usize> {
        let nodes = || (0..self.stencils()).flat_map(|s| self.nodes(s));
        let first = nodes().min().map_or(0, |&n| n as usize);
        let end = nodes().max().map_or(0, |&n| n as usize + 1);
        first..end
    }
}

/// The worst violation of all equations at some positions.
pub(super) fn worst_violation(constraints: &dyn Constraints, positions: &[DVec3]) -> f64 {
    let widest = (0..constraints.stencils()).map(|s| constraints.nodes(s).len());
    let mut gradients = vec![[[0.0; LANES]; 3]; widest.max().unwrap_or(0)];
    let violations = (0..constraints.stencils()).map(|stencil| {
        let count = constraints.nodes(stencil).len();
        let values = constraints.linearise(stencil, positions, &mut gradients[..count]);
        let rows = values[..constraints.rows(stencil)].iter();
        match constraints.is_one_sided(stencil) {
            true => rows.copied().fold(0.0, f64::max),
            false => rows.map(|v| v.abs()).fold(0.0, f64::max),
        }
    });
    violations.fold(0.0, f64::max)
}

/// Values and Jacobian of all equations at some positions: for each equation its value and its gradient (1/m) by each
/// of its nodes. For experiments and tests; solvers use [`Constraints::linearise`].
pub fn jacobian(
    constraints: &dyn Constraints,
    positions: &[DVec3],
) -> Vec<(f64, Vec<(u32, DVec3)>)> {
    let mut rows = Vec::with_capacity(constraints.count());
    for stencil in 0..constraints.stencils() {
        let nodes = constraints.nodes(stencil);
        let mut gradients = vec![[[0.0; LANES]; 3]; nodes.len()];
        let values = constraints.linearise(stencil, positions, &mut gradients);
        for row in 0..constraints.rows(stencil) {
            let by_node = nodes.iter().zip(&gradients);
            let entries =
                by_node.map(|(&node, g)| (node, DVec3::new(g[0][row], g[1][row], g[2][row])));
            rows.push((values[row], entries.collect()));
        }
    }
    rows
}
