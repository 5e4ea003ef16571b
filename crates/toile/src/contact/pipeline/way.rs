//! Ways that nodes are to be moved along, cut short where cloth would pass through cloth.

use super::{ClothContact, ContactStep, Mobility};
use crate::contact::Surroundings;
use crate::model::Model;
use glam::DVec3;

/// How often a path is halved before it is given up: 1/16 of it is then left, and the node is put back to its
/// start.
const PATH_HALVINGS: u32 = 4;

impl ClothContact {
    /// Takes back as much of the way from `starts` to `ends` as makes nothing collide on it, at the nodes
    /// that collide.
    ///
    /// Ends only come nearer to their starts, so the boxes around the first ways hold for all. A node that
    /// keeps colliding stays where it started; if that is free of intersections, so is what comes out.
    pub fn clear_way(&mut self, model: &Model, starts: &[DVec3], ends: &mut [DVec3]) {
        let step = ContactStep {
            model,
            starts,
            mobility: Mobility {
                inverse_masses: &[],
                filters: &[],
            },
            around: &Surroundings::default(),
            h: 1.0,
        };
        self.ends.copy_from_slice(ends);
        self.find_pairs(&step);
        let mut round = 0;
        while self.look(&step, round == 0) > 0 {
            let hit = self.pairs.iter().filter(|p| p.impact.is_some());
            let mut nodes: Vec<u32> = hit.flat_map(|p| p.nodes).collect();
            nodes.sort_unstable();
            nodes.dedup();
            for i in nodes.into_iter().map(|n| n as usize) {
                self.ends[i] = if round < PATH_HALVINGS {
                    starts[i].midpoint(self.ends[i])
                } else {
                    starts[i]
                };
            }
            round += 1;
            // By then every node that can collide has long been put back.
            if round as usize > PATH_HALVINGS as usize + starts.len() {
                self.ends.copy_from_slice(starts);
                break;
            }
        }
        ends.copy_from_slice(&self.ends);
    }
}
