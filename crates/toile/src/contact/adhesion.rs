//! Dynamic sticking (Bridson, Marino and Fedkiw 2003, section 6): cloth that touches a sticky place moves with it until it is let go.
//!
//! An [`Adhesion`] says which nodes stick to which part of which bodies, when, and how strongly. A node that touches such a place
//! while the adhesion is at work is caught where it is: its place in the body's frame is its anchor, and it rides on it, with all
//! integrators and limits, like a pinned node. (The paper pulls the node to its anchor by a spring, which an explicit scheme needs; here a node is held
//! where a stiff spring would have it.) It is let go when
//!
//! * the adhesion's time is over, or a pin takes the node;
//! * it is pulled too strongly. To hold it takes the force `R = m Δv/h − F`, with `F` what cloth, gravity and air do to it as the step begins and
//!   `Δv` the change of its velocity. The surface pushes by itself, and holds `μₛ` times that by friction; what is left for the
//!   adhesion is
//!
//!   `√( max(0, −R_N)² + max(0, |R_T| − μₛ max(0, R_N))² )`,
//!
//!   and the most that it bears is its strength (N/m²) times the node's share of the cloth's area. What would be torn off at once is not
//!   caught. So nodes come off and are caught again as often as the forces have it, and nothing but the anchors has to be remembered.
//!
//! `F` does not know of limits: what constraints of length pull is not in it.

mod drive;

pub(crate) use drive::drive_stuck;

use crate::drive::Interval;
use glam::DVec3;
use thiserror::Error;

/// What sticks to what.
#[derive(Clone, Debug, PartialEq)]
pub struct Adhesion {
    /// The nodes that stick, numbered over the whole world, in rising order; all of them if `None`.
    pub nodes: Option<Vec<u32>>,
    /// The body that they stick to, by number; any if `None`.
    pub body: Option<usize>,
    /// The part of the body, in its own frame.
    pub region: Region,
    /// When; in order, without overlap.
    pub during: Vec<Interval>,
    /// What it bears (N/m²); infinite for nodes that only time lets go.
    pub strength: f64,
    /// A node that is this near touches (m), beyond half of the cloth's thickness.
    pub reach: f64,
}

/// A part of a body, in its own frame.
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
    /// Its place in the body's frame (m).
    pub anchor: DVec3,
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

    pub(super) fn check(&self, nodes: usize, bodies: usize) -> Result<(), AdhesionError> {
        let listed = self.nodes.as_deref().unwrap_or_default();
        if let Some(&node) = listed.iter().find(|&&n| n as usize >= nodes) {
            return Err(AdhesionError::NoSuchNode { node });
        }
        if listed.windows(2).any(|w| w[0] >= w[1]) {
            return Err(AdhesionError::Unsorted);
        }
        if let Some(body) = self.body.filter(|&b| b >= bodies) {
            return Err(AdhesionError::NoSuchBody { body });
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
        match self.region {
            Region::Ball { radius, .. } if radius.is_nan() || radius <= 0.0 => bad(
                "the radius of its region",
                radius,
                "a positive number of metres",
            ),
            _ => Ok(()),
        }
    }
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
