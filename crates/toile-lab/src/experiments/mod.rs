//! One file per experiment.

pub(crate) mod free_flight;
pub(crate) mod orders;
