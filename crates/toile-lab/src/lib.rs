//! Experiments that hold the engine against physics and against the papers.
//!
//! An experiment is a function that simulates something whose answer is known and returns what it measured
//! beside the reference, with a tolerance and a verdict, and pictures of what it saw. The registry
//! [`EXPERIMENTS`] is what `toile lab list` shows.
//!
//! Three rooms serve the fit of cloth to reality: [`observation`] reads recordings of real cloth, [`optimise`] looks for
//! the parameters of least error, [`table`] keeps what came out.
//! [`run_experiment`] leaves a result on the disk, and [`report`] makes one page of all results in a folder.

mod clip;
mod dense;
mod experiments;
pub mod measure;
pub mod observation;
pub mod optimise;
mod outcome;
mod plot;
mod random;
mod reference;
mod registry;
pub mod report;
mod results;
mod snapshot;
mod strip;
pub mod variants;
pub mod table;

pub use clip::{Clip, ClipRecorder};
pub use outcome::{ClipFile, Measurement, Outcome, Parameter};
pub use registry::{EXPERIMENTS, Experiment, Findings, LabError, Settings, find};
pub use results::{
    DamagedResult, Results, ResultsError, earlier_outcome, read_results, result_file,
    run_experiment,
};
