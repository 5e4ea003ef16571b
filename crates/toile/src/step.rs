//! One time step, as an outline.

pub(crate) mod limit;

use crate::advance::{Saved, StabilityScratch};
use crate::certificate::{
    Certificate, Phase, PhaseTimes, Status, StepError, StepReport, gap, stretch,
};
use crate::contact::{
    BodyLoad, Candidate, ClothContact, Dents, Loads, Placement, Surroundings, book, collide,
    drive_bonds, drive_stuck, halt,
};
use crate::drive::drive_pins;
use crate::energy::Memory;
use crate::energy::assembly::Plan;
use crate::integrate::mixed::MixedScratch;
use crate::integrate::{Integrator, Predicted, System, predict};
use crate::limit::LimitReport;
use crate::linalg::Filter;
use crate::model::Model;
use crate::parallel;
use crate::state::State;
use glam::DVec3;
use limit::LimitWork;

/// Advances the state by `h` seconds: drive kinematic targets → predict → limit → collide → contact → commit →
/// crease → certify.
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

    drive_pins(model, state, workspace, h);
    workspace.begin(model, state, h);
    drive_stuck(model, state, workspace, h);
    drive_bonds(model, state, workspace, h);
    watch.lap(|times| &mut times.drive);

    let predicted = predict(model, state, workspace, h, &mut watch);
    workspace.check_finite(model, state.time, Phase::Predict)?;

    let limited = workspace.limit(model, state, h);
    workspace.check_finite(model, state.time, Phase::Limit)?;
    watch.lap(|times| &mut times.limit);

    workspace.collide(model, state, h);
    workspace.check_finite(model, state.time, Phase::Collide)?;
    watch.lap(|times| &mut times.collide);

    workspace.meet_cloths(model, state, h);
    workspace.check_finite(model, state.time, Phase::Contact)?;
    watch.lap(|times| &mut times.contact);

    let reach = model.integrator.reach(state, h);
    workspace.commit(model, state, (h, reach));
    workspace
        .loads
        .add_up(&workspace.around.bodies, &state.positions, reach);
    workspace.crease(model, state);
    let certificate = certify(model, state, workspace, &predicted, limited);
    watch.lap(|times| &mut times.certify);

    let status = match (predicted.converged, limited) {
        (false, _) => Status::IterationLimit,
        (true, Some(limited)) if !limited.converged => Status::LimitMissed,
        _ if certificate.contact.is_some_and(|c| c.missed > 0) => Status::ContactMissed,
        (true, _) => Status::Converged,
    };
    Ok(StepReport {
        status,
        certificate,
        times: watch.times,
    })
}

/// Hears what a body made of a candidate.
type Met<'a> = &'a mut dyn FnMut(usize, &Candidate, &Candidate);

/// Scratch memory of a run. It is never saved: a step's result does not depend on what is in it.
#[derive(Debug)]
pub struct Workspace {
    /// What pins leave free of each node during this step.
    pub(crate) holds: Vec<Filter>,
    /// Where each held node is to be at the end of the step (m).
    pub(crate) targets: Vec<DVec3>,
    /// Velocity that brings each held node to its target (m/s).
    pub(crate) target_velocities: Vec<DVec3>,
    /// Where the step wants to go.
    pub(crate) candidates: Vec<Candidate>,
    /// The bodies during this step.
    pub(crate) around: Surroundings,
    pub(crate) forces: Vec<DVec3>,
    /// Angles of a cloth's hinges (rad).
    angles: Vec<f64>,
    /// What an explicit or mixed integrator adds forces up by.
    pub(crate) plan: Option<Plan>,
    /// What a mixed integrator needs besides.
    pub(crate) mixed: Option<Box<MixedScratch>>,
    /// What an implicit integrator needs besides.
    pub(crate) system: Option<Box<System>>,
    /// What limits need.
    pub(crate) limits: Option<Box<LimitWork>>,
    /// What bodies do to nodes.
    pub(crate) loads: Loads,
    /// What contact between cloths needs.
    pub(crate) contact: Option<Box<ClothContact>>,
    /// What bodies between nodes need.
    pub(crate) dents: Option<Box<Dents>>,
    /// States to go back to.
    pub(crate) saved: Option<Box<Saved>>,
    /// What the stability limit is worked out in.
    pub(crate) stability: Option<Box<StabilityScratch>>,
    clock: Option<fn() -> f64>,
}

impl Workspace {
    /// Scratch for a model. `clock` answers the time in seconds since some fixed moment; without one
    /// the reports' phase times are zero. (The engine itself never asks the system for the time.)
    pub fn new(model: &Model, clock: Option<fn() -> f64>) -> Self {
        let nodes = model.node_count();
        Workspace {
            holds: vec![Filter::Free; nodes],
            targets: vec![DVec3::ZERO; nodes],
            target_velocities: vec![DVec3::ZERO; nodes],
            candidates: vec![
                Candidate {
                    position: DVec3::ZERO,
                    velocity: DVec3::ZERO
                };
                nodes
            ],
            around: Surroundings::new(model),
            forces: vec![DVec3::ZERO; nodes],
            angles: Vec::new(),
            plan: (!matches!(model.integrator, Integrator::Implicit(_)))
                .then(|| Plan::new(nodes, &model.energies, None)),
            mixed: matches!(model.integrator, Integrator::Mixed(_))
                .then(|| Box::new(MixedScratch::new(nodes))),
            system: System::for_model(model).map(Box::new),
            limits: LimitWork::for_model(model).map(Box::new),
            loads: Loads::new(nodes, model.bodies.len()),
            contact: ClothContact::for_model(model).map(Box::new),
            dents: Dents::for_model(model).map(Box::new),
            saved: None,
            stability: None,
            clock,
        }
    }

    /// The force and torque of the cloth on each body of the model: on average over the time that the last call of [`step`] or of
    /// [`advance`](crate::advance::advance) covered.
    pub fn body_loads(&self) -> &[BodyLoad] {
        self.loads.last()
    }

    /// Marks a node as held during this step in the directions that are not left `free`, moving evenly from `here` to
    /// `target`.
    pub(crate) fn hold(&mut self, node: usize, here: DVec3, target: DVec3, free: Filter, h: f64) {
        self.holds[node] = free;
        self.targets[node] = target;
        self.target_velocities[node] = (target - here) / h;
    }

    /// All that acts on the nodes as the step begins, in `forces` (N): energies, gravity and the air.
    pub(crate) fn add_up_forces(&mut self, model: &Model, state: &State) {
        let plan = match (&self.plan, &self.system) {
            (Some(plan), _) => plan,
            (None, Some(system)) => system.plan(),
            (None, None) => return,
        };
        let (positions, velocities) = (&state.positions, &state.velocities);
        parallel::fill(&mut self.forces, |i| {
            let drag = model.air_damping[i] * velocities[i];
            model.masses[i] * (model.gravity_of(i) - drag)
        });
        let memory = Memory::of(state);
        plan.add_forces(
            &model.energies,
            &memory,
            positions,
            velocities,
            &mut self.forces,
        );
    }

    /// Largest distance of a held node from its target (m).
    fn pin_residual(&self, positions: &[DVec3]) -> f64 {
        let held = (0..positions.len()).filter(|&i| self.holds[i] != Filter::Free);
        held.map(|i| {
            let off = positions[i] - self.targets[i];
            (off - self.holds[i].apply(off)).length()
        })
        .fold(0.0, f64::max)
    }

    /// Places the bodies, and forgets what limits and bodies did in the last step.
    fn begin(&mut self, model: &Model, state: &State, h: f64) {
        self.loads.clear();
        let times = (h, model.integrator.reach(state, h));
        let given = &mut self.loads.given;
        self.around.begin(model, state, times, given);
        if let Some(dents) = self.dents.as_deref_mut() {
            dents.begin(model, state, &self.around, h);
        }
        if let Some(work) = self.limits.as_deref_mut() {
            work.forget();
        }
    }

    /// Lets the limits act that have not acted yet; answers how well all of them held.
    fn limit(&mut self, model: &Model, state: &State, h: f64) -> Option<LimitReport> {
        if !model.integrator.is_whole() {
            self.apply_limits(model, state, h);
        }
        self.limits.as_deref().and_then(LimitWork::report)
    }

    /// Moves the candidates until the limits hold, and their velocities with them.
    pub(crate) fn apply_limits(&mut self, model: &Model, state: &State, h: f64) {
        let Workspace {
            limits,
            holds,
            around,
            candidates,
            loads,
            ..
        } = self;
        if let Some(work) = limits.as_deref_mut() {
            let given = &mut loads.given;
            work.apply(model, state, holds, around, (candidates, given), h);
        }
    }

    fn collide(&mut self, model: &Model, state: &State, h: f64) {
        if !model.integrator.is_whole() {
            self.meet_bodies(model, state, h);
        }
    }

    /// Lets the candidates' motion collide with the bodies.
    pub(crate) fn meet_bodies(&mut self, model: &Model, state: &State, h: f64) {
        if self.around.is_empty() {
            return;
        }
        self.grip(model, state, h);
        self.meet_each_body(model, |bodies, i, candidate, offset, met| {
            collide(bodies, i, state.positions[i], candidate, offset, h, met)
        });
        self.smooth_dents(model, state, h);
    }

    /// Keeps bodies from coming through between the nodes.
    fn smooth_dents(&mut self, model: &Model, state: &State, h: f64) {
        let Workspace {
            dents,
            holds,
            around,
            candidates,
            loads,
            ..
        } = self;
        if let Some(dents) = dents.as_deref_mut() {
            let times = (h, model.integrator.reach(state, h));
            let given = &mut loads.given;
            dents.resolve((model, state), (around, holds), (candidates, given), times);
        }
    }

    /// Lets bodies hold the nodes between them with the friction that is left to them.
    fn grip(&mut self, model: &Model, state: &State, h: f64) {
        let reach = model.integrator.reach(state, h);
        let Workspace {
            around,
            holds,
            candidates,
            loads,
            ..
        } = self;
        parallel::for_each_of_two(candidates, &mut loads.given, |i, candidate, given| {
            if let Some(pinch) = around.pinch(i)
                && holds[i] == Filter::Free
            {
                let (mass, slip) = (model.masses[i], state.velocities[i] - pinch.way / h);
                let left = pinch.left(given, slip, reach);
                let after = pinch.slow(state.positions[i], *candidate, (mass, left), h);
                pinch.book(given, mass * (after.velocity - candidate.velocity));
                *candidate = after;
            }
        });
    }

    /// Keeps the candidates' motion from leading cloth through cloth.
    fn meet_cloths(&mut self, model: &Model, state: &State, h: f64) {
        let Workspace {
            contact,
            dents,
            holds,
            around,
            candidates,
            loads,
            ..
        } = self;
        let standing = dents.as_deref().map_or(&[][..], Dents::standing);
        if let Some(contact) = contact.as_deref_mut() {
            let times = (h, model.integrator.reach(state, h));
            let given = &mut loads.given;
            let moving = (candidates.as_mut_slice(), given.as_mut_slice());
            contact.apply((model, state), holds, around, standing, moving, times);
        }
    }

    /// Stops candidates that are at a body's surface from moving into it, where they stand.
    pub(crate) fn halt_at_bodies(&mut self, model: &Model, h: f64) {
        if self.around.is_empty() {
            return;
        }
        self.meet_each_body(model, |bodies, i, candidate, offset, met| {
            halt(bodies, i, candidate, offset, h, met)
        });
    }

    /// Puts what bodies make of it in place of every free node's candidate, and books what its velocity changed by. A held node goes where it
    /// is led, even into a body; the certificate's gap shows it.
    fn meet_each_body(
        &mut self,
        model: &Model,
        meet: impl Fn(&[Placement], usize, Candidate, f64, Met) -> Candidate + Sync,
    ) {
        let (around, holds) = (&self.around, &self.holds);
        let given = &mut self.loads.given;
        parallel::for_each_of_two(&mut self.candidates, given, |i, candidate, given| {
            if holds[i] == Filter::Free {
                let mass = model.masses[i];
                let mut met = |body: usize, before: &Candidate, after: &Candidate| {
                    book(given, body, mass * (after.velocity - before.velocity));
                };
                *candidate = meet(&around.bodies, i, *candidate, around.offsets[i], &mut met);
            }
        });
    }

    /// Whether all candidates are numbers.
    pub(crate) fn is_finite(&self) -> bool {
        self.candidates.iter().all(Candidate::is_finite)
    }

    fn check_finite(&self, model: &Model, time: f64, phase: Phase) -> Result<(), StepError> {
        let Some(bad) = self.candidates.iter().position(|c| !c.is_finite()) else {
            return Ok(());
        };
        let cloth = model.cloths.iter().find(|c| c.nodes.contains(&bad));
        Err(StepError::NotFinite {
            phase,
            cloth: cloth.map_or_else(String::new, |c| c.name.clone()),
            node: bad - cloth.map_or(0, |c| c.nodes.start),
            time,
        })
    }

    /// Lets hinges that are bent too far keep some of it.
    fn crease(&mut self, model: &Model, state: &mut State) {
        for hinges in model.hinges().filter(|h| h.creases()) {
            hinges.flow(
                &state.positions,
                &mut state.rest_angles,
                &mut state.creased,
                &mut self.angles,
            );
        }
    }

    fn commit(&mut self, model: &Model, state: &mut State, (h, reach): (f64, f64)) {
        if model.integrator.looks_back() {
            state.remember(h);
        }
        for (i, candidate) in self.candidates.iter().enumerate() {
            state.positions[i] = candidate.position;
            state.last_change[i] = candidate.velocity - state.velocities[i];
            state.velocities[i] = candidate.velocity;
        }
        if let Some(contact) = self.contact.as_deref() {
            contact.tell_bonds(&mut state.bonds, &state.positions, (h, reach));
        }
        if let Some(limits) = &self.limits {
            state.limit_forces.clear();
            state.limit_forces.extend_from_slice(limits.forces());
        }
        state.time += h;
        state.steps += 1;
    }
}

fn certify(
    model: &Model,
    state: &State,
    workspace: &Workspace,
    predicted: &Predicted,
    limited: Option<LimitReport>,
) -> Certificate {
    let (stretch_worst, stretch_mean) = stretch(model, &state.positions);
    let Workspace { around, holds, .. } = workspace;
    let (gap_smallest, squeezed) = gap(model, around, holds, &state.positions);
    let dents = workspace.dents.as_deref();
    Certificate {
        stretch_worst,
        stretch_mean,
        pin_residual: workspace.pin_residual(&state.positions),
        gap_smallest,
        gap_between: dents.and_then(|d| d.smallest_distance(&around.bodies, &state.positions)),
        squeezed,
        intersections: None,
        iterations: predicted.iterations,
        newton_steps: predicted.newton_steps,
        force_residual: predicted.force_residual,
        linear_residual: predicted.linear_residual,
        limit: limited,
        contact: workspace.contact.as_deref().and_then(ClothContact::report),
    }
}

/// Adds up where the time goes.
pub(crate) struct Watch {
    clock: Option<fn() -> f64>,
    last: f64,
    times: PhaseTimes,
}

impl Watch {
    fn start(clock: Option<fn() -> f64>) -> Self {
        Watch {
            clock,
            last: clock.map_or(0.0, |now| now()),
            times: PhaseTimes::default(),
        }
    }

    /// Books the time since the last lap on a phase.
    pub(crate) fn lap(&mut self, phase: impl Fn(&mut PhaseTimes) -> &mut f64) {
        if let Some(now) = self.clock.map(|now| now()) {
            *phase(&mut self.times) += now - self.last;
            self.last = now;
        }
    }
}
