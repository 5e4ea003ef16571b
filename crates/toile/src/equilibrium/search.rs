//! Where to go from an iterate, and how far.
//!
//! The direction `p` solves `(H + μM) p = −∇E` roughly, by conjugate gradients on the true second derivative `H`
//! with the projected matrix as preconditioner (truncated Newton: Dembo and Steihaug 1983). A direction of negative
//! curvature ends the solve: what is found until then goes downhill, and so does that direction, which is how the
//! search leaves the neighbourhood of a flat, unstable equilibrium.

use super::potential::{Parts, Potential};
use crate::linalg::{BlockMatrix, Preconditioner};
use crate::parallel::{self, dot};
use glam::{DMat3, DVec3};

/// Directions with less than this share of the projected curvature count as straight or bent downwards: the
/// same uncertainty as that of differences of forces, `NOISE`.
const LEAST_CURVATURE: f64 = 1e-6;
/// Differences of forces are this uncertain, relative to what every node alone would resist with: rounding
/// over `DIFFERENCE` is 10⁻⁹, and the rest is margin for large forces that cancel.
const NOISE: f64 = 1e-6;
/// What is added to every diagonal block, relative to itself, where some direction has no stiffness at all.
const LIFTS: [f64; 3] = [0.0, 1e-4, 1e-2];
/// Sufficient decrease (Armijo).
const DECREASE: f64 = 1e-4;
/// How often a step may be shortened in the line search before the shift grows instead.
const SHORTENINGS: usize = 12;
/// Differences of energy below this share of it are rounding of the sum over all elements.
const ENERGY_ROUNDING: f64 = 1e-14;

/// Worlds of up to so many nodes are factored. Nothing else is quick where stretch is millions of times as stiff as bending: a
/// strip of silk over an edge took 44 s with sweeps, and takes 1.3. Beyond it the factor's memory grows faster than the world.
const FACTORED: usize = 20_000;

/// Vectors of the search.
pub(super) struct Search {
    matrix: BlockMatrix,
    preconditioner: Preconditioner,
    diagonal: Vec<DMat3>,
    /// The iterate (m).
    pub x: Vec<DVec3>,
    /// `−∇E` there (N).
    pub force: Vec<DVec3>,
    elastic: Vec<DVec3>,
    /// The direction found (m).
    pub direction: Vec<DVec3>,
    trial: Vec<DVec3>,
    trial_force: Vec<DVec3>,
    residual: Vec<DVec3>,
    preconditioned: Vec<DVec3>,
    conjugate: Vec<DVec3>,
    image: Vec<DVec3>,
    moved: Vec<DVec3>,
}

/// The matrix of a solve.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operator {
    /// The projected one, with the shift that it was assembled with: never negative.
    Projected,
    /// `H + μM` with the true second derivative.
    True {
        /// `μ` (1/s²).
        shift: f64,
    },
}

/// How a solve for a direction ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Solved {
    pub iterations: u32,
    /// `p·(H + μM)p` (J).
    pub bend: f64,
    /// Whether a direction of negative curvature was met.
    pub negative: bool,
}

/// What came of a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct SearchStep {
    pub parts: Parts,
    /// The share of the direction that was gone.
    pub share: f64,
}

impl Search {
    pub fn new(potential: &Potential, x: Vec<DVec3>) -> Self {
        let rows = x.len();
        let zeros = || vec![DVec3::ZERO; rows];
        let mut search = Search {
            matrix: BlockMatrix::new(potential.model.pattern.clone()),
            preconditioner: Preconditioner::new(&potential.model.pattern, FACTORED),
            diagonal: vec![DMat3::ZERO; rows],
            x,
            force: zeros(),
            elastic: zeros(),
            direction: zeros(),
            trial: zeros(),
            trial_force: zeros(),
            residual: zeros(),
            preconditioned: zeros(),
            conjugate: zeros(),
            image: zeros(),
            moved: zeros(),
        };
        search.look(potential);
        search
    }

    /// Forces at the iterate.
    pub fn look(&mut self, potential: &Potential) {
        potential.forces(&self.x, &mut self.elastic, &mut self.force);
    }

    /// Norm of the force on free nodes (N).
    pub fn force_norm(&self) -> f64 {
        dot(&self.force, &self.force).sqrt()
    }

    /// The preconditioner at the iterate; `false` if something is not finite.
    pub fn factor(&mut self, potential: &Potential, shift: f64) -> bool {
        potential.assemble(&self.x, shift, &mut self.matrix, &mut self.image);
        let Search {
            matrix,
            preconditioner,
            diagonal,
            ..
        } = self;
        diagonal.copy_from_slice(&matrix.diagonal);
        // Only the preconditioner needs the lift; the matrix is as it was afterwards.
        let factored = LIFTS.into_iter().any(|lift| {
            for (lifted, block) in matrix.diagonal.iter_mut().zip(&*diagonal) {
                let size = block.x_axis.x + block.y_axis.y + block.z_axis.z;
                *lifted = *block + DMat3::from_diagonal(DVec3::splat(lift * size));
            }
            preconditioner.factor(matrix, &potential.filters)
        });
        matrix.diagonal.copy_from_slice(diagonal);
        factored
    }

    /// `Σ d·D d` with the blocks `D` of the matrix's diagonal (J).
    fn diagonal_product(&self, d: &[DVec3]) -> f64 {
        parallel::sum(d.len(), |i| d[i].dot(self.matrix.diagonal[i] * d[i]))
    }

    fn precondition(&mut self, potential: &Potential) {
        let out = &mut self.preconditioned;
        self.preconditioner.apply(&self.residual, out);
        for (value, filter) in out.iter_mut().zip(&potential.filters) {
            *value = filter.apply(*value);
        }
    }

    /// `image = A conjugate`; answers `conjugate·A conjugate` and what the projected matrix has for it (J).
    fn apply(&mut self, potential: &Potential, operator: Operator) -> [f64; 2] {
        let Search {
            matrix,
            x,
            elastic,
            conjugate,
            moved,
            image,
            ..
        } = self;
        let Operator::True { shift } = operator else {
            matrix.multiply(conjugate, image);
            for (value, filter) in image.iter_mut().zip(&potential.filters) {
                *value = filter.apply(*value);
            }
            return [dot(conjugate, image); 2];
        };
        potential.curvature(x, elastic, conjugate, moved, image);
        let masses = &potential.model.masses;
        let d = &*conjugate;
        parallel::for_each(image, |i, value| *value += shift * masses[i] * d[i]);
        matrix.multiply(conjugate, moved);
        [dot(conjugate, image), dot(conjugate, moved)]
    }

    /// Fills `direction` with a step for the force as it is.
    pub fn solve(
        &mut self,
        potential: &Potential,
        operator: Operator,
        forcing: f64,
        limit: u32,
    ) -> Solved {
        self.residual.copy_from_slice(&self.force);
        let target = forcing * self.force_norm();
        self.iterate(potential, operator, target, limit)
    }

    /// Looks for negative curvature at the iterate, starting from any vector of forces; if it is found, the
    /// direction has it.
    pub fn probe(&mut self, potential: &Potential, start: &[DVec3], limit: u32) -> bool {
        for (i, value) in self.residual.iter_mut().enumerate() {
            *value = potential.filters[i].apply(start[i]);
        }
        let solved = self.iterate(potential, Operator::True { shift: 0.0 }, 0.0, limit);
        if solved.negative {
            self.direction.copy_from_slice(&self.conjugate);
        }
        solved.negative
    }

    fn iterate(
        &mut self,
        potential: &Potential,
        operator: Operator,
        target: f64,
        limit: u32,
    ) -> Solved {
        self.direction.fill(DVec3::ZERO);
        self.precondition(potential);
        self.conjugate.copy_from_slice(&self.preconditioned);
        let mut product = dot(&self.residual, &self.preconditioned);
        let mut solved = Solved {
            iterations: 0,
            bend: 0.0,
            negative: false,
        };
        while solved.iterations < limit && product > 0.0 {
            // The projected curvature of the direction is the yardstick.
            let [curvature, projected] = self.apply(potential, operator);
            solved.iterations += 1;
            if curvature <= LEAST_CURVATURE * projected {
                let noise = NOISE * self.diagonal_product(&self.conjugate);
                solved.negative = curvature < -LEAST_CURVATURE * projected - noise;
                if solved.iterations == 1 {
                    self.direction.copy_from_slice(&self.conjugate);
                    solved.bend = projected;
                }
                break;
            }
            let length = product / curvature;
            solved.bend += length * length * curvature;
            for i in 0..self.x.len() {
                self.direction[i] += length * self.conjugate[i];
                self.residual[i] -= length * self.image[i];
            }
            if dot(&self.residual, &self.residual).sqrt() <= target {
                break;
            }
            self.precondition(potential);
            let next = dot(&self.residual, &self.preconditioned);
            let ratio = next / product;
            product = next;
            for (p, z) in self.conjugate.iter_mut().zip(&self.preconditioned) {
                *p = *z + ratio * *p;
            }
        }
        solved
    }

    /// Longest displacement of the direction (m).
    pub fn longest(&self) -> f64 {
        let squares = self.direction.iter().map(|d| d.length_squared());
        squares.fold(0.0, f64::max).sqrt()
    }

    /// Goes `factor` times the direction if the energy is lower there, however little the force says about it.
    pub fn jump(&mut self, potential: &Potential, here: &Parts, factor: f64) -> Option<Parts> {
        let safe = potential.safe_share(&self.x, &self.direction, factor);
        let (x, direction) = (&self.x, &self.direction);
        parallel::fill(&mut self.trial, |i| x[i] + safe * factor * direction[i]);
        let parts = potential.value(&self.trial);
        let rounding = ENERGY_ROUNDING * (here.size() + parts.size());
        if parts.total() >= here.total() - rounding {
            return None;
        }
        std::mem::swap(&mut self.x, &mut self.trial);
        self.look(potential);
        Some(parts)
    }

    /// Goes along the direction until the energy has fallen enough, from no more than `longest` of it on. `None` if
    /// no length will do; the iterate stays where it is then.
    pub fn step(
        &mut self,
        potential: &Potential,
        here: &Parts,
        longest: f64,
    ) -> Option<SearchStep> {
        let slope = -dot(&self.force, &self.direction);
        if slope >= 0.0 || !slope.is_finite() {
            return None;
        }
        let mut share = longest * potential.safe_share(&self.x, &self.direction, longest);
        for _ in 0..SHORTENINGS {
            let (x, direction) = (&self.x, &self.direction);
            parallel::fill(&mut self.trial, |i| x[i] + share * direction[i]);
            let parts = potential.value(&self.trial);
            let change = parts.total() - here.total();
            let rounding = ENERGY_ROUNDING * (here.size() + parts.size());
            if change <= DECREASE * share * slope
                || self.is_flat(potential, change, rounding, slope)
            {
                std::mem::swap(&mut self.x, &mut self.trial);
                self.look(potential);
                return Some(SearchStep { parts, share });
            }
            // The bottom of the parabola through both energies and the slope.
            let bottom = -0.5 * slope * share / (change - slope * share) * share;
            share = if bottom.is_finite() {
                bottom.clamp(0.1 * share, 0.5 * share)
            } else {
                0.1 * share
            };
        }
        None
    }

    /// Where energies differ by no more than rounding, the slope at the end decides (Hager and Zhang 2005).
    fn is_flat(&mut self, potential: &Potential, change: f64, rounding: f64, slope: f64) -> bool {
        if change.abs() > rounding {
            return false;
        }
        potential.forces(&self.trial, &mut self.moved, &mut self.trial_force);
        let end = -dot(&self.trial_force, &self.direction);
        end.abs() <= (1.0 - 2.0 * DECREASE) * slope.abs()
    }
}
