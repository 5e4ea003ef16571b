//! Cloth that passes through cloth, and which way leads out.
//!
//! **Contours.** Where two triangles intersect, sides of one cross the other. Crossings with a side or a
//! triangle in common belong to one contour. (`contour`)
//!
//! **Sides.** A contour that cuts a piece off a cloth says which way is out: the smaller piece went through
//! and must go back. Nodes at the ends of the sides that cross are drawn through the triangles between them,
//! row by row, until nothing is left of the piece. That is global intersection analysis after Baraff, Witkin
//! and Kass (2003), with their flood fill over nodes. (`sides`)
//!
//! **Length.** A contour that cuts nothing off, from the border of one cloth to that of the other, is made
//! shorter until it vanishes (Volino and Magnenat-Thalmann 2006). Where a side with direction `E` crosses a
//! triangle with normal `N`, the crossing follows the side's point by `I − E Nᵀ/(N·E)` and the triangle's by
//! `E Nᵀ/(N·E)`. With `R` the sum of the directions in which the contour leaves it, moving the side against
//! the triangle by `δ` shortens the contour by `(R − (R·E)/(N·E) N)·δ`.
//!
//! Both are asked of a step as contacts with a bound that is drawn in, at most [`PULL`] metres a second: they
//! find their place among all other contacts, and bodies and masses are heeded. Meanwhile features of
//! triangles that intersect are free to pass each other, and no other ones are: what is apart stays apart,
//! and a contour can only move on.

mod contour;
mod sides;

use super::response::{Contact, Mobility};
use crate::geometry::closest::Closest;
use crate::mesh::{Face, self_intersections};
use crate::model::Model;
use contour::Contour;
use glam::DVec3;
use std::collections::{HashMap, HashSet};

/// How fast intersecting pieces are drawn apart (m/s): what cloth falls at after 20 ms. Chosen, not derived;
/// the lab experiment `untangle` counts what is left.
const PULL: f64 = 0.2;
/// How far beyond the triangle they are drawn, as a part of the thickness: enough that rounding does not
/// leave them intersecting. Covered by `tests/untangle.rs`.
const BEYOND: f64 = 0.25;

/// Where a side crosses a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Crossing {
    /// The ends of the side, the lower first.
    side: [u32; 2],
    triangle: u32,
    /// Where along the side (0 to 1), and the weights of the triangle's corners.
    share: f64,
    weights: [f64; 3],
    /// Where (m).
    at: DVec3,
}

/// A node to be drawn along a direction, against a triangle.
#[derive(Clone, Copy, Debug)]
struct Pull {
    node: u32,
    triangle: u32,
    /// Of the triangle's corners.
    weights: [f64; 3],
    direction: DVec3,
    /// How far it has to go (m).
    way: f64,
}

/// The mesh of all cloths in triangles.
#[derive(Clone, Debug)]
pub(super) struct Tangle {
    triangles: Vec<Face>,
    /// The face that each triangle is of.
    faces: Vec<u32>,
    cloths: Vec<usize>,
    /// Neighbours of each node along sides.
    neighbours: Vec<Vec<u32>>,
    /// Whether the start of the present step has been looked at.
    is_current: bool,
    /// Whether nothing was through when it was last looked at, and nothing has gone through since.
    is_clean: bool,
    /// Triangles that intersect, and those of them at each node and side.
    pairs: HashSet<[u32; 2]>,
    at_node: HashMap<u32, Vec<u32>>,
    at_side: HashMap<[u32; 2], Vec<u32>>,
    /// Nodes that penalty forces leave alone: pieces that are through, and what is at contours.
    astray: Vec<bool>,
    pulls: Vec<Pull>,
}

impl Tangle {
    /// For a model that untangles.
    pub fn for_model(model: &Model) -> Option<Self> {
        if !model.untangles {
            return None;
        }
        let (mut triangles, mut faces, mut cloths) = (Vec::new(), Vec::new(), Vec::new());
        let mut neighbours = vec![Vec::new(); model.node_count()];
        for (number, cloth) in model.cloths.iter().enumerate() {
            let first = cloth.nodes.start as u32;
            for face in &cloth.topology.faces {
                let next = faces.last().map_or(0, |f| f + 1);
                for corners in face.triangles() {
                    let corners = corners.map(|n| n + first);
                    triangles.push(Face::Tri(corners));
                    faces.push(next);
                    cloths.push(number);
                    for [a, b] in sides_of(corners) {
                        neighbours[a as usize].push(b);
                        neighbours[b as usize].push(a);
                    }
                }
            }
        }
        for list in &mut neighbours {
            list.sort_unstable();
            list.dedup();
        }
        Some(Tangle {
            astray: vec![false; neighbours.len()],
            triangles,
            faces,
            cloths,
            neighbours,
            is_current: false,
            is_clean: false,
            pairs: HashSet::new(),
            at_node: HashMap::new(),
            at_side: HashMap::new(),
            pulls: Vec::new(),
        })
    }

    /// Looks at the start of a step, unless that has been done.
    pub fn look(&mut self, model: &Model, positions: &[DVec3]) {
        if !std::mem::replace(&mut self.is_current, true) && !self.is_clean {
            self.analyse(model, positions);
            self.is_clean = self.pairs.is_empty();
        }
    }

    /// The step is over; `missed` if it has left collisions.
    pub fn finish(&mut self, missed: bool) {
        self.is_current = false;
        self.is_clean &= !missed;
    }

    /// What a look would find anew is looked for anew.
    pub fn begin(&mut self) {
        self.is_current = false;
    }

    fn corners(&self, triangle: u32) -> [u32; 3] {
        match self.triangles[triangle as usize] {
            Face::Tri(corners) => corners,
            Face::Quad([a, b, c, _]) => [a, b, c],
        }
    }

    /// Finds what is through and which way leads out.
    fn analyse(&mut self, model: &Model, positions: &[DVec3]) {
        let meets = |pair: &[u32; 2]| {
            let [a, b] = pair.map(|t| self.cloths[t as usize]);
            let [f, g] = pair.map(|t| self.faces[t as usize]);
            let [p, q] = pair.map(|t| self.corners(t));
            f != g && model.meets(a, b) && !model.sewn.join(&p, &q)
        };
        let all = self_intersections(positions, &self.triangles);
        let pairs: Vec<_> = all.into_iter().map(|p| p.faces).filter(meets).collect();
        self.note(&pairs);
        self.pulls.clear();
        self.astray.fill(false);
        for contour in contour::contours(self, &pairs, positions) {
            let cut = sides::smaller_piece(&self.neighbours, &contour, &model.masses);
            match cut {
                Some(piece) => self.draw_back(&contour, &piece, positions),
                None => self.shorten(&contour, positions),
            }
        }
    }

    /// Remembers which triangles intersect.
    fn note(&mut self, pairs: &[[u32; 2]]) {
        self.pairs = pairs.iter().copied().collect();
        self.at_node.clear();
        self.at_side.clear();
        let mut through: Vec<u32> = pairs.concat();
        through.sort_unstable();
        through.dedup();
        for triangle in through {
            let corners = self.corners(triangle);
            for node in corners {
                self.at_node.entry(node).or_default().push(triangle);
            }
            for side in sides_of(corners) {
                self.at_side.entry(side).or_default().push(triangle);
            }
        }
    }

    /// Draws the nodes of a piece that is through back, at its rim.
    fn draw_back(&mut self, contour: &Contour, piece: &HashSet<u32>, positions: &[DVec3]) {
        for &node in piece {
            self.astray[node as usize] = true;
        }
        for crossing in &contour.crossings {
            let [a, b] = crossing.side;
            let (inside, outside) = match (piece.contains(&a), piece.contains(&b)) {
                (true, false) => (a, b),
                (false, true) => (b, a),
                _ => continue,
            };
            let Some(normal) = self.normal(crossing.triangle, positions) else {
                continue;
            };
            let home = positions[outside as usize] - crossing.at;
            let direction = normal * home.dot(normal).signum();
            let depth = (crossing.at - positions[inside as usize]).dot(direction);
            self.pulls.push(Pull {
                node: inside,
                triangle: crossing.triangle,
                weights: crossing.weights,
                direction,
                way: depth.max(0.0),
            });
        }
    }

    /// Moves the sides of a contour so that it becomes shorter.
    fn shorten(&mut self, contour: &Contour, positions: &[DVec3]) {
        let gradients = contour.gradients(self, positions);
        for (crossing, gradient) in contour.crossings.iter().zip(gradients) {
            for node in crossing
                .side
                .into_iter()
                .chain(self.corners(crossing.triangle))
            {
                self.astray[node as usize] = true;
            }
            let Some(direction) = (-gradient).try_normalize() else {
                continue;
            };
            for node in crossing.side {
                self.pulls.push(Pull {
                    node,
                    triangle: crossing.triangle,
                    weights: crossing.weights,
                    direction,
                    way: f64::INFINITY,
                });
            }
        }
    }

    fn normal(&self, triangle: u32, positions: &[DVec3]) -> Option<DVec3> {
        let area = self.triangles[triangle as usize].vector_area(positions);
        area.try_normalize()
    }

    /// What the next step of `h` seconds is asked for: nodes keep `offsets` (m) from others, half of the
    /// thickness.
    pub fn contacts(
        &self,
        starts: &[DVec3],
        offsets: &[f64],
        mobility: &Mobility,
        h: f64,
    ) -> impl Iterator<Item = Contact> {
        self.pulls.iter().filter_map(move |pull| {
            let [a, b, c] = self.corners(pull.triangle);
            let nodes = [pull.node, a, b, c];
            let weights = pull.weights.map(|w| -w);
            let closest = Closest {
                weights: [1.0, weights[0], weights[1], weights[2]],
                way: pull.direction,
            };
            let at = nodes.map(|n| starts[n as usize]);
            let now: DVec3 = (0..3).map(|k| weights[k] * (at[k + 1] - at[0])).sum();
            let beyond = 2.0 * BEYOND * offsets[pull.node as usize];
            let way = (pull.way + beyond).min(PULL * h);
            let bound = now.dot(pull.direction) + way;
            Contact::new(nodes, &closest, bound, 0.0, mobility)
        })
    }

    /// Whether nothing is through.
    pub fn is_clean(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Whether a node and a triangle are free to pass each other.
    pub fn lets_pass(&self, node: u32, triangle: u32) -> bool {
        let there = self.at_node.get(&node);
        there.is_some_and(|list| list.iter().any(|&t| self.are_through(t, triangle)))
    }

    /// Whether two sides are.
    pub fn lets_sides_pass(&self, one: [u32; 2], other: [u32; 2]) -> bool {
        let [one, other] = [one, other].map(|side| self.at_side.get(&sorted(side)));
        let (Some(one), Some(other)) = (one, other) else {
            return false;
        };
        one.iter()
            .any(|&a| other.iter().any(|&b| self.are_through(a, b)))
    }

    fn are_through(&self, a: u32, b: u32) -> bool {
        self.pairs.contains(&sorted([a, b]))
    }

    /// Whether penalty forces and proximity leave features of these nodes alone.
    pub fn is_astray(&self, nodes: &[u32; 4]) -> bool {
        nodes.iter().any(|&n| self.astray[n as usize])
    }
}

fn sorted([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

/// The sides of a triangle, the lower node of each first.
fn sides_of([a, b, c]: [u32; 3]) -> [[u32; 2]; 3] {
    [sorted([a, b]), sorted([b, c]), sorted([c, a])]
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
