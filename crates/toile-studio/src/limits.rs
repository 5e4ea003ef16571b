//! How much of everything there may be.

use std::time::Duration;

/// Bounds of what a server takes and keeps.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections at once.
    pub connections: usize,
    /// A request's head must have come in this time.
    pub head_time: Duration,
    /// And its body in this.
    pub body_time: Duration,
    /// Bytes of a scene's text.
    pub scene_bytes: usize,
    /// Bytes of an uploaded mesh.
    pub upload_bytes: usize,
    /// Sessions at once.
    pub sessions: usize,
    /// Nodes of a live session.
    pub nodes: u64,
    /// Bytes that a session's frames and snapshots may take.
    pub history_bytes: usize,
    /// A session that nobody looks at is dropped after this time.
    pub idle_time: Duration,
    /// Messages that a socket may send at once.
    pub message_burst: u32,
    /// And every second.
    pub messages_per_second: f64,
    /// Bytes of a socket's message.
    pub message_bytes: usize,
    /// Messages that wait for a page to read them. A page that lets more wait is left.
    pub waiting_messages: usize,
    /// Jobs that run at once.
    pub jobs: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            connections: 64,
            head_time: Duration::from_secs(10),
            body_time: Duration::from_secs(60),
            scene_bytes: 1 << 20,
            upload_bytes: 64 << 20,
            sessions: 8,
            nodes: 250_000,
            history_bytes: 128 << 20,
            idle_time: Duration::from_secs(600),
            message_burst: 2000,
            messages_per_second: 1000.0,
            message_bytes: 4 << 20,
            waiting_messages: 256,
            jobs: 1,
        }
    }
}
