//! Which nodes stick to bodies and to cloth during a step; [`body`](crate::body) has what sticking is.

mod bond;
mod drive;

pub(crate) use bond::drive_bonds;
pub(crate) use drive::{asks_for_forces, drive_stuck};
