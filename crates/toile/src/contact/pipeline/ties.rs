//! What sticks to each other among the contacts of cloth with cloth.

use super::ClothContact;
use crate::body::Bond;
use crate::contact::response::Mobility;
use crate::contact::tie::Tie;
use crate::linalg::Filter;
use crate::model::Model;
use glam::DVec3;

/// A node and a face next to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near {
    /// The node, then the corners of the face.
    pub nodes: [u32; 4],
    /// The distance that contact keeps between the two (m).
    pub thickness: f64,
    /// The distance at which they do not touch yet, whatever reaches out (m).
    pub farthest: f64,
    /// Between the two.
    pub friction: f64,
}

/// What touches itself is nearer than this part of the smallest height of its triangles: neighbours in a flat
/// cloth are one height apart, and the rest is for cloth that is bent. Covered by `tests/bonds.rs`.
const FARTHEST_BOND: f64 = 0.75;

impl ClothContact {
    /// Nodes and faces that may not pass through each other and are not farther apart than the thickness and
    /// `reach` (m), among others that are.
    pub fn near(&mut self, model: &Model, positions: &[DVec3], reach: f64) -> Vec<Near> {
        let surface = &mut self.surface;
        let (offsets, heights) = (&surface.offsets, &surface.heights);
        let around = |i: usize| offsets[i] + reach;
        surface.broad_phase.update(positions, positions, around);
        surface.broad_phase.find(&mut self.candidates);
        let found = self.candidates.point_triangle.iter();
        let found = found.map(|&pair| surface.broad_phase.point_triangle_nodes(pair));
        let free = found.filter(|nodes| !model.sewn.join(&nodes[..1], &nodes[1..]));
        let near = free.map(|nodes| {
            let [node, corner, ..] = nodes.map(|n| n as usize);
            Near {
                nodes,
                thickness: offsets[node] + offsets[corner],
                farthest: match model.is_same_cloth(node, corner) {
                    true => FARTHEST_BOND * heights[node],
                    false => f64::INFINITY,
                },
                friction: surface.friction_between(nodes[0], nodes[1]),
            }
        });
        near.collect()
    }

    /// Ties what sticks to each other in this step.
    pub fn tie(
        &mut self,
        model: &Model,
        bonds: &mut [Bond],
        positions: &[DVec3],
        holds: &[Filter],
    ) {
        let offset = |n: u32| self.surface.offsets[n as usize];
        for bond in &mut *bonds {
            bond.ease(offset(bond.node) + offset(bond.face[0]));
        }
        let mobility = Mobility {
            inverse_masses: &model.inverse_masses,
            filters: holds,
        };
        let held = bonds.iter().enumerate().filter(|(_, bond)| !bond.is_torn);
        let ties = held.filter_map(|(k, bond)| Tie::new(k, bond, positions, &mobility));
        self.ties.clear();
        self.ties.extend(ties);
    }

    /// Tells the bonds what they bore in a step of `h` seconds, of an integrator with this reach.
    pub fn tell_bonds(&self, bonds: &mut [Bond], positions: &[DVec3], h: f64, reach: f64) {
        for tie in &self.ties {
            let outwards = tie.wanted(|i| positions[i]).normalize_or_zero();
            bonds[tie.bond].bear(tie.force(h, reach), outwards);
        }
    }
}
