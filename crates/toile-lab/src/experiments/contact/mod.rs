//! Cloth in contact: nothing goes through, and friction is Coulomb's.

pub(crate) mod capstan;
pub(crate) mod contact_table;
pub(crate) mod drawer;
pub(crate) mod funnel;
pub(crate) mod hand;
pub(crate) mod incline;
pub(crate) mod moving_body;
pub(crate) mod patch;
pub(crate) mod pinch;
mod run;
pub(crate) mod sleeve;
pub(crate) mod stress;
pub(crate) mod table;
pub(crate) mod untangle;
