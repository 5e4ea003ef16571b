//! Scenes inside the program, so that `toile run hello` works anywhere.

use super::SceneSource;
use std::path::PathBuf;

/// A scene inside the program.
#[derive(Clone, Copy, Debug)]
pub struct BundledScene {
    /// What to call it on the command line.
    pub name: &'static str,
    /// Its TOML text.
    pub text: &'static str,
}

macro_rules! scenes {
    ($($name:literal),* $(,)?) => {
        /// Every scene inside the program, in the order a newcomer would try them.
        pub const BUNDLED: &[BundledScene] = &[$(BundledScene {
            name: $name,
            text: include_str!(concat!("../../../../scenes/", $name, ".toml")),
        }),*];
    };
}

scenes![
    "hello",
    "table-drape",
    "sphere-drop",
    "heap",
    "five-sheets",
    "tabard",
    "curtain",
    "pick-and-place",
    "gripper",
    "flag",
    "fabrics",
    "creases",
    "balloon",
    "bottle",
];

impl BundledScene {
    /// As a source to parse.
    pub fn source(&self) -> SceneSource {
        SceneSource {
            name: format!("{} (bundled)", self.name),
            text: self.text.to_owned(),
            folder: PathBuf::new(),
            overrides: Vec::new(),
        }
    }

    /// The scene's title, for listings.
    pub fn title(&self) -> String {
        self.source()
            .parse()
            .map_or_else(|e| e.to_string(), |s| s.title)
    }
}

/// The bundled scene of this name.
pub fn bundled(name: &str) -> Option<&'static BundledScene> {
    BUNDLED.iter().find(|scene| scene.name == name)
}
