//! The engine's tests from outside: what its public interface promises. One program, so that it links once.
#![allow(clippy::unwrap_used)] // a panic is a failed test

mod body_loads;
mod body_responses;
mod bonds;
mod cloth_contact;
mod common;
mod conservation;
mod deforming;
mod dents;
mod driving;
mod equilibrium;
mod limits;
mod mixed;
mod mixed_limits;
mod pinch;
mod seams;
mod simulation;
mod step_control;
mod threads;
mod unified;
mod untangle;
