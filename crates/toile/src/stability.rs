//! The longest stable step of an explicit integrator.
//!
//! A mode of the linearised cloth with stiffness `λ = ω²` and damping `μ`, eigenvalues of `M⁻¹K` and `M⁻¹D`, is stable
//!
//! * with a mixed scheme for `h < 2/√λ`, whatever `μ` (scheme C a little beyond that), with the limited one for `h < √(2/λ)`
//! * with symplectic Euler for `h²λ + 2hμ < 4`, so `h < 4 / (μ + √(μ² + 4λ))`.
//!
//! The largest `λ` and `μ` come from power iterations on the matrices that an implicit step would use. They leave out
//! what a compressed element takes off the stiffness, so `λ` is not smaller for it. Nodes that are held would only
//! make it smaller and are taken as free. Each iteration ends below the eigenvalue, as a rule by less than 1 %.
//! The start is the same irregular vector every time: the result depends on the positions alone.

use crate::energy::Weights;
use crate::energy::assembly::Plan;
use crate::integrate::{Integrator, MixedScheme};
use crate::linalg::BlockMatrix;
use crate::model::Model;
use crate::parallel::{self, dot};
use crate::state::State;
use glam::{DMat3, DVec3};

/// Iterations at the most, and the relative change of the eigenvalue that ends them.
const ITERATIONS: usize = 100;
const SETTLED: f64 = 2e-4;

/// Longest stable step of the model's integrator from this state (s); infinite for implicit ones.
pub fn stable_step(model: &Model, state: &State) -> f64 {
    StabilityScratch::new(model).stable_step(model, state)
}

/// Matrix and vectors of the power iteration.
#[derive(Debug)]
pub(crate) struct StabilityScratch {
    plan: Plan,
    matrix: BlockMatrix,
    /// Not read, but the assembly adds forces as well.
    forces: Vec<DVec3>,
    still: Vec<DVec3>,
    vector: Vec<DVec3>,
    image: Vec<DVec3>,
}

impl StabilityScratch {
    pub fn new(model: &Model) -> Self {
        let zeros = || vec![DVec3::ZERO; model.node_count()];
        StabilityScratch {
            plan: Plan::new(model.node_count(), &model.energies, Some(&model.pattern)),
            matrix: BlockMatrix::new(model.pattern.clone()),
            forces: zeros(),
            still: zeros(),
            vector: zeros(),
            image: zeros(),
        }
    }

    pub fn stable_step(&mut self, model: &Model, state: &State) -> f64 {
        let stiffness = Weights {
            stiffness: 1.0,
            damping: 0.0,
            ahead: 0.0,
        };
        let damping = Weights {
            stiffness: 0.0,
            damping: 1.0,
            ahead: 0.0,
        };
        match model.integrator {
            Integrator::Implicit(_) => f64::INFINITY,
            Integrator::Mixed(settings) => {
                let squared = match settings.scheme {
                    MixedScheme::Limited => 2.0,
                    _ => 4.0,
                };
                (squared / self.largest(model, state, &stiffness)).sqrt()
            }
            Integrator::SymplecticEuler => {
                let lambda = self.largest(model, state, &stiffness);
                let air = model.air_damping.iter().copied().fold(0.0, f64::max);
                let mu = self.largest(model, state, &damping) + air;
                4.0 / (mu + (mu * mu + 4.0 * lambda).sqrt())
            }
        }
    }

    /// Largest eigenvalue of `M⁻¹ (stiffness·K + damping·D)`.
    fn largest(&mut self, model: &Model, state: &State, weights: &Weights) -> f64 {
        self.assemble(model, state, weights);
        let StabilityScratch {
            matrix,
            vector,
            image,
            ..
        } = self;
        let masses = &model.masses;
        // Everything is scaled by √m, so that the matrix stays symmetric: y = √M x, (M^-½ K M^-½) y.
        parallel::fill(vector, irregular);
        let mut value = 0.0f64;
        for _ in 0..ITERATIONS {
            let length = dot(vector, vector).sqrt();
            if length == 0.0 || !length.is_finite() {
                return value.max(length);
            }
            parallel::for_each(vector, |i, y| *y /= length * masses[i].sqrt());
            matrix.multiply(vector, image);
            let next = dot(vector, image);
            parallel::fill(vector, |i| image[i] / masses[i].sqrt());
            let settled = (next - value).abs() <= SETTLED * next.abs();
            value = next;
            if settled {
                break;
            }
        }
        value
    }

    fn assemble(&mut self, model: &Model, state: &State, weights: &Weights) {
        self.matrix.diagonal.fill(DMat3::ZERO);
        self.plan.add_systems(
            &model.energies,
            &state.memory(),
            &state.positions,
            &self.still,
            weights,
            (&mut self.matrix, &mut self.forces),
        );
        self.forces.fill(DVec3::ZERO);
    }
}

/// A vector without any pattern that a mode could be orthogonal to, the same for every call (a golden-ratio
/// sequence: evenly spread, never repeating).
fn irregular(i: usize) -> DVec3 {
    const STEPS: DVec3 = DVec3::new(
        0.618_033_988_749_895,
        0.754_877_666_246_693,
        0.569_840_290_998_053,
    );
    let place = (i as f64 + 1.0) * STEPS;
    place - place.floor() - 0.5
}
