//! The studio's page: built with Node, tested there and in Chromium, put into the program or beside the engine.

use crate::{BROWSER, Output, cargo, engine_for_browsers, has_target, run, target};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

const FOLDER: &str = "studio";
/// The script that puts the page into the program; it must run again when there is another page.
const EMBEDDING: &str = "crates/toile-studio/build.rs";
/// Where the page without a server looks for the engine.
const ENGINE: &str = "engine/toile_web.wasm";
/// The oldest Node that its tools run on.
const NODE: [u32; 2] = [20, 19];

/// Builds the page and starts the program with it, or makes the page that needs no server.
pub fn studio(arguments: &[String]) -> bool {
    if !needs_node() {
        return false;
    }
    if arguments.iter().any(|a| a == "--static") {
        return without_a_server();
    }
    if !page() {
        return false;
    }
    let run = ["run", "--release", "--", "studio"];
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    cargo(&[&run[..], &arguments].concat(), &[])
}

/// Builds the page where the program takes it from.
pub fn page() -> bool {
    if !packages() || !npm(&["run", "build"], &[]) {
        return false;
    }
    // It may have been run when there was no page to watch.
    if let Ok(script) = File::options().append(true).open(EMBEDDING) {
        let _ = script.set_modified(SystemTime::now());
    }
    true
}

/// The page with the engine in it, in a folder that any web host can serve.
fn without_a_server() -> bool {
    if !has_target(BROWSER) {
        eprintln!(
            "the page without a server takes the target {BROWSER}: rustup target add {BROWSER}"
        );
        return false;
    }
    let build = [
        "build",
        "--release",
        "--package",
        "toile-wasm",
        "--target",
        BROWSER,
    ];
    if !cargo(&build, &[]) || !packages() || !npm(&["run", "build:static"], &[]) {
        return false;
    }
    let made = target().join(BROWSER).join("release/toile_wasm.wasm");
    let place = Path::new(FOLDER).join("dist-static");
    let engine = place.join(ENGINE);
    let copied = std::fs::create_dir_all(engine.parent().unwrap_or(&place))
        .and_then(|()| std::fs::copy(&made, &engine));
    match &copied {
        Ok(_) => eprintln!("{} can be put on any web host", place.display()),
        Err(error) => eprintln!("{}: {error}", engine.display()),
    }
    copied.is_ok()
}

/// What the page is tested with in a browser.
pub enum Page {
    Built {
        chromium: PathBuf,
        /// The engine for the page without a server.
        engine: Option<PathBuf>,
    },
    /// There is no Node or no browser for it, and that was said.
    LeftOut,
}

/// Fetches the packages of the page, if there is Node. Whether they are there, [`prepare`] says.
pub fn fetch() {
    let _ = has_node() && packages();
}

/// Checks and builds the page, and tests its parts in Node. `None` if that fails.
pub fn prepare() -> Option<Page> {
    if !has_node() {
        return left_out(&format!(
            "the tests of the studio's page, which take Node {}.{} or later, with npm",
            NODE[0], NODE[1]
        ));
    }
    if !packages() || !npm(&["run", "build"], &[]) || !npm(&["test"], &[]) {
        return None;
    }
    let Some(chromium) = chromium() else {
        return left_out(
            "the tests of the studio in a browser, which take Chromium (on Debian: apt-get install chromium)",
        );
    };
    let engine = if has_target(BROWSER) {
        let made = target().join(BROWSER).join("debug/toile_wasm.wasm");
        Some(engine_for_browsers().then(|| std::path::absolute(made).ok())??)
    } else {
        eprintln!(
            "left out: the tests of the page without a server, which take the target {BROWSER} (rustup target add {BROWSER})"
        );
        None
    };
    Some(Page::Built { chromium, engine })
}

/// Tests all of it in Chromium with the program.
pub fn test(page: &Page) -> bool {
    let Page::Built { chromium, engine } = page else {
        return true;
    };
    let program = std::path::absolute(target().join("debug/toile")).unwrap_or_default();
    let engine = engine.as_deref().unwrap_or(Path::new(""));
    let [program, chromium, engine] =
        [&program, chromium, engine].map(|path| path.display().to_string());
    let environment = [
        ("TOILE_BIN", program.as_str()),
        ("CHROMIUM", &chromium),
        ("TOILE_WASM", &engine),
    ];
    npm(&["run", "test:browser"], &environment)
}

/// What cannot be done here is said; where every change must pass, that is not enough.
fn left_out(what: &str) -> Option<Page> {
    eprintln!("left out: {what}");
    std::env::var_os("CI").is_none().then_some(Page::LeftOut)
}

/// Whether there is Node; says so if not.
pub fn needs_node() -> bool {
    let has = has_node();
    if !has {
        let [major, minor] = NODE;
        eprintln!("the studio's page takes Node {major}.{minor} or later, with npm");
    }
    has
}

fn has_node() -> bool {
    let asked = Command::new("node").arg("--version").output();
    let version = asked.map_or(String::new(), |a| {
        String::from_utf8_lossy(&a.stdout).into_owned()
    });
    let numbers = version.trim().trim_start_matches('v').split('.');
    let numbers: Vec<u32> = numbers.map_while(|n| n.parse().ok()).collect();
    let has_npm = Command::new("npm")
        .arg("--version")
        .output()
        .is_ok_and(|a| a.status.success());
    numbers.get(..2).is_some_and(|found| found >= &NODE[..]) && has_npm
}

fn chromium() -> Option<PathBuf> {
    let chosen = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let usual = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].map(PathBuf::from);
    chosen.into_iter().chain(usual).find(|path| path.is_file())
}

/// Installs what package-lock.json names, if that has changed.
fn packages() -> bool {
    let modified = |name: &str| {
        let found = std::fs::metadata(Path::new(FOLDER).join(name)).ok()?;
        found.modified().ok()
    };
    let installed = modified("node_modules/.package-lock.json");
    match installed >= modified("package-lock.json") && installed.is_some() {
        true => true,
        false => npm(&["ci"], &[]),
    }
}

/// Runs npm in the studio's folder, showing the command.
fn npm(arguments: &[&str], environment: &[(&str, &str)]) -> bool {
    let mut command = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
    command.args(arguments).envs(environment.iter().copied());
    command.current_dir(FOLDER);
    run(command, Output::Shown)
}
