//! Pins and grasps: groups of nodes that are held and moved.

use super::motion::{check_times, segment};
use super::{MotionError, RigidPath};
use crate::linalg::Filter;
use glam::DVec3;
use std::collections::HashMap;
use thiserror::Error;

/// A time span `[from, to)` (s).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Start (s).
    pub from: f64,
    /// End (s); may be infinite.
    pub to: f64,
}

impl Interval {
    /// All of time.
    pub const ALWAYS: Interval = Interval {
        from: 0.0,
        to: f64::INFINITY,
    };

    /// Whether a time (s) is in it.
    pub fn contains(&self, time: f64) -> bool {
        self.from <= time && time < self.to
    }

    fn overlaps(&self, other: &Interval) -> bool {
        self.from < other.to && other.from < self.to
    }
}

/// Recorded positions of some nodes, joined by straight lines in time.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeTrajectory {
    times: Vec<f64>,
    /// Per time, one position per node (m).
    positions: Vec<Vec<DVec3>>,
}

impl NodeTrajectory {
    /// Checks that times increase and that every time has `nodes` finite positions.
    pub fn new(
        times: Vec<f64>,
        positions: Vec<Vec<DVec3>>,
        nodes: usize,
    ) -> Result<Self, MotionError> {
        check_times(&times, positions.len())?;
        for (index, row) in positions.iter().enumerate() {
            if row.len() != nodes || row.iter().any(|p| !p.is_finite()) {
                return Err(MotionError::NotFinite { index });
            }
        }
        Ok(NodeTrajectory { times, positions })
    }

    /// Where the `node`th of the nodes is at a time (m).
    pub(crate) fn position(&self, node: usize, time: f64) -> DVec3 {
        match segment(&self.times, time) {
            Some((k, s)) => self.positions[k][node].lerp(self.positions[k + 1][node], s),
            None if time <= self.times[0] => self.positions[0][node],
            None => self.positions[self.times.len() - 1][node],
        }
    }
}

/// How held nodes move.
#[derive(Clone, Debug, PartialEq)]
pub enum PinPath {
    /// They ride on a rigid frame, each from wherever it was when it was grasped.
    Carried(RigidPath),
    /// Each follows its own recorded positions.
    Recorded(NodeTrajectory),
}

/// A group of nodes that is held during some intervals.
#[derive(Clone, Debug, PartialEq)]
pub struct Pin {
    /// The nodes, numbered over the whole world.
    pub nodes: Vec<u32>,
    /// How they move while held.
    pub path: PinPath,
    /// When they are held; in order, without overlap.
    pub held: Vec<Interval>,
    /// Which way they may slide while held.
    pub slide: Slide,
}

/// Which way held nodes may slide. Directions are fixed in space and unit vectors.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Slide {
    /// Nowhere.
    #[default]
    Nowhere,
    /// Along a line through the target.
    Line(DVec3),
    /// In the plane through the target with this normal.
    Plane(DVec3),
}

impl Slide {
    /// The directions left to the node.
    pub(crate) fn filter(&self) -> Filter {
        match *self {
            Slide::Nowhere => Filter::Held,
            Slide::Line(direction) => Filter::Line(direction),
            Slide::Plane(normal) => Filter::Sliding(normal),
        }
    }
}

/// Pins that contradict each other or themselves.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum PinError {
    /// Two pins hold one node at the same time.
    #[error(
        "node {node} is held by pin {first} and pin {second} at the same time; give them separate `held` intervals"
    )]
    HeldTwice {
        /// The node.
        node: u32,
        /// The earlier pin (counted from 0).
        first: usize,
        /// The later pin.
        second: usize,
    },
    /// An interval that ends before it starts, or intervals out of order.
    #[error(
        "pin {pin}: the intervals during which it holds must be in order, each ending after it starts"
    )]
    BadIntervals {
        /// The pin (counted from 0).
        pin: usize,
    },
    /// The pin names a node that is not there.
    #[error("pin {pin} names node {node}, but there are only {nodes}")]
    NoSuchNode {
        /// The pin (counted from 0).
        pin: usize,
        /// The node.
        node: u32,
        /// Number of nodes.
        nodes: usize,
    },
}

/// What a checkpoint must know of a pin: where in the moving frame each held node was grasped.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct PinState {
    /// Which of the pin's intervals the anchors belong to; `None` while it holds nothing.
    pub interval: Option<u32>,
    /// Position of each node in the carrying frame (m); empty for recorded paths and while released.
    pub anchors: Vec<DVec3>,
}

impl Pin {
    /// Which of its intervals a time (s) is in.
    pub(crate) fn interval_at(&self, time: f64) -> Option<u32> {
        let found = self.held.iter().position(|i| i.contains(time));
        found.map(|k| k as u32)
    }

    /// Whether it holds its nodes at a time (s).
    pub fn is_held_at(&self, time: f64) -> bool {
        self.interval_at(time).is_some()
    }

    fn overlaps(&self, other: &Pin) -> bool {
        let meets = |a: &Interval| other.held.iter().any(|b| a.overlaps(b));
        self.held.iter().any(meets)
    }
}

pub(crate) fn check_pins(pins: &[Pin], node_count: usize) -> Result<(), PinError> {
    let mut pins_of_node: HashMap<u32, Vec<usize>> = HashMap::new();
    for (index, pin) in pins.iter().enumerate() {
        if let Some(&node) = pin.nodes.iter().find(|&&n| n as usize >= node_count) {
            return Err(PinError::NoSuchNode {
                pin: index,
                node,
                nodes: node_count,
            });
        }
        let ends_after = |i: &Interval| i.from < i.to && i.from.is_finite();
        let ordered = pin.held.windows(2).all(|w| w[0].to <= w[1].from);
        if !ordered || !pin.held.iter().all(ends_after) {
            return Err(PinError::BadIntervals { pin: index });
        }
        for &node in &pin.nodes {
            let others = pins_of_node.entry(node).or_default();
            let clash = |&&earlier: &&usize| pin.overlaps(&pins[earlier]);
            if let Some(&first) = others.iter().find(clash) {
                return Err(PinError::HeldTwice {
                    node,
                    first,
                    second: index,
                });
            }
            others.push(index);
        }
    }
    Ok(())
}
