//! What a state shows, place by place: numbers for colours, of which the certificate has only the worst.

use crate::contact::{gaps, place_bodies};
use crate::model::Model;
use crate::parallel;
use crate::state::State;
use glam::DVec3;

/// The largest and the smallest principal strain of every face at these positions, through all cloths: of a quad, of its four
/// corners. The certificate's `strain_max` and `strain_min` are the extremes of these.
pub fn face_strains(model: &Model, positions: &[DVec3]) -> Vec<[f64; 2]> {
    let faces = model.cloths.iter().flat_map(|c| &c.topology.faces);
    let mut first = 0;
    let points = faces.map(|face| {
        let count = if face.corners().len() == 3 { 1 } else { 4 };
        first += count;
        first - count..first
    });
    let points: Vec<_> = points.collect();
    parallel::in_order(points.len(), |face| {
        let points = &model.strain_points[points[face].clone()];
        let strains = points.iter().map(|p| p.principal_stretches(positions));
        strains.fold([-1.0f64, f64::INFINITY], |[most, least], [a, b]| {
            [most.max(a - 1.0), least.min(b - 1.0)]
        })
    })
}

/// The distance of every node's surface from the nearest body as it stands now (m), negative where they overlap; nothing without
/// bodies.
pub fn node_gaps(model: &Model, state: &State) -> Vec<f64> {
    let bodies: Vec<_> = place_bodies(model, state, 0.0).collect();
    gaps(&bodies, &state.positions, |i| model.contact_offsets[i])
}
