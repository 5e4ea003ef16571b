//! The rules that keep the crates apart, read from the files themselves.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// From the bottom to the top; each may use those before it and none after.
const LAYERS: [&str; 10] = [
    "toile-cholesky",
    "toile",
    "toile-render",
    "toile-scene",
    "toile-live",
    "toile-wasm",
    "toile-lab",
    "toile-studio",
    "toile-cli",
    "toile-verify",
];

/// All that the engine may use.
const ENGINE_USES: [&str; 7] = [
    "crc32fast",
    "glam",
    "rayon",
    "robust",
    "spade",
    "thiserror",
    "toile-cholesky",
];

/// The engine's modules from the bottom to the top; each may use those before it and none after.
const MODULES: [&str; 29] = [
    "parallel",
    "timing",
    "error",
    "linalg",
    "geometry",
    "mesh",
    "drive",
    "energy",
    "body",
    "limit",
    "integrator",
    "model",
    "state",
    "hold",
    "contact",
    "enforce",
    "respond",
    "integrate",
    "stability",
    "certificate",
    "step",
    "advance",
    "fields",
    "untangle",
    "equilibrium",
    "command",
    "stage",
    "simulation",
    "batch",
];

/// What makes a computation depend on the machine, or a library speak.
const NOT_IN_ENGINE: [&str; 8] = [
    "println!",
    "eprintln!",
    "print!",
    "dbg!",
    "std::fs",
    "std::env",
    "Instant",
    "SystemTime",
];

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// What a crate is built from; what its tests use does not count.
fn dependencies(name: &str) -> BTreeSet<String> {
    let text = std::fs::read_to_string(crates().join(name).join("Cargo.toml")).unwrap();
    let manifest: toml::Table = text.parse().unwrap();
    assert_eq!(manifest["package"]["name"].as_str(), Some(name));
    assert!(!manifest.contains_key("target"), "{name}: look there too");
    let tables = ["dependencies", "build-dependencies"].map(|table| manifest.get(table));
    let entries = tables.into_iter().flatten().filter_map(|t| t.as_table());
    entries.flat_map(|t| t.keys().cloned()).collect()
}

#[test]
fn every_crate_has_its_layer() {
    let entries = std::fs::read_dir(crates()).unwrap().map(|e| e.unwrap());
    let folders = entries.filter(|e| e.path().join("Cargo.toml").exists());
    let found: BTreeSet<String> = folders
        .map(|e| e.file_name().into_string().unwrap())
        .collect();
    assert_eq!(found, LAYERS.map(str::to_owned).into());
}

#[test]
fn no_crate_uses_one_above_it() {
    for (k, name) in LAYERS.iter().enumerate() {
        let used = dependencies(name);
        for above in &LAYERS[k..] {
            assert!(!used.contains(*above), "{name} uses {above}");
        }
    }
}

#[test]
fn the_engine_uses_only_mathematics() {
    for used in dependencies("toile") {
        let allowed = ENGINE_USES.contains(&used.as_str());
        assert!(allowed, "the engine uses {used}");
    }
}

/// All sources under a folder.
fn sources(root: &Path) -> Vec<PathBuf> {
    let mut folders = vec![root.to_owned()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                found.push(path);
            }
        }
    }
    assert!(found.len() > 50, "only {} sources found", found.len());
    found
}

/// The engine's sources with the module that each belongs to.
fn engine_sources() -> Vec<(String, PathBuf)> {
    let root = crates().join("toile/src");
    let module = |path: &Path| {
        let inside = path.strip_prefix(&root).unwrap();
        let module = inside.components().next().unwrap().as_os_str();
        module.to_str().unwrap().trim_end_matches(".rs").to_owned()
    };
    let sources = sources(&root).into_iter();
    sources.map(|path| (module(&path), path)).collect()
}

fn is_test(path: &Path) -> bool {
    let name = path.file_stem().unwrap().to_str().unwrap();
    name.ends_with("tests") || path.components().any(|c| c.as_os_str() == "tests")
}

/// What is left of a source without comments and tests.
fn code(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or("");
    let lines = text.lines().map(|l| l.split("//").next().unwrap_or(""));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn no_module_of_the_engine_uses_one_above_it() {
    let place = |module: &str| MODULES.iter().position(|m| *m == module);
    for (module, path) in engine_sources() {
        if module == "lib" || is_test(&path) {
            continue;
        }
        let own = place(&module).unwrap_or_else(|| panic!("give the module `{module}` its place"));
        for used in code(&path).split("crate::").skip(1) {
            let end = used.find(|c: char| !c.is_ascii_lowercase() && c != '_');
            let used = &used[..end.unwrap_or(used.len())];
            let used = place(used).unwrap_or_else(|| panic!("{}: crate::{used}", path.display()));
            let (from, to) = (MODULES[own], MODULES[used]);
            assert!(
                used <= own,
                "{}: {from} uses {to}, which is above it",
                path.display()
            );
        }
    }
}

#[test]
fn the_engine_touches_no_file_no_clock_and_no_terminal() {
    for (_, path) in engine_sources() {
        check_source(&path);
    }
}

fn check_source(path: &Path) {
    let text = std::fs::read_to_string(path).unwrap();
    for (number, line) in text.lines().enumerate() {
        let code = line.split("//").next().unwrap_or("");
        for word in NOT_IN_ENGINE {
            let place = format!("{}:{}", path.display(), number + 1);
            assert!(!code.contains(word), "{place} has `{word}`");
        }
    }
}

/// What of the scene crate may touch the disk: the provider itself, and what is written for a disk. Everything else asks
/// `files::Files`, so that it works where there is no disk.
const DISK: [&str; 8] = [
    "export/output.rs",
    "files",
    "files.rs",
    "format/mod.rs",
    "memory.rs",
    "recording/footage.rs",
    "recording/writer.rs",
    "run",
];

#[test]
fn scenes_are_read_without_a_disk_a_clock_or_threads_of_their_own() {
    let root = crates().join("toile-scene/src");
    for path in sources(&root).into_iter().filter(|path| !is_test(path)) {
        let inside = path.strip_prefix(&root).unwrap();
        let code = code(&path);
        let says = |word: &str| code.contains(word);
        let touches = says("std::fs") || says("open_input") || says("read_mesh(");
        let may_touch = DISK.iter().any(|room| inside.starts_with(room));
        assert!(!touches || may_touch, "{inside:?} goes past `Files`");
        let clock = says("Instant") || says("SystemTime");
        assert!(!clock || inside == Path::new("run/clock.rs"), "{inside:?}");
        let threads = says("rayon") && !says("#[cfg(feature = \"parallel\")]");
        assert!(!threads, "{inside:?} cannot do without `parallel`");
    }
}
