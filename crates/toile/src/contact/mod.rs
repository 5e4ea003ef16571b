//! Contact of cloth with bodies and with cloth.
//!
//! Bodies are [`Shape`]s that ride on a rigid path, or deform ([`deforming`]). `collide` traces every node's motion
//! of the step against their signed distances, so that no node passes through however thin the body or
//! fast the cloth, and answers with an inelastic, frictional response. Nodes that already rest on a body are
//! constraints of the implicit solve. Edges and faces between the nodes are not tested: a
//! body's sharp edge can dent a face by at most the sag between two nodes.
//!
//! Cloth meets cloth in the same two halves: `cushion` inside the implicit solve, `pipeline` after everything else.

mod body;
pub mod broad_phase;
pub mod ccd;
mod closest;
mod collide;
mod cushion;
pub mod deforming;
mod impact_zone;
mod intersections;
pub mod level_set;
mod pipeline;
mod response;
mod shape;
mod support;
mod surface;

pub use body::{Body, Placement};
pub use collide::smallest_gap;
pub(crate) use collide::{Candidate, collide, gaps, halt};
pub(crate) use cushion::Cushion;
pub use intersections::intersections;
pub use pipeline::ContactReport;
pub(crate) use pipeline::{ClothContact, Outlook};
pub use shape::{MeshShape, Sample, Shape, ShapeError};
pub(crate) use support::{Support, Verdict, find_support};
