//! One file per command.

pub mod check;
pub mod compare;
pub mod drape;
pub mod export;
pub mod fabrics;
pub mod fit;
pub mod lab;
pub mod levelset;
pub mod material;
pub mod mesh;
pub mod render;
pub mod run;
pub mod scenes;
pub mod studio;
pub mod sweep;
pub mod textile;

use crate::args::SceneArgs;
use miette::{Result, miette};
use std::path::{Path, PathBuf};
use toile_scene::files::check_new_target;
use toile_scene::scene::{SceneSource, parse_override};

/// Errors of the libraries as one message. They name their cause themselves, so a chain would say it twice.
pub trait OrReport<T> {
    fn or_report(self) -> Result<T>;
}

impl<T, E: std::fmt::Display> OrReport<T> for std::result::Result<T, E> {
    fn or_report(self) -> Result<T> {
        self.map_err(|error| miette!("{error}"))
    }
}

/// A scene with fields changed from the command line.
pub fn find_changed_scene(args: &SceneArgs) -> Result<SceneSource> {
    let mut source = find_scene(&args.scene)?;
    change(&mut source, &args.overrides)?;
    Ok(source)
}

/// Changes fields as `--set` says.
pub fn change(source: &mut SceneSource, overrides: &[String]) -> Result<()> {
    for text in overrides {
        let parsed = parse_override(text).map_err(|message| miette!("--set {message}"))?;
        source.overrides.push(parsed);
    }
    Ok(())
}

/// Refuses to replace what the user has not allowed to be replaced; asked before the work begins.
pub fn check_out(path: &Path, force: bool) -> Result<()> {
    check_new_target(path, force).map_err(|error| miette!("{} {error}", path.display()))
}

/// `runs/NAME-WHAT`, with the name of the scene file or of the bundled scene.
pub fn results_folder(scene: &str, what: &str) -> PathBuf {
    let stem = Path::new(scene).file_stem().unwrap_or("scene".as_ref());
    Path::new("runs").join(format!("{}-{what}", stem.display()))
}

/// A scene by file name or by the name of a bundled one. A file wins.
pub fn find_scene(name: &str) -> Result<SceneSource> {
    Ok(SceneSource::find(name)?)
}
