//! What bodies and limits make of a trial step: the phases after the prediction, which the limited mixed scheme has in its
//! middle.

use crate::contact::{Candidate, Dents, Given, Surroundings, Trial, book, collide, halt};
use crate::enforce::LimitWork;
use crate::hold::Context;
use crate::model::Model;
use crate::parallel;

/// Bodies, what they do between nodes, and limits.
#[derive(Debug)]
pub(crate) struct Response {
    /// The bodies during this step.
    pub around: Surroundings,
    /// Bodies between nodes, if any body could come there.
    pub faces: Option<Box<Dents>>,
    /// Limits, if any cloth has one.
    pub limits: Option<Box<LimitWork>>,
}

impl Response {
    pub fn new(model: &Model) -> Self {
        // One solve has rows for both.
        let in_phases = !model.integrator.is_unified();
        let faces = in_phases.then(|| Dents::for_model(model)).flatten();
        let limits = in_phases.then(|| LimitWork::for_model(model)).flatten();
        Response {
            around: Surroundings::new(model),
            faces: faces.map(Box::new),
            limits: limits.map(Box::new),
        }
    }

    /// Places the bodies, and forgets what limits and bodies did in the last step.
    pub fn begin(&mut self, context: &Context, trial: &mut Trial) {
        trial.loads.clear();
        self.around.begin(context, &mut trial.loads.given);
        if let Some(faces) = self.faces.as_deref_mut() {
            faces.begin(context, &self.around);
        }
        if let Some(limits) = self.limits.as_deref_mut() {
            limits.forget();
        }
    }

    /// Moves the candidates until the limits hold, and their velocities with them.
    pub fn enforce_limits(&mut self, context: &Context, trial: &mut Trial) {
        if let Some(limits) = self.limits.as_deref_mut() {
            limits.apply(context, &self.around, trial);
        }
    }

    /// Lets the candidates' motion collide with the bodies, and keeps bodies from coming through between the nodes.
    pub fn meet_bodies(&mut self, context: &Context, trial: &mut Trial) {
        if self.around.is_empty() {
            return;
        }
        self.grip(context, trial);
        let (bodies, h) = (&self.around.bodies, context.h);
        self.meet_each_body(context, trial, |i, candidate, offset, met| {
            let start = context.state.positions[i];
            collide(bodies, i, start, candidate, offset, h, met)
        });
        if let Some(faces) = self.faces.as_deref_mut() {
            faces.resolve(context, &self.around, trial);
        }
    }

    /// Stops candidates that are at a body's surface from moving into it, where they stand.
    pub fn halt_at_bodies(&self, context: &Context, trial: &mut Trial) {
        if self.around.is_empty() {
            return;
        }
        let (bodies, h) = (&self.around.bodies, context.h);
        self.meet_each_body(context, trial, |i, candidate, offset, met| {
            halt(bodies, i, candidate, offset, h, met)
        });
    }

    /// Lets bodies hold the nodes between them with the friction that is left to them.
    fn grip(&self, context: &Context, trial: &mut Trial) {
        let Context {
            model,
            state,
            h,
            reach,
            ..
        } = *context;
        let grip = |i: usize, candidate: &mut Candidate, given: &mut Given| {
            if let Some(pinch) = self.around.pinch(i)
                && context.is_free(i)
            {
                let (mass, slip) = (model.masses[i], state.velocities[i] - pinch.way / h);
                let left = pinch.left(given, slip, reach);
                let after = pinch.slow(state.positions[i], *candidate, (mass, left), h);
                pinch.book(given, mass * (after.velocity - candidate.velocity));
                *candidate = after;
            }
        };
        parallel::for_each_of_two(&mut trial.candidates, &mut trial.loads.given, grip);
    }

    /// Puts what bodies make of it in place of every free node's candidate, and books what its velocity changed by. A held node
    /// goes where it is led, even into a body; the certificate's gap shows it.
    fn meet_each_body(
        &self,
        context: &Context,
        trial: &mut Trial,
        meet: impl Fn(usize, Candidate, f64, Met) -> Candidate + Sync,
    ) {
        let react = |i: usize, candidate: &mut Candidate, given: &mut Given| {
            if context.is_free(i) {
                let mass = context.model.masses[i];
                let mut met = |body: usize, before: &Candidate, after: &Candidate| {
                    book(given, body, mass * (after.velocity - before.velocity));
                };
                *candidate = meet(i, *candidate, self.around.offsets[i], &mut met);
            }
        };
        parallel::for_each_of_two(&mut trial.candidates, &mut trial.loads.given, react);
    }
}

/// Hears what a body made of a candidate.
type Met<'a> = &'a mut dyn FnMut(usize, &Candidate, &Candidate);
