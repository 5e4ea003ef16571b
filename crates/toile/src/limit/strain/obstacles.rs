//! Obstacles among the sweeps: after each of them nodes that went inside are put back on the surface, with
//! friction.

use crate::limit::Obstacle;
use crate::linalg::Filter;
use glam::DVec3;
use std::ops::Range;

/// An obstacle and what it has done to its node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guard {
    obstacle: Obstacle,
    /// Where the node was when the limit began (m).
    before: DVec3,
    /// The way that the obstacle has moved it by (m).
    moved: DVec3,
}

/// Takes up the obstacles of free nodes in a range.
pub(super) fn begin(
    guards: &mut Vec<Guard>,
    obstacles: &[Obstacle],
    nodes: Range<usize>,
    filters: &[Filter],
    positions: &[DVec3],
) {
    let node = |o: &Obstacle| o.node as usize;
    let ours = |o: &&Obstacle| nodes.contains(&node(o)) && filters[node(o)] == Filter::Free;
    guards.clear();
    guards.extend(obstacles.iter().filter(ours).map(|obstacle| Guard {
        obstacle: *obstacle,
        before: positions[node(obstacle)],
        moved: DVec3::ZERO,
    }));
}

/// Puts nodes that are inside back on the surface, and takes from their slip what Coulomb friction takes of
/// such a push.
pub(super) fn keep_out(guards: &mut [Guard], positions: &mut [DVec3]) {
    for guard in guards {
        let Obstacle { normal, gap, .. } = guard.obstacle;
        let position = &mut positions[guard.obstacle.node as usize];
        let way = *position - guard.before;
        let depth = -(gap + normal.dot(way));
        if depth <= 0.0 {
            continue;
        }
        let slip = (guard.obstacle.slip + way).reject_from_normalized(normal);
        let push = depth * normal - slip.clamp_length_max(guard.obstacle.friction * depth);
        *position += push;
        guard.moved += push;
    }
}

/// Node and way (m) of what was moved.
pub(super) fn moved(guards: &[Guard]) -> impl Iterator<Item = (u32, DVec3)> {
    guards
        .iter()
        .map(|guard| (guard.obstacle.node, guard.moved))
}
