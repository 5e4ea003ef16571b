//! Tests of scenes, formats and recordings from outside. One program, so that it links once.
#![allow(clippy::unwrap_used)] // a panic is a failed test

mod architecture;
mod body_parts;
mod body_responses;
mod commands;
mod exports;
mod frames;
mod isometric;
mod limits;
mod materials;
mod mesh_formats;
mod noise;
mod pictures;
mod provided_files;
mod scene_fuzz;
mod seams;
mod stages;
mod unified;
