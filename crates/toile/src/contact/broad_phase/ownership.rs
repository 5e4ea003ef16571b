//! Which triangle speaks for which node and edge.
//!
//! A node is in six triangles and an edge in two, so a search over pairs of triangles meets every pair of a
//! node and a triangle six times and every pair of edges four times. If each node and each edge is owned by
//! one of its triangles, and a pair of triangles looks only at what the two own, each pair is met exactly
//! once (Curtis, Tamstorf & Manocha 2008). None is missed: the owner's box holds what it owns.

use super::BroadPhaseError;

/// No edge: the mark of a side that a triangle does not own.
const NOT_OWNED: u32 = u32::MAX;

/// A triangle with what it owns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Owner {
    pub corners: [u32; 3],
    /// The edge that is the side from corner `k` to corner `k + 1`, if the triangle owns it.
    sides: [u32; 3],
    /// Bit `k` is set if it owns its `k`-th corner.
    owned_corners: u8,
}

impl Owner {
    /// The nodes it owns.
    #[inline]
    pub fn nodes(&self) -> impl Iterator<Item = u32> {
        let owned = |k: &usize| self.owned_corners >> k & 1 == 1;
        (0..3).filter(owned).map(|k| self.corners[k])
    }

    /// The edges it owns, each with its ends.
    #[inline]
    pub fn edges(&self) -> impl Iterator<Item = (u32, [u32; 2])> {
        let owned = |k: &usize| self.sides[*k] != NOT_OWNED;
        (0..3).filter(owned).map(|k| {
            let ends = [self.corners[k], self.corners[(k + 1) % 3]];
            (self.sides[k], ends)
        })
    }
}

/// Shares out nodes and edges among the triangles they belong to, evenly: to the one that owns the fewest
/// edges so far, and of several to the first.
pub(super) fn assign(
    nodes: usize,
    triangles: &[[u32; 3]],
    edges: &[[u32; 2]],
) -> Result<Vec<Owner>, BroadPhaseError> {
    for (triangle, corners) in triangles.iter().enumerate() {
        if let Some(&node) = corners.iter().find(|v| **v as usize >= nodes) {
            return Err(BroadPhaseError::NoSuchNode {
                triangle,
                node,
                nodes,
            });
        }
    }
    let own_nothing = |&corners| Owner {
        corners,
        sides: [NOT_OWNED; 3],
        owned_corners: 0,
    };
    let mut owners: Vec<_> = triangles.iter().map(own_nothing).collect();
    assign_edges(&mut owners, edges)?;
    let mut owner_of = vec![None; nodes];
    for (t, owner) in owners.iter().enumerate() {
        for (k, &node) in owner.corners.iter().enumerate() {
            let load = owner.edges().count();
            let best = &mut owner_of[node as usize];
            if best.is_none_or(|(least, _, _)| load < least) {
                *best = Some((load, t, k));
            }
        }
    }
    for (_, t, k) in owner_of.into_iter().flatten() {
        owners[t].owned_corners |= 1 << k;
    }
    Ok(owners)
}

/// Gives each edge to one of its triangles.
fn assign_edges(owners: &mut [Owner], edges: &[[u32; 2]]) -> Result<(), BroadPhaseError> {
    let sorted = |[a, b]: [u32; 2]| [a.min(b), a.max(b)];
    let mut sides = Vec::with_capacity(3 * owners.len());
    for (t, owner) in owners.iter().enumerate() {
        let [a, b, c] = owner.corners;
        let around = [[a, b], [b, c], [c, a]].into_iter().enumerate();
        sides.extend(around.map(|(k, side)| (sorted(side), t, k)));
    }
    sides.sort_unstable();
    let mut given = vec![false; sides.len()];
    for (edge, &ends) in edges.iter().enumerate() {
        let key = sorted(ends);
        let first = sides.partition_point(|(side, _, _)| *side < key);
        let around = sides[first..]
            .iter()
            .take_while(|(side, _, _)| *side == key);
        let best = around.min_by_key(|(_, t, _)| owners[*t].edges().count());
        let Some(&(_, t, k)) = best.filter(|_| !given[first]) else {
            return Err(BroadPhaseError::LooseEdge { edge, ends });
        };
        given[first] = true;
        owners[t].sides[k] = edge as u32;
    }
    Ok(())
}
