//! Bodies: what they are, how they move, and what sticks to them. How cloth meets them is the business of
//! [`contact`](crate::contact).

mod adhesion;
mod body_contact;
mod bond;
pub mod deforming;
mod friction;
mod placement;
mod shape;

pub use crate::geometry::Sample;
pub(crate) use adhesion::left_to_adhesion;
pub use adhesion::{Adhesion, AdhesionError, Anchor, Region, Sticky, Stuck};
pub use body_contact::{BodyContact, BodyContactError};
pub use bond::Bond;
pub(crate) use deforming::NodeImpact;
pub(crate) use friction::AT_REST;
pub use friction::Friction;
pub use placement::{Body, Placement};
pub(crate) use placement::{Nearby, obstacles};
pub use shape::{MeshShape, Shape, ShapeError};
