//! Scene files, mesh and cache formats, checkpoints, the runner and its sinks.
//!
//! ```text
//! scene.toml ─parse→ SceneSpec ─resolve→ World { model, state } ─step→ Frame ─push→ sinks
//! ```

pub mod format;
pub mod recording;
