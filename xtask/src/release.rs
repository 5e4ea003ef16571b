//! What goes out to machines without Rust and Node: the program with its page in it, in an archive of its own and inside the wheel.

use crate::{cargo, studio, target};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What stands in an archive beside the program.
const PAPERS: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];
const FOLDERS: [&str; 2] = ["docs", "scenes"];

/// Builds the program, with the studio's page in it where there is Node; answers its path.
pub fn program() -> Option<PathBuf> {
    if studio::needs_node() {
        if !studio::page() {
            return None;
        }
    } else {
        eprintln!("left out: the studio's page; the program will say how to get it");
    }
    cargo(&["build", "--release", "--package", "toile-cli"], &[]).then(|| {
        let name = format!("toile{}", std::env::consts::EXE_SUFFIX);
        target().join("release").join(name)
    })
}

/// Makes `target/archives/toile-VERSION-SYSTEM.tar.gz`.
pub fn archive() -> bool {
    let Some(program) = program() else {
        return false;
    };
    let (system, machine) = (std::env::consts::OS, std::env::consts::ARCH);
    let name = format!("toile-{}-{machine}-{system}", env!("CARGO_PKG_VERSION"));
    let folder = target().join("archives");
    let packed = gather(&program, &folder.join(&name)).and_then(|()| {
        let archive = folder.join(format!("{name}.tar.gz"));
        let [place, file] = [&folder, &archive].map(|path| path.display().to_string());
        let packed = Command::new("tar")
            .args(["-czf", &file, "-C", &place, &name])
            .status()?;
        match packed.success() {
            true => Ok(archive),
            false => Err(io::Error::other("tar failed")),
        }
    });
    match &packed {
        Ok(archive) => eprintln!("{} runs without Rust and Node", archive.display()),
        Err(error) => eprintln!("{}: {error}", folder.display()),
    }
    packed.is_ok()
}

/// Puts together what an archive holds.
fn gather(program: &Path, folder: &Path) -> io::Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    let name = program.file_name().unwrap_or_default();
    fs::copy(program, folder.join(name))?;
    for paper in PAPERS {
        fs::copy(paper, folder.join(paper))?;
    }
    FOLDERS
        .iter()
        .try_for_each(|name| copy_folder(Path::new(name), &folder.join(name)))
}

fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let place = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => copy_folder(&entry.path(), &place)?,
            false => fs::copy(entry.path(), place).map(drop)?,
        }
    }
    Ok(())
}

/// Lays the program where maturin looks for what a wheel installs beside the package.
pub fn lay_beside_the_package(program: &Path) -> io::Result<PathBuf> {
    let scripts = Path::new("python").join("toile.data").join("scripts");
    fs::create_dir_all(&scripts)?;
    let name = program.file_name().unwrap_or_default();
    fs::copy(program, scripts.join(name))?;
    Ok(scripts)
}
