//! A box tree over triangles: the closest one to a point, those a segment crosses, those that sweep through a
//! box.
//!
//! The boxes are in single precision, relative to the middle of the triangles and a little too large. They
//! only decide what need not be looked at, so neither that nor the shape of the tree shows in any answer.

use super::bounds::Bounds;
use super::box_tree::{BoxTree, Leaves};
use super::closest::squared_distance;
use super::segment_triangle::{CAUTION, Segment, crossing};
use glam::{DVec3, Vec3A};

/// By how much boxes are too large, as a part of the size of the whole. Rounding a point of it to single
/// precision costs 6·10⁻⁸ of the size, and a few roundings come together in a query; 4·10⁻⁶ leaves room for
/// dozens.
const ENLARGED: f64 = 4e-6;
/// No place: no triangle has been found.
const NONE: u32 = u32::MAX;

/// The closest triangle found so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Nearest {
    /// Squared distance (m²).
    pub squared: f64,
    /// Place of the triangle in the order of the tree.
    pub place: u32,
}

/// The tree. Triangles are named by their *place*, their slot in the tree.
#[derive(Clone, Debug)]
pub(crate) struct TriangleTree {
    tree: BoxTree,
    /// The same tree with empty boxes for the triangles that are hidden, if any are.
    shown: Option<BoxTree>,
    nodes: Vec<[u32; 3]>,
    corners: Vec<[DVec3; 3]>,
    visible: Vec<bool>,
    /// Boxes are relative to it, for the sake of their precision.
    centre: DVec3,
}

impl TriangleTree {
    pub(crate) fn new(points: &[DVec3], triangles: &[[u32; 3]]) -> Self {
        // Twice the middle of the box, which sorts as well.
        let centre = |t: u32| {
            let [a, b, c] = triangles[t as usize].map(|n| points[n as usize]);
            a.min(b).min(c) + a.max(b).max(c)
        };
        let mut tree = BoxTree::with_leaves(Leaves::Single);
        tree.split(triangles.len(), |i| i as u32, centre);
        tree.release_scratch();
        let mut triangle_tree = TriangleTree {
            nodes: tree.order.iter().map(|&t| triangles[t as usize]).collect(),
            tree,
            shown: None,
            corners: Vec::new(),
            visible: Vec::new(),
            centre: DVec3::ZERO,
        };
        triangle_tree.refit(points);
        triangle_tree
    }

    /// Moves the triangles and fits the boxes around them; the shape of the tree stays. All triangles become
    /// visible.
    pub(crate) fn refit(&mut self, points: &[DVec3]) {
        self.corners.clear();
        let placed = self.nodes.iter().map(|t| t.map(|n| points[n as usize]));
        self.corners.extend(placed);
        let nothing = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let around =
            |(low, high): (DVec3, DVec3), corner: &DVec3| (low.min(*corner), high.max(*corner));
        let (low, high) = self.corners.as_flattened().iter().fold(nothing, around);
        self.centre = 0.5 * (low + high);
        let margin = Vec3A::splat((ENLARGED * low.distance(high)) as f32);
        let (corners, centre) = (&self.corners, self.centre);
        self.tree.refit_slots(|place| {
            let [a, b, c] = corners[place].map(|corner| (corner - centre).as_vec3a());
            Bounds {
                low: a.min(b).min(c) - margin,
                high: a.max(b).max(c) + margin,
            }
        });
        self.show_only(vec![true; self.nodes.len()]);
    }

    /// A point as the boxes see it.
    fn near(&self, point: DVec3) -> Vec3A {
        (point - self.centre).as_vec3a()
    }

    /// Hides triangles from [`Self::closest`]; crossings still count all of them.
    pub(crate) fn show_only(&mut self, visible: Vec<bool>) {
        self.visible = visible;
        self.shown = (!self.all_visible()).then(|| {
            let mut shown = self.tree.clone();
            let bounds = |place: usize| match self.visible[place] {
                true => self.tree.boxes[place],
                false => Bounds::EMPTY,
            };
            shown.refit_slots(bounds);
            shown
        });
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn all_visible(&self) -> bool {
        !self.visible.contains(&false)
    }

    /// The triangle of the surface at a place.
    pub(crate) fn triangle(&self, place: u32) -> u32 {
        self.tree.order[place as usize]
    }

    pub(crate) fn nodes(&self, place: u32) -> [u32; 3] {
        self.nodes[place as usize]
    }

    pub(crate) fn corners(&self, place: u32) -> &[DVec3; 3] {
        &self.corners[place as usize]
    }

    /// The visible triangle closest to a point. Starting from one that is likely close saves most of the
    /// search; a hidden one does not count.
    pub(crate) fn closest(&self, point: DVec3, likely: u32) -> Nearest {
        let mut best = Nearest {
            squared: f64::INFINITY,
            place: likely,
        };
        if self.visible[likely as usize] {
            best.squared = squared_distance(point, &self.corners[likely as usize]);
        }
        self.search(point, best, |_| true)
    }

    /// The closest of the visible triangles that are nearer than `within` (m) and that `counts` accepts,
    /// asked only of those nearer than any accepted before.
    pub(crate) fn closest_of(
        &self,
        point: DVec3,
        within: f64,
        counts: impl Fn(u32) -> bool,
    ) -> Option<Nearest> {
        let none = Nearest {
            squared: within * within,
            place: NONE,
        };
        let best = self.search(point, none, counts);
        (best.place != NONE).then_some(best)
    }

    /// Improves on the best triangle so far, or on a distance without one.
    fn search(&self, point: DVec3, mut best: Nearest, counts: impl Fn(u32) -> bool) -> Nearest {
        let limit = |best: &Nearest| (best.squared * CAUTION) as f32;
        let tree = self.shown.as_ref().unwrap_or(&self.tree);
        tree.nearest(self.near(point), limit(&best), |slot| {
            let place = slot as u32;
            if place == best.place {
                return limit(&best);
            }
            let squared = squared_distance(point, &self.corners[slot]);
            // Of equals the first in the mesh, whatever the order of the tree.
            let first = || best.place != NONE && self.triangle(place) < self.triangle(best.place);
            if (squared < best.squared || squared == best.squared && first()) && counts(place) {
                best = Nearest { squared, place };
            }
            limit(&best)
        });
        best
    }

    /// The places of all triangles that may come into a box (m) on their straight paths from here to where
    /// they are in `end`, a tree of the same triangles in the same order; the highest place first. A few that
    /// do not are among them.
    pub(crate) fn passing(&self, end: &TriangleTree, (low, high): (DVec3, DVec3)) -> Vec<u32> {
        let mut found = Vec::new();
        let seen_by = |tree: &TriangleTree| [low, high].map(|corner| tree.near(corner));
        let (here, there) = (seen_by(self), seen_by(end));
        let [first, second] = [self, end].map(|tree| &tree.tree.branches);
        let meets = |at: u32| {
            let (first, second) = (&first[at as usize].bounds, &second[at as usize].bounds);
            // Apart all the way if apart on the same side at both ends.
            let below = first.high.cmplt(here[0]) & second.high.cmplt(there[0]);
            let above = first.low.cmpgt(here[1]) & second.low.cmpgt(there[1]);
            !(below | above).any()
        };
        self.tree.walk(meets, |place| found.push(place as u32));
        found
    }

    /// How much the winding number grows from `from` to `to`: the triangles crossed inwards minus those
    /// crossed outwards. The triangle at the place `except` does not count.
    pub(crate) fn crossings(&self, from: DVec3, to: DVec3, except: Option<u32>) -> i32 {
        let segment = Segment::new(self.near(0.5 * (from + to)), (0.5 * (to - from)).as_vec3a());
        let mut sum = 0;
        let branches = &self.tree.branches;
        let meets = |at: u32| segment.meets(&branches[at as usize].bounds);
        self.tree.walk(meets, |place| {
            if except != Some(place as u32) {
                sum += crossing(from, to, &self.nodes[place], &self.corners[place]);
            }
        });
        sum
    }

    /// Memory it takes (bytes).
    pub(crate) fn bytes(&self) -> usize {
        let per_triangle = size_of::<[DVec3; 3]>() + size_of::<[u32; 3]>() + size_of::<bool>();
        let shown = self.shown.as_ref().map_or(0, BoxTree::bytes);
        self.tree.bytes() + shown + per_triangle * self.corners.capacity()
    }
}
