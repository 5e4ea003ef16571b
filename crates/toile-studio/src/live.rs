//! Live sessions: each steps on a thread of its own, and tells whoever looks at it.
//!
//! A viewer gets a frame only when it can take one: at most [`WINDOW`] are on their way, and what is sent then is the newest. So a
//! slow page slows its picture and nothing else.

mod link;
mod player;
mod viewer;

pub use link::Link;
pub use viewer::{Outgoing, Viewer};

use crate::limits::Limits;
use crate::state::locked;
use player::Player;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use toile_live::check::Place;
use toile_live::protocol::{Ask, Refusal, RefusalKind, Reply};

/// Frames of a session that are on their way to one viewer.
pub const WINDOW: u32 = 2;
/// Work that waits for a session.
const WAITING: usize = 512;
/// How often a stopping server looks whether sessions have ended, and how long it waits.
const GRACE: (Duration, u32) = (Duration::from_millis(20), 100);

/// What a session's thread is told.
#[derive(Debug)]
pub enum Work {
    /// An ask, its number, and who asks.
    Ask(Ask, u64, u64),
    /// Somebody looks.
    Attach(Viewer, u64),
    /// Nobody with this id looks any more.
    Leave(u64),
    /// It has a clock with others.
    Link(Option<Arc<Link>>),
    /// It is over.
    Stop,
}

/// How a session is known to others.
#[derive(Debug)]
struct Entry {
    work: SyncSender<Work>,
    /// What a list says of it; nothing until it has begun.
    about: Arc<Mutex<Option<Reply>>>,
}

/// All sessions.
#[derive(Debug)]
pub struct Sessions {
    limits: Limits,
    list: Mutex<List>,
}

#[derive(Debug, Default)]
struct List {
    made: u32,
    entries: BTreeMap<u32, Entry>,
}

impl Sessions {
    /// None yet.
    pub fn new(limits: Limits) -> Self {
        Sessions {
            limits,
            list: Mutex::default(),
        }
    }

    /// Starts one; answers its number. It tells the viewer by itself when its world is made.
    pub fn open(
        self: &Arc<Self>,
        place: Place,
        (text, path): (String, Option<String>),
        viewer: Viewer,
        number: u64,
    ) -> Result<u32, Refusal> {
        let (work, todo) = sync_channel(WAITING);
        let about = Arc::default();
        let id = {
            let mut list = locked(&self.list);
            if list.entries.len() >= self.limits.sessions {
                let most = self.limits.sessions;
                let message = format!(
                    "there are {most} sessions already, in this page or another one; close one of them"
                );
                return Err(Refusal::new(RefusalKind::Limit, message));
            }
            list.made += 1;
            let id = list.made;
            let entry = Entry {
                work,
                about: Arc::clone(&about),
            };
            list.entries.insert(id, entry);
            id
        };
        let (all, limits) = (Arc::clone(self), self.limits);
        let spawned = std::thread::Builder::new()
            .name(format!("session {id}"))
            .spawn(move || {
                // Whatever becomes of it, its place is free afterwards.
                let _end = End { all: &all, id };
                let opened = Player::open(id, &place, (text, path), limits, about);
                match opened {
                    Err(refusal) => viewer.answer(number, Err(refusal)),
                    Ok(mut player) => {
                        player.attach(viewer, number);
                        player.play(&todo);
                    }
                }
            });
        spawned.map(|_| id).map_err(|error| {
            locked(&self.list).entries.remove(&id);
            Refusal::new(RefusalKind::Limit, format!("no thread can be had: {error}"))
        })
    }

    /// Gives work to a session.
    pub fn give(&self, session: u32, work: Work) -> Result<(), Refusal> {
        let list = locked(&self.list);
        let entry = list.entries.get(&session);
        let missing = || {
            let message = format!("there is no session {session}; open the scene again");
            Refusal::new(RefusalKind::NoSession, message)
        };
        let sent = entry.ok_or_else(missing)?.work.try_send(work);
        sent.map_err(|error| match error {
            TrySendError::Disconnected(_) => missing(),
            TrySendError::Full(_) => {
                let message = "the session has more to do than it can take; wait for its answers";
                Refusal::new(RefusalKind::Limit, message)
            }
        })
    }

    /// Has sessions keep one clock; none of them if the list is short.
    pub fn link(&self, sessions: &[u32]) -> Result<(), Refusal> {
        let link = (sessions.len() > 1).then(|| Arc::new(Link::default()));
        let others: Vec<u32> = locked(&self.list).entries.keys().copied().collect();
        for &session in sessions {
            self.give(session, Work::Link(link.clone()))?;
        }
        if sessions.is_empty() {
            for session in others {
                self.give(session, Work::Link(None))?;
            }
        }
        Ok(())
    }

    /// Nobody with this id looks at any session any more.
    pub fn leave_all(&self, viewer: u64) {
        for entry in locked(&self.list).entries.values() {
            // One that is too busy to hear it finds out when it sends something.
            let _ = entry.work.try_send(Work::Leave(viewer));
        }
    }

    /// What there is.
    pub fn list(&self) -> Vec<Value> {
        let list = locked(&self.list);
        let about = list
            .entries
            .values()
            .filter_map(|e| locked(&e.about).clone());
        about.map(Value::Object).collect()
    }

    /// Ends all of them.
    pub fn stop(&self) {
        for entry in locked(&self.list).entries.values() {
            let _ = entry.work.try_send(Work::Stop);
        }
        for _ in 0..GRACE.1 {
            if locked(&self.list).entries.is_empty() {
                return;
            }
            std::thread::sleep(GRACE.0);
        }
    }
}

/// Takes a session off the list.
struct End<'a> {
    all: &'a Sessions,
    id: u32,
}

impl Drop for End<'_> {
    fn drop(&mut self) {
        locked(&self.all.list).entries.remove(&self.id);
    }
}
