//! A tree of boxes around triangles, to find the few pairs that are worth an exact test.

use glam::DVec3;

/// Few enough that a leaf is quickly tried through, many enough that the tree stays small.
const LEAF: usize = 4;
/// Triangles that one task looks up.
const CHUNK: usize = 512;
/// Tasks between two looks at whether enough has been found.
const BATCH: usize = 64;

/// An axis-aligned box. Its corners are coordinates of the triangles themselves, never rounded.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    low: DVec3,
    high: DVec3,
}

impl Bounds {
    fn around(points: &[DVec3; 3]) -> Self {
        let [a, b, c] = *points;
        Bounds {
            low: a.min(b).min(c),
            high: a.max(b).max(c),
        }
    }

    fn joined(self, other: Bounds) -> Self {
        Bounds {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    fn touches(&self, other: &Bounds) -> bool {
        self.low.cmple(other.high).all() && other.low.cmple(self.high).all()
    }

    fn centre(&self) -> DVec3 {
        0.5 * self.low + 0.5 * self.high
    }
}

/// A node of the tree. Its triangles are `order[first..end]`; its left child follows it directly.
struct Branch {
    bounds: Bounds,
    first: u32,
    end: u32,
    /// Where the right child is; 0 for a leaf.
    right: u32,
}

/// The tree.
pub(super) struct Hierarchy {
    branches: Vec<Branch>,
    /// Triangle and its box, in the order of the leaves.
    order: Vec<(u32, Bounds)>,
}

impl Hierarchy {
    pub(super) fn new<'a>(triangles: impl Iterator<Item = &'a [DVec3; 3]>) -> Self {
        let boxed = |(index, corners)| (index as u32, Bounds::around(corners));
        let mut hierarchy = Hierarchy {
            branches: Vec::new(),
            order: triangles.enumerate().map(boxed).collect(),
        };
        if !hierarchy.order.is_empty() {
            hierarchy.grow(0, hierarchy.order.len());
        }
        hierarchy
    }

    /// Builds the tree over `order[first..end]` by halving it along its longest side.
    fn grow(&mut self, first: usize, end: usize) {
        let part = &mut self.order[first..end];
        let bounds = part.iter().map(|(_, b)| *b).reduce(Bounds::joined);
        let Some(bounds) = bounds else { return };
        let here = self.branches.len();
        self.branches.push(Branch {
            bounds,
            first: first as u32,
            end: end as u32,
            right: 0,
        });
        if part.len() <= LEAF {
            return;
        }
        let axis = (bounds.high - bounds.low).max_position();
        let middle = part.len() / 2;
        part.select_nth_unstable_by(middle, |(i, a), (j, b)| {
            let by_centre = a.centre()[axis].total_cmp(&b.centre()[axis]);
            by_centre.then(i.cmp(j))
        });
        self.grow(first, first + middle);
        self.branches[here].right = self.branches.len() as u32;
        self.grow(first + middle, end);
    }

    /// Every pair of triangles whose boxes touch and for which `test` answers yes, once, in an order
    /// that does not depend on the number of threads. The search ends early, likewise whatever the number
    /// of threads, once it has found `limit` pairs or a few more.
    pub(super) fn pairs_where(
        &self,
        limit: usize,
        test: impl Fn(u32, u32) -> bool + Sync,
    ) -> Vec<[u32; 2]> {
        let search = |chunk: usize| {
            let mut found = Vec::new();
            let end = self.order.len().min((chunk + 1) * CHUNK);
            for place in chunk * CHUNK..end {
                self.look_up(place, &test, &mut found);
                if found.len() >= limit {
                    break;
                }
            }
            found
        };
        let chunks = self.order.len().div_ceil(CHUNK);
        let mut found = Vec::new();
        for first in (0..chunks).step_by(BATCH) {
            let batch = first..chunks.min(first + BATCH);
            #[cfg(feature = "parallel")]
            {
                use rayon::prelude::*;
                found.par_extend(batch.into_par_iter().flat_map_iter(search));
            }
            #[cfg(not(feature = "parallel"))]
            found.extend(batch.flat_map(search));
            if found.len() >= limit {
                break;
            }
        }
        found
    }

    /// Tests one triangle against those that come after it in the order of the leaves.
    fn look_up(&self, place: usize, test: impl Fn(u32, u32) -> bool, found: &mut Vec<[u32; 2]>) {
        let (index, bounds) = self.order[place];
        let mut pending = vec![0];
        while let Some(at) = pending.pop() {
            let branch = &self.branches[at];
            if branch.end as usize <= place + 1 || !branch.bounds.touches(&bounds) {
                continue;
            }
            if branch.right != 0 {
                pending.extend([branch.right as usize, at + 1]);
                continue;
            }
            let start = (branch.first as usize).max(place + 1);
            for &(other, other_bounds) in &self.order[start..branch.end as usize] {
                if other_bounds.touches(&bounds) && test(index, other) {
                    found.push([index, other]);
                }
            }
        }
    }
}
