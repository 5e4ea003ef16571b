//! Meshes: faces of three or four corners, their topology, their rest shape, and generators.
//!
//! Invariant: triangles and quads are both first-class. Nothing here turns one into the other behind the
//! caller's back; where a triangle is needed the caller asks for it by name ([`Face::triangles`]).
//!
//! * [`Mesh`] is what a file or a generator gives: positions, faces, perhaps texture coordinates.
//! * [`Topology`] is what follows from the faces alone: edges, cross edges, boundary loops.
//! * [`RestShape`] is the undeformed cloth: lengths, areas and metrics that the energies compare with.
//! * [`doctor`] examines a mesh that somebody else made, [`mend`] mends it, [`remesh`](mod@remesh) lays its triangles anew.

mod dice;
pub mod doctor;
pub mod generate;
mod intersect;
pub mod mend;
mod polygon;
pub mod remesh;
mod rest;
mod roughen;
mod topology;
mod warp;

pub use intersect::{IntersectingPair, self_intersections};
pub use polygon::cut_polygon;
pub use rest::{RestError, RestShape};
pub use roughen::roughen;
pub use topology::{CrossEdge, CrossKind, Edge, Topology, TopologyError};
pub use warp::{Warp, WarpError};

use glam::{DVec2, DVec3};

/// A face with three or four corners, counter-clockwise seen from the front.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Face {
    /// Three corners.
    Tri([u32; 3]),
    /// Four corners, in order around the face.
    Quad([u32; 4]),
}

impl Face {
    /// The corner nodes in order.
    pub fn corners(&self) -> &[u32] {
        match self {
            Face::Tri(c) => c,
            Face::Quad(c) => c,
        }
    }

    /// The directed edges around the face.
    pub fn edges(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        let corners = self.corners();
        (0..corners.len()).map(move |k| [corners[k], corners[(k + 1) % corners.len()]])
    }

    /// The face as one or two triangles, for whatever can only take triangles (a rasteriser, glTF).
    /// A quad is cut from its first to its third corner.
    pub fn triangles(&self) -> impl Iterator<Item = [u32; 3]> {
        let (first, second) = match *self {
            Face::Tri(t) => (t, None),
            Face::Quad([a, b, c, d]) => ([a, b, c], Some([a, c, d])),
        };
        std::iter::once(first).chain(second)
    }

    /// The same face seen from the other side.
    pub fn reversed(&self) -> Face {
        match *self {
            Face::Tri([a, b, c]) => Face::Tri([a, c, b]),
            Face::Quad([a, b, c, d]) => Face::Quad([a, d, c, b]),
        }
    }

    /// The same face with `offset` added to every node index.
    pub fn shifted(&self, offset: u32) -> Face {
        match *self {
            Face::Tri(t) => Face::Tri(t.map(|i| i + offset)),
            Face::Quad(q) => Face::Quad(q.map(|i| i + offset)),
        }
    }

    /// Vector area (m²): half the cross product of the diagonals, or of two sides of a triangle. Its
    /// length is the area of a flat face and its direction the face's normal.
    pub fn vector_area(&self, positions: &[DVec3]) -> DVec3 {
        let at = |i: u32| positions[i as usize];
        match *self {
            Face::Tri([a, b, c]) => 0.5 * (at(b) - at(a)).cross(at(c) - at(a)),
            Face::Quad([a, b, c, d]) => 0.5 * (at(c) - at(a)).cross(at(d) - at(b)),
        }
    }
}

/// Where the nodes are and which faces they form, as a file or a generator gives it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Node positions (m).
    pub positions: Vec<DVec3>,
    /// The faces.
    pub faces: Vec<Face>,
    /// Texture coordinates of each face's corners, if the mesh has any. They belong to corners and not
    /// to nodes, because a garment cut along a seam gives one node several places in its pattern. The
    /// fourth entry of a triangle is unused.
    pub corner_uvs: Option<Vec<[DVec2; 4]>>,
    /// A colour for every node (sRGB, 0 to 1), if the mesh has any.
    pub node_colors: Option<Vec<[f32; 3]>>,
}

impl Mesh {
    /// A mesh without texture coordinates or colours.
    pub fn new(positions: Vec<DVec3>, faces: Vec<Face>) -> Self {
        Mesh {
            positions,
            faces,
            corner_uvs: None,
            node_colors: None,
        }
    }

    /// The smallest axis-aligned box around the nodes; `None` for a mesh without any.
    pub fn bounds(&self) -> Option<(DVec3, DVec3)> {
        bounds(&self.positions)
    }

    /// How many faces are quads.
    pub fn quad_count(&self) -> usize {
        let is_quad = |f: &&Face| matches!(f, Face::Quad(_));
        self.faces.iter().filter(is_quad).count()
    }
}

/// The smallest axis-aligned box around some points; `None` if there are none.
pub fn bounds(points: &[DVec3]) -> Option<(DVec3, DVec3)> {
    let first = *points.first()?;
    Some(
        points
            .iter()
            .fold((first, first), |(lo, hi), &p| (lo.min(p), hi.max(p))),
    )
}
