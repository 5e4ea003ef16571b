//! Scene files, mesh and cache formats, checkpoints, the runner and its sinks.
//!
//! ```text
//! scene.toml ─parse→ SceneSpec ─resolve→ World { model, state } ─step→ Frame ─push→ sinks
//!              what the user wrote     what the engine needs        borrowed view    cache · tables · checkpoint
//! ```
//!
//! * [`spec`]: the scene file's types. [`scene`]: reading, checking and resolving them.
//! * [`format`](mod@format): mesh and trajectory files. [`recording`]: the frame cache. [`export`]: frames for other programs.
//! * [`files`]: which files are read and replaced. [`memory`]: how much a scene needs.
//! * [`run`](mod@run): the loop, its tables and checkpoints. [`present`], [`slices`] and [`report`]: what a person looks at.

pub mod export;
pub mod files;
pub mod format;
pub mod memory;
pub mod present;
pub mod recording;
pub mod report;
pub mod run;
pub mod scene;
pub mod slices;
pub mod spec;
