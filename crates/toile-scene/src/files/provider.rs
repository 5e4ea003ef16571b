//! Where files come from: a disk, or memory where there is none (a browser, a test).

use super::open_input;
use std::ffi::OsString;
use std::fmt::Debug;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::path::{Path, PathBuf};

/// An open file: read from the front, or from anywhere.
pub trait Input: BufRead + Seek + Send {}

impl<T: BufRead + Seek + Send> Input for T {}

/// Whoever has the files that scenes name.
///
/// The law: whatever scenes, meshes, motions and recordings are *read* from is asked for here, and nothing else of the crate
/// opens a file to read on its own. What is written belongs to a disk.
pub trait Files: Debug + Send + Sync {
    /// Opens a file.
    fn open(&self, path: &Path) -> io::Result<Box<dyn Input>>;

    /// A file's length (bytes).
    fn length(&self, path: &Path) -> io::Result<u64>;

    /// The names of what is in a folder, in any order.
    fn names(&self, folder: &Path) -> io::Result<Vec<OsString>>;

    /// Whether there is a folder of this name.
    fn is_folder(&self, path: &Path) -> bool;

    /// The name in full, which means the same file wherever it is said.
    fn absolute(&self, path: &Path) -> PathBuf;

    /// All bytes of a file.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.open(path)?.read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// The files of the machine. Folders, pipes and devices are refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Disk;

/// How much of a file is fetched at once (bytes).
const PIECE: usize = 1 << 16;

impl Files for Disk {
    fn open(&self, path: &Path) -> io::Result<Box<dyn Input>> {
        Ok(Box::new(BufReader::with_capacity(PIECE, open_input(path)?)))
    }

    fn length(&self, path: &Path) -> io::Result<u64> {
        Ok(fs::metadata(path)?.len())
    }

    fn names(&self, folder: &Path) -> io::Result<Vec<OsString>> {
        fs::read_dir(folder)?
            .map(|entry| Ok(entry?.file_name()))
            .collect()
    }

    fn is_folder(&self, path: &Path) -> bool {
        path.is_dir()
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
    }
}
