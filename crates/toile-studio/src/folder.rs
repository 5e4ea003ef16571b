//! The served folder: nothing outside of it is read or written.
//!
//! A path is what a page or a scene says, with `/` between its parts. It may lead neither upwards nor out through a link, nor to
//! hidden files.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use toile_scene::files::{Disk, Files, Input, check_target};

/// A folder whose outside does not exist.
#[derive(Clone, Debug)]
pub struct Folder {
    /// In full, without links.
    root: PathBuf,
}

impl Folder {
    /// The folder of this name.
    pub fn new(path: &Path) -> io::Result<Self> {
        let root = fs::canonicalize(path)?;
        match root.is_dir() {
            true => Ok(Folder { root }),
            false => Err(io::Error::other("is no folder")),
        }
    }

    /// In full.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Its last name.
    pub fn name(&self) -> String {
        let name = self.root.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// Where something of the folder really is. It must be there.
    pub fn find(&self, path: &Path) -> io::Result<PathBuf> {
        let plain = self.plain(path)?;
        let found = fs::canonicalize(self.root.join(plain))?;
        match found.starts_with(&self.root) {
            true => Ok(found),
            false => Err(outside(path)),
        }
    }

    /// Where a new file may be written: in a folder that is there, under a name that is free or a regular file's.
    pub fn target(&self, path: &Path) -> io::Result<PathBuf> {
        let plain = self.plain(path)?;
        let name = plain
            .file_name()
            .ok_or_else(|| refused(path, "names no file"))?;
        let parent = self.find(plain.parent().unwrap_or(Path::new("")))?;
        let target = parent.join(name);
        if fs::symlink_metadata(&target).is_ok_and(|found| found.is_symlink()) {
            return Err(refused(path, "is a link, which is not written through"));
        }
        check_target(&target)?;
        Ok(target)
    }

    /// A path inside the folder as pages know it.
    pub fn shown(&self, path: &Path) -> String {
        let inside = path.strip_prefix(&self.root).unwrap_or(path);
        let parts = inside.components().map(|c| c.as_os_str().to_string_lossy());
        parts.collect::<Vec<_>>().join("/")
    }

    /// The path, if it leads nowhere but down. Scenes are resolved with full paths at times; those must be the folder's.
    fn plain(&self, path: &Path) -> io::Result<PathBuf> {
        let inside = path.strip_prefix(&self.root).unwrap_or(path);
        let mut plain = PathBuf::new();
        for part in inside.components() {
            match part {
                Component::Normal(name) if is_plain(name) => plain.push(name),
                Component::CurDir => {}
                // A scene in a folder of its own may name its neighbours.
                Component::ParentDir if plain.pop() => {}
                _ => return Err(outside(path)),
            }
        }
        Ok(plain)
    }
}

fn is_plain(name: &std::ffi::OsStr) -> bool {
    let name = name.to_string_lossy();
    let is_strange = |c: char| c.is_control() || c == '\\' || c == ':';
    !name.starts_with('.') && !name.contains(is_strange)
}

fn refused(path: &Path, why: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::PermissionDenied,
        format!("{} {why}", path.display()),
    )
}

fn outside(path: &Path) -> io::Error {
    refused(
        path,
        "is outside the folder that the studio serves, or hidden in it",
    )
}

impl Files for Folder {
    fn open(&self, path: &Path) -> io::Result<Box<dyn Input>> {
        Disk.open(&self.find(path)?)
    }

    fn length(&self, path: &Path) -> io::Result<u64> {
        Disk.length(&self.find(path)?)
    }

    fn names(&self, folder: &Path) -> io::Result<Vec<OsString>> {
        Disk.names(&self.find(folder)?)
    }

    fn is_folder(&self, path: &Path) -> bool {
        self.find(path).is_ok_and(|found| found.is_dir())
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        self.root.join(path)
    }
}
