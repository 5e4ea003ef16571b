//! Preconditioned and deflated conjugate gradients in single precision.
//!
//! The unknown is `p` of the swept system: `x` changes by `C⁻ᵀ t` with `t = (I+Lᵀ)⁻¹ p` (see [`Sweeps`]), and
//! the [coarse space](super::coarse) takes its share out of every product. An iteration is two sweeps, two
//! passes over `AZ`, and one over the vectors.

use super::lanes::{Kernel, Lanes, run};
use super::sums::DotSum;
use super::{Filter, Sweeps};
use glam::{DVec3, Vec3A};

/// The vectors of the iteration.
#[derive(Clone, Debug)]
pub(super) struct Gradients {
    residual: Vec<Vec3A>,
    direction: Vec<Vec3A>,
    swept: Vec<Vec3A>,
    image: Vec<Vec3A>,
    solution: Vec<Vec3A>,
    /// One vector per patch.
    coefficients: Vec<Vec3A>,
    work: Vec<f64>,
}

/// What is asked of an iteration.
#[derive(Clone, Copy)]
pub(super) struct Reduction {
    /// Norm of the residual, which may be scaled to 1 to stay in range.
    pub unit: f64,
    /// By how much the residual is to fall.
    pub reduction: f64,
    /// Iterations at the most.
    pub limit: u32,
}

impl Gradients {
    /// Scratch memory for systems of the sweeps' pattern.
    pub(super) fn new(sweeps: &Sweeps) -> Self {
        let patches = sweeps.coarse.count();
        let zeros = || sweeps.zeros();
        Gradients {
            residual: zeros(),
            direction: zeros(),
            swept: zeros(),
            image: zeros(),
            solution: zeros(),
            coefficients: vec![Vec3A::ZERO; patches],
            work: vec![0.0; 3 * patches],
        }
    }

    /// Conjugate gradients on the swept system until its residual has fallen as wanted; adds the solution to
    /// `x` and answers the iterations made.
    pub(super) fn correct(
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
        let Gradients {
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
        let rounding = RESIDUAL_ROUNDING * dot_single(r, r);
        coarse.subtract_image(c, r);
        sweeps.forward(r);
        y.fill(Vec3A::ZERO);
        p.fill(Vec3A::ZERO);
        let mut beta = 0.0;
        let mut rr = dot_single(r, r);
        let target = (rr * reduction * reduction).max(rounding);
        let mut iterations = 0;
        while rr > target && iterations < limit {
            sweeps.backward(r, beta, p, t);
            z.fill(Vec3A::ZERO);
            coarse.coefficients(t, c, work);
            coarse.subtract_image(c, z);
            let curvature = sweeps.forward_product(p, t, z);
            let alpha = (rr / curvature) as f32;
            if !alpha.is_finite() {
                break;
            }
            let rr_new = run(Advance { alpha, t, z, y, r });
            beta = (rr_new / rr) as f32;
            rr = rr_new;
            iterations += 1;
        }
        coarse.coefficients(y, c, work);
        for (row, value) in sweeps.solution(y) {
            // Rounding must not leak into the constrained directions.
            let patch = coarse.patch(row);
            x[row] += filters[row].apply(unit * (value - c[patch].as_dvec3()));
        }
        iterations
    }
}

/// `y += α t`, `r −= α (z + t)`; answers `r·r`.
struct Advance<'a> {
    alpha: f32,
    t: &'a [Vec3A],
    z: &'a [Vec3A],
    y: &'a mut [Vec3A],
    r: &'a mut [Vec3A],
}

impl Kernel for Advance<'_> {
    type Answer = f64;
    #[inline(always)]
    fn run(self, lanes: impl Lanes) -> f64 {
        let alpha = Vec3A::splat(self.alpha);
        let mut sum = DotSum::default();
        let changes = self.t.iter().zip(self.z);
        for ((&t, &z), (y, r)) in changes.zip(self.y.iter_mut().zip(self.r)) {
            *y = lanes.add_product(*y, alpha, t);
            *r = lanes.subtract_product(*r, alpha, z + t);
            sum.add(*r, *r);
        }
        sum.total()
    }
}

/// Where the coarse space takes nearly all of a residual, what is left is rounding, and no iteration lessens
/// that. Squares are compared: (6·10⁻⁸)² = 4·10⁻¹⁵ for single precision, times 25 for the sums.
const RESIDUAL_ROUNDING: f64 = 1e-13;

/// A sum over single-precision vectors, added up in double precision.
fn dot_single(a: &[Vec3A], b: &[Vec3A]) -> f64 {
    a.iter().zip(b).map(|(p, q)| f64::from(p.dot(*q))).sum()
}
