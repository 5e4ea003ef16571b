//! The curvatures of a whole cloth's triangles, sorted by how many nodes they depend on.

use super::layout::{Layout, layout};
use super::split::{Edges, split};
use super::{CurvatureBatch, Curvatures};
use crate::energy::{ClothHinges, Elements, HingeMaterial, Visitor};
use crate::mesh::{Face, RestShape, Topology};
use std::collections::HashMap;

/// The curvature of every triangle of a cloth that bends at some edge.
#[derive(Clone, Debug)]
pub struct ClothCurvature {
    /// At a corner of the cloth.
    pub four: CurvatureBatch<4>,
    /// At a rim.
    pub five: CurvatureBatch<5>,
    /// Between parallelograms.
    pub six: CurvatureBatch<6>,
    /// Of seven nodes.
    pub seven: CurvatureBatch<7>,
    /// On grids with alternating diagonals.
    pub eight: CurvatureBatch<8>,
    /// Of nine nodes.
    pub nine: CurvatureBatch<9>,
    /// Of ten nodes.
    pub ten: CurvatureBatch<10>,
    /// Of eleven nodes.
    pub eleven: CurvatureBatch<11>,
    /// Anywhere.
    pub twelve: CurvatureBatch<12>,
}

/// Something to be done with the triangles of every size.
pub(crate) trait Each {
    /// Called for each number of nodes, the smallest first.
    fn curvatures<const N: usize>(&mut self, triangles: &Curvatures<N>);
}

impl ClothCurvature {
    /// Lays curvatures over the triangles of a cloth with these hinges and the same material. Where it bends
    /// about edges of quads it needs the hinges besides; see
    /// [`HingeEnergy::with_curvature`](crate::energy::HingeEnergy::with_curvature).
    ///
    /// Of the laws of the angle only the linear one has a meaning for curvatures; the law of the half angle
    /// counts as linear.
    pub fn new(
        topology: &Topology,
        rest: &RestShape,
        hinges: &ClothHinges,
        material: &HingeMaterial,
    ) -> Self {
        let of_faces = edges_of_faces(topology);
        let edges = Edges {
            topology,
            rest,
            of_faces: &of_faces,
            hinges: hinges.of_edges(),
        };
        let mut splits = vec![Vec::new(); hinges.four.len()];
        for (edge, hinge) in (0..).zip(hinges.of_edges()) {
            if let (Some(hinge), Some(found)) = (hinge, split(&edges, edge)) {
                splits[*hinge as usize] = found;
            }
        }
        let mut all = ClothCurvature::empty(material);
        let (rigidity, first) = (material.law.rigidity(), hinges.first_node());
        for face in 0..topology.faces.len() as u32 {
            if let Some(found) = layout(&edges, face, &splits, &hinges.four, rigidity, first) {
                all.push(&found);
            }
        }
        all
    }

    fn empty(material: &HingeMaterial) -> Self {
        ClothCurvature {
            four: CurvatureBatch::new(material),
            five: CurvatureBatch::new(material),
            six: CurvatureBatch::new(material),
            seven: CurvatureBatch::new(material),
            eight: CurvatureBatch::new(material),
            nine: CurvatureBatch::new(material),
            ten: CurvatureBatch::new(material),
            eleven: CurvatureBatch::new(material),
            twelve: CurvatureBatch::new(material),
        }
    }

    fn push(&mut self, layout: &Layout) {
        match layout.nodes.len() {
            4 => self.four.push(layout),
            5 => self.five.push(layout),
            6 => self.six.push(layout),
            7 => self.seven.push(layout),
            8 => self.eight.push(layout),
            9 => self.nine.push(layout),
            10 => self.ten.push(layout),
            11 => self.eleven.push(layout),
            _ => self.twelve.push(layout),
        }
    }

    /// Goes through the triangles of every size with the cloth's present rest angles (rad).
    pub(crate) fn each(&self, rest_angles: &[f64], each: &mut impl Each) {
        each.curvatures(&self.four.at_rest(rest_angles));
        each.curvatures(&self.five.at_rest(rest_angles));
        each.curvatures(&self.six.at_rest(rest_angles));
        each.curvatures(&self.seven.at_rest(rest_angles));
        each.curvatures(&self.eight.at_rest(rest_angles));
        each.curvatures(&self.nine.at_rest(rest_angles));
        each.curvatures(&self.ten.at_rest(rest_angles));
        each.curvatures(&self.eleven.at_rest(rest_angles));
        each.curvatures(&self.twelve.at_rest(rest_angles));
    }

    pub(crate) fn visit(&self, rest_angles: &[f64], visitor: &mut impl Visitor) {
        struct Pass<'a, V>(&'a mut V);
        impl<V: Visitor> Each for Pass<'_, V> {
            fn curvatures<const N: usize>(&mut self, triangles: &Curvatures<N>) {
                self.0.elements(triangles);
            }
        }
        self.each(rest_angles, &mut Pass(visitor));
    }

    /// How many triangles depend on 4, 5, … 12 nodes.
    pub fn counts(&self) -> [usize; 9] {
        struct Count(Vec<usize>);
        impl Each for Count {
            fn curvatures<const N: usize>(&mut self, triangles: &Curvatures<N>) {
                self.0.push(triangles.count());
            }
        }
        let mut count = Count(Vec::new());
        self.each(&[], &mut count);
        std::array::from_fn(|k| count.0[k])
    }
}

impl<const N: usize> CurvatureBatch<N> {
    fn push(&mut self, layout: &Layout) {
        // No triangle has more than twelve nodes, which is what the largest batch takes.
        let mut nodes = [0; N];
        nodes.copy_from_slice(&layout.nodes);
        self.nodes.push(nodes);
        self.shapes.push(layout.shape);
    }
}

/// The edges of every triangle; none for quads.
pub(super) fn edges_of_faces(topology: &Topology) -> Vec<Vec<u32>> {
    let named = topology.edges.iter().zip(0u32..);
    let named: HashMap<[u32; 2], u32> = named.map(|(edge, index)| (edge.nodes, index)).collect();
    let edge = |[a, b]: [u32; 2]| named[&[a.min(b), a.max(b)]];
    let faces = topology.faces.iter().map(|face| match face {
        Face::Tri(_) => face.edges().map(edge).collect(),
        Face::Quad(_) => Vec::new(),
    });
    faces.collect()
}
