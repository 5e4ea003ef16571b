//! Symplectic Euler: `v' = v + h a(x, v)`, `x' = x + h v'`.
//!
//! Because positions move with the new velocity, `x' × v' = x × v'`: internal forces along the lines
//! between nodes keep angular momentum to rounding, as they keep linear momentum.

use crate::contact::{Candidate, Trial};
use crate::energy::assembly::Plan;
use crate::hold::Context;
use crate::model::Model;
use crate::parallel;
use glam::DVec3;

/// What the integrator needs from step to step.
#[derive(Debug)]
pub(crate) struct Explicit {
    pub plan: Plan,
    forces: Vec<DVec3>,
}

impl Explicit {
    pub fn new(model: &Model) -> Self {
        let nodes = model.node_count();
        Explicit {
            plan: Plan::new(nodes, &model.energies, None),
            forces: vec![DVec3::ZERO; nodes],
        }
    }

    pub fn predict(&mut self, context: &Context, trial: &mut Trial) {
        let Context {
            model,
            state,
            holds,
            h,
            ..
        } = *context;
        let forces = &mut self.forces;
        forces.fill(DVec3::ZERO);
        let (positions, velocities) = (&state.positions, &state.velocities);
        self.plan.add_forces(
            &model.energies,
            &state.memory(),
            positions,
            velocities,
            forces,
        );
        let forces = &self.forces;
        let (candidates, held) = (&mut trial.candidates, &mut trial.loads.held);
        parallel::for_each_of_two(candidates, held, |i, candidate, held| {
            let v = velocities[i];
            let drag = model.air_damping[i] * v;
            let driven = v + h * (context.pull(i) - drag + forces[i] / model.masses[i]);
            let velocity = holds.filters[i].constrain(holds.velocities[i], driven);
            *held = model.masses[i] * (velocity - driven);
            *candidate = Candidate {
                position: positions[i] + h * velocity,
                velocity,
            };
        });
    }
}
