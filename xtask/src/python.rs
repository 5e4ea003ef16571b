//! The Python package: its environment, its tests, its wheel.
//!
//! Everything lives under `target/python`. What the tests need is installed there once, and again when the list changes.

use crate::{Output, release};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What builds the package and tests it.
const NEEDS: [&str; 10] = [
    "maturin>=1.7,<2",
    "numpy>=1.24",
    "pytest>=7",
    "mypy>=1.18",
    "typing_extensions",
    "pyarrow>=14",
    "trimesh>=4",
    "matplotlib>=3.7",
    "ray>=2.9",
    "gymnasium>=1.1",
];

/// Where the package is installed for its tests.
pub enum Package {
    Installed(PathBuf),
    /// There is no Python for it, and that was said.
    LeftOut,
}

/// Fetches what the tests need, if that can be had. Whether it can, [`prepare`] says.
pub fn fetch() {
    let _ = environment(&NEEDS);
}

/// Builds the wheel with the profile of the tests and installs it. `None` if that fails.
pub fn prepare() -> Option<Package> {
    let Some(environment) = environment(&NEEDS) else {
        return left_out("the tests of the Python package").then_some(Package::LeftOut);
    };
    let wheels = folder().join("wheels");
    // Only the newest may be there, or an older one could be tested.
    let _ = std::fs::remove_dir_all(&wheels);
    let wheel = build(&environment, &wheels, &["--profile", "dev"])?;
    let install = ["install", "--quiet", "--no-deps", "--force-reinstall"];
    let python = environment.join(BIN).join("python");
    let installed = run(
        &python,
        &[&["-m", "pip"], &install[..], &[&wheel]].concat(),
        ".",
        Output::Shown,
    );
    installed.then_some(Package::Installed(environment))
}

/// Runs pytest and mypy.
pub fn test(package: &Package, output: Output) -> bool {
    let Package::Installed(environment) = package else {
        return true;
    };
    let python = environment.join(BIN).join("python");
    let pytest = environment.join(BIN).join("pytest");
    let mypy = ["-m", "mypy", "--no-error-summary"];
    // The stubs say what the compiled module has. Run elsewhere, it looks at what was installed.
    let stubs = ["-m", "mypy.stubtest", "toile._toile"];
    run(&pytest, &["-q"], "python", output)
        && run(&python, &mypy, "python", output)
        && run(&python, &stubs, "target/python", output)
}

/// Makes a wheel that installs without Rust, with the program and its page in it.
pub fn wheel() -> bool {
    let Some(environment) = environment(&NEEDS[..1]) else {
        eprintln!("a wheel takes Python 3.10 or later with `venv`, and its package index");
        return false;
    };
    let Some(program) = release::program() else {
        return false;
    };
    let beside = match release::lay_beside_the_package(&program) {
        Ok(folder) => folder,
        Err(error) => {
            eprintln!("{}: {error}", program.display());
            return false;
        }
    };
    let made = build(&environment, Path::new("target/wheels"), &["--release"]);
    // No other wheel is to find it.
    let _ = std::fs::remove_dir_all(beside);
    if let Some(wheel) = &made {
        eprintln!("pip install {wheel}");
    }
    made.is_some()
}

#[cfg(windows)]
const BIN: &str = "Scripts";
#[cfg(not(windows))]
const BIN: &str = "bin";

fn folder() -> PathBuf {
    Path::new("target").join("python")
}

/// What cannot be done here is said; where every change must pass, that is not enough.
fn left_out(what: &str) -> bool {
    eprintln!(
        "left out: {what}, which take Python 3.10 or later with `venv`, and its package index"
    );
    std::env::var_os("CI").is_none()
}

/// The folder of an environment that has all of this.
fn environment(needs: &[&str]) -> Option<PathBuf> {
    let folder = std::path::absolute(folder().join("environment")).ok()?;
    let python = folder.join(BIN).join("python");
    let list = folder.join("needs.txt");
    let wanted = needs.join("\n");
    let has = std::fs::read_to_string(&list).unwrap_or_default();
    if python.exists() && has.starts_with(&wanted) {
        return Some(folder);
    }
    let found = ["python3", "python"]
        .into_iter()
        .find(|name| is_recent(name))?;
    let place = folder.to_str()?;
    let make = ["-m", "venv", "--clear", place];
    let fill = [&["-m", "pip", "install", "--quiet"], needs].concat();
    let made =
        run(Path::new(found), &make, ".", Output::Kept) && run(&python, &fill, ".", Output::Kept);
    made.then(|| std::fs::write(&list, wanted).ok())??;
    Some(folder)
}

/// Whether a program is a Python that the package is for.
fn is_recent(name: &str) -> bool {
    let ask = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";
    let asked = Command::new(name).args(["-c", ask]).output();
    asked.is_ok_and(|answer| answer.status.success())
}

/// Builds a wheel; answers its path.
fn build(environment: &Path, out: &Path, profile: &[&str]) -> Option<String> {
    let maturin = environment.join(BIN).join("maturin");
    let python = environment.join(BIN).join("python");
    let [out_text, python] = [out.to_str()?, python.to_str()?];
    let manifest = [
        "--manifest-path",
        "python/Cargo.toml",
        "--interpreter",
        python,
    ];
    let arguments = [&["build", "--out", out_text], &manifest[..], profile].concat();
    run(&maturin, &arguments, ".", Output::Shown).then_some(())?;
    let entries = std::fs::read_dir(out).ok()?.flatten();
    let wheels = entries.filter(|e| e.path().extension().is_some_and(|e| e == "whl"));
    let newest = wheels.max_by_key(|e| e.metadata().and_then(|m| m.modified()).ok())?;
    newest.path().to_str().map(str::to_owned)
}

/// Runs a program in a folder, showing the command.
fn run(program: &Path, arguments: &[&str], folder: &str, output: Output) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder);
    crate::run(command, output)
}
