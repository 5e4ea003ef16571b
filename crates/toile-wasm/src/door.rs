//! What a page can call. Names that are not mangled count as unsafe, because two of them could clash, and so does whatever is
//! imported; there is nothing else of that kind here.
#![allow(unsafe_code)]

use crate::engine::{Engine, Outgoing};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How long steps may be made before the page is heard again (s).
const TURN: f64 = 0.03;
/// More is not made room for (bytes).
const MOST: usize = 16 << 20;

/// The engine, and the messages that are on their way.
struct Door {
    engine: Engine,
    /// Room that was made, by its place.
    rooms: BTreeMap<usize, Vec<u8>>,
    output: Vec<u8>,
    /// The time that has passed (s).
    now: f64,
}

static DOOR: Mutex<Option<Door>> = Mutex::new(None);

/// The page has one thread, so nobody ever waits here.
fn with<T>(use_it: impl FnOnce(&mut Door) -> T) -> T {
    let mut door: MutexGuard<Option<Door>> = DOOR.lock().unwrap_or_else(PoisonError::into_inner);
    use_it(door.get_or_insert_with(|| Door {
        engine: Engine::new(seconds),
        rooms: BTreeMap::new(),
        output: Vec::new(),
        now: 0.0,
    }))
}

#[cfg(target_arch = "wasm32")]
#[link(wasm_import_module = "env")]
unsafe extern "C" {
    /// Milliseconds since some moment.
    safe fn now() -> f64;
}

/// The page's clock (s).
#[cfg(target_arch = "wasm32")]
fn seconds() -> f64 {
    1e-3 * now()
}

#[cfg(not(target_arch = "wasm32"))]
fn seconds() -> f64 {
    toile_scene::run::wall_clock()
}

/// Makes room for a message of so many bytes; answers where, or 0 if that is too many.
#[unsafe(no_mangle)]
pub extern "C" fn alloc(length: usize) -> usize {
    if length > MOST {
        return 0;
    }
    with(|door| {
        // Never empty, so that every room has a place of its own.
        let room = vec![0; length.max(1)];
        let place = room.as_ptr() as usize;
        door.rooms.insert(place, room);
        place
    })
}

/// Gives room back.
#[unsafe(no_mangle)]
pub extern "C" fn release(place: usize, _length: usize) {
    with(|door| drop(door.rooms.remove(&place)));
}

/// Takes a message as over the socket.
#[unsafe(no_mangle)]
pub extern "C" fn ask(place: usize, length: usize) {
    take(place, length, Engine::ask);
}

/// Takes a message that a server answers over HTTP.
#[unsafe(no_mangle)]
pub extern "C" fn get(place: usize, length: usize) {
    take(place, length, Engine::get);
}

fn take(place: usize, length: usize, hear: impl FnOnce(&mut Engine, &str)) {
    with(|door| {
        let room = door.rooms.get(&place).map(|room| room.as_slice());
        let bytes = room.and_then(|room| room.get(..length)).unwrap_or(&[]);
        let text = String::from_utf8_lossy(bytes).into_owned();
        hear(&mut door.engine, &text);
    });
}

/// Lets so many milliseconds pass, and makes the steps that are due.
#[unsafe(no_mangle)]
pub extern "C" fn tick(milliseconds: f64) {
    with(|door| {
        if milliseconds.is_finite() {
            door.now += 1e-3 * milliseconds.max(0.0);
        }
        let began = seconds();
        while door.engine.tick(door.now) <= 0.0 && seconds() - began < TURN {}
    });
}

/// Where the next message for the page is; 0 if there is none.
#[unsafe(no_mangle)]
pub extern "C" fn next() -> usize {
    with(|door| {
        let (kind, bytes) = match door.engine.next_message() {
            None => return 0,
            Some(Outgoing::Text(text)) => (0u32, text.into_bytes()),
            Some(Outgoing::Bytes(bytes)) => (1u32, bytes),
        };
        door.output.clear();
        door.output.extend(kind.to_le_bytes());
        door.output.extend((bytes.len() as u32).to_le_bytes());
        door.output.extend(bytes);
        door.output.as_ptr() as usize
    })
}
