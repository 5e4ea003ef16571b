//! Symplectic Euler: `v' = v + h a(x, v)`, `x' = x + h v'`.
//!
//! Because positions move with the new velocity, `x' × v' = x × v'`: internal forces along the lines
//! between nodes keep angular momentum to rounding, as they keep linear momentum.

use crate::contact::Candidate;
use crate::energy::Memory;
use crate::model::Model;
use crate::parallel;
use crate::state::State;
use crate::step::Workspace;
use glam::DVec3;

pub(super) fn predict(model: &Model, state: &State, workspace: &mut Workspace, h: f64) {
    let Workspace {
        plan,
        forces,
        candidates,
        holds,
        target_velocities,
        ..
    } = workspace;
    forces.fill(DVec3::ZERO);
    let plan = plan.as_ref().expect("made for explicit integrators");
    plan.add_forces(
        &model.energies,
        &Memory::of(state),
        &state.positions,
        &state.velocities,
        forces,
    );
    parallel::fill(candidates, |i| {
        let v = state.velocities[i];
        let drag = model.air_damping[i] * v;
        let driven = v + h * (model.gravity_of(i) - drag + forces[i] / model.masses[i]);
        let velocity = holds[i].constrain(target_velocities[i], driven);
        Candidate {
            position: state.positions[i] + h * velocity,
            velocity,
        }
    });
}
