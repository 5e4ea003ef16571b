//! Impact zones as the last resort of contact.

use super::{ClothContact, ContactReport, ContactStep};
use crate::contact::impact_zone::ZoneReport;

/// Rounds of growing zones, a guard against endless loops: each round joins at least two zones, and few are
/// ever needed.
const ZONE_ROUNDS: u32 = 200;

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
            report.missed = self.pairs.iter().filter(|p| p.impact.is_some()).count();
            if report.missed == 0 {
                break;
            }
        }
        report.largest_zone = zones.largest;
    }
}
