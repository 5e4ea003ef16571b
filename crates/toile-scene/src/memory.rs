//! How much memory a scene needs, asked before it is taken.
//!
//! A program that runs out of memory is ended by the system, without a word and with whatever it had not yet
//! written. So a scene that cannot fit is refused while it is still a few lines of text.

use crate::files::Files;
use crate::spec::{IntegratorSpec, MeshSpec, SceneSpec};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use toile::mesh::generate::MAX_NODES;

/// What a node needs at the least while it is simulated (bytes): its share of mesh, topology, rest shape,
/// energies and state, and where a step solves equations, of their matrix. A grid of 300 × 300 quads with
/// springs was measured at 1440 bytes per node under symplectic Euler and 3490 under backward Euler; other
/// models need more.
const BYTES_PER_NODE: u64 = 1200;
const BYTES_PER_NODE_IMPLICIT: u64 = 3000;
/// What a node and its faces take at the most in a mesh file (bytes), so that a file's length tells how many
/// there are at least.
const FILE_BYTES_PER_NODE: u64 = 200;

/// The limit that the user has set (bytes); 0 if none. Memory belongs to the process, and so does its limit.
static LIMIT: AtomicU64 = AtomicU64::new(0);

/// Sets how much memory scenes may need (bytes), whatever the system says there is.
pub fn set_limit(bytes: u64) {
    LIMIT.store(bytes.max(1), Ordering::Relaxed);
}

/// How much memory there is for scenes (bytes): the limit that was set, or what the system has to give;
/// `None` where it does not say.
pub fn available() -> Option<u64> {
    match LIMIT.load(Ordering::Relaxed) {
        0 => from_meminfo(&std::fs::read_to_string("/proc/meminfo").ok()?),
        limit => Some(limit),
    }
}

/// `MemAvailable` in the text that Linux has for it (bytes).
fn from_meminfo(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|l| l.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// A scene that does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TooLarge {
    /// The largest cloth.
    pub cloth: String,
    /// What to do about it.
    pub message: String,
}

/// Whether a scene fits into this much memory (bytes). Its mesh files are in the folder.
pub(crate) fn check(
    spec: &SceneSpec,
    folder: (&dyn Files, &Path),
    available: u64,
) -> Result<(), TooLarge> {
    let nodes = spec
        .cloth
        .iter()
        .map(|(name, cloth)| (node_count(&cloth.mesh, folder), name));
    let nodes: Vec<(u64, &String)> = nodes.collect();
    if nodes.iter().any(|(count, _)| *count > MAX_NODES) {
        return Ok(()); // no machine helps: the mesh itself is refused
    }
    let all: u64 = nodes.iter().map(|(count, _)| count).sum();
    let need = all.saturating_mul(match spec.time.integrator {
        IntegratorSpec::SymplecticEuler => BYTES_PER_NODE,
        _ => BYTES_PER_NODE_IMPLICIT,
    });
    match nodes.iter().max_by_key(|(count, _)| *count) {
        Some((count, name)) if need > available => Err(TooLarge {
            cloth: (*name).clone(),
            message: format!(
                "cloth `{name}` has {count} nodes, and the scene needs at least {:.1} GB of memory where {:.1} GB are to be had; \
                 take a coarser mesh, or allow more with --memory",
                need as f64 / 1e9,
                available as f64 / 1e9
            ),
        }),
        _ => Ok(()),
    }
}

/// How many nodes a mesh will have, asked before it is made; of a file in a folder, how many it has at the least.
pub fn node_count(mesh: &MeshSpec, (files, folder): (&dyn Files, &Path)) -> u64 {
    let product = |a: u64, b: u64| a.saturating_mul(b);
    match mesh {
        MeshSpec::Grid { cells, .. } => product(u64::from(cells[0]) + 1, u64::from(cells[1]) + 1),
        MeshSpec::Ring { cells, .. } | MeshSpec::Tube { cells, .. } => {
            product(cells[0].into(), u64::from(cells[1]) + 1)
        }
        MeshSpec::Polygon { nodes, .. }
        | MeshSpec::Disc { nodes, .. }
        | MeshSpec::Sphere { nodes, .. } => (*nodes).into(),
        MeshSpec::File { path, .. } => {
            let length = files.length(&folder.join(path)).unwrap_or(0);
            length / FILE_BYTES_PER_NODE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::MemoryFiles;
    use crate::scene::SceneSource;
    use std::path::PathBuf;

    #[test]
    fn the_system_is_understood() {
        let text = "MemTotal:       16384 kB\nMemFree:  1 kB\nMemAvailable:    2048 kB\n";
        assert_eq!(from_meminfo(text), Some(2048 * 1024));
        assert_eq!(from_meminfo("MemTotal: 1 kB\n"), None);
    }

    #[test]
    fn the_largest_cloth_is_named_with_its_nodes_and_all_count() {
        let text = "[cloth.small]\nmesh.disc = { radius = 1, nodes = 1000 }\n\
                    [cloth.large]\nmesh.grid = { size = [1, 1], cells = [99, 99] }\n";
        let source = SceneSource {
            name: "test".into(),
            text: text.into(),
            folder: PathBuf::new(),
            overrides: Vec::new(),
        };
        let spec = source.parse().unwrap();
        let need = 11_000 * BYTES_PER_NODE_IMPLICIT;
        let files = MemoryFiles::new();
        let nowhere: (&dyn Files, &Path) = (&files, Path::new(""));
        assert_eq!(check(&spec, nowhere, need), Ok(()));
        let refused = check(&spec, nowhere, need - 1).unwrap_err();
        assert_eq!(refused.cloth, "large");
        assert!(
            refused.message.contains("`large` has 10000 nodes"),
            "{}",
            refused.message
        );
    }
}
