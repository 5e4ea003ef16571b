//! Edges of a triangle list: who shares them, which way round, and the loops where the surface is open.

use std::collections::VecDeque;

/// One side of a triangle, as its undirected edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    /// The edge's nodes, the smaller first.
    edge: [u32; 2],
    triangle: u32,
    /// Whether the triangle runs from the smaller node to the larger.
    forward: bool,
}

/// All sides, those of the same edge next to each other.
fn sorted_sides(triangles: &[[u32; 3]]) -> Vec<Side> {
    let mut sides = Vec::with_capacity(3 * triangles.len());
    for (index, triangle) in triangles.iter().enumerate() {
        for k in 0..3 {
            let (from, to) = (triangle[k], triangle[(k + 1) % 3]);
            sides.push(Side {
                edge: [from.min(to), from.max(to)],
                triangle: index as u32,
                forward: from < to,
            });
        }
    }
    sides.sort_unstable();
    sides
}

/// What [`orient`] found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Oriented {
    /// Parts that hang together through edges of two triangles.
    pub parts: usize,
    /// Triangles turned over.
    pub flipped: usize,
}

/// Turns over patches that face the other way than the rest of their part. The more numerous side of a part
/// keeps its orientation, so a part that is inverted as a whole (a cavity, say) stays so.
pub(super) fn orient(triangles: &mut [[u32; 3]]) -> Oriented {
    let sides = sorted_sides(triangles);
    // Up to three neighbours each, and whether they face the other way.
    let mut neighbours = vec![[None; 3]; triangles.len()];
    for pair in sides.chunk_by(|a, b| a.edge == b.edge) {
        if let [a, b] = pair {
            let opposed = a.forward == b.forward;
            for (one, other) in [(a, b), (b, a)] {
                let slots: &mut [_; 3] = &mut neighbours[one.triangle as usize];
                if let Some(slot) = slots.iter_mut().find(|slot| slot.is_none()) {
                    *slot = Some((other.triangle, opposed));
                }
            }
        }
    }
    let mut found = Oriented::default();
    let mut turned: Vec<Option<bool>> = vec![None; triangles.len()];
    for seed in 0..triangles.len() {
        if turned[seed].is_some() {
            continue;
        }
        found.parts += 1;
        turned[seed] = Some(false);
        let (mut part, mut pending) = (vec![seed], VecDeque::from([(seed, false)]));
        while let Some((at, turn)) = pending.pop_front() {
            for &(other, opposed) in neighbours[at].iter().flatten() {
                let other = other as usize;
                if turned[other].is_none() {
                    turned[other] = Some(turn != opposed);
                    part.push(other);
                    pending.push_back((other, turn != opposed));
                }
            }
        }
        let count = part.iter().filter(|&&t| turned[t] == Some(true)).count();
        let minority = 2 * count <= part.len();
        for &triangle in &part {
            if turned[triangle] == Some(minority) {
                triangles[triangle].swap(1, 2);
                found.flipped += 1;
            }
        }
    }
    found
}

/// Directed loops that close the surface, and how many of its edges are open.
///
/// Where the triangles of an edge do not run along it equally often in both directions, the surplus is made
/// good by running the other way. The boundary of a boundary is nothing, so as many of these edges enter
/// a node as leave it, and they always fall into closed loops, whatever the mesh is like.
pub(super) fn closing_loops(triangles: &[[u32; 3]], nodes: usize) -> (Vec<Vec<u32>>, usize) {
    let mut missing: Vec<[u32; 2]> = Vec::new();
    let mut open_edges = 0;
    for shared in sorted_sides(triangles).chunk_by(|a, b| a.edge == b.edge) {
        let [low, high] = shared[0].edge;
        let forward = shared.iter().filter(|side| side.forward).count();
        let backward = shared.len() - forward;
        open_edges += usize::from(forward != backward);
        let back = (backward..forward).map(|_| [high, low]);
        missing.extend(back);
        missing.extend((forward..backward).map(|_| [low, high]));
    }
    missing.sort_unstable();
    (loops(&missing, nodes), open_edges)
}

/// Takes directed edges, sorted by their start, apart into loops that visit no node twice.
fn loops(edges: &[[u32; 2]], nodes: usize) -> Vec<Vec<u32>> {
    // The next unused edge of each node that has any.
    let mut next = vec![u32::MAX; nodes];
    for (index, [from, _]) in edges.iter().enumerate().rev() {
        next[*from as usize] = index as u32;
    }
    let mut at_step = vec![u32::MAX; nodes];
    let mut found = Vec::new();
    for &[start, _] in edges {
        let (mut path, mut node) = (Vec::new(), start);
        loop {
            let step = at_step[node as usize];
            if step != u32::MAX {
                // Back on the own path: what lies in between is a loop.
                let closed: Vec<u32> = path.split_off(step as usize);
                for &passed in &closed {
                    at_step[passed as usize] = u32::MAX;
                }
                found.push(closed);
            }
            let edge = next[node as usize] as usize;
            match edges.get(edge) {
                Some(&[from, to]) if from == node => {
                    next[node as usize] = edge as u32 + 1;
                    at_step[node as usize] = path.len() as u32;
                    path.push(node);
                    node = to;
                }
                _ => break,
            }
        }
    }
    found
}
