//! One time step, as an outline.

use crate::certificate::{Phase, StepError, StepReport, certify};
use crate::contact::{
    ClothContact, ContactPoint, Dents, Load, Loads, Trial, asks_for_forces, body_points,
    drive_bonds, drive_stuck,
};
use crate::hold::{Context, Holds};
use crate::integrate::{Predicted, Predictor};
use crate::model::Model;
use crate::respond::Response;
use crate::stability::StabilityScratch;
use crate::state::{Saved, State};
use crate::timing::{Clock, Watch};
use glam::DVec3;

/// Advances the state by `h` seconds: drive kinematic targets → predict → limit → collide → contact → commit → certify.
///
/// On an error the state's positions, velocities and time are as they were.
pub fn step(
    model: &Model,
    state: &mut State,
    workspace: &mut Workspace,
    h: f64,
) -> Result<StepReport, StepError> {
    if !(h > 0.0 && h.is_finite()) {
        return Err(StepError::BadStep { h });
    }
    let mut watch = Watch::start(workspace.clock);
    workspace.drive(model, state, h);
    watch.lap(|times| &mut times.drive);

    let Workspace {
        holds,
        trial,
        predictor,
        response,
        contact,
        ..
    } = workspace;
    let context = Context::new(model, state, holds, h);
    let told = contact.as_deref_mut();
    let predicted = predictor.predict(&context, response, told, trial, &mut watch);
    trial.check_finite(&context, Phase::Predict)?;

    if !model.integrator.is_whole() && !model.integrator.is_unified() {
        response.enforce_limits(&context, trial);
        trial.check_finite(&context, Phase::Limit)?;
        watch.lap(|times| &mut times.limit);
        response.meet_bodies(&context, trial);
        trial.check_finite(&context, Phase::Collide)?;
        watch.lap(|times| &mut times.collide);
    }
    if let Some(contact) = contact.as_deref_mut() {
        let standing = response.faces.as_deref().map_or(&[][..], Dents::standing);
        contact.apply(&context, &response.around, standing, trial);
        trial.check_finite(&context, Phase::Contact)?;
        watch.lap(|times| &mut times.contact);
    }

    let reach = context.reach;
    workspace.commit(model, state, h, reach);
    let report = workspace.certify(
        &Committed {
            model,
            state,
            h,
            reach,
        },
        &predicted,
    );
    watch.lap(|times| &mut times.certify);
    Ok(StepReport {
        times: watch.times,
        ..report
    })
}

/// Scratch memory of a run. It is never saved: a step's result does not depend on what is in it.
#[derive(Debug)]
pub struct Workspace {
    /// Who is held during this step, and where to.
    holds: Holds,
    /// Where the step wants to go.
    trial: Trial,
    /// What the integrator needs.
    predictor: Predictor,
    /// What bodies and limits need.
    response: Response,
    /// What contact between cloths needs, if any may meet.
    contact: Option<Box<ClothContact>>,
    /// What acts on the nodes as the step begins (N), if something sticky asks for it.
    forces: Vec<DVec3>,
    /// Angles of a cloth's hinges (rad).
    angles: Vec<f64>,
    /// Of the last step (s).
    reach: f64,
    /// States to go back to.
    pub(crate) saved: Option<Box<Saved>>,
    /// What the stability limit is worked out in.
    pub(crate) stability: Option<Box<StabilityScratch>>,
    clock: Option<Clock>,
}

/// A step that has been committed.
struct Committed<'a> {
    model: &'a Model,
    state: &'a State,
    h: f64,
    reach: f64,
}

impl Workspace {
    /// Scratch for a model. `clock` answers the time in seconds since some fixed moment; without one
    /// the reports' phase times are zero. (The engine itself never asks the system for the time.)
    pub fn new(model: &Model, clock: Option<Clock>) -> Self {
        Workspace {
            holds: Holds::new(model.node_count()),
            trial: Trial::new(model),
            predictor: Predictor::new(model),
            response: Response::new(model),
            contact: match model.integrator.is_unified() {
                true => None,
                false => ClothContact::for_model(model).map(Box::new),
            },
            forces: Vec::new(),
            angles: Vec::new(),
            reach: 1.0,
            saved: None,
            stability: None,
            clock,
        }
    }

    /// The force and torque of the cloth on each body of the model: on average over the time that the last call of [`step`] or
    /// of [`advance`](crate::advance::advance) covered.
    pub fn body_loads(&self) -> &[Load] {
        self.trial.loads.on_bodies()
    }

    /// The same on each pin of the model.
    pub fn pin_loads(&self) -> &[Load] {
        self.trial.loads.on_pins()
    }

    /// The same on each grasp, in the order in which the state has them.
    pub fn grasp_loads(&self) -> &[Load] {
        self.trial.loads.on_grasps()
    }

    /// Where cloth touched bodies and cloth in the last step, which ended in this state.
    pub fn contacts(&self, state: &State) -> Vec<ContactPoint> {
        let (around, reach) = (&self.response.around, self.reach);
        if let Some(solve) = self.predictor.unified() {
            return solve.points(&state.positions, reach);
        }
        let mut points = body_points(&self.trial.loads, around, &state.positions, reach);
        if let Some(contact) = self.contact.as_deref() {
            points.extend(contact.points(&state.positions, reach));
        }
        points
    }

    /// The books of the steps, for those who cover a span of time with several.
    pub(crate) fn loads(&mut self) -> &mut Loads {
        &mut self.trial.loads
    }

    /// Settles what is led: pins, grasps and bodies, and then what sticks to them.
    fn drive(&mut self, model: &Model, state: &mut State, h: f64) {
        let Workspace {
            holds,
            trial,
            predictor,
            response,
            contact,
            forces,
            ..
        } = self;
        holds.begin(model, state, h);
        if !predictor.is_implicit() {
            holds.pull_explicitly(state);
        }
        let context = Context::new(model, state, holds, h);
        response.begin(&context, trial);
        if asks_for_forces(model, state.time, h) {
            forces.resize(model.node_count(), DVec3::ZERO);
            predictor.add_up_forces(&context, forces);
        }
        drive_stuck(model, state, holds, &response.around.bodies, forces, h);
        drive_bonds(model, state, holds, contact.as_deref_mut(), forces, h);
    }

    /// Makes the trial the state, and lets hinges that are bent too far keep some of it.
    fn commit(&mut self, model: &Model, state: &mut State, h: f64, reach: f64) {
        self.reach = reach;
        if model.integrator.looks_back() {
            state.remember(h);
        }
        for (i, candidate) in self.trial.candidates.iter().enumerate() {
            state.positions[i] = candidate.position;
            state.last_change[i] = candidate.velocity - state.velocities[i];
            state.velocities[i] = candidate.velocity;
        }
        if let Some(contact) = self.contact.as_deref() {
            contact.tell_bonds(&mut state.bonds, &state.positions, h, reach);
        }
        if let Some(solve) = self.predictor.unified() {
            let (limit_forces, contacts) = solve.memory();
            state.limit_forces.clear();
            state.limit_forces.extend_from_slice(limit_forces);
            state.contacts.clear();
            state.contacts.extend_from_slice(contacts);
        }
        if let Some(limits) = self.response.limits.as_deref() {
            state.limit_forces.clear();
            state.limit_forces.extend_from_slice(limits.forces());
        }
        for hinges in model.hinges().filter(|h| h.creases()) {
            let State {
                positions,
                rest_angles,
                creased,
                ..
            } = state;
            hinges.flow(positions, rest_angles, creased, &mut self.angles);
        }
        state.time += h;
        state.steps += 1;
    }

    /// Measures what was committed, and adds up what cloth did to bodies and holders.
    fn certify(&mut self, step: &Committed, predicted: &Predicted) -> StepReport {
        let Committed {
            model,
            state,
            h,
            reach,
        } = *step;
        let Workspace {
            holds,
            trial,
            predictor,
            response,
            contact,
            ..
        } = self;
        let context = Context {
            model,
            state,
            holds,
            h,
            reach,
        };
        let attachments = predictor.attachments(holds);
        trial
            .loads
            .add_up(&context, &response.around.bodies, attachments);
        let report = certify(&context, response, contact.as_deref(), predicted);
        match predictor.unified() {
            Some(solve) => report.with(solve.report(), predicted),
            None => report,
        }
    }
}
