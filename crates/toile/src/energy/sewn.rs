//! Which nodes are sewn together: contact near a seam leaves them to it.
//!
//! The edges of a closed seam lie on each other, which contact would not allow. Nodes that are sewn to each
//! other count as one there, and a node that is sewn to a point of an edge as a neighbour of the edge's ends:
//! features of such nodes are no more kept apart than features with a node in common, and their faces may
//! touch. That is all that is let go. Features that touch the seam in other stitches, or not at all, meet as
//! always. A seam that leaves a gap of at least the thickness needs none of this, and has full contact.

use crate::energy::Seam;
use std::collections::HashSet;

/// Nodes that are sewn together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sewn {
    /// For each node the first of those that are sewn to it, directly or through others; empty without seams.
    leaders: Vec<u32>,
    /// Whether it is in any seam.
    in_seam: Vec<bool>,
    /// Leaders that are neighbours, the lower first.
    neighbours: HashSet<[u32; 2]>,
}

impl Sewn {
    /// What some seams join, among so many nodes.
    pub fn new<'a>(nodes: usize, seams: impl Iterator<Item = &'a Seam> + Clone) -> Self {
        if seams.clone().next().is_none() {
            return Sewn::default();
        }
        let mut sewn = Sewn {
            leaders: (0..nodes as u32).collect(),
            in_seam: vec![false; nodes],
            neighbours: HashSet::new(),
        };
        for [a, b] in seams.clone().flat_map(Seam::joined) {
            sewn.mark(&[a, b]);
            let (a, b) = (sewn.leader(a), sewn.leader(b));
            sewn.leaders[a.max(b) as usize] = a.min(b);
        }
        for node in 0..nodes as u32 {
            sewn.leaders[node as usize] = sewn.leader(node);
        }
        for [node, a, b] in seams.flat_map(Seam::attached) {
            sewn.mark(&[node, a, b]);
            for end in [a, b] {
                let pair = sorted([node, end].map(|n| sewn.leaders[n as usize]));
                sewn.neighbours.insert(pair);
            }
        }
        sewn
    }

    fn mark(&mut self, nodes: &[u32]) {
        for &node in nodes {
            self.in_seam[node as usize] = true;
        }
    }

    fn leader(&self, mut node: u32) -> u32 {
        while self.leaders[node as usize] != node {
            node = self.leaders[node as usize];
        }
        node
    }

    pub fn is_empty(&self) -> bool {
        self.leaders.is_empty()
    }

    /// Whether features or faces with these nodes are sewn together.
    pub fn join(&self, one: &[u32], other: &[u32]) -> bool {
        if self.is_empty() {
            return false;
        }
        let in_seam = |n: &&u32| self.in_seam[**n as usize];
        one.iter().filter(in_seam).any(|&a| {
            other.iter().filter(in_seam).any(|&b| {
                let pair = [a, b].map(|n| self.leaders[n as usize]);
                pair[0] == pair[1] || self.neighbours.contains(&sorted(pair))
            })
        })
    }
}

fn sorted([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::energy::{Closing, SeamPath, Thread};
    use glam::DVec3;

    const THREAD: Thread = Thread {
        closing: Closing {
            from: 0.0,
            until: 1.0,
        },
        gap: 0.0,
        stiffness: 1e4,
        damping_time: 0.0,
    };

    fn seam(a: &[u32], b: &[u32]) -> Seam {
        let path = |nodes: &[u32]| SeamPath {
            nodes: nodes.to_vec(),
            places: (0..nodes.len()).map(|k| k as f64).collect(),
        };
        Seam::sew(&[path(a), path(b)], &[DVec3::ZERO; 20], THREAD).unwrap()
    }

    #[test]
    fn stitched_nodes_are_one_and_through_others_too() {
        // Three panels meet at the nodes 1, 4 and 7.
        let seams = [seam(&[0, 1], &[3, 4]), seam(&[4, 5], &[7, 8])];
        let sewn = Sewn::new(20, seams.iter());
        assert!(sewn.join(&[1], &[4]) && sewn.join(&[1], &[7]) && sewn.join(&[9, 0], &[3, 11]));
        assert!(!sewn.join(&[0], &[4]) && !sewn.join(&[0], &[1, 2]) && !sewn.join(&[10], &[11]));
        assert!(!sewn.join(&[0, 9], &[8]));
    }

    #[test]
    fn a_point_of_an_edge_is_next_to_its_ends_only() {
        let seams = [seam(&[0, 1, 2], &[10, 11, 12, 13])];
        let sewn = Sewn::new(20, seams.iter());
        // Node 1 lies between 11 and 12.
        assert!(sewn.join(&[1], &[11]) && sewn.join(&[12], &[1]));
        assert!(!sewn.join(&[1], &[10]) && !sewn.join(&[1], &[13]));
        assert!(sewn.join(&[11], &[0]) && sewn.join(&[11], &[1]) && !sewn.join(&[11], &[2]));
    }

    #[test]
    fn without_seams_nothing_is_joined() {
        let sewn = Sewn::new(5, [].iter());
        assert!(sewn.is_empty() && !sewn.join(&[0], &[0]));
    }
}
