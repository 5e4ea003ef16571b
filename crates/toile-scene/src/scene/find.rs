//! Finding a scene by what a person calls it.

use super::{BUNDLED, SceneError, SceneSource, bundled, nearest_name};
use std::path::Path;

impl SceneSource {
    /// A scene by file name or by the name of a bundled one. A file wins.
    pub fn find(name: &str) -> Result<Self, SceneError> {
        let path = Path::new(name);
        // Whoever has made a folder `hello` means the bundled scene all the same.
        let bundled = bundled(name).filter(|_| path.is_dir() || !path.exists());
        if let Some(scene) = bundled {
            return Ok(scene.source());
        }
        if let Some(what) = no_scene(path) {
            return Err(SceneError::general(name, what));
        }
        if path.exists() {
            return SceneSource::read(path);
        }
        Err(unknown_scene(path))
    }
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

fn unknown_scene(path: &Path) -> SceneError {
    let names: Vec<&str> = BUNDLED.iter().map(|s| s.name).collect();
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let near = nearest_name(&stem, &names);
    let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
    SceneError::general_with_help(
        path.display().to_string(),
        format!("there is no such file and no bundled scene of that name{near}"),
        Some(format!("bundled scenes: {}", names.join(", "))),
    )
}
