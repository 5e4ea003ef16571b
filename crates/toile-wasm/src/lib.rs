//! The engine for a page without a server.
//!
//! The page says and hears the same as over a socket (`studio/src/protocol.ts`), through memory that both see:
//!
//! 1. `toile_input(length)` makes room for a message and answers where; the page puts its text there;
//! 2. `toile_ask()` takes it;
//! 3. `toile_tick(seconds)` makes the steps that are due at this time, at most one in each session, and answers how long the next
//!    one has time (s);
//! 4. `toile_next()` fetches the next message for the page: 0 none, 1 text, 2 bytes; `toile_output()` says where it is and
//!    `toile_output_length()` how long, until the next call of any of these.
//!
//! [`Engine`] does all that, and is the same on every machine. `door` only lets a page in.

mod door;
mod engine;

pub use engine::{Engine, Outgoing};
