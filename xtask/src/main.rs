//! Chores of the project: `cargo xtask test`, `cargo xtask lint`.

mod python;
mod release;
mod studio;

use std::path::PathBuf;
use std::process::{Command, ExitCode};

const USAGE: &str = "\
cargo xtask test   all tests (unit, integration, documentation, of the Python package and of the studio's page)
cargo xtask python only those of the Python package
cargo xtask wheel  a wheel of the Python package that installs without Rust, with the program in it, in target/wheels
cargo xtask archive the program with the studio's page, the book and the scenes, in target/archives
cargo xtask studio builds the studio's page and starts it, with the arguments of `toile studio`;
                   --static makes a page with the engine in it that needs no server, in studio/dist-static
cargo xtask lint   formatting, clippy and rustdoc, warnings as errors; engine and scenes compile for a browser
cargo xtask ci     test, then lint
cargo xtask bits   scenes and pictures are the same bits with and without threads";

/// What must do without threads, files and a clock.
const ALONE: [&str; 8] = [
    "--package",
    "toile",
    "--package",
    "toile-render",
    "--package",
    "toile-scene",
    "--package",
    "toile-live",
];

/// What browsers run.
const BROWSER: &str = "wasm32-unknown-unknown";

fn main() -> ExitCode {
    let chore = std::env::args().nth(1).unwrap_or_default();
    let done = match chore.as_str() {
        "test" => test(),
        "python" => python::test(),
        "wheel" => python::wheel(),
        "archive" => release::archive(),
        "studio" => studio::studio(&std::env::args().skip(2).collect::<Vec<_>>()),
        "lint" => lint(),
        "ci" => test() && lint(),
        "bits" => bits(),
        _ => {
            eprintln!("{USAGE}");
            false
        }
    };
    if done {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn test() -> bool {
    // Examples and benches only print; `lint` sees that they compile. `--tests` are libraries and programs too, but not the Python
    // package, which says that it is none; `--lib` would link it all the same, which takes Python.
    cargo(&["test", "--workspace", "--tests"], &[])
        && cargo(&["test", "--workspace", "--doc"], &[])
        // Engine, pictures and scenes must also stand without threads.
        && cargo(&[&["check", "--no-default-features"], &ALONE[..]].concat(), &[])
        && python::test()
        && studio::test()
}

fn lint() -> bool {
    cargo(&["fmt", "--all", "--check"], &[])
        && cargo(
            &[
                "clippy",
                "--workspace",
                "--all-targets",
                "--",
                "-D",
                "warnings",
            ],
            &[],
        )
        && cargo(
            &["doc", "--workspace", "--no-deps"],
            &[("RUSTDOCFLAGS", "-D warnings")],
        )
        && browser()
}

/// The engine and the scenes compile for browsers, if the toolchain can: not every one has the target.
fn browser() -> bool {
    if !has_target(BROWSER) {
        eprintln!(
            "left out: the check for {BROWSER}, which is not installed (rustup target add {BROWSER})"
        );
        return true;
    }
    let check = ["check", "--target", BROWSER, "--no-default-features"];
    let features = ["--features", "toile/direct,toile-scene/direct"];
    let page = ["--package", "toile-wasm"];
    cargo(&[&check[..], &ALONE, &page, &features].concat(), &[])
}

/// Where cargo puts what it builds.
fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from)
}

/// Whether the compiler has the standard library of a target.
fn has_target(target: &str) -> bool {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let asked = Command::new(rustc)
        .args(["--print", "target-libdir", "--target", target])
        .output();
    asked.is_ok_and(|answer| {
        let folder = String::from_utf8_lossy(&answer.stdout);
        answer.status.success() && std::path::Path::new(folder.trim()).is_dir()
    })
}

/// Builds with and without threads come to the same bits. Not part of `ci`: the engine is compiled once more for it.
fn bits() -> bool {
    let run = [
        "run",
        "--quiet",
        "--package",
        "toile-scene",
        "--example",
        "bits",
    ];
    let alone = ["--no-default-features", "--features", "direct"];
    let builds = [run.to_vec(), [&run[..], &alone].concat()];
    let [with, without] = builds.map(|arguments| output(&arguments));
    match (with, without) {
        (Some(with), Some(without)) if with == without => {
            eprint!("{with}");
            true
        }
        (with, without) => {
            eprintln!("with threads:\n{with:?}\nwithout:\n{without:?}");
            false
        }
    }
}

/// What a cargo command prints, if it succeeds.
fn output(arguments: &[&str]) -> Option<String> {
    eprintln!("$ cargo {}", arguments.join(" "));
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let ran = Command::new(cargo)
        .args(arguments)
        .stderr(std::process::Stdio::inherit())
        .output();
    let ran = ran.ok().filter(|ran| ran.status.success())?;
    Some(String::from_utf8_lossy(&ran.stdout).into_owned())
}

/// Runs cargo in the workspace, showing the command.
fn cargo(arguments: &[&str], environment: &[(&str, &str)]) -> bool {
    eprintln!("$ cargo {}", arguments.join(" "));
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let status = Command::new(cargo)
        .args(arguments)
        .envs(environment.iter().copied())
        .status();
    match status {
        Ok(status) => status.success(),
        Err(error) => {
            eprintln!("cannot start cargo: {error}");
            false
        }
    }
}
