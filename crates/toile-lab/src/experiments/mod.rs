//! One file per experiment.

pub(crate) mod buckle;
pub(crate) mod cantilever;
pub(crate) mod free_flight;
pub(crate) mod orders;
pub(crate) mod plate;
pub(crate) mod post_buckling;
