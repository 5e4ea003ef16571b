//! Cloth in contact: nothing goes through, and friction is Coulomb's.

pub(crate) mod incline;
pub(crate) mod moving_body;
mod run;
pub(crate) mod stress;
