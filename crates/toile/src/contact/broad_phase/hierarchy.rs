//! A tree of boxes: grown once, then refitted to each step until it has become too loose.

use super::bounds::Bounds;
use crate::parallel;
use glam::Vec3A;

/// Boxes in a leaf. Few enough that a leaf is quickly tried through, many enough that the tree stays small.
const LEAF: usize = 4;
/// Subtrees with fewer boxes than this are grown and refitted on one thread.
const WORTHWHILE: usize = 8192;
/// The tree is to be grown anew when a search of it costs this many times what it cost when it was grown.
const WORN: f64 = 1.6;

/// A node of the tree. Its left child follows it directly, and all below it follows without a gap.
#[derive(Clone, Copy, Debug)]
pub(super) struct Branch {
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
/// Searches answer with all pairs of boxes that touch. Which pairs those are follows from the boxes alone and not
/// from the tree, so a refitted tree and a new one give the same answer.
#[derive(Clone, Debug, Default)]
pub struct Hierarchy {
    pub(super) branches: Vec<Branch>,
    /// The number of the box in each slot.
    pub(super) order: Vec<u32>,
    /// The box in each slot.
    pub(super) boxes: Vec<Bounds>,
    /// What a search costs now, and what it did when the tree was grown.
    cost: f64,
    cost_when_grown: f64,
    /// Scratch of `rebuild`.
    items: Vec<Item>,
}

/// What the growing of a tree needs to know of a box.
#[derive(Clone, Copy, Debug)]
struct Item {
    centre: [f32; 3],
    index: u32,
}

impl Hierarchy {
    /// Grows a tree over boxes, which are then known by their place in the slice.
    pub fn new(boxes: &[Bounds]) -> Self {
        let mut hierarchy = Hierarchy::default();
        hierarchy.rebuild(boxes);
        hierarchy
    }

    /// How many boxes it is over.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether it is over no box at all.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Grows the tree anew.
    pub fn rebuild(&mut self, boxes: &[Bounds]) {
        self.rebuild_with(boxes.len(), |i| i as u32, |i| boxes[i as usize]);
    }

    /// Fits the tree to boxes that have moved, from the leaves up.
    ///
    /// # Panics
    ///
    /// If there are not as many boxes as the tree was grown over.
    pub fn refit(&mut self, boxes: &[Bounds]) {
        assert_eq!(
            boxes.len(),
            self.len(),
            "a refit cannot add or remove boxes"
        );
        self.refit_with(|i| boxes[i as usize]);
    }

    /// Whether so much has moved since the tree was grown that searches gain from a [rebuild](Self::rebuild).
    ///
    /// Its measure is the surface of all inner boxes relative to that of the boxes it is over: the expected number of
    /// boxes that a search looks at (Goldsmith & Salmon 1987), whatever the size of the whole.
    pub fn needs_rebuild(&self) -> bool {
        self.cost > WORN * self.cost_when_grown
    }

    /// [`rebuild`](Self::rebuild) over `count` boxes that are worked out when needed: the `i`-th has the number
    /// `number(i)`, and `source` gives a box for its number.
    pub(super) fn rebuild_with(
        &mut self,
        count: usize,
        number: impl Fn(usize) -> u32 + Sync,
        source: impl Fn(u32) -> Bounds + Sync,
    ) {
        let nothing = Item {
            centre: [0.0; 3],
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
            centre: source(number(i)).centre().into(),
            index: number(i),
        });
        self.branches.clear();
        self.branches.resize(branches_over(count), empty);
        if count > 0 {
            grow(&mut self.branches, &mut self.items, 0);
        }
        self.order.clear();
        self.order.extend(self.items.iter().map(|item| item.index));
        self.boxes.resize(count, Bounds::EMPTY);
        self.refit_with(source);
        self.cost_when_grown = self.cost;
    }

    /// [`refit`](Self::refit) with boxes that are worked out when needed, each once.
    pub(super) fn refit_with(&mut self, source: impl Fn(u32) -> Bounds + Sync) {
        if self.is_empty() {
            return;
        }
        let surface = refit(&mut self.branches, &mut self.boxes, &self.order, &source);
        self.cost = if surface.boxes > 0.0 {
            surface.branches / surface.boxes
        } else {
            0.0
        };
    }
}

/// How many branches a tree over so many boxes has: all leaves but the last are full.
fn branches_over(count: usize) -> usize {
    (2 * count.div_ceil(LEAF)).saturating_sub(1)
}

/// Grows a tree over the items by halving them along the longest side of their centres' box. `first` is the slot of the first.
fn grow(branches: &mut [Branch], items: &mut [Item], first: usize) {
    let Some((branch, below)) = branches.split_first_mut() else {
        return;
    };
    branch.first = first as u32;
    branch.end = (first + items.len()) as u32;
    branch.right = 0;
    if items.len() <= LEAF {
        return;
    }
    let mut centres = Bounds::EMPTY;
    for item in items.iter() {
        let centre = Vec3A::from_array(item.centre);
        centres.low = centres.low.min(centre);
        centres.high = centres.high.max(centre);
    }
    let axis = (centres.high - centres.low).max_position();
    // Full leaves: the tree is as small as can be, and its size known beforehand.
    let middle = (items.len() / 2).next_multiple_of(LEAF);
    // The number breaks ties, so that the tree is a function of the boxes.
    items.select_nth_unstable_by(middle, |a, b| {
        let by_centre = a.centre[axis].total_cmp(&b.centre[axis]);
        by_centre.then(a.index.cmp(&b.index))
    });
    let worthwhile = items.len() >= WORTHWHILE;
    let (left, right) = items.split_at_mut(middle);
    let (left_branches, right_branches) = below.split_at_mut(branches_over(middle));
    branch.right = 1 + left_branches.len() as u32;
    parallel::join(
        worthwhile,
        || grow(left_branches, left, first),
        || grow(right_branches, right, first + middle),
    );
}

/// Half the surface of all branches of a tree, and of the boxes in it, in m².
#[derive(Clone, Copy, Default)]
struct Surface {
    branches: f64,
    boxes: f64,
}

/// Fits the tree `branches` over the slots `boxes` to the boxes that `source` gives.
fn refit(
    branches: &mut [Branch],
    boxes: &mut [Bounds],
    order: &[u32],
    source: &(impl Fn(u32) -> Bounds + Sync),
) -> Surface {
    let Some((branch, below)) = branches.split_first_mut() else {
        return Surface::default();
    };
    let mut surface = Surface::default();
    if branch.is_leaf() {
        branch.bounds = Bounds::EMPTY;
        for (slot, index) in boxes.iter_mut().zip(order) {
            *slot = source(*index);
            branch.bounds = branch.bounds.joined(*slot);
            surface.boxes += f64::from(slot.half_area());
        }
    } else {
        let (left, right) = below.split_at_mut(branch.right as usize - 1);
        let middle = left[0].count();
        let worthwhile = boxes.len() >= WORTHWHILE;
        let (left_boxes, right_boxes) = boxes.split_at_mut(middle);
        let (left_order, right_order) = order.split_at(middle);
        let (a, b) = parallel::join(
            worthwhile,
            || refit(left, left_boxes, left_order, source),
            || refit(right, right_boxes, right_order, source),
        );
        branch.bounds = left[0].bounds.joined(right[0].bounds);
        surface.branches = a.branches + b.branches;
        surface.boxes = a.boxes + b.boxes;
    }
    surface.branches += f64::from(branch.bounds.half_area());
    surface
}
