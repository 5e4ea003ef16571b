//! A flat ring.

use super::lattice::Lattice;
use super::{GenerateError, GridPattern, Mesh, at_least, check, flat_mesh, not_too_many, positive};
use glam::DVec3;
use std::f64::consts::TAU;

/// A flat ring (an annulus) in the plane `z = 0` around the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ring {
    /// Radius of the hole (m).
    pub inner_radius: f64,
    /// Radius of the outer rim (m).
    pub outer_radius: f64,
    /// Cells around and across.
    pub cells: [u32; 2],
    /// Quads or triangles.
    pub pattern: GridPattern,
}

/// Makes a [`Ring`].
///
/// With `[around, across] = cells` there are `around * (across + 1)` nodes; node `row * around + column`
/// stands at the angle `2π * column / around` from the `x` axis (counter-clockwise seen from above), row
/// 0 on the outer rim and row `across` on the inner one. Cells and their corners are ordered as in
/// [`grid`](super::grid()), with the rows running inwards.
pub fn ring(parameters: &Ring) -> Result<Mesh, GenerateError> {
    let Ring {
        inner_radius,
        outer_radius,
        cells,
        pattern,
    } = *parameters;
    positive("inner_radius", inner_radius)?;
    positive("outer_radius", outer_radius)?;
    let wider = outer_radius > inner_radius;
    check("outer_radius", outer_radius, wider, "above `inner_radius`")?;
    at_least("cells[0]", cells[0], 3)?;
    at_least("cells[1]", cells[1], 1)?;
    let nodes = [u64::from(cells[0]), u64::from(cells[1]) + 1];
    not_too_many("cells", nodes, 0)?;
    let positions = (0..=cells[1])
        .map(|row| f64::from(row) / f64::from(cells[1]))
        .map(|inwards| outer_radius + (inner_radius - outer_radius) * inwards)
        .flat_map(|radius| circle(radius, 0.0, cells[0]))
        .collect();
    let lattice = Lattice {
        cells,
        closed: true,
        first_node: 0,
    };
    Ok(flat_mesh(positions, lattice.faces(pattern)))
}

/// Nodes on a level circle around the `z` axis, counter-clockwise seen from above, the first on the
/// side of positive `x`.
pub(super) fn circle(radius: f64, height: f64, count: u32) -> impl Iterator<Item = DVec3> {
    (0..count).map(move |k| {
        let (sin, cos) = (TAU * f64::from(k) / f64::from(count)).sin_cos();
        DVec3::new(radius * cos, radius * sin, height)
    })
}
