//! Contacts inside an implicit solve.
//!
//! A solve that does not know of a table lets the cloth on it fall freely and so transmits no tension to what hangs
//! over the edge; stopping the nodes afterwards comes too late. Nodes that touch, or are forecast to touch
//! before the step ends (`φ + h (v − v_o)·N + h² g·N ≤ 0`), therefore enter the solve as constraints
//! (Baraff and Witkin 1998): first held to the surface, then, by the reaction `r` that this needs, either
//! kept (`|r_T| ≤ μ r_N`), let slide along the surface against the friction `μ r_N`, or let go (`r_N < 0`).

use super::Placement;
use super::body::sample_at;
use crate::linalg::Filter;
use glam::DVec3;

/// What a supported node is doing.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Hold {
    /// It moves with the surface.
    Stick,
    /// It moves along the surface, under this impulse of friction (N·s).
    Slide(DVec3),
    /// It leaves.
    Free,
}

/// A node supported by a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Support {
    /// The node.
    pub node: usize,
    /// Outward normal of the body.
    normal: DVec3,
    /// Velocity that brings the node onto the surface and carries it along (m/s).
    velocity: DVec3,
    friction: f64,
    hold: Hold,
}

/// Gaps below this count as touching (m).
const TOUCHING: f64 = 1e-7;

/// A node let go that approaches the surface faster than this (m/s) needs its support again.
const SINKING: f64 = 1e-4;

/// The support of one node, if it needs any. Among several bodies the one it would sink into deepest.
pub(crate) fn find_support(
    bodies: &[Placement],
    node: usize,
    position: DVec3,
    velocity: DVec3,
    gravity: DVec3,
    offset: f64,
    h: f64,
) -> Option<Support> {
    let forecast = bodies.iter().filter_map(|body| {
        let sample = sample_at(&body.shape, &body.start, position);
        let gap = sample.distance - offset;
        let local = body.start.unapply(position);
        let surface = (body.end.apply(local) - position) / h;
        let approach = (velocity + h * gravity - surface).dot(sample.normal);
        let reached = gap + h * approach;
        (gap <= TOUCHING || reached <= 0.0).then_some((
            reached,
            gap,
            surface,
            sample.normal,
            body.friction,
        ))
    });
    let deepest = forecast.min_by(|a, b| a.0.total_cmp(&b.0));
    deepest.map(|(_, gap, surface, normal, friction)| Support {
        node,
        normal,
        // Penetration is not turned into speed; it is taken out of the position afterwards.
        velocity: surface - gap.max(0.0) / h * normal,
        friction,
        hold: Hold::Stick,
    })
}

impl Support {
    /// The directions left to the solve.
    pub fn filter(&self) -> Filter {
        match self.hold {
            Hold::Stick => Filter::Held,
            Hold::Slide(_) => Filter::Sliding(self.normal),
            Hold::Free => Filter::Free,
        }
    }

    /// The change of velocity to start the solve from: as given in the constrained directions, as guessed in
    /// the others.
    pub fn constrain(&self, velocity: DVec3, guess: DVec3) -> DVec3 {
        let wanted = self.velocity - velocity;
        match self.hold {
            Hold::Stick => wanted,
            Hold::Slide(_) => guess + (wanted - guess).dot(self.normal) * self.normal,
            Hold::Free => guess,
        }
    }

    /// Impulse of friction on the node while it slides (N·s).
    pub fn friction_impulse(&self) -> DVec3 {
        match self.hold {
            Hold::Slide(impulse) => impulse,
            _ => DVec3::ZERO,
        }
    }

    /// Judges the reaction (N·s) that the body gave in the last solve; `slip` is the node's velocity relative
    /// to the one that brings it onto the surface. Answers whether the support has to change.
    pub fn revise(&mut self, reaction: DVec3, slip: DVec3) -> bool {
        let push = reaction.dot(self.normal);
        let before = self.hold;
        self.hold = match self.hold {
            // Let go too early: without the support it would sink in.
            Hold::Free if slip.dot(self.normal) < -SINKING => Hold::Slide(DVec3::ZERO),
            Hold::Free => Hold::Free,
            _ if push < 0.0 => Hold::Free,
            Hold::Stick => {
                let drag = reaction - push * self.normal;
                let limit = self.friction * push;
                if drag.length() <= limit {
                    Hold::Stick
                } else {
                    Hold::Slide(drag.normalize_or_zero() * limit)
                }
            }
            Hold::Slide(_) => {
                let along = slip - slip.dot(self.normal) * self.normal;
                Hold::Slide(-along.normalize_or_zero() * self.friction * push)
            }
        };
        match (before, self.hold) {
            // A better estimate of the same friction is worth having but no reason for another round.
            (Hold::Slide(_), Hold::Slide(_)) => false,
            (before, now) => before != now,
        }
    }

    /// Velocity of the surface that the node rests on (m/s).
    pub fn surface_velocity(&self) -> DVec3 {
        self.velocity
    }
}
