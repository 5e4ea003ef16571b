//! Cloth against cloth: no candidate step passes through.
//!
//! The order is that of Bridson, Fedkiw and Anderson (2002), on the average velocities of a step, so from
//! where it starts to where the candidates are:
//!
//! 1. **Proximity.** An implicit solve has been told ([`forecast`](ClothContact::forecast)) of features that
//!    start nearer than the thickness, or would come that near, and has put a [`cushion`](super::cushion)
//!    between them; here they may not come nearer than a part of the thickness. Without such a solve they may
//!    not come nearer at all, are pushed apart by a part of what is missing, and hold each other by friction.
//! 2. **Collisions.** Features that come too near on their straight paths ([`ccd`](crate::geometry::ccd)) get a contact
//!    where they met. All contacts of the step are solved together ([`response`](super::response)), bodies
//!    are checked again, and the paths are checked again.
//! 3. **Impact zones.** What still collides after some rounds moves as one rigid piece
//!    ([`impact_zone`](super::impact_zone)), until nothing does.
//!
//! **How near is too near.** Never less than [`LEAST_KEPT`] of the distance at the start (or of the
//! thickness, if that is less). A distance can so shrink from step to step but not vanish, directions between
//! features stay well defined, and touching is out of reach. Detection is conservative, so a step that starts
//! without intersections ends without, unless prescribed nodes (pins) leave no room; then the report says so.

mod bodies;
mod pair;
mod report;
mod ties;
mod way;
mod zones;

use super::Surroundings;
use super::broad_phase::Candidates;
use super::collide::{Candidate, collide};
use super::cushion::{Cushion, Gaps};
use super::impact_zone::ImpactZones;
use super::load::{Given, book};
use super::response::{Contact, Duties, Mobility, relax};
use super::surface::Surface;
use super::tangle::Tangle;
use super::tie::Tie;
use super::trial::Trial;
use crate::hold::Context;
use crate::model::Model;
use crate::parallel;
use glam::DVec3;
use pair::Pair;
pub use report::ContactReport;
pub(crate) use ties::Near;

/// Hard limit of the collision phase: features never come nearer than this part of the distance they started
/// with (or of the thickness, if less). A choice (`docs/contact.md`, Constants); belongs to this phase alone.
const LEAST_KEPT: f64 = 0.1;
/// Impulses of collisions aim for this part of the distance at the start: well above the hard limit, so that
/// the next round does not find the same pair again. A choice (`docs/contact.md`, Constants).
const COLLISION_AIM: f64 = 0.5;
/// Vertex–face and edge–edge pairs with a penalty force between them are left to it down to this part of the
/// thickness; below it the response after the solve acts too. Half, because the penalty hardens from there on
/// (`cushion::HARDEST`); belongs to this phase alone.
const PENALTY_YIELD: f64 = 0.5;
/// The part of what is missing to the thickness that proximity restores in a step, as the 0.1 of Bridson,
/// Fedkiw & Anderson (2002), section 7.2.
const RESTORED_PER_STEP: f64 = 0.1;
/// Rounds of detection before impact zones are made. More delay the zones, fewer make zones of what another
/// round would solve. A choice (`docs/contact.md`, Constants); the lab experiment `contact` covers it.
const COLLISION_ROUNDS: u32 = 12;
/// Gauss–Seidel sweeps of one round's solve at the most; it stops earlier within the tolerance. What is left
/// is the next round's, so half as many cost rounds and not accuracy.
const RELAXATION_SWEEPS: u32 = 10;
/// What a contact may be missed by, as a part of the thickness: a tenth of `LEAST_KEPT`.
const GAP_TOLERANCE: f64 = 0.01;
/// Candidates stay valid while no end moves farther than this part of its offset. Only a matter of cost:
/// boxes grow with it, and searches become rarer.
const CANDIDATE_SLACK: f64 = 1.0;

/// Scratch memory of contact between cloths.
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
    /// What sticks to each other.
    ties: Vec<Tie>,
    /// What the trace after the contacts moved nodes by, by node: body and way (m).
    traced: Vec<Given>,
    /// How many of the contacts have been asked for nodes near bodies, and which nodes those were.
    heeded: usize,
    meets_bodies: Vec<bool>,
    zones: ImpactZones,
    /// Intersections, if the model asks that they be drawn apart.
    tangle: Option<Tangle>,
    /// Where nodes wanted to go, where they are to go, and where they were to go when candidates were found
    /// (m).
    wanted: Vec<DVec3>,
    ends: Vec<DVec3>,
    boxed: Vec<DVec3>,
    /// Where they were to go at the last detection.
    seen: Vec<DVec3>,
    before_zones: Vec<DVec3>,
    /// How near the features of each forecast contact may come in spite of their penalty force, and their
    /// thickness (m).
    bounds: Vec<(f64, f64)>,
    /// What the solve says of the contacts, and their thickness (m).
    loaded: Vec<(Contact, f64)>,
    /// Whether the step had a solve that was told.
    is_forecast: bool,
    report: Option<ContactReport>,
}

/// What contact is told of an implicit step before its solve.
#[derive(Clone, Copy)]
pub(crate) struct Outlook<'a, P> {
    pub context: Context<'a>,
    /// Where each node would go if nothing but gravity acted on it, and the rule's `x̂` (m).
    pub places: P,
}

/// What contact is told of a step.
#[derive(Clone, Copy)]
struct ContactStep<'a> {
    model: &'a Model,
    starts: &'a [DVec3],
    mobility: Mobility<'a>,
    around: &'a Surroundings,
    h: f64,
}

impl ClothContact {
    /// Scratch memory for a model's contacts between cloths, if it asks for any.
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
            ties: Vec::new(),
            traced: vec![Vec::new(); model.node_count()],
            heeded: 0,
            meets_bodies: vec![false; model.node_count()],
            zones: ImpactZones::default(),
            tangle: Tangle::for_model(model),
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

    /// The contacts of the last step.
    pub(super) fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// What it came to in the last step.
    pub fn report(&self) -> Option<ContactReport> {
        self.report
    }

    /// Contacts that the solve of an implicit step should know of: of features that are near, and of those
    /// that would come near. And what sticks to each other.
    pub fn forecast(
        &mut self,
        outlook: &Outlook<impl Fn(usize) -> [DVec3; 2] + Sync>,
        cushions: &mut Vec<Cushion>,
        ties: &mut Vec<Tie>,
    ) {
        let context = &outlook.context;
        self.ties.iter_mut().for_each(|tie| tie.forecast(outlook));
        ties.extend_from_slice(&self.ties);
        let step = ContactStep {
            model: context.model,
            starts: &context.state.positions,
            mobility: Mobility {
                inverse_masses: &context.model.inverse_masses,
                filters: &context.holds.filters,
            },
            around: &Surroundings::default(),
            h: context.h,
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
        for pair in &self.pairs {
            let Some(contact) = self.surface.impact(pair, &step, ends, pair.thickness) else {
                continue;
            };
            let gap = |at: DVec3| at.dot(contact.normal());
            let carried = contact.combine_with(|i| (outlook.places)(i)[1]);
            let gaps = Gaps {
                start: gap(contact.combine(step.starts)),
                carried: gap(carried),
                step: context.h,
                reach: context.reach,
            };
            cushions.push(Cushion::new(contact, &gaps));
            let aim = PENALTY_YIELD * pair.thickness;
            let nearer = pair.start + RESTORED_PER_STEP * (aim - pair.start);
            self.bounds.push((nearer.min(aim), pair.thickness));
        }
    }

    /// What the solve made of the contacts that were forecast, and of the ties.
    pub fn learn(&mut self, cushions: &[Cushion], velocities: &[DVec3], reach: f64) {
        self.is_forecast = true;
        let ties = self.ties.iter_mut();
        ties.for_each(|tie| tie.learn(velocities, reach));
        self.loaded.clear();
        let known = cushions.iter().zip(&self.bounds);
        self.loaded
            .extend(known.map(|(cushion, &(bound, thickness))| {
                (cushion.loaded(velocities, reach, bound), thickness)
            }));
    }

    /// Moves the candidates so that no two features pass through each other; bodies between nodes have contacts that are `standing`.
    pub fn apply(
        &mut self,
        context: &Context,
        around: &Surroundings,
        standing: &[(Contact, u32)],
        trial: &mut Trial,
    ) {
        let Context {
            model,
            state,
            h,
            reach,
            ..
        } = *context;
        let candidates = &mut trial.candidates;
        let step = ContactStep {
            model,
            starts: &state.positions,
            mobility: Mobility {
                inverse_masses: &model.inverse_masses,
                filters: &context.holds.filters,
            },
            around,
            h,
        };
        for (wanted, candidate) in self.wanted.iter_mut().zip(&*candidates) {
            *wanted = candidate.position;
        }
        self.ends.copy_from_slice(&self.wanted);
        let report = self.resolve(&step, standing);
        if let Some(tangle) = &mut self.tangle {
            tangle.finish(report.missed > 0);
        }
        self.report = Some(report);
        let (ends, wanted) = (&self.ends, &self.wanted);
        parallel::for_each(candidates, |i, candidate| {
            if ends[i] != wanted[i] {
                candidate.velocity += (ends[i] - wanted[i]) / reach;
                candidate.position = ends[i];
            }
        });
        self.book(model, &mut trial.loads.given, reach);
    }

    fn resolve(&mut self, step: &ContactStep, standing: &[(Contact, u32)]) -> ContactReport {
        let mut report = ContactReport::default();
        self.contacts.clear();
        let ends = &self.ends;
        let known = self.loaded.drain(..);
        let known = known.filter(|(contact, thickness)| contact.concerns(ends, *thickness));
        self.contacts.extend(known.map(|(contact, _)| contact));
        self.body_contacts.clear();
        self.bodies_met.clear();
        self.body_contacts.extend(standing.iter().map(|(c, _)| c));
        self.bodies_met.extend(standing.iter().map(|(_, b)| b));
        self.traced.iter_mut().for_each(Vec::clear);
        self.heeded = 0;
        self.meets_bodies.fill(false);
        self.zones.clear();
        self.draw_apart(step);
        self.find_pairs(step);
        self.meet_neighbours(step, &mut report);
        self.meet_bodies(step);
        self.relax(step);
        for round in 1..=COLLISION_ROUNDS {
            report.rounds = round;
            self.refresh(step);
            let found = self.look(step, round == 1);
            report.collisions += found;
            if found == 0 {
                return report;
            }
            if round < COLLISION_ROUNDS {
                self.meet_collisions(step);
                self.meet_bodies(step);
                self.relax(step);
            }
        }
        self.join_zones(step, &mut report);
        report
    }

    /// Asks that what intersects comes apart, a little.
    fn draw_apart(&mut self, step: &ContactStep) {
        if let Some(tangle) = &mut self.tangle {
            tangle.look(step.model, step.starts);
            let offsets = &self.surface.offsets;
            let pulls = tangle.contacts(step.starts, offsets, &step.mobility, step.h);
            self.contacts.extend(pulls);
        }
    }

    /// Finds the pairs that may meet on the present paths.
    fn find_pairs(&mut self, step: &ContactStep) {
        let Surface {
            broad_phase,
            offsets,
            ..
        } = &mut self.surface;
        let offsets = &*offsets;
        broad_phase.update(step.starts, &self.ends, |i| {
            (1.0 + CANDIDATE_SLACK) * offsets[i]
        });
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
    fn meet_neighbours(&mut self, step: &ContactStep, report: &mut ContactReport) {
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
            let bound = pair.start + RESTORED_PER_STEP * (pair.thickness - pair.start);
            let contact = self.surface.contact(pair, &closest, bound, &step.mobility);
            self.contacts.extend(contact);
        }
    }

    /// Contacts of the collisions that the last detection found.
    fn meet_collisions(&mut self, step: &ContactStep) {
        for pair in &self.pairs {
            let bound = COLLISION_AIM * pair.thickness.min(pair.start);
            let contact = self.surface.impact(pair, step, &self.ends, bound);
            self.contacts.extend(contact);
        }
    }

    /// Solves all contacts so far, then checks bodies again.
    fn relax(&mut self, step: &ContactStep) {
        if self.contacts.is_empty() && self.ties.is_empty() {
            return;
        }
        let thinnest = self
            .surface
            .offsets
            .iter()
            .copied()
            .fold(f64::INFINITY, f64::min);
        let tolerance = GAP_TOLERANCE * 2.0 * thinnest;
        relax(
            Duties {
                bodies: &mut self.body_contacts,
                ties: &mut self.ties,
                cloths: &mut self.contacts,
            },
            step.starts,
            &step.mobility,
            &mut self.ends,
            tolerance,
            RELAXATION_SWEEPS,
        );
        if step.around.is_empty() {
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
                let (bodies, offset) = (&step.around.bodies, step.around.offsets[i]);
                let met = |body: usize, before: &Candidate, after: &Candidate| {
                    book(traced, body, after.position - before.position);
                };
                *end = collide(bodies, i, start, candidate, offset, step.h, met).position;
            }
        });
    }

    /// Finds pairs anew if ends have left the boxes that they were found in.
    fn refresh(&mut self, step: &ContactStep) {
        let offsets = &self.surface.offsets;
        let moved = self.ends.iter().zip(&self.boxed).enumerate();
        let mut moved =
            moved.map(|(i, (end, boxed))| end.distance(*boxed) - CANDIDATE_SLACK * offsets[i]);
        if moved.any(|beyond| beyond > 0.0) {
            self.find_pairs(step);
            // Whatever was clear has not been looked at.
            self.seen.fill(DVec3::NAN);
        }
    }

    /// Looks for collisions on the present paths; answers how many there are. What has not changed since the
    /// last detection is as it was.
    fn look(&mut self, step: &ContactStep, first: bool) -> usize {
        if first {
            self.seen.fill(DVec3::NAN);
        }
        let (ends, seen) = (&self.ends, &self.seen);
        parallel::for_each(&mut self.pairs, |_, pair| {
            let is_new = |n: u32| ends[n as usize] != seen[n as usize];
            // Features that touch at the start have passed already; they are let go rather than held for
            // ever.
            if pair.start > 0.0 && pair.nodes.into_iter().any(is_new) {
                let kept = LEAST_KEPT * pair.start.min(pair.thickness);
                pair.impact = pair.find_impact(step, ends, kept);
            }
        });
        self.seen.copy_from_slice(&self.ends);
        self.pairs.iter().filter(|p| p.impact.is_some()).count()
    }
}
