//! Which nodes stick to cloth during a step.

use crate::body::{Adhesion, Bond, Sticky, left_to_adhesion};
use crate::contact::pipeline::{ClothContact, Near};
use crate::contact::response::Mobility;
use crate::contact::tie::Tie;
use crate::geometry::closest::{frame_of, point_triangle};
use crate::hold::Holds;
use crate::linalg::Filter;
use crate::model::Model;
use crate::state::State;
use glam::DVec3;

/// Lets go of nodes that no longer stick to cloth and catches those that do now, one face for each adhesion; contact between cloths ties them.
/// Pinned nodes stick as well, and then pull.
pub(crate) fn drive_bonds(
    model: &Model,
    state: &mut State,
    holds: &Holds,
    contact: Option<&mut ClothContact>,
    forces: &[DVec3],
    h: f64,
) {
    let adhesions = &model.body_contact.adhesions;
    if !adhesions.iter().any(Adhesion::is_on_cloth) {
        return;
    }
    let now = state.time + 1e-9 * h;
    let at_work = |a: &Adhesion| a.is_on_cloth() && a.is_active(now);
    let active: Vec<bool> = adhesions.iter().map(at_work).collect();
    for bond in &mut state.bonds {
        let adhesion = &adhesions[bond.adhesion as usize];
        let most = adhesion.most(model.node_area(bond.node as usize));
        bond.is_torn |= bond.pull > most;
    }
    state.bonds.retain(|bond| active[bond.adhesion as usize]);
    let Some(contact) = contact else {
        return;
    };
    if active.contains(&true) {
        let reaches = adhesions.iter().zip(&active).filter(|(_, active)| **active);
        let reach = reaches.map(|(a, _)| a.reach).fold(0.0, f64::max);
        let near = contact.near(model, &state.positions, reach);
        let scene = BondContext {
            model,
            state,
            active: &active,
            holds,
            forces,
            h,
        };
        let touching = scene.touched(&near);
        renew(&mut state.bonds, &touching);
    }
    contact.tie(model, &mut state.bonds, &state.positions, &holds.filters);
}

/// Forgets what was torn and touches nothing any more, and adds what is new.
fn renew(bonds: &mut Vec<Bond>, touching: &[(Bond, bool)]) {
    bonds.retain(|bond| {
        let touch = touching.binary_search_by_key(&bond.key(), |(b, _)| b.key());
        !bond.is_torn || touch.is_ok()
    });
    let new = touching.iter().filter(|(_, is_new)| *is_new);
    bonds.extend(new.map(|(bond, _)| bond));
    bonds.sort_by_key(Bond::key);
}

/// How a node touches a face.
struct FaceProximity {
    /// How far apart they are (m).
    distance: f64,
    /// Between the two.
    friction: f64,
}

/// What the decision depends on.
struct BondContext<'a> {
    model: &'a Model,
    state: &'a State,
    active: &'a [bool],
    holds: &'a Holds,
    /// What acts on the nodes (N), if any adhesion can tear.
    forces: &'a [DVec3],
    h: f64,
}

impl BondContext<'_> {
    /// For each node and adhesion the bond with the nearest face that it touches, in order, and whether that is new and would hold.
    fn touched(&self, near: &[Near]) -> Vec<(Bond, bool)> {
        let nearest = self.nearest(near).into_iter();
        nearest
            .map(|(touch, bond)| {
                let adhesion = &self.model.body_contact.adhesions[bond.adhesion as usize];
                let known = self
                    .state
                    .bonds
                    .binary_search_by_key(&bond.key(), Bond::key);
                let is_new = known.is_err() && self.bears(&bond, adhesion, touch.friction);
                (bond, is_new)
            })
            .collect()
    }

    /// The bond with the nearest face for each node and adhesion, in order.
    fn nearest(&self, near: &[Near]) -> Vec<(FaceProximity, Bond)> {
        let mut touching: Vec<(FaceProximity, Bond)> =
            near.iter().flat_map(|near| self.touching(near)).collect();
        touching.sort_by(|(a, one), (b, other)| {
            let by_key = one.key().cmp(&other.key());
            let by_distance = a.distance.total_cmp(&b.distance);
            by_key.then(by_distance).then(one.face.cmp(&other.face))
        });
        touching.dedup_by_key(|(_, bond)| bond.key());
        touching
    }

    /// The bonds that adhesions could make of a node and a face next to it.
    fn touching(&self, near: &Near) -> impl Iterator<Item = (FaceProximity, Bond)> {
        let [node, a, b, c] = near.nodes;
        let face = [a, b, c];
        let adhesions = self.model.body_contact.adhesions.iter().enumerate();
        adhesions.filter_map(move |(k, adhesion)| {
            let Sticky::Cloth { nodes } = &adhesion.to else {
                return None;
            };
            let sticky = |n: u32| nodes.binary_search(&n).is_ok();
            if !self.active[k] || !adhesion.catches(node) || !face.into_iter().all(sticky) {
                return None;
            }
            let places = near.nodes.map(|n| self.state.positions[n as usize]);
            let closest = point_triangle(&places);
            let distance = closest.distance();
            let farthest = (near.thickness + adhesion.reach).min(near.farthest);
            if distance == 0.0 || distance > farthest {
                return None;
            }
            let [_, u, v, w] = closest.weights;
            let frame = frame_of(&[places[1], places[2], places[3]])?;
            let touch = FaceProximity {
                distance,
                friction: near.friction,
            };
            let bond = Bond {
                node,
                adhesion: k as u32,
                face,
                weights: [-u, -v, -w],
                way: frame.transpose() * closest.way,
                pull: 0.0,
                is_torn: false,
            };
            Some((touch, bond))
        })
    }

    /// Whether the adhesion is about as strong as keeping the node at the face through the step asks.
    fn bears(&self, bond: &Bond, adhesion: &Adhesion, friction: f64) -> bool {
        if adhesion.strength.is_infinite() {
            return true;
        }
        let Holds {
            filters,
            velocities,
            ..
        } = self.holds;
        let (model, state, h) = (self.model, self.state, self.h);
        let mobility = Mobility {
            inverse_masses: &model.inverse_masses,
            filters,
        };
        let Some(tie) = Tie::new(0, bond, &state.positions, &mobility) else {
            return true;
        };
        let acceleration = |i: usize| match filters[i] {
            Filter::Free => self.forces[i] / model.masses[i],
            _ => (velocities[i] - state.velocities[i]) / h,
        };
        let wanted = tie.wanted(|i| state.positions[i]);
        let missing = wanted - tie.combine(|i| state.positions[i]);
        let change = missing / h - tie.combine(|i| state.velocities[i]);
        let needed = tie.mass() * (change / h - tie.combine(acceleration));
        let left = left_to_adhesion(needed, wanted.normalize_or_zero(), friction);
        left <= adhesion.most(model.node_area(bond.node as usize))
    }
}
