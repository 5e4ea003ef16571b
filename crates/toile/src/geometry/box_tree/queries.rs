//! Walks down one tree: to all slots that a test keeps, to the nearest box, to the pairs that a test accepts.

use super::BoxTree;
use crate::geometry::Bounds;
use glam::Vec3A;

/// Branches that may wait in a walk. There are fewer than 2³² boxes, each level halves them, and one child
/// waits at each.
const DEEPEST: usize = 34;
/// Boxes that one task of [`BoxTree::pairs_where`] looks up.
const CHUNK: usize = 512;
/// Tasks between two looks at whether enough pairs have been found.
const BATCH: usize = 64;

impl BoxTree {
    /// Calls `visit` with all slots below branches that `keep` accepts, the highest slot first. A branch that
    /// is refused is not opened; with single leaves, the last branch asked of is the slot's own box.
    #[inline]
    pub(crate) fn walk(&self, keep: impl Fn(u32) -> bool, mut visit: impl FnMut(usize)) {
        if self.is_empty() {
            return;
        }
        let mut waiting = [0_u32; DEEPEST];
        let mut count = 1;
        while count > 0 {
            count -= 1;
            let at = waiting[count];
            if !keep(at) {
                continue;
            }
            let branch = &self.branches[at as usize];
            if branch.is_leaf() {
                (branch.first as usize..branch.end as usize)
                    .rev()
                    .for_each(&mut visit);
            } else {
                let [left, right] = branch.children(at);
                (waiting[count], waiting[count + 1]) = (left, right);
                count += 2;
            }
        }
    }

    /// Branch and bound: calls `visit` with slots whose box may be as near to `point` as the square root of
    /// `limit`, near ones first; `visit` answers with the limit from then on. Empty boxes are nowhere near.
    #[inline]
    pub(crate) fn nearest(
        &self,
        point: Vec3A,
        mut limit: f32,
        mut visit: impl FnMut(usize) -> f32,
    ) {
        if self.is_empty() {
            return;
        }
        let mut waiting = [(0_u32, 0_f32); DEEPEST];
        let mut count = 1;
        let near = |bound: f32, limit: f32| bound <= limit && bound < f32::INFINITY;
        waiting[0].1 = squared_distance(&self.branches[0].bounds, point);
        while count > 0 {
            count -= 1;
            let (mut at, mut bound) = waiting[count];
            // Down the nearer child, remembering the other.
            while near(bound, limit) {
                let branch = &self.branches[at as usize];
                if branch.is_leaf() {
                    for slot in branch.first as usize..branch.end as usize {
                        if near(squared_distance(&self.boxes[slot], point), limit) {
                            limit = visit(slot);
                        }
                    }
                    break;
                }
                let [left, right] = branch.children(at).map(|child| {
                    (
                        child,
                        squared_distance(&self.branches[child as usize].bounds, point),
                    )
                });
                let (nearer, farther) = if right.1 < left.1 {
                    (right, left)
                } else {
                    (left, right)
                };
                if near(farther.1, limit) {
                    waiting[count] = farther;
                    count += 1;
                }
                (at, bound) = nearer;
            }
        }
    }

    /// Every pair of boxes that touch and for which `test` answers yes, once, by their numbers and in an
    /// order that does not depend on the number of threads. The search ends early, likewise whatever the
    /// number of threads, once it has found `limit` pairs or a few more.
    pub(crate) fn pairs_where(
        &self,
        limit: usize,
        test: impl Fn(u32, u32) -> bool + Sync,
    ) -> Vec<[u32; 2]> {
        let search = |chunk: usize| {
            let mut found = Vec::new();
            let end = self.len().min((chunk + 1) * CHUNK);
            for slot in chunk * CHUNK..end {
                self.pairs_after(slot, &test, &mut found);
                if found.len() >= limit {
                    break;
                }
            }
            found
        };
        let chunks = self.len().div_ceil(CHUNK);
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

    /// Tests one box against those in later slots.
    fn pairs_after(&self, slot: usize, test: impl Fn(u32, u32) -> bool, found: &mut Vec<[u32; 2]>) {
        let (index, bounds) = (self.order[slot], &self.boxes[slot]);
        let keep = |at: u32| {
            let branch = &self.branches[at as usize];
            branch.end as usize > slot + 1 && branch.bounds.touches(bounds)
        };
        self.walk(keep, |later| {
            let other = self.order[later];
            if later > slot && self.boxes[later].touches(bounds) && test(index, other) {
                found.push([index, other]);
            }
        });
    }
}

/// Squared distance from a point to a box; infinite if the box is empty.
#[inline(always)]
fn squared_distance(bounds: &Bounds, point: Vec3A) -> f32 {
    let outside = (bounds.low - point).max(point - bounds.high);
    outside.max(Vec3A::ZERO).length_squared()
}
