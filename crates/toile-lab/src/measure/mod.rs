//! What can be said in numbers about cloth: against its rest shape, against a recording, against another mesh.
//!
//! The law of this room: numbers only. Positions come in, numbers go out; nothing here simulates, reads or draws.
//!
//! * [`area`]: total, mean-element and dispersion errors of area (Coltraro and others 2022, equations 19 to 21).
//! * [`strain`]: strains of edges and their histogram.
//! * [`agreement`]: absolute error and dispersion against places that are known node by node (equations 25 and 26).
//! * [`distance`]: Hausdorff and Chamfer distance between a surface and a cloud of points.
//! * [`rest_map`]: which places of two meshes of one cloth are the same.
//! * [`folds`]: how many ridges a surface has.
//! * [`motion`]: what energy and momentum did.

pub mod agreement;
pub mod area;
pub mod distance;
pub mod folds;
pub mod motion;
pub mod rest_map;
pub mod strain;
