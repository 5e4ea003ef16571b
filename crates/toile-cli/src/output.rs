//! Printing that survives a reader who has seen enough.

use std::io::Write;

/// Writes a warning to the error stream, which is not mixed with results.
pub fn warn(text: &str) {
    // Nobody listening is no reason to stop.
    let _ = writeln!(std::io::stderr().lock(), "warning: {text}");
}

/// Writes to standard output. A closed pipe (`toile scenes | head -1`) ends the program quietly.
pub fn say(text: impl AsRef<str>) {
    let mut out = std::io::stdout().lock();
    let text = text.as_ref();
    let line_end = if text.ends_with('\n') { "" } else { "\n" };
    if write!(out, "{text}{line_end}")
        .and_then(|()| out.flush())
        .is_err()
    {
        std::process::exit(0);
    }
}
