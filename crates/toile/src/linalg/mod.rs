//! Sparse linear algebra on 3×3 blocks, one block row per node.
//!
//! * [`BlockMatrix`]: symmetric, pattern fixed once, values refilled every step.
//! * [`Filter`]: which directions of a node are constrained.
//! * [`SystemSolver`]: `A x = b` by one of the ways that [`LinearSolver`] names.

mod block_matrix;
mod coarse;
mod columns;
mod conjugate_gradient;
mod coupled;
mod direct;
mod filter;
mod jacobi;
pub(crate) mod lanes;
#[cfg(not(feature = "direct"))]
mod no_sparse_cholesky;
mod order;
mod patches;
mod skyline;
mod solver;
mod sums;
mod sweeps;
#[cfg(test)]
mod tests;

pub use block_matrix::{BlockMatrix, BlockPattern};
pub use filter::Filter;
pub use solver::{LinearSolver, Outcome, SolveSettings, SystemSolver};

pub(crate) use coupled::{Arm, Coupling};
#[cfg(not(feature = "direct"))]
pub(crate) use no_sparse_cholesky::SparseCholesky;
use skyline::Skyline;
pub(crate) use sweeps::{PreconditionScratch, Sweeps};
#[cfg(feature = "direct")]
pub(crate) use toile_cholesky::SparseCholesky;
