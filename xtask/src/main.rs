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

/// What must do without threads.
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
        "python" => python::prepare().is_some_and(|package| python::test(&package, Output::Shown)),
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
    let rust = std::thread::scope(|scope| {
        // To fetch packages is to wait.
        scope.spawn(|| {
            python::fetch();
            studio::fetch();
        });
        cargo(&["test", "--workspace", "--tests"], &[])
            && cargo(&["test", "--workspace", "--doc"], &[])
    });
    if !rust {
        return false;
    }
    let (Some(package), Some(page)) = (python::prepare(), studio::prepare()) else {
        return false;
    };
    // Python keeps one core busy and a browser waits for pictures: side by side they take half the time.
    std::thread::scope(|scope| {
        let python = scope.spawn(|| python::test(&package, Output::Kept));
        let seen = studio::test(&page);
        python.join().unwrap_or(false) && seen
    })
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

/// Engine, pictures and scenes stand without threads, files and a clock: they compile for browsers, if the toolchain
/// has that target.
fn browser() -> bool {
    if has_target(BROWSER) {
        return engine_for_browsers();
    }
    eprintln!(
        "left out: the check for {BROWSER}, which is not installed (rustup target add {BROWSER})"
    );
    cargo(
        &[&["check", "--no-default-features"], &ALONE[..]].concat(),
        &[],
    )
}

/// Builds the engine as the tests of the page without a server want it.
fn engine_for_browsers() -> bool {
    let build = ["build", "--package", "toile-wasm", "--target", BROWSER];
    cargo(&build, &[])
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

/// What becomes of the words of a program that is run.
#[derive(Clone, Copy)]
enum Output {
    /// They are seen at once.
    Shown,
    /// They are seen when it has ended, because another one runs beside it.
    Kept,
}

/// Runs a program, showing the command.
fn run(mut command: Command, output: Output) -> bool {
    let words: Vec<_> = std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let words = words.join(" ");
    let ended = match output {
        Output::Shown => {
            eprintln!("$ {words}");
            command.status()
        }
        Output::Kept => command.output().map(|ended| {
            let [said, complained] =
                [&ended.stdout, &ended.stderr].map(|b| String::from_utf8_lossy(b));
            eprintln!("$ {words}\n{said}{complained}");
            ended.status
        }),
    };
    match ended {
        Ok(status) => status.success(),
        Err(error) => {
            eprintln!("cannot start {words}: {error}");
            false
        }
    }
}

/// Runs cargo in the workspace, showing the command.
fn cargo(arguments: &[&str], environment: &[(&str, &str)]) -> bool {
    let mut command = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()));
    command.args(arguments).envs(environment.iter().copied());
    run(command, Output::Shown)
}
