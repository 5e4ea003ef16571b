//! Mass–spring cloth (Provot 1995): structural, shear and flexion springs from physical moduli.
//!
//! A spring stands for a ribbon of cloth. The factors below make a square grid of quads store the energy
//! of the continuous sheet for each kind of deformation by itself. (Diagonals and flexion springs stretch a
//! little along with the cloth and stiffen it; the book says by how much.)
//!
//! * **structural**, every edge: `k = Y w`, where the ribbon's width `w` is the area beside the edge over
//!   its length: all of each neighbouring triangle, half of each neighbouring quad. Exact for quads and
//!   for a mesh of equilateral triangles with Poisson's ratio 1/3.
//! * **shear**, every cross edge: a quad of area `A` with diagonals `d` sheared by `γ` lengthens one and
//!   shortens the other by `γ/2`; `½ S γ² A = 2 · ½ k d (γ/2)²` gives `k = 2 S A / d`. In a triangle mesh
//!   each triangle belongs to three pairs, so a pair takes a third of its area.
//! * **flexion**: a spring over two segments of length `a` bent by `θ` shortens by `θ²/8`: straight springs
//!   resist bending only with the fourth power of the angle, and no stiffness equals a bending rigidity `D`
//!   for all curvatures. We match the energy `½ D κ² · 2a w · ½` at the curvature [`MATCHED_CURVATURE`],
//!   a fold of 5 cm radius: `k = 32 D w / (a⁴ κ²)`. Gentler bends feel softer, sharper ones stiffer.
//!
//! On quads flexion springs skip one node along the grid lines; on triangles they join the opposite
//! corners of each triangle pair.

use super::{Spring, SpringBatch};
use crate::mesh::{CrossKind, Face, RestShape, Topology};
use glam::DVec2;
use std::collections::HashMap;

/// Curvature (1/m) at which flexion springs store the energy of the bending rigidity. A convention: springs
/// can match one curvature only, and this is a fold of 5 cm radius.
pub const MATCHED_CURVATURE: f64 = 20.0;

/// Moduli of the cloth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassSpringMaterial {
    /// Stretch stiffness `Y` (N/m): force per width at 100 % strain.
    pub stretch: f64,
    /// Shear stiffness `S` (N/m): force per width at a shear of 1 rad.
    pub shear: f64,
    /// Bending rigidity `D` (N·m).
    pub bend: f64,
    /// Damping time `τ` (s): every spring's axial damping is `τ k / l̄`.
    pub damping: f64,
}

/// Springs of one cloth by what they resist.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MassSpring {
    /// `(nodes, rest length (m), stiffness (N))` of structural springs.
    pub structural: Vec<([u32; 2], f64, f64)>,
    /// The same of shear springs.
    pub shear: Vec<([u32; 2], f64, f64)>,
    /// The same of flexion springs.
    pub flexion: Vec<([u32; 2], f64, f64)>,
}

/// Which pairs of nodes get a spring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeKinds {
    /// Edges and cross edges.
    All,
    /// Cross edges alone: diagonals of quads, opposite corners of triangle pairs.
    Cross,
}

impl MassSpring {
    /// The same spring constant (N/m) everywhere: `f = k (l − l̄)`, whatever the length.
    pub fn uniform(
        topology: &Topology,
        rest: &RestShape,
        constant: f64,
        on: EdgeKinds,
    ) -> MassSpring {
        let edges = topology.edges.iter().map(|e| e.nodes);
        let cross = topology.cross_edges.iter().map(|c| c.nodes);
        let spring = |(nodes, &length): ([u32; 2], &f64)| (nodes, length, constant * length);
        MassSpring {
            structural: match on {
                EdgeKinds::All => edges.zip(&rest.edge_lengths).map(spring).collect(),
                EdgeKinds::Cross => Vec::new(),
            },
            shear: cross.zip(&rest.cross_lengths).map(spring).collect(),
            flexion: Vec::new(),
        }
    }

    /// All springs in one batch, the cloth's nodes shifted by `first_node`, each with damping `τ k / l̄`.
    pub fn batch(&self, first_node: u32, damping_time: f64) -> SpringBatch {
        let all = self
            .structural
            .iter()
            .chain(&self.shear)
            .chain(&self.flexion);
        let springs = all.filter(|(_, _, k)| *k > 0.0);
        let mut springs: Vec<_> = springs
            .map(|&(nodes, rest_length, stiffness)| Spring {
                nodes: nodes.map(|n| n + first_node),
                rest_length,
                stiffness,
                damping: damping_time * stiffness / rest_length,
            })
            .collect();
        // In the order of the matrix's blocks, so that assembly goes through its memory once.
        springs.sort_by_key(|spring| {
            let [a, b] = spring.nodes;
            (a.max(b), a.min(b))
        });
        SpringBatch { springs }
    }
}

/// Lays springs over a cloth.
pub fn mass_spring(
    topology: &Topology,
    rest: &RestShape,
    material: &MassSpringMaterial,
) -> MassSpring {
    MassSpring {
        structural: structural(topology, rest, material.stretch),
        shear: shear(topology, rest, material.shear),
        flexion: flexion(topology, rest, material.bend),
    }
}

pub(super) fn structural(
    topology: &Topology,
    rest: &RestShape,
    stretch: f64,
) -> Vec<([u32; 2], f64, f64)> {
    let edges = topology.edges.iter().zip(&rest.edge_lengths);
    edges
        .map(|(edge, &length)| {
            let width = ribbon_area(topology, rest, edge.faces()) / length;
            (edge.nodes, length, stretch * width)
        })
        .collect()
}

fn ribbon_area(topology: &Topology, rest: &RestShape, faces: impl Iterator<Item = u32>) -> f64 {
    faces
        .map(|f| match topology.faces[f as usize] {
            Face::Tri(_) => rest.areas[f as usize],
            Face::Quad(_) => 0.5 * rest.areas[f as usize],
        })
        .sum()
}

pub(super) fn shear(
    topology: &Topology,
    rest: &RestShape,
    shear: f64,
) -> Vec<([u32; 2], f64, f64)> {
    let cross = topology.cross_edges.iter().zip(&rest.cross_lengths);
    cross
        .map(|(cross, &length)| {
            let area = match cross.kind {
                CrossKind::QuadDiagonal { face } => rest.areas[face as usize],
                CrossKind::TrianglePair { edge } => pair_area(topology, rest, edge) / 3.0,
            };
            (cross.nodes, length, 2.0 * shear * area / length)
        })
        .collect()
}

fn pair_area(topology: &Topology, rest: &RestShape, edge: u32) -> f64 {
    let faces = topology.edges[edge as usize].faces();
    faces.map(|f| rest.areas[f as usize]).sum()
}

fn flexion(topology: &Topology, rest: &RestShape, bend: f64) -> Vec<([u32; 2], f64, f64)> {
    let matched = |nodes: [u32; 2], length: f64, width: f64| {
        let half = 0.5 * length;
        let k = 32.0 * bend * width / (half.powi(4) * MATCHED_CURVATURE * MATCHED_CURVATURE);
        (nodes, length, k)
    };
    let mut springs = skip_one_springs(topology, rest, &matched);
    for (cross, &length) in topology.cross_edges.iter().zip(&rest.cross_lengths) {
        if let CrossKind::TrianglePair { edge } = cross.kind {
            // The hinge's ribbon: two thirds of the pair's area, as wide as that over its length.
            let width = pair_area(topology, rest, edge) * (2.0 / 3.0) / length;
            springs.push(matched(cross.nodes, length, width));
        }
    }
    springs
}

/// At a node inside a quad grid, the four edges are two straight lines; each joins two nodes that a flexion
/// spring skips over. Two quads that share an edge continue each other's sides, so the walk is: side of
/// one quad, across the shared edge, the side of the next that starts at the same node.
fn skip_one_springs(
    topology: &Topology,
    rest: &RestShape,
    matched: &impl Fn([u32; 2], f64, f64) -> ([u32; 2], f64, f64),
) -> Vec<([u32; 2], f64, f64)> {
    // (outer nodes, middle) → (sum of lengths, ribbon area beside the line, times met)
    let mut lines: HashMap<([u32; 2], u32), (f64, f64, f64)> = HashMap::new();
    for edge in topology.edges.iter().filter(|e| !e.is_boundary()) {
        for middle in edge.nodes {
            let mut ends = [(0u32, 0.0, 0.0); 2];
            let mut found = 0;
            for face in edge.faces() {
                if let Some(side) = side_at(topology, rest, face, middle, edge.nodes) {
                    ends[found] = side;
                    found += 1;
                }
            }
            if found < 2 || ends[0].0 == ends[1].0 {
                continue;
            }
            let outer = [ends[0].0.min(ends[1].0), ends[0].0.max(ends[1].0)];
            let line = lines.entry((outer, middle)).or_default();
            line.0 += ends[0].1 + ends[1].1;
            line.1 += ends[0].2 + ends[1].2;
            line.2 += 1.0;
        }
    }
    let mut springs: Vec<_> = lines
        .into_iter()
        .map(|((outer, middle), (lengths, area, met))| {
            let length = lengths / met;
            (middle, matched(outer, length, 0.5 * area / length))
        })
        .collect();
    springs.sort_by_key(|(middle, (outer, _, _))| (*outer, *middle));
    springs.into_iter().map(|(_, spring)| spring).collect()
}

/// The side of a quad that leaves `middle` other than the shared edge: its far node, its length and the
/// quad's area.
fn side_at(
    topology: &Topology,
    rest: &RestShape,
    face: u32,
    middle: u32,
    shared: [u32; 2],
) -> Option<(u32, f64, f64)> {
    let Face::Quad(corners) = topology.faces[face as usize] else {
        return None;
    };
    let at = corners.iter().position(|&n| n == middle)?;
    let flat: &[DVec2; 4] = &rest.corners[face as usize];
    let neighbours = [(at + 1) % 4, (at + 3) % 4];
    let far = neighbours
        .into_iter()
        .find(|&k| !shared.contains(&corners[k]))?;
    let length = flat[far].distance(flat[at]);
    Some((corners[far], length, rest.areas[face as usize]))
}
