//! Tests that run the program. They are one program themselves, so that it links once.
#![allow(clippy::unwrap_used)] // a panic is a failed test

mod bad_input;
mod branch;
mod common;
mod contact;
mod drape;
mod findings;
mod guards;
mod lab_report;
mod laboratory;
mod meshes;
mod program;
mod reliability;
mod scenes;
mod seams;
mod spelling;
mod studio;
mod textile;
