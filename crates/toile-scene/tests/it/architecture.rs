//! The rules that keep the crates apart, read from the files themselves.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// From the bottom to the top; each may use those before it and none after.
const LAYERS: [&str; 7] = [
    "toile-cholesky",
    "toile",
    "toile-render",
    "toile-scene",
    "toile-lab",
    "toile-cli",
    "toile-verify",
];

/// All that the engine may use.
const ENGINE_USES: [&str; 6] = [
    "glam",
    "rayon",
    "robust",
    "spade",
    "thiserror",
    "toile-cholesky",
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

#[test]
fn the_engine_touches_no_file_no_clock_and_no_terminal() {
    let mut folders = vec![crates().join("toile/src")];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                check_source(&path);
                files += 1;
            }
        }
    }
    assert!(files > 10, "only {files} sources found");
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
