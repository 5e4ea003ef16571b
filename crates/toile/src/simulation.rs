//! A simulation that can be steered while it goes.
//!
//! It owns what a run needs: the [`Model`], shared with others that are made alike, a [`State`] and a workspace. Between
//! steps it takes [commands](Command); what they say becomes part of the state, so that a [snapshot](Simulation::snapshot) in the
//! middle of a grasp goes on to the same bits. [Stages](Stage) are commands that it gives itself.

use crate::advance::{AdvanceReport, StepControl, advance};
use crate::certificate::{Certificate, Energies, StepError};
use crate::command::{Command, CommandError, obey, push_each};
use crate::contact::{ContactPoint, Load};
use crate::drive::{Grasp, Grasped, Grip, Pose, Setting, StageMark, Target};
use crate::model::Model;
use crate::stage::{Stage, StageChange};
use crate::state::{State, StateError};
use crate::step::Workspace;
use crate::timing::Clock;
use glam::DVec3;
use std::sync::Arc;
use thiserror::Error;

/// How time goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// Length of a step (s).
    pub step: f64,
    /// How a step is cut into shorter ones.
    pub control: StepControl,
}

/// Makes models that differ in some numbers, for [`Command::Set`].
pub trait Recipe: Send + Sync + std::fmt::Debug {
    /// The model with these numbers changed. It must have the same cloths, pins, bodies and pattern of the matrix; the message says
    /// why it cannot be had.
    fn model(&self, settings: &[Setting]) -> Result<Arc<Model>, String>;
}

/// A world in motion.
///
/// Positions and velocities stay where they are in memory as long as it lives: neither steps nor [`reset`](Self::reset) nor
/// [`restore`](Self::restore) move their buffers.
#[derive(Debug)]
pub struct Simulation {
    model: Arc<Model>,
    /// As it was before any setting was changed.
    first_model: Arc<Model>,
    recipe: Option<Arc<dyn Recipe>>,
    stages: Arc<[Stage]>,
    start: Arc<State>,
    state: State,
    pace: Pace,
    /// Made when the first step needs it.
    workspace: Option<Box<Workspace>>,
    clock: Option<Clock>,
    last: Option<AdvanceReport>,
    /// The grasps of the last step, by id, in the order of their loads.
    loaded: Vec<u32>,
}

/// A snapshot that cannot be gone on from. The simulation is as it was.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum RestoreError {
    /// The bytes are damaged or of another kind.
    #[error("this is no usable snapshot: {0}")]
    Damaged(#[from] StateError),
    /// The snapshot is of another world.
    #[error(
        "the snapshot is of another world: its nodes, pins or bodies are not those of this simulation"
    )]
    OtherWorld,
    /// It was made with settings that cannot be had here.
    #[error(transparent)]
    Setting(#[from] CommandError),
}

impl Simulation {
    /// A world at the start.
    pub fn new(model: Arc<Model>, state: State, pace: Pace) -> Self {
        Simulation {
            first_model: model.clone(),
            model,
            recipe: None,
            stages: Arc::default(),
            start: Arc::new(state.clone()),
            state,
            pace,
            workspace: None,
            clock: None,
            last: None,
            loaded: Vec::new(),
        }
    }

    /// The same with somebody who can change its [numbers](Command::Set).
    pub fn with_recipe(mut self, recipe: Arc<dyn Recipe>) -> Self {
        self.recipe = Some(recipe);
        self
    }

    /// The same in stages, one after the other. The first begins with the next step, or where the state says that it is.
    pub fn with_stages(mut self, stages: Arc<[Stage]>) -> Self {
        self.stages = stages;
        self
    }

    /// The same with a clock for the phase times of the reports.
    pub fn with_clock(mut self, clock: Clock) -> Self {
        self.clock = Some(clock);
        self
    }

    /// Makes one step.
    pub fn step(&mut self) -> Result<&AdvanceReport, StepError> {
        self.step_by(self.pace.step)
    }

    /// Makes one step of another length (s).
    pub fn step_by(&mut self, seconds: f64) -> Result<&AdvanceReport, StepError> {
        self.enter_stage()?;
        let (model, clock) = (&*self.model, self.clock);
        let new = || Box::new(Workspace::new(model, clock));
        let workspace = self.workspace.get_or_insert_with(new);
        let control = &self.pace.control;
        let report = advance(model, &mut self.state, workspace, seconds, control)?;
        self.loaded.clear();
        let grasps = self.state.commanded.grasps.iter();
        self.loaded.extend(grasps.map(|g| g.id));
        Ok(self.last.insert(report))
    }

    /// Begins the stage that is due before the next step; answers with it. A step does so by itself, but whoever wants to know of
    /// it, or to have the last word, asks before.
    pub fn enter_stage(&mut self) -> Result<Option<StageChange>, StepError> {
        let Some(due) = self.due_stage() else {
            return Ok(None);
        };
        let (commanded, model) = (self.state.commanded.clone(), self.model.clone());
        if let Err(error) = self.tell(&due) {
            self.state.commanded = commanded;
            self.replace_model(model);
            return Err(StepError::Stage {
                stage: due.stage + 1,
                time: due.time,
                message: error.to_string(),
            });
        }
        Ok(Some(due))
    }

    /// The stage to begin, if it is time; the one that the run is in, if its commands are still to be given.
    fn due_stage(&mut self) -> Option<StageChange> {
        let time = self.state.time;
        let begins = |stage, ended| StageChange { stage, time, ended };
        let Some(mut mark) = self.state.commanded.stage else {
            return (!self.stages.is_empty()).then(|| begins(0, None));
        };
        let number = mark.number as usize;
        if !mark.is_told {
            return Some(begins(number, None));
        }
        // The last one lasts to the end.
        self.stages.get(number + 1)?;
        let ended = self.stages[number].end(&self.model, &self.state, &mut mark, self.pace.step);
        self.state.commanded.stage = Some(mark);
        ended.map(|ended| begins(number + 1, Some(ended)))
    }

    /// Gives the commands of a stage, and notes that it has begun.
    fn tell(&mut self, due: &StageChange) -> Result<(), CommandError> {
        let stages = self.stages.clone();
        for command in stages.get(due.stage).iter().flat_map(|s| &s.commands) {
            self.command(command)?;
        }
        let (number, now) = (due.stage as u32, self.state.time);
        let mark = &mut self.state.commanded.stage;
        let before =
            mark.filter(|m| due.ended.is_some_and(|e| !e.is_reached) && m.number != number);
        let cut_short = mark.and_then(|m| m.cut_short).or(before.map(|m| m.number));
        let begun = mark.filter(|m| m.number == number);
        *mark = Some(StageMark {
            number,
            is_told: true,
            since: begun.map_or(now, |m| m.since),
            quiet_since: begun.map_or(now, |m| m.quiet_since),
            cut_short,
        });
        Ok(())
    }

    /// Goes on by so many seconds: in whole steps, with a shorter one at the end where they do not fit.
    pub fn advance(&mut self, seconds: f64) -> Result<(), StepError> {
        let (whole, rest) = self.steps_in(seconds)?;
        for _ in 0..whole {
            self.step()?;
        }
        if let Some(rest) = rest {
            self.step_by(rest)?;
        }
        Ok(())
    }

    /// How many whole steps so many seconds are, and how long the shorter one after them is (s), if there is any. Who must look
    /// up between the steps of a long way goes through them one by one.
    pub fn steps_in(&self, seconds: f64) -> Result<(u64, Option<f64>), StepError> {
        if !(seconds >= 0.0 && seconds.is_finite()) {
            return Err(StepError::BadStep { h: seconds });
        }
        let whole = (seconds / self.pace.step + 1e-6).floor();
        let rest = seconds - whole * self.pace.step;
        Ok((
            whole as u64,
            Some(rest).filter(|r| *r > 1e-6 * self.pace.step),
        ))
    }

    /// Does what a command says before the next step; answers the id of a grasp that was made.
    pub fn command(&mut self, command: &Command) -> Result<Option<u32>, CommandError> {
        if let Command::Set { name, value } = command {
            let mut wanted = self.state.commanded.clone();
            wanted.set(name, *value);
            let model = self.model_with(&wanted.settings, name)?;
            obey(&model, &mut self.state, command)?;
            self.replace_model(model);
            return Ok(None);
        }
        obey(&self.model, &mut self.state, command)
    }

    /// Takes hold of cloth; answers the id of the grasp.
    pub fn grasp(&mut self, what: Grasped, grip: Grip) -> Result<u32, CommandError> {
        let made = self.command(&Command::Grasp {
            what,
            grip,
            frame: None,
        })?;
        Ok(made.expect("a grasp has an id"))
    }

    /// Leads a grasp to a target, evenly within so many seconds.
    pub fn move_grasp(&mut self, grasp: u32, to: Target, within: f64) -> Result<(), CommandError> {
        self.command(&Command::MoveGrasp { grasp, to, within })
            .map(drop)
    }

    /// Lets go of a grasp.
    pub fn release(&mut self, grasp: u32) -> Result<(), CommandError> {
        self.command(&Command::Release { grasp }).map(drop)
    }

    /// Pushes nodes from now on, each with a force of its own (N) in the place of what was said before; zeros end it.
    pub fn push_each(&mut self, nodes: &[u32], forces: &[DVec3]) -> Result<(), CommandError> {
        push_each(&self.model, &mut self.state, nodes, forces)
    }

    /// Multiplies all velocities, to calm a world that is to come to rest.
    pub fn scale_velocities(&mut self, factor: f64) {
        self.state.velocities.iter_mut().for_each(|v| *v *= factor);
    }

    /// Goes back to the start, and forgets what was commanded.
    pub fn reset(&mut self) {
        let start = self.start.clone();
        self.state.copy_from(&start);
        self.last = None;
        self.replace_model(self.first_model.clone());
    }

    /// Goes to the start of another simulation, whose world differs in numbers alone (another seed, another fabric), and is like it from
    /// then on. Nodes, pins, bodies and the pattern of the matrix must be the same; buffers stay where they are.
    pub fn reset_like(&mut self, other: &Simulation) -> Result<(), RestoreError> {
        if !other.first_model.is_like(&self.first_model) {
            return Err(RestoreError::OtherWorld);
        }
        self.first_model = other.first_model.clone();
        self.recipe = other.recipe.clone();
        self.stages = other.stages.clone();
        self.start = other.start.clone();
        self.pace = other.pace;
        self.reset();
        Ok(())
    }

    /// The whole state as bytes, as checkpoints have it.
    pub fn snapshot(&self) -> Vec<u8> {
        self.state.to_bytes()
    }

    /// Goes back, or ahead, to a snapshot of this world.
    pub fn restore(&mut self, snapshot: &[u8]) -> Result<(), RestoreError> {
        self.set_state(&State::from_bytes(snapshot)?)
    }

    /// Goes on from a state of this world.
    pub fn set_state(&mut self, state: &State) -> Result<(), RestoreError> {
        let settings = &state.commanded.settings;
        let model = match settings.last() {
            Some(last) => self.model_with(settings, &last.name)?,
            None => self.first_model.clone(),
        };
        let stage = state.commanded.stage;
        if !state.fits(&model) || stage.is_some_and(|m| m.number as usize >= self.stages.len()) {
            return Err(RestoreError::OtherWorld);
        }
        self.state.copy_from(state);
        self.last = None;
        self.replace_model(model);
        Ok(())
    }

    /// The model with some numbers changed, `name` the last of them.
    fn model_with(&self, settings: &[Setting], name: &str) -> Result<Arc<Model>, CommandError> {
        if settings == self.state.commanded.settings {
            return Ok(self.model.clone());
        }
        let refuse = |why: String| CommandError::Setting {
            name: name.to_owned(),
            why,
        };
        let recipe = self
            .recipe
            .as_ref()
            .ok_or_else(|| refuse("the simulation was not made from a scene".to_owned()))?;
        let made = recipe.model(settings).map_err(refuse)?;
        if !made.is_like(&self.first_model) {
            return Err(refuse(
                "it changes which nodes act on each other; start anew with it".to_owned(),
            ));
        }
        Ok(made)
    }

    fn replace_model(&mut self, model: Arc<Model>) {
        if !Arc::ptr_eq(&self.model, &model) {
            self.model = model;
            self.workspace = None;
        }
    }

    /// What stays.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// What moves.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// How time goes on.
    pub fn pace(&self) -> Pace {
        self.pace
    }

    /// The stages that it goes through.
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// The number of the stage that it is in, from 0.
    pub fn stage(&self) -> Option<usize> {
        self.state.commanded.stage.map(|m| m.number as usize)
    }

    /// The first stage, from 0, that took longer than it may to reach what it waits for, if any did.
    pub fn stage_cut_short(&self) -> Option<usize> {
        let mark = self.state.commanded.stage?;
        mark.cut_short.map(|number| number as usize)
    }

    /// Simulated time (s).
    pub fn time(&self) -> f64 {
        self.state.time
    }

    /// Where the nodes are (m).
    pub fn positions(&self) -> &[DVec3] {
        &self.state.positions
    }

    /// Their velocities (m/s).
    pub fn velocities(&self) -> &[DVec3] {
        &self.state.velocities
    }

    /// What the last step said; `None` at the start and after going back.
    pub fn last(&self) -> Option<&AdvanceReport> {
        self.last.as_ref()
    }

    /// How well the last step held.
    pub fn certificate(&self) -> Option<&Certificate> {
        self.last.as_ref().map(|last| &last.report.certificate)
    }

    /// Energies of the cloth (J).
    pub fn energies(&self) -> Energies {
        Energies::of(&self.model, &self.state)
    }

    /// Where a body is.
    pub fn body_pose(&self, body: usize) -> Pose {
        self.state.body_pose(&self.model, body, self.state.time)
    }

    /// What is grasped.
    pub fn grasps(&self) -> &[Grasp] {
        &self.state.commanded.grasps
    }

    /// The force and torque of the cloth on each body in the last step; none before one was made.
    pub fn body_loads(&self) -> &[Load] {
        self.answer(Workspace::body_loads)
    }

    /// The same on each pin of the model.
    pub fn pin_loads(&self) -> &[Load] {
        self.answer(Workspace::pin_loads)
    }

    /// The same on a grasp; none if it took no part in the last step.
    pub fn grasp_load(&self, grasp: u32) -> Option<Load> {
        self.state.commanded.grasp(grasp)?;
        let place = self.loaded.iter().position(|id| *id == grasp)?;
        let loads = self.answer(Workspace::grasp_loads);
        loads.get(place).copied()
    }

    /// Where cloth touched bodies and cloth in the last step.
    pub fn contacts(&self) -> Vec<ContactPoint> {
        match (&self.workspace, &self.last) {
            (Some(workspace), Some(_)) => workspace.contacts(&self.state),
            _ => Vec::new(),
        }
    }

    fn answer(&self, ask: impl Fn(&Workspace) -> &[Load]) -> &[Load] {
        match (&self.workspace, &self.last) {
            (Some(workspace), Some(_)) => ask(workspace),
            _ => &[],
        }
    }
}

/// Shares the model; the copy makes its own room to work in when it needs it.
impl Clone for Simulation {
    fn clone(&self) -> Self {
        Simulation {
            model: self.model.clone(),
            first_model: self.first_model.clone(),
            recipe: self.recipe.clone(),
            stages: self.stages.clone(),
            start: self.start.clone(),
            state: self.state.clone(),
            pace: self.pace,
            workspace: None,
            clock: self.clock,
            last: None,
            loaded: Vec::new(),
        }
    }
}
