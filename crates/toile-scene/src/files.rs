//! The one rule for files that a user names: only regular files are read, and only regular files are
//! replaced.
//!
//! A pipe would be waited on for ever, a device may have no end, and a rename over either of them would take
//! it away from everybody else on the machine.
//!
//! [`Files`] is whoever has the files: the [`Disk`], or [`MemoryFiles`] where there is none.

mod memory_files;
mod provider;

pub use memory_files::MemoryFiles;
pub use provider::{Disk, Files, Input};

use std::fs::{self, File, FileType, Metadata};
use std::io;
use std::path::Path;

/// Opens a file to read from. Folders, pipes and devices are refused.
pub fn open_input(path: &Path) -> io::Result<File> {
    // Asked before the file is opened: to open a pipe is to wait for its writer.
    check_input(&fs::metadata(path)?)?;
    let file = File::open(path)?;
    check_input(&file.metadata()?)?;
    Ok(file)
}

/// All bytes of a file. Folders, pipes and devices are refused.
pub fn read_input(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::Read::read_to_end(&mut open_input(path)?, &mut bytes)?;
    Ok(bytes)
}

/// All text of a file. Folders, pipes and devices are refused.
pub fn read_input_text(path: &Path) -> io::Result<String> {
    let text = String::from_utf8(read_input(path)?);
    text.map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let message = format!("byte {at} is not UTF-8 text");
        io::Error::new(io::ErrorKind::InvalidData, message)
    })
}

/// Whether a file may be written under this name: nothing is there, or a regular file, or a link to one.
pub fn check_target(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
        Ok(found) if found.is_file() => return Ok(()),
        Ok(_) => {}
    }
    match fs::metadata(path) {
        Ok(found) if found.is_file() => Ok(()),
        Ok(found) => Err(refusal(
            found.file_type(),
            "cannot be replaced; choose another name",
        )),
        Err(_) => Err(io::Error::other(
            "is a link to nothing; remove it or choose another name",
        )),
    }
}

/// Whether a file may be written under this name, and whether there is one that only `force` replaces.
pub fn check_new_target(path: &Path, force: bool) -> io::Result<()> {
    check_target(path)?;
    if !force && fs::symlink_metadata(path).is_ok() {
        let message = "exists already; replace it with --force or choose another name with -o";
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, message));
    }
    Ok(())
}

fn check_input(found: &Metadata) -> io::Result<()> {
    match found.is_file() {
        true => Ok(()),
        false => Err(refusal(
            found.file_type(),
            "cannot be read; give a regular file",
        )),
    }
}

fn refusal(kind: FileType, mend: &str) -> io::Error {
    io::Error::other(format!("is {}, which {mend}", in_words(kind)))
}

#[cfg(unix)]
fn in_words(kind: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    match () {
        () if kind.is_dir() => "a folder",
        () if kind.is_fifo() => "a pipe",
        () if kind.is_socket() => "a socket",
        () if kind.is_char_device() || kind.is_block_device() => "a device",
        () => "no regular file",
    }
}

#[cfg(not(unix))]
fn in_words(kind: FileType) -> &'static str {
    if kind.is_dir() {
        "a folder"
    } else {
        "no regular file"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_neither_read_nor_replaced() {
        let folder = std::env::temp_dir();
        let says = |result: io::Result<()>| result.unwrap_err().to_string();
        assert!(says(open_input(&folder).map(drop)).contains("is a folder, which cannot be read"));
        assert!(says(check_target(&folder)).contains("is a folder, which cannot be replaced"));
        let missing = folder.join("toile-there-is-no-such-file");
        check_target(&missing).unwrap();
        assert_eq!(
            open_input(&missing).unwrap_err().kind(),
            io::ErrorKind::NotFound
        );
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_neither_read_nor_replaced() {
        let null = Path::new("/dev/null");
        let says = |result: io::Result<()>| result.unwrap_err().to_string();
        assert!(says(open_input(null).map(drop)).contains("is a device"));
        assert!(says(check_new_target(null, true)).contains("is a device"));
    }
}
