//! One file per experiment.

pub(crate) mod area;
pub(crate) mod buckle;
pub(crate) mod calibration;
pub(crate) mod cantilever;
pub(crate) mod catenary;
pub(crate) mod contact;
pub(crate) mod cusick;
pub(crate) mod degrees_of_freedom;
pub(crate) mod drape_meshes;
pub(crate) mod free_flight;
pub(crate) mod inequality;
pub(crate) mod locking;
pub(crate) mod modes;
pub(crate) mod orders;
pub(crate) mod pendulum;
pub(crate) mod plate;
pub(crate) mod post_buckling;
pub(crate) mod robot_cloth;
mod strip;
pub(crate) mod tank_top;
pub(crate) mod textile;
