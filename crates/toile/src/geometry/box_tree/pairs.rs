//! The search for pairs of touching boxes: two subtrees descended at once, on all threads.

use super::BoxTree;
use crate::geometry::Bounds;
use crate::parallel;

/// Into how many tasks a large search is cut. A fixed number, so that the cut does not depend on the threads;
/// enough that tasks of unequal size keep some sixteen threads busy.
const TASKS: usize = 64;
/// Searches over fewer boxes than this stay on the calling thread: waking others takes about as long.
const PARALLEL_FROM: usize = 4096;

/// A box that was found, and the number it goes by.
#[derive(Clone, Copy)]
pub(crate) struct Hit<'a> {
    pub index: u32,
    pub bounds: &'a Bounds,
}

/// Two subtrees to be searched for pairs between them; one and the same for the pairs within it.
#[derive(Clone, Copy, Debug)]
struct Pending {
    trees: [u32; 2],
    branches: [u32; 2],
}

/// A share of the search, with what it has found.
#[derive(Clone, Debug, Default)]
struct Task<F> {
    pending: Vec<Pending>,
    stack: Vec<[u32; 2]>,
    found: F,
}

/// The memory of searches, kept from one to the next so that none has to be asked for again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Search<F> {
    frontier: Vec<Pending>,
    spare: Vec<Pending>,
    tasks: Vec<Task<F>>,
}

impl<F: Default + Send> Search<F> {
    /// Searches pairs of trees, a tree paired with itself for the pairs within it, and calls `visit` once
    /// with each pair of boxes that touch. Subtrees for which `skip(tree, branch)` holds are not searched
    /// within. What was found is then in [`found`](Self::found), cut up in no particular order; `clear`
    /// empties it beforehand.
    pub fn run<'a>(
        &mut self,
        tree: impl Fn(u32) -> &'a BoxTree + Sync,
        pairs: &[[u32; 2]],
        skip: impl Fn(u32, u32) -> bool + Sync,
        clear: impl Fn(&mut F),
        visit: impl Fn(&mut F, Hit, Hit) + Sync,
    ) {
        let boxes = |pair: &[u32; 2]| pair.map(|t| tree(t).len()).iter().sum::<usize>();
        let total: usize = pairs.iter().map(boxes).sum();
        let tasks = if total < PARALLEL_FROM { 1 } else { TASKS };
        if tasks == 1 {
            self.spread(&tree, pairs, &skip, usize::MAX);
        } else {
            self.spread(&tree, pairs, &skip, total / TASKS);
        }
        if self.tasks.len() < tasks {
            self.tasks.resize_with(tasks, Task::default);
        }
        for task in &mut self.tasks {
            task.pending.clear();
            clear(&mut task.found);
        }
        for (k, pending) in self.frontier.iter().enumerate() {
            self.tasks[k % tasks].pending.push(*pending);
        }
        parallel::for_each_task(&mut self.tasks[..tasks], |task| {
            for pending in &task.pending {
                let [a, b] = pending.trees;
                let walk = Walk {
                    trees: [tree(a), tree(b)],
                    same: a == b,
                    skip: |branch| skip(a, branch),
                };
                task.stack.push(pending.branches);
                while let Some(branches) = task.stack.pop() {
                    walk.descend(branches, |pair| task.stack.push(pair));
                    walk.try_leaves(branches, |x, y| visit(&mut task.found, x, y));
                }
            }
        });
    }

    /// What each task of the last search has found.
    pub fn found(&self) -> impl Iterator<Item = &F> + Clone {
        self.tasks.iter().map(|task| &task.found)
    }

    /// Descends from the roots until no pair of subtrees has more than `grain` boxes, so that there is work
    /// for all.
    fn spread<'a>(
        &mut self,
        tree: &impl Fn(u32) -> &'a BoxTree,
        pairs: &[[u32; 2]],
        skip: &impl Fn(u32, u32) -> bool,
        grain: usize,
    ) {
        let roots = pairs
            .iter()
            .filter(|pair| pair.iter().all(|t| !tree(*t).is_empty()));
        self.frontier.clear();
        self.frontier.extend(roots.map(|&trees| Pending {
            trees,
            branches: [0, 0],
        }));
        let mut any_coarse = true;
        while any_coarse {
            any_coarse = false;
            self.spare.clear();
            for &pending in &self.frontier {
                let [a, b] = pending.trees;
                let walk = Walk {
                    trees: [tree(a), tree(b)],
                    same: a == b,
                    skip: |branch| skip(a, branch),
                };
                if walk.count(pending.branches) <= grain || walk.at_leaves(pending.branches) {
                    self.spare.push(pending);
                    continue;
                }
                any_coarse = true;
                walk.descend(pending.branches, |branches| {
                    self.spare.push(Pending {
                        branches,
                        ..pending
                    });
                });
            }
            std::mem::swap(&mut self.frontier, &mut self.spare);
        }
    }
}

/// A descent into two trees, or into the `same` one twice.
struct Walk<'a, S> {
    trees: [&'a BoxTree; 2],
    same: bool,
    skip: S,
}

impl<S: Fn(u32) -> bool> Walk<'_, S> {
    /// How many boxes are below a pair of branches.
    fn count(&self, [a, b]: [u32; 2]) -> usize {
        let [left, right] = self.trees.map(|tree| &tree.branches);
        left[a as usize].count() + right[b as usize].count()
    }

    /// Whether there is nothing below a pair of branches to descend to.
    fn at_leaves(&self, [a, b]: [u32; 2]) -> bool {
        let [left, right] = self.trees.map(|tree| &tree.branches);
        left[a as usize].is_leaf() && right[b as usize].is_leaf()
    }

    /// The pairs of branches one step below that touch.
    #[inline]
    fn descend(&self, [a, b]: [u32; 2], mut next: impl FnMut([u32; 2])) {
        let [left, right] = self.trees.map(|tree| &tree.branches);
        let (branch_a, branch_b) = (&left[a as usize], &right[b as usize]);
        if self.same && a == b {
            if !branch_a.is_leaf() && !(self.skip)(a) {
                let [l, r] = branch_a.children(a);
                next([l, l]);
                next([r, r]);
                if left[l as usize].bounds.touches(&left[r as usize].bounds) {
                    next([l, r]);
                }
            }
            return;
        }
        // The larger is opened first, so that both sides stay about equally large and the test tells most.
        let open_a =
            !branch_a.is_leaf() && (branch_b.is_leaf() || branch_a.count() >= branch_b.count());
        if open_a {
            for child in branch_a.children(a) {
                if left[child as usize].bounds.touches(&branch_b.bounds) {
                    next([child, b]);
                }
            }
        } else if !branch_b.is_leaf() {
            for child in branch_b.children(b) {
                if right[child as usize].bounds.touches(&branch_a.bounds) {
                    next([a, child]);
                }
            }
        }
    }

    /// Tries all boxes of two leaves, or of one with each other.
    #[inline]
    fn try_leaves(&self, [a, b]: [u32; 2], mut visit: impl FnMut(Hit, Hit)) {
        let [left, right] = self.trees;
        let (branch_a, branch_b) = (&left.branches[a as usize], &right.branches[b as usize]);
        if !branch_a.is_leaf() || !branch_b.is_leaf() {
            return;
        }
        let within = self.same && a == b;
        if within && (self.skip)(a) {
            return;
        }
        for i in branch_a.first as usize..branch_a.end as usize {
            let bounds = &left.boxes[i];
            let start = if within {
                i + 1
            } else {
                branch_b.first as usize
            };
            if !bounds.touches(&branch_b.bounds) {
                continue;
            }
            for j in start..branch_b.end as usize {
                if bounds.touches(&right.boxes[j]) {
                    let (x, y) = (left.order[i], right.order[j]);
                    let other = &right.boxes[j];
                    visit(
                        Hit { index: x, bounds },
                        Hit {
                            index: y,
                            bounds: other,
                        },
                    );
                }
            }
        }
    }
}

/// The memory of a search for pairs of boxes, to be kept from one search to the next.
#[derive(Clone, Debug, Default)]
pub struct PairSearch {
    search: Search<Vec<[u32; 2]>>,
    starts: Vec<u32>,
}

impl PairSearch {
    /// Writes to `out` each pair of boxes of a tree that touch, once: the lower number first, in ascending
    /// order.
    pub fn within(&mut self, tree: &BoxTree, out: &mut Vec<[u32; 2]>) {
        let visit = |found: &mut Vec<_>, a: Hit, b: Hit| {
            found.push([a.index.min(b.index), a.index.max(b.index)]);
        };
        self.search
            .run(|_| tree, &[[0, 0]], |_, _| false, Vec::clear, visit);
        let found = self.search.found().map(Vec::as_slice);
        gather(found, tree.len(), &mut self.starts, out);
    }

    /// Writes to `out` each pair of a box of the one tree that touches a box of the other, in ascending
    /// order.
    pub fn between(&mut self, one: &BoxTree, other: &BoxTree, out: &mut Vec<[u32; 2]>) {
        let tree = |t| if t == 0 { one } else { other };
        let visit = |found: &mut Vec<_>, a: Hit, b: Hit| found.push([a.index, b.index]);
        self.search
            .run(tree, &[[0, 1]], |_, _| false, Vec::clear, visit);
        let found = self.search.found().map(Vec::as_slice);
        gather(found, one.len(), &mut self.starts, out);
    }
}

/// Brings pairs whose first number is below `keys` into ascending order: sorted into a drawer for each first
/// number, and then within the drawers, which hold few. `starts` is scratch.
pub(crate) fn gather<'a>(
    pieces: impl Iterator<Item = &'a [[u32; 2]]> + Clone,
    keys: usize,
    starts: &mut Vec<u32>,
    out: &mut Vec<[u32; 2]>,
) {
    starts.clear();
    starts.resize(keys + 1, 0);
    for [key, _] in pieces.clone().flatten() {
        starts[*key as usize + 1] += 1;
    }
    for k in 0..keys {
        starts[k + 1] += starts[k];
    }
    out.clear();
    out.resize(starts[keys] as usize, [0; 2]);
    for pair in pieces.flatten() {
        let place = &mut starts[pair[0] as usize];
        out[*place as usize] = *pair;
        *place += 1;
    }
    // Each start has moved up to the start of the next drawer.
    let mut from = 0;
    for k in 0..keys {
        let to = starts[k] as usize;
        out[from..to].sort_unstable_by_key(|pair| pair[1]);
        from = to;
    }
}
