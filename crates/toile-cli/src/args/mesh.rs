//! `toile mesh`.

use super::common::finite;
use clap::{Args, Subcommand};
use std::path::PathBuf;

pub const HELP: &str = "\
Reads and writes .obj and .ply. Texture coordinates and vertex colours are kept; normals, materials and groups are not.
`toile check` says what is wrong with a mesh.

Examples:
  toile check shirt.obj
  toile mesh mend shirt.obj -o mended.obj
  toile mesh weld panels.ply -o shirt.ply --tolerance 0.0005
  toile mesh remesh mended.obj -o fine.obj --length 0.01";

#[derive(Debug, Args)]
pub struct MeshArgs {
    #[command(subcommand)]
    pub command: MeshCommand,
}

#[derive(Debug, Subcommand)]
pub enum MeshCommand {
    /// Make a surface that can be simulated: weld, remove what is no face or has none, separate, orient
    Mend {
        #[command(flatten)]
        files: MeshFiles,
        /// Nodes closer than this (m) become one [default: a millionth of the median edge]
        #[arg(long, value_name = "M", value_parser = finite, allow_negative_numbers = true)]
        tolerance: Option<f64>,
    },
    /// Make nodes at one place one node
    Weld {
        #[command(flatten)]
        files: MeshFiles,
        /// Nodes closer than this (m) become one [default: a millionth of the median edge]
        #[arg(long, value_name = "M", value_parser = finite, allow_negative_numbers = true)]
        tolerance: Option<f64>,
    },
    /// Cut quads and larger polygons into triangles, along the better diagonals
    Triangulate {
        #[command(flatten)]
        files: MeshFiles,
    },
    /// Turn faces so that neighbours show the same side; closed parts show their front outside
    Orient {
        #[command(flatten)]
        files: MeshFiles,
    },
    /// Lay triangles of one size on the same surface; boundaries, creases and texture seams are kept
    Remesh {
        #[command(flatten)]
        files: MeshFiles,
        /// Wanted length of the edges (m)
        #[arg(long, value_name = "M", value_parser = finite, allow_negative_numbers = true)]
        length: f64,
        /// Edges where faces meet under a larger angle than this (degrees) are kept
        #[arg(
            long,
            value_name = "DEG",
            default_value_t = 40.0,
            allow_negative_numbers = true
        )]
        crease: f64,
        /// Rounds of splitting, collapsing, flipping and smoothing
        #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=100))]
        rounds: u32,
    },
}

#[derive(Debug, Args)]
pub struct MeshFiles {
    /// The mesh to read (.obj or .ply)
    pub input: PathBuf,
    /// The mesh to write (.obj or .ply)
    #[arg(short, long, value_name = "FILE")]
    pub out: PathBuf,
    /// Replace an existing file
    #[arg(long)]
    pub force: bool,
}
