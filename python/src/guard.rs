//! How the engine is called: without the interpreter's lock, stopped by Ctrl-C, with panics caught, and after a fork too.

use crate::errors::kinds;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long the engine works before it is asked whether somebody has pressed Ctrl-C.
const PATIENCE: Duration = Duration::from_millis(50);

/// Whether this process was forked from one that had the module.
static IS_FORKED: AtomicBool = AtomicBool::new(false);
/// The threads of a forked process.
static THREADS: Mutex<Option<Arc<ThreadPool>>> = Mutex::new(None);

/// A panic of the engine, told.
#[derive(Debug)]
pub struct Fault(pub String);

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the engine failed where it should not have: {}; this is a bug, please report it with the scene",
            self.0
        )
    }
}

impl From<Fault> for PyErr {
    fn from(fault: Fault) -> PyErr {
        kinds::EngineFault::new_err(fault.to_string())
    }
}

/// Does the engine's work on its threads; a panic comes back as a fault.
pub fn guarded<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Fault> {
    let threads = own_threads()?;
    let done = catch_unwind(AssertUnwindSafe(|| match threads {
        None => work(),
        Some(threads) => threads.install(work),
    }));
    done.map_err(|panic| Fault(said(&*panic)))
}

/// What a panic said.
fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "it did not say why".to_owned())
}

/// Threads made in this process, if it was forked: a fork copies the memory of the engine's threads, but not the threads, and
/// whoever waits for them waits for ever.
fn own_threads() -> Result<Option<Arc<ThreadPool>>, Fault> {
    if !IS_FORKED.load(Ordering::Acquire) {
        return Ok(None);
    }
    let mut threads = match THREADS.lock() {
        Ok(threads) => threads,
        Err(poisoned) => poisoned.into_inner(),
    };
    if threads.is_none() {
        let made = ThreadPoolBuilder::new().build();
        *threads = Some(Arc::new(made.map_err(|error| Fault(error.to_string()))?));
    }
    Ok(threads.clone())
}

/// Told by Python in a process that has just been forked.
#[pyfunction]
pub fn _after_fork() {
    IS_FORKED.store(true, Ordering::Release);
    // The threads of a parent that was itself forked are not here either, and must not be waited for when they are dropped.
    if let Ok(mut threads) = THREADS.try_lock() {
        std::mem::forget(threads.take());
    }
}

/// Fails as the engine never should, for the test that a panic does not cross.
#[pyfunction]
pub fn _panic(py: Python<'_>) -> PyResult<()> {
    Ok(py.detach(|| guarded(|| panic!("asked to")))?)
}

/// When to look up from the work.
#[derive(Clone, Copy, Debug)]
pub struct Deadline(Instant);

impl Deadline {
    /// A while from now.
    pub fn soon() -> Self {
        Deadline(Instant::now() + PATIENCE)
    }

    /// Whether it is time.
    pub fn has_passed(&self) -> bool {
        Instant::now() >= self.0
    }
}

/// Works in pieces, without the interpreter's lock, until there is nothing left; between them Ctrl-C is heard.
pub fn in_pieces(
    py: Python<'_>,
    mut piece: impl FnMut(Deadline) -> PyResult<bool> + Send,
) -> PyResult<()> {
    while !py.detach(|| piece(Deadline::soon()))? {
        py.check_signals()?;
    }
    Ok(())
}
