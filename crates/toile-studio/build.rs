//! Puts the built page, `studio/dist`, into the program. Without it the server says how to get one.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let crate_folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let studio = crate_folder.join("../../studio");
    let dist = studio.join("dist");
    let mut files = Vec::new();
    if dist.join("index.html").is_file() {
        println!("cargo::rerun-if-changed={}", dist.display());
        collect(&dist, &mut files)?;
    } else {
        // What is not there cannot be watched: `cargo xtask studio` touches this script when it has built the page.
        println!("cargo::rerun-if-changed=build.rs");
    }
    files.sort();
    let mut table = String::from("&[\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    // Copied, because the page may be built again while the crate is compiled.
    let copies = out.join("page");
    if copies.is_dir() {
        fs::remove_dir_all(&copies)?;
    }
    fs::create_dir(&copies)?;
    for (number, file) in files.iter().enumerate() {
        let name = file.strip_prefix(&dist).unwrap_or(file);
        let name = name.to_string_lossy().replace('\\', "/");
        let copy = copies.join(number.to_string());
        fs::copy(file, &copy)?;
        let _ = writeln!(table, "({name:?}, include_bytes!({:?})),", copy.display());
    }
    table.push(']');
    fs::write(out.join("page.rs"), table)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        match entry.file_type()?.is_dir() {
            true => collect(&entry.path(), files)?,
            false => files.push(entry.path()),
        }
    }
    Ok(())
}
