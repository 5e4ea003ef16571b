//! Contact of cloth with bodies.
//!
//! Bodies are analytic [`Shape`]s that ride on a rigid path. `collide` traces every node's motion
//! of the step against their signed distances, so that no node passes through however thin the body or
//! fast the cloth, and answers with an inelastic, frictional response. Nodes that already rest on a body are
//! constraints of the implicit solve. Edges and faces between the nodes are not tested: a
//! body's sharp edge can dent a face by at most the sag between two nodes.

mod body;
mod collide;
mod shape;
mod support;

pub use body::{Body, Placement};
pub use collide::smallest_gap;
pub(crate) use collide::{Candidate, collide, halt};
pub use shape::{Sample, Shape, ShapeError};
pub(crate) use support::{Support, Verdict, find_support};
