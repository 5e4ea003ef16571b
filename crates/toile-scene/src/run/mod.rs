//! Running a world: steps, frames, sinks, checkpoints.
//!
//! The order of writes makes a run safe against being killed at any moment: frames and tables are appended
//! and brought to the disk first, then the checkpoint that counts them replaces the old one in a single
//! rename. Resuming cuts off whatever was written after the checkpoint and goes on from there, to the same
//! bytes.

mod branch;
mod checkpoint;
mod clock;
mod commands;
mod drape;
mod findings;
mod folder;
mod forces;
mod metrics;
mod runner;
mod table;
mod verdict;

pub use branch::{
    BranchError, BranchPoint, branch_off, branch_points, find_branch_point, restore_start,
};
pub use checkpoint::{Checkpoint, CheckpointError};
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use clock::wall_clock;
pub use commands::{Commander, FILE_NAME as COMMANDS_FILE, Replay, ReplayError};
pub use drape::{DRAPE_COLUMNS, DrapeObserver, DrapeOptions, DrapeProgress, DrapeSummary, drape};
pub use findings::{Finding, FindingKind, Findings, WorstStretch, findings, start_warnings};
pub use folder::{FolderError, RunFolder, write_atomically};
pub use metrics::{FrameMetrics, METRIC_COLUMNS};
pub use runner::{
    Frame, Observer, Progress, RunError, RunOptions, RunOutcome, RunSummary, run, run_commanded,
};
pub use table::TableMark;
pub use verdict::{Verdict, judge};
