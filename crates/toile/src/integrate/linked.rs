//! Which cloths push each other, so that their momentum is kept as one.

use crate::model::Model;

/// For each cloth the first of those that it is linked with: by seams, and by pairs of nodes that push each other.
pub(super) fn link_cloths(
    model: &Model,
    pairs: impl Iterator<Item = [u32; 2]>,
    linked: &mut Vec<usize>,
) {
    linked.clear();
    linked.extend(0..model.cloths.len());
    if model.cloths.len() < 2 {
        return;
    }
    let cloth_of = |node: u32| {
        let node = node as usize;
        model.cloths.partition_point(|c| c.nodes.end <= node)
    };
    let pushed = pairs.map(|pair| pair.map(cloth_of));
    for [a, b] in model.sewn_cloths.iter().copied().chain(pushed) {
        let (a, b) = (linked[a], linked[b]);
        if a != b {
            let (keep, gone) = (a.min(b), a.max(b));
            for leader in linked.iter_mut().filter(|leader| **leader == gone) {
                *leader = keep;
            }
        }
    }
}
