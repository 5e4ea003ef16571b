//! Second opinions on the engine, for tests only: contact times in exact arithmetic, and families of queries to ask for.
//!
//! They are apart from the engine so that its own tests compile neither big integers nor another solver.

pub mod exact;
pub mod families;
