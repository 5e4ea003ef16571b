//! Two features of cloth, and when they meet.

use super::{ContactStep, LEAST_KEPT};
use crate::contact::response::{Contact, Mobility};
use crate::contact::surface::Surface;
use crate::contact::tangle::Tangle;
use crate::geometry::ccd;
use crate::geometry::closest::{self, Closest};
use glam::DVec3;

/// Two features that may meet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub nodes: [u32; 4],
    pub is_edges: bool,
    /// Distance at the start (m).
    pub start: f64,
    /// Distance that the two keep (m).
    pub thickness: f64,
    /// When they come too near, if so; of the last detection.
    pub impact: Option<f64>,
}

impl Surface {
    /// A contact of two features where they meet on the way to these ends, if they do.
    pub(super) fn impact(
        &self,
        pair: &Pair,
        step: &ContactStep,
        ends: &[DVec3],
        bound: f64,
    ) -> Option<Contact> {
        let time = pair.impact?;
        let (starts, ends) = (pair.at(step.starts), pair.at(ends));
        let there = std::array::from_fn(|k| starts[k].lerp(ends[k], time));
        self.contact(pair, &pair.closest(&there), bound, &step.mobility)
    }

    pub(super) fn contact(
        &self,
        pair: &Pair,
        closest: &Closest,
        bound: f64,
        mobility: &Mobility,
    ) -> Option<Contact> {
        let other = pair.nodes[if pair.is_edges { 2 } else { 1 }];
        let friction = self.friction_between(pair.nodes[0], other);
        Contact::new(pair.nodes, closest, bound, friction, mobility)
    }
}

impl Pair {
    pub(super) fn at(&self, positions: &[DVec3]) -> [DVec3; 4] {
        self.nodes.map(|n| positions[n as usize])
    }

    /// Whether nothing is to push the two apart, because it might be the wrong way.
    pub(super) fn is_astray(&self, tangle: &Option<Tangle>) -> bool {
        let tangle = tangle.as_ref();
        tangle.is_some_and(|tangle| tangle.is_astray(&self.nodes))
    }

    pub(super) fn closest(&self, nodes: &[DVec3; 4]) -> Closest {
        if self.is_edges {
            closest::edge_edge(nodes)
        } else {
            closest::point_triangle(nodes)
        }
    }

    /// When the two come nearer than `kept` (m) on the way to these ends.
    pub(super) fn find_impact(&self, step: &ContactStep, ends: &[DVec3], kept: f64) -> Option<f64> {
        let (starts, ends) = (self.at(step.starts), self.at(ends));
        // No faster than the fastest node of one against any of the other; far enough apart for rounding not
        // to matter.
        let ways: [DVec3; 4] = std::array::from_fn(|k| ends[k] - starts[k]);
        let first = if self.is_edges { 2 } else { 1 };
        let (ours, theirs) = ways.split_at(first);
        let speeds = ours
            .iter()
            .flat_map(|a| theirs.iter().map(move |b| a.distance_squared(*b)));
        let fastest = speeds.fold(0.0, f64::max).sqrt();
        if self.start - fastest > kept + LEAST_KEPT * self.start.min(self.thickness) {
            return None;
        }
        if self.is_edges {
            ccd::edge_edge_within(&starts, &ends, kept)
        } else {
            ccd::point_triangle_within(&starts, &ends, kept)
        }
    }
}
