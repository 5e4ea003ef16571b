//! Printing that notices whether it arrives.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// Set when the reader of standard output has gone away.
static UNHEARD: AtomicBool = AtomicBool::new(false);

/// Writes a warning to the error stream, which is not mixed with results.
pub fn warn(text: &str) {
    // Nobody listening is no reason to stop.
    let _ = writeln!(io::stderr().lock(), "warning: {text}");
}

/// Writes to standard output. A closed pipe (`toile run hello | head -1`) is no fault: the work goes on,
/// unheard. Results that cannot be written for another reason, as on a full disk, end the program with a
/// message.
pub fn say(text: impl AsRef<str>) {
    if UNHEARD.load(Ordering::Relaxed) {
        return;
    }
    let mut out = io::stdout().lock();
    let text = text.as_ref();
    let line_end = if text.ends_with('\n') { "" } else { "\n" };
    let written = write!(out, "{text}{line_end}").and_then(|()| out.flush());
    if let Err(error) = written {
        failed(&error);
    }
}

/// What becomes of the program when standard output could not be written.
pub fn failed(error: &io::Error) {
    if error.kind() == io::ErrorKind::BrokenPipe {
        UNHEARD.store(true, Ordering::Relaxed);
        return;
    }
    // Nobody left to tell is no reason to call it a success.
    let _ = writeln!(
        io::stderr().lock(),
        "the results cannot be written to standard output: {error}"
    );
    std::process::exit(1);
}
