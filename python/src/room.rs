//! Whether what is asked for can be in memory: a process that the system kills for want of it says nothing.

use crate::errors::argument;
use pyo3::prelude::*;
use toile_scene::memory::available;

/// What a world takes for each of its nodes once it has been stepped (bytes): 3100 for `hello`, 3700 for `table-drape`.
const WORLD_NODE: u64 = 3000;

/// Refuses so many worlds of so many nodes if they need more memory than is free, where the system tells how much that is.
pub fn check_worlds(worlds: usize, nodes: usize) -> PyResult<()> {
    let needed = (worlds as u64).saturating_mul(WORLD_NODE * nodes as u64);
    match available() {
        Some(free) if needed > free => {
            let most = free / (WORLD_NODE * nodes as u64);
            Err(argument(format!(
                "{worlds} worlds of {nodes} nodes take more than {:.1} GB, and {:.1} GB are free; at most {most} worlds fit into memory",
                needed as f64 / 1e9,
                free as f64 / 1e9
            )))
        }
        _ => Ok(()),
    }
}
