//! Geometry below everything else: points, triangles and boxes, without cloth, bodies or forces.
//!
//! * [`Bounds`] and [`BoxTree`]: axis-aligned boxes and the one bounding volume hierarchy, with searches for
//!   pairs of boxes that touch ([`PairSearch`]) and branch-and-bound queries;
//! * [`closest`]: closest points of a point and a triangle, and of two edges;
//! * [`ccd`]: when two moving primitives first touch, never too late;
//! * `segment_triangle`: whether a segment crosses a triangle, so that no two neighbours both count it;
//! * `triangle_triangle`: whether two triangles have a point in common, decided exactly;
//! * `triangle_tree`: a box tree over triangles, for closest points and winding numbers; [`NearestSurface`]
//!   is its public face for open meshes;
//! * [`level_set`]: the signed distance of a triangle mesh on an adaptive octree.
//!
//! Nothing here knows of contact, energies, models or states.

mod bounds;
mod box_tree;
pub mod ccd;
pub mod closest;
pub mod level_set;
mod nearest_surface;
mod segment_triangle;
pub(crate) mod triangle_tree;
pub(crate) mod triangle_triangle;

pub use bounds::Bounds;
pub use box_tree::{BoxTree, PairSearch};
pub(crate) use box_tree::{Hit, Search, gather};
pub use nearest_surface::{NearestPoint, NearestSurface};

use glam::DVec3;

/// Signed distance and outward unit normal at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Distance to the surface (m), negative inside.
    pub distance: f64,
    /// Gradient of the distance.
    pub normal: DVec3,
}
