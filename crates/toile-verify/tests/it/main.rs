//! The engine held against exact arithmetic and another solver. One program, so that it links once.
#![allow(clippy::unwrap_used)] // a panic is a failed test

mod ccd;
mod quadratic_program;
