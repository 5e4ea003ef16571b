//! `toile studio`.

use super::{OrReport, find_scene};
use crate::args::StudioArgs;
use crate::output::say;
use miette::Result;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use toile_studio::{Limits, Options, StartScene, serve};

/// Who starts the studio again and again can keep its address by choosing the secret.
const SECRET: &str = "TOILE_STUDIO_SECRET";

pub fn studio(args: &StudioArgs) -> Result<ExitCode> {
    args.work.apply()?;
    let (folder, scene) = served(args.what.as_deref())?;
    let running = serve(Options {
        folder: folder.clone(),
        scene,
        port: args.port,
        secret: std::env::var(SECRET).ok(),
        read_only: args.read_only,
        page: args.page.clone(),
        program: std::env::current_exe().ok(),
        limits: Limits::default(),
    })
    .or_report()?;
    ctrlc::set_handler(running.stopper()).or_report()?;
    say(format!("the studio of {} is at", folder.display()));
    say(format!("  {}", running.address()));
    if !running.has_page() {
        eprintln!(
            "note: this program was built without the studio's page; `cargo xtask studio` builds it (with Node 20 or later), and \
             releases have it inside"
        );
    }
    if !args.no_open && !open(running.address()) {
        eprintln!("note: no browser could be opened; open the address yourself");
    }
    say("Ctrl-C stops it");
    running.wait();
    Ok(ExitCode::SUCCESS)
}

/// What is served, and the scene to begin with.
fn served(what: Option<&str>) -> Result<(PathBuf, Option<StartScene>)> {
    let here = PathBuf::from(".");
    let Some(what) = what else {
        return Ok((here, None));
    };
    let path = Path::new(what);
    if path.is_dir() {
        return Ok((path.to_owned(), None));
    }
    let source = find_scene(what)?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let file = path.file_name().filter(|_| path.is_file());
    let scene = StartScene {
        name: name.into_owned(),
        path: file.map(|name| name.to_string_lossy().into_owned()),
        text: source.text,
    };
    let folder = path
        .parent()
        .filter(|p| file.is_some() && *p != Path::new(""));
    Ok((folder.map_or(here, Path::to_owned), Some(scene)))
}

/// Opens an address in the browser; answers whether somebody took it.
fn open(address: &str) -> bool {
    let (program, before): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("cmd", &["/C", "start", ""])
    } else {
        let has_display =
            ["DISPLAY", "WAYLAND_DISPLAY"].map(|name| std::env::var_os(name).is_some());
        if has_display == [false; 2] {
            return false;
        }
        ("xdg-open", &[])
    };
    let started = Command::new(program)
        .args(before)
        .arg(address)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    started.is_ok()
}
