//! Errors of the engine as exceptions of Python, with the program's own words.

use miette::{GraphicalReportHandler, GraphicalTheme};
use pyo3::PyErr;
use toile::certificate::StepError;
use toile::command::CommandError;
use toile::simulation::RestoreError;
use toile_scene::scene::SceneError;

/// The classes, which are written in Python.
pub mod kinds {
    pyo3::import_exception!(toile._errors, ArgumentError);
    pyo3::import_exception!(toile._errors, BusyError);
    pyo3::import_exception!(toile._errors, CommandError);
    pyo3::import_exception!(toile._errors, EngineFault);
    pyo3::import_exception!(toile._errors, RecordingError);
    pyo3::import_exception!(toile._errors, RestoreError);
    pyo3::import_exception!(toile._errors, SceneError);
    pyo3::import_exception!(toile._errors, StepError);
}

/// An argument that cannot be taken; the message names it and says what it must be.
pub fn argument(message: impl Into<String>) -> PyErr {
    kinds::ArgumentError::new_err(message.into())
}

/// A command that the engine refuses.
pub fn command(error: &CommandError) -> PyErr {
    kinds::CommandError::new_err(error.to_string())
}

/// A command that is refused before the engine hears of it.
pub fn refused(message: impl Into<String>) -> PyErr {
    kinds::CommandError::new_err(message.into())
}

/// A snapshot that the engine refuses.
pub fn restore(error: &RestoreError) -> PyErr {
    kinds::RestoreError::new_err(error.to_string())
}

/// A step that failed after so many that did not; `worlds` are those of a batch in which it did.
pub fn step(error: &StepError, steps_done: u64) -> PyErr {
    kinds::StepError::new_err((error.to_string(), steps_done, Vec::<usize>::new()))
}

/// Worlds of a batch that failed.
pub fn steps(message: String, worlds: Vec<usize>) -> PyErr {
    kinds::StepError::new_err((message, 0u64, worlds))
}

/// A scene that cannot be used: text, help, line, column and field, and the picture of the place that the program prints.
pub fn scene(error: &SceneError) -> PyErr {
    let place = error.line_column();
    let (line, column) = (place.map(|p| p.0), place.map(|p| p.1));
    let mut report = String::new();
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor());
    // A report that cannot be drawn is left out; the message says the same.
    let drawn = handler.with_links(false).render_report(&mut report, error);
    let report = drawn.map_or(String::new(), |()| report);
    let help = error.help_text().map(str::to_owned);
    let field = error.field().to_owned();
    kinds::SceneError::new_err((error.to_string(), help, line, column, field, report))
}
