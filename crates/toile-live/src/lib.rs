//! Live sessions: a simulation that a page plays, pulls at, changes and looks back on.
//!
//! ```text
//! JSON asks ─→ Session { simulation, history, numbers } ─→ answers (JSON) · world and frames (bytes)
//! ```
//!
//! The law of this room: no threads, no clock, no disk of its own. A server steps sessions on threads, a browser in its own
//! loop, and both say the same things in the same bytes. `studio/src/protocol.ts` describes them.
//!
//! * [`protocol`]: what can be asked and answered. [`Session`]: who does it. [`bytes`]: worlds and frames.
//! * [`history`]: what is kept to look back on, and to go on from. [`numbers`]: the table of every step. [`field`]: colours.
//! * [`mod@check`]: what is wrong with a scene's text. [`recorded`]: recordings in the same bytes. [`pacing`]: how fast time goes.

pub mod bytes;
pub mod check;
pub mod command;
pub mod field;
pub mod history;
pub mod inspect;
pub mod numbers;
pub mod pacing;
pub mod protocol;
pub mod recorded;
mod session;
pub mod world;

pub use session::Session;
