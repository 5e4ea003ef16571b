//! Colours: one number for each node.

use crate::protocol::Field;
use glam::DVec3;
use std::collections::HashMap;
use toile::contact::ContactPoint;
use toile::fields::{face_strains, node_gaps};
use toile::model::Model;
use toile::simulation::Simulation;
use toile::state::State;

/// A node that contact acted on in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touched {
    /// By its number over all cloths.
    pub node: u32,
    /// Size of the force (N).
    pub force: f32,
    /// Whether one of its contacts slid.
    pub slides: bool,
}

/// Which nodes are around which faces, for all cloths.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// Corners of each face, numbered over all cloths.
    pub faces: Vec<Vec<u32>>,
    /// Edges between two faces: ends, then the faces.
    folds: Vec<[u32; 4]>,
}

impl Surroundings {
    /// Of a model's cloths.
    pub fn new(model: &Model) -> Self {
        let mut faces: Vec<Vec<u32>> = Vec::new();
        for cloth in &model.cloths {
            let first = cloth.nodes.start as u32;
            let corners = cloth.topology.faces.iter().map(|f| f.corners());
            faces.extend(corners.map(|c| c.iter().map(|n| n + first).collect()));
        }
        let mut open: HashMap<[u32; 2], u32> = HashMap::new();
        let mut folds = Vec::new();
        for (number, face) in faces.iter().enumerate() {
            for k in 0..face.len() {
                let [a, b] = [face[k], face[(k + 1) % face.len()]];
                let ends = [a.min(b), a.max(b)];
                match open.remove(&ends) {
                    Some(other) => folds.push([ends[0], ends[1], other, number as u32]),
                    None => drop(open.insert(ends, number as u32)),
                }
            }
        }
        Surroundings { faces, folds }
    }

    /// The field of the present state.
    pub fn of_now(&self, field: Field, simulation: &Simulation) -> Option<Vec<f32>> {
        let positions = simulation.positions();
        let model = simulation.model();
        match field {
            Field::Gap => Some(gaps_of(model, simulation.state())),
            Field::Force | Field::Friction => {
                let found = touched(&simulation.contacts(), positions.len());
                Some(of_touched(field, &found, positions.len()))
            }
            Field::Speed => {
                let speeds = simulation.velocities().iter().map(|v| v.length() as f32);
                Some(speeds.collect())
            }
            _ => self.of_shape(field, model, positions),
        }
    }

    /// The field, if it follows from the shape alone.
    pub fn of_shape(&self, field: Field, model: &Model, positions: &[DVec3]) -> Option<Vec<f32>> {
        match field {
            Field::None => None,
            Field::Stretch => Some(self.around(model, positions, |[most, _]| most, f64::max)),
            Field::Compression => Some(self.around(model, positions, |[_, least]| least, f64::min)),
            Field::Curvature => Some(self.curvature(positions)),
            Field::Gap | Field::Force | Field::Friction | Field::Speed => {
                Some(vec![f32::NAN; positions.len()])
            }
        }
    }

    /// The worst of the faces around each node.
    fn around(
        &self,
        model: &Model,
        positions: &[DVec3],
        of: impl Fn([f64; 2]) -> f64,
        worse: impl Fn(f64, f64) -> f64,
    ) -> Vec<f32> {
        let mut values = vec![f64::NAN; positions.len()];
        for (face, strain) in self.faces.iter().zip(face_strains(model, positions)) {
            for &node in face {
                // The other of two numbers is taken where one is none.
                let value = &mut values[node as usize];
                *value = worse(*value, of(strain));
            }
        }
        values.into_iter().map(|v| v as f32).collect()
    }

    /// The angle between two faces by the distance of their middles, on average over the edges of each node.
    fn curvature(&self, positions: &[DVec3]) -> Vec<f32> {
        let at = |n: &u32| positions[*n as usize];
        let shapes: Vec<[DVec3; 2]> = self
            .faces
            .iter()
            .map(|face| {
                let middle = face.iter().map(at).sum::<DVec3>() / face.len() as f64;
                let last = at(&face[face.len() - 1]);
                let normal = (at(&face[1]) - at(&face[0])).cross(last - at(&face[0]));
                [middle, normal.normalize_or_zero()]
            })
            .collect();
        let mut sums = vec![(0.0, 0u32); positions.len()];
        for &[a, b, one, other] in &self.folds {
            let [[p, m], [q, n]] = [one, other].map(|f| shapes[f as usize]);
            let angle = m.cross(n).length().atan2(m.dot(n));
            let curvature = angle / p.distance(q).max(f64::MIN_POSITIVE);
            for node in [a, b] {
                let sum = &mut sums[node as usize];
                *sum = (sum.0 + curvature, sum.1 + 1);
            }
        }
        let means = sums.into_iter().map(|(sum, count)| match count {
            0 => f32::NAN,
            _ => (sum / f64::from(count)) as f32,
        });
        means.collect()
    }
}

/// The gap of every node to the bodies as they stand in a state (m).
pub fn gaps_of(model: &Model, state: &State) -> Vec<f32> {
    let gaps = node_gaps(model, state);
    match gaps.is_empty() {
        true => vec![f32::NAN; state.positions.len()],
        false => gaps.into_iter().map(|g| g as f32).collect(),
    }
}

/// What contact did to nodes, of which there are so many in all.
pub fn touched(points: &[ContactPoint], nodes: usize) -> Vec<Touched> {
    if points.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<Option<(DVec3, bool)>> = vec![None; nodes];
    for point in points {
        for (&node, weight) in point.nodes.iter().zip(point.weights) {
            if weight != 0.0 {
                let (force, slides) = found[node as usize].get_or_insert_default();
                *force += weight * point.force;
                *slides |= point.is_sliding;
            }
        }
    }
    let all = found.into_iter().zip(0..);
    let all = all.filter_map(|(found, node)| {
        found.map(|(force, slides)| Touched {
            node,
            force: force.length() as f32,
            slides,
        })
    });
    all.collect()
}

/// The field of all nodes that follows from those that contact acted on: force, or friction.
pub fn of_touched(field: Field, touched: &[Touched], nodes: usize) -> Vec<f32> {
    let mut values = vec![0.0; nodes];
    for one in touched {
        values[one.node as usize] = match (field, one.slides) {
            (Field::Friction, true) => 2.0,
            (Field::Friction, false) => 1.0,
            _ => one.force,
        };
    }
    values
}
