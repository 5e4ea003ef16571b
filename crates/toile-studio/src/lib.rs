//! The studio's server: live sessions, scenes and results for a page on this machine.
//!
//! ```text
//! browser ─HTTP, WebSocket→ doors (loopback, Host, Origin, secret, limits) ─→ api · socket ─→ sessions, each on a thread
//! ```
//!
//! The law of this room: nobody is trusted. Every request goes through `guard`, every path through `folder`, and whatever is
//! sent has a limit in [`Limits`]. What a session does is said in `toile-live`; here it gets a thread and viewers.

mod api;
mod error;
mod folder;
mod guard;
mod jobs;
mod limits;
mod listen;
mod live;
mod page;
mod secret;
mod shelf;
mod socket;
mod state;

pub use error::StudioError;
pub use limits::Limits;
pub use listen::{Running, serve};

use std::path::PathBuf;

/// What to serve, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// The folder; nothing outside of it is read or written.
    pub folder: PathBuf,
    /// A scene to begin with.
    pub scene: Option<StartScene>,
    /// The port; 0 for a free one.
    pub port: u16,
    /// The secret in the address, 32 hexadecimal digits, so that a server that is started again has its old address; a new one if
    /// none is given.
    pub secret: Option<String>,
    /// Nothing in the folder is changed and no job started.
    pub read_only: bool,
    /// A build of the page to serve in the place of the one inside the program.
    pub page: Option<PathBuf>,
    /// The program `toile`, with which jobs are done; none can be started without it.
    pub program: Option<PathBuf>,
    /// How much of everything there may be.
    pub limits: Limits,
}

/// The scene that a page begins with.
#[derive(Clone, Debug)]
pub struct StartScene {
    /// What to call it.
    pub name: String,
    /// Its file, inside the folder, if it has one.
    pub path: Option<String>,
    /// Its text.
    pub text: String,
}
