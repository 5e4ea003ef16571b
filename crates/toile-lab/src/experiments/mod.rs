//! One file per experiment.

pub(crate) mod catenary;
pub(crate) mod free_flight;
pub(crate) mod modes;
pub(crate) mod orders;
pub(crate) mod pendulum;
mod strip;
