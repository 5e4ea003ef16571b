//! Cloth in contact: nothing goes through, and friction is Coulomb's.

pub(crate) mod incline;
mod run;
pub(crate) mod stress;
pub(crate) mod untangle;
