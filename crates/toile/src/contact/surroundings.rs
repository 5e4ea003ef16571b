//! The bodies of a step, and what they leave to each node.

use super::{Given, Pinch, Placement};
use crate::hold::Context;
use crate::model::Model;
use crate::parallel;
use crate::state::State;

/// What surrounds the nodes during a step.
#[derive(Debug, Default)]
pub(crate) struct Surroundings {
    /// The bodies.
    pub bodies: Vec<Placement>,
    /// The distance that each node keeps from them (m): its cloth's, or less where it is pinched; below zero
    /// between bodies that overlap.
    pub offsets: Vec<f64>,
    /// Of each node; none at all where there are not two bodies.
    pinches: Vec<Option<Pinch>>,
}

impl Surroundings {
    pub fn new(model: &Model) -> Self {
        let several = model.bodies.len() > 1;
        Surroundings {
            bodies: Vec::with_capacity(model.bodies.len()),
            offsets: model.contact_offsets.clone(),
            pinches: vec![None; if several { model.node_count() } else { 0 }],
        }
    }

    /// A step begins: places the bodies and finds the nodes between them. Books their pressure.
    pub fn begin(&mut self, context: &Context, given: &mut [Given]) {
        let Context {
            model,
            state,
            h,
            reach,
            ..
        } = *context;
        self.bodies.clear();
        self.bodies.extend(place_bodies(model, state, h));
        let bodies = &self.bodies;
        parallel::fill(&mut self.pinches, |i| {
            let (position, offset) = (state.positions[i], model.contact_offsets[i]);
            Pinch::find(bodies, i, position, offset, model.compressions[i])
        });
        for (i, pinch) in self.pinches.iter().enumerate() {
            self.offsets[i] = model.contact_offsets[i];
            if let Some(pinch) = pinch {
                self.offsets[i] -= pinch.squeeze;
                pinch.book_pressure(&mut given[i], reach);
            }
        }
    }

    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// Between which bodies a node is, if it is.
    #[inline]
    pub fn pinch(&self, node: usize) -> Option<&Pinch> {
        self.pinches.get(node)?.as_ref()
    }
}

/// The bodies during a step of `h` seconds from a state, each with the cloths that it lets pass.
pub(crate) fn place_bodies(
    model: &Model,
    state: &State,
    h: f64,
) -> impl Iterator<Item = Placement> {
    let recovery = model.body_contact.recovery(h);
    model.bodies.iter().enumerate().map(move |(number, body)| {
        let passes = model.passes.iter().filter(|pair| pair[1] == number);
        let passes = passes.map(|pair| model.cloths[pair[0]].nodes.clone());
        let poses = [state.time, state.time + h].map(|t| state.body_pose(model, number, t));
        Placement {
            passes: passes.collect(),
            recovery,
            ..body.placement_at(poses, state.time, h)
        }
    })
}
