//! Vertex–face and edge–edge contacts between cloths: which pairs are near, which would meet, and when.

use super::CONTACT_TOLERANCE;
use super::contact_row::ContactRow;
use crate::contact::Surface;
use crate::contact::broad_phase::Candidates;
use crate::geometry::ccd;
use crate::geometry::closest::{self, Closest};
use crate::model::Model;
use crate::parallel;
use crate::state::ContactKey;
use glam::DVec3;

/// Features never come nearer than this part of the distance that they started the step with, or of their thickness if that
/// is less: what continuous detection guards. Far below the distance that rows ask for, so that it holds nobody back who
/// obeys them; a choice (`docs/contact.md`, Constants).
const LEAST_KEPT: f64 = 0.1;
/// The part of what is missing to the thickness that a step restores, as the 0.1 of Bridson, Fedkiw and Anderson (2002).
const RESTORED: f64 = 0.1;
/// Pairs stay valid while no node of the search point moves farther than this part of its offset from where they were found.
/// A matter of cost alone: boxes grow with it, and searches become rarer.
const SLACK: f64 = 2.0;

/// Two features that may meet.
#[derive(Clone, Copy, Debug)]
struct Pair {
    key: ContactKey,
    nodes: [u32; 4],
    /// Distance at the start of the step (m).
    start: f64,
    /// Distance that the two keep (m).
    thickness: f64,
    /// What was found of it last.
    found: Found,
}

/// What a look at a pair found.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Found {
    /// The two are far apart and stay so.
    Nothing,
    /// They are nearer than they keep, or would meet: contact where they were looked at.
    Contact(Closest),
    /// They would come too near after this share of the way.
    Impact(Closest, f64),
}

/// Contact between cloths.
#[derive(Debug)]
pub(super) struct ClothPairs {
    surface: Surface,
    candidates: Candidates,
    pairs: Vec<Pair>,
    /// The search point that the pairs were found for (m).
    boxed: Vec<DVec3>,
}

/// The way of an iteration.
#[derive(Clone, Copy)]
pub(super) struct Way<'a> {
    /// Where the nodes were at the start of the step (m).
    pub start: &'a [DVec3],
    /// Where they are, certified free of intersections.
    pub from: &'a [DVec3],
    /// Where they are to go.
    pub to: &'a [DVec3],
}

impl ClothPairs {
    pub fn for_model(model: &Model) -> Option<Self> {
        Some(ClothPairs {
            surface: Surface::of(model)?,
            candidates: Candidates::default(),
            pairs: Vec::new(),
            boxed: vec![DVec3::NAN; model.node_count()],
        })
    }

    /// A step begins at some positions. Pairs of the step before go on for as long as nothing has left its box.
    pub fn begin(&mut self, start: &[DVec3]) {
        if self.covers(start) {
            self.measure(start);
        } else {
            self.boxed.fill(DVec3::NAN);
        }
    }

    /// Whether no node is farther from where its box was made than the pairs are valid for.
    fn covers(&self, places: &[DVec3]) -> bool {
        let offsets = &self.surface.offsets;
        let mut moved = places.iter().zip(&self.boxed).zip(offsets);
        // Boxes that were never made are nowhere, and cover nothing.
        moved.all(|((place, boxed), offset)| place.distance(*boxed) <= SLACK * offset)
    }

    /// Distances at the start of a step.
    fn measure(&mut self, start: &[DVec3]) {
        parallel::for_each(&mut self.pairs, |_, pair| {
            pair.start = pair.closest(start).distance();
        });
    }

    /// Looks at all pairs along a way. Calls `contact` with every contact found, and answers the share of the way up to the
    /// first impact.
    pub fn look(&mut self, model: &Model, way: &Way, mut contact: impl FnMut(ContactRow)) -> f64 {
        self.refresh(model, way);
        let looked = |pair: &Pair| pair.look(way);
        parallel::for_each(&mut self.pairs, |_, pair| pair.found = looked(pair));
        let mut share = 1.0f64;
        for pair in &self.pairs {
            let closest = match pair.found {
                Found::Nothing => continue,
                Found::Contact(closest) => closest,
                Found::Impact(closest, time) => {
                    share = share.min(time);
                    closest
                }
            };
            if let Some(row) = self.row(pair, &closest, way.start) {
                contact(row);
            }
        }
        share
    }

    /// Finds the pairs anew if the search point has left the boxes that they were found in.
    fn refresh(&mut self, model: &Model, way: &Way) {
        if self.covers(way.to) {
            return;
        }
        let Surface {
            broad_phase,
            offsets,
            ..
        } = &mut self.surface;
        let offsets = &*offsets;
        // Whatever lies between the start and the committed place was on the way to an earlier search point.
        broad_phase.update(way.from, way.to, |i| (1.0 + SLACK) * offsets[i]);
        broad_phase.find(&mut self.candidates);
        let sewn = &model.sewn;
        let joined = |nodes: [u32; 4], first| {
            !sewn.is_empty() && sewn.join(&nodes[..first], &nodes[first..])
        };
        self.pairs.clear();
        let points = self.candidates.point_triangle.iter().map(|&p| {
            (
                ContactKey::VertexFace(p[0], p[1]),
                broad_phase.point_triangle_nodes(p),
            )
        });
        let edges = self.candidates.edge_edge.iter().map(|&p| {
            (
                ContactKey::EdgeEdge(p[0], p[1]),
                broad_phase.edge_edge_nodes(p),
            )
        });
        for (key, nodes) in points.chain(edges) {
            let first = if matches!(key, ContactKey::EdgeEdge(..)) {
                2
            } else {
                1
            };
            if !joined(nodes, first) {
                self.pairs.push(Pair {
                    key,
                    nodes,
                    start: 0.0,
                    thickness: offsets[nodes[0] as usize] + offsets[nodes[first] as usize],
                    found: Found::Nothing,
                });
            }
        }
        self.measure(way.start);
        self.boxed.copy_from_slice(way.to);
    }

    /// The row of a pair at its nearest points.
    fn row(&self, pair: &Pair, closest: &Closest, start: &[DVec3]) -> Option<ContactRow> {
        let normal = closest.way.try_normalize()?;
        let other = if pair.is_edges() { 2 } else { 1 };
        let missing = (pair.thickness - pair.start).max(0.0);
        let mut row = ContactRow {
            key: pair.key,
            nodes: pair.nodes,
            weights: closest.weights,
            normal,
            bound: pair.thickness - (1.0 - RESTORED) * missing,
            slack: CONTACT_TOLERANCE * self.surface.offsets[pair.nodes[0] as usize],
            origin: DVec3::ZERO,
            friction: self
                .surface
                .friction_between(pair.nodes[0], pair.nodes[other]),
            stiffness: 0.0,
            began: 0.0,
            push: 0.0,
            drag: DVec3::ZERO,
            radius: 0.0,
            pressure: 0.0,
            missed: f64::INFINITY,
            idle: 0,
        };
        row.origin = row.combine(start);
        Some(row)
    }

    /// Pairs of features that are nearer than they keep at some positions, and the smallest distance among them (m).
    pub fn nearest(&self, positions: &[DVec3]) -> (usize, Option<f64>) {
        let near = self.pairs.iter().filter(|p| p.found != Found::Nothing);
        let distances = near.map(|p| (p.closest(positions).distance(), p.thickness));
        let near = distances.filter(|(distance, thickness)| distance < thickness);
        let (mut count, mut smallest) = (0, None::<f64>);
        for (distance, _) in near {
            count += 1;
            smallest = Some(smallest.map_or(distance, |s| s.min(distance)));
        }
        (count, smallest)
    }
}

impl Pair {
    fn is_edges(&self) -> bool {
        matches!(self.key, ContactKey::EdgeEdge(..))
    }

    fn at(&self, positions: &[DVec3]) -> [DVec3; 4] {
        self.nodes.map(|n| positions[n as usize])
    }

    fn closest(&self, positions: &[DVec3]) -> Closest {
        self.closest_of(&self.at(positions))
    }

    fn closest_of(&self, nodes: &[DVec3; 4]) -> Closest {
        if self.is_edges() {
            closest::edge_edge(nodes)
        } else {
            closest::point_triangle(nodes)
        }
    }

    /// The fastest that any point of one feature moves against any of the other between two positions (m).
    fn fastest(&self, from: &[DVec3; 4], to: &[DVec3; 4]) -> f64 {
        let ways: [DVec3; 4] = std::array::from_fn(|k| to[k] - from[k]);
        let (ours, theirs) = ways.split_at(if self.is_edges() { 2 } else { 1 });
        let against = |a: &DVec3| {
            let squares = theirs.iter().map(|b| a.distance_squared(*b));
            squares.fold(0.0, f64::max)
        };
        ours.iter().map(against).fold(0.0, f64::max).sqrt()
    }

    fn look(&self, way: &Way) -> Found {
        // Features that touch at the start have passed already; they are let go rather than held for ever.
        if self.start == 0.0 {
            return Found::Nothing;
        }
        let (start, from, to) = (self.at(way.start), self.at(way.from), self.at(way.to));
        let kept = LEAST_KEPT * self.start.min(self.thickness);
        let travel = self.fastest(&from, &to);
        if self.start - self.fastest(&start, &from) - travel > self.thickness {
            return Found::Nothing;
        }
        let here = self.closest_of(&from);
        let distance = here.distance();
        // A tenth more, for rounding not to matter.
        if distance - travel <= 1.1 * kept {
            let time = if self.is_edges() {
                ccd::edge_edge_within(&from, &to, kept)
            } else {
                ccd::point_triangle_within(&from, &to, kept)
            };
            if let Some(time) = time {
                let there = std::array::from_fn(|k| from[k].lerp(to[k], time));
                return Found::Impact(self.closest_of(&there), time);
            }
        }
        // Where an end of an edge is nearest, a vertex–face pair says the same.
        let at_end = self.is_edges() && here.weights.contains(&0.0);
        if distance < self.thickness && !at_end {
            Found::Contact(here)
        } else {
            Found::Nothing
        }
    }
}
