//! Text tables that grow line by line and know their own checksum.

use super::runner::RunError;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// How much of a table a checkpoint counts, and what it held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableMark {
    /// Bytes.
    pub bytes: u64,
    /// CRC-32 of these bytes.
    pub sum: u32,
}

pub(super) struct Table {
    path: PathBuf,
    file: File,
    mark: TableMark,
}

impl Table {
    pub fn create(path: PathBuf, heading: &str) -> Result<Self, RunError> {
        match File::create(&path) {
            Ok(file) => {
                let mark = TableMark::default();
                let mut table = Table { path, file, mark };
                table.line(heading)?;
                Ok(table)
            }
            Err(source) => Err(RunError::Io { path, source }),
        }
    }

    /// Goes on after what a checkpoint counts; what comes after that is cut off. A table that is not what was written is an error.
    pub fn resume(path: PathBuf, mark: TableMark) -> Result<Self, RunError> {
        match open_after(&path, mark) {
            Ok(file) => Ok(Table { path, file, mark }),
            Err(source) => Err(RunError::Io { path, source }),
        }
    }

    pub fn line(&mut self, text: &str) -> Result<(), RunError> {
        let line = format!("{text}\n");
        let mut sum = crc32fast::Hasher::new_with_initial(self.mark.sum);
        sum.update(line.as_bytes());
        self.mark.sum = sum.finalize();
        self.mark.bytes += line.len() as u64;
        self.file
            .write_all(line.as_bytes())
            .map_err(|source| self.error(source))
    }

    pub fn sync(&self) -> Result<(), RunError> {
        self.file.sync_data().map_err(|source| self.error(source))
    }

    /// What is written.
    pub fn mark(&self) -> TableMark {
        self.mark
    }

    fn error(&self, source: std::io::Error) -> RunError {
        RunError::Io {
            path: self.path.clone(),
            source,
        }
    }
}

fn open_after(path: &Path, mark: TableMark) -> std::io::Result<File> {
    let refuse = |message: String| Err(std::io::Error::other(message));
    let mut file = File::options().read(true).write(true).open(path)?;
    let mut text = Vec::new();
    (&mut file).take(mark.bytes).read_to_end(&mut text)?;
    // Made longer, it would be filled up with zeros.
    if (text.len() as u64) < mark.bytes {
        return refuse(format!(
            "{} bytes are here, but the checkpoint counts {}; start again with --force",
            text.len(),
            mark.bytes
        ));
    }
    if crc32fast::hash(&text) != mark.sum {
        return refuse(
            "it is not as the run wrote it (its checksum is wrong); start again with --force"
                .into(),
        );
    }
    file.set_len(mark.bytes)?;
    file.seek(SeekFrom::Start(mark.bytes))?;
    Ok(file)
}
