//! Tests of pictures from outside.
#![allow(clippy::unwrap_used)] // a panic is a failed test

mod pictures;
