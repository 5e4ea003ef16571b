//! Making meshes.
