//! Obstacles among the sweeps.
//!
//! **Surfaces.** After each sweep nodes that went inside are put back on the surface, with friction.
//!
//! **Between bodies.** A node that is held from both sides stays where the bodies lead it while the impulse along them
//! that takes, `p`, is less than friction can give: `|p| ≤ g + μ |p_n|`, `g` its grip. A light node that were free to
//! move in the sweeps and put back after them would leave its edges as long as they were, and edges that hang from it
//! would never come within bounds. So as long as friction holds it, it has no mobility in the sweeps, and what its
//! edges pull it with is added up and held against that bound. Beyond it the node slides: it moves by what is too
//! much, and the bound is what still pushes it. It sticks again as soon as less is enough (projected Gauss–Seidel for
//! Coulomb's cone, node by node). An edge between two nodes that stick has no mobility at all; of these the one slides
//! that friction holds less ([`Guards::slide`]).

use crate::limit::{LimitStep, Obstacle};
use crate::linalg::Filter;
use glam::DVec3;
use std::ops::Range;

/// The obstacles of a cloth's free nodes during a call.
#[derive(Clone, Debug, Default)]
pub(super) struct Guards {
    each: Vec<Guard>,
    first_node: usize,
    /// Inverse mass of each node of the world (1/kg), none for those that stick between bodies; empty if no node is
    /// between bodies.
    weights: Vec<f64>,
    /// What links have pulled each node of the cloth with since it was last looked at (kg·m); as empty.
    pulls: Vec<DVec3>,
    /// The guard between bodies of each node of the cloth; as empty.
    between: Vec<Option<u32>>,
}

/// An obstacle and what it has done to its node.
#[derive(Clone, Copy, Debug)]
struct Guard {
    obstacle: Obstacle,
    /// Where the node was when the limit began (m).
    before: DVec3,
    /// The way that the obstacle has moved it by (m), or would have if nothing had pulled the other way.
    moved: DVec3,
}

impl Guards {
    /// Takes up the obstacles of free nodes in a range, and puts these nodes outside.
    pub fn begin(
        &mut self,
        obstacles: &[Obstacle],
        nodes: Range<usize>,
        step: &LimitStep,
        positions: &mut [DVec3],
    ) {
        let node = |o: &Obstacle| o.node as usize;
        let ours =
            |o: &&Obstacle| nodes.contains(&node(o)) && step.filters[node(o)] == Filter::Free;
        self.each.clear();
        self.each
            .extend(obstacles.iter().filter(ours).map(|obstacle| Guard {
                obstacle: *obstacle,
                before: positions[node(obstacle)],
                moved: DVec3::ZERO,
            }));
        self.first_node = nodes.start;
        self.weights.clear();
        self.pulls.clear();
        self.between.clear();
        if self.each.iter().any(|guard| guard.obstacle.grip.is_some()) {
            self.weights.extend_from_slice(step.inverse_masses);
            self.pulls.resize(nodes.len(), DVec3::ZERO);
            self.between.resize(nodes.len(), None);
            for (k, guard) in self.each.iter().enumerate() {
                if guard.obstacle.grip.is_some() {
                    self.between[node(&guard.obstacle) - nodes.start] = Some(k as u32);
                }
            }
        }
        self.keep_out(step, positions);
    }

    /// The step as the sweeps see it, and where they add up what they pull nodes with, if anybody asks.
    pub fn seen<'a>(&'a mut self, step: &LimitStep<'a>) -> (LimitStep<'a>, &'a mut [DVec3]) {
        let inverse_masses = match self.weights.is_empty() {
            true => step.inverse_masses,
            false => &self.weights,
        };
        let seen = LimitStep {
            inverse_masses,
            ..*step
        };
        (seen, &mut self.pulls)
    }

    /// Puts nodes that are inside back on the surface, and takes from their slip what Coulomb friction takes of such a
    /// push; holds those between bodies as far as friction does.
    pub fn keep_out(&mut self, step: &LimitStep, positions: &mut [DVec3]) {
        for guard in &mut self.each {
            let node = guard.obstacle.node as usize;
            let position = &mut positions[node];
            let Some(grip) = guard.obstacle.grip else {
                guard.push_out(position);
                continue;
            };
            let weight = step.inverse_masses[node];
            let pull = std::mem::take(&mut self.pulls[node - self.first_node]);
            let sticks = match self.weights[node] {
                // It has not moved yet.
                0.0 => guard.hold(weight * grip, weight * pull, position),
                _ => guard.hold(weight * grip, DVec3::ZERO, position),
            };
            self.weights[node] = if sticks { 0.0 } else { weight };
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.each.len()
    }

    /// The node of a guard, if it sticks between bodies.
    pub fn stuck(&self, guard: usize) -> Option<usize> {
        let node = self.each[guard].obstacle.node as usize;
        (self.weights.get(node) == Some(&0.0)).then_some(node)
    }

    /// The guard of a node, if it sticks between bodies.
    pub fn stuck_at(&self, node: usize) -> Option<usize> {
        let guard = (*self.between.get(node - self.first_node)?)? as usize;
        self.stuck(guard).map(|_| guard)
    }

    /// The most that friction may give to the node of a guard between bodies without a push (kg·m).
    pub fn grip(&self, guard: usize) -> f64 {
        self.each[guard].obstacle.grip.unwrap_or(0.0)
    }

    /// Lets a node that sticks slide by a way (m), as far as that is along the bodies; from then on it sticks there.
    pub fn slide(&mut self, guard: usize, way: DVec3, positions: &mut [DVec3]) {
        let guard = &mut self.each[guard];
        let along = way.reject_from_normalized(guard.obstacle.normal);
        guard.before += along;
        guard.moved += along;
        positions[guard.obstacle.node as usize] += along;
    }

    /// Node and way (m) of what was moved.
    pub fn moved(&self) -> impl Iterator<Item = (u32, DVec3)> {
        self.each
            .iter()
            .map(|guard| (guard.obstacle.node, guard.moved))
    }
}

impl Guard {
    /// Puts a node that is inside back on the surface.
    fn push_out(&mut self, position: &mut DVec3) {
        let Obstacle { normal, gap, .. } = self.obstacle;
        let way = *position - self.before;
        let depth = -(gap + normal.dot(way));
        if depth <= 0.0 {
            return;
        }
        let slip = (self.obstacle.slip + way).reject_from_normalized(normal);
        let push = depth * normal - slip.clamp_length_max(self.obstacle.friction * depth);
        *position += push;
        self.moved += push;
    }

    /// Holds a node between bodies against a pull that would move it by this (m), with friction that can move it by
    /// `grip` (m); answers whether that is enough.
    fn hold(&mut self, grip: f64, pull: DVec3, position: &mut DVec3) -> bool {
        let Obstacle {
            normal,
            friction,
            slip,
            ..
        } = self.obstacle;
        let place = self.before - slip;
        let wanted = self.moved - (*position + pull - place);
        let pushed = wanted.project_onto_normalized(normal);
        let rubbed = wanted - pushed;
        let held = rubbed.clamp_length_max(grip.max(0.0) + friction * pushed.length());
        let sticks = held == rubbed;
        *position = match sticks {
            true => place,
            false => *position + pull + pushed + held - self.moved,
        };
        self.moved = pushed + held;
        sticks
    }
}
