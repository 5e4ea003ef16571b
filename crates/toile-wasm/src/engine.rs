//! Sessions of one page, stepped in turns.

use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use toile::energy::Fabric;
use toile::timing::Clock;
use toile_live::Session;
use toile_live::check::{Place, check};
use toile_live::protocol::{
    Ask, MAX_MESSAGE, PROTOCOL, Refusal, RefusalKind, Reply, answer, event, read, reply,
};
use toile_scene::files::MemoryFiles;
use toile_scene::scene::BUNDLED;

/// Nodes that a page steps without a server.
pub const MOST_NODES: u64 = 10_000;
/// Sessions at once: a scene and what it is held against.
const MOST_SESSIONS: usize = 4;
/// Bytes that a session's frames and snapshots may take.
const HISTORY: usize = 32 << 20;
/// Frames on their way, as over a socket.
const WINDOW: u32 = 2;
/// Rows of the table in one message.
const ROWS: usize = 500;
/// How often the status is told while it plays (s).
const STATUS_EVERY: f64 = 0.5;
/// Nothing is due for so long (s).
const LONG: f64 = 1.0;
/// Times (s) that count as the same.
const SAME: f64 = 1e-9;

/// A message to the page.
#[derive(Clone, Debug, PartialEq)]
pub enum Outgoing {
    /// JSON.
    Text(String),
    /// A world or a frame.
    Bytes(Vec<u8>),
}

/// A session and what the page has seen of it.
#[derive(Debug)]
struct Played {
    session: Session,
    on_the_way: u32,
    /// There is something that could be seen and was not sent.
    is_news: bool,
    row: u32,
    told: f64,
}

/// All sessions of a page.
#[derive(Debug)]
pub struct Engine {
    clock: Clock,
    sessions: BTreeMap<u32, Played>,
    made: u32,
    linked: Vec<u32>,
    out: VecDeque<Outgoing>,
    now: f64,
}

impl Engine {
    /// Without any. The clock (s) only measures what steps take.
    pub fn new(clock: Clock) -> Self {
        Engine {
            clock,
            sessions: BTreeMap::new(),
            made: 0,
            linked: Vec::new(),
            out: VecDeque::new(),
            now: 0.0,
        }
    }

    /// Takes a message of the page as a server does over its socket.
    pub fn ask(&mut self, text: &str) {
        match read(text) {
            Err((number, refusal)) => self.say(answer(number, Err(refusal))),
            Ok(message) => {
                let is_silent = matches!(message.what, Ask::Taken { .. });
                match self.answer(message.ask, message.what) {
                    Ok(Some(reply)) => self.say(answer(message.ask, Ok(reply))),
                    Ok(None) => {}
                    Err(_) if is_silent => {}
                    Err(refusal) => self.say(answer(message.ask, Err(refusal))),
                }
            }
        }
        self.publish();
    }

    /// Answers what a server answers over HTTP.
    pub fn get(&mut self, text: &str) {
        let message: Value = serde_json::from_str(text).unwrap_or_default();
        let number = message.get("ask").and_then(Value::as_u64).unwrap_or(0);
        let word = |name: &str| message.get(name).and_then(Value::as_str).unwrap_or("");
        let missing = || {
            let message = "a page without a server does not have this";
            Refusal::new(RefusalKind::File, message)
        };
        let found = without_a_session(word("get"), word("text")).ok_or_else(missing);
        let found = found.map(|value| reply(json!({ "value": value })));
        self.say(answer(number, found));
    }

    /// The next message for the page.
    pub fn next_message(&mut self) -> Option<Outgoing> {
        self.out.pop_front()
    }

    fn say(&mut self, text: String) {
        self.out.push_back(Outgoing::Text(text));
    }

    fn answer(&mut self, number: u64, ask: Ask) -> Result<Option<Reply>, Refusal> {
        match ask {
            Ask::Hello { protocol } if protocol == u32::from(PROTOCOL) => {
                Ok(Some(reply(welcome())))
            }
            Ask::Hello { .. } => {
                let message = "page and engine are of different versions; load the page again";
                Err(Refusal::new(RefusalKind::Protocol, message))
            }
            Ask::Open { text, name, .. } => self.open(number, &text, name).map(|()| None),
            Ask::Sessions => {
                let all = self.sessions.values().map(|p| p.session.opened(None));
                let all: Vec<Reply> = all.collect();
                Ok(Some(reply(json!({ "sessions": all }))))
            }
            Ask::Link { sessions } => {
                self.linked = sessions;
                Ok(Some(Reply::new()))
            }
            Ask::Close { session } | Ask::Leave { session } => {
                self.played(session)?;
                self.sessions.remove(&session);
                self.linked.retain(|id| *id != session);
                let why = json!({ "why": "the session was closed" });
                self.say(event("closed", session, why));
                Ok(Some(Reply::new()))
            }
            Ask::Taken { session, .. } => {
                let played = self.played(session)?;
                played.on_the_way = played.on_the_way.saturating_sub(1);
                Ok(None)
            }
            Ask::Attach { session } => {
                self.played(session)?;
                self.show(number, session);
                Ok(None)
            }
            ask => {
                let played = self.played(ask.session().unwrap_or(0))?;
                let outcome = played.session.answer(&ask);
                played.is_news = true;
                played.told = f64::NEG_INFINITY;
                outcome.map(Some)
            }
        }
    }

    fn played(&mut self, session: u32) -> Result<&mut Played, Refusal> {
        self.sessions.get_mut(&session).ok_or_else(|| {
            let message = format!("there is no session {session}; open the scene again");
            Refusal::new(RefusalKind::NoSession, message)
        })
    }

    fn open(&mut self, number: u64, text: &str, name: Option<String>) -> Result<(), Refusal> {
        if self.sessions.len() >= MOST_SESSIONS {
            let message = format!("there are {MOST_SESSIONS} sessions already; close one of them");
            return Err(Refusal::new(RefusalKind::Limit, message));
        }
        let id = self.made + 1;
        let session = Session::open(id, &place(name), text, HISTORY, Some(self.clock))?;
        self.made = id;
        let played = Played {
            session,
            on_the_way: 0,
            is_news: true,
            row: 0,
            told: f64::NEG_INFINITY,
        };
        self.sessions.insert(id, played);
        self.show(number, id);
        Ok(())
    }

    /// The answer to who begins to look at a session, and its world.
    fn show(&mut self, number: u64, id: u32) {
        let Some(played) = self.sessions.get_mut(&id) else {
            return;
        };
        (played.on_the_way, played.is_news, played.row) = (0, true, 0);
        played.told = f64::NEG_INFINITY;
        let opened = answer(number, Ok(played.session.opened(None)));
        let world = played.session.world_message();
        self.say(opened);
        self.out.push_back(Outgoing::Bytes(world));
    }

    /// Makes the steps that are due at a time (s), at most one in each session; answers how long the next one has time (s).
    pub fn tick(&mut self, now: f64) -> f64 {
        self.now = now;
        let times = self.sessions.iter().map(|(id, p)| (*id, p.session.time()));
        let times: BTreeMap<u32, f64> = times.collect();
        let linked = &self.linked;
        let mut failed = Vec::new();
        let mut wait: f64 = LONG;
        for (id, played) in &mut self.sessions {
            let session = &mut played.session;
            let time = session.time();
            let is_ahead = linked.contains(id)
                && linked
                    .iter()
                    .any(|other| times.get(other).is_some_and(|t| time > t + SAME));
            if !session.is_due() || is_ahead {
                continue;
            }
            if session.is_playing() {
                let left = session.pacing.wait(now, time);
                wait = wait.min(left);
                if left > 0.0 {
                    continue;
                }
            }
            let began = (self.clock)();
            let stepped = session.advance();
            let (time, took) = (session.time(), (self.clock)() - began);
            session.pacing.stepped(now, time, took);
            played.is_news = true;
            wait = 0.0;
            if let Err(refusal) = stepped {
                played.told = f64::NEG_INFINITY;
                let about = json!({ "message": refusal.message, "time": time });
                failed.push(event("failed", *id, about));
            } else if !session.is_due() {
                played.told = f64::NEG_INFINITY;
            }
        }
        failed.into_iter().for_each(|text| self.say(text));
        self.publish();
        wait
    }

    /// Sends what is new and can be taken.
    fn publish(&mut self) {
        let (now, out) = (self.now, &mut self.out);
        for (id, played) in &mut self.sessions {
            let session = &mut played.session;
            let (last, rewritten) = session.numbers_end();
            if let Some(from) = rewritten {
                played.row = played.row.min(from);
            }
            let mut is_cut = rewritten.is_some();
            while is_cut || played.row < last {
                let rows = session.numbers_after(played.row, ROWS);
                played.row = rows.from + rows.rows.len() as u32 - 1;
                is_cut = false;
                out.push_back(Outgoing::Text(event("numbers", *id, rows)));
            }
            if played.told == f64::NEG_INFINITY
                || (session.is_playing() && now - played.told > STATUS_EVERY)
            {
                out.push_back(Outgoing::Text(event("status", *id, session.status())));
                played.told = now;
            }
            if played.is_news && played.on_the_way < WINDOW {
                out.push_back(Outgoing::Bytes(session.frame_message()));
                played.on_the_way += 1;
                played.is_news = false;
            }
        }
    }
}

fn place(name: Option<String>) -> Place {
    Place {
        name: name.unwrap_or_else(|| "scene".to_owned()),
        folder: "".into(),
        files: Arc::new(MemoryFiles::new()),
        most_nodes: MOST_NODES,
    }
}

fn welcome() -> Value {
    json!({
        "protocol": PROTOCOL,
        "version": env!("CARGO_PKG_VERSION"),
        "server": "page",
        "readOnly": true,
    })
}

/// What a server answers over HTTP.
fn without_a_session(what: &str, text: &str) -> Option<Value> {
    match what {
        "about" => {
            let mut about = welcome();
            about["folder"] = "".into();
            about["scene"] = Value::Null;
            about["limits"] =
                json!({ "sessions": MOST_SESSIONS, "uploadBytes": 0, "sceneBytes": MAX_MESSAGE });
            Some(about)
        }
        "schema" => serde_json::from_str(&toile_scene::spec::json_schema()).ok(),
        "templates" => {
            let all = BUNDLED.iter();
            let all = all.map(|s| json!({ "name": s.name, "title": s.title(), "text": s.text }));
            Some(all.collect())
        }
        "fabrics" => {
            let known = Fabric::names().filter_map(|name| Fabric::named(name).ok());
            let all =
                known.map(|f| json!({ "name": f.name, "density": f.density, "source": f.source }));
            Some(all.collect())
        }
        "check" => serde_json::to_value(check(&place(None), text)).ok(),
        _ => None,
    }
}
