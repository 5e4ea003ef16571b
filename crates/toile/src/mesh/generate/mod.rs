//! Making meshes: sheets, discs, rings, tubes and the closed surfaces of simple bodies.
//!
//! Everything is centred on the origin and in metres. Flat meshes lie in the plane `z = 0` with their
//! faces counter-clockwise seen from above; closed surfaces and tubes have theirs counter-clockwise
//! seen from outside. Meshes that can be laid flat without stretching carry that pattern, in metres,
//! in [`Mesh::corner_uvs`](super::Mesh::corner_uvs).
//!
//! Each file holds one shape: a struct of its parameters and the function that makes it. The order of
//! nodes and faces is part of the promise; a scene may pin "the first row" by index.

mod bodies;
mod cuboid;
mod disc;
mod grid;
mod lattice;
mod planar;
mod revolution;
mod ring;
mod sphere;
mod tube;

pub use bodies::{Capsule, Cylinder, capsule, cylinder};
pub use cuboid::{Cuboid, cuboid};
pub use disc::{Disc, DiscPattern, disc};
pub use grid::{Grid, grid};
pub use lattice::{Diagonals, GridPattern};
pub use planar::{Loop, Planar, PolygonError, planar};
pub use ring::{Ring, ring};
pub use sphere::{Sphere, SpherePattern, sphere};
pub use tube::{Tube, tube};

use super::{Face, Mesh};
use glam::{DVec2, DVec3};
use thiserror::Error;

/// No generator makes a mesh with more nodes than this: more would not fit into the memory of most
/// machines that could ask for it.
pub const MAX_NODES: u64 = 50_000_000;

/// A mesh that cannot be made.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum GenerateError {
    /// A parameter has a value that no such mesh can have.
    #[error("`{name}` is {value}; it must be {must}")]
    Parameter {
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What it must be.
        must: String,
    },
    /// The mesh would be too large.
    #[error("the mesh would have {nodes} nodes, more than the {MAX_NODES} allowed; lower `{name}`")]
    TooManyNodes {
        /// The parameter that decides the number.
        name: &'static str,
        /// How many nodes it asks for.
        nodes: u64,
    },
    /// The outline is not that of a simple area.
    #[error(transparent)]
    Polygon(#[from] PolygonError),
}

/// Checks a length.
fn positive(name: &'static str, value: f64) -> Result<(), GenerateError> {
    let must = "a finite number of metres above 0";
    check(name, value, value.is_finite() && value > 0.0, must)
}

/// Checks a number of cells or nodes.
fn at_least(name: &'static str, value: u32, least: u32) -> Result<(), GenerateError> {
    let must = format!("{least} or more");
    check(name, f64::from(value), value >= least, &must)
}

fn check(name: &'static str, value: f64, good: bool, must: &str) -> Result<(), GenerateError> {
    if good {
        return Ok(());
    }
    Err(GenerateError::Parameter {
        name,
        value,
        must: must.to_owned(),
    })
}

/// Checks the size of a mesh of `rows` rows with `columns` nodes each and some `others`.
fn not_too_many(
    name: &'static str,
    [columns, rows]: [u64; 2],
    others: u64,
) -> Result<(), GenerateError> {
    let nodes = columns.saturating_mul(rows).saturating_add(others);
    if nodes > MAX_NODES {
        return Err(GenerateError::TooManyNodes { name, nodes });
    }
    Ok(())
}

/// The pattern of a flat mesh is the mesh itself.
fn flat_mesh(positions: Vec<DVec3>, faces: Vec<Face>) -> Mesh {
    let place = |face: &Face| {
        let mut uvs = [DVec2::ZERO; 4];
        for (uv, &node) in uvs.iter_mut().zip(face.corners()) {
            *uv = positions[node as usize].truncate();
        }
        uvs
    };
    Mesh {
        corner_uvs: Some(faces.iter().map(place).collect()),
        node_colors: None,
        positions,
        faces,
    }
}

#[cfg(test)]
mod tests;
