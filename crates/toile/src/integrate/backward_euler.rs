//! Backward Euler, first Newton step (Baraff and Witkin 1998):
//!
//! `(M − h ∂f/∂v − h² ∂f/∂x) Δv = h (f + h ∂f/∂x v)`
//!
//! solved by conjugate gradients preconditioned by an incomplete factor. Held nodes and nodes that rest
//! on bodies have a given `Δv`, or a given part of it, and are filtered out of the solve.
//!
//! An iterative solve leaves a residual `r`, which acts like a small outside force. On a cloth that nothing
//! holds its sum would change the cloth's momentum; since rigid translation feels no stiffness, adding
//! `Σr / Σm` to every `Δv` removes that sum exactly. Done to the first guess as well, it makes free fall exact
//! without a single iteration.

use super::{BackwardEulerSettings, Integrator, Predicted};
use crate::contact::{Candidate, Placement, Support, find_support};
use crate::energy::{EnergyBatch, SpringBatch, SpringStiffness};
use crate::linalg::{BlockMatrix, Filter, Outcome, SolveSettings, SystemSolver};
use crate::model::Model;
use crate::parallel::{self, dot};
use crate::state::State;
use crate::step::{Watch, Workspace};
use glam::{DMat3, DVec3};

/// Matrices and vectors that live from step to step.
#[derive(Debug)]
pub(crate) struct Solver {
    matrix: BlockMatrix,
    linear: SystemSolver,
    right_side: Vec<DVec3>,
    change: Vec<DVec3>,
    filters: Vec<Filter>,
    /// The nodes that rest on bodies, and the search for them.
    supports: Vec<Support>,
    support_of_node: Vec<Option<Support>>,
    /// Each spring batch's linearisation and the place of each spring's block in the matrix.
    springs: Vec<(Vec<SpringStiffness>, Vec<u32>)>,
}

impl Solver {
    /// What the model's integrator needs, if it is implicit.
    pub(crate) fn for_model(model: &Model) -> Option<Self> {
        let Integrator::BackwardEuler(settings) = model.integrator else {
            return None;
        };
        let nodes = model.node_count();
        let springs = model.energies.iter().map(|energy| match energy {
            EnergyBatch::Springs(batch) => {
                let place = |&pair: &[u32; 2]| {
                    let at = model.pattern.find(pair);
                    at.expect("the pattern was made from these pairs") as u32
                };
                let places = batch.nodes().iter().map(place).collect();
                (vec![SpringStiffness::default(); batch.len()], places)
            }
        });
        Some(Solver {
            matrix: BlockMatrix::new(model.pattern.clone()),
            linear: SystemSolver::new(&model.pattern, settings.solver),
            right_side: vec![DVec3::ZERO; nodes],
            change: vec![DVec3::ZERO; nodes],
            filters: vec![Filter::Free; nodes],
            supports: Vec::new(),
            support_of_node: vec![None; nodes],
            springs: springs.collect(),
        })
    }
}

/// Rounds of solving and judging the supports' reactions. Few nodes change after the second.
const SUPPORT_ROUNDS: usize = 3;
/// The share of supports whose change is worth another round; the trace after the solve catches the rest.
const UNSETTLED: f64 = 0.02;
/// How much larger a residual will do while the supports are not settled.
const ROUGH: f64 = 10.0;

pub(super) fn predict(
    model: &Model,
    state: &State,
    workspace: &mut Workspace,
    settings: BackwardEulerSettings,
    h: f64,
    watch: &mut Watch,
) -> Predicted {
    let Workspace {
        solver,
        held,
        target_velocities,
        candidates,
        bodies,
        ..
    } = workspace;
    let solver = solver.as_deref_mut().expect("made for this integrator");
    assemble(model, state, solver, h);
    for (i, change) in solver.change.iter_mut().enumerate() {
        *change = if held[i] {
            target_velocities[i] - state.velocities[i]
        } else {
            state.last_change[i]
        };
    }
    solver.find_supports(model, state, bodies, held, h);
    balance_momentum(model, solver, h);
    watch.lap(|times| &mut times.assemble);

    let weight = h * model.gravity.length() * dot_masses(model);
    let right_side = &solver.right_side;
    let scale = dot(right_side, right_side).sqrt().max(weight);
    let solve_settings = SolveSettings {
        residual: settings.tolerance * scale,
        iterations: settings.max_iterations,
    };
    // Which supports hold shows long before the last digits do.
    let rough = SolveSettings {
        residual: ROUGH * solve_settings.residual,
        ..solve_settings
    };
    let mut iterations = 0;
    for _ in 0..SUPPORT_ROUNDS {
        if solver.supports.is_empty() {
            break;
        }
        iterations += solver.solve(state, held, rough, watch).iterations;
        if !solver.revise_supports(state) {
            break;
        }
    }
    let outcome = solver.solve(state, held, solve_settings, watch);
    iterations += outcome.iterations;
    balance_momentum(model, solver, h);
    watch.lap(|times| &mut times.solve);

    let change = &solver.change;
    parallel::fill(candidates, |i| {
        let velocity = state.velocities[i] + change[i];
        Candidate {
            position: state.positions[i] + h * velocity,
            velocity,
        }
    });
    Predicted {
        converged: outcome.converged,
        iterations,
        linear_residual: if scale > 0.0 {
            outcome.residual / scale
        } else {
            0.0
        },
    }
}

impl Solver {
    /// Which free nodes rest on a body.
    fn find_supports(
        &mut self,
        model: &Model,
        state: &State,
        bodies: &[Placement],
        held: &[bool],
        h: f64,
    ) {
        self.supports.clear();
        if bodies.is_empty() {
            return;
        }
        parallel::fill(&mut self.support_of_node, |i| {
            let (x, v) = (state.positions[i], state.velocities[i]);
            let offset = model.contact_offsets[i];
            let support = || find_support(bodies, i, x, v, model.gravity, offset, h);
            if held[i] { None } else { support() }
        });
        let found = self.support_of_node.iter().flatten();
        self.supports.extend(found);
    }

    /// One solve with the supports as they are.
    fn solve(
        &mut self,
        state: &State,
        held: &[bool],
        settings: SolveSettings,
        watch: &mut Watch,
    ) -> Outcome {
        for (filter, &held) in self.filters.iter_mut().zip(held) {
            *filter = if held { Filter::Held } else { Filter::Free };
        }
        for support in &self.supports {
            let i = support.node;
            self.filters[i] = support.filter();
            self.change[i] = support.constrain(state.velocities[i], self.change[i]);
            self.right_side[i] += support.friction_impulse();
        }
        let factored = self.linear.factor(&self.matrix, &self.filters);
        if !factored {
            // Forces or stiffness are not finite; hand the fact on to the check that names the node.
            self.change.copy_from_slice(&self.right_side);
        }
        watch.lap(|times| &mut times.assemble);
        let outcome = self.linear.solve(
            &self.matrix,
            &self.right_side,
            &self.filters,
            &mut self.change,
            SolveSettings {
                iterations: if factored { settings.iterations } else { 0 },
                ..settings
            },
        );
        for support in &self.supports {
            self.right_side[support.node] -= support.friction_impulse();
        }
        watch.lap(|times| &mut times.solve);
        outcome
    }

    /// Lets go or lets slide where the last solve asked too much of a support. Answers whether so many changed
    /// that it is worth asking again.
    fn revise_supports(&mut self, state: &State) -> bool {
        if self.supports.is_empty() {
            return false;
        }
        let image = self.linear.image();
        let mut changed = 0;
        for support in &mut self.supports {
            let i = support.node;
            let reaction = image[i] - self.right_side[i];
            let slip = state.velocities[i] + self.change[i] - support.surface_velocity();
            changed += usize::from(support.revise(reaction, slip));
        }
        changed as f64 > UNSETTLED * self.supports.len() as f64
    }
}

/// Norm of the vector of masses: times `h g`, the norm of the impulse of gravity.
fn dot_masses(model: &Model) -> f64 {
    parallel::sum(model.masses.len(), |i| model.masses[i] * model.masses[i]).sqrt()
}

fn assemble(model: &Model, state: &State, solver: &mut Solver, h: f64) {
    let Solver {
        matrix,
        right_side,
        springs,
        ..
    } = solver;
    parallel::fill(right_side, |i| {
        let mass = model.masses[i];
        let drag = model.air_damping[i] * state.velocities[i];
        h * mass * (model.gravity - drag)
    });
    parallel::fill(&mut matrix.diagonal, |i| {
        let mass = model.masses[i] * (1.0 + h * model.air_damping[i]);
        DMat3::from_diagonal(DVec3::splat(mass))
    });
    matrix.lower.fill(DMat3::ZERO);
    for (energy, (linear, places)) in model.energies.iter().zip(springs) {
        let EnergyBatch::Springs(batch) = energy;
        assemble_springs(batch, state, linear, places, matrix, right_side, h);
    }
}

fn assemble_springs(
    batch: &SpringBatch,
    state: &State,
    linear: &mut [SpringStiffness],
    places: &[u32],
    matrix: &mut BlockMatrix,
    right_side: &mut [DVec3],
    h: f64,
) {
    parallel::fill(linear, |s| {
        batch.linearise(s, &state.positions, &state.velocities, h)
    });
    for (spring, &place) in linear.iter().zip(places) {
        matrix.lower[place as usize] -= spring.block();
    }
    parallel::for_each(&mut matrix.diagonal, |node, block| {
        for (spring, _) in batch.at_node(node) {
            *block += linear[spring].block();
        }
    });
    parallel::for_each(right_side, |node, value| {
        for (spring, second) in batch.at_node(node) {
            let impulse = linear[spring].impulse;
            *value += if second { -impulse } else { impulse };
        }
    });
}

/// Shifts each cloth that nothing holds so that the right side's momentum is exactly what it gains.
fn balance_momentum(model: &Model, solver: &mut Solver, h: f64) {
    let free = model.cloths.iter().zip(&model.never_held);
    for (cloth, _) in free.filter(|(_, never_held)| **never_held) {
        let nodes = cloth.nodes.clone();
        // Where something supports the cloth, the reaction is a force like any other.
        if solver.supports.iter().any(|s| nodes.contains(&s.node)) {
            continue;
        }
        let drag = 1.0 + h * cloth.air_damping;
        let mut left = DVec3::ZERO;
        let mut inertia = 0.0;
        for i in nodes.clone() {
            left += solver.right_side[i] - drag * model.masses[i] * solver.change[i];
            inertia += drag * model.masses[i];
        }
        for change in &mut solver.change[nodes] {
            *change += left / inertia;
        }
    }
}
