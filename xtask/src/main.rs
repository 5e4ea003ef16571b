//! Chores of the project: `cargo xtask test`, `cargo xtask lint`.

use std::process::{Command, ExitCode};

const USAGE: &str = "\
cargo xtask test   all tests (unit, integration, documentation)
cargo xtask lint   formatting, clippy and rustdoc, warnings as errors
cargo xtask ci     test, then lint";

fn main() -> ExitCode {
    let chore = std::env::args().nth(1).unwrap_or_default();
    let done = match chore.as_str() {
        "test" => test(),
        "lint" => lint(),
        "ci" => test() && lint(),
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
    // Examples and benches only print; `lint` sees that they compile.
    let targets = ["--lib", "--bins", "--tests"];
    cargo(&[&["test", "--workspace"], &targets[..]].concat(), &[])
        && cargo(&["test", "--workspace", "--doc"], &[])
        // The engine must also stand alone, without threads.
        && cargo(&["check", "--package", "toile", "--no-default-features"], &[])
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
