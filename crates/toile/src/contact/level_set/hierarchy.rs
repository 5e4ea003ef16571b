//! A tree of boxes around the triangles: the closest one to a point, and those a segment crosses.
//!
//! The boxes are in single precision and a little too large. They only decide what need not be looked at, so
//! neither that nor the shape of the tree shows in any answer.

use super::closest::squared_distance;
use super::winding::crossing;
use glam::{DVec3, Vec3, Vec4};

/// Marks a child that is a triangle; the rest of its bits is the triangle's place.
const TRIANGLE: u32 = 1 << 31;
/// Marks a part that does not exist.
const ABSENT: u32 = u32::MAX;
/// Places that may wait in a search: quartering goes no deeper than 16, as indices name fewer than 2³² triangles,
/// and leaves three behind at each step.
const WAITING: usize = 52;
/// By how much boxes are too large, as a part of the body's size. Rounding to single precision costs 10⁻⁷.
const ENLARGED: f64 = 4e-6;
/// By how much squared distances to boxes are rounded down against those to triangles.
const CAUTION: f64 = 1.0 + 1e-5;

/// A set of triangles in up to four parts. Boxes are kept axis by axis, four at a time.
/// A branch fills two cache lines.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct Branch {
    low: [Vec4; 3],
    high: [Vec4; 3],
    /// Zero, or infinity for a part without a triangle that bounds the body.
    hidden: Vec4,
    /// Parts that do not exist come last; their boxes are empty, and compare with nothing.
    children: [u32; 4],
}

impl Branch {
    fn parts(&self) -> usize {
        self.children
            .iter()
            .filter(|child| **child != ABSENT)
            .count()
    }

    /// Lower bounds of the squared distance to the visible triangles of each part.
    #[inline(always)]
    fn bounds(&self, point: &[Vec4; 3]) -> [f32; 4] {
        let squared = |axis: usize| {
            let outside = (self.low[axis] - point[axis]).max(point[axis] - self.high[axis]);
            let outside = outside.max(Vec4::ZERO);
            outside * outside
        };
        (squared(0) + squared(1) + squared(2) + self.hidden).to_array()
    }

    /// Which parts' boxes the segment `middle ± reach` may meet: no axis of the box and no cross product of an
    /// axis with the segment separates them.
    #[inline(always)]
    fn meets(&self, middle: &[Vec4; 3], reach: &[Vec4; 3]) -> u32 {
        let extent = [0, 1, 2].map(|k| 0.5 * (self.high[k] - self.low[k]));
        let apart = [0, 1, 2].map(|k| middle[k] - 0.5 * (self.low[k] + self.high[k]));
        let mut all = 0b1111;
        for k in 0..3 {
            let (l, m) = ((k + 1) % 3, (k + 2) % 3);
            let near = apart[k].abs().cmple(extent[k] + reach[k].abs());
            let across = (apart[l] * reach[m] - apart[m] * reach[l]).abs();
            let shadow = extent[l] * reach[m].abs() + extent[m] * reach[l].abs();
            all &= near.bitmask() & across.cmple(shadow * CAUTION as f32).bitmask();
        }
        all
    }
}

/// The closest triangle found so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::contact) struct Nearest {
    /// Squared distance (m²).
    pub squared: f64,
    /// Place of the triangle in the order of the tree.
    pub place: u32,
}

/// The tree. Triangles are named by their *place*, their position in the order of the tree.
#[derive(Clone, Debug, Default)]
pub(in crate::contact) struct Hierarchy {
    /// Each branch before those below it; the first is the whole, unless there is only one triangle.
    branches: Vec<Branch>,
    /// Which triangle of the surface is at a place.
    order: Vec<u32>,
    nodes: Vec<[u32; 3]>,
    corners: Vec<[DVec3; 3]>,
    visible: Vec<bool>,
    /// Boxes are relative to it, for the sake of their precision.
    centre: DVec3,
}

impl Hierarchy {
    pub(in crate::contact) fn new(points: &[DVec3], triangles: &[[u32; 3]]) -> Self {
        let centre = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|n| points[n as usize]);
            a.min(b).min(c) + a.max(b).max(c)
        };
        let centres: Vec<_> = triangles.iter().map(centre).collect();
        let mut order: Vec<u32> = (0..triangles.len() as u32).collect();
        let mut hierarchy = Hierarchy::default();
        hierarchy.grow(&mut order, 0, &centres);
        hierarchy.nodes = order.iter().map(|&t| triangles[t as usize]).collect();
        hierarchy.order = order;
        hierarchy.refit(points);
        hierarchy
    }

    /// Parts the triangles. The boxes come later.
    fn grow(&mut self, order: &mut [u32], first: u32, centres: &[DVec3]) -> u32 {
        if order.len() == 1 {
            return TRIANGLE | first;
        }
        let here = self.branches.len();
        self.branches.push(Branch {
            low: [Vec4::INFINITY; 3],
            high: [Vec4::NEG_INFINITY; 3],
            hidden: Vec4::INFINITY,
            children: [ABSENT; 4],
        });
        let (left, right) = halve(order, centres);
        let (mut start, mut part) = (first, 0);
        for half in [left, right] {
            let quarters: [&mut [u32]; 2] = if half.len() > 1 {
                halve(half, centres).into()
            } else {
                [half, &mut []]
            };
            for quarter in quarters.into_iter().filter(|quarter| !quarter.is_empty()) {
                let count = quarter.len() as u32;
                let child = self.grow(quarter, start, centres);
                self.branches[here].children[part] = child;
                part += 1;
                start += count;
            }
        }
        here as u32
    }

    /// Moves the triangles and fits the boxes around them; the halving stays. All triangles become visible.
    pub(in crate::contact) fn refit(&mut self, points: &[DVec3]) {
        self.corners.clear();
        let placed = self.nodes.iter().map(|t| t.map(|n| points[n as usize]));
        self.corners.extend(placed);
        let nothing = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let around =
            |(low, high): (DVec3, DVec3), corner: &DVec3| (low.min(*corner), high.max(*corner));
        let (low, high) = self.corners.as_flattened().iter().fold(nothing, around);
        self.centre = 0.5 * (low + high);
        let margin = Vec3::splat((ENLARGED * low.distance(high)) as f32);
        for at in (0..self.branches.len()).rev() {
            for part in 0..self.branches[at].parts() {
                let child = self.branches[at].children[part];
                let (low, high) = if child & TRIANGLE == 0 {
                    let Branch { low, high, .. } = &self.branches[child as usize];
                    (low.map(Vec4::min_element), high.map(Vec4::max_element))
                } else {
                    let corners = self.corners[(child & !TRIANGLE) as usize];
                    let [a, b, c] = corners.map(|corner| self.near(corner));
                    let low = a.min(b).min(c) - margin;
                    (low.to_array(), (a.max(b).max(c) + margin).to_array())
                };
                for axis in 0..3 {
                    self.branches[at].low[axis][part] = low[axis];
                    self.branches[at].high[axis][part] = high[axis];
                }
            }
        }
        self.show_only(vec![true; self.nodes.len()]);
    }

    /// A point as the boxes see it.
    fn near(&self, point: DVec3) -> Vec3 {
        (point - self.centre).as_vec3()
    }

    /// Hides triangles from [`Self::closest`]; crossings still count all of them.
    pub(super) fn show_only(&mut self, visible: Vec<bool>) {
        self.visible = visible;
        for at in (0..self.branches.len()).rev() {
            for part in 0..self.branches[at].parts() {
                let child = self.branches[at].children[part];
                let hidden = match child & TRIANGLE {
                    0 => self.branches[child as usize].hidden.min_element(),
                    _ if self.visible[(child & !TRIANGLE) as usize] => 0.0,
                    _ => f32::INFINITY,
                };
                self.branches[at].hidden[part] = hidden;
            }
        }
    }

    pub(in crate::contact) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn all_visible(&self) -> bool {
        !self.visible.contains(&false)
    }

    /// The triangle of the surface at a place.
    pub(in crate::contact) fn triangle(&self, place: u32) -> u32 {
        self.order[place as usize]
    }

    pub(in crate::contact) fn nodes(&self, place: u32) -> [u32; 3] {
        self.nodes[place as usize]
    }

    pub(in crate::contact) fn corners(&self, place: u32) -> &[DVec3; 3] {
        &self.corners[place as usize]
    }

    fn root(&self) -> u32 {
        if self.branches.is_empty() {
            TRIANGLE
        } else {
            0
        }
    }

    /// The visible triangle closest to a point. Starting from one that is likely close saves most of the
    /// search; a hidden one does not count.
    pub(in crate::contact) fn closest(&self, point: DVec3, likely: u32) -> Nearest {
        let mut best = Nearest {
            squared: f64::INFINITY,
            place: likely,
        };
        if self.visible[likely as usize] {
            best.squared = squared_distance(point, &self.corners[likely as usize]);
        }
        self.search(point, best, |_| true)
    }

    /// The closest of the visible triangles that are nearer than `within` (m) and that `counts` accepts, asked only of those
    /// nearer than any accepted before.
    pub(in crate::contact) fn closest_of(
        &self,
        point: DVec3,
        within: f64,
        counts: impl Fn(u32) -> bool,
    ) -> Option<Nearest> {
        let none = Nearest {
            squared: within * within,
            place: ABSENT,
        };
        let best = self.search(point, none, counts);
        (best.place != ABSENT).then_some(best)
    }

    /// Improves on the best triangle so far, or on a distance without one.
    fn search(&self, point: DVec3, mut best: Nearest, counts: impl Fn(u32) -> bool) -> Nearest {
        let mut limit = (best.squared * CAUTION) as f32;
        let near = self.near(point).to_array().map(Vec4::splat);
        let mut pending = [(0_u32, 0_f32); WAITING];
        let mut count = 1;
        pending[0] = (self.root(), 0.0);
        while count > 0 {
            count -= 1;
            let (mut child, mut bound) = pending[count];
            // Down the nearest part, remembering the others.
            while bound <= limit && child & TRIANGLE == 0 {
                let branch = &self.branches[child as usize];
                let bounds = branch.bounds(&near);
                let mut nearest = 0;
                for part in 1..4 {
                    let farther = if bounds[part] < bounds[nearest] {
                        std::mem::replace(&mut nearest, part)
                    } else {
                        part
                    };
                    // Infinite where there is nothing to see.
                    if bounds[farther] <= limit && bounds[farther] < f32::INFINITY {
                        pending[count] = (branch.children[farther], bounds[farther]);
                        count += 1;
                    }
                }
                (child, bound) = (branch.children[nearest], bounds[nearest]);
            }
            if bound > limit || child == TRIANGLE | best.place {
                continue;
            }
            let place = child & !TRIANGLE;
            let squared = squared_distance(point, &self.corners[place as usize]);
            // Of equals the first in the mesh, whatever the order of the tree.
            let first = || best.place != ABSENT && self.triangle(place) < self.triangle(best.place);
            if (squared < best.squared || squared == best.squared && first()) && counts(place) {
                best = Nearest { squared, place };
                limit = (squared * CAUTION) as f32;
            }
        }
        best
    }

    /// The places of all triangles that may come into a box (m) on their straight ways from here to where they are in `end`, a
    /// tree of the same triangles in the same order. A few that do not are among them.
    pub(in crate::contact) fn passing(
        &self,
        end: &Hierarchy,
        (low, high): (DVec3, DVec3),
    ) -> Vec<u32> {
        let mut found = Vec::new();
        let seen_by = |tree: &Hierarchy| {
            let [low, high] = [low, high].map(|corner| tree.near(corner).to_array());
            (low.map(Vec4::splat), high.map(Vec4::splat))
        };
        let (here, there) = (seen_by(self), seen_by(end));
        let mut pending = [0_u32; WAITING];
        let mut count = 1;
        pending[0] = self.root();
        while count > 0 {
            count -= 1;
            let child = pending[count];
            if child & TRIANGLE != 0 {
                found.push(child & !TRIANGLE);
                continue;
            }
            let (first, second) = (
                &self.branches[child as usize],
                &end.branches[child as usize],
            );
            let mut met = 0b1111;
            for axis in 0..3 {
                // Apart all the way if apart on the same side at both ends.
                let below =
                    first.high[axis].cmplt(here.0[axis]) & second.high[axis].cmplt(there.0[axis]);
                let above =
                    first.low[axis].cmpgt(here.1[axis]) & second.low[axis].cmpgt(there.1[axis]);
                met &= !(below.bitmask() | above.bitmask());
            }
            for part in (0..first.parts()).filter(|part| met >> part & 1 == 1) {
                pending[count] = first.children[part];
                count += 1;
            }
        }
        found
    }

    /// How much the winding number grows from `from` to `to`: the triangles crossed inwards minus those
    /// crossed outwards. The triangle at the place `except` does not count.
    pub(in crate::contact) fn crossings(&self, from: DVec3, to: DVec3, except: Option<u32>) -> i32 {
        let middle = self.near(0.5 * (from + to)).to_array().map(Vec4::splat);
        let reach = (0.5 * (to - from)).as_vec3().to_array().map(Vec4::splat);
        let mut sum = 0;
        let mut pending = [0_u32; WAITING];
        let mut count = 1;
        pending[0] = self.root();
        while count > 0 {
            count -= 1;
            let child = pending[count];
            let place = child & !TRIANGLE;
            if child & TRIANGLE == 0 {
                let branch = &self.branches[child as usize];
                let met = branch.meets(&middle, &reach);
                for part in (0..4).filter(|part| met >> part & 1 == 1) {
                    pending[count] = branch.children[part];
                    count += 1;
                }
            } else if except != Some(place) {
                let (nodes, corners) = (&self.nodes[place as usize], self.corners(place));
                sum += crossing(from, to, nodes, corners);
            }
        }
        sum
    }

    pub(super) fn bytes(&self) -> usize {
        let per_triangle =
            size_of::<[DVec3; 3]>() + size_of::<[u32; 3]>() + size_of::<u32>() + size_of::<bool>();
        size_of::<Branch>() * self.branches.capacity() + per_triangle * self.corners.capacity()
    }
}

/// Halves triangles along the longest side of the box of their centres.
fn halve<'a>(order: &'a mut [u32], centres: &[DVec3]) -> (&'a mut [u32], &'a mut [u32]) {
    let around = |(low, high): (DVec3, DVec3), &t: &u32| {
        let centre = centres[t as usize];
        (low.min(centre), high.max(centre))
    };
    let nothing = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let (low, high) = order.iter().fold(nothing, around);
    let axis = (high - low).max_position();
    let middle = order.len() / 2;
    order.select_nth_unstable_by(middle, |&i, &j| {
        let by_centre = centres[i as usize][axis].total_cmp(&centres[j as usize][axis]);
        by_centre.then(i.cmp(&j))
    });
    order.split_at_mut(middle)
}
