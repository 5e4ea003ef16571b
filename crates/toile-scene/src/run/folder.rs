//! The folder of a run: who may write there, and how.

use super::branch;
use crate::files::check_target;
use crate::recording::{self, Recording};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A folder that results go into. While this value lives, no other run can write there.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    _lock: File,
}

/// A folder that cannot be used.
#[derive(Debug, Error)]
pub enum FolderError {
    /// The system says no.
    #[error("{path}: {source}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// There are results already.
    #[error(
        "{path} already holds results; continue them with --resume, replace them with --force, or choose another \
         folder with -o"
    )]
    Occupied {
        /// The folder.
        path: PathBuf,
    },
    /// There are results, but none to go on from.
    #[error(
        "{path} holds results but no checkpoint.toile to go on from; replace them with --force, or choose another folder \
         with -o"
    )]
    NoCheckpoint {
        /// The folder.
        path: PathBuf,
    },
    /// There is something else.
    #[error("{path} holds files that are not results of a run; choose another folder with -o")]
    Foreign {
        /// The folder.
        path: PathBuf,
    },
    /// Another run is at work.
    #[error("another run is writing to {path}; wait for it or choose another folder with -o")]
    Busy {
        /// The folder.
        path: PathBuf,
    },
}

const LOCK: &str = ".lock";
/// What the name of a file ends with until it is whole.
const PART: &str = ".part";
/// Everything a run writes; nothing else is ever removed.
const OWN_FILES: [&str; 12] = [
    recording::FILE_NAME,
    "scene.resolved.toml",
    "metrics.csv",
    "timings.csv",
    super::forces::FILE_NAME,
    super::findings::FILE_NAME,
    super::commands::FILE_NAME,
    "checkpoint.toile",
    super::branch::START,
    "preview.png",
    "preview-animated.png",
    "report.html",
];

impl RunFolder {
    /// Makes the folder, or takes an existing empty one. With `force`, results may be there already; they are
    /// removed by [`RunFolder::clear`], which is called when it is sure that the run can begin.
    pub fn create(path: &Path, force: bool) -> Result<Self, FolderError> {
        if !force && has_results(path) {
            // Said before anything is touched, unless another run is at work there: that matters more.
            Self::lock(path)?;
            return Err(FolderError::Occupied {
                path: path.to_owned(),
            });
        }
        Self::resume(path)
    }

    /// Takes the folder of an earlier run to go on there; makes it if there is none.
    pub fn resume(path: &Path) -> Result<Self, FolderError> {
        if !has_results(path) && has_other_files(path)? {
            return Err(FolderError::Foreign {
                path: path.to_owned(),
            });
        }
        Self::lock(path)
    }

    fn lock(path: &Path) -> Result<Self, FolderError> {
        let io = |source| FolderError::Io {
            path: path.to_owned(),
            source,
        };
        std::fs::create_dir_all(path).map_err(io)?;
        let lock = File::create(path.join(LOCK)).map_err(io)?;
        match lock.try_lock() {
            Ok(()) => Ok(RunFolder {
                path: path.to_owned(),
                _lock: lock,
            }),
            Err(std::fs::TryLockError::WouldBlock) => Err(FolderError::Busy {
                path: path.to_owned(),
            }),
            Err(std::fs::TryLockError::Error(source)) => Err(io(source)),
        }
    }

    /// Asked where there is no checkpoint to go on from: whether there is more than the start that a run
    /// leaves which was killed before its first one. That is worth nothing; anything else is not replaced
    /// unasked.
    pub(super) fn check_nothing_is_lost(&self) -> Result<(), FolderError> {
        let rows = std::fs::read(self.file("metrics.csv")).unwrap_or_default();
        let rows = rows.iter().filter(|&&b| b == b'\n').count();
        let frames = Recording::open(&self.path).map_or(0, |recording| recording.frame_count());
        let pictures = ["report.html", "preview.png", "preview-animated.png"];
        // The heading and the start make two rows.
        if rows > 2 || frames > 1 || pictures.iter().any(|name| self.file(name).exists()) {
            let path = self.path.clone();
            return Err(FolderError::NoCheckpoint { path });
        }
        Ok(())
    }

    /// Removes the results of an earlier run.
    pub fn clear(&self) -> Result<(), FolderError> {
        for name in OWN_FILES {
            match std::fs::remove_file(self.path.join(name)) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(self.io(error));
                }
                _ => {}
            }
        }
        self.clear_checkpoints().map_err(|error| self.io(error))
    }

    /// Removes the checkpoints that an earlier run kept, and their folder if nothing else is in it.
    fn clear_checkpoints(&self) -> std::io::Result<()> {
        let folder = self.path.join(branch::FOLDER);
        let Ok(entries) = std::fs::read_dir(&folder) else {
            return Ok(());
        };
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_str().unwrap_or_default();
            let whole = name.strip_suffix(PART).unwrap_or(name);
            if branch::kept_frame(whole).is_some() {
                std::fs::remove_file(entry.path())?;
            }
        }
        // It stays if somebody has put something of their own there.
        let _ = std::fs::remove_dir(folder);
        Ok(())
    }

    /// Where the checkpoint of a frame is kept; its folder is made.
    pub(super) fn kept_checkpoint(&self, frame: u64) -> Result<PathBuf, FolderError> {
        let folder = self.path.join(branch::FOLDER);
        std::fs::create_dir_all(&folder).map_err(|error| self.io(error))?;
        Ok(folder.join(branch::kept_name(frame)))
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A file in the folder.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    fn io(&self, source: std::io::Error) -> FolderError {
        FolderError::Io {
            path: self.path.clone(),
            source,
        }
    }
}

fn has_results(path: &Path) -> bool {
    OWN_FILES.iter().any(|name| path.join(name).exists())
}

/// Whether there is something that no run has left. A killed run may leave a file that it was about to rename.
fn has_other_files(path: &Path) -> Result<bool, FolderError> {
    let entries = match std::fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        Err(source) => {
            return Err(FolderError::Io {
                path: path.to_owned(),
                source,
            });
        }
    };
    let own = |name: &str| {
        let whole = name.strip_suffix(PART).unwrap_or(name);
        name == LOCK || name == branch::FOLDER || OWN_FILES.contains(&whole)
    };
    let mut names = entries.flatten().map(|entry| entry.file_name());
    Ok(names.any(|name| !name.to_str().is_some_and(own)))
}

/// Writes a file so that at every moment either the old or the whole new one is there: into a temporary
/// file beside it, to the disk, then renamed over it. Only a regular file is replaced.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), FolderError> {
    let io = |source| FolderError::Io {
        path: path.to_owned(),
        source,
    };
    check_target(path).map_err(io)?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(PART);
    let temporary = path.with_file_name(name);
    let written = File::create(&temporary)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| std::fs::rename(&temporary, path));
    if written.is_err() {
        // Best effort: the error that matters is the first one.
        let _ = std::fs::remove_file(&temporary);
    }
    written.map_err(io)
}
