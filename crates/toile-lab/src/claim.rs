//! Folders of results that know whose they are.
//!
//! A mark in the folder says what would make the results others. Work that is resumed must find its own mark; work that begins must find none,
//! or be told to replace what is there.

use std::path::{Path, PathBuf};
use thiserror::Error;
use toile_scene::run::{FolderError, write_atomically};

/// A folder that cannot be used.
#[derive(Debug, Error)]
pub enum ClaimError {
    /// There are results already.
    #[error(
        "{folder} has results already; go on with --resume, replace them with --force, or choose another -o"
    )]
    Occupied {
        /// The folder.
        folder: PathBuf,
    },
    /// The results are of other work.
    #[error(
        "{folder} has results of another {what}: the scene, what is varied, or what it is held against has changed; choose another -o, or --force"
    )]
    Other {
        /// The folder.
        folder: PathBuf,
        /// What the results should be of.
        what: &'static str,
    },
    /// The folder cannot be made.
    #[error("{path}: {source}")]
    Io {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The mark cannot be written.
    #[error(transparent)]
    Folder(#[from] FolderError),
}

/// What to do with results that are there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Earlier {
    Refuse,
    Resume,
    Replace,
}

impl Earlier {
    pub fn of(resume: bool, force: bool) -> Self {
        match (resume, force) {
            (true, _) => Earlier::Resume,
            (false, true) => Earlier::Replace,
            (false, false) => Earlier::Refuse,
        }
    }
}

/// Makes the folder and leaves the mark in it.
pub(crate) fn claim(
    folder: &Path,
    what: &'static str,
    mark: &str,
    earlier: Earlier,
) -> Result<(), ClaimError> {
    std::fs::create_dir_all(folder).map_err(|source| ClaimError::Io {
        path: folder.to_owned(),
        source,
    })?;
    let path = folder.join(format!("{what}.mark"));
    let folder = folder.to_owned();
    match (std::fs::read_to_string(&path), earlier) {
        (Ok(_), Earlier::Refuse) => Err(ClaimError::Occupied { folder }),
        (Ok(known), Earlier::Resume) if known != mark => Err(ClaimError::Other { folder, what }),
        _ => Ok(write_atomically(&path, mark.as_bytes())?),
    }
}
