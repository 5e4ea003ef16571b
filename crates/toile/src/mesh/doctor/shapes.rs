//! Faces by themselves: their corners, area and angles.

use super::{Cases, FaceNode, Finding, SharpFace};
use crate::mesh::{Face, Mesh};
use glam::DVec3;

/// Below this share of the longest side squared there is no area left to compute with.
const NO_AREA: f64 = 1e-6;
/// Angles below this are slivers (1°).
const SLIVER: f64 = std::f64::consts::PI / 180.0;

/// Finds missing nodes and repeated corners; answers with the faces that have neither.
pub(super) fn check_indices(mesh: &Mesh, findings: &mut Vec<Finding>) -> Vec<u32> {
    let (mut missing, mut repeated) = (Cases::default(), Cases::default());
    let mut sound = Vec::with_capacity(mesh.faces.len());
    for (face, corners) in (0..).zip(mesh.faces.iter().map(Face::corners)) {
        let is_missing = |node: &&u32| **node as usize >= mesh.positions.len();
        let twice = (1..corners.len()).find(|&k| corners[..k].contains(&corners[k]));
        if let Some(&node) = corners.iter().find(is_missing) {
            missing.add(FaceNode { face, node });
        } else if let Some(k) = twice {
            let node = corners[k];
            repeated.add(FaceNode { face, node });
        } else {
            sound.push(face);
        }
    }
    missing.report(Finding::OutOfRange, findings);
    repeated.report(Finding::RepeatedCorner, findings);
    sound
}

/// Finds faces without area, folded quads and slivers; answers with the faces that have finite corners
/// and some area.
pub(super) fn check_shapes(mesh: &Mesh, faces: &[u32], findings: &mut Vec<Finding>) -> Vec<u32> {
    let mut degenerate = Cases::default();
    let (mut folded, mut slivers) = (Cases::default(), Cases::default());
    let mut formed = Vec::with_capacity(faces.len());
    for &face in faces {
        let shape = Shape::new(&mesh.faces[face as usize], &mesh.positions);
        if !shape.is_finite() {
            continue;
        }
        if shape.is_degenerate() {
            degenerate.add(face);
            continue;
        }
        formed.push(face);
        let angle = shape.smallest_angle();
        if shape.is_folded() {
            folded.add(face);
        } else if angle < SLIVER {
            slivers.add(SharpFace { face, angle });
        }
    }
    degenerate.report(Finding::DegenerateFace, findings);
    folded.report(Finding::FoldedQuad, findings);
    slivers.report(Finding::SliverFace, findings);
    formed
}

/// The corners of a face whose nodes exist.
pub(in crate::mesh) struct Shape {
    corners: [DVec3; 4],
    count: usize,
    vector_area: DVec3,
}

impl Shape {
    pub(in crate::mesh) fn new(face: &Face, positions: &[DVec3]) -> Self {
        let mut corners = [DVec3::ZERO; 4];
        for (corner, &node) in corners.iter_mut().zip(face.corners()) {
            *corner = positions[node as usize];
        }
        Shape {
            corners,
            count: face.corners().len(),
            vector_area: face.vector_area(positions),
        }
    }

    pub(super) fn is_finite(&self) -> bool {
        self.corners.iter().all(|p| p.is_finite())
    }

    /// Area (m²); of a bent quad that of its shadow.
    pub(super) fn area(&self) -> f64 {
        self.vector_area.length()
    }

    /// At each corner the side that leaves it and the one that comes in, turned round.
    fn arms(&self) -> impl Iterator<Item = (DVec3, DVec3)> + '_ {
        (0..self.count).map(|k| {
            let at = |offset: usize| self.corners[(k + offset) % self.count];
            (at(1) - at(0), at(self.count - 1) - at(0))
        })
    }

    fn longest_squared(&self) -> f64 {
        let squares = self.arms().map(|(ahead, _)| ahead.length_squared());
        squares.fold(0.0, f64::max)
    }

    /// Whether not even one corner spans an area. (A crossed quad has none as a whole, but its corners do.)
    pub(in crate::mesh) fn is_degenerate(&self) -> bool {
        let spanned = self.arms().map(|(a, b)| 0.5 * a.cross(b).length());
        let largest = spanned.fold(0.0, f64::max);
        // The second part holds for a face so small that its squares vanish.
        largest <= NO_AREA * self.longest_squared() || largest < f64::MIN_POSITIVE
    }

    pub(in crate::mesh) fn is_folded(&self) -> bool {
        let least = NO_AREA * self.longest_squared();
        let up = self.vector_area.normalize_or_zero();
        self.count == 4 && self.arms().any(|(a, b)| a.cross(b).dot(up) <= least)
    }

    /// Smallest corner angle (rad).
    pub(super) fn smallest_angle(&self) -> f64 {
        let angles = self
            .arms()
            .map(|(a, b)| a.cross(b).length().atan2(a.dot(b)));
        angles.fold(f64::INFINITY, f64::min)
    }
}
