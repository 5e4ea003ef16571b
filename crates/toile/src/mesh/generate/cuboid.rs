//! A closed box of quads.

use super::{Face, GenerateError, Mesh, at_least, not_too_many, positive};
use glam::DVec3;

/// A box centred on the origin, its sides along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cuboid {
    /// Half the lengths along `x`, `y` and `z` (m).
    pub half_extents: [f64; 3],
    /// Cells along `x`, `y` and `z`.
    pub cells: [u32; 3],
}

/// Makes a [`Cuboid`] of quads.
///
/// Nodes: the bottom, row by row as in [`grid`](super::grid()); the rims of the layers above it, each
/// starting at the smallest `x` and `y` and counter-clockwise seen from above; the top, row by row.
/// Faces: bottom, walls layer by layer, top.
pub fn cuboid(parameters: &Cuboid) -> Result<Mesh, GenerateError> {
    let Cuboid {
        half_extents,
        cells,
    } = *parameters;
    for k in 0..3 {
        let names = ["half_extents[0]", "half_extents[1]", "half_extents[2]"];
        positive(names[k], half_extents[k])?;
        at_least(["cells[0]", "cells[1]", "cells[2]"][k], cells[k], 1)?;
    }
    let shell = Shell { cells };
    shell.check_size("cells")?;
    let half = DVec3::from(half_extents);
    Ok(shell.mesh(|p| p * half))
}

/// The surface of a block of cells.
pub(super) struct Shell {
    pub cells: [u32; 3],
}

impl Shell {
    pub(super) fn check_size(&self, name: &'static str) -> Result<(), GenerateError> {
        let [x, y, z] = self.cells.map(u64::from);
        let levels = (x + 1).saturating_mul(y + 1).saturating_mul(2);
        not_too_many(name, [2 * (x + y), z - 1], levels)
    }

    /// The mesh, with every node put where `place` says for its place in the cube from −1 to 1.
    pub(super) fn mesh(&self, place: impl Fn(DVec3) -> DVec3) -> Mesh {
        let centred =
            |axis: usize, index: u32| 2.0 * f64::from(index) / f64::from(self.cells[axis]) - 1.0;
        let positions = self
            .points()
            .map(|[x, y, z]| place(DVec3::new(centred(0, x), centred(1, y), centred(2, z))))
            .collect();
        Mesh::new(positions, self.faces())
    }

    fn faces(&self) -> Vec<Face> {
        let [nx, ny, nz] = self.cells;
        let level = |z: u32| {
            (0..ny)
                .flat_map(move |y| (0..nx).map(move |x| [x, y]))
                .map(move |[x, y]| [[x, y], [x + 1, y], [x + 1, y + 1], [x, y + 1]])
                .map(move |corners| Face::Quad(corners.map(|[x, y]| self.node([x, y, z]))))
        };
        let walls = (0..nz).flat_map(|z| (0..self.rim_length()).map(move |k| [k, z]));
        let walls = walls.map(|[k, z]| {
            let corners = [[k, z], [k + 1, z], [k + 1, z + 1], [k, z + 1]];
            Face::Quad(corners.map(|[k, z]| {
                let [x, y] = self.rim(k % self.rim_length());
                self.node([x, y, z])
            }))
        });
        let bottom = level(0).map(|face| face.reversed());
        bottom.chain(walls).chain(level(nz)).collect()
    }

    /// The lattice points of the surface in the order of their nodes.
    fn points(&self) -> impl Iterator<Item = [u32; 3]> + '_ {
        let [nx, ny, nz] = self.cells;
        let level = move |z: u32| (0..=ny).flat_map(move |y| (0..=nx).map(move |x| [x, y, z]));
        let rims = (1..nz).flat_map(move |z| {
            (0..self.rim_length()).map(move |k| {
                let [x, y] = self.rim(k);
                [x, y, z]
            })
        });
        level(0).chain(rims).chain(level(nz))
    }

    /// The node at a lattice point of the surface.
    fn node(&self, [x, y, z]: [u32; 3]) -> u32 {
        let [nx, ny, nz] = self.cells;
        let level = (nx + 1) * (ny + 1);
        let in_level = y * (nx + 1) + x;
        if z == 0 {
            return in_level;
        }
        if z == nz {
            return level + (nz - 1) * self.rim_length() + in_level;
        }
        let on_rim = if y == 0 {
            x
        } else if x == nx {
            nx + y
        } else if y == ny {
            nx + ny + (nx - x)
        } else {
            2 * nx + ny + (ny - y)
        };
        level + (z - 1) * self.rim_length() + on_rim
    }

    fn rim_length(&self) -> u32 {
        2 * (self.cells[0] + self.cells[1])
    }

    /// The `k`-th point on the way around a layer.
    fn rim(&self, k: u32) -> [u32; 2] {
        let [nx, ny, _] = self.cells;
        if k < nx {
            [k, 0]
        } else if k < nx + ny {
            [nx, k - nx]
        } else if k < 2 * nx + ny {
            [2 * nx + ny - k, ny]
        } else {
            [0, 2 * (nx + ny) - k]
        }
    }
}
