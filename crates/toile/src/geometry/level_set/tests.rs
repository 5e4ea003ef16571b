//! Held against exact distances to the meshes and, for the signs, against the shapes that were meshed.

mod field;
mod mending;
mod motion;
mod shapes;
mod thin;
