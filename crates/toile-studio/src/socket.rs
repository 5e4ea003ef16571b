//! The socket of a page: what it asks goes to sessions, what they say goes to it.

use crate::limits::Limits;
use crate::live::{Outgoing, Viewer, Work};
use crate::state::Shared;
use axum::extract::State;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code};
use axum::response::Response;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use toile_live::protocol::{Ask, PROTOCOL, Refusal, RefusalKind, Reply, read, reply};
use tokio::sync::{Notify, broadcast, mpsc};

/// A page that takes no byte for so long is left.
const PATIENCE: Duration = Duration::from_secs(30);
/// Bytes that wait to be written to a page.
const WAITING_BYTES: usize = 256 << 20;

/// Number of the next socket.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// Opens the socket of a page.
pub async fn socket(State(shared): State<Arc<Shared>>, upgrade: WebSocketUpgrade) -> Response {
    let most = shared.limits.message_bytes;
    upgrade
        .max_message_size(most)
        .max_frame_size(most)
        .max_write_buffer_size(WAITING_BYTES)
        .on_upgrade(move |socket| async move {
            let (out, waiting) = mpsc::channel(shared.limits.waiting_messages);
            let viewer = Viewer {
                id: NEXT.fetch_add(1, Ordering::Relaxed),
                out,
                lost: Arc::new(Notify::new()),
            };
            let mut page = Page {
                budget: Budget::new(&shared.limits),
                viewer,
                looks_at: BTreeSet::new(),
                is_known: false,
                shared,
            };
            page.talk(socket, waiting).await;
            page.shared.sessions.leave_all(page.viewer.id);
        })
}

/// A page and what it may do.
struct Page {
    shared: Arc<Shared>,
    viewer: Viewer,
    looks_at: BTreeSet<u32>,
    /// It has said hello.
    is_known: bool,
    budget: Budget,
}

impl Page {
    /// Goes on until one of both is gone.
    async fn talk(&mut self, mut socket: WebSocket, mut waiting: mpsc::Receiver<Outgoing>) {
        let mut events = self.shared.events.subscribe();
        let lost = self.viewer.lost.clone();
        loop {
            let sent = tokio::select! {
                () = self.shared.stopped() => {
                    leave(socket, close_code::AWAY, "the studio was stopped").await;
                    return;
                }
                () = lost.notified() => {
                    leave(socket, close_code::POLICY, "the page does not read what it is sent").await;
                    return;
                }
                Some(message) = waiting.recv() => send(&mut socket, message).await,
                event = events.recv() => match event {
                    Ok(text) => send(&mut socket, Outgoing::Text(text)).await,
                    Err(broadcast::error::RecvError::Lagged(_)) => true,
                    Err(broadcast::error::RecvError::Closed) => false,
                },
                heard = socket.recv() => {
                    let Some(Ok(heard)) = heard else {
                        return;
                    };
                    if !self.budget.take() {
                        let message = "too many messages; the page is not answered any more";
                        let refusal = Refusal::new(RefusalKind::Limit, message);
                        let text = toile_live::protocol::answer(0, Err(refusal));
                        send(&mut socket, Outgoing::Text(text)).await;
                        leave(socket, close_code::POLICY, message).await;
                        return;
                    }
                    self.hear(heard)
                }
            };
            if !sent {
                return;
            }
        }
    }

    /// Takes a message; answers whether the talk goes on.
    fn hear(&mut self, message: Message) -> bool {
        match message {
            Message::Text(text) => match read(text.as_str()) {
                Ok(message) => self.ask(message.ask, message.what),
                Err((number, refusal)) => self.viewer.answer(number, Err(refusal)),
            },
            Message::Binary(_) => {
                let message = "pages send text alone; this message was binary";
                let refusal = Refusal::new(RefusalKind::Message, message);
                self.viewer.answer(0, Err(refusal));
            }
            Message::Ping(_) | Message::Pong(_) => {}
            Message::Close(_) => return false,
        }
        true
    }

    /// Answers, or passes on what a session will answer.
    fn ask(&mut self, number: u64, ask: Ask) {
        let is_silent = matches!(ask, Ask::Taken { .. });
        match self.pass_on(number, ask) {
            Ok(None) => {}
            _ if is_silent => {}
            Ok(Some(reply)) => self.viewer.answer(number, Ok(reply)),
            Err(refusal) => self.viewer.answer(number, Err(refusal)),
        }
    }

    fn pass_on(&mut self, number: u64, ask: Ask) -> Result<Option<Reply>, Refusal> {
        if !self.is_known && !matches!(ask, Ask::Hello { .. }) {
            let message = "the first message must be `hello`";
            return Err(Refusal::new(RefusalKind::Protocol, message));
        }
        let sessions = &self.shared.sessions;
        match ask {
            Ask::Hello { protocol } => self.hello(protocol).map(Some),
            Ask::Open { text, path, name } => {
                if text.len() > self.shared.limits.scene_bytes {
                    let message = format!("{} bytes are too long for a scene", text.len());
                    return Err(Refusal::new(RefusalKind::Limit, message));
                }
                let place = self.shared.place(path.as_deref(), name.as_deref());
                let viewer = self.viewer.clone();
                let opened = sessions.open(place, (text, path), viewer, number)?;
                self.looks_at.insert(opened);
                Ok(None)
            }
            Ask::Attach { session } => {
                sessions.give(session, Work::Attach(self.viewer.clone(), number))?;
                self.looks_at.insert(session);
                Ok(None)
            }
            Ask::Sessions => Ok(Some(reply(json!({ "sessions": sessions.list() })))),
            Ask::Link { sessions: linked } => sessions.link(&linked).map(|()| Some(Reply::new())),
            Ask::Close { session } if !self.looks_at.contains(&session) => {
                sessions.give(session, Work::Stop)?;
                Ok(Some(Reply::new()))
            }
            ask => {
                let session = ask.session().unwrap_or(0);
                if !self.looks_at.contains(&session) {
                    let message =
                        format!("this page does not look at session {session}; attach to it");
                    return Err(Refusal::new(RefusalKind::NoSession, message));
                }
                if matches!(ask, Ask::Leave { .. } | Ask::Close { .. }) {
                    self.looks_at.remove(&session);
                }
                sessions.give(session, Work::Ask(ask, number, self.viewer.id))?;
                Ok(None)
            }
        }
    }

    fn hello(&mut self, protocol: u32) -> Result<Reply, Refusal> {
        if protocol != u32::from(PROTOCOL) {
            let message = format!(
                "the page speaks version {protocol} and the studio {PROTOCOL}; load the page again"
            );
            return Err(Refusal::new(RefusalKind::Protocol, message));
        }
        self.is_known = true;
        Ok(reply(welcome(&self.shared)))
    }
}

/// What a page is told first.
pub fn welcome(shared: &Shared) -> Value {
    json!({
        "protocol": PROTOCOL,
        "version": env!("CARGO_PKG_VERSION"),
        "server": shared.server,
        "readOnly": shared.read_only,
    })
}

/// Sends a message; answers whether it went out.
async fn send(socket: &mut WebSocket, message: Outgoing) -> bool {
    let message = match message {
        Outgoing::Text(text) => Message::Text(text.into()),
        Outgoing::Bytes(bytes) => Message::Binary(axum::body::Bytes::from_owner(bytes)),
    };
    let sent = tokio::time::timeout(PATIENCE, socket.send(message)).await;
    matches!(sent, Ok(Ok(())))
}

async fn leave(mut socket: WebSocket, code: u16, reason: &'static str) {
    let frame = CloseFrame {
        code,
        reason: reason.into(),
    };
    // Whoever is gone already need not be told.
    let _ = tokio::time::timeout(PATIENCE, socket.send(Message::Close(Some(frame)))).await;
}

/// How many messages a page may send.
struct Budget {
    left: f64,
    most: f64,
    per_second: f64,
    at: Instant,
}

impl Budget {
    fn new(limits: &Limits) -> Self {
        let most = f64::from(limits.message_burst);
        Budget {
            left: most,
            most,
            per_second: limits.messages_per_second,
            at: Instant::now(),
        }
    }

    /// Takes one; answers whether it was there.
    fn take(&mut self) -> bool {
        let now = Instant::now();
        let gained = self.per_second * (now - self.at).as_secs_f64();
        self.at = now;
        self.left = (self.left + gained).min(self.most) - 1.0;
        self.left >= 0.0
    }
}
