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

pub mod broad_phase;
mod collide;
mod cushion;
mod dents;
mod impact_zone;
mod intersections;
mod load;
mod pinch;
mod pipeline;
mod points;
mod preserve;
mod response;
mod sticking;
mod support;
mod surface;
mod surroundings;
mod tangle;
mod tie;
mod trial;

pub(crate) use crate::body::{AT_REST, Nearby, NodeImpact, obstacles};
pub use crate::body::{
    Adhesion, AdhesionError, Anchor, Body, BodyContact, BodyContactError, Bond, Friction,
    MeshShape, Placement, Region, Sample, Shape, ShapeError, Sticky, Stuck, deforming,
};
pub use collide::smallest_gap;
pub(crate) use collide::{Candidate, TRACE_LIMIT, collide, gaps, halt};
pub(crate) use cushion::Cushion;
pub(crate) use dents::{Dents, deepest, face_place, is_flat};
pub use intersections::intersections;
pub use load::Load;
pub(crate) use load::{Given, Loads, book};
pub(crate) use pinch::Pinch;
pub use pipeline::ContactReport;
pub(crate) use pipeline::{ClothContact, Outlook};
pub use points::ContactPoint;
pub(crate) use points::body_points;
pub use preserve::{FoldPreserver, folded_distance};
pub(crate) use sticking::{asks_for_forces, drive_bonds, drive_stuck};
pub(crate) use support::{Change, Support, Verdict, find_support, pinched_support};
pub(crate) use surface::Surface;
pub(crate) use surroundings::{SPARE, Surroundings, place_bodies};
pub(crate) use tie::Tie;
pub(crate) use trial::Trial;
