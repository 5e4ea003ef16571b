//! The engine for a page without a server.
//!
//! The page says and hears the same as over a socket (`studio/src/protocol.ts`), through memory that both see:
//!
//! 1. `alloc(length)` makes room for a message and answers where; the page puts its text there, and gives it back with
//!    `release` when it has been used;
//! 2. `ask(place, length)` takes a message as over the socket, `get(place, length)` one that a server answers over HTTP:
//!    `{ get: 'about' }`, `schema`, `templates`, `fabrics`, or `{ get: 'check', text }`; the answer has it as `value`;
//! 3. `tick(milliseconds)` lets so much time pass, and makes the steps that are due;
//! 4. `next()` answers where the next message for the page is: `u32` kind (0 text, 1 bytes), `u32` length, the message; 0 if there
//!    is none. It stays there until the next call.
//!
//! The page brings a clock along: `env.now`, in milliseconds.
//!
//! [`Engine`] does all that, and is the same on every machine. `door` only lets a page in.

mod door;
mod engine;

pub use engine::{Engine, Outgoing};
