//! A flat sheet of any outline, in irregular triangles of nearly equal size.
//!
//! The rim is divided evenly. Inside, points are thrown at random but never close to each other (Poisson
//! disc sampling, with the distance relaxed until the wanted number fits, after McCool and Fiume 1992);
//! then the Delaunay triangulation is smoothed by moving each point to the middle of its triangles (Chen
//! and Holst 2011), and the few triangles that are still slender are mended one by one. What comes out
//! has no direction of its own, so cloth made of it does not fold along the mesh.

mod outline;
mod smooth;
mod sow;
mod triangulate;

pub use outline::{Loop, PolygonError};

use super::{Face, GenerateError, Mesh, at_least, flat_mesh, not_too_many};
use glam::{DVec2, DVec3};
use outline::Outline;

/// Nodes per area in a large sheet of equilateral triangles with side 1: `2 / √3`.
const NODES_PER_AREA: f64 = 1.154_700_538_379_251_5;

/// An area in the plane `z = 0`.
#[derive(Clone, Debug, PartialEq)]
pub struct Planar {
    /// The corners around the area, in either direction (m). The first is not repeated at the end.
    pub outline: Vec<DVec2>,
    /// The corners around each hole, in either direction (m).
    pub holes: Vec<Vec<DVec2>>,
    /// Wanted number of nodes. The mesh has as many, unless they cannot be placed.
    pub nodes: u32,
    /// Another seed gives another mesh; the same seed the same.
    pub seed: u64,
}

/// Makes a mesh of a [`Planar`] area.
///
/// The nodes on the rim come first, loop by loop: the outline from its first corner on, counter-clockwise
/// seen from above, then each hole from its first corner on, clockwise. All corners are nodes. The nodes
/// inside follow in no particular order.
pub fn planar(parameters: &Planar) -> Result<Mesh, GenerateError> {
    let outline = Outline::new(&parameters.outline, &parameters.holes)?;
    at_least("nodes", parameters.nodes, outline.corner_count())?;
    not_too_many("nodes", [u64::from(parameters.nodes), 1], 0)?;
    let rim = outline.divide(parameters.nodes);
    let inside = parameters.nodes as usize - rim.points.len();
    let mut points = sow::sow(&rim, inside, parameters.seed)?;
    let triangles = smooth::smooth(&mut points, &rim)?;
    let lift = |p: DVec2| DVec3::new(p.x, p.y, 0.0) / outline.scale;
    Ok(flat_mesh(
        points.into_iter().map(lift).collect(),
        triangles.into_iter().map(Face::Tri).collect(),
    ))
}

/// Length of the edges (m) with which equilateral triangles would fill an area (m²) with a rim (m) and
/// `nodes` nodes: by Euler's formula a mesh of one piece has half as many nodes as triangles, plus half
/// as many as sides on its rim, plus one less one for each hole.
pub(super) fn spacing(area: f64, rim: f64, holes: usize, nodes: u32) -> f64 {
    let wanted = (f64::from(nodes) - 1.0 + holes as f64).max(1.0);
    let (quadratic, linear) = (NODES_PER_AREA * area, 0.5 * rim);
    // The root of quadratic/h² + linear/h = wanted, in the form that does not cancel.
    ((linear * linear + 4.0 * quadratic * wanted).sqrt() + linear) / (2.0 * wanted)
}

#[cfg(test)]
mod tests;
