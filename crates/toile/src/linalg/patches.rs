//! Compact patches of nodes, for the coarse space of the preconditioner.
//!
//! The graph of the matrix is all that is looked at, so any mesh will do, and nodes that nothing connects
//! never share a patch. Patches are grown greedily and then rounded off as in Lloyd's algorithm (on graphs:
//! Bell 2008): every patch chooses its most central node, and every node joins the nearest centre.

use super::BlockPattern;
use std::collections::VecDeque;

/// Neighbours of every node, on both sides of the diagonal.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    starts: Vec<u32>,
    neighbours: Vec<u32>,
}

impl Graph {
    /// From pairs of different nodes, each pair once.
    pub(super) fn new(nodes: usize, pairs: impl Iterator<Item = [u32; 2]> + Clone) -> Self {
        let mut starts = vec![0u32; nodes + 1];
        for node in pairs.clone().flatten() {
            starts[node as usize + 1] += 1;
        }
        for node in 0..nodes {
            starts[node + 1] += starts[node];
        }
        let mut next = starts.clone();
        let mut neighbours = vec![0; starts[nodes] as usize];
        for [a, b] in pairs {
            for (from, to) in [(a, b), (b, a)] {
                neighbours[next[from as usize] as usize] = to;
                next[from as usize] += 1;
            }
        }
        Graph { starts, neighbours }
    }

    /// The graph of a matrix.
    pub(super) fn of_pattern(pattern: &BlockPattern) -> Self {
        let rows = 0..pattern.rows();
        let pairs = rows.flat_map(|row| {
            let columns = &pattern.columns[pattern.row(row)];
            columns.iter().map(move |&column| [row as u32, column])
        });
        Graph::new(pattern.rows(), pairs)
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub(super) fn neighbours(&self, node: usize) -> &[u32] {
        &self.neighbours[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    /// All nodes, each component from a far end of it to the other: neighbours get near numbers.
    pub(super) fn breadth_first(&self) -> Vec<u32> {
        let mut order = Vec::with_capacity(self.len());
        let mut seen = vec![false; self.len()];
        let mut probe = vec![false; self.len()];
        for node in 0..self.len() {
            if seen[node] {
                continue;
            }
            let mut component = Vec::new();
            self.walk(node as u32, &mut probe, &mut component);
            let far = component.last().map_or(node as u32, |&last| last);
            self.walk(far, &mut seen, &mut order);
        }
        order
    }

    fn walk(&self, start: u32, seen: &mut [bool], order: &mut Vec<u32>) {
        let mut at = order.len();
        order.push(start);
        seen[start as usize] = true;
        while let Some(&node) = order.get(at) {
            for &next in self.neighbours(node as usize) {
                if !seen[next as usize] {
                    seen[next as usize] = true;
                    order.push(next);
                }
            }
            at += 1;
        }
    }
}

const NONE: u32 = u32::MAX;
/// Rounds of Lloyd's algorithm; the patches hardly change after these. Made once for a mesh.
const LLOYD_ROUNDS: usize = 4;

/// The patch of every node, numbered so that neighbours have near numbers, and how many patches there are.
pub(super) fn patches(graph: &Graph, size: usize) -> (Vec<u32>, usize) {
    let (mut patch_of, mut count) = grow(graph, size);
    for _ in 0..LLOYD_ROUNDS {
        let centres = centres(graph, &patch_of, count);
        patch_of = nearest(graph, &centres);
        count = centres.len();
    }
    number(graph, &mut patch_of, count);
    (patch_of, count)
}

/// Numbers patches so that neighbours have near numbers.
pub(super) fn number(graph: &Graph, patch_of: &mut [u32], count: usize) {
    let neighbours = (0..graph.len()).flat_map(|node| {
        let here = patch_of[node];
        let others = graph.neighbours(node).iter();
        let patch_of = &*patch_of;
        others.map(move |&other| [here, patch_of[other as usize]])
    });
    let mut pairs: Vec<[u32; 2]> = neighbours.filter(|[a, b]| a < b).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let order = Graph::new(count, pairs.into_iter()).breadth_first();
    let mut numbers = vec![0; count];
    for (new, &old) in order.iter().enumerate() {
        numbers[old as usize] = new as u32;
    }
    for patch in patch_of {
        *patch = numbers[*patch as usize];
    }
}

/// Patches of about the wanted size, as they come; crumbs join a neighbour.
fn grow(graph: &Graph, size: usize) -> (Vec<u32>, usize) {
    let mut patch_of = vec![NONE; graph.len()];
    let mut count = 0;
    let mut members = Vec::new();
    for seed in graph.breadth_first() {
        if patch_of[seed as usize] != NONE {
            continue;
        }
        members.clear();
        members.push(seed);
        patch_of[seed as usize] = count;
        let mut at = 0;
        while let Some(&node) = members.get(at) {
            for &next in graph.neighbours(node as usize) {
                if patch_of[next as usize] == NONE && members.len() < size {
                    patch_of[next as usize] = count;
                    members.push(next);
                }
            }
            at += 1;
        }
        let around = members.iter().flat_map(|&n| graph.neighbours(n as usize));
        let host = around.map(|&n| patch_of[n as usize]).find(|&p| p < count);
        match host {
            Some(host) if members.len() < size / 3 => {
                for &node in &members {
                    patch_of[node as usize] = host;
                }
            }
            _ => count += 1,
        }
    }
    (patch_of, count as usize)
}

/// The node of each patch from which the squared distances to the others add up to the least.
fn centres(graph: &Graph, patch_of: &[u32], count: usize) -> Vec<u32> {
    let mut best = vec![(u64::MAX, NONE); count];
    let mut distance = vec![0u32; graph.len()];
    let mut visited = vec![NONE; graph.len()];
    let mut queue = VecDeque::new();
    for node in 0..graph.len() as u32 {
        let patch = patch_of[node as usize];
        queue.clear();
        queue.push_back(node);
        distance[node as usize] = 0;
        visited[node as usize] = node;
        let mut sum = 0;
        while let Some(at) = queue.pop_front() {
            let d = distance[at as usize];
            sum += u64::from(d) * u64::from(d);
            for &next in graph.neighbours(at as usize) {
                if patch_of[next as usize] == patch && visited[next as usize] != node {
                    visited[next as usize] = node;
                    distance[next as usize] = d + 1;
                    queue.push_back(next);
                }
            }
        }
        let slot = &mut best[patch as usize];
        *slot = (*slot).min((sum, node));
    }
    best.into_iter().map(|(_, node)| node).collect()
}

/// The patch of the nearest centre, for every node.
fn nearest(graph: &Graph, centres: &[u32]) -> Vec<u32> {
    let mut patch_of = vec![NONE; graph.len()];
    let mut queue: VecDeque<u32> = centres.iter().copied().collect();
    for (patch, &centre) in centres.iter().enumerate() {
        patch_of[centre as usize] = patch as u32;
    }
    while let Some(node) = queue.pop_front() {
        for &next in graph.neighbours(node as usize) {
            if patch_of[next as usize] == NONE {
                patch_of[next as usize] = patch_of[node as usize];
                queue.push_back(next);
            }
        }
    }
    patch_of
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two square grids of nodes and a lone node.
    fn two_grids(side: u32) -> Graph {
        let mut pairs = Vec::new();
        for from in [0, side * side] {
            for (x, y) in (0..side).flat_map(|x| (0..side).map(move |y| (x, y))) {
                let at = from + y * side + x;
                pairs.extend((x + 1 < side).then_some([at, at + 1]));
                pairs.extend((y + 1 < side).then_some([at, at + side]));
            }
        }
        Graph::new(2 * (side * side) as usize + 1, pairs.into_iter())
    }

    #[test]
    fn patches_are_connected_of_like_size_and_never_join_two_parts() {
        let side = 40;
        let graph = two_grids(side);
        let (patch_of, count) = patches(&graph, 64);
        assert!((40..=80).contains(&count), "{count} patches for 3201 nodes");
        let mut members = vec![Vec::new(); count];
        for (node, &patch) in patch_of.iter().enumerate() {
            members[patch as usize].push(node as u32);
        }
        let part = |node: u32| node / (side * side);
        for list in members.iter().filter(|list| list.len() > 1) {
            assert!((15..=150).contains(&list.len()), "{} nodes", list.len());
            assert!(list.iter().all(|&n| part(n) == part(list[0])));
            let mut reached = vec![list[0]];
            let mut at = 0;
            while let Some(&node) = reached.get(at) {
                for next in graph.neighbours(node as usize) {
                    if list.contains(next) && !reached.contains(next) {
                        reached.push(*next);
                    }
                }
                at += 1;
            }
            assert_eq!(reached.len(), list.len());
        }
        let lone = patch_of[2 * (side * side) as usize];
        assert_eq!(members[lone as usize].len(), 1);
    }

    #[test]
    fn the_order_starts_at_one_end_of_a_chain_and_follows_it() {
        let graph = Graph::new(6, [[3, 1], [1, 5], [5, 0], [0, 4], [4, 2]].into_iter());
        let order = graph.breadth_first();
        assert!(order == [3, 1, 5, 0, 4, 2] || order == [2, 4, 0, 5, 1, 3]);
    }
}
