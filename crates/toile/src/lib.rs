//! # toile, the engine
//!
//! Cloth simulation as pure computation: this crate opens no file, reads no clock, no environment
//! variable, prints nothing and keeps no global state. Everything a run needs is in a
//! [`Model`](model::Model) (immutable while it runs), everything that changes is in a
//! [`State`](state::State) (exactly what a checkpoint holds), and scratch memory lives in a
//! [`Workspace`](step::Workspace) that is never saved. [`step`](step::step) advances the state by one
//! time step and answers with a [`StepReport`](certificate::StepReport): the certificate of how well
//! the step held.
//!
//! All quantities are SI (m, kg, s, N, rad); `z` points up. Results are the same bit for bit whatever
//! the number of threads.

pub mod advance;
pub mod air;
pub mod certificate;
pub mod contact;
pub mod drive;
pub mod energy;
pub mod equilibrium;
pub mod geometry;
pub mod integrate;
pub mod limit;
pub mod linalg;
pub mod mesh;
pub mod model;
mod parallel;
pub mod state;
pub mod step;
pub mod untangle;

pub use glam;
