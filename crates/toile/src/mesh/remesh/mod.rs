//! Isotropic remeshing: triangles of nearly one size on the same surface (Botsch and Kobbelt 2004).
//!
//! Edges longer than 4/3 of the wanted length are split, edges shorter than 4/5 collapsed, edges flipped where that
//! brings the nodes' numbers of neighbours closer to six, and nodes moved towards the middle of their neighbours within the
//! surface; a few rounds of that. Boundaries, creases and the seams of the texture are kept: nodes on them do not leave
//! them, and nodes where they turn or meet stay where they are. Texture coordinates and colours are carried along.
//!
//! * `surface`: triangles that can be split, collapsed and flipped.
//! * `features`: which edges and nodes must be kept.
//! * `passes`: what is done in a round.

mod features;
mod passes;
mod surface;

use super::mend::triangulate;
use super::{Mesh, Topology, TopologyError};
use crate::geometry::NearestSurface;
use features::Features;
use passes::Pass;
use surface::Surface;
use thiserror::Error;

/// How a mesh is laid anew.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RemeshSettings {
    /// Wanted length of the edges (m).
    pub length: f64,
    /// Edges at which faces meet under a larger angle than this are kept (rad).
    pub crease: f64,
    /// Rounds of splitting, collapsing, flipping and smoothing.
    pub rounds: u32,
}

impl RemeshSettings {
    /// Edges of this length (m); creases of 40° and more are kept.
    pub fn with_length(length: f64) -> Self {
        RemeshSettings {
            length,
            crease: 40f64.to_radians(),
            rounds: 8,
        }
    }
}

/// A mesh that cannot be laid anew.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum RemeshError {
    /// The faces do not form a surface.
    #[error("{0}; mend the mesh first")]
    Topology(#[from] TopologyError),
    /// Neighbours face different ways.
    #[error(
        "faces {} and {} show different sides; mend the mesh first", .faces[0], .faces[1]
    )]
    Inverted {
        /// Two neighbours (counted from 0).
        faces: [u32; 2],
    },
    /// A node is nowhere.
    #[error("node {node} is not at a finite position; mend the mesh first")]
    NotFinite {
        /// The node (counted from 0).
        node: usize,
    },
    /// The length is no length.
    #[error("the edge length is {length} m; it must be a positive number")]
    Length {
        /// As given (m).
        length: f64,
    },
    /// There would be more nodes than a mesh can have.
    #[error(
        "edges of {length} m would make about {triangles:.0} triangles; at most {MOST_TRIANGLES:.0} can be made: \
         choose a greater length"
    )]
    TooMany {
        /// As given (m).
        length: f64,
        /// How many there would be.
        triangles: f64,
    },
}

/// More would take hours, and most machines' memory.
const MOST_TRIANGLES: f64 = 2e7;

/// Lays the triangles of a mesh anew; quads are cut first.
pub fn remesh(mesh: &Mesh, settings: &RemeshSettings) -> Result<Mesh, RemeshError> {
    let length = settings.length;
    if !(length > 0.0 && length.is_finite()) {
        return Err(RemeshError::Length { length });
    }
    if let Some(node) = mesh.positions.iter().position(|p| !p.is_finite()) {
        return Err(RemeshError::NotFinite { node });
    }
    let mut mesh = mesh.clone();
    triangulate(&mut mesh);
    check(&mesh, length)?;
    let triangles: Vec<[u32; 3]> = mesh.faces.iter().flat_map(|f| f.triangles()).collect();
    let Some(original) = NearestSurface::new(&mesh.positions, &triangles) else {
        return Ok(mesh);
    };
    let mut surface = Surface::new(&mesh);
    let features = Features::new(&surface, settings.crease);
    let mut pass = Pass {
        surface: &mut surface,
        features,
        original,
        length,
    };
    for _ in 0..settings.rounds {
        pass.split_long();
        pass.collapse_short();
        pass.flip();
        pass.smooth();
    }
    Ok(surface.into_mesh())
}

fn check(mesh: &Mesh, length: f64) -> Result<(), RemeshError> {
    let topology = Topology::new(mesh.positions.len(), mesh.faces.clone())?;
    for edge in topology.edges.iter().filter(|e| !e.is_boundary()) {
        let faces: Vec<u32> = edge.faces().collect();
        let forward = |f: u32| {
            mesh.faces[f as usize]
                .edges()
                .any(|side| side == edge.nodes)
        };
        if forward(faces[0]) == forward(faces[1]) {
            return Err(RemeshError::Inverted {
                faces: [faces[0], faces[1]],
            });
        }
    }
    let area: f64 = mesh
        .faces
        .iter()
        .map(|f| f.vector_area(&mesh.positions).length())
        .sum();
    // An equilateral triangle has √3/4 of its side squared.
    let triangles = area / (length * length * 0.433);
    if triangles > MOST_TRIANGLES {
        return Err(RemeshError::TooMany { length, triangles });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
