//! Files that are nowhere but in memory.

use super::{Files, Input};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io::{self, Cursor, ErrorKind};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// Files in memory, in folders as on a disk. Relative names start at the root, and `..` leads a folder up, from the root to itself.
///
/// ```
/// use std::path::Path;
/// use toile_scene::files::{Files, MemoryFiles};
/// let files = MemoryFiles::new().with("meshes/sheet.obj", "v 0 0 0\n");
/// assert_eq!(files.read(Path::new("scenes/../meshes/sheet.obj")).unwrap(), b"v 0 0 0\n");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryFiles {
    /// By their names in full.
    files: BTreeMap<PathBuf, Arc<[u8]>>,
}

impl MemoryFiles {
    /// No files.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with one more file, in place of what had its name.
    pub fn with(mut self, path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> Self {
        self.insert(path, bytes);
        self
    }

    /// Adds a file, in place of what had its name.
    pub fn insert(&mut self, path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) {
        let path = self.absolute(path.as_ref());
        self.files.insert(path, bytes.as_ref().into());
    }

    /// Takes a file away; whether it was there.
    pub fn remove(&mut self, path: impl AsRef<Path>) -> bool {
        self.files.remove(&self.absolute(path.as_ref())).is_some()
    }

    fn bytes(&self, path: &Path) -> io::Result<&Arc<[u8]>> {
        self.files
            .get(&self.absolute(path))
            .ok_or_else(|| match self.is_folder(path) {
                true => io::Error::other("is a folder, which cannot be read; give a file"),
                false => io::Error::new(ErrorKind::NotFound, "there is no such file"),
            })
    }
}

impl Files for MemoryFiles {
    fn open(&self, path: &Path) -> io::Result<Box<dyn Input>> {
        Ok(Box::new(Cursor::new(self.bytes(path)?.clone())))
    }

    fn length(&self, path: &Path) -> io::Result<u64> {
        Ok(self.bytes(path)?.len() as u64)
    }

    fn names(&self, folder: &Path) -> io::Result<Vec<OsString>> {
        let folder = self.absolute(folder);
        let inside = self.files.keys().filter_map(|file| {
            let inside = file.strip_prefix(&folder).ok()?;
            Some(inside.components().next()?.as_os_str().to_owned())
        });
        let names: BTreeSet<OsString> = inside.collect();
        match names.is_empty() {
            true => Err(io::Error::new(
                ErrorKind::NotFound,
                "there is no such folder",
            )),
            false => Ok(names.into_iter().collect()),
        }
    }

    fn is_folder(&self, path: &Path) -> bool {
        let path = self.absolute(path);
        let mut files = self.files.keys();
        files.any(|file| file.starts_with(&path) && *file != path)
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        let mut whole = PathBuf::from("/");
        for part in path.components() {
            match part {
                Component::Normal(name) => whole.push(name),
                Component::ParentDir => {
                    whole.pop();
                }
                Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
            }
        }
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_has_many_names_as_on_a_disk() {
        let files = MemoryFiles::new().with("meshes/sheet.obj", "sheet");
        for name in [
            "meshes/sheet.obj",
            "/meshes/sheet.obj",
            "./meshes/./sheet.obj",
            "meshes/../meshes/sheet.obj",
            "../../meshes/sheet.obj",
        ] {
            assert_eq!(files.read(Path::new(name)).unwrap(), b"sheet", "{name}");
            assert_eq!(files.length(Path::new(name)).unwrap(), 5, "{name}");
        }
        assert_eq!(
            files.absolute(Path::new("scenes/../meshes/sheet.obj")),
            Path::new("/meshes/sheet.obj")
        );
    }

    #[test]
    fn folders_are_listed_and_not_read() {
        let mut files = MemoryFiles::new()
            .with("walk/frame.1.obj", "")
            .with("walk/frame.2.obj", "")
            .with("walk/more/notes.txt", "")
            .with("walking.txt", "");
        let names = files.names(Path::new("walk/.")).unwrap();
        assert_eq!(names, ["frame.1.obj", "frame.2.obj", "more"]);
        assert!(files.is_folder(Path::new("walk")) && files.is_folder(Path::new("")));
        assert!(!files.is_folder(Path::new("walk/frame.1.obj")));
        assert!(!files.is_folder(Path::new("wal")));
        let refused = files.read(Path::new("walk")).unwrap_err();
        assert!(refused.to_string().contains("is a folder"), "{refused}");
        let kind = |result: io::Result<Vec<OsString>>| result.unwrap_err().kind();
        assert_eq!(kind(files.names(Path::new("run"))), ErrorKind::NotFound);
        assert!(files.remove("/walking.txt") && !files.remove("walking.txt"));
    }
}
