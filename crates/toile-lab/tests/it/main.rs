//! Tests of the laboratory from outside. One program, so that it links once.
#![allow(clippy::unwrap_used)] // a panic is a failed test

mod experiments;
mod observation;
