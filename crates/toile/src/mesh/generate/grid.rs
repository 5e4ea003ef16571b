//! A rectangular sheet.

use super::lattice::Lattice;
use super::{GenerateError, GridPattern, Mesh, at_least, flat_mesh, not_too_many, positive};
use glam::DVec3;

/// A rectangular sheet in the plane `z = 0`, centred on the origin, its sides along `x` and `y`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// Lengths along `x` and `y` (m).
    pub size: [f64; 2],
    /// Cells along `x` and `y`.
    pub cells: [u32; 2],
    /// Quads or triangles.
    pub pattern: GridPattern,
}

/// Makes a [`Grid`].
///
/// With `[nx, ny] = cells` there are `(nx + 1)(ny + 1)` nodes; node `iy * (nx + 1) + ix` stands at
/// `(-size_x / 2 + ix * size_x / nx, -size_y / 2 + iy * size_y / ny, 0)`. So node 0 is the corner with
/// the smallest `x` and `y`, `x` runs fastest, and the corners are nodes `0`, `nx`, `ny * (nx + 1)` and
/// the last one.
///
/// Cell `(ix, iy)` is face `iy * nx + ix` of quads, or faces `2 * (iy * nx + ix)` and the next of
/// triangles. With its lower left node `a`, lower right `b`, upper right `c` and upper left `d`, a quad is
/// `[a, b, c, d]`; a cell cut forward is `[a, b, c]`, `[a, c, d]`; a cell cut backward is `[a, b, d]`,
/// `[b, c, d]`.
pub fn grid(parameters: &Grid) -> Result<Mesh, GenerateError> {
    let Grid {
        size,
        cells,
        pattern,
    } = *parameters;
    for k in 0..2 {
        positive(["size[0]", "size[1]"][k], size[k])?;
        at_least(["cells[0]", "cells[1]"][k], cells[k], 1)?;
    }
    let nodes = cells.map(|n| u64::from(n) + 1);
    not_too_many("cells", nodes, 0)?;
    let along = |axis: usize, index: u32| {
        // The fraction is exact at both ends, so opposite sides mirror each other.
        size[axis] * (f64::from(index) / f64::from(cells[axis]) - 0.5)
    };
    let positions = (0..=cells[1])
        .flat_map(|iy| (0..=cells[0]).map(move |ix| (ix, iy)))
        .map(|(ix, iy)| DVec3::new(along(0, ix), along(1, iy), 0.0))
        .collect();
    let lattice = Lattice {
        cells,
        closed: false,
        first_node: 0,
    };
    Ok(flat_mesh(positions, lattice.faces(pattern)))
}
