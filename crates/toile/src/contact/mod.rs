//! Contact of cloth with bodies and with cloth.
//!
//! Bodies are [`Shape`]s that ride on a rigid path, or deform ([`deforming`]). `collide` traces every node's
//! motion of the step against their signed distances, so that no node passes through however thin the body or
//! fast the cloth, and answers with an inelastic, frictional response. Nodes that already rest on a body are
//! constraints of the implicit solve. `dents` handles face–body contact: what of a body reaches between the
//! nodes.
//!
//! Nodes between two bodies are held by both (`pinch`). Nodes may also stick to bodies, or to cloth
//! (`adhesion`, `tie`), and what is shown of folds that reach into bodies is told by `preserve`.
//!
//! Contact between cloths has the same two halves: penalty forces inside the implicit solve (`cushion`), and
//! collision response after everything else (`pipeline`).

mod adhesion;
mod body;
mod body_contact;
pub mod broad_phase;
mod collide;
mod cushion;
pub mod deforming;
mod dents;
mod friction;
mod impact_zone;
mod intersections;
mod load;
mod pinch;
mod pipeline;
mod points;
mod preserve;
mod response;
mod sewn;
mod shape;
mod support;
mod surface;
mod surroundings;
mod tangle;
mod tie;
mod trial;

pub use crate::geometry::Sample;
pub use adhesion::{Adhesion, AdhesionError, Anchor, Bond, Region, Sticky, Stuck};
pub(crate) use adhesion::{asks_for_forces, drive_bonds, drive_stuck};
pub use body::{Body, Placement};
pub(crate) use body::{Nearby, obstacles};
pub use body_contact::{BodyContact, BodyContactError};
pub use collide::smallest_gap;
pub(crate) use collide::{Candidate, TRACE_LIMIT, collide, gaps, halt};
pub(crate) use cushion::Cushion;
pub(crate) use dents::Dents;
pub use friction::Friction;
pub use intersections::intersections;
pub use load::Load;
pub(crate) use load::{Given, Loads, book};
pub(crate) use pinch::Pinch;
pub use pipeline::ContactReport;
pub(crate) use pipeline::{ClothContact, Outlook};
pub use points::ContactPoint;
pub(crate) use points::body_points;
pub use preserve::{FoldPreserver, folded_distance};
pub(crate) use sewn::Sewn;
pub use shape::{MeshShape, Shape, ShapeError};
pub(crate) use support::{Change, Support, Verdict, find_support, pinched_support};
pub(crate) use surroundings::{Surroundings, place_bodies};
pub(crate) use tie::Tie;
pub(crate) use trial::Trial;
