//! The hinges of a whole cloth, in a fixed order.
//!
//! First those of four nodes (triangle pairs in the order of the edges, then the diagonals of quads in the
//! order of the faces), then those of five, then those of six, both in the order of the edges. Rest angles
//! stand in one list in this order.

use super::{BendLaw, HingeBatch, HingeHessian, HingeShape, Hinges};
use crate::mesh::{Edge, Face, RestShape, Topology};
use crate::parallel;
use glam::{DVec2, DVec3};
use thiserror::Error;

/// How a cloth resists bending.
#[derive(Clone, Debug)]
pub struct HingeMaterial {
    /// Moment against angle, with the rigidities.
    pub law: BendLaw,
    /// Damping time `τ` (s): the damping moment is `τ c dθ/dt`.
    pub damping_time: f64,
    /// The stiffness that implicit steps get.
    pub hessian: HingeHessian,
}

/// All hinges of a cloth.
#[derive(Clone, Debug)]
pub struct ClothHinges {
    /// Between triangles, then about the diagonals of quads.
    pub four: HingeBatch<4>,
    /// Between a triangle and a quad.
    pub five: HingeBatch<5>,
    /// Between quads.
    pub six: HingeBatch<6>,
    /// How many of the four-node hinges are diagonals of quads. They come last.
    pub diagonals: usize,
    /// Edges without a hinge although two faces meet there: one of the faces has all its nodes in the other.
    pub left_out: usize,
    /// For each edge which of the four-node hinges is its own.
    of_edges: Vec<Option<u32>>,
    first_node: u32,
    node_count: usize,
}

/// Where a cloth's rest angles come from.
#[derive(Clone, Copy, Debug)]
pub enum RestAngles<'a> {
    /// Flat.
    Flat,
    /// As folded in these positions of the cloth's nodes (m): its own mesh, or a second one with the same
    /// faces.
    Positions(&'a [DVec3]),
    /// The same angle (rad) at every edge. The diagonals of quads rest flat.
    Constant(f64),
}

/// Positions that do not fit the cloth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "the mesh for the rest angles has {given} nodes, the cloth {wanted}; it must have the same nodes in the same order"
)]
pub struct RestAnglesError {
    /// Nodes of the mesh that was given.
    pub given: usize,
    /// Nodes of the cloth.
    pub wanted: usize,
}

/// Lays hinges over a cloth whose nodes start at `first_node` in the world.
pub fn cloth_hinges(
    topology: &Topology,
    rest: &RestShape,
    first_node: u32,
    material: &HingeMaterial,
) -> ClothHinges {
    let mut hinges = ClothHinges {
        four: HingeBatch::new(material),
        five: HingeBatch::new(material),
        six: HingeBatch::new(material),
        diagonals: 0,
        left_out: 0,
        of_edges: vec![None; topology.edges.len()],
        first_node,
        node_count: topology.node_count,
    };
    let edges = topology.edges.iter().zip(&rest.edge_lengths);
    for (index, (edge, &length)) in edges.enumerate() {
        if edge.is_boundary() {
            continue;
        }
        let before = hinges.four.len();
        match about_edge(topology, rest, edge) {
            Some(found) => hinges.push_edge(found, length, &material.law),
            None => hinges.left_out += 1,
        }
        if hinges.four.len() > before {
            hinges.of_edges[index] = Some(before as u32);
        }
    }
    for (index, face) in topology.faces.iter().enumerate() {
        if let Face::Quad(corners) = *face {
            let (flat, area) = (&rest.corners[index], rest.areas[index]);
            hinges.push_diagonals(corners, flat, area, &material.law);
        }
    }
    hinges
}

/// The wing point of a face about one of its edges.
struct Wing {
    first: u32,
    second: Option<u32>,
    /// Height over the edge at rest (m).
    height: f64,
    warp_share: f64,
}

/// The hinge about an edge, the first wing's face on the left of its direction.
struct AboutEdge {
    ends: [u32; 2],
    wings: [Wing; 2],
}

fn about_edge(topology: &Topology, rest: &RestShape, edge: &Edge) -> Option<AboutEdge> {
    let mut faces = edge.faces();
    let (left, right) = (faces.next()?, faces.next()?);
    let [a, b] = edge.nodes;
    let forward = topology.faces[left as usize]
        .edges()
        .any(|side| side == [a, b]);
    let wing = |face: u32, other: u32| {
        let others = topology.faces[other as usize].corners();
        let (face, flat) = (&topology.faces[face as usize], &rest.corners[face as usize]);
        wing_of(face, flat, edge.nodes, others)
    };
    Some(AboutEdge {
        ends: if forward { [a, b] } else { [b, a] },
        wings: [wing(left, right)?, wing(right, left)?],
    })
}

/// The corners that are not on the edge make the wing point. A node that belongs to both faces can be the
/// wing of neither, since an element names no node twice.
fn wing_of(face: &Face, flat: &[DVec2; 4], ends: [u32; 2], others: &[u32]) -> Option<Wing> {
    let corners = face.corners();
    let at = |node: u32| corners.iter().position(|&n| n == node).map(|k| flat[k]);
    let (from, to) = (at(ends[0])?, at(ends[1])?);
    let along = (to - from).normalize();
    let mut own = corners.iter().copied().filter(|n| !others.contains(n));
    let (first, second) = (own.next()?, own.next());
    let tip = match second {
        Some(node) => 0.5 * (at(first)? + at(node)?),
        None => at(first)?,
    };
    Some(Wing {
        first,
        second,
        height: along.perp_dot(tip - from).abs(),
        warp_share: along.y * along.y,
    })
}

impl ClothHinges {
    fn push_edge(&mut self, found: AboutEdge, length: f64, law: &BendLaw) {
        let AboutEdge { ends, wings } = found;
        let spacing = 0.5 * (wings[0].height + wings[1].height);
        let warp_share = 0.5 * (wings[0].warp_share + wings[1].warp_share);
        let shape = law.shape(spacing, length * spacing, warp_share);
        let ([p, q], [left, right]) = (ends, wings);
        let shift = self.first_node;
        match (left.second, right.second) {
            (None, None) => {
                let nodes = [left.first, right.first, p, q].map(|n| n + shift);
                self.four.push(nodes, shape);
            }
            (None, Some(second)) => {
                let nodes = [left.first, right.first, second, p, q].map(|n| n + shift);
                self.five.push(nodes, shape);
            }
            // Seen from the other side the triangle is the left face.
            (Some(second), None) => {
                let nodes = [right.first, left.first, second, q, p].map(|n| n + shift);
                self.five.push(nodes, shape);
            }
            (Some(a), Some(b)) => {
                let nodes = [left.first, a, right.first, b, p, q].map(|n| n + shift);
                self.six.push(nodes, shape);
            }
        }
    }

    fn push_diagonals(&mut self, corners: [u32; 4], flat: &[DVec2; 4], area: f64, law: &BendLaw) {
        let [a, b, c, d] = corners.map(|n| n + self.first_node);
        for (nodes, diagonal) in [
            ([d, b, a, c], flat[2] - flat[0]),
            ([a, c, b, d], flat[3] - flat[1]),
        ] {
            let length = diagonal.length();
            let warp_share = (diagonal.y / length).powi(2);
            self.four.push(nodes, law.shape(length, area, warp_share));
            self.diagonals += 1;
        }
    }

    /// For each edge which of the four-node hinges is its own, if it is one between triangles.
    pub(in crate::energy) fn of_edges(&self) -> &[Option<u32>] {
        &self.of_edges
    }

    /// The cloth's first node in the world.
    pub(in crate::energy) fn first_node(&self) -> u32 {
        self.first_node
    }

    /// How many hinges there are.
    pub fn len(&self) -> usize {
        self.four.len() + self.five.len() + self.six.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What every hinge stands for, in order.
    pub fn shapes(&self) -> impl Iterator<Item = &HingeShape> {
        let longer = self.five.shapes().iter().chain(self.six.shapes());
        self.four.shapes().iter().chain(longer)
    }

    /// The three batches with the cloth's present rest angles (rad), which stand in one list of
    /// [`len`](Self::len).
    pub fn at_rest<'a>(
        &'a self,
        rest_angles: &'a [f64],
    ) -> (Hinges<'a, 4>, Hinges<'a, 5>, Hinges<'a, 6>) {
        let (four, longer) = rest_angles.split_at(self.four.len());
        let (five, six) = longer.split_at(self.five.len());
        (
            self.four.at_rest(four),
            self.five.at_rest(five),
            self.six.at_rest(six),
        )
    }

    /// The first rest angles (rad) of a cloth.
    pub fn rest_angles(&self, from: RestAngles) -> Result<Vec<f64>, RestAnglesError> {
        let mut angles = vec![0.0; self.len()];
        match from {
            RestAngles::Flat => {}
            RestAngles::Constant(angle) => {
                let edges = self.four.len() - self.diagonals;
                angles[..edges].fill(angle);
                angles[self.four.len()..].fill(angle);
            }
            RestAngles::Positions(positions) => {
                if positions.len() != self.node_count {
                    return Err(RestAnglesError {
                        given: positions.len(),
                        wanted: self.node_count,
                    });
                }
                self.measure(positions, self.first_node, &mut angles);
            }
        }
        Ok(angles)
    }

    /// The present angle of every hinge (rad), given the positions (m) of all nodes of the world. `angles`
    /// has room for [`len`](Self::len).
    pub fn angles(&self, positions: &[DVec3], angles: &mut [f64]) {
        self.measure(positions, 0, angles);
    }

    fn measure(&self, positions: &[DVec3], first: u32, angles: &mut [f64]) {
        let (four, longer) = angles.split_at_mut(self.four.len());
        let (five, six) = longer.split_at_mut(self.five.len());
        measure(&self.four, positions, first, four);
        measure(&self.five, positions, first, five);
        measure(&self.six, positions, first, six);
    }
}

fn measure<const N: usize>(
    batch: &HingeBatch<N>,
    positions: &[DVec3],
    first: u32,
    angles: &mut [f64],
) {
    parallel::fill(angles, |hinge| {
        let x = batch.nodes()[hinge].map(|n| positions[(n - first) as usize]);
        batch.angle(&x)
    });
}
