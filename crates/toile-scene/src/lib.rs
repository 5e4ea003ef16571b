//! Scene files, mesh and cache formats, checkpoints, the runner and its sinks.

pub mod export;
pub mod format;
pub mod recording;
