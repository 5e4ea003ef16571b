//! An open tube or skirt.

use super::lattice::{Lattice, LatticeFace};
use super::ring::circle;
use super::{GenerateError, GridPattern, Mesh, at_least, not_too_many, positive};
use glam::DVec2;
use std::f64::consts::PI;

/// A tube around the `z` axis, open at both ends, from `z = -height / 2` to `height / 2`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tube {
    /// Radius at the lower end (m).
    pub radius: f64,
    /// Radius at the upper end (m), if the tube is a cone or a skirt.
    pub top_radius: Option<f64>,
    /// Height (m).
    pub height: f64,
    /// Cells around and along.
    pub cells: [u32; 2],
    /// Quads or triangles.
    pub pattern: GridPattern,
}

/// Makes a [`Tube`]. Its faces look outwards and the seam is closed: the last column of cells ends at the
/// nodes of the first.
///
/// With `[around, along] = cells` there are `around * (along + 1)` nodes; node `row * around + column`
/// stands at the angle `2π * column / around` from the `x` axis (counter-clockwise seen from above), row 0
/// at the lower end. Cells and their corners are ordered as in [`grid`](super::grid()), the rows upwards.
///
/// The texture coordinates are the tube cut along column 0 and rolled out flat: a rectangle, or a sector
/// of a ring for a cone. They are the lengths of the flat cells themselves and not of the round surface
/// behind them, so the pattern fits the mesh without any strain.
pub fn tube(parameters: &Tube) -> Result<Mesh, GenerateError> {
    let Tube { radius, cells, .. } = *parameters;
    let top_radius = parameters.top_radius.unwrap_or(radius);
    positive("radius", radius)?;
    positive("top_radius", top_radius)?;
    positive("height", parameters.height)?;
    at_least("cells[0]", cells[0], 3)?;
    at_least("cells[1]", cells[1], 1)?;
    let nodes = [u64::from(cells[0]), u64::from(cells[1]) + 1];
    not_too_many("cells", nodes, 0)?;
    let positions = (0..=cells[1])
        .map(|row| f64::from(row) / f64::from(cells[1]))
        .flat_map(|up| {
            let height = parameters.height * (up - 0.5);
            circle(radius + (top_radius - radius) * up, height, cells[0])
        })
        .collect();
    let lattice = Lattice {
        cells,
        closed: true,
        first_node: 0,
    };
    let pattern = Unrolled::new(radius, top_radius, parameters.height, cells);
    let place = |face: LatticeFace| {
        let mut uvs = [DVec2::ZERO; 4];
        for (uv, &corner) in uvs.iter_mut().zip(face.corners()) {
            *uv = pattern.place(corner);
        }
        uvs
    };
    Ok(Mesh {
        positions,
        corner_uvs: Some(lattice.cells(parameters.pattern).map(place).collect()),
        faces: lattice.faces(parameters.pattern),
        node_colors: None,
    })
}

/// The mesh rolled out flat, its lower left corner at the origin and its first column pointing straight
/// up.
struct Unrolled {
    cells: [u32; 2],
    /// Length of the slanted side from end to end (m).
    slant: f64,
    /// Length of one cell's lower side (m).
    chord: f64,
    /// Angle by which the pattern turns from column to column, positive if the tube narrows upwards.
    turn: f64,
    /// How much of the lower radius is left at the upper end.
    taper: f64,
}

impl Unrolled {
    fn new(radius: f64, top_radius: f64, height: f64, cells: [u32; 2]) -> Self {
        let slant = height.hypot(radius - top_radius);
        let half_angle = (PI / f64::from(cells[0])).sin();
        Unrolled {
            cells,
            slant,
            chord: 2.0 * radius * half_angle,
            // Each column of cells is a trapezoid whose sides, drawn on, meet at the cone's tip.
            turn: 2.0 * (half_angle * (radius - top_radius) / slant).asin(),
            taper: top_radius / radius,
        }
    }

    fn place(&self, [column, row]: [u32; 2]) -> DVec2 {
        let column = f64::from(column);
        let up = f64::from(row) / f64::from(self.cells[1]);
        // A chain of equal chords, each turned against the one before. Its end is a chord of the circle
        // around the tip, which this form gives without ever naming the tip, far away as it may be.
        let width = self.chord * (1.0 + (self.taper - 1.0) * up);
        let (half_turn, half_sum) = (0.5 * self.turn, 0.5 * self.turn * column);
        let reach = if half_turn == 0.0 {
            width * column
        } else {
            width * half_sum.sin() / half_turn.sin()
        };
        DVec2::new(
            reach * half_sum.cos(),
            self.slant * up + reach * half_sum.sin(),
        )
    }
}
