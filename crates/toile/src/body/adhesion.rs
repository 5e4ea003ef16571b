//! Dynamic sticking (Bridson, Marino and Fedkiw 2003, section 6): cloth that touches a sticky place moves
//! with it until it is let go.
//!
//! An [`Adhesion`] says which nodes stick to which part of which bodies, or of cloth, when, and how strongly.
//! A node that touches such a place while the adhesion is at work is caught where it is. (The paper pulls
//! nodes to their anchors by springs that weaken with distance, which an explicit scheme needs; here a node
//! is held where a stiff spring would have it, and its strength is a force.)
//!
//! # On bodies
//! The node's place in the body's frame, or in that of a triangle of a body that deforms, is its [`Anchor`],
//! and it rides on it, with all integrators and limits, like a pinned node. It is let go when
//!
//! * the adhesion's time is over, or a pin takes the node;
//! * it is pulled too strongly. To hold it takes the force `R = m Δv/h − F`, with `F` what cloth, gravity and
//!   air do to it as the step begins and `Δv` the change of its velocity. The surface pushes by itself, and
//!   holds `μₛ` times that by friction; what is left for the adhesion is
//!
//!   `√( max(0, −R_N)² + max(0, |R_T| − μₛ max(0, R_N))² )`,
//!
//!   and the most that it bears is its strength (N/m²) times the node's share of the cloth's area. What would
//!   be torn off at once is not
//!   caught. So nodes come off and are caught again as often as the forces have it, and nothing but the
//!   anchors has to be remembered.
//!
//! `F` does not know of limits: what constraints of length pull is not in it.
//!
//! # On cloth
//! The place in the frame of a face makes a [`Bond`](super::Bond), which is a [tie](crate::contact) between the node and the
//! face's corners: in an implicit solve, and after everything else. Both sides move, and pull each other with
//! what it takes. That is measured, limits included, and what exceeds the strength in one step is torn off in
//! the next, and not caught again before it has come away: else what its neighbours hold would be caught
//! without load, and torn again, by turns. Before it is caught, `R` is estimated as on bodies, with the
//! velocities, the forces and the mass of the one relative to the other.

use crate::drive::Interval;
use glam::DVec3;
use thiserror::Error;

/// What sticks to what.
#[derive(Clone, Debug, PartialEq)]
pub struct Adhesion {
    /// The nodes that stick, numbered over the whole world, in rising order; all of them if `None`.
    pub nodes: Option<Vec<u32>>,
    /// What they stick to.
    pub to: Sticky,
    /// When; in order, without overlap.
    pub during: Vec<Interval>,
    /// What it bears (N/m²); infinite for nodes that only time lets go.
    pub strength: f64,
    /// A node that is this near touches (m), beyond half of the cloth's thickness, and of the other cloth's.
    pub reach: f64,
}

/// Where nodes stick.
#[derive(Clone, Debug, PartialEq)]
pub enum Sticky {
    /// On bodies.
    Body {
        /// Which, by number; any if `None`.
        body: Option<usize>,
        /// The part of it.
        region: Region,
    },
    /// On cloth that may not be passed through.
    Cloth {
        /// On the faces all of whose corners are here: numbered over the whole world, in rising order.
        nodes: Vec<u32>,
    },
}

impl Default for Sticky {
    /// All of every body.
    fn default() -> Self {
        Sticky::Body {
            body: None,
            region: Region::Everywhere,
        }
    }
}

/// A part of a body, in its own frame; of a body that deforms, as it is in its first frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Region {
    /// All of it.
    #[default]
    Everywhere,
    /// What is in a box.
    Box {
        /// Smallest coordinates (m).
        min: DVec3,
        /// Largest coordinates (m).
        max: DVec3,
    },
    /// What is in a ball.
    Ball {
        /// Centre (m).
        center: DVec3,
        /// Radius (m).
        radius: f64,
    },
}

/// A node that sticks to a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stuck {
    /// The node.
    pub node: u32,
    /// The adhesion that caught it.
    pub adhesion: u32,
    /// The body.
    pub body: u32,
    /// Its place on it.
    pub anchor: Anchor,
}

/// A place that moves with a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Anchor {
    /// In the frame of a rigid body (m).
    Frame(DVec3),
    /// At a triangle of a body that deforms.
    Face {
        /// The triangle.
        face: u32,
        /// Weights of its corners at the foot of the place.
        weights: [f64; 3],
        /// From there to the place, in the triangle's frame (m).
        way: DVec3,
    },
}

/// An adhesion that cannot be.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum AdhesionError {
    /// It names a node that is not there.
    #[error("there is no node {node}")]
    NoSuchNode {
        /// The node.
        node: u32,
    },
    /// Nodes are searched for by number.
    #[error("its nodes must be in rising order, each once")]
    Unsorted,
    /// It names a body that is not there.
    #[error("there is no body {body}")]
    NoSuchBody {
        /// The body.
        body: usize,
    },
    /// What passes through each other does not touch.
    #[error("its cloths pass through each other; give them contact, so that they can touch")]
    NoContact,
    /// An interval that ends before it starts, or intervals out of order.
    #[error("its intervals must be in order, each ending after it starts")]
    BadIntervals,
    /// A number is impossible.
    #[error("{what} is {value}; it must be {must}")]
    BadNumber {
        /// What it is.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What it must be.
        must: &'static str,
    },
}

impl Adhesion {
    /// Whether it is at work at a time (s).
    pub fn is_active(&self, time: f64) -> bool {
        self.during.iter().any(|span| span.contains(time))
    }

    /// Whether it can catch this node.
    pub fn catches(&self, node: u32) -> bool {
        let listed = |nodes: &Vec<u32>| nodes.binary_search(&node).is_ok();
        self.nodes.as_ref().is_none_or(listed)
    }

    /// Whether it sticks to cloth.
    pub fn is_on_cloth(&self) -> bool {
        matches!(self.to, Sticky::Cloth { .. })
    }

    /// The most that it bears at a node with this share of its cloth's area (N).
    pub(crate) fn most(&self, area: f64) -> f64 {
        self.strength * area
    }

    pub(super) fn check(&self, nodes: usize, bodies: usize) -> Result<(), AdhesionError> {
        check_nodes(self.nodes.as_deref().unwrap_or_default(), nodes)?;
        match &self.to {
            Sticky::Body {
                body: Some(body), ..
            } if *body >= bodies => {
                return Err(AdhesionError::NoSuchBody { body: *body });
            }
            Sticky::Body { .. } => {}
            Sticky::Cloth { nodes: listed } => check_nodes(listed, nodes)?,
        }
        let ends_after = |i: &Interval| i.from < i.to && i.from.is_finite();
        let ordered = self.during.windows(2).all(|w| w[0].to <= w[1].from);
        if !ordered || !self.during.iter().all(ends_after) {
            return Err(AdhesionError::BadIntervals);
        }
        let bad = |what, value, must| Err(AdhesionError::BadNumber { what, value, must });
        if self.strength.is_nan() || self.strength <= 0.0 {
            return bad("its strength", self.strength, "a positive number of N/m²");
        }
        if !(self.reach >= 0.0 && self.reach.is_finite()) {
            return bad(
                "its reach",
                self.reach,
                "zero or a positive number of metres",
            );
        }
        match self.to {
            Sticky::Body {
                region: Region::Ball { radius, .. },
                ..
            } if radius.is_nan() || radius <= 0.0 => bad(
                "the radius of its region",
                radius,
                "a positive number of metres",
            ),
            _ => Ok(()),
        }
    }
}

fn check_nodes(listed: &[u32], nodes: usize) -> Result<(), AdhesionError> {
    if let Some(&node) = listed.iter().find(|&&n| n as usize >= nodes) {
        return Err(AdhesionError::NoSuchNode { node });
    }
    match listed.windows(2).any(|w| w[0] >= w[1]) {
        true => Err(AdhesionError::Unsorted),
        false => Ok(()),
    }
}

/// What a force on a node leaves to adhesion (N), if the surface below it pushes by itself and holds by
/// friction.
pub(crate) fn left_to_adhesion(force: DVec3, normal: DVec3, friction: f64) -> f64 {
    let along = force.dot(normal);
    let across = (force - along * normal).length();
    let torn = (-along).max(0.0);
    torn.hypot((across - friction * along.max(0.0)).max(0.0))
}

impl Region {
    /// Whether a place in the body's frame belongs to it.
    pub fn contains(&self, place: DVec3) -> bool {
        match *self {
            Region::Everywhere => true,
            Region::Box { min, max } => place.cmpge(min).all() && place.cmple(max).all(),
            Region::Ball { center, radius } => place.distance(center) <= radius,
        }
    }
}
