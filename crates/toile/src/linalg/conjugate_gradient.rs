//! Preconditioned conjugate gradients with a filter for constrained nodes, in mixed precision.
//!
//! Constrained nodes keep what they were given of their unknown: all of it, or its part along a normal. The
//! filter takes those parts out of the residual and of every search direction, which is the modified
//! method of Baraff and Witkin in the form of Ascher and Boxerman (2003): a plain symmetric system on the
//! directions that are left.

use super::{BlockMatrix, Sweeps};
use crate::parallel::dot;
use glam::{DVec3, Vec3A};

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
    image: Vec<DVec3>,
    inner: Inner,
}

#[derive(Clone, Debug)]
struct Inner {
    residual: Vec<Vec3A>,
    direction: Vec<Vec3A>,
    swept: Vec<Vec3A>,
    image: Vec<Vec3A>,
    solution: Vec<Vec3A>,
    coefficients: Vec<Vec3A>,
    work: Vec<f64>,
}

impl Scratch {
    /// Room for systems of the sweeps' pattern.
    pub fn new(sweeps: &Sweeps) -> Self {
        let (rows, patches) = (sweeps.rows(), sweeps.coarse.count());
        let zeros = || vec![Vec3A::ZERO; rows];
        Scratch {
            residual: vec![DVec3::ZERO; rows],
            image: vec![DVec3::ZERO; rows],
            inner: Inner {
                residual: zeros(),
                direction: zeros(),
                swept: zeros(),
                image: zeros(),
                solution: zeros(),
                coefficients: vec![Vec3A::ZERO; patches],
                work: vec![0.0; 3 * patches],
            },
        }
    }

    /// The residual of the last solve, in its free directions.
    pub fn residual(&self) -> &[DVec3] {
        &self.residual
    }

    /// `A x` of the last solve.
    pub fn image(&self) -> &[DVec3] {
        &self.image
    }
}

/// Solves `A x = b` in the free directions. On entry `x` holds the given values in the others and a guess in
/// these. The sweeps must have been factored from `A` with the same filters.
///
/// The residual is judged in double precision; in between, single-precision iterations reduce it, by a few
/// orders of magnitude at a time.
pub fn solve(
    matrix: &BlockMatrix,
    sweeps: &Sweeps,
    right_side: &[DVec3],
    filters: &[Filter],
    x: &mut [DVec3],
    scratch: &mut Scratch,
    settings: SolveSettings,
) -> Outcome {
    let mut iterations = 0;
    loop {
        let norm = update_residual(matrix, right_side, filters, x, scratch);
        let converged = norm <= settings.residual;
        if converged || !norm.is_finite() || iterations >= settings.iterations {
            return Outcome {
                iterations,
                residual: norm,
                converged,
            };
        }
        let reduction = (SAFETY * settings.residual / norm).max(SINGLE_PRECISION);
        let left = settings.iterations - iterations;
        let Scratch {
            residual, inner, ..
        } = scratch;
        let wanted = Reduction {
            unit: norm,
            reduction,
            limit: left,
        };
        let made = inner.correct(sweeps, residual, filters, wanted, x);
        if made == 0 {
            // Nothing left that single precision can see: more rounds would be the same.
            iterations = settings.iterations;
        }
        iterations += made;
    }
}

/// What single precision can reduce a residual by before its own rounding shows.
const SINGLE_PRECISION: f64 = 1e-4;
/// The inner iterations measure the residual in another norm; a little more than needed saves a round.
const SAFETY: f64 = 0.7;

/// `r = b − A x` in the free directions; answers its norm.
fn update_residual(
    matrix: &BlockMatrix,
    right_side: &[DVec3],
    filters: &[Filter],
    x: &[DVec3],
    scratch: &mut Scratch,
) -> f64 {
    matrix.multiply(x, &mut scratch.image);
    let rows = scratch.residual.iter_mut().zip(&scratch.image);
    for (((r, image), b), filter) in rows.zip(right_side).zip(filters) {
        *r = filter.apply(*b - *image);
    }
    dot(&scratch.residual, &scratch.residual).sqrt()
}

/// What is asked of the inner iterations.
#[derive(Clone, Copy)]
struct Reduction {
    /// Norm of the residual, which is scaled to 1 to stay in range.
    unit: f64,
    /// By how much the residual is to fall.
    reduction: f64,
    /// Iterations at the most.
    limit: u32,
}

impl Inner {
    /// Conjugate gradients on the swept system until its residual has fallen as wanted; adds the solution to
    /// `x` and answers the iterations made.
    fn correct(
        &mut self,
        sweeps: &Sweeps,
        residual: &[DVec3],
        filters: &[Filter],
        wanted: Reduction,
        x: &mut [DVec3],
    ) -> u32 {
        let Reduction {
            unit,
            reduction,
            limit,
        } = wanted;
        let Inner {
            residual: r,
            direction: p,
            swept: t,
            image: z,
            solution: y,
            coefficients: c,
            work,
        } = self;
        let coarse = &sweeps.coarse;
        coarse.correction(residual, unit, work);
        for (c, w) in c.iter_mut().zip(work.chunks_exact(3)) {
            *c = DVec3::from_slice(w).as_vec3a();
        }
        for (row, x) in x.iter_mut().enumerate() {
            let at = 3 * coarse.patch(row);
            *x += filters[row].apply(unit * DVec3::from_slice(&work[at..]));
        }
        sweeps.scale(residual, unit, r);
        coarse.subtract_image(c, r);
        sweeps.forward(r);
        y.fill(Vec3A::ZERO);
        p.copy_from_slice(r);
        let mut rr = dot_single(r, r);
        let target = rr * reduction * reduction;
        let mut iterations = 0;
        while rr > target && iterations < limit {
            sweeps.backward(p, t);
            z.fill(Vec3A::ZERO);
            coarse.coefficients(t, c, work);
            coarse.subtract_image(c, z);
            let curvature = sweeps.forward_product(p, t, z);
            let alpha = (rr / curvature) as f32;
            if !alpha.is_finite() {
                break;
            }
            let mut rr_new = 0.0;
            for i in 0..r.len() {
                y[i] += alpha * t[i];
                r[i] -= alpha * (z[i] + t[i]);
                rr_new += f64::from(r[i].dot(r[i]));
            }
            let beta = (rr_new / rr) as f32;
            rr = rr_new;
            for (p, &r) in p.iter_mut().zip(&*r) {
                *p = r + beta * *p;
            }
            iterations += 1;
        }
        coarse.coefficients(y, c, work);
        for (row, (x, &y)) in x.iter_mut().zip(&*y).enumerate() {
            // Rounding must not leak into the constrained directions.
            let patch = coarse.patch(row);
            *x += filters[row].apply(unit * (sweeps.leave(row, y) - c[patch].as_dvec3()));
        }
        iterations
    }
}

/// A sum over single-precision vectors, added up in double precision.
fn dot_single(a: &[Vec3A], b: &[Vec3A]) -> f64 {
    a.iter().zip(b).map(|(p, q)| f64::from(p.dot(*q))).sum()
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
        let mut sweeps = Sweeps::new(matrix.pattern.clone());
        assert!(sweeps.factor(&matrix, &filters));
        let settings = SolveSettings {
            residual: 1e-10,
            iterations: 500,
        };
        let mut scratch = Scratch::new(&sweeps);
        solve(
            &matrix,
            &sweeps,
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
        let mut sweeps = Sweeps::new(matrix.pattern.clone());
        assert!(sweeps.factor(&matrix, &filters));
        let mut scratch = Scratch::new(&sweeps);
        let settings = SolveSettings {
            residual: 1e-9,
            iterations: 500,
        };
        let outcome = solve(
            &matrix,
            &sweeps,
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
