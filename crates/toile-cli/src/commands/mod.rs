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
pub mod sweep;
pub mod textile;

use crate::args::SceneArgs;
use miette::{Result, miette};
use std::path::{Path, PathBuf};
use toile_scene::files::check_new_target;
use toile_scene::scene::{BUNDLED, SceneSource, bundled, nearest_name, parse_override};

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
    let path = Path::new(name);
    // Whoever has made a folder `hello` means the bundled scene all the same.
    let bundled = bundled(name).filter(|_| path.is_dir() || !path.exists());
    if let Some(scene) = bundled {
        return Ok(scene.source());
    }
    if let Some(what) = no_scene(path) {
        return Err(miette!("{name}: {what}"));
    }
    if path.exists() {
        return Ok(SceneSource::read(path)?);
    }
    Err(unknown_scene(path))
}

/// What a file is that can be told by its name to be no scene, and what to do with it.
fn no_scene(path: &Path) -> Option<String> {
    if path.is_dir() {
        let resolved = path.join("scene.resolved.toml");
        return Some(match resolved.exists() {
            true => format!(
                "it is the folder of a run; its scene is {}",
                resolved.display()
            ),
            false => "it is a folder; give the scene file (.toml) in it".to_owned(),
        });
    }
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    let shown = path.display();
    match extension.as_str() {
        "obj" | "ply" => Some(format!(
            "it is a mesh; a scene has it as a cloth (mesh.file = {{ path = \"{shown}\" }}) or as a body \
             (shape.mesh = {{ file = \"{shown}\" }}), and `toile check {shown}` looks at the mesh alone"
        )),
        "glb" | "gltf" => Some(format!(
            "it is glTF, which is no scene; binary glTF can be a moving body of one (shape.gltf = {{ file = \"{shown}\" }}), and \
             meshes are read from .obj and .ply"
        )),
        _ => None,
    }
}

fn unknown_scene(path: &Path) -> miette::Report {
    let names: Vec<&str> = BUNDLED.iter().map(|s| s.name).collect();
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let near = nearest_name(&stem, &names);
    let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
    miette!(
        help = format!("bundled scenes: {}", names.join(", ")),
        "{}: there is no such file and no bundled scene of that name{near}",
        path.display()
    )
}
