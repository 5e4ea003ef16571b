//! A session: a simulation, what it has been through, and what is shown of it.

use crate::bytes::{FLAG_CUT, FLAG_PAST, Frame, ShownGrasp};
use crate::check::{Place, problem, resolve};
use crate::command;
use crate::field::{Surroundings, gaps_of, of_touched, touched};
use crate::history::{History, Kept};
use crate::inspect;
use crate::numbers::{Numbers, Rows, row};
use crate::pacing::Pacing;
use crate::protocol::{
    Ask, Field, GraspStatus, GripName, Order, Refusal, RefusalKind, Reply, Status, reply,
};
use crate::world;
use glam::DVec3;
use serde_json::json;
use std::collections::BTreeMap;
use toile::simulation::Simulation;
use toile::timing::Clock;
use toile_scene::scene::World;
use toile_scene::spec::SceneSpec;

/// Steps that one ask may make.
const MOST_STEPS: u32 = 1000;

/// A simulation that is played.
#[derive(Debug)]
pub struct Session {
    id: u32,
    world: World,
    simulation: Simulation,
    around: Surroundings,
    history: History,
    numbers: Numbers,
    /// The newest frame: how many steps of the schedule were made.
    newest: u32,
    /// The frame that is shown, if it is not the newest.
    shown: Option<u32>,
    field: Field,
    /// How each grasp was asked for.
    grips: BTreeMap<u32, GripName>,
    wind: DVec3,
    playing: bool,
    /// Steps to be made though it is paused.
    owed: u32,
    /// The next frame does not follow the last one.
    cut: bool,
    /// Since when the table of numbers is another one.
    rewritten: Option<u32>,
    /// How fast time goes.
    pub pacing: Pacing,
}

impl Session {
    /// Starts one. Frames and snapshots may take so much memory (bytes).
    pub fn open(
        id: u32,
        place: &Place,
        text: &str,
        memory: usize,
        clock: Option<Clock>,
    ) -> Result<Session, Refusal> {
        let world = resolve(place, text).map_err(|error| Refusal {
            problems: vec![problem(&error, text)],
            ..Refusal::new(RefusalKind::Scene, error.to_string())
        })?;
        let mut simulation = world.simulation();
        if let Some(clock) = clock {
            simulation = simulation.with_clock(clock);
        }
        let around = Surroundings::new(&world.model);
        let mut session = Session {
            id,
            wind: wind_of(&world),
            world,
            simulation,
            around,
            history: History::new(memory),
            numbers: Numbers::default(),
            newest: 0,
            shown: None,
            field: Field::None,
            grips: BTreeMap::new(),
            playing: false,
            owed: 0,
            cut: true,
            rewritten: None,
            pacing: Pacing::default(),
        };
        session.keep();
        Ok(session)
    }

    /// Does what is asked of a session.
    pub fn answer(&mut self, ask: &Ask) -> Result<Reply, Refusal> {
        match ask {
            Ask::Play { .. } => {
                self.playing = true;
                self.pacing.restart();
            }
            Ask::Pause { .. } => self.pause(),
            Ask::Step { count, .. } => {
                self.pause();
                self.owed = count.unwrap_or(1).min(MOST_STEPS);
            }
            Ask::Reset { .. } => self.reset(),
            Ask::Seek { frame, .. } => {
                let frame = self.seek(*frame);
                return Ok(reply(json!({ "frame": frame })));
            }
            Ask::Pace { factor, .. } => {
                if !(*factor >= 0.0 && factor.is_finite()) {
                    let message = "the pace must be zero or a positive number";
                    return Err(Refusal::new(RefusalKind::Command, message));
                }
                self.pacing.pace = *factor;
                self.pacing.restart();
            }
            Ask::Show { field, .. } => self.field = *field,
            Ask::Command { command, .. } => return self.command(command),
            Ask::Contacts { limit, .. } => {
                let (world, simulation) = (&self.world, &self.simulation);
                let found = inspect::contacts(self.newest, world, simulation, *limit);
                return Ok(reply(found));
            }
            Ask::Failing { .. } => {
                let found = inspect::failing(self.newest, &self.simulation, &self.around);
                return Ok(reply(found));
            }
            _ => {
                let message = "this is not for a session to answer";
                return Err(Refusal::new(RefusalKind::Message, message));
            }
        }
        Ok(Reply::new())
    }

    /// Whether a step is to be made: it plays, or owes one.
    pub fn is_due(&self) -> bool {
        self.playing || self.owed > 0
    }

    /// Whether it plays, in which steps wait for their time.
    pub fn is_playing(&self) -> bool {
        self.playing
    }

    /// Stops playing.
    pub fn pause(&mut self) {
        self.playing = false;
        self.owed = 0;
        self.pacing.restart();
    }

    /// Makes a step; if a frame of the past is shown, from there. A step that fails pauses.
    pub fn advance(&mut self) -> Result<(), Refusal> {
        self.owed = self.owed.saturating_sub(1);
        let stepped = self.go_on_from_shown().and_then(|()| self.step());
        if stepped.is_err() {
            self.pause();
        }
        stepped
    }

    fn step(&mut self) -> Result<(), Refusal> {
        let stepped = self.simulation.step().map(drop);
        stepped.map_err(|error| Refusal::new(RefusalKind::Step, error.to_string()))?;
        self.newest += 1;
        let row = row(self.newest, &self.world, &self.simulation);
        self.numbers.push(row);
        self.keep();
        Ok(())
    }

    /// Keeps the newest frame to look back on.
    fn keep(&mut self) {
        let frame = self.newest;
        if self.history.wants_snapshot(frame) {
            let snapshot = self.simulation.snapshot();
            self.history.keep_snapshot(frame, snapshot);
        }
        if self.history.wants(frame) {
            self.history.keep(frame, self.kept_whole());
        }
    }

    /// The present state as frames show it.
    fn kept(&self) -> Kept {
        let positions = self.simulation.positions();
        let origin = middle(positions);
        let local = |p: &DVec3| (*p - origin).as_vec3().to_array();
        let poses = self.world.body_poses(self.simulation.state());
        Kept {
            time: self.simulation.time(),
            origin,
            positions: positions.iter().map(local).collect(),
            poses: poses.iter().map(|p| (p.translation, p.rotation)).collect(),
            led: Vec::new(),
            grasps: Vec::new(),
            touched: Vec::new(),
        }
    }

    /// The same with what the simulation cannot be asked any more when it has gone on.
    fn kept_whole(&self) -> Kept {
        let nodes = self.world.model.node_count();
        Kept {
            led: self.simulation.state().commanded.bodies.clone(),
            grasps: self.shown_grasps(),
            touched: touched(&self.simulation.contacts(), nodes),
            ..self.kept()
        }
    }

    /// Goes to the start and forgets everything since.
    fn reset(&mut self) {
        self.pause();
        self.simulation.reset();
        self.history.cut(0);
        self.numbers.cut(0);
        self.grips.clear();
        (self.newest, self.shown) = (0, None);
        (self.cut, self.rewritten) = (true, Some(0));
    }

    /// Shows the kept frame that is nearest to a number; answers which.
    fn seek(&mut self, frame: u32) -> u32 {
        self.pause();
        self.cut = true;
        let found = self.history.nearest(frame).map(|(at, _)| at);
        // The newest may be nearer than any that was kept.
        let newest = self.newest;
        let is_nearer = |at: &u32| at.abs_diff(frame) <= newest.abs_diff(frame) && *at != newest;
        self.shown = found.filter(is_nearer);
        self.shown.unwrap_or(newest)
    }

    /// Leads the simulation to the frame that is shown, to the same bits as before.
    fn go_on_from_shown(&mut self) -> Result<(), Refusal> {
        let Some(frame) = self.shown else {
            return Ok(());
        };
        let lost = |why: &str| Refusal::new(RefusalKind::Step, format!("cannot go back: {why}"));
        let snapshot = self.history.snapshot(frame);
        let (at, snapshot) = snapshot.ok_or_else(|| lost("there is no earlier state"))?;
        let restored = self.simulation.restore(snapshot);
        restored.map_err(|error| lost(&error.to_string()))?;
        // From here on it is somewhere between, until it has arrived.
        for frame in at..frame {
            for command in self.history.commands(frame) {
                let obeyed = self.simulation.command(&command);
                obeyed.map_err(|error| lost(&error.to_string()))?;
            }
            let stepped = self.simulation.step();
            stepped.map_err(|error| lost(&error.to_string()))?;
        }
        self.newest = frame;
        self.shown = None;
        self.history.cut(frame);
        self.numbers.cut(frame);
        self.cut = true;
        self.rewritten = Some(frame);
        let held = self.simulation.grasps().iter().map(|g| g.id);
        let held: Vec<u32> = held.collect();
        self.grips.retain(|id, _| held.contains(id));
        Ok(())
    }

    /// Does what is ordered before the next step.
    fn command(&mut self, order: &Order) -> Result<Reply, Refusal> {
        self.go_on_from_shown()?;
        // Step by step there is no other time than that of the simulation.
        let factor = self.pacing.factor().filter(|_| self.playing);
        let hand = command::hand_speed(factor.unwrap_or(1.0));
        let commands = command::commands(order, &self.world, &self.simulation, hand)?;
        let mut made = None;
        for command in commands {
            let obeyed = self.simulation.command(&command);
            let obeyed = obeyed.map_err(|error| Refusal {
                restart: matches!(order, Order::Set { .. }),
                ..Refusal::new(RefusalKind::Command, error.to_string())
            })?;
            made = made.or(obeyed);
            self.history.note(self.newest, command);
        }
        if let (Some(id), Order::Grasp { grip, .. } | Order::GraspNodes { grip, .. }) =
            (made, order)
        {
            self.grips.insert(id, *grip);
        }
        let after = self.newest;
        Ok(match made {
            Some(grasp) => reply(json!({ "after": after, "grasp": grasp })),
            None => reply(json!({ "after": after })),
        })
    }

    /// Where it stands.
    pub fn status(&self) -> Status {
        let state = self.simulation.state();
        let commanded = &state.commanded;
        let grasps = commanded.grasps.iter().map(|grasp| GraspStatus {
            grasp: grasp.id,
            grip: self.grips.get(&grasp.id).copied().unwrap_or_default(),
            nodes: grasp.nodes.clone(),
        });
        let stage = self.simulation.stage();
        let stage = stage.and_then(|k| self.simulation.stages().get(k));
        let shown = self
            .shown
            .and_then(|f| self.history.nearest(f))
            .map(|f| f.1.time);
        let settings = commanded.settings.iter().map(|s| (s.name.clone(), s.value));
        Status {
            playing: self.playing,
            frame: self.shown.unwrap_or(self.newest),
            time: shown.unwrap_or(state.time),
            last: self.newest,
            stride: self.history.stride(),
            factor: self.pacing.factor().filter(|_| self.playing),
            pace: self.pacing.pace,
            milliseconds: self.pacing.milliseconds(),
            stage: stage.map(|s| s.name.clone()),
            grasps: grasps.collect(),
            gravity: state.gravity(self.simulation.model()).to_array(),
            wind: commanded.wind.unwrap_or(self.wind).to_array(),
            settings: settings.collect(),
        }
    }

    /// What the page is told when it begins to look at it.
    pub fn opened(&self, path: Option<&str>) -> Reply {
        reply(json!({
            "session": self.id,
            "title": self.world.title,
            "path": path,
            "nodes": self.world.model.node_count(),
            "status": self.status(),
        }))
    }

    /// The world, as bytes.
    pub fn world_message(&self) -> Vec<u8> {
        world::message(&self.world, self.id)
    }

    /// The frame that is shown, as bytes.
    pub fn frame_message(&mut self) -> Vec<u8> {
        let cut = if std::mem::take(&mut self.cut) {
            FLAG_CUT
        } else {
            0
        };
        let past = self.shown.and_then(|frame| self.history.nearest(frame));
        let Some((number, kept)) = past else {
            let kept = self.kept();
            let field = self.around.of_now(self.field, &self.simulation);
            let grasps = self.shown_grasps();
            return self.bytes((self.newest, cut), &kept, grasps, field.as_deref());
        };
        let field = self.past_field(number, kept);
        let about = (number, cut | FLAG_PAST);
        self.bytes(about, kept, kept.grasps.clone(), field.as_deref())
    }

    fn bytes(
        &self,
        (number, flags): (u32, u32),
        kept: &Kept,
        grasps: Vec<ShownGrasp>,
        field: Option<&[f32]>,
    ) -> Vec<u8> {
        let frame = Frame {
            number,
            flags,
            time: kept.time,
            origin: kept.origin,
            poses: kept.poses.clone(),
            grasps,
            positions: &kept.positions,
            field: field.map(|values| (self.field as u32, values)),
        };
        frame.message(self.id)
    }

    /// The field of a frame that was kept.
    fn past_field(&self, number: u32, kept: &Kept) -> Option<Vec<f32>> {
        let places = |kept: &Kept| -> Vec<DVec3> {
            let wide = |p: &[f32; 3]| glam::Vec3::from_array(*p).as_dvec3() + kept.origin;
            kept.positions.iter().map(wide).collect()
        };
        let here = places(kept);
        match (self.field, self.history.before(number)) {
            (Field::Speed, Some(before)) => {
                let seconds = kept.time - before.time;
                let ways = here.iter().zip(places(before));
                Some(
                    ways.map(|(a, b)| (a.distance(b) / seconds) as f32)
                        .collect(),
                )
            }
            (Field::Gap, _) => {
                let mut then = self.simulation.state().clone();
                then.commanded.bodies.clone_from(&kept.led);
                (then.time, then.positions) = (kept.time, here);
                Some(gaps_of(self.simulation.model(), &then))
            }
            (field @ (Field::Force | Field::Friction), _) => {
                Some(of_touched(field, &kept.touched, here.len()))
            }
            (field, _) => self.around.of_shape(field, self.simulation.model(), &here),
        }
    }

    fn shown_grasps(&self) -> Vec<ShownGrasp> {
        let (time, positions) = (self.simulation.time(), self.simulation.positions());
        let grasps = self.simulation.grasps().iter();
        let shown = grasps.map(|grasp| ShownGrasp {
            id: grasp.id,
            target: command::target(grasp, time),
            held: command::held(grasp, positions),
            force: self
                .simulation
                .grasp_load(grasp.id)
                .map_or(DVec3::ZERO, |load| load.force),
        });
        shown.collect()
    }

    /// The newest row of the table, and whether the table was rewritten since this was last asked: then from which frame on.
    pub fn numbers_end(&mut self) -> (u32, Option<u32>) {
        (self.numbers.last(), self.rewritten.take())
    }

    /// Rows of the table after a frame, at most so many.
    pub fn numbers_after(&self, frame: u32, most: usize) -> Rows {
        self.numbers.after(frame, most)
    }

    /// Simulated time (s).
    pub fn time(&self) -> f64 {
        self.simulation.time()
    }

    /// Of a step (s).
    pub fn step_length(&self) -> f64 {
        self.world.schedule.step
    }

    /// The simulation.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }
}

/// The wind that the scene has.
fn wind_of(world: &World) -> DVec3 {
    let spec: Option<SceneSpec> = world.source.parse().ok();
    let air = spec.and_then(|spec| spec.environment.air);
    air.map_or(DVec3::ZERO, |air| DVec3::from_array(air.wind))
}

/// A place near all nodes, from which single precision is enough.
fn middle(positions: &[DVec3]) -> DVec3 {
    let (low, high) = positions
        .iter()
        .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(l, h), &p| {
            (l.min(p), h.max(p))
        });
    match low.is_finite() && high.is_finite() {
        // Whole metres, so that the difference loses nothing and neighbouring frames share it.
        true => (0.5 * (low + high)).round(),
        false => DVec3::ZERO,
    }
}
