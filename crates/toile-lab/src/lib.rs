//! Experiments that hold the engine against physics and against the papers.
//!
//! An experiment is a function that simulates something whose answer is known and returns what it measured
//! beside the reference, with a tolerance and a verdict, and pictures of what it saw. The registry
//! [`EXPERIMENTS`] is what `toile lab list` shows.
//!
//! [`run_experiment`] leaves a result on the disk, and [`report`] makes one page of all results in a folder.
//!
//! The other rooms are for cloth that is not known yet. [`variants`] are ways to change a scene; [`compare`] holds them against each
//! other, [`sweep`] runs many of them into a [`table`], and [`fit`] finds those that move like a recording ([`observation`]), with the
//! searches of [`optimise`]. What they all measure with is in [`measure`].

mod claim;
mod clip;
pub mod compare;
mod dense;
mod experiments;
pub mod fit;
pub mod jobs;
pub mod material;
pub mod measure;
pub mod observation;
pub mod optimise;
mod outcome;
mod paper_scene;
mod plot;
mod random;
mod reference;
mod registry;
pub mod report;
mod results;
mod snapshot;
mod strip;
pub mod sweep;
pub mod table;
pub mod textile;
pub mod variants;

pub use claim::ClaimError;
pub use clip::{Clip, ClipRecorder};
pub use outcome::{ClipFile, Measurement, Outcome, Parameter};
pub use registry::{EXPERIMENTS, Experiment, Findings, LabError, Settings, find};
pub use results::{
    DamagedResult, Results, ResultsError, earlier_outcome, read_results, result_file,
    run_experiment,
};
