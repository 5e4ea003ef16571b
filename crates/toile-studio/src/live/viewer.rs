//! Somebody who looks at a session, and what was sent.

use std::sync::Arc;
use toile_live::protocol::{Refusal, Reply, answer};
use tokio::sync::{Notify, mpsc};

/// A message to a page.
#[derive(Clone, Debug)]
pub enum Outgoing {
    /// JSON.
    Text(String),
    /// A world or a frame, which several pages may share.
    Bytes(Arc<[u8]>),
}

/// A page, as sessions know it.
#[derive(Clone, Debug)]
pub struct Viewer {
    /// Its socket's.
    pub id: u64,
    /// What it is to be sent.
    pub out: mpsc::Sender<Outgoing>,
    /// Told when it does not read what it is sent.
    pub lost: Arc<Notify>,
}

impl Viewer {
    /// Sends what must arrive. A page that lets too much wait is left.
    pub fn send(&self, message: Outgoing) {
        if self.out.try_send(message).is_err() {
            self.lost.notify_one();
        }
    }

    /// Sends what may come later, if there is room; answers whether.
    pub fn offer(&self, message: Outgoing) -> bool {
        self.out.try_send(message).is_ok()
    }

    /// Answers an ask.
    pub fn answer(&self, number: u64, outcome: Result<Reply, Refusal>) {
        self.send(Outgoing::Text(answer(number, outcome)));
    }
}

/// A viewer of one session.
#[derive(Debug)]
pub struct Looking {
    pub viewer: Viewer,
    /// Frames that it has not taken up.
    pub on_the_way: u32,
    /// The newest picture that it was sent.
    pub picture: u64,
    /// The last row of the table that it was sent.
    pub row: u32,
    /// The table was rewritten, and it must hear of it even if there is no row.
    pub rewritten: bool,
}

impl Looking {
    /// One that has seen nothing.
    pub fn new(viewer: Viewer) -> Self {
        Looking {
            viewer,
            on_the_way: 0,
            picture: 0,
            row: 0,
            rewritten: false,
        }
    }
}
