//! A scene while it is resolved: its text, and whoever has the files that it names.

use super::SceneSource;
use crate::files::Files;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A scene's source, as which it can be used, and the files it names.
#[derive(Clone, Copy)]
pub(super) struct Sources<'a> {
    pub source: &'a SceneSource,
    pub files: &'a Arc<dyn Files>,
}

impl Sources<'_> {
    /// Whoever has the files.
    pub fn files(&self) -> &dyn Files {
        &**self.files
    }

    /// Paths in a scene start from the scene's folder; the resolved scene, which lies elsewhere, names them in full.
    pub fn absolute(&self, path: &Path) -> PathBuf {
        self.files.absolute(&self.source.folder.join(path))
    }
}

impl Deref for Sources<'_> {
    type Target = SceneSource;

    fn deref(&self) -> &SceneSource {
        self.source
    }
}
