//! # toile, the engine
//!
//! Cloth simulation as pure computation: this crate opens no file, reads no clock, no environment
//! variable, prints nothing and keeps no global state. Everything a run needs is in a
//! [`Model`](model::Model) (immutable while it runs), everything that changes is in a
//! [`State`](state::State) (exactly what a checkpoint holds), and scratch memory lives in a
//! [`Workspace`](step::Workspace) that is never saved. [`step`](step::step) advances the state by one
//! time step and answers with a [`StepReport`](certificate::StepReport): the certificate of how well
//! the step held. A [`Simulation`](simulation::Simulation) has all three and takes commands between
//! steps; it also halves steps that diverge.
//!
//! All quantities are SI (m, kg, s, N, rad); `z` points up. Results are the same bit for bit whatever
//! the number of threads.

pub mod advance;
pub mod batch;
pub mod body;
pub mod certificate;
pub mod command;
pub mod contact;
pub mod drive;
pub mod energy;
mod enforce;
pub mod equilibrium;
mod error;
pub mod fields;
pub mod geometry;
mod hold;
pub mod integrate;
mod integrator;
pub mod limit;
pub mod linalg;
pub mod mesh;
pub mod model;
mod parallel;
mod respond;
pub mod simulation;
mod stability;
pub mod stage;
pub mod state;
pub mod step;
pub mod timing;
pub mod untangle;

pub use energy::air;
pub use glam;
