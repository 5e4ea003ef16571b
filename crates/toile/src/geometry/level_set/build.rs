//! Growing the octree, level by level.
//!
//! A cell is halved where trilinear interpolation misses the distance (Frisken, Perry, Rockwood, Jones 2000).
//! At the centre that is measured. On the edges it is foretold: a cubic through two corners with values
//! `φ₀, φ₁` and slopes `g₀, g₁` along an edge of length `s` passes the middle at a distance of
//! `s (g₀ − g₁)/8` from the straight line, and the slopes are known, since the gradient of a distance points
//! away from the closest point. So every point evaluated but the centre is one that the tree needs.
//!
//! The points of a level are evaluated once for all cells that share them, in any number of threads, and are
//! numbered in the order of the cells.

use super::lattice::{CENTRE, Lattice, POINTS, Parents, coordinates};
use super::octree::{Corners, LEAF, NEAR, Octree};
use super::scratch::{Corner, Open, Scratch, Wanted};
use super::{LevelSetError, Settings};
use crate::geometry::closest::{closest_weights, weighted};
use crate::geometry::triangle_tree::TriangleTree;
use glam::{DVec3, Vec3};

/// Beyond the band the error may grow by this much per metre.
const FAR_ERROR: f64 = 0.2;
/// No point of a unit cube is farther from all of its corners and its centre: `√5/4`.
const COVERED: f64 = 0.56;
/// No point of a unit cube is farther from all of its corners: `√3/2`.
const REACHED: f64 = 0.867;
/// Cells larger than this many finest ones are always halved if the surface may pass through them, lest a
/// small part of the body slips between their corners and centre.
const UNSEEN: u32 = 8;
/// Cells are held to this part of the tolerance: half of it is for what the corners of a cell lose when
/// they are fitted to a coarser neighbour.
const SHARE: f64 = 0.5;

/// Fills `tree`, whose cube is already in place, with the distances of the visible triangles. It is of no use
/// after an error.
pub(super) fn grow(
    tree: &mut Octree,
    scratch: &mut Scratch,
    triangles: &TriangleTree,
    settings: &Settings,
    most_leaves: usize,
) -> Result<(), LevelSetError> {
    tree.cells.clear();
    tree.cells.push(0);
    scratch.leaf_corners.clear();
    scratch.leaf_near.clear();
    let builder = Builder {
        tree,
        scratch,
        triangles,
        settings,
        most_leaves,
        all_visible: triangles.all_visible(),
    };
    builder.run()
}

fn position(tree: &Octree, at: Lattice) -> DVec3 {
    tree.origin + tree.cell * DVec3::from_array(at.map(f64::from))
}

/// The closest triangle, by place, and the way from its closest point to here.
fn measure(triangles: &TriangleTree, point: DVec3, likely: u32) -> (u32, DVec3) {
    let place = triangles.closest(point, likely).place;
    let corners = triangles.corners(place);
    (
        place,
        point - weighted(closest_weights(point, corners), corners),
    )
}

struct Builder<'a> {
    tree: &'a mut Octree,
    scratch: &'a mut Scratch,
    triangles: &'a TriangleTree,
    settings: &'a Settings,
    most_leaves: usize,
    all_visible: bool,
}

impl Builder<'_> {
    fn run(mut self) -> Result<(), LevelSetError> {
        self.plant();
        for level in (1..=self.tree.depth).rev() {
            let side = 1 << level;
            self.want_centres(side);
            self.evaluate();
            self.close_fine_cells(side);
            self.want_points(side);
            self.evaluate();
            self.halve_cells(side);
            let leaves = self.scratch.leaf_corners.len() + self.scratch.open.len();
            if leaves > self.most_leaves {
                let limit = self.most_leaves;
                return Err(LevelSetError::TooManyCells { limit });
            }
        }
        for at in 0..self.scratch.open.len() {
            self.make_leaf(self.scratch.open[at], 1);
        }
        self.fit_hanging_corners();
        self.write_leaves();
        Ok(())
    }

    /// The root cube; it reaches beyond the body, so its corners are outside.
    fn plant(&mut self) {
        let side = 1 << self.tree.depth;
        self.scratch.corners.clear();
        for corner in 0..8_usize {
            let at = [0, 1, 2].map(|axis| side * (corner >> axis & 1) as u32);
            let mut planted = Corner {
                value: 0.0,
                nearest: 0,
                winding: 0,
                gradient: Vec3::ZERO,
                parents: [corner as u32; 4],
                cells: 1,
                halved: 1,
            };
            let (nearest, distance) = measure(self.triangles, position(self.tree, at), 0);
            planted.set(nearest, distance);
            self.scratch.corners.push(planted);
        }
        self.scratch.open.clear();
        self.scratch.open.push(Open {
            cell: 0,
            low: [0; 3],
            corners: [0, 1, 2, 3, 4, 5, 6, 7],
            centre: 0,
        });
    }

    /// Puts the centres of all open cells on the list.
    fn want_centres(&mut self, side: u32) {
        self.scratch.wanted.clear();
        for k in 0..self.scratch.open.len() {
            self.scratch.open[k].centre = self.scratch.corners.len() as u32;
            let cell = self.scratch.open[k];
            let at = cell.low.map(|low| low + side / 2);
            self.want(&cell, side, at, Parents::TABLE.of(CENTRE));
        }
    }

    /// Makes leaves of the cells that are fine enough, and keeps the others open.
    fn close_fine_cells(&mut self, side: u32) {
        let mut kept = 0;
        for k in 0..self.scratch.open.len() {
            let cell = self.scratch.open[k];
            if self.is_too_coarse(&cell, side) {
                self.scratch.open[kept] = cell;
                kept += 1;
            } else {
                self.make_leaf(cell, side);
            }
        }
        self.scratch.open.truncate(kept);
    }

    fn is_too_coarse(&self, cell: &Open, side: u32) -> bool {
        let length = f64::from(side) * self.tree.cell;
        let centre = self.scratch.corners[cell.centre as usize].value;
        let corners = cell
            .corners
            .map(|corner| &self.scratch.corners[corner as usize]);
        let closer = |least: f64, corner: &&Corner| least.min(corner.value.abs());
        let closest = corners.iter().fold(centre.abs(), closer);
        // The distance changes by at most as much as the point moves.
        if side > UNSEEN && closest <= COVERED * length {
            return true;
        }
        let allowed = self.allowed((closest - self.settings.band).max(0.0));
        let mean = corners.iter().map(|corner| corner.value).sum::<f64>() / 8.0;
        if (centre - mean).abs() > allowed {
            return true;
        }
        let steepest = (8.0 * allowed / length) as f32;
        (0..3).any(|axis| {
            let starts = (0..8_usize).filter(|corner| corner >> axis & 1 == 0);
            let slope = |corner: usize| corners[corner].gradient[axis];
            starts
                .into_iter()
                .any(|from| (slope(from) - slope(from | 1 << axis)).abs() > steepest)
        })
    }

    /// The error (m) that is allowed to a cell this far (m) from the band.
    fn allowed(&self, beyond: f64) -> f64 {
        SHARE * self.settings.tolerance + FAR_ERROR * beyond
    }

    /// Numbers the 27 points of every open cell.
    fn want_points(&mut self, side: u32) {
        self.scratch.wanted.clear();
        self.scratch.points.clear();
        self.scratch.index.clear(6 * self.scratch.open.len());
        for k in 0..self.scratch.open.len() {
            let cell = self.scratch.open[k];
            let mut points = [0; POINTS];
            for point in 0..POINTS {
                points[point] = match Parents::TABLE.of(point) {
                    [corner] => cell.corners[*corner as usize],
                    parents if parents.len() < 8 => self.number(&cell, side, point, parents),
                    _ => cell.centre,
                };
            }
            self.scratch.points.push(points);
        }
    }

    /// The number of a point halfway between `parents`; a new one is put on the list.
    fn number(&mut self, cell: &Open, side: u32, point: usize, parents: &[u8]) -> u32 {
        let place = coordinates(point);
        let at = [0, 1, 2].map(|axis| cell.low[axis] + side / 2 * place[axis] as u32);
        let fresh = self.scratch.corners.len() as u32;
        let number = self.scratch.index.number(at, fresh);
        if number == fresh {
            self.want(cell, side, at, parents);
        }
        number
    }

    /// Puts a point halfway between `parents` on the list.
    fn want(&mut self, cell: &Open, side: u32, at: Lattice, parents: &[u8]) {
        let scratch = &mut *self.scratch;
        let corner = |k: usize| cell.corners[parents[k % parents.len()] as usize];
        let far = |k: usize| scratch.corners[corner(k) as usize].value.abs();
        // The corner farthest from the surface most often settles the sign at once.
        // The one closest to it most likely has the same closest triangle.
        let (mut base, mut close) = (0, 0);
        for k in 1..parents.len() {
            if far(k) > far(base) {
                base = k;
            }
            if far(k) < far(close) {
                close = k;
            }
        }
        let bits = parents[base];
        let base_at = [0, 1, 2].map(|axis| cell.low[axis] + side * u32::from(bits >> axis & 1));
        let whole = 1 << self.tree.depth;
        let inner = |axis: usize| at[axis] != 0 && at[axis] != whole;
        let aligned = |axis: usize| (at[axis] - cell.low[axis]).is_multiple_of(side);
        // Two cells meet at every coordinate that is not halfway, save at the root's own faces.
        let shared = (0..3).filter(|&axis| aligned(axis) && inner(axis)).count();
        let wanted = Wanted {
            at,
            base: corner(base),
            base_at,
            likely: scratch.corners[corner(close) as usize].nearest,
        };
        let parents = [0, 1, 2, 3].map(corner);
        scratch.wanted.push(wanted);
        scratch.corners.push(Corner {
            value: 0.0,
            nearest: 0,
            winding: 0,
            gradient: Vec3::ZERO,
            parents,
            cells: 1 << shared,
            halved: 0,
        });
    }

    /// Exact signed distances at the wanted points.
    fn evaluate(&mut self) {
        let first = self.scratch.corners.len() - self.scratch.wanted.len();
        let (known, fresh) = self.scratch.corners.split_at_mut(first);
        let (tree, triangles, all_visible) = (&*self.tree, self.triangles, self.all_visible);
        let value = |wanted: &Wanted, corner: &mut Corner| {
            let base = &known[wanted.base as usize];
            let (point, from) = (position(tree, wanted.at), position(tree, wanted.base_at));
            let (nearest, away) = measure(triangles, point, wanted.likely);
            // A surface in between would be no farther from the two points than they are from each other.
            let together = away.length() + base.value.abs();
            let clear = all_visible && together > point.distance(from);
            let gained = if clear {
                0
            } else {
                triangles.crossings(from, point, None)
            };
            corner.winding = base.winding + gained;
            corner.set(nearest, away);
        };
        #[cfg(feature = "parallel")]
        {
            use rayon::prelude::*;
            let wanted = self.scratch.wanted.par_iter();
            wanted
                .zip(fresh.par_iter_mut())
                .with_min_len(256)
                .for_each(|(w, c)| value(w, c));
        }
        #[cfg(not(feature = "parallel"))]
        for (wanted, corner) in self.scratch.wanted.iter().zip(fresh) {
            value(wanted, corner);
        }
    }

    /// Halves the cells that are still open.
    fn halve_cells(&mut self, side: u32) {
        self.scratch.next.clear();
        for k in 0..self.scratch.open.len() {
            let (cell, points) = (self.scratch.open[k], self.scratch.points[k]);
            self.halve(&cell, &points, side);
        }
        let scratch = &mut *self.scratch;
        std::mem::swap(&mut scratch.open, &mut scratch.next);
    }

    fn halve(&mut self, cell: &Open, points: &[u32; POINTS], side: u32) {
        let first = self.tree.cells.len() as u32;
        self.tree.cells[cell.cell as usize] = first;
        for (point, &number) in points.iter().enumerate() {
            if Parents::TABLE.of(point).len() > 1 {
                self.scratch.corners[number as usize].halved += 1;
            }
        }
        for child in 0..8_usize {
            let shift = [0, 1, 2].map(|axis| child >> axis & 1);
            let corner = |k: usize| {
                let [x, y, z] = [0, 1, 2].map(|axis| shift[axis] + (k >> axis & 1));
                points[x + 3 * y + 9 * z]
            };
            self.tree.cells.push(0);
            self.scratch.next.push(Open {
                cell: first + child as u32,
                low: [0, 1, 2].map(|axis| cell.low[axis] + side / 2 * shift[axis] as u32),
                corners: [0, 1, 2, 3, 4, 5, 6, 7].map(corner),
                centre: 0,
            });
        }
    }

    fn make_leaf(&mut self, cell: Open, side: u32) {
        let distance = |&corner: &u32| self.scratch.corners[corner as usize].value.abs();
        let closest = cell
            .corners
            .iter()
            .map(distance)
            .fold(f64::INFINITY, f64::min);
        let reach = REACHED * f64::from(side) * self.tree.cell + self.settings.reach();
        self.scratch.leaf_near.push(closest <= reach);
        self.tree.cells[cell.cell as usize] = LEAF | self.scratch.leaf_corners.len() as u32;
        self.scratch.leaf_corners.push(cell.corners);
    }

    /// Gives a corner that lies halfway on the edge or face of a leaf the value which that leaf has there, so
    /// that the field is continuous (Westermann, Kobbelt, Ertl 1999). Some cell around such a corner was
    /// not halved. Parents come before their children, so chains over several levels come right as well.
    fn fit_hanging_corners(&mut self) {
        let corners = &mut self.scratch.corners;
        for number in 0..corners.len() {
            let Corner {
                parents,
                cells,
                halved,
                ..
            } = corners[number];
            if halved > 0 && halved < cells {
                let sum: f64 = parents.iter().map(|&p| corners[p as usize].value).sum();
                corners[number].value = 0.25 * sum;
            }
        }
    }

    fn write_leaves(&mut self) {
        let corners = &self.scratch.corners;
        let used = corners.iter().filter(|corner| corner.halved > 0);
        self.tree.corner_values = used.count();
        self.tree.leaves.clear();
        self.tree.likely.clear();
        let leaves = self.scratch.leaf_corners.iter();
        for (leaf, near) in leaves.zip(&self.scratch.leaf_near) {
            let value = |corner: u32| corners[corner as usize].value;
            self.tree.leaves.push(Corners(leaf.map(value)));
            let mut close = leaf[0];
            for &corner in leaf {
                if value(corner).abs() < value(close).abs() {
                    close = corner;
                }
            }
            let flag = if *near { NEAR } else { 0 };
            self.tree
                .likely
                .push(corners[close as usize].nearest | flag);
        }
    }
}
