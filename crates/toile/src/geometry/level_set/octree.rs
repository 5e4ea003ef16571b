//! The tree of cubes with the distances at their corners.

use glam::DVec3;

/// Marks a cell that is a leaf; the rest of its bits is the leaf's number.
pub(super) const LEAF: u32 = 1 << 31;

/// Marks a leaf in which distances must be searched among the triangles.
pub(super) const NEAR: u32 = 1 << 31;

/// Corner values of a leaf; bit 0 of the index is x, bit 1 is y, bit 2 is z. A leaf fills one cache line.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(64))]
pub(super) struct Corners(pub [f64; 8]);

/// A tree over a cube of `2^depth` finest cells to the side.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Octree {
    /// Lowest corner of the root cube (m).
    pub origin: DVec3,
    /// Side of the finest cells (m).
    pub cell: f64,
    /// Halvings from the root to the finest cells.
    pub depth: u32,
    /// Per cell the first of its eight children, which follow each other, or its leaf. The root is first.
    pub cells: Vec<u32>,
    pub leaves: Vec<Corners>,
    /// Per leaf a triangle (by place) that is closest to one of its corners, and [`NEAR`] if the surface may be next to it.
    pub likely: Vec<u32>,
    /// How many different corners the leaves have.
    pub corner_values: usize,
}

/// Where a point is: the leaf, the place in it (each coordinate from 0 to 1), and its side (m).
pub(super) struct Located {
    pub leaf: u32,
    pub place: DVec3,
    pub side: f64,
}

impl Octree {
    /// Side of the root cube (m).
    pub(super) fn side(&self) -> f64 {
        self.cell * f64::from(1_u32 << self.depth)
    }

    /// The closest point of the root cube.
    pub(super) fn clamp(&self, point: DVec3) -> DVec3 {
        point.clamp(self.origin, self.origin + self.side())
    }

    /// The leaf that holds a point of the root cube. The bits of the lattice coordinates name the children.
    pub(super) fn locate(&self, point: DVec3) -> Located {
        let last = (1_u32 << self.depth) - 1;
        let lattice = (point - self.origin) / self.cell;
        let bits = lattice.to_array().map(|c| (c as u32).min(last));
        let mut level = self.depth;
        let mut cell = self.cells[0];
        while cell & LEAF == 0 {
            level -= 1;
            let [x, y, z] = bits.map(|c| c >> level & 1);
            let child = x | y << 1 | z << 2;
            cell = self.cells[(cell + child) as usize];
        }
        let low = DVec3::from_array(bits.map(|c| f64::from((c >> level) << level)));
        let size = f64::from(1_u32 << level);
        Located {
            leaf: cell & !LEAF,
            place: (lattice - low) / size,
            side: size * self.cell,
        }
    }

    /// The trilinear interpolation of the corner values.
    pub(super) fn value(&self, at: &Located) -> f64 {
        let v = &self.leaves[at.leaf as usize].0;
        let p = at.place;
        let along_x = |k: usize| v[k] + p.x * (v[k + 1] - v[k]);
        let low = along_x(0) + p.y * (along_x(2) - along_x(0));
        let high = along_x(4) + p.y * (along_x(6) - along_x(4));
        low + p.z * (high - low)
    }

    /// The interpolation and its gradient.
    pub(super) fn value_and_gradient(&self, at: &Located) -> (f64, DVec3) {
        let v = &self.leaves[at.leaf as usize].0;
        let DVec3 { x, y, z } = at.place;
        let mix = |a: f64, b: f64, t: f64| a + t * (b - a);
        let along_x = [0, 2, 4, 6].map(|k| mix(v[k], v[k + 1], x));
        let slope_x = [0, 2, 4, 6].map(|k| v[k + 1] - v[k]);
        let gradient = DVec3::new(
            mix(
                mix(slope_x[0], slope_x[1], y),
                mix(slope_x[2], slope_x[3], y),
                z,
            ),
            mix(along_x[1] - along_x[0], along_x[3] - along_x[2], z),
            mix(along_x[2], along_x[3], y) - mix(along_x[0], along_x[1], y),
        );
        let value = mix(
            mix(along_x[0], along_x[1], y),
            mix(along_x[2], along_x[3], y),
            z,
        );
        (value, gradient / at.side)
    }

    /// A triangle (by place) that is likely close to the points of a leaf.
    pub(super) fn likely(&self, leaf: u32) -> u32 {
        self.likely[leaf as usize] & !NEAR
    }

    /// Whether the surface may be next to a leaf.
    pub(super) fn is_near(&self, leaf: u32) -> bool {
        self.likely[leaf as usize] & NEAR != 0
    }

    pub(super) fn bytes(&self) -> usize {
        size_of::<u32>() * (self.cells.capacity() + self.likely.capacity())
            + size_of::<Corners>() * self.leaves.capacity()
    }
}
