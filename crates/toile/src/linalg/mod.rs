//! Sparse linear algebra on 3×3 blocks, one block row per node.
//!
//! * [`BlockMatrix`]: symmetric, pattern fixed once, values refilled every step.
//! * [`Filter`]: which directions of a node are constrained.
//! * [`SystemSolver`]: `A x = b` by one of the ways that [`LinearSolver`] names.
//! * `preconditioner`: the factor of the matrix or sweeps over it, for those who iterate on something else.
//! * `factor`: Cholesky factors of scalar matrices, within an envelope or sparse.

mod block_matrix;
mod coarse;
mod columns;
mod conjugate_gradient;
mod coupled;
mod direct;
pub(crate) mod factor;
mod filter;
mod jacobi;
pub(crate) mod lanes;
mod order;
mod patches;
mod preconditioner;
mod solver;
mod sums;
mod sweeps;
#[cfg(test)]
mod tests;

pub use block_matrix::{BlockMatrix, BlockPattern};
pub use filter::Filter;
pub use solver::{LinearSolver, Outcome, SolveSettings, SystemSolver};

pub(crate) use coupled::{Arm, Coupling};
pub(crate) use preconditioner::Preconditioner;
pub(crate) use sweeps::{PreconditionScratch, Sweeps};
