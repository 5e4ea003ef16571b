//! Sparse linear algebra on 3×3 blocks, one block row per node.
//!
//! * [`BlockMatrix`]: symmetric, pattern fixed once, values refilled every step.
//! * [`Sweeps`]: the preconditioner on the same pattern.
//! * [`solve`]: conjugate gradients with constrained nodes filtered out.

mod block_matrix;
mod coarse;
mod conjugate_gradient;
mod patches;
mod skyline;
mod sweeps;

pub use block_matrix::{BlockMatrix, BlockPattern};
pub use conjugate_gradient::{Filter, Outcome, Scratch, SolveSettings, solve};
use skyline::Skyline;
pub use sweeps::Sweeps;
