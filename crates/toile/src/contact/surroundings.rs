//! The bodies of a step, and what they leave to each node.

use super::pinch::Thickness;
use super::{Given, Pinch, Placement};
use crate::hold::Context;
use crate::model::Model;
use crate::parallel;
use crate::state::State;

/// What nodes in one solve keep from bodies besides their offset where there is room for it, as a part of it: what a step may miss.
pub(crate) const SPARE: f64 = 0.3;

/// What surrounds the nodes during a step.
#[derive(Debug, Default)]
pub(crate) struct Surroundings {
    /// The bodies.
    pub bodies: Vec<Placement>,
    /// The distance that each node keeps from them (m): its cloth's, or less where it is pinched; below zero
    /// between bodies that overlap.
    pub offsets: Vec<f64>,
    /// What nodes keep where there is room for it, over what they must.
    spare: f64,
    /// Of each node; none at all where there are not two bodies.
    pinches: Vec<Option<Pinch>>,
    /// The triangles of all cloths, and for each node those that it is a corner of: where its own begin, and their numbers.
    triangles: Vec<[u32; 3]>,
    first_of_node: Vec<u32>,
    of_node: Vec<u32>,
}

impl Surroundings {
    pub fn new(model: &Model) -> Self {
        let several = model.bodies.len() > 1;
        let mut triangles = Vec::new();
        if several {
            for cloth in &model.cloths {
                let first = cloth.nodes.start as u32;
                let corners = cloth.topology.faces.iter().flat_map(|f| f.triangles());
                triangles.extend(corners.map(|c| c.map(|n| n + first)));
            }
        }
        let mut first_of_node = vec![0u32; model.node_count() + 1];
        for node in triangles.iter().flatten() {
            first_of_node[*node as usize + 1] += 1;
        }
        for i in 1..first_of_node.len() {
            first_of_node[i] += first_of_node[i - 1];
        }
        let (mut free, mut of_node) = (first_of_node.clone(), vec![0u32; 3 * triangles.len()]);
        for (k, triangle) in triangles.iter().enumerate() {
            for node in triangle {
                let place = &mut free[*node as usize];
                of_node[*place as usize] = k as u32;
                *place += 1;
            }
        }
        Surroundings {
            bodies: Vec::with_capacity(model.bodies.len()),
            offsets: model.contact_offsets.clone(),
            // Where two bodies leave less than this, a node that wanted it from both would want the impossible.
            spare: match model.integrator.is_unified() {
                true => 1.0 + SPARE,
                false => 1.0,
            },
            pinches: vec![None; if several { model.node_count() } else { 0 }],
            triangles,
            first_of_node,
            of_node,
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
        let (bodies, triangles) = (&self.bodies, &self.triangles);
        let (first_of_node, of_node, spare) = (&self.first_of_node, &self.of_node, self.spare);
        parallel::fill(&mut self.pinches, |i| {
            let thickness = Thickness {
                offset: model.contact_offsets[i],
                spare,
                strength: model.compressions[i],
            };
            Pinch::find(bodies, i, state.positions[i], thickness, || {
                let around = first_of_node[i] as usize..first_of_node[i + 1] as usize;
                let around = of_node[around].iter().map(|&k| triangles[k as usize]);
                let corners = around.map(|t| t.map(|n| state.positions[n as usize]));
                corners.map(|[a, b, c]| (b - a).cross(c - a)).sum()
            })
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
