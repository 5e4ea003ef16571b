//! Integrators: from forces to a candidate step.

#[cfg(test)]
mod friction_tests;
mod implicit;
mod linked;
pub(crate) mod mixed;
mod rule;
mod symplectic_euler;
mod system;
mod unified;

pub use crate::integrator::{
    ConstraintSolve, ImplicitRule, ImplicitSettings, Integrator, MixedScheme, MixedSettings,
};
use system::System;

use crate::contact::{ClothContact, Trial};
use crate::hold::{Attachment, Context, Holds};
use crate::model::Model;
use crate::parallel;
use crate::respond::Response;
use crate::timing::Watch;
use glam::DVec3;
use mixed::Mixed;
use symplectic_euler::Explicit;
pub(crate) use unified::{Unified, UnifiedReport};

/// What predicting a step told.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Predicted {
    pub converged: bool,
    pub iterations: u32,
    pub newton_steps: u32,
    pub linear_residual: f64,
    pub force_residual: Option<f64>,
}

impl Predicted {
    pub(crate) const EXPLICIT: Predicted = Predicted {
        converged: true,
        iterations: 0,
        newton_steps: 0,
        linear_residual: 0.0,
        force_residual: None,
    };
}

/// What an integrator needs from step to step.
#[derive(Debug)]
pub(crate) enum Predictor {
    /// Forces alone.
    Explicit(Explicit),
    /// Half-steps.
    Mixed(Box<Mixed>),
    /// A matrix and its solver.
    Implicit(Box<System>),
    /// The same with rows for limits and contacts.
    Unified(Box<Unified>),
}

impl Predictor {
    /// What the model's integrator needs.
    pub fn new(model: &Model) -> Self {
        match &model.integrator {
            Integrator::SymplecticEuler => Predictor::Explicit(Explicit::new(model)),
            Integrator::Mixed(_) => Predictor::Mixed(Box::new(Mixed::new(model))),
            Integrator::Implicit(settings) if model.integrator.is_unified() => {
                Predictor::Unified(Box::new(Unified::new(model, settings)))
            }
            Integrator::Implicit(settings) => {
                Predictor::Implicit(Box::new(System::new(model, settings)))
            }
        }
    }

    /// Whether springs from outside are part of its solve.
    pub fn is_implicit(&self) -> bool {
        matches!(self, Predictor::Implicit(_) | Predictor::Unified(_))
    }

    /// The solve that limits and contacts are part of, if they are.
    pub fn unified(&self) -> Option<&Unified> {
        match self {
            Predictor::Unified(solve) => Some(solve),
            _ => None,
        }
    }

    /// Puts the integrator's step into the trial. Contact between cloths is told of it where the solve has room for it; the
    /// limited mixed scheme meets bodies and limits on the way.
    pub fn predict(
        &mut self,
        context: &Context,
        response: &mut Response,
        contact: Option<&mut ClothContact>,
        trial: &mut Trial,
        watch: &mut Watch,
    ) -> Predicted {
        match (self, &context.model.integrator) {
            (Predictor::Implicit(system), Integrator::Implicit(settings)) => {
                let near = implicit::Nearby { response, contact };
                implicit::predict(context, system, settings, near, trial, watch)
            }
            (Predictor::Unified(solve), Integrator::Implicit(settings)) => {
                unified::predict(context, solve, settings, &response.around, trial, watch)
            }
            (Predictor::Mixed(mixed), Integrator::Mixed(settings)) => {
                mixed.predict(context, settings, response, trial, watch)
            }
            (Predictor::Explicit(explicit), _) => {
                explicit.predict(context, trial);
                watch.lap(|times| &mut times.assemble);
                Predicted::EXPLICIT
            }
            _ => unreachable!("a workspace belongs to the model that it was made for"),
        }
    }

    /// Springs from outside with what they pulled with in the last step.
    pub fn attachments<'a>(&'a self, holds: &'a Holds) -> &'a [Attachment] {
        match self {
            Predictor::Implicit(system) => &system.attachments,
            Predictor::Unified(solve) => &solve.attachments,
            _ => &holds.attachments,
        }
    }

    /// All that acts on the nodes as the step begins (N): energies, gravity, the air and what comes from outside.
    pub fn add_up_forces(&self, context: &Context, forces: &mut [DVec3]) {
        let plan = match self {
            Predictor::Explicit(explicit) => &explicit.plan,
            Predictor::Mixed(mixed) => mixed.plan(),
            Predictor::Implicit(system) => system.plan(),
            Predictor::Unified(solve) => solve.plan(),
        };
        let Context { model, state, .. } = *context;
        let (positions, velocities) = (&state.positions, &state.velocities);
        parallel::fill(forces, |i| {
            let drag = model.air_damping[i] * velocities[i];
            model.masses[i] * (context.pull(i) - drag)
        });
        let memory = state.memory();
        plan.add_forces(&model.energies, &memory, positions, velocities, forces);
    }
}
