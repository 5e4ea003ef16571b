//! Impact zones as the last resort of contact.

use super::{ClothContact, ContactReport, ContactStep};
use crate::contact::Candidate;
use crate::contact::collide::collide;
use crate::contact::impact_zone::{BodiesInTheWay, ZoneReport};
use crate::contact::load::{Given, book};
use glam::DVec3;

/// Rounds of growing zones, a guard against endless loops: each round joins at least two zones, and few are
/// ever needed.
const ZONE_ROUNDS: u32 = 200;

/// A body is in a zone's way if it would move a node of it by more than this part of the node's offset; less is rounding.
const TOUCHED: f64 = 1e-3;

impl ClothContact {
    /// The last resort.
    pub(super) fn join_zones(&mut self, step: &ContactStep, report: &mut ContactReport) {
        self.before_zones.copy_from_slice(&self.ends);
        let mut zones = ZoneReport::default();
        for _ in 0..ZONE_ROUNDS {
            let mut joined = false;
            for pair in self.pairs.iter().filter(|p| p.impact.is_some()) {
                joined |= self.zones.join(&pair.nodes, step.starts.len());
            }
            // Zones that cannot grow any more do not help.
            if !joined {
                break;
            }
            zones = self.zones.apply(
                step.starts,
                &self.before_zones,
                &step.mobility,
                &mut self.ends,
            );
            report.rounds += 1;
            let bodies = Bodies {
                step,
                traced: &mut self.traced,
            };
            let (starts, mobility) = (step.starts, &step.mobility);
            let caught = self
                .zones
                .follow_bodies(starts, mobility, &mut self.ends, bodies);
            self.refresh(step);
            self.look(step, false);
            // Detection may see an impact where features are so near that it cannot tell; within a rigid
            // piece there is none.
            let zones_of_step = &self.zones;
            for pair in &mut self.pairs {
                if pair.impact.is_some() && zones_of_step.moved_as_one(&pair.nodes) {
                    pair.impact = None;
                }
            }
            let missed = self.pairs.iter().filter(|p| p.impact.is_some()).count();
            report.missed = missed + caught;
            if missed == 0 {
                break;
            }
        }
        report.largest_zone = zones.largest;
    }
}

/// The bodies of a step, as zones ask about them.
struct Bodies<'a> {
    step: &'a ContactStep<'a>,
    traced: &'a mut [Given],
}

impl BodiesInTheWay for Bodies<'_> {
    fn stop(&self, node: u32, end: DVec3) -> Option<usize> {
        let ContactStep { around, h, .. } = *self.step;
        let (i, start) = (node as usize, self.step.starts[node as usize]);
        let candidate = Candidate {
            position: end,
            velocity: (end - start) / h,
        };
        let (mut first, offset) = (None, around.offsets[i]);
        let met = |body: usize, _: &Candidate, _: &Candidate| {
            first.get_or_insert(body);
        };
        let way = collide(&around.bodies, i, start, candidate, offset, h, met);
        let body = first.filter(|_| way.position.distance(end) > TOUCHED * offset)?;
        // What is in a body already is on its way out, and the body is not in that way.
        let surface = &around.bodies[body];
        let distance = |at: DVec3| surface.way_out(at, offset).map(|sample| sample.distance);
        let before = distance(surface.carry(start))?;
        let is_leaving = before < offset && distance(end).is_none_or(|after| after >= before);
        (before >= 0.0 && !is_leaving).then_some(body)
    }

    fn carry(&self, body: usize, node: u32) -> DVec3 {
        let start = self.step.starts[node as usize];
        self.step.around.bodies[body].carry(start)
    }

    fn pushes(&mut self, body: usize, node: u32, way: DVec3) {
        book(&mut self.traced[node as usize], body, way);
    }
}
