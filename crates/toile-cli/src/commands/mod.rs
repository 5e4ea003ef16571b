//! One file per command.

pub mod check;
pub mod drape;
pub mod export;
pub mod fabrics;
pub mod lab;
pub mod levelset;
pub mod render;
pub mod run;
pub mod scenes;

use miette::{Result, miette};
use std::path::Path;
use toile_scene::scene::{BUNDLED, SceneSource, bundled};

/// Errors of the libraries as one message. They name their cause themselves, so a chain would say it twice.
pub trait OrReport<T> {
    fn or_report(self) -> Result<T>;
}

impl<T, E: std::fmt::Display> OrReport<T> for std::result::Result<T, E> {
    fn or_report(self) -> Result<T> {
        self.map_err(|error| miette!("{error}"))
    }
}

/// A scene by file name or by the name of a bundled one. A file wins.
pub fn find_scene(name: &str) -> Result<SceneSource> {
    let path = Path::new(name);
    if path.is_file() {
        return Ok(SceneSource::read(path)?);
    }
    if let Some(scene) = bundled(name) {
        return Ok(scene.source());
    }
    let names: Vec<&str> = BUNDLED.iter().map(|s| s.name).collect();
    Err(miette!(
        help = format!("bundled scenes: {}", names.join(", ")),
        "{name}: there is no such file and no bundled scene of that name"
    ))
}
