//! A finer or coarser mesh for every cloth of a scene.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use thiserror::Error;
use toile_scene::spec::MeshSpec;

/// How fine a mesh should be.
#[derive(Clone, Debug, PartialEq)]
pub enum MeshChange {
    /// About so many nodes, in the proportions of the mesh.
    Nodes(u32),
    /// Cells along both directions, for meshes that are made of rows and columns.
    Cells([u32; 2]),
    /// Another file.
    File(PathBuf),
}

/// A mesh that cannot be made finer or coarser like this.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum MeshChangeError {
    /// Neither a number, nor columns and rows, nor a mesh file.
    #[error(
        "`{0}` is no mesh: give a number of nodes (1000), cells (16x24) or a file (.obj, .ply)"
    )]
    Unreadable(String),
    /// A mesh from a file has the nodes it has.
    #[error(
        "the mesh comes from a file; give other files to compare, not a number of nodes or cells"
    )]
    FromFile,
    /// The mesh has no rows and columns.
    #[error("a mesh of this kind has no columns and rows; give a number of nodes")]
    NoCells,
    /// The scene's mesh is no file.
    #[error("the scene's mesh does not come from a file; give a number of nodes or cells")]
    NotFromFile,
}

impl FromStr for MeshChange {
    type Err = MeshChangeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let unreadable = || MeshChangeError::Unreadable(text.into());
        if text.ends_with(".obj") || text.ends_with(".ply") {
            return Ok(MeshChange::File(text.into()));
        }
        if let Some((columns, rows)) = text.split_once(['x', '×']) {
            let cells = [columns, rows].map(|n| n.trim().parse::<u32>().ok().filter(|&n| n > 0));
            let [Some(columns), Some(rows)] = cells else {
                return Err(unreadable());
            };
            return Ok(MeshChange::Cells([columns, rows]));
        }
        let nodes = text.parse().ok().filter(|&n: &u32| n > 0);
        nodes.map(MeshChange::Nodes).ok_or_else(unreadable)
    }
}

impl fmt::Display for MeshChange {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            MeshChange::Nodes(nodes) => write!(f, "{nodes} nodes"),
            MeshChange::Cells([columns, rows]) => write!(f, "{columns}x{rows}"),
            MeshChange::File(path) => {
                let stem = path.file_stem().unwrap_or(path.as_os_str());
                write!(f, "{}", stem.display())
            }
        }
    }
}

impl MeshChange {
    /// Changes a mesh.
    pub fn apply(&self, mesh: &mut MeshSpec) -> Result<(), MeshChangeError> {
        match self {
            MeshChange::File(path) => match mesh {
                MeshSpec::File { path: present, .. } => *present = path.clone(),
                _ => return Err(MeshChangeError::NotFromFile),
            },
            MeshChange::Cells(wanted) => match mesh {
                MeshSpec::Grid { cells, .. }
                | MeshSpec::Ring { cells, .. }
                | MeshSpec::Tube { cells, .. } => *cells = *wanted,
                MeshSpec::File { .. } => return Err(MeshChangeError::FromFile),
                _ => return Err(MeshChangeError::NoCells),
            },
            MeshChange::Nodes(wanted) => match mesh {
                // A grid has a node more than cells along both sides, the others along one.
                MeshSpec::Grid { cells, .. } => *cells = scaled(*cells, *wanted, [1, 1]),
                MeshSpec::Ring { cells, .. } | MeshSpec::Tube { cells, .. } => {
                    *cells = scaled(*cells, *wanted, [0, 1]);
                }
                MeshSpec::Polygon { nodes, .. }
                | MeshSpec::Disc { nodes, .. }
                | MeshSpec::Sphere { nodes, .. } => *nodes = *wanted,
                MeshSpec::File { .. } => return Err(MeshChangeError::FromFile),
            },
        }
        Ok(())
    }
}

/// Cells in the same proportion, so that the mesh has about so many nodes.
fn scaled(cells: [u32; 2], nodes: u32, more: [u32; 2]) -> [u32; 2] {
    let columns = cells.map(|n| f64::from(n.max(1)));
    let count = |factor: f64| {
        let side = |k: usize| columns[k] * factor + f64::from(more[k]);
        side(0) * side(1)
    };
    let (mut low, mut high) = (1e-6, 1e6);
    for _ in 0..100 {
        let middle = f64::sqrt(low * high);
        if count(middle) < f64::from(nodes) {
            low = middle;
        } else {
            high = middle;
        }
    }
    columns.map(|n| (n * low).round().max(1.0) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meshes_keep_their_proportions() {
        let mut mesh = MeshSpec::Grid {
            size: [1.0, 0.5],
            cells: [8, 4],
            pattern: Default::default(),
        };
        let finer: MeshChange = "561".parse().unwrap();
        finer.apply(&mut mesh).unwrap();
        let MeshSpec::Grid { cells, .. } = mesh else {
            panic!("still a grid");
        };
        assert_eq!(cells, [32, 16]);
    }

    #[test]
    fn wrong_words_are_refused() {
        for text in ["", "0", "ax3", "12x0", "-4", "sheet.stl"] {
            assert!(text.parse::<MeshChange>().is_err(), "{text}");
        }
        let mut disc = MeshSpec::Disc {
            radius: 1.0,
            nodes: 100,
            pattern: Default::default(),
            seed: 0,
        };
        let cells: MeshChange = "4x4".parse().unwrap();
        assert_eq!(cells.apply(&mut disc), Err(MeshChangeError::NoCells));
    }
}
