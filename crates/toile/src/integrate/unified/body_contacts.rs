//! Contacts of nodes and faces with bodies.
//!
//! A body moves during the step. In its own frame at the end of the step the committed place of a node is `y + (1 − β) δ`, with
//! `δ` the way of the surface where the node began and `β` the share of the step that has been done: a straight way, as for cloth
//! against cloth, that begins outside the body and ends where the search point is.

use super::contact_row::ContactRow;
use super::{CONTACT_TOLERANCE, WITH_SPARE};
use crate::contact::{Placement, Sample, Surroundings, deepest, face_place, is_flat};
use crate::hold::Context;
use crate::model::Model;
use crate::parallel;
use crate::state::ContactKey;
use glam::DVec3;

/// Nodes and faces never come nearer to a body than this part of what they keep, or of the distance they started with if that
/// is less: what the travel guards. Far below what rows ask for; a choice (`docs/contact.md`, Constants).
const LEAST_KEPT: f64 = 0.1;
/// The part of what is missing that a step restores.
const RESTORED: f64 = 0.1;
/// What may be missing to the offset itself, as a part of it.
const ALMOST: f64 = 0.05;
/// The part of the nodes' offset that the inside of a face keeps. Between its nodes a face of edge `a` on a ball of radius `R`
/// sags by `a²/6R`; three quarters of the offset are for that.
const FACE_SHARE: f64 = 0.25;
/// Samples along the way of a node at the most.
const MOST_SAMPLES: usize = 64;
/// Halvings of a face's way: a tenth of a per cent of it.
const HALVINGS: usize = 10;
/// A contact stays at its place of a face while no other is deeper by more than this part of the offset. Where a face lies
/// across the edge of a box all places along that edge are as deep, and a row that jumps between them would never settle.
const STAYS: f64 = 0.1;

/// What a node sees of a body.
#[derive(Clone, Copy, Debug)]
struct View {
    /// Its distance at the start (m), and how far the surface moves there (m).
    start: f64,
    way: DVec3,
    /// What was found at the last look.
    sample: Sample,
    /// The contact of it: weights are trivial; the share of the way at which it would be too near.
    row: Option<(Sample, DVec3)>,
    share: f64,
}

const FAR: View = View {
    start: f64::INFINITY,
    way: DVec3::ZERO,
    sample: Sample {
        distance: f64::INFINITY,
        normal: DVec3::Z,
    },
    row: None,
    share: 1.0,
};

/// Contact with bodies.
#[derive(Debug)]
pub(super) struct BodyContacts {
    triangles: Vec<[u32; 3]>,
    /// The longest side at each node, at rest (m).
    sizes: Vec<f64>,
    /// For each body, what each node sees of it.
    views: Vec<Vec<View>>,
    faces: Vec<Option<(FaceRow, f64)>>,
    /// For each body, where each face was touched in this step.
    touched: Vec<Vec<Option<[f64; 3]>>>,
}

/// A place of a face that a body comes near to.
#[derive(Clone, Copy, Debug)]
struct FaceRow {
    weights: [f64; 3],
    sample: Sample,
    place: DVec3,
}

/// The way of an iteration, and how much of the step has been done.
#[derive(Clone, Copy)]
pub(super) struct Journey<'a> {
    pub from: &'a [DVec3],
    pub to: &'a [DVec3],
    pub done: f64,
}

impl BodyContacts {
    pub fn for_model(model: &Model) -> Option<Self> {
        if model.bodies.is_empty() {
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
        Some(BodyContacts {
            views: vec![vec![FAR; model.node_count()]; model.bodies.len()],
            faces: vec![None; triangles.len()],
            touched: vec![vec![None; triangles.len()]; model.bodies.len()],
            triangles,
            sizes,
        })
    }

    /// A step begins: asks how far each node is from each body.
    pub fn begin(&mut self, context: &Context, around: &Surroundings) {
        let (state, h) = (context.state, context.h);
        self.touched.iter_mut().for_each(|t| t.fill(None));
        for (body, views) in around.bodies.iter().zip(&mut self.views) {
            let sizes = &self.sizes;
            parallel::fill(views, |i| {
                if !body.meets(i) {
                    return FAR;
                }
                let travel = h * (state.velocities[i].length() + h * context.pull(i).length());
                let within = around.offsets[i] + 4.0 * travel + 2.0 * sizes[i];
                match body.at_start(state.positions[i], within) {
                    Some(near) if !near.caught => View {
                        start: near.sample.distance,
                        way: near.way,
                        ..FAR
                    },
                    Some(_) => FAR,
                    None => View {
                        start: within,
                        way: body.carry(state.positions[i]) - state.positions[i],
                        ..FAR
                    },
                }
            });
        }
    }

    /// Looks at all nodes and faces along a way. Calls `contact` with every contact found, and answers the share of the way
    /// up to the first impact.
    pub fn look(
        &mut self,
        context: &Context,
        around: &Surroundings,
        journey: &Journey,
        mut contact: impl FnMut(ContactRow),
    ) -> f64 {
        let start = &context.state.positions;
        let mut share = 1.0f64;
        for (number, body) in around.bodies.iter().enumerate() {
            let views = &mut self.views[number];
            let is_hollow = !is_flat(&body.shape);
            let sizes = &self.sizes;
            parallel::for_each_costly(views, |i, view| {
                let reach = if is_hollow { sizes[i] } else { 0.0 };
                view.look(body, (start[i], journey, i), around.offsets[i], reach);
            });
            for (i, view) in views.iter().enumerate() {
                let Some((sample, place)) = view.row else {
                    continue;
                };
                // A node that somebody leads goes where it is led, even into a body.
                if context.holds.filters[i] == crate::linalg::Filter::Held {
                    continue;
                }
                share = share.min(view.share);
                let slip = (context.state.velocities[i] - view.way / context.h)
                    .reject_from_normalized(sample.normal);
                let pinch = around.pinch(i).filter(|p| p.bodies.contains(&number));
                // Between two bodies there is no room to spare: what there is, is shared.
                let spare = if pinch.is_some() { 1.0 } else { WITH_SPARE };
                let target = target(spare * around.offsets[i], view.start);
                let pressure = pinch.map_or(0.0, |p| context.reach.powi(2) * p.force);
                contact(ContactRow {
                    key: ContactKey::NodeBody(i as u32, number as u32),
                    nodes: [i as u32; 4],
                    weights: [1.0, 0.0, 0.0, 0.0],
                    normal: sample.normal,
                    bound: sample.normal.dot(place) + target - sample.distance,
                    slack: slack(around.offsets[i], target),
                    origin: start[i] + view.way,
                    friction: body.friction.at_speed(slip.length()),
                    stiffness: 0.0,
                    began: 0.0,
                    push: 0.0,
                    drag: DVec3::ZERO,
                    radius: 0.0,
                    pressure,
                    missed: f64::INFINITY,
                    idle: 0,
                });
            }
            if is_hollow {
                share =
                    share.min(self.look_at_faces(context, around, number, journey, &mut contact));
            }
        }
        share
    }

    /// The smallest distance that faces have from bodies where these touched them in this step (m).
    pub fn smallest_between(&self, around: &Surroundings, positions: &[DVec3]) -> Option<f64> {
        let bodies = around.bodies.iter().zip(&self.touched);
        let touched = bodies.flat_map(|(body, touched)| {
            let faces = self.triangles.iter().zip(touched);
            faces.filter_map(move |(corners, weights)| Some((body, corners, weights.as_ref()?)))
        });
        let distances = touched.map(|(body, corners, weights)| {
            let corners = corners.map(|n| positions[n as usize]);
            body.sample(face_place(&corners, weights)).distance
        });
        distances.reduce(f64::min)
    }

    fn look_at_faces(
        &mut self,
        context: &Context,
        around: &Surroundings,
        number: usize,
        journey: &Journey,
        contact: &mut impl FnMut(ContactRow),
    ) -> f64 {
        let body = &around.bodies[number];
        let views = &self.views[number];
        let triangles = &self.triangles;
        let touched = &mut self.touched[number];
        parallel::for_each_costly(&mut self.faces, |k, face| {
            let nodes = triangles[k].map(|n| n as usize);
            *face = look_at_face(body, (nodes, touched[k]), views, around, journey);
        });
        for (place, found) in touched.iter_mut().zip(&self.faces) {
            *place = found.map(|(face, _)| face.weights).or(*place);
        }
        let mut share = 1.0f64;
        let start = &context.state.positions;
        for (k, found) in self.faces.iter().enumerate() {
            let Some((face, time)) = found else {
                continue;
            };
            share = share.min(*time);
            let [a, b, c] = triangles[k];
            let [u, v, w] = face.weights;
            let nodes = triangles[k].map(|n| n as usize);
            let mix = |value: &dyn Fn(usize) -> DVec3| {
                u * value(nodes[0]) + v * value(nodes[1]) + w * value(nodes[2])
            };
            let way = mix(&|n| views[n].way);
            let slip = mix(&|n| context.state.velocities[n]) - way / context.h;
            let slip = slip.reject_from_normalized(face.sample.normal);
            let normal = face.sample.normal;
            let began = nodes
                .map(|n| views[n].start)
                .into_iter()
                .fold(f64::INFINITY, f64::min);
            let target = target(FACE_SHARE * offset(around, nodes), began);
            contact(ContactRow {
                key: ContactKey::FaceBody(k as u32, number as u32),
                nodes: [a, b, c, a],
                weights: [u, v, w, 0.0],
                normal,
                bound: normal.dot(face.place) + target - face.sample.distance,
                slack: CONTACT_TOLERANCE * offset(around, nodes),
                origin: mix(&|n| start[n]) + way,
                friction: body.friction.at_speed(slip.length()),
                stiffness: 0.0,
                began: 0.0,
                push: 0.0,
                drag: DVec3::ZERO,
                radius: 0.0,
                pressure: 0.0,
                missed: f64::INFINITY,
                idle: 0,
            });
        }
        share
    }
}

/// The distance that is asked for at the end of the step (m), of what keeps `offset` and began at a distance.
fn target(offset: f64, began: f64) -> f64 {
    let missing = (offset - began).max(0.0);
    offset - (1.0 - RESTORED) * missing
}

/// By how much a node may miss its target (m): what is left is its offset, or the target if that is nearer. Were it allowed the
/// same everywhere, what is too near already would sink in from step to step.
fn slack(offset: f64, target: f64) -> f64 {
    (target - offset).max(0.0) + ALMOST * offset
}

fn offset(around: &Surroundings, nodes: [usize; 3]) -> f64 {
    nodes
        .map(|n| around.offsets[n])
        .into_iter()
        .fold(f64::INFINITY, f64::min)
}

impl View {
    /// Follows a node from where it is to where it is to go. `reach` is how far from the body faces still ask for it (m).
    fn look(
        &mut self,
        body: &Placement,
        (start, journey, i): (DVec3, &Journey, usize),
        offset: f64,
        reach: f64,
    ) {
        self.row = None;
        self.share = 1.0;
        self.sample.distance = f64::INFINITY;
        if self.start.is_infinite() {
            return;
        }
        let to = journey.to[i];
        // Distances change by no more than the way.
        let travel = to.distance(start + self.way);
        if self.start - travel > 1.5 * offset + reach {
            return;
        }
        let from = journey.from[i] + (1.0 - journey.done) * self.way;
        let near = body.at_end(to);
        if near.caught {
            return;
        }
        self.sample = near.sample;
        let length = to.distance(from);
        let kept = LEAST_KEPT * self.start.min(offset);
        // What begins inside comes out where it ends.
        if self.start > 0.0 && near.sample.distance - length <= kept {
            let mut done = 0.0;
            for _ in 0..MOST_SAMPLES {
                let place = from.lerp(to, done);
                let sample = body.at_end(place).sample;
                let room = sample.distance - kept;
                if room <= 1e-3 * offset && done < 1.0 {
                    // Going away from the surface is no impact.
                    if (to - from).dot(sample.normal) >= 0.0 {
                        break;
                    }
                    self.share = done;
                    self.row = Some((sample, place));
                    return;
                }
                if length == 0.0 || done >= 1.0 {
                    break;
                }
                done = (done + room / length).min(1.0);
            }
        }
        if near.sample.distance < 1.5 * offset {
            self.row = Some((near.sample, to));
        }
    }
}

/// The place of a face that a body is nearest to, if that is too near at the end of the way, and the share of the way up to
/// where it would be far too near. A place that it was touched at before is taken if it will do.
fn look_at_face(
    body: &Placement,
    (nodes, before): ([usize; 3], Option<[f64; 3]>),
    views: &[View],
    around: &Surroundings,
    journey: &Journey,
) -> Option<(FaceRow, f64)> {
    let seen = nodes.map(|n| views[n].sample);
    if seen.iter().any(|s| !s.distance.is_finite()) {
        return None;
    }
    let offset = offset(around, nodes);
    let keeps = FACE_SHARE * offset;
    let to = nodes.map(|n| journey.to[n]);
    if body.shape.is_convex() && convex_bound(&to, &seen) >= 1.5 * keeps {
        return None;
    }
    let sample = |p: DVec3| body.sample(p);
    let mut near = deepest(&to, &seen, (1.5 * keeps, 0.1 * offset), sample)?;
    let nearest = near.sample.distance;
    if let Some(weights) = before {
        let there = sample(face_place(&to, &weights));
        if there.distance <= nearest + STAYS * offset {
            near.weights = weights;
            near.sample = there;
        }
    }
    let row = FaceRow {
        weights: near.weights,
        sample: near.sample,
        place: face_place(&to, &near.weights),
    };
    let kept = LEAST_KEPT * keeps;
    if nearest >= kept {
        return Some((row, 1.0));
    }
    let from = nodes.map(|n| journey.from[n] + (1.0 - journey.done) * views[n].way);
    let clear = |share: f64| {
        let corners = [0, 1, 2].map(|k| from[k].lerp(to[k], share));
        let ends = corners.map(sample);
        deepest(&corners, &ends, (kept, 0.0), sample).is_none_or(|d| d.sample.distance >= kept)
    };
    if !clear(0.0) {
        // It began so: it comes out by and by.
        return Some((row, 1.0));
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if clear(middle) {
            low = middle
        } else {
            high = middle
        }
    }
    Some((row, low))
}

/// A bound below the distances of all places of a triangle from a convex body, by what its corners see (m).
///
/// The distance `φ` is convex, so at `p = Σ wᵢ cᵢ` it is no less than `φᵢ + nᵢ·(p − cᵢ)` for each corner, and no less than
/// their mean `Σ wᵢ φᵢ − Σ wᵢ wⱼ (nᵢ − nⱼ)·(cᵢ − cⱼ)`, the second sum over pairs; and `Σ wᵢ wⱼ` is a third at the most.
fn convex_bound(corners: &[DVec3; 3], seen: &[Sample; 3]) -> f64 {
    let bend = |i: usize, j: usize| (seen[i].normal - seen[j].normal).dot(corners[i] - corners[j]);
    let most = bend(0, 1).max(bend(1, 2)).max(bend(2, 0)).max(0.0);
    let least = seen
        .iter()
        .map(|s| s.distance)
        .fold(f64::INFINITY, f64::min);
    least - most / 3.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Shape;
    use proptest::prelude::*;

    fn vector(size: f64) -> impl Strategy<Value = DVec3> {
        [-size..size, -size..size, -size..size].prop_map(DVec3::from_array)
    }

    proptest! {
        #[test]
        fn no_place_of_a_triangle_is_nearer_to_a_convex_body_than_the_bound(
            corners in [vector(0.5), vector(0.5), vector(0.5)],
            [u, v] in [0.0..1.0f64, 0.0..1.0f64],
            which in 0..6usize,
        ) {
            let shapes = [
                Shape::Plane,
                Shape::Sphere { radius: 0.2 },
                Shape::Cuboid { half_size: DVec3::new(0.1, 0.2, 0.3) },
                Shape::Capsule { radius: 0.1, half_length: 0.2 },
                Shape::Cylinder { radius: 0.2, half_height: 0.1 },
                Shape::Disc { radius: 0.3, thickness: 0.05 },
            ];
            let sample = |p: DVec3| shapes[which].sample(p);
            let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
            let place = u * corners[0] + v * corners[1] + (1.0 - u - v) * corners[2];
            let bound = convex_bound(&corners, &corners.map(sample));
            prop_assert!(sample(place).distance >= bound - 1e-9);
        }
    }
}
