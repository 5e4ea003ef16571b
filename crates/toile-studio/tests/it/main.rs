//! The studio's server as a browser, and as somebody worse, meets it. Nothing leaves this machine.

#![allow(clippy::unwrap_used)]

mod attacks;
mod client;
mod folder;
mod live;
mod sockets;
