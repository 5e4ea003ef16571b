//! What is kept while the octree grows.

use super::lattice::{Index, Lattice, POINTS};
use glam::{DVec3, Vec3};

/// A corner of a cell, or a point that may become one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corner {
    /// Signed distance (m).
    pub value: f64,
    /// The closest triangle, by place.
    pub nearest: u32,
    pub winding: i32,
    /// Unit gradient, in single precision.
    pub gradient: Vec3,
    /// Corners of the edge (twice) or face that it halves.
    pub parents: [u32; 4],
    /// Cells of its level that have it halfway, and how many of them were halved.
    pub cells: u8,
    pub halved: u8,
}

impl Corner {
    /// Distance and gradient, once the winding number is known.
    pub(super) fn set(&mut self, nearest: u32, away: DVec3) {
        let sign = if self.winding > 0 { -1.0 } else { 1.0 };
        self.nearest = nearest;
        self.value = sign * away.length();
        self.gradient = (sign * away.normalize_or_zero()).as_vec3();
    }
}

/// A cell whose fate is open.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    pub cell: u32,
    pub low: Lattice,
    pub corners: [u32; 8],
    pub centre: u32,
}

/// A corner that waits for its value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub at: Lattice,
    /// A corner with a value, nearby but far from the surface.
    pub base: u32,
    pub base_at: Lattice,
    /// A triangle that may be the closest, by place.
    pub likely: u32,
}

/// Memory that is used again from build to build.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    pub corners: Vec<Corner>,
    pub open: Vec<Open>,
    pub next: Vec<Open>,
    pub wanted: Vec<Wanted>,
    pub points: Vec<[u32; POINTS]>,
    pub leaf_corners: Vec<[u32; 8]>,
    /// Whether the surface may be next to a leaf.
    pub leaf_near: Vec<bool>,
    pub index: Index,
}

impl Scratch {
    pub(super) fn bytes(&self) -> usize {
        size_of::<Corner>() * self.corners.capacity()
            + size_of::<Open>() * (self.open.capacity() + self.next.capacity())
            + size_of::<Wanted>() * self.wanted.capacity()
            + size_of::<[u32; POINTS]>() * self.points.capacity()
            + size_of::<[u32; 8]>() * self.leaf_corners.capacity()
            + self.leaf_near.capacity()
            + self.index.bytes()
    }
}
