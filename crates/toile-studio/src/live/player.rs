//! The thread of a session: it takes asks, makes steps when they are due, and publishes.

use super::viewer::{Looking, Outgoing, Viewer};
use super::{Link, WINDOW, Work};
use crate::limits::Limits;
use crate::state::locked;
use serde_json::json;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use toile_live::Session;
use toile_live::check::Place;
use toile_live::protocol::{Ask, Refusal, Reply, Status, event};

/// Asks that are answered between two steps at the most, so that no flood of them holds up the simulation.
const ASKS_PER_STEP: usize = 64;
/// Rows of the table in one message.
const ROWS: usize = 500;
/// How often rows are sent while it plays, and the status.
const ROWS_EVERY: Duration = Duration::from_millis(50);
const STATUS_EVERY: Duration = Duration::from_millis(500);
/// How often it looks up while it waits for others, or for nothing.
const LINKED: Duration = Duration::from_millis(2);
const RESTING: Duration = Duration::from_millis(500);

/// A session with its viewers.
pub struct Player {
    id: u32,
    path: Option<String>,
    session: Session,
    looking: Vec<Looking>,
    link: Option<Arc<Link>>,
    about: Arc<Mutex<Option<Reply>>>,
    limits: Limits,
    began: Instant,
    /// Counts what could be seen.
    picture: u64,
    told: Option<Status>,
    told_at: Instant,
    rows_at: Instant,
    seen_at: Instant,
    is_over: bool,
}

impl Player {
    /// Makes the world.
    pub fn open(
        id: u32,
        place: &Place,
        (text, path): (String, Option<String>),
        limits: Limits,
        about: Arc<Mutex<Option<Reply>>>,
    ) -> Result<Player, Refusal> {
        let clock = Some(toile_scene::run::wall_clock as toile::timing::Clock);
        let session = Session::open(id, place, &text, limits.history_bytes, clock)?;
        let now = Instant::now();
        Ok(Player {
            id,
            path,
            session,
            looking: Vec::new(),
            link: None,
            about,
            limits,
            began: now,
            picture: 1,
            told: None,
            told_at: now,
            rows_at: now,
            seen_at: now,
            is_over: false,
        })
    }

    /// Somebody looks: the answer, the world, the frame and the table.
    pub fn attach(&mut self, viewer: Viewer, number: u64) {
        self.looking.retain(|l| l.viewer.id != viewer.id);
        let opened = self.session.opened(self.path.as_deref());
        // Who has heard the answer finds it in the list.
        *locked(&self.about) = Some(opened.clone());
        viewer.answer(number, Ok(opened));
        viewer.send(Outgoing::Bytes(self.session.world_message().into()));
        self.looking.push(Looking::new(viewer));
        self.publish();
    }

    /// Goes on until it is over.
    pub fn play(&mut self, todo: &Receiver<Work>) {
        while !self.is_over {
            self.take_work(todo);
            if self.session.is_due() && self.wait().is_zero() && !self.is_over {
                self.step();
            }
            self.publish();
            self.rest();
        }
        if let Some(link) = &self.link {
            link.leave(self.id);
        }
        let why = json!({ "why": "the session was closed" });
        self.tell_all(event("closed", self.id, why));
    }

    fn now(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }

    /// How long until the next step.
    fn wait(&mut self) -> Duration {
        // Single steps are asked for one by one, and wait for nobody.
        if !self.session.is_playing() {
            return Duration::ZERO;
        }
        let time = self.session.time();
        if let Some(link) = &self.link {
            link.note(self.id, time);
            if !link.may_step(self.id, time) {
                return LINKED;
            }
        }
        let now = self.now();
        Duration::from_secs_f64(self.session.pacing.wait(now, time).min(1.0))
    }

    fn take_work(&mut self, todo: &Receiver<Work>) {
        let wait = match self.session.is_due() {
            true => self.wait(),
            false => RESTING,
        };
        let mut next = match todo.recv_timeout(wait) {
            Ok(work) => Some(work),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                self.is_over = true;
                None
            }
        };
        for _ in 0..ASKS_PER_STEP {
            let Some(work) = next else {
                return;
            };
            self.work(work);
            next = todo.try_recv().ok();
        }
        if let Some(work) = next {
            self.work(work);
        }
    }

    fn work(&mut self, work: Work) {
        match work {
            Work::Attach(viewer, number) => self.attach(viewer, number),
            Work::Leave(viewer) => self.looking.retain(|l| l.viewer.id != viewer),
            Work::Stop => self.is_over = true,
            Work::Link(link) => {
                if let Some(old) = self.link.take() {
                    old.leave(self.id);
                }
                if let Some(link) = &link {
                    link.note(self.id, self.session.time());
                }
                self.link = link;
            }
            Work::Ask(ask, number, viewer) => self.answer(&ask, number, viewer),
        }
    }

    fn answer(&mut self, ask: &Ask, number: u64, viewer: u64) {
        let place = self.looking.iter().position(|l| l.viewer.id == viewer);
        if let Ask::Taken { .. } = ask {
            if let Some(place) = place {
                let looking = &mut self.looking[place];
                looking.on_the_way = looking.on_the_way.saturating_sub(1);
            }
            return;
        }
        let outcome = match ask {
            Ask::Close { .. } => {
                self.is_over = true;
                Ok(Reply::new())
            }
            Ask::Leave { .. } => Ok(Reply::new()),
            ask => self.session.answer(ask),
        };
        // What was asked may be seen, even if it was refused: a command first goes on from what is shown.
        self.picture += 1;
        if let Some(place) = place {
            self.looking[place].viewer.answer(number, outcome);
            if matches!(ask, Ask::Leave { .. }) {
                self.looking.remove(place);
            }
        }
    }

    fn step(&mut self) {
        let began = self.now();
        let stepped = self.session.advance();
        let now = self.now();
        let time = self.session.time();
        self.session.pacing.stepped(now, time, now - began);
        if let Some(link) = &self.link {
            link.note(self.id, time);
        }
        self.picture += 1;
        if let Err(refusal) = stepped {
            let about = json!({ "message": refusal.message, "time": time });
            self.tell_all(event("failed", self.id, about));
        }
    }

    /// A session that nobody looks at rests, and ends after a while.
    fn rest(&mut self) {
        self.looking.retain(|l| !l.viewer.out.is_closed());
        if !self.looking.is_empty() {
            self.seen_at = Instant::now();
            return;
        }
        if self.session.is_due() {
            self.session.pause();
        }
        if let Some(link) = self.link.take() {
            link.leave(self.id);
        }
        self.is_over |= self.seen_at.elapsed() > self.limits.idle_time;
    }

    /// Sends what is new to those who can take it.
    fn publish(&mut self) {
        self.publish_status();
        self.publish_rows();
        let picture = self.picture;
        let can_take = |l: &Looking| l.picture < picture && l.on_the_way < WINDOW;
        if !self.looking.iter().any(can_take) {
            return;
        }
        let frame: Arc<[u8]> = self.session.frame_message().into();
        for looking in self.looking.iter_mut().filter(|l| can_take(l)) {
            if looking.viewer.offer(Outgoing::Bytes(frame.clone())) {
                looking.on_the_way += 1;
                looking.picture = picture;
            }
        }
    }

    fn publish_status(&mut self) {
        let status = self.session.status();
        let is_news = self.told.as_ref().is_none_or(|told| differs(told, &status));
        let is_time = status.playing && self.told_at.elapsed() > STATUS_EVERY;
        let is_new_here = self.looking.iter().any(|l| l.picture == 0);
        if !(is_news || is_time || is_new_here) {
            return;
        }
        *locked(&self.about) = Some(self.session.opened(self.path.as_deref()));
        self.tell_all(event("status", self.id, &status));
        self.told = Some(status);
        self.told_at = Instant::now();
    }

    fn publish_rows(&mut self) {
        let (last, rewritten) = self.session.numbers_end();
        if let Some(from) = rewritten {
            for looking in &mut self.looking {
                looking.row = looking.row.min(from);
                looking.rewritten = true;
            }
        }
        if self.session.is_playing() && self.rows_at.elapsed() < ROWS_EVERY {
            return;
        }
        self.rows_at = Instant::now();
        for looking in &mut self.looking {
            while looking.rewritten || looking.row < last {
                let rows = self.session.numbers_after(looking.row, ROWS);
                let end = rows.from + rows.rows.len() as u32 - 1;
                let text = event("numbers", self.id, rows);
                if !looking.viewer.offer(Outgoing::Text(text)) {
                    break;
                }
                looking.row = end;
                looking.rewritten = false;
            }
        }
    }

    fn tell_all(&self, text: String) {
        for looking in &self.looking {
            looking.viewer.send(Outgoing::Text(text.clone()));
        }
    }
}

/// Whether something changed besides the time that goes by while it plays.
fn differs(told: &Status, now: &Status) -> bool {
    let still = |status: &Status| (!status.playing).then_some((status.frame, status.last));
    let same = told.playing == now.playing
        && still(told) == still(now)
        && told.stride == now.stride
        && told.pace == now.pace
        && told.stage == now.stage
        && told.grasps == now.grasps
        && (told.gravity, told.wind) == (now.gravity, now.wind)
        && told.settings == now.settings;
    !same
}
