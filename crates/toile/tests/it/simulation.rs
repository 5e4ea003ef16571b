//! Simulations that are commanded while they go.

mod commands;
mod grasps;
mod snapshots;
mod steps;

use crate::common::{body, fixed, square, world};
use std::sync::Arc;
use toile::advance::StepControl;
use toile::batch::Batch;
use toile::certificate::momentum;
use toile::command::{Command, CommandError};
use toile::contact::{Body, Shape};
use toile::drive::{Grasped, Grip, Pin, Pose, Target};
use toile::energy::MassSpringMaterial;
use toile::glam::{DQuat, DVec3};
use toile::integrate::{ImplicitRule, ImplicitSettings, Integrator, MixedScheme, MixedSettings};
use toile::simulation::{Pace, RestoreError, Simulation};
use toile::step::{Workspace, step};

const STEP: f64 = 5e-3;
const EARTH: DVec3 = DVec3::new(0.0, 0.0, -9.81);
/// So soft that explicit steps of this length are stable.
const SOFT: MassSpringMaterial = MassSpringMaterial {
    stretch: 40.0,
    shear: 10.0,
    bend: 1e-5,
    damping: 0.05,
};

fn implicit(rule: ImplicitRule, newton_steps: u32) -> Integrator {
    Integrator::Implicit(ImplicitSettings {
        rule,
        newton_steps,
        tolerance: 1e-6,
        ..ImplicitSettings::CLASSIC
    })
}

fn backward() -> Integrator {
    implicit(ImplicitRule::BackwardEuler, 1)
}

fn bdf2() -> Integrator {
    implicit(ImplicitRule::Bdf2, 1)
}

fn every_integrator() -> Vec<Integrator> {
    let mixed = [
        MixedScheme::A,
        MixedScheme::B,
        MixedScheme::C,
        MixedScheme::Limited,
    ];
    let mixed = mixed.map(|scheme| Integrator::Mixed(MixedSettings::new(scheme)));
    let others = [
        Integrator::SymplecticEuler,
        backward(),
        bdf2(),
        implicit(ImplicitRule::BackwardEuler, 5),
    ];
    mixed.into_iter().chain(others).collect()
}

/// A soft square of so many cells to a side, in thick air.
fn sheet(cells: u32, pins: Vec<Pin>, bodies: Vec<Body>, integrator: Integrator) -> Simulation {
    let (model, state) = world(&square(cells), SOFT, pins, EARTH, integrator);
    let model = model.rebuilt(|parts| {
        parts.bodies = bodies;
        parts.cloths[0].air_damping = 4.0;
    });
    let pace = Pace {
        // Symplectic Euler has to follow the damping too.
        step: match integrator {
            Integrator::SymplecticEuler => 0.2 * STEP,
            _ => STEP,
        },
        control: StepControl::Fixed,
    };
    Simulation::new(Arc::new(model.unwrap()), state, pace)
}

fn bits(simulation: &Simulation) -> Vec<u64> {
    let vectors = simulation.positions().iter().chain(simulation.velocities());
    vectors
        .flat_map(|v| v.to_array())
        .map(f64::to_bits)
        .collect()
}

fn pose(translation: DVec3, angle: f64) -> Pose {
    Pose {
        translation,
        rotation: DQuat::from_rotation_z(angle),
    }
}

fn ball(at: DVec3) -> Body {
    Body {
        friction: 0.5.into(),
        ..body(Shape::Sphere { radius: 0.1 }, at)
    }
}
