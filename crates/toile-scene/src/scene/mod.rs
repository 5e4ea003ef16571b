//! From a scene file to a world: read, override, check, resolve.

mod air;
mod bundled;
mod cloth;
mod error;
mod limit;
mod material;
mod motion;
mod resolve;
mod source;

pub use bundled::{BUNDLED, BundledScene, bundled};
pub use error::SceneError;
pub use resolve::{Schedule, World, default_cell, resolve};
pub use source::{SceneSource, parse_override};
