//! From a scene file to a world: read, override, check, resolve.

mod adhesion;
mod air;
mod body;
mod bundled;
mod check;
mod cloth;
mod contact;
mod error;
mod find;
mod led;
mod limit;
mod material;
mod motion;
mod recipe;
mod resolve;
mod seam;
mod source;
mod sources;
mod stage;
mod time;
mod world;

pub use body::{BodyFrame, default_cell};
pub use bundled::{BUNDLED, BundledScene, bundled};
pub use error::SceneError;
pub use recipe::SceneRecipe;
pub use resolve::{resolve, resolve_from};
pub use source::{SceneSource, nearest_name, parse_override};
pub use world::{Schedule, World};
