//! Preconditioned conjugate gradients with a filter for constrained nodes.
//!
//! Constrained nodes keep what they were given of their unknown: all of it, or its part along a normal. The
//! filter takes those parts out of the residual and of every search direction, which is the modified
//! method of Baraff and Witkin in the form of Ascher and Boxerman (2003): a plain symmetric system on the
//! directions that are left.

use super::{BlockMatrix, IncompleteCholesky};
use crate::parallel::dot;
use glam::DVec3;

/// Which directions of a node the solve may change.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum Filter {
    /// All.
    #[default]
    Free,
    /// None.
    Held,
    /// All but this unit normal.
    Sliding(DVec3),
}

impl Filter {
    /// The part of a vector that the solve may change.
    pub fn apply(&self, value: DVec3) -> DVec3 {
        match self {
            Filter::Free => value,
            Filter::Held => DVec3::ZERO,
            Filter::Sliding(normal) => value - value.dot(*normal) * *normal,
        }
    }
}

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub struct SolveSettings {
    /// The residual's norm must fall to this.
    pub residual: f64,
    /// Iterations at the most.
    pub iterations: u32,
}

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Iterations made.
    pub iterations: u32,
    /// Norm of the residual in the free directions.
    pub residual: f64,
    /// Whether the residual is as small as was asked.
    pub converged: bool,
}

/// Vectors reused from solve to solve.
#[derive(Clone, Debug)]
pub struct Scratch {
    residual: Vec<DVec3>,
    direction: Vec<DVec3>,
    image: Vec<DVec3>,
    preconditioned: Vec<DVec3>,
}

impl Scratch {
    /// Room for systems of `rows` block rows.
    pub fn new(rows: usize) -> Self {
        let zeros = || vec![DVec3::ZERO; rows];
        Scratch {
            residual: zeros(),
            direction: zeros(),
            image: zeros(),
            preconditioned: zeros(),
        }
    }

    /// The residual of the last solve.
    pub fn residual(&self) -> &[DVec3] {
        &self.residual
    }
}

/// Solves `A x = b` in the free directions. On entry `x` holds the given values in the others and a guess in
/// these. The preconditioner must be factored already.
pub fn solve(
    matrix: &BlockMatrix,
    preconditioner: &mut IncompleteCholesky,
    right_side: &[DVec3],
    filters: &[Filter],
    x: &mut [DVec3],
    scratch: &mut Scratch,
    settings: SolveSettings,
) -> Outcome {
    let Scratch {
        residual: r,
        direction: p,
        image: q,
        preconditioned: z,
    } = scratch;
    matrix.multiply(x, q);
    for i in 0..x.len() {
        r[i] = filters[i].apply(right_side[i] - q[i]);
    }
    let mut norm = dot(r, r).sqrt();
    let mut iterations = 0;
    let mut rz = 0.0;
    while norm > settings.residual && iterations < settings.iterations {
        preconditioner.apply(r, z);
        filter(z, filters);
        let rz_new = dot(r, z);
        let beta = if iterations == 0 { 0.0 } else { rz_new / rz };
        rz = rz_new;
        for (direction, &z) in p.iter_mut().zip(z.iter()) {
            *direction = z + beta * *direction;
        }
        matrix.multiply(p, q);
        filter(q, filters);
        let alpha = rz / dot(p, q);
        if !alpha.is_finite() {
            break;
        }
        for i in 0..x.len() {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        norm = dot(r, r).sqrt();
        iterations += 1;
    }
    Outcome {
        iterations,
        residual: norm,
        converged: norm <= settings.residual,
    }
}

fn filter(values: &mut [DVec3], filters: &[Filter]) {
    for (value, filter) in values.iter_mut().zip(filters) {
        *value = filter.apply(*value);
    }
}

#[cfg(test)]
mod tests {
    use super::super::BlockPattern;
    use super::*;
    use glam::DMat3;
    use std::sync::Arc;

    /// A grid of nodes joined by springs of random direction: `A = M + Σ k d dᵀ`.
    fn grid(side: u32) -> BlockMatrix {
        let at = |x: u32, y: u32| y * side + x;
        let mut pairs = Vec::new();
        for (x, y) in (0..side).flat_map(|x| (0..side).map(move |y| (x, y))) {
            if x + 1 < side {
                pairs.push([at(x, y), at(x + 1, y)]);
            }
            if y + 1 < side {
                pairs.push([at(x, y), at(x, y + 1)]);
            }
        }
        let pattern = Arc::new(BlockPattern::new(
            (side * side) as usize,
            pairs.iter().copied(),
        ));
        let mut matrix = BlockMatrix::new(pattern.clone());
        matrix.diagonal.fill(DMat3::IDENTITY * 0.1);
        for (k, &[a, b]) in pairs.iter().enumerate() {
            let d = DVec3::new((k as f64).sin(), (k as f64).cos(), 0.3).normalize();
            let block = DMat3::from_cols(d * d.x, d * d.y, d * d.z) * 50.0 + DMat3::IDENTITY;
            matrix.diagonal[a as usize] += block;
            matrix.diagonal[b as usize] += block;
            matrix.lower[pattern.find([a, b]).unwrap()] -= block;
        }
        matrix
    }

    #[test]
    fn a_sliding_node_keeps_its_normal_part_and_is_solved_along_the_rest() {
        let side = 6;
        let matrix = grid(side);
        let n = (side * side) as usize;
        let normal = DVec3::new(1.0, 2.0, -1.0).normalize();
        let mut filters = vec![Filter::Free; n];
        filters[7] = Filter::Sliding(normal);
        let mut x = vec![DVec3::ZERO; n];
        x[7] = 0.3 * normal;
        let b = vec![DVec3::new(1.0, -1.0, 0.5); n];
        let mut preconditioner = IncompleteCholesky::new(matrix.pattern.clone());
        assert!(preconditioner.factor(&matrix, &filters));
        let settings = SolveSettings {
            residual: 1e-10,
            iterations: 500,
        };
        let mut scratch = Scratch::new(n);
        solve(
            &matrix,
            &mut preconditioner,
            &b,
            &filters,
            &mut x,
            &mut scratch,
            settings,
        );
        assert!((x[7].dot(normal) - 0.3).abs() < 1e-12);
        let mut image = vec![DVec3::ZERO; n];
        matrix.multiply(&x, &mut image);
        let reaction = image[7] - b[7];
        assert!(reaction.reject_from(normal).length() < 1e-9);
        assert!(reaction.length() > 1e-3, "the constraint does some work");
    }

    #[test]
    fn the_solution_satisfies_the_free_rows_and_keeps_the_held_ones() {
        let side = 12;
        let matrix = grid(side);
        let n = (side * side) as usize;
        let mut filters = vec![Filter::Free; n];
        let mut x = vec![DVec3::ZERO; n];
        for k in [0, side as usize - 1] {
            filters[k] = Filter::Held;
            x[k] = DVec3::new(0.5, -0.25, 1.0);
        }
        let b: Vec<DVec3> = (0..n)
            .map(|i| DVec3::new(1.0, i as f64 * 0.01, -1.0))
            .collect();
        let mut preconditioner = IncompleteCholesky::new(matrix.pattern.clone());
        assert!(preconditioner.factor(&matrix, &filters));
        let mut scratch = Scratch::new(n);
        let settings = SolveSettings {
            residual: 1e-9,
            iterations: 500,
        };
        let outcome = solve(
            &matrix,
            &mut preconditioner,
            &b,
            &filters,
            &mut x,
            &mut scratch,
            settings,
        );
        assert!(outcome.converged, "{outcome:?}");
        let mut image = vec![DVec3::ZERO; n];
        matrix.multiply(&x, &mut image);
        for i in 0..n {
            if filters[i] == Filter::Held {
                assert_eq!(x[i], DVec3::new(0.5, -0.25, 1.0));
            } else {
                assert!(image[i].distance(b[i]) < 1e-8);
            }
        }
    }
}
