//! Files that get their real names only when all of them are whole.

use super::ExportError;
use crate::files::check_target;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// The files of one export. Each is written under a temporary name beside its target; [`commit`](Self::commit)
/// renames them. Dropped before that, it removes what it wrote.
#[derive(Debug)]
pub(super) struct Output {
    force: bool,
    /// Temporary name and target.
    pending: Vec<(PathBuf, PathBuf)>,
}

/// A file being written; errors name its target.
#[derive(Debug)]
pub(super) struct OutputFile {
    target: PathBuf,
    writer: BufWriter<File>,
}

impl Output {
    /// Checks that none of the targets is in the way, before the work begins.
    pub fn new<'p>(
        targets: impl IntoIterator<Item = &'p PathBuf>,
        force: bool,
    ) -> Result<Self, ExportError> {
        targets
            .into_iter()
            .try_for_each(|target| check_free(target, force))?;
        Ok(Output {
            force,
            pending: Vec::new(),
        })
    }

    /// Opens a file that will be called `target`.
    pub fn create(&mut self, target: &Path) -> Result<OutputFile, ExportError> {
        let partial = with_suffix(target, &format!(".partial-{}", std::process::id()));
        // An export that was killed may have left its partial file under a process number used again.
        match fs::remove_file(&partial) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(io_error(target)(error));
            }
            _ => {}
        }
        if let Some(folder) = target.parent() {
            fs::create_dir_all(folder).map_err(io_error(target))?;
        }
        let file = File::options().write(true).create_new(true).open(&partial);
        let file = file.map_err(io_error(target))?;
        self.pending.push((partial, target.to_owned()));
        Ok(OutputFile {
            target: target.to_owned(),
            writer: BufWriter::with_capacity(1 << 18, file),
        })
    }

    /// Gives every file its real name and returns the names.
    pub fn commit(mut self) -> Result<Vec<PathBuf>, ExportError> {
        for (_, target) in &self.pending {
            check_free(target, self.force)?;
        }
        let mut files = Vec::with_capacity(self.pending.len());
        for (partial, target) in &self.pending {
            fs::rename(partial, target).map_err(io_error(target))?;
            files.push(target.clone());
        }
        self.pending.clear();
        Ok(files)
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        for (partial, _) in &self.pending {
            // Nobody is left to tell, and a partial file does no harm.
            let _ = fs::remove_file(partial);
        }
    }
}

impl OutputFile {
    /// Writes bytes.
    pub fn put(&mut self, bytes: impl AsRef<[u8]>) -> Result<(), ExportError> {
        let written = self.writer.write_all(bytes.as_ref());
        written.map_err(io_error(&self.target))
    }

    /// Hands everything to the disk: some file systems say only now that it is full.
    pub fn finish(mut self) -> Result<(), ExportError> {
        let flushed = self.writer.flush();
        let synced = flushed.and_then(|()| self.writer.get_ref().sync_data());
        synced.map_err(io_error(&self.target))
    }
}

/// `out` as the name of a single file: the first of `extensions` is added unless it has one of them.
pub(super) fn single_target(out: &Path, extensions: &[&str]) -> Result<PathBuf, ExportError> {
    let stem = stem_of(out, extensions)?;
    if stem.as_os_str() != out.as_os_str() {
        return Ok(out.to_owned());
    }
    Ok(with_suffix(&stem, &format!(".{}", extensions[0])))
}

/// `out` without its extension, if that is one of `extensions`: what the names of a sequence begin with.
pub(super) fn stem_of(out: &Path, extensions: &[&str]) -> Result<PathBuf, ExportError> {
    if out.file_name().is_none() || out.is_dir() {
        return Err(ExportError::BadPath {
            path: out.to_owned(),
            what: "it is a folder; add a file name",
        });
    }
    let known = out
        .extension()
        .is_some_and(|own| extensions.iter().any(|e| own.eq_ignore_ascii_case(e)));
    Ok(if known {
        out.with_extension("")
    } else {
        out.to_owned()
    })
}

/// A path with something added to its file name.
pub(super) fn with_suffix(stem: &Path, suffix: &str) -> PathBuf {
    let mut name: OsString = stem.file_name().unwrap_or_default().to_owned();
    name.push(suffix);
    stem.with_file_name(name)
}

/// The files of a sequence, each with the number of its frame: `walk_0000.obj` is the start. Always at least
/// four digits, so that they sort.
pub(super) fn sequence_targets(stem: &Path, extension: &str, frames: &[usize]) -> Vec<PathBuf> {
    let last = frames.last().map_or(0, |frame| frame.to_string().len());
    let digits = last.max(4);
    frames
        .iter()
        .map(|number| with_suffix(stem, &format!("_{number:0digits$}.{extension}")))
        .collect()
}

fn check_free(target: &Path, force: bool) -> Result<(), ExportError> {
    check_target(target).map_err(io_error(target))?;
    if !force && fs::symlink_metadata(target).is_ok() {
        return Err(ExportError::Exists {
            path: target.to_owned(),
        });
    }
    Ok(())
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> ExportError {
    let path = path.to_owned();
    move |source| ExportError::Io { path, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of its own with the names in it, removed at the end.
    fn in_folder(name: &str, test: impl FnOnce(&Path, &dyn Fn() -> Vec<OsString>)) {
        let folder = format!("toile-output-{}-{name}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        fs::create_dir_all(&folder).unwrap();
        let names = || {
            let entries = fs::read_dir(&folder).unwrap();
            entries.map(|entry| entry.unwrap().file_name()).collect()
        };
        test(&folder, &names);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn an_export_given_up_half_way_leaves_nothing() {
        in_folder("given-up", |folder, names| {
            let target = folder.join("walk.glb");
            let mut output = Output::new([&target], false).unwrap();
            let mut file = output.create(&target).unwrap();
            file.put("half").unwrap();
            assert_eq!(names().len(), 1);
            assert!(!target.exists(), "the real name is for whole files");
            drop((file, output));
            assert!(names().is_empty());
        });
    }

    #[test]
    fn a_file_that_appears_meanwhile_is_not_replaced() {
        in_folder("meanwhile", |folder, names| {
            let target = folder.join("walk.glb");
            let mut output = Output::new([&target], false).unwrap();
            output.create(&target).unwrap().finish().unwrap();
            fs::write(&target, "mine").unwrap();
            let refused = output.commit().unwrap_err();
            assert!(matches!(refused, ExportError::Exists { .. }), "{refused}");
            assert_eq!(names(), ["walk.glb"]);
            assert_eq!(fs::read(&target).unwrap(), b"mine");
        });
    }

    #[test]
    fn extensions_are_added_only_where_they_are_missing() {
        let single = |out: &str| single_target(Path::new(out), &["usda", "usd"]).unwrap();
        assert_eq!(single("a/walk"), Path::new("a/walk.usda"));
        assert_eq!(single("walk.usd"), Path::new("walk.usd"));
        assert_eq!(single("walk.v2"), Path::new("walk.v2.usda"));
        let names = sequence_targets(Path::new("a/walk.v2"), "obj", &[0, 5]);
        let expected = ["a/walk.v2_0000.obj", "a/walk.v2_0005.obj"];
        assert_eq!(names, expected.map(PathBuf::from));
    }
}
