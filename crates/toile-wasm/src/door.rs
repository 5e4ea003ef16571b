//! What a page can call. Names that are not mangled count as unsafe, because two of them could clash; nothing else here does.
#![allow(unsafe_code)]

use crate::engine::{Engine, Outgoing};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The engine, and the messages that are on their way.
#[derive(Default)]
struct Door {
    engine: Engine,
    input: Vec<u8>,
    output: Vec<u8>,
}

static DOOR: Mutex<Option<Door>> = Mutex::new(None);

/// The page has one thread, so nobody ever waits here.
fn with<T>(use_it: impl FnOnce(&mut Door) -> T) -> T {
    let mut door: MutexGuard<Option<Door>> = DOOR.lock().unwrap_or_else(PoisonError::into_inner);
    use_it(door.get_or_insert_with(Door::default))
}

/// Makes room for a message of so many bytes; answers where.
#[unsafe(no_mangle)]
pub extern "C" fn toile_input(length: usize) -> usize {
    with(|door| {
        door.input.clear();
        door.input.resize(length, 0);
        door.input.as_ptr() as usize
    })
}

/// Takes the message.
#[unsafe(no_mangle)]
pub extern "C" fn toile_ask() {
    with(|door| {
        let text = String::from_utf8_lossy(&door.input);
        door.engine.ask(&text);
    });
}

/// Makes the steps that are due at a time (s); answers how long the next one has time (s).
#[unsafe(no_mangle)]
pub extern "C" fn toile_tick(now: f64) -> f64 {
    with(|door| door.engine.tick(now))
}

/// Fetches the next message for the page: 0 none, 1 text, 2 bytes.
#[unsafe(no_mangle)]
pub extern "C" fn toile_next() -> u32 {
    with(|door| match door.engine.next_message() {
        None => 0,
        Some(Outgoing::Text(text)) => {
            door.output = text.into_bytes();
            1
        }
        Some(Outgoing::Bytes(bytes)) => {
            door.output = bytes;
            2
        }
    })
}

/// Where the fetched message is.
#[unsafe(no_mangle)]
pub extern "C" fn toile_output() -> usize {
    with(|door| door.output.as_ptr() as usize)
}

/// How long it is (bytes).
#[unsafe(no_mangle)]
pub extern "C" fn toile_output_length() -> usize {
    with(|door| door.output.len())
}
