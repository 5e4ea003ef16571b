//! One interface to the ways of solving `A x = b` with constrained nodes.
//!
//! Whatever the way, the residual is judged in double precision, in the free directions; the methods reduce
//! it, and are asked again until it is small enough.

use super::conjugate_gradient::{Gradients, Reduction};
use super::coupled::{Coupled, Coupling, multiply};
use super::direct::Direct;
use super::jacobi::BlockJacobi;
use super::{BlockMatrix, BlockPattern, Filter, PreconditionScratch, Sweeps};
use crate::parallel::dot;
use glam::DVec3;
use std::sync::Arc;

/// How linear systems are solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LinearSolver {
    /// Incomplete Cholesky. On hanging sheets of 9×9 to 25×25 nodes at 10³ and 10⁵ N/m the direct factor took
    /// 1.2 to 9 times as long a step; it came nearest on the stiffest. Where the matrix never changes, an
    /// implicit step takes the direct factor instead, which is then made once; where all energies are linear
    /// and cloths meet, block Jacobi.
    #[default]
    Auto,
    /// Conjugate gradients in single precision, preconditioned by incomplete Cholesky sweeps and a coarse
    /// space.
    IncompleteCholesky,
    /// Conjugate gradients in double precision, preconditioned by the diagonal blocks.
    BlockJacobi,
    /// Sparse Cholesky factorisation; iterative where the build leaves it out or memory does not suffice.
    Direct,
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
    /// Iterations made; a direct solve counts as one.
    pub iterations: u32,
    /// Norm of the residual in the free directions.
    pub residual: f64,
    /// Whether the residual is as small as was asked.
    pub converged: bool,
}

/// A way of solving with the memory it needs, reused from solve to solve.
#[derive(Debug)]
pub struct SystemSolver {
    method: Method,
    residual: Vec<DVec3>,
    image: Vec<DVec3>,
    /// For couplings beyond the pattern, and for block Jacobi; made when first needed.
    coupled: Option<Box<(Coupled, Option<PreconditionScratch>)>>,
}

#[derive(Debug)]
enum Method {
    Swept(Box<(Sweeps, Gradients)>),
    BlockJacobi(BlockJacobi),
    Direct(Box<Direct>),
}

/// What a solve in single precision is asked to reduce a residual by before it starts again from the true
/// one: rounding, 6·10⁻⁸, with a thousandfold margin for ill-conditioned systems.
const SINGLE_PRECISION: f64 = 1e-4;
/// The same for double precision.
const DOUBLE_PRECISION: f64 = 1e-11;

impl SystemSolver {
    /// Sets memory aside for matrices of a pattern.
    pub fn new(pattern: &Arc<BlockPattern>, solver: LinearSolver) -> Self {
        let rows = pattern.rows();
        let direct = solver == LinearSolver::Direct;
        // A pattern too large for a direct factor is solved iteratively instead.
        let factor = if direct { Direct::new(pattern) } else { None };
        let method = match (solver, factor) {
            (_, Some(factor)) => Method::Direct(Box::new(factor)),
            (LinearSolver::BlockJacobi, _) => Method::BlockJacobi(BlockJacobi::new(rows)),
            _ => {
                let sweeps = Sweeps::new(pattern.clone());
                let gradients = Gradients::new(&sweeps);
                Method::Swept(Box::new((sweeps, gradients)))
            }
        };
        SystemSolver {
            method,
            residual: vec![DVec3::ZERO; rows],
            image: vec![DVec3::ZERO; rows],
            coupled: None,
        }
    }

    /// A solver for a pattern that joins more of the same nodes. What depends on the nodes alone is kept.
    pub(crate) fn joined(&self, pattern: &Arc<BlockPattern>, solver: LinearSolver) -> Self {
        let Method::Swept(swept) = &self.method else {
            return SystemSolver::new(pattern, solver);
        };
        let sweeps = swept.0.joined(pattern.clone());
        let gradients = Gradients::new(&sweeps);
        SystemSolver {
            method: Method::Swept(Box::new((sweeps, gradients))),
            residual: vec![DVec3::ZERO; pattern.rows()],
            image: vec![DVec3::ZERO; pattern.rows()],
            coupled: None,
        }
    }

    /// Prepares for a matrix, restricted to the directions that the filters leave free. `false` if that is
    /// not possible, which means that the matrix has entries that are not finite or is not definite at all.
    #[must_use]
    pub fn factor(&mut self, matrix: &BlockMatrix, filters: &[Filter]) -> bool {
        match &mut self.method {
            Method::Swept(swept) => swept.0.factor(matrix, filters),
            Method::BlockJacobi(jacobi) => jacobi.factor(matrix, filters),
            Method::Direct(direct) => direct.factor(matrix, filters),
        }
    }

    /// Solves `A x = b` in the free directions. On entry `x` holds the given values in the others and a guess
    /// in these. The matrix and the filters must be those of the last [`factor`](Self::factor).
    pub fn solve(
        &mut self,
        matrix: &BlockMatrix,
        right_side: &[DVec3],
        filters: &[Filter],
        x: &mut [DVec3],
        settings: SolveSettings,
    ) -> Outcome {
        self.solve_coupled((matrix, &[]), right_side, filters, x, settings)
    }

    /// The same with couplings whose diagonal parts have been added to the matrix.
    pub(crate) fn solve_coupled(
        &mut self,
        system: (&BlockMatrix, &[Coupling]),
        right_side: &[DVec3],
        filters: &[Filter],
        x: &mut [DVec3],
        settings: SolveSettings,
    ) -> Outcome {
        let mut iterations = 0;
        let mut previous = f64::INFINITY;
        loop {
            let norm = self.update_residual(system, right_side, filters, x);
            let converged = norm <= settings.residual;
            // A round that does not help, for example at the limit of precision, would not help again.
            let stuck = norm.is_nan() || norm >= previous;
            if converged || stuck || iterations >= settings.iterations {
                return Outcome {
                    iterations,
                    residual: norm,
                    converged,
                };
            }
            previous = norm;
            let wanted = Reduction {
                unit: norm,
                reduction: settings.residual / norm,
                limit: settings.iterations - iterations,
            };
            iterations += self.correct(system, filters, wanted, x);
        }
    }

    /// Reduces the residual as wanted; answers the iterations made.
    fn correct(
        &mut self,
        system: (&BlockMatrix, &[Coupling]),
        filters: &[Filter],
        wanted: Reduction,
        x: &mut [DVec3],
    ) -> u32 {
        let at_best = |reduction: f64| Reduction {
            reduction: wanted.reduction.max(reduction),
            ..wanted
        };
        let r = &mut self.residual;
        let is_coupled = !system.1.is_empty();
        match &mut self.method {
            Method::Swept(swept) if !is_coupled => {
                let (sweeps, gradients) = &mut **swept;
                return gradients.correct(sweeps, r, filters, at_best(SINGLE_PRECISION), x);
            }
            Method::Direct(direct) if !is_coupled => {
                direct.correct(r, filters, x);
                return 1;
            }
            _ => {}
        }
        let (coupled, scratch) = &mut **self
            .coupled
            .get_or_insert_with(|| Box::new((Coupled::new(x.len()), None)));
        let wanted = at_best(DOUBLE_PRECISION);
        let precondition = |r: &[DVec3], z: &mut [DVec3]| match &mut self.method {
            Method::Swept(swept) => {
                let work = scratch.get_or_insert_with(|| PreconditionScratch::new(&swept.0));
                swept.0.precondition(r, work, z);
            }
            Method::BlockJacobi(jacobi) => jacobi.precondition(r, z),
            Method::Direct(direct) => direct.precondition(r, z),
        };
        coupled.correct(system, r, filters, wanted, x, precondition)
    }

    /// `r = b − A x` in the free directions; answers its norm.
    fn update_residual(
        &mut self,
        (matrix, couplings): (&BlockMatrix, &[Coupling]),
        right_side: &[DVec3],
        filters: &[Filter],
        x: &[DVec3],
    ) -> f64 {
        multiply(matrix, couplings, x, &mut self.image);
        let rows = self.residual.iter_mut().zip(&self.image);
        for (((r, image), b), filter) in rows.zip(right_side).zip(filters) {
            *r = filter.apply(*b - *image);
        }
        dot(&self.residual, &self.residual).sqrt()
    }

    /// `A x` of the last solve.
    pub fn image(&self) -> &[DVec3] {
        &self.image
    }
}
