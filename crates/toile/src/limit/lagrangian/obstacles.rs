//! Obstacles among the constraints: `gap + n·(x − x̂) ≥ 0` of one node each, with friction.
//!
//! The force out of the obstacle is `t = max(0, λ − k g)`. Friction acts along it, against the slip `s` of
//! the step: `τ = λ_τ + k s`, cut to the length `μ t` (Alart and Curnier 1991). Neither needs a matrix of its
//! own; both add to the diagonal block of their node.

use crate::limit::Obstacle;
use crate::linalg::BlockMatrix;
use glam::{DMat3, DVec3};
use std::ops::Range;

/// Penalty stiffness of an obstacle in the augmented Lagrangian, relative to the mass of its node: an
/// iteration leaves a ten-thousandth of a gap, and the multiplier takes the rest.
const OBSTACLE_STIFFNESS: f64 = 1e4;

/// An obstacle near a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeObstacle {
    node: usize,
    /// The node, counted over the whole world.
    known_as: u32,
    normal: DVec3,
    gap: f64,
    friction: f64,
    grip: Option<f64>,
    slip: DVec3,
    stiffness: f64,
    pushed: f64,
    rubbed: DVec3,
    /// What it did when the matrix was made.
    mode: Mode,
}

/// How an obstacle takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Away,
    Sticking,
    Sliding,
}

/// What an obstacle does at some positions.
struct Action {
    push: f64,
    rub: DVec3,
    mode: Mode,
    /// Length of the friction that would stop the node.
    wanted: f64,
}

impl NodeObstacle {
    /// What must not pull, if the obstacle can only push.
    pub(super) fn multiplier(&self) -> Option<f64> {
        self.grip.is_none().then_some(self.pushed)
    }

    fn act(&self, start: DVec3, here: DVec3) -> Action {
        let step = here - start;
        let gap = self.gap + self.normal.dot(step);
        let push = self.pushed - self.stiffness * gap;
        // With another obstacle at its back the node is pushed either way.
        let (push, held) = match self.grip {
            Some(grip) => (push, grip),
            None => (push.max(0.0), 0.0),
        };
        let slip = self.slip + step;
        let along = slip - slip.dot(self.normal) * self.normal;
        let wanted = self.rubbed + self.stiffness * along;
        let (length, most) = (wanted.length(), self.friction * push.abs() + held);
        let touches = push > 0.0 || self.grip.is_some();
        let mode = match (touches, length <= most) {
            (false, _) => Mode::Away,
            (true, true) => Mode::Sticking,
            (true, false) => Mode::Sliding,
        };
        Action {
            push,
            rub: match mode {
                Mode::Away => DVec3::ZERO,
                Mode::Sticking => wanted,
                Mode::Sliding => wanted * (most / length),
            },
            mode,
            wanted: length,
        }
    }
}

/// Finds the obstacles of a cloth's own nodes; where several name a node, the nearest counts.
pub(super) fn find(
    obstacles: &[Obstacle],
    nodes: &Range<usize>,
    masses: &[f64],
    touches: &mut Vec<NodeObstacle>,
) {
    touches.clear();
    for obstacle in obstacles {
        if !nodes.contains(&(obstacle.node as usize)) {
            continue;
        }
        let node = obstacle.node as usize - nodes.start;
        touches.push(NodeObstacle {
            node,
            known_as: obstacle.node,
            normal: obstacle.normal,
            gap: obstacle.gap,
            friction: obstacle.friction,
            grip: obstacle.grip,
            slip: obstacle.slip,
            stiffness: OBSTACLE_STIFFNESS * masses[node],
            pushed: 0.0,
            rubbed: DVec3::ZERO,
            mode: Mode::Away,
        });
    }
    touches.sort_by(|a, b| a.node.cmp(&b.node).then(a.gap.total_cmp(&b.gap)));
    touches.dedup_by_key(|t| t.node);
}

/// What obstacles push nodes with at some positions: node and impulse (kg·m).
pub(super) fn pushes(
    touches: &[NodeObstacle],
    start: &[DVec3],
    here: &[DVec3],
) -> impl Iterator<Item = (u32, DVec3)> {
    touches.iter().map(|touch| {
        let action = touch.act(start[touch.node], here[touch.node]);
        (touch.known_as, action.push * touch.normal - action.rub)
    })
}

/// `λ = t`, and the same for friction.
pub(super) fn keep_multipliers(touches: &mut [NodeObstacle], start: &[DVec3], here: &[DVec3]) {
    for touch in touches {
        let action = touch.act(start[touch.node], here[touch.node]);
        touch.pushed = action.push;
        touch.rubbed = action.rub;
    }
}

/// The obstacles' part of `L`. Friction has no potential; its forces are taken as they are at the
/// multipliers.
pub(super) fn merit(touches: &[NodeObstacle], start: &[DVec3], here: &[DVec3]) -> f64 {
    let of = |touch: &NodeObstacle| {
        let action = touch.act(start[touch.node], here[touch.node]);
        let normal = action.push.powi(2) - touch.pushed.powi(2);
        // Beyond what friction can hold, its work grows with the way.
        let rub = action.rub.length();
        let along = rub * (2.0 * action.wanted - rub) - touch.rubbed.length_squared();
        let friction = if action.mode == Mode::Away {
            0.0
        } else {
            along
        };
        (normal + friction) / (2.0 * touch.stiffness)
    };
    touches.iter().map(of).sum()
}

/// Whether obstacles take part otherwise than when the matrix was made: the step that it gave is then not the
/// last. With friction, how much they push matters too.
pub(super) fn changed(touches: &[NodeObstacle], start: &[DVec3], here: &[DVec3]) -> bool {
    touches.iter().any(|touch| {
        let action = touch.act(start[touch.node], here[touch.node]);
        action.mode != touch.mode
    })
}

/// Adds the obstacles' forces and stiffness.
pub(super) fn add(
    touches: &mut [NodeObstacle],
    start: &[DVec3],
    here: &[DVec3],
    downhill: &mut [DVec3],
    matrix: &mut BlockMatrix,
) {
    for touch in touches {
        let action = touch.act(start[touch.node], here[touch.node]);
        touch.mode = action.mode;
        if action.mode == Mode::Away {
            continue;
        }
        let n = touch.normal;
        let across = DMat3::from_cols(n * n.x, n * n.y, n * n.z);
        downhill[touch.node] += action.push * n - action.rub;
        let tangent = DMat3::IDENTITY - across;
        // Sliding friction keeps its size: it resists turning the slip, not making it longer.
        let friction = if action.mode == Mode::Sticking {
            touch.stiffness * tangent
        } else {
            let along = action.rub.normalize_or_zero();
            let outer = DMat3::from_cols(along * along.x, along * along.y, along * along.z);
            touch.stiffness * action.rub.length() / action.wanted * (tangent - outer)
        };
        let block = touch.stiffness * across + friction;
        matrix.diagonal[touch.node] += block;
    }
}
