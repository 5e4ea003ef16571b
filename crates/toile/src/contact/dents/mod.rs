//! Face–body contact: bodies that reach between the nodes of cloth.
//!
//! Nodes that keep their distance from a body do not keep the faces between them from it: a thin rod passes
//! between nodes, the edge of a table cuts into a coarse cloth, shoulders show through a strap. So the point
//! of every triangle where a body is nearest is searched for (`deepest`), and there the cloth keeps
//! [`FACE_OFFSET_SHARE`] of the distance that nodes keep. Meshes that are fine enough for their bodies never
//! need it: on a ball of radius `R`, edges of length `l` sag by `l²/8R`, and nodes keep more than that.
//!
//! The response is that of contact between cloths, with a body as the second feature:
//! [penalty forces](super::cushion) inside an implicit solve for triangles that touch or are forecast to, and
//! [impulses](super::response) after it for those that still end too near. Fast triangles are followed through
//! the frame of a rigid body by conservative advancement: by their distance at a time, and at least by
//! [`SHORTEST_ADVANCE`] of the step. Bodies with a flat surface need none of this.

mod deepest;
mod face_contact;
mod start;

use super::cushion::{Cushion, Gaps};
use super::load::{Given, book};
use super::pipeline::Outlook;
use super::response::{Contact, Duties, Mobility, relax};
use super::support::TOUCHING;
use super::{Candidate, Placement, Sample, Shape, Surroundings, Trial, collide};
use crate::hold::Context;
use crate::model::Model;
use crate::parallel;
use crate::state::State;
pub(crate) use deepest::{deepest, place as face_place};
use face_contact::{FaceContact, StepMotion};
use glam::DVec3;
use start::{Dent, View, at_start};

/// Face–body contact: the part of the nodes' offset that the inside of a face keeps from bodies. Between its
/// nodes a face of edge `a` on a ball of radius `R` sags by `a²/6R`; three quarters of the offset are for
/// that. A choice (`docs/contact.md`, Constants); belongs to this phase alone.
const FACE_OFFSET_SHARE: f64 = 0.25;
/// The part of that which is left when the penalty has given way and the response after the solve answers.
/// Belongs to this phase alone.
const FACE_PENALTY_YIELD: f64 = 0.2;
/// The part of what is missing that a step restores where a body reached through a face before the step
/// began: half, so that it is gone within a few steps without a jump. Belongs to this phase alone.
const FACE_RESTORED: f64 = 0.5;
/// And at most this part of the offset: what is far through comes out over many steps and not at a speed that
/// throws the cloth. Belongs to this phase alone.
const FASTEST_RESTORED: f64 = 0.5;
/// Faces that move farther than this many offsets in a step are followed through it; slower ones cannot pass
/// a body between two looks. Belongs to this phase alone.
const FOLLOWED: f64 = 2.0;
/// The shortest part of a step by which they are advanced: eight looks at the most. Belongs to this phase
/// alone.
const SHORTEST_ADVANCE: f64 = 0.125;
/// Rounds of detection and response. A limit for what does not converge; covered by `tests/dents.rs`. Belongs
/// to this phase alone.
const FACE_ROUNDS: u32 = 24;
/// Gauss–Seidel sweeps of one round, as `RELAXATION_SWEEPS` between cloths.
const FACE_SWEEPS: u32 = 10;
/// What a contact may be missed by, as a part of the offset: less than a tenth of what is kept.
const FACE_TOLERANCE: f64 = 0.02;

/// Scratch memory of face–body contact.
#[derive(Debug)]
pub(crate) struct Dents {
    triangles: Vec<[u32; 3]>,
    /// The longest side at each node, at rest (m).
    sizes: Vec<f64>,
    /// What nodes see of the body that is being looked at.
    views: Vec<View>,
    /// The body near each triangle when the step begins.
    starts: Vec<Option<Dent>>,
    /// Whether a body is in reach of each, be it of a corner.
    in_reach: Vec<bool>,
    /// What each runs into, and what distance it was to have when it first did (m).
    met: Vec<Option<FaceContact>>,
    aims: Vec<f64>,
    /// The triangles that the solve was told of.
    told: Vec<usize>,
    contacts: Vec<Contact>,
    /// The bodies of the contacts.
    bodies: Vec<u32>,
    /// The contacts that those who move nodes later have to respect, with their bodies.
    standing: Vec<(Contact, u32)>,
    wanted: Vec<DVec3>,
    ends: Vec<DVec3>,
    /// Where nodes were to go at the last detection.
    seen: Vec<DVec3>,
}

impl Dents {
    /// Scratch memory for a model's faces, if any of its bodies could come between nodes.
    pub fn for_model(model: &Model) -> Option<Self> {
        if model.bodies.iter().all(|body| is_flat(&body.shape)) {
            return None;
        }
        let mut triangles = Vec::new();
        let mut sizes = vec![0.0f64; model.node_count()];
        for cloth in &model.cloths {
            let first = cloth.nodes.start as u32;
            let corners = cloth.topology.faces.iter().flat_map(|f| f.triangles());
            triangles.extend(corners.map(|c| c.map(|n| n + first)));
            for (edge, &length) in cloth.topology.edges.iter().zip(&cloth.rest.edge_lengths) {
                for node in edge.nodes {
                    let size = &mut sizes[(node + first) as usize];
                    *size = size.max(length);
                }
            }
        }
        let zeros = || vec![DVec3::ZERO; model.node_count()];
        Some(Dents {
            sizes,
            views: vec![View::NOTHING; model.node_count()],
            starts: vec![None; triangles.len()],
            in_reach: vec![false; triangles.len()],
            met: vec![None; triangles.len()],
            aims: vec![f64::INFINITY; triangles.len()],
            triangles,
            told: Vec::new(),
            contacts: Vec::new(),
            bodies: Vec::new(),
            standing: Vec::new(),
            wanted: zeros(),
            ends: zeros(),
            seen: zeros(),
        })
    }

    /// A step begins: looks for what each triangle has before it.
    pub fn begin(&mut self, context: &Context, around: &Surroundings) {
        let (state, h) = (context.state, context.h);
        self.told.clear();
        self.contacts.clear();
        self.bodies.clear();
        self.standing.clear();
        self.starts.fill(None);
        self.in_reach.fill(false);
        let expected = |n: usize| h * (state.velocities[n] + h * context.pull(n));
        for (number, body) in around.bodies.iter().enumerate() {
            if is_flat(&body.shape) {
                continue;
            }
            let sizes = &self.sizes;
            parallel::fill(&mut self.views, |i| {
                let x = state.positions[i];
                let within = around.offsets[i] + expected(i).length() + 2.0 * sizes[i];
                body.at_start(x, within).map_or(View::NOTHING, |near| View {
                    sample: near.sample,
                    caught: near.caught,
                    travel: (expected(i) - near.way).length(),
                })
            });
            let (triangles, views) = (&self.triangles, &self.views);
            let (starts, in_reach) = (&mut self.starts, &mut self.in_reach);
            parallel::for_each_of_two(starts, in_reach, |k, start, in_reach| {
                let nodes = triangles[k].map(|n| n as usize);
                let Some(offset) = offset(around, nodes).filter(|_| meets(body, nodes)) else {
                    return;
                };
                let corners = nodes.map(|n| state.positions[n]);
                let views = nodes.map(|n| views[n]);
                *in_reach |= views
                    .iter()
                    .zip(nodes)
                    .any(|(view, n)| view.sample.distance < offset + view.travel + sizes[n]);
                let found = at_start(body, &corners, &views, offset);
                let nearer = |dent: &Dent| start.is_none_or(|s| dent.distance < s.distance);
                if let Some(dent) = found.filter(nearer) {
                    *start = Some(Dent {
                        body: number as u32,
                        ..dent
                    });
                }
            });
        }
    }

    /// Adds penalty forces for triangles that touch, or would come too near if nothing but gravity acted on
    /// them.
    pub fn forecast(
        &mut self,
        outlook: &Outlook<impl Fn(usize) -> [DVec3; 2] + Sync>,
        around: &Surroundings,
        cushions: &mut Vec<Cushion>,
    ) {
        let context = &outlook.context;
        let (state, h) = (context.state, context.h);
        let mobility = Mobility {
            inverse_masses: &context.model.inverse_masses,
            filters: &context.holds.filters,
        };
        for (k, dent) in self.starts.iter().enumerate() {
            let Some(dent) = dent else {
                continue;
            };
            let nodes = self.triangles[k];
            let combine = |value: &dyn Fn(usize) -> DVec3| combine(nodes, &dent.weights, value);
            let surface = dent.way / h;
            let moving = combine(&|i| state.velocities[i]) - surface;
            let falling = moving + h * combine(&|i| context.pull(i));
            let reached = dent.distance + h * falling.dot(dent.normal);
            if dent.distance > dent.kept + TOUCHING && reached > dent.kept {
                continue;
            }
            let slip = moving.reject_from_normalized(dent.normal).length();
            let contact = Contact::with_body(
                four(nodes),
                four_weights(&dent.weights),
                (dent.normal, dent.kept),
                (
                    around.bodies[dent.body as usize].friction.at_speed(slip),
                    dent.way,
                ),
                &mobility,
            );
            let Some(contact) = contact else {
                continue;
            };
            let drift = combine(&|i| (outlook.places)(i)[1] - state.positions[i]);
            let drift = drift + (context.reach - h) * surface;
            let gaps = Gaps {
                start: dent.distance,
                carried: dent.distance + drift.dot(dent.normal),
                step: h,
                reach: context.reach,
            };
            let cushion = Cushion::on_body(contact, &gaps, surface);
            cushions.push(cushion.expect_slip(moving, falling));
            self.told.push(k);
        }
    }

    /// Records the impulses that bodies gave through the penalty forces that were forecast, at the velocities
    /// that were found.
    pub fn book_cushions(&self, cushions: &[Cushion], velocities: &[DVec3], given: &mut [Given]) {
        for (cushion, &k) in cushions.iter().zip(&self.told) {
            if let Some(dent) = &self.starts[k] {
                let impulse = cushion.impulse(velocities);
                for (node, weight) in self.triangles[k].into_iter().zip(dent.weights) {
                    let given = &mut given[node as usize];
                    book(given, dent.body as usize, weight * impulse);
                }
            }
        }
    }

    /// Moves the candidates so that no triangle ends too near to a body; books what bodies gave.
    pub fn resolve(&mut self, context: &Context, around: &Surroundings, trial: &mut Trial) {
        let Context {
            model,
            state,
            h,
            reach,
            ..
        } = *context;
        let (candidates, given) = (&mut trial.candidates, &mut trial.loads.given);
        // A mixed scheme comes here more than once in a step.
        self.contacts.clear();
        self.bodies.clear();
        for (wanted, candidate) in self.wanted.iter_mut().zip(&*candidates) {
            *wanted = candidate.position;
        }
        self.ends.copy_from_slice(&self.wanted);
        let mobility = Mobility {
            inverse_masses: &model.inverse_masses,
            filters: &context.holds.filters,
        };
        let thinnest = model.contact_offsets.iter().copied();
        let tolerance = FACE_TOLERANCE * thinnest.fold(f64::INFINITY, f64::min);
        for round in 0..FACE_ROUNDS {
            let found = self.look(context, around, &mobility, round == 0);
            if found == 0 {
                break;
            }
            relax(
                Duties {
                    bodies: &mut self.contacts,
                    ..Duties::default()
                },
                &state.positions,
                &mobility,
                &mut self.ends,
                tolerance,
                FACE_SWEEPS,
            );
            // What is pushed out of one body must not be pushed into another.
            let wanted = &self.wanted;
            parallel::for_each_of_two(&mut self.ends, given, |i, end, given| {
                if *end != wanted[i] && context.is_free(i) {
                    let start = state.positions[i];
                    let candidate = Candidate {
                        position: *end,
                        velocity: (*end - start) / h,
                    };
                    let mut met = |body: usize, before: &Candidate, after: &Candidate| {
                        let way = after.position - before.position;
                        book(given, body, model.masses[i] / reach * way);
                    };
                    let (bodies, offset) = (&around.bodies, around.offsets[i]);
                    *end = collide(bodies, i, start, candidate, offset, h, &mut met).position;
                }
            });
        }
        self.keep_standing(state, around, &mobility);
        if self.contacts.is_empty() {
            return;
        }
        let (ends, wanted) = (&self.ends, &self.wanted);
        parallel::for_each(candidates, |i, candidate| {
            if ends[i] != wanted[i] {
                candidate.velocity += (ends[i] - wanted[i]) / reach;
                candidate.position = ends[i];
            }
        });
        for (contact, &body) in self.contacts.iter().zip(&self.bodies) {
            contact.share(|node, weight| {
                let impulse = weight * contact.impulse() / reach;
                book(&mut given[node as usize], body as usize, impulse);
            });
        }
    }

    /// Contacts of this step that nobody may push through afterwards, with their bodies.
    pub fn standing(&self) -> &[(Contact, u32)] {
        &self.standing
    }

    /// Remembers what has been met, and whatever was in reach when the step began: those who move nodes later
    /// may push them there.
    fn keep_standing(&mut self, state: &State, around: &Surroundings, mobility: &Mobility) {
        let met = self.contacts.iter().map(Contact::renewed);
        self.standing.clear();
        self.standing.extend(met.zip(self.bodies.iter().copied()));
        for (&nodes, dent) in self.triangles.iter().zip(&self.starts) {
            let Some(dent) = dent else {
                continue;
            };
            let start = combine(nodes, &dent.weights, &|i| state.positions[i]);
            let surface = dent.normal.dot(start + dent.way) - dent.distance;
            let bound = surface + dent.aim(FACE_PENALTY_YIELD * dent.kept);
            let friction = around.bodies[dent.body as usize].friction.sliding;
            let contact = Contact::with_body(
                four(nodes),
                four_weights(&dent.weights),
                (dent.normal, bound),
                (friction, dent.way),
                mobility,
            );
            let contact = contact.map(|contact| (contact, dent.body));
            self.standing.extend(contact);
        }
    }

    /// Looks for triangles that end too near; answers how many there are.
    fn look(
        &mut self,
        context: &Context,
        around: &Surroundings,
        mobility: &Mobility,
        first: bool,
    ) -> usize {
        let (state, h) = (context.state, context.h);
        let motion = StepMotion {
            around,
            starts: &state.positions,
            ends: &self.ends,
        };
        if first {
            self.aims.fill(f64::INFINITY);
        }
        let (triangles, starts) = (&self.triangles, &self.starts);
        let (seen, aims, in_reach) = (&self.seen, &self.aims, &self.in_reach);
        // What had nothing before it when the step began has not, if it goes no farther than was expected of
        // it; but what goes far beside a body may have passed it with a corner.
        let is_new = |n: u32, in_reach: bool| {
            let n = n as usize;
            let way = (motion.ends[n] - motion.starts[n]).length();
            let expected = h * (state.velocities[n] + h * context.pull(n)).length();
            way > expected || in_reach && way > FOLLOWED * around.offsets[n]
        };
        let has_moved = |n: u32| motion.ends[n as usize] != seen[n as usize];
        parallel::fill(&mut self.met, |k| {
            let (nodes, start) = (triangles[k], starts[k].as_ref());
            let is_due = match first {
                true => start.is_some() || nodes.into_iter().any(|n| is_new(n, in_reach[k])),
                false => nodes.into_iter().any(has_moved),
            };
            is_due.then(|| motion.meeting(nodes, start, aims[k]))?
        });
        self.seen.copy_from_slice(&self.ends);
        let before = self.contacts.len();
        let found = self.triangles.iter().zip(&self.met).zip(&mut self.aims);
        for ((nodes, met), aim) in found {
            let Some(met) = met else {
                continue;
            };
            *aim = aim.min(met.aim);
            let moved = combine(*nodes, &met.weights, &|i| self.ends[i] - state.positions[i]);
            let slip = (moved - met.way).reject_from_normalized(met.normal);
            let friction = around.bodies[met.body as usize].friction;
            let contact = Contact::with_body(
                four(*nodes),
                four_weights(&met.weights),
                (met.normal, met.bound),
                (friction.at_speed(slip.length() / h), met.way),
                mobility,
            );
            if let Some(contact) = contact {
                self.contacts.push(contact);
                self.bodies.push(met.body);
            }
        }
        self.contacts.len() - before
    }

    /// The least distance of the cloth's middle from a body at the places that were in contact in this step
    /// (m).
    pub fn smallest_distance(&self, bodies: &[Placement], positions: &[DVec3]) -> Option<f64> {
        let distance = |body: u32, place: DVec3| bodies[body as usize].sample(place).distance;
        let told = self.told.iter().filter_map(|&k| {
            let dent = self.starts[k]?;
            let place = combine(self.triangles[k], &dent.weights, &|i| positions[i]);
            Some(distance(dent.body, place))
        });
        let met = self.contacts.iter().zip(&self.bodies);
        let met = met.map(|(contact, &body)| distance(body, contact.combine(positions)));
        told.chain(met).reduce(f64::min)
    }
}

/// What is between the distance that nodes keep and that which the middle of the cloth between them does (m).
fn give(offset: f64) -> f64 {
    (1.0 - FACE_OFFSET_SHARE) * offset
}

/// A body whose surface is flat: what does not cut corners of a triangle does not cut it.
pub(crate) fn is_flat(shape: &Shape) -> bool {
    matches!(shape, Shape::Plane)
}

fn meets(body: &Placement, nodes: [usize; 3]) -> bool {
    !is_flat(&body.shape) && nodes.into_iter().all(|n| body.meets(n))
}

/// The least offset of some nodes (m), unless bodies pinch one of them: those are as near as they are
/// pressed.
fn offset(around: &Surroundings, nodes: [usize; 3]) -> Option<f64> {
    let free = |n: usize| around.pinch(n).is_none();
    let least = nodes.map(|n| around.offsets[n]).into_iter();
    let least = least.fold(f64::INFINITY, f64::min);
    (nodes.into_iter().all(free) && least > 0.0).then_some(least)
}

/// Whether bodies, or parts of one, leave a corner no room: then the rest of the triangle has none either.
fn is_squeezed(ends: &[Sample; 3], offset: f64) -> bool {
    ends.iter().any(|end| end.distance < 0.5 * offset)
}

fn combine(nodes: [u32; 3], weights: &[f64; 3], value: &dyn Fn(usize) -> DVec3) -> DVec3 {
    let parts = nodes.iter().zip(weights);
    parts.map(|(&n, &w)| w * value(n as usize)).sum()
}

fn four([a, b, c]: [u32; 3]) -> [u32; 4] {
    [a, b, c, c]
}

fn four_weights(&[a, b, c]: &[f64; 3]) -> [f64; 4] {
    [a, b, c, 0.0]
}
