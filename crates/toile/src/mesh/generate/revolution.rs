//! Surfaces of revolution around the `z` axis.

use super::lattice::Lattice;
use super::ring::circle;
use super::{Face, GridPattern, Mesh};
use glam::DVec3;

/// What is turned around the `z` axis.
pub(super) struct Profile {
    /// Height of the pole at which the surface closes below the first circle (m), if it does.
    pub bottom: Option<f64>,
    /// Radius and height of each circle (m), so that walking along them the outside is on the right:
    /// upwards for a body, inwards for a disc seen from above.
    pub circles: Vec<[f64; 2]>,
    /// Height of the pole at which the surface closes after the last circle (m), if it does.
    pub top: Option<f64>,
}

/// Nodes: the bottom pole if there is one, the circles one after the other, the top pole if there is one.
/// Faces: a fan of triangles, rows of quads, a fan of triangles.
pub(super) fn revolve(profile: &Profile, around: u32) -> Mesh {
    let pole = |height: f64| DVec3::new(0.0, 0.0, height);
    let mut positions: Vec<DVec3> = profile.bottom.map(pole).into_iter().collect();
    let first_node = positions.len() as u32;
    for &[radius, height] in &profile.circles {
        positions.extend(circle(radius, height, around));
    }
    let lattice = Lattice {
        cells: [around, profile.circles.len() as u32 - 1],
        closed: true,
        first_node,
    };
    let mut faces = Vec::new();
    if profile.bottom.is_some() {
        let spoke = |k| [lattice.node([k + 1, 0]), lattice.node([k, 0])];
        faces.extend((0..around).map(spoke).map(|[a, b]| Face::Tri([0, a, b])));
    }
    faces.extend(lattice.faces(GridPattern::Quads));
    if let Some(height) = profile.top {
        let top = positions.len() as u32;
        let last = lattice.cells[1];
        let spoke = |k| [lattice.node([k, last]), lattice.node([k + 1, last])];
        faces.extend((0..around).map(spoke).map(|[a, b]| Face::Tri([top, a, b])));
        positions.push(pole(height));
    }
    Mesh::new(positions, faces)
}
