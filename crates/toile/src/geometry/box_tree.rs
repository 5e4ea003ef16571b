//! A bounding volume hierarchy over axis-aligned boxes: built once, then refitted to each step until it is
//! too loose.

mod pairs;
mod queries;
#[cfg(test)]
mod tests;

pub use pairs::PairSearch;
pub(crate) use pairs::{Hit, Search, gather};

use super::bounds::Bounds;
use crate::parallel;
use glam::DVec3;

/// Subtrees with fewer boxes than this are built and refitted on one thread: waking another takes about as
/// long as refitting a few thousand boxes. Has no influence on results.
const PARALLEL_FROM: usize = 8192;
/// The tree should be rebuilt when a search of it costs this many times what it cost when it was built. A
/// rebuild costs about ten refits, so the loss is bounded either way. Has no influence on results.
const WORN: f64 = 1.6;

/// How many boxes the leaves of a tree hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Leaves {
    /// Four: few enough that a leaf is quickly tried through, many enough that the tree stays small. For pair
    /// searches.
    #[default]
    Packed,
    /// One: the tree alone decides which boxes are looked at. For queries that cost much for each box.
    Single,
}

impl Leaves {
    fn size(self) -> usize {
        match self {
            Leaves::Packed => 4,
            Leaves::Single => 1,
        }
    }

    /// How many branches a tree over so many boxes has: all leaves but the last are full.
    fn branches_over(self, count: usize) -> usize {
        (2 * count.div_ceil(self.size())).saturating_sub(1)
    }
}

/// A node of the tree. Its left child follows it directly, and all below it follows without a gap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Branch {
    pub bounds: Bounds,
    /// Its boxes are the slots `first..end`.
    pub first: u32,
    pub end: u32,
    /// How far behind it the right child is; 0 for a leaf.
    right: u32,
}

impl Branch {
    #[inline]
    pub fn is_leaf(&self) -> bool {
        self.right == 0
    }

    /// How many boxes are below it.
    #[inline]
    pub fn count(&self) -> usize {
        (self.end - self.first) as usize
    }

    /// Where its children are, if it is at `at` and no leaf.
    #[inline]
    pub fn children(&self, at: u32) -> [u32; 2] {
        [at + 1, at + self.right]
    }
}

/// A tree over numbered boxes.
///
/// Searches answer with all pairs of boxes that touch. Which pairs those are follows from the boxes alone and
/// not from the tree, so a refitted tree and a new one give the same answer.
#[derive(Clone, Debug, Default)]
pub struct BoxTree {
    leaves: Leaves,
    pub(crate) branches: Vec<Branch>,
    /// The number of the box in each slot.
    pub(crate) order: Vec<u32>,
    /// The box in each slot.
    pub(crate) boxes: Vec<Bounds>,
    /// What a search costs now, and what it did when the tree was built.
    cost: f64,
    cost_when_built: f64,
    /// Scratch of `build`.
    items: Vec<Item>,
}

/// What the building of a tree needs to know of a box.
#[derive(Clone, Copy, Debug)]
struct Item {
    centre: DVec3,
    index: u32,
}

impl BoxTree {
    /// Builds a tree over boxes, which are then known by their place in the slice.
    pub fn new(boxes: &[Bounds]) -> Self {
        let mut tree = BoxTree::default();
        tree.rebuild(boxes);
        tree
    }

    /// An empty tree with leaves of a size.
    pub(crate) fn with_leaves(leaves: Leaves) -> Self {
        BoxTree {
            leaves,
            ..BoxTree::default()
        }
    }

    /// How many boxes it is over.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether it is over no box at all.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Builds the tree anew.
    pub fn rebuild(&mut self, boxes: &[Bounds]) {
        self.rebuild_with(boxes.len(), |i| i as u32, |i| boxes[i as usize]);
    }

    /// Fits the tree to boxes that have moved, from the leaves up.
    ///
    /// # Panics
    ///
    /// If there are not as many boxes as the tree was built over.
    pub fn refit(&mut self, boxes: &[Bounds]) {
        assert_eq!(
            boxes.len(),
            self.len(),
            "a refit cannot add or remove boxes"
        );
        self.refit_with(|i| boxes[i as usize]);
    }

    /// Whether so much has moved since the tree was built that searches gain from a [rebuild](Self::rebuild).
    ///
    /// Its measure is the surface of all inner boxes relative to that of the boxes it is over: the expected
    /// number of boxes that a search looks at (Goldsmith & Salmon 1987), whatever the size of the whole.
    pub fn needs_rebuild(&self) -> bool {
        self.cost > WORN * self.cost_when_built
    }

    /// [`rebuild`](Self::rebuild) over `count` boxes that are worked out when needed: the `i`-th has the
    /// number `number(i)`, and `source` gives a box for its number.
    pub(crate) fn rebuild_with(
        &mut self,
        count: usize,
        number: impl Fn(usize) -> u32 + Sync,
        source: impl Fn(u32) -> Bounds + Sync,
    ) {
        self.split(count, number, |i| source(i).centre().as_dvec3());
        self.refit_with(source);
        self.cost_when_built = self.cost;
    }

    /// Divides `count` boxes with the given numbers and centres (in any common unit) into branches. The boxes
    /// are to be fitted afterwards.
    pub(crate) fn split(
        &mut self,
        count: usize,
        number: impl Fn(usize) -> u32 + Sync,
        centre: impl Fn(u32) -> DVec3 + Sync,
    ) {
        let nothing = Item {
            centre: DVec3::ZERO,
            index: 0,
        };
        let empty = Branch {
            bounds: Bounds::EMPTY,
            first: 0,
            end: 0,
            right: 0,
        };
        self.items.resize(count, nothing);
        parallel::fill(&mut self.items, |i| Item {
            centre: centre(number(i)),
            index: number(i),
        });
        self.branches.clear();
        self.branches
            .resize(self.leaves.branches_over(count), empty);
        if count > 0 {
            split(&mut self.branches, &mut self.items, 0, self.leaves);
        }
        self.order.clear();
        self.order.extend(self.items.iter().map(|item| item.index));
        self.boxes.resize(count, Bounds::EMPTY);
    }

    /// [`refit`](Self::refit) with boxes that are worked out when needed, each once.
    pub(crate) fn refit_with(&mut self, source: impl Fn(u32) -> Bounds + Sync) {
        let order = std::mem::take(&mut self.order);
        self.refit_slots(|slot| source(order[slot]));
        self.order = order;
    }

    /// The same with a source that knows the boxes by their slots.
    pub(crate) fn refit_slots(&mut self, source: impl Fn(usize) -> Bounds + Sync) {
        let surface = refit(&mut self.branches, &mut self.boxes, &source);
        self.cost = if surface.boxes > 0.0 {
            surface.branches / surface.boxes
        } else {
            0.0
        };
    }

    /// Memory it takes (bytes).
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Branch>() * self.branches.capacity()
            + size_of::<u32>() * self.order.capacity()
            + size_of::<Bounds>() * self.boxes.capacity()
            + size_of::<Item>() * self.items.capacity()
    }

    /// Gives back the memory that only a rebuild needs.
    pub(crate) fn release_scratch(&mut self) {
        self.items = Vec::new();
    }
}

/// Builds a tree over the items by halving them along the longest side of their centres' box. `first` is the
/// slot of the first.
fn split(branches: &mut [Branch], items: &mut [Item], first: usize, leaves: Leaves) {
    let Some((branch, below)) = branches.split_first_mut() else {
        return;
    };
    branch.first = first as u32;
    branch.end = (first + items.len()) as u32;
    branch.right = 0;
    if items.len() <= leaves.size() {
        return;
    }
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for item in items.iter() {
        low = low.min(item.centre);
        high = high.max(item.centre);
    }
    let axis = (high - low).max_position();
    // Full leaves: the tree is as small as can be, and its size known beforehand.
    let middle = (items.len() / 2).next_multiple_of(leaves.size());
    // The number breaks ties, so that the tree is a function of the boxes.
    items.select_nth_unstable_by(middle, |a, b| {
        let by_centre = a.centre[axis].total_cmp(&b.centre[axis]);
        by_centre.then(a.index.cmp(&b.index))
    });
    let worthwhile = items.len() >= PARALLEL_FROM;
    let (left, right) = items.split_at_mut(middle);
    let (left_branches, right_branches) = below.split_at_mut(leaves.branches_over(middle));
    branch.right = 1 + left_branches.len() as u32;
    parallel::join(
        worthwhile,
        || split(left_branches, left, first, leaves),
        || split(right_branches, right, first + middle, leaves),
    );
}

/// Half the surface of all branches of a tree, and of the boxes in it, in m².
#[derive(Clone, Copy, Default)]
struct Surface {
    branches: f64,
    boxes: f64,
}

/// Fits the tree `branches` over the slots `boxes` to the boxes that `source` gives for them.
fn refit(
    branches: &mut [Branch],
    boxes: &mut [Bounds],
    source: &(impl Fn(usize) -> Bounds + Sync),
) -> Surface {
    let Some((branch, below)) = branches.split_first_mut() else {
        return Surface::default();
    };
    let mut surface = Surface::default();
    if branch.is_leaf() {
        branch.bounds = Bounds::EMPTY;
        for (slot, bounds) in (branch.first as usize..).zip(boxes) {
            *bounds = source(slot);
            branch.bounds = branch.bounds.joined(*bounds);
            surface.boxes += f64::from(bounds.half_area());
        }
    } else {
        let (left, right) = below.split_at_mut(branch.right as usize - 1);
        let worthwhile = boxes.len() >= PARALLEL_FROM;
        let (left_boxes, right_boxes) = boxes.split_at_mut(left[0].count());
        let (a, b) = parallel::join(
            worthwhile,
            || refit(left, left_boxes, source),
            || refit(right, right_boxes, source),
        );
        branch.bounds = left[0].bounds.joined(right[0].bounds);
        surface.branches = a.branches + b.branches;
        surface.boxes = a.boxes + b.boxes;
    }
    surface.branches += f64::from(branch.bounds.half_area());
    surface
}
