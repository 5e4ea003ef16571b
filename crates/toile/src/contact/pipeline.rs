//! Cloth against cloth: no candidate step passes through.
//!
//! The order is that of Bridson, Fedkiw and Anderson (2002), on the average velocities of a step, so from where it starts to where the
//! candidates are:
//!
//! 1. **Proximity.** An implicit solve has been told ([`forecast`](ClothContact::forecast)) of features that start nearer than the thickness, or would
//!    come that near, and has put a [`cushion`](super::cushion) between them; here they may not come nearer than a part of the thickness. Without such a solve
//!    they may not come nearer at all, are pushed apart by a part of what is missing, and hold each other by friction.
//! 2. **Collisions.** Features that come too near on their straight ways ([`ccd`](super::ccd)) get a contact where they met. All contacts of the step
//!    are solved together ([`response`](super::response)), bodies are heeded again, and the ways are looked at again.
//! 3. **Impact zones.** What still collides after some rounds moves as one rigid piece ([`impact_zone`](super::impact_zone)), until nothing does.
//!
//! **How near is too near.** Never less than [`KEPT`] of the distance at the start (or of the thickness, if that is less). A distance can so
//! shrink from step to step but not vanish, directions between features stay well defined, and touching is out of reach. Detection is
//! conservative, so a step that starts without intersections ends without, unless led nodes (pins) leave no room; then the report says so.

mod way;

use super::broad_phase::Candidates;
use super::closest::{self, Closest};
use super::collide::{Candidate, collide};
use super::cushion::{Cushion, Gaps};
use super::impact_zone::{ImpactZones, ZoneReport};
use super::load::{Given, book};
use super::response::{Contact, Mobility, relax};
use super::surface::Surface;
use super::tangle::Tangle;
use super::{Placement, ccd, obstacles};
use crate::linalg::Filter;
use crate::model::Model;
use crate::parallel;
use crate::state::State;
use glam::DVec3;

/// Features never come nearer than this part of the distance they started with.
const KEPT: f64 = 0.1;
/// Contacts of collisions aim for this part.
const AIM: f64 = 0.5;
/// Features with a cushion between them are left to it down to this part of the thickness.
const GIVING: f64 = 0.5;
/// The part of what is missing to the thickness that proximity restores in a step.
const PUSHED: f64 = 0.1;
/// Rounds of detection before impact zones are made.
const ROUNDS: u32 = 12;
/// Rounds of growing zones. Each grows one; few are ever needed.
const ZONE_ROUNDS: u32 = 200;
/// Sweeps of one round's solve.
const SWEEPS: u32 = 10;
/// What a contact may be missed by, as a part of the thickness.
const EXACT: f64 = 0.01;
/// Candidates stay valid while no end moves farther than this part of its offset.
const SLACK: f64 = 1.0;

/// What contact between cloths came to in a step.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct ContactReport {
    /// Pairs of features that started nearer than the thickness.
    pub near: usize,
    /// Smallest distance between two features at the start of the step (m), if any were near.
    pub smallest_gap: Option<f64>,
    /// Collisions found, in all rounds.
    pub collisions: usize,
    /// Rounds of detection.
    pub rounds: u32,
    /// Nodes of the largest impact zone; 0 if none was needed.
    pub largest_zone: usize,
    /// Collisions that were left, because led nodes left no room.
    pub missed: usize,
}

impl ContactReport {
    /// This step and the one after it as one.
    pub fn and(self, next: &ContactReport) -> ContactReport {
        let gaps = [self.smallest_gap, next.smallest_gap];
        ContactReport {
            near: self.near.max(next.near),
            smallest_gap: gaps.into_iter().flatten().reduce(f64::min),
            collisions: self.collisions + next.collisions,
            rounds: self.rounds.max(next.rounds),
            largest_zone: self.largest_zone.max(next.largest_zone),
            missed: self.missed + next.missed,
        }
    }
}

/// Two features that may meet.
#[derive(Clone, Copy, Debug)]
struct Pair {
    nodes: [u32; 4],
    is_edges: bool,
    /// Distance at the start (m).
    start: f64,
    /// Distance that the two keep (m).
    thickness: f64,
    /// When they come too near, if so; of the last look.
    impact: Option<f64>,
}

/// What contact between cloths works in.
#[derive(Debug)]
pub(crate) struct ClothContact {
    surface: Surface,
    candidates: Candidates,
    pairs: Vec<Pair>,
    /// Contacts of cloth with cloth.
    contacts: Vec<Contact>,
    /// Contacts with bodies of nodes that are in the others.
    body_contacts: Vec<Contact>,
    /// Whose they are.
    bodies_met: Vec<u32>,
    /// What the trace after the contacts moved nodes by, by node: body and way (m).
    traced: Vec<Given>,
    /// How many of the contacts have been asked for nodes near bodies, and which nodes those were.
    heeded: usize,
    meets_bodies: Vec<bool>,
    zones: ImpactZones,
    /// What is through, if the model wants it drawn apart.
    tangle: Option<Tangle>,
    inverse_masses: Vec<f64>,
    /// Where nodes wanted to go, where they are to go, and where they were to go when candidates were found (m).
    wanted: Vec<DVec3>,
    ends: Vec<DVec3>,
    boxed: Vec<DVec3>,
    /// Where they were to go at the last look.
    seen: Vec<DVec3>,
    before_zones: Vec<DVec3>,
    /// How near the features of each forecast contact may come in spite of their cushion, and their thickness (m).
    bounds: Vec<(f64, f64)>,
    /// What the solve says of the contacts, and their thickness (m).
    loaded: Vec<(Contact, f64)>,
    /// Whether the step had a solve that was told.
    is_forecast: bool,
    report: Option<ContactReport>,
}

/// What an implicit step tells before its solve.
#[derive(Clone, Copy)]
pub(crate) struct Outlook<'a, P> {
    pub model: &'a Model,
    pub state: &'a State,
    pub holds: &'a [Filter],
    /// Where each node would go if nothing but gravity acted on it, and the rule's `x̂` (m).
    pub places: P,
    /// `h` and `H` (s).
    pub step: f64,
    pub reach: f64,
}

/// What a step tells it.
#[derive(Clone, Copy)]
struct Step<'a> {
    model: &'a Model,
    starts: &'a [DVec3],
    mobility: Mobility<'a>,
    bodies: &'a [Placement],
    h: f64,
}

impl ClothContact {
    /// Room for a model's contacts between cloths, if it asks for any.
    pub fn for_model(model: &Model) -> Option<Self> {
        let surface = Surface::of(model)?;
        let zeros = || vec![DVec3::ZERO; model.node_count()];
        Some(ClothContact {
            surface,
            candidates: Candidates::default(),
            pairs: Vec::new(),
            contacts: Vec::new(),
            body_contacts: Vec::new(),
            bodies_met: Vec::new(),
            traced: vec![Vec::new(); model.node_count()],
            heeded: 0,
            meets_bodies: vec![false; model.node_count()],
            zones: ImpactZones::default(),
            tangle: Tangle::for_model(model),
            inverse_masses: model.masses.iter().map(|m| 1.0 / m).collect(),
            wanted: zeros(),
            ends: zeros(),
            boxed: zeros(),
            seen: zeros(),
            before_zones: zeros(),
            bounds: Vec::new(),
            loaded: Vec::new(),
            is_forecast: false,
            report: None,
        })
    }

    /// What it came to in the last step.
    pub fn report(&self) -> Option<ContactReport> {
        self.report
    }

    /// Contacts that the solve of an implicit step should know of: of features that are near, and of those that would come near.
    pub fn forecast(
        &mut self,
        outlook: &Outlook<impl Fn(usize) -> [DVec3; 2] + Sync>,
        cushions: &mut Vec<Cushion>,
    ) {
        let inverse_masses = std::mem::take(&mut self.inverse_masses);
        let step = Step {
            model: outlook.model,
            starts: &outlook.state.positions,
            mobility: Mobility {
                inverse_masses: &inverse_masses,
                filters: outlook.holds,
            },
            bodies: &[],
            h: outlook.step,
        };
        parallel::fill(&mut self.ends, |i| (outlook.places)(i)[0]);
        if let Some(tangle) = &mut self.tangle {
            tangle.begin();
            tangle.look(step.model, step.starts);
        }
        self.find_pairs(&step);
        let (ends, tangle) = (&self.ends, &self.tangle);
        parallel::for_each(&mut self.pairs, |_, pair| {
            pair.impact = if pair.is_astray(tangle) {
                None
            } else if pair.start < pair.thickness {
                Some(0.0)
            } else {
                pair.find_impact(&step, ends, pair.thickness)
            };
        });
        self.bounds.clear();
        cushions.clear();
        for pair in &self.pairs {
            let Some(contact) = self.surface.impact(pair, &step, ends, pair.thickness) else {
                continue;
            };
            let gap = |at: DVec3| at.dot(contact.normal());
            let carried = contact.combine_with(|i| (outlook.places)(i)[1]);
            let gaps = Gaps {
                start: gap(contact.combine(step.starts)),
                carried: gap(carried),
                step: outlook.step,
                reach: outlook.reach,
            };
            cushions.push(Cushion::new(contact, &gaps));
            let aim = GIVING * pair.thickness;
            let nearer = pair.start + PUSHED * (aim - pair.start);
            self.bounds.push((nearer.min(aim), pair.thickness));
        }
        self.inverse_masses = inverse_masses;
    }

    /// What the solve made of the contacts that were forecast.
    pub fn learn(&mut self, cushions: &[Cushion], velocities: &[DVec3], reach: f64) {
        self.is_forecast = true;
        self.loaded.clear();
        let known = cushions.iter().zip(&self.bounds);
        self.loaded
            .extend(known.map(|(cushion, &(bound, thickness))| {
                (cushion.loaded(velocities, reach, bound), thickness)
            }));
    }

    /// Moves the candidates so that no two features pass through each other; `reach` is by how many seconds of velocity the
    /// integrator's positions follow.
    pub fn apply(
        &mut self,
        (model, state): (&Model, &State),
        holds: &[Filter],
        bodies: &[Placement],
        (candidates, given): (&mut [Candidate], &mut [Given]),
        (h, reach): (f64, f64),
    ) {
        let inverse_masses = std::mem::take(&mut self.inverse_masses);
        let step = Step {
            model,
            starts: &state.positions,
            mobility: Mobility {
                inverse_masses: &inverse_masses,
                filters: holds,
            },
            bodies,
            h,
        };
        for (wanted, candidate) in self.wanted.iter_mut().zip(&*candidates) {
            *wanted = candidate.position;
        }
        self.ends.copy_from_slice(&self.wanted);
        let report = self.resolve(&step);
        if let Some(tangle) = &mut self.tangle {
            tangle.finish(report.missed > 0);
        }
        self.report = Some(report);
        self.inverse_masses = inverse_masses;
        let (ends, wanted) = (&self.ends, &self.wanted);
        parallel::for_each(candidates, |i, candidate| {
            if ends[i] != wanted[i] {
                candidate.velocity += (ends[i] - wanted[i]) / reach;
                candidate.position = ends[i];
            }
        });
        self.book(model, given, reach);
    }

    /// Books what bodies gave to nodes here (N·s).
    fn book(&self, model: &Model, given: &mut [Given], reach: f64) {
        for (contact, &body) in self.body_contacts.iter().zip(&self.bodies_met) {
            let node = contact.nodes[0] as usize;
            book(&mut given[node], body as usize, contact.impulse() / reach);
        }
        for (node, given) in given.iter_mut().enumerate() {
            for &(body, way) in &self.traced[node] {
                book(given, body as usize, model.masses[node] / reach * way);
            }
        }
    }

    fn resolve(&mut self, step: &Step) -> ContactReport {
        let mut report = ContactReport::default();
        self.contacts.clear();
        let ends = &self.ends;
        let known = self.loaded.drain(..);
        let known = known.filter(|(contact, thickness)| contact.concerns(ends, *thickness));
        self.contacts.extend(known.map(|(contact, _)| contact));
        self.body_contacts.clear();
        self.bodies_met.clear();
        self.traced.iter_mut().for_each(Vec::clear);
        self.heeded = 0;
        self.meets_bodies.fill(false);
        self.zones.clear();
        self.draw_apart(step);
        self.find_pairs(step);
        self.meet_neighbours(step, &mut report);
        self.meet_bodies(step);
        self.relax(step);
        for round in 1..=ROUNDS {
            report.rounds = round;
            self.refresh(step);
            let found = self.look(step, round == 1);
            report.collisions += found;
            if found == 0 {
                return report;
            }
            if round < ROUNDS {
                self.meet_collisions(step);
                self.meet_bodies(step);
                self.relax(step);
            }
        }
        self.join_zones(step, &mut report);
        report
    }

    /// Asks that what is through comes out, a little.
    fn draw_apart(&mut self, step: &Step) {
        if let Some(tangle) = &mut self.tangle {
            tangle.look(step.model, step.starts);
            let offsets = &self.surface.offsets;
            let pulls = tangle.contacts(step.starts, offsets, &step.mobility, step.h);
            self.contacts.extend(pulls);
        }
    }

    /// Finds the pairs that may meet on the present ways.
    fn find_pairs(&mut self, step: &Step) {
        let Surface {
            broad_phase,
            offsets,
            friction: _,
        } = &mut self.surface;
        let offsets = &*offsets;
        broad_phase.update(step.starts, &self.ends, |i| (1.0 + SLACK) * offsets[i]);
        broad_phase.find(&mut self.candidates);
        let sewn = &step.model.sewn;
        if !sewn.is_empty() {
            let apart = |nodes: [u32; 4], first| !sewn.join(&nodes[..first], &nodes[first..]);
            let Candidates {
                point_triangle,
                edge_edge,
            } = &mut self.candidates;
            point_triangle.retain(|&p| apart(broad_phase.point_triangle_nodes(p), 1));
            edge_edge.retain(|&p| apart(broad_phase.edge_edge_nodes(p), 2));
        }
        if let Some(tangle) = self.tangle.as_ref().filter(|t| !t.is_clean()) {
            let Candidates {
                point_triangle,
                edge_edge,
            } = &mut self.candidates;
            point_triangle.retain(|&[node, triangle]| !tangle.lets_pass(node, triangle));
            edge_edge.retain(|&p| {
                let [a, b, c, d] = broad_phase.edge_edge_nodes(p);
                !tangle.lets_sides_pass([a, b], [c, d])
            });
        }
        self.boxed.copy_from_slice(&self.ends);
        let (points, edges) = (&self.candidates.point_triangle, &self.candidates.edge_edge);
        let count = points.len() + edges.len();
        let nothing = Pair {
            nodes: [0; 4],
            is_edges: false,
            start: 0.0,
            thickness: 0.0,
            impact: None,
        };
        self.pairs.clear();
        self.pairs.resize(count, nothing);
        let broad_phase = &*broad_phase;
        parallel::fill(&mut self.pairs, |k| {
            let is_edges = k >= points.len();
            let nodes = if is_edges {
                broad_phase.edge_edge_nodes(edges[k - points.len()])
            } else {
                broad_phase.point_triangle_nodes(points[k])
            };
            let other = nodes[if is_edges { 2 } else { 1 }];
            let pair = Pair {
                nodes,
                is_edges,
                thickness: offsets[nodes[0] as usize] + offsets[other as usize],
                ..nothing
            };
            Pair {
                start: pair.closest(&pair.at(step.starts)).distance(),
                ..pair
            }
        });
    }

    /// Contacts of features that start near each other, unless the solve has known them.
    fn meet_neighbours(&mut self, step: &Step, report: &mut ContactReport) {
        let known = std::mem::take(&mut self.is_forecast);
        for pair in &self.pairs {
            if pair.start >= pair.thickness {
                continue;
            }
            report.near += 1;
            let smallest = report.smallest_gap.unwrap_or(f64::INFINITY);
            report.smallest_gap = Some(smallest.min(pair.start));
            if known || pair.is_astray(&self.tangle) {
                continue;
            }
            let closest = pair.closest(&pair.at(step.starts));
            let bound = pair.start + PUSHED * (pair.thickness - pair.start);
            let contact = self.surface.contact(pair, &closest, bound, &step.mobility);
            self.contacts.extend(contact);
        }
    }

    /// Contacts with bodies of nodes that are in contacts with cloth and have none yet: what is pushed must not be pushed into a body, and what
    /// lies on one has it to lean on.
    fn meet_bodies(&mut self, step: &Step) {
        if step.bodies.is_empty() {
            return;
        }
        for k in self.heeded..self.contacts.len() {
            for node in self.contacts[k].nodes {
                let i = node as usize;
                if step.mobility.is_led(node) || std::mem::replace(&mut self.meets_bodies[i], true)
                {
                    continue;
                }
                let (start, end) = (step.starts[i], self.wanted[i]);
                for (number, body) in obstacles(step.bodies, i) {
                    let offset = step.model.contact_offsets[i];
                    let Some(sample) = body.way_out(end, offset) else {
                        continue;
                    };
                    let carried = body.carry(start) - start;
                    let slip = (end - start - carried).length();
                    if sample.distance > 2.0 * offset + slip {
                        continue;
                    }
                    let kept = body.kept(start, offset);
                    let bound = sample.normal.dot(end) + kept - sample.distance;
                    let contact = Contact::with_body(
                        node,
                        sample.normal,
                        bound,
                        body.friction.at_speed(slip / step.h),
                        carried,
                        &step.mobility,
                    );
                    if let Some(contact) = contact {
                        self.body_contacts.push(contact);
                        self.bodies_met.push(number as u32);
                    }
                }
            }
        }
        self.heeded = self.contacts.len();
    }

    /// Contacts of the collisions that the last look found.
    fn meet_collisions(&mut self, step: &Step) {
        for pair in &self.pairs {
            let bound = AIM * pair.thickness.min(pair.start);
            let contact = self.surface.impact(pair, step, &self.ends, bound);
            self.contacts.extend(contact);
        }
    }

    /// Solves all contacts so far, and heeds bodies after them.
    fn relax(&mut self, step: &Step) {
        if self.contacts.is_empty() {
            return;
        }
        let thinnest = self
            .surface
            .offsets
            .iter()
            .copied()
            .fold(f64::INFINITY, f64::min);
        let tolerance = EXACT * 2.0 * thinnest;
        relax(
            [&mut self.body_contacts, &mut self.contacts],
            step.starts,
            &step.mobility,
            &mut self.ends,
            tolerance,
            SWEEPS,
        );
        if step.bodies.is_empty() {
            return;
        }
        let wanted = &self.wanted;
        let (ends, traced) = (&mut self.ends, &mut self.traced);
        parallel::for_each_of_two(ends, traced, |i, end, traced| {
            if *end != wanted[i] && !step.mobility.is_led(i as u32) {
                let start = step.starts[i];
                let candidate = Candidate {
                    position: *end,
                    velocity: (*end - start) / step.h,
                };
                let offset = step.model.contact_offsets[i];
                let met = |body: usize, before: &Candidate, after: &Candidate| {
                    book(traced, body, after.position - before.position);
                };
                *end = collide(step.bodies, i, start, candidate, offset, step.h, met).position;
            }
        });
    }

    /// Finds pairs anew if ends have left the boxes that they were found in.
    fn refresh(&mut self, step: &Step) {
        let offsets = &self.surface.offsets;
        let moved = self.ends.iter().zip(&self.boxed).enumerate();
        let mut moved = moved.map(|(i, (end, boxed))| end.distance(*boxed) - SLACK * offsets[i]);
        if moved.any(|beyond| beyond > 0.0) {
            self.find_pairs(step);
            // Whatever was clear has not been looked at.
            self.seen.fill(DVec3::NAN);
        }
    }

    /// Looks for collisions on the present ways; answers how many there are. What has not changed since the last look is as it was.
    fn look(&mut self, step: &Step, first: bool) -> usize {
        if first {
            self.seen.fill(DVec3::NAN);
        }
        let (ends, seen) = (&self.ends, &self.seen);
        parallel::for_each(&mut self.pairs, |_, pair| {
            let is_new = |n: u32| ends[n as usize] != seen[n as usize];
            // Features that touch at the start have passed already; they are let go rather than held for ever.
            if pair.start > 0.0 && pair.nodes.into_iter().any(is_new) {
                let kept = KEPT * pair.start.min(pair.thickness);
                pair.impact = pair.find_impact(step, ends, kept);
            }
        });
        self.seen.copy_from_slice(&self.ends);
        self.pairs.iter().filter(|p| p.impact.is_some()).count()
    }

    /// The last resort.
    fn join_zones(&mut self, step: &Step, report: &mut ContactReport) {
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
            // Detection may see an impact where features are so near that it cannot tell; within a rigid piece there is none.
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

impl Surface {
    /// A contact of two features where they meet on the way to these ends, if they do.
    fn impact(&self, pair: &Pair, step: &Step, ends: &[DVec3], bound: f64) -> Option<Contact> {
        let time = pair.impact?;
        let (starts, ends) = (pair.at(step.starts), pair.at(ends));
        let there = std::array::from_fn(|k| starts[k].lerp(ends[k], time));
        self.contact(pair, &pair.closest(&there), bound, &step.mobility)
    }

    fn contact(
        &self,
        pair: &Pair,
        closest: &Closest,
        bound: f64,
        mobility: &Mobility,
    ) -> Option<Contact> {
        let other = pair.nodes[if pair.is_edges { 2 } else { 1 }];
        let [a, b] = [pair.nodes[0], other].map(|n| self.friction[n as usize]);
        Contact::new(pair.nodes, closest, bound, (a * b).sqrt(), mobility)
    }
}

impl Pair {
    fn at(&self, positions: &[DVec3]) -> [DVec3; 4] {
        self.nodes.map(|n| positions[n as usize])
    }

    /// Whether nothing is to push the two apart, because it might be the wrong way.
    fn is_astray(&self, tangle: &Option<Tangle>) -> bool {
        let tangle = tangle.as_ref();
        tangle.is_some_and(|tangle| tangle.is_astray(&self.nodes))
    }

    fn closest(&self, nodes: &[DVec3; 4]) -> Closest {
        if self.is_edges {
            closest::edge_edge(nodes)
        } else {
            closest::point_triangle(nodes)
        }
    }

    /// When the two come nearer than `kept` (m) on the way to these ends.
    fn find_impact(&self, step: &Step, ends: &[DVec3], kept: f64) -> Option<f64> {
        let (starts, ends) = (self.at(step.starts), self.at(ends));
        // No faster than the fastest node of one against any of the other; far enough apart for rounding not to matter.
        let ways: [DVec3; 4] = std::array::from_fn(|k| ends[k] - starts[k]);
        let first = if self.is_edges { 2 } else { 1 };
        let (ours, theirs) = ways.split_at(first);
        let speeds = ours
            .iter()
            .flat_map(|a| theirs.iter().map(move |b| a.distance_squared(*b)));
        let fastest = speeds.fold(0.0, f64::max).sqrt();
        if self.start - fastest > kept + KEPT * self.start.min(self.thickness) {
            return None;
        }
        if self.is_edges {
            ccd::edge_edge_within(&starts, &ends, kept)
        } else {
            ccd::point_triangle_within(&starts, &ends, kept)
        }
    }
}
