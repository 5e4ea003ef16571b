//! The mesh of a tank top: two panels sewn at the sides and at the shoulders.
//!
//! A tube of cells with the shape of a flat ellipse. Above the armpits the cells at the sides are left out, above the neckline those in
//! the middle too; what stays are two straps in front and two behind, which lean towards each other and share their last row of nodes. That
//! makes one surface with four rims: hem, neck and two arms.

use glam::DVec3;
use std::collections::HashMap;
use std::f64::consts::{FRAC_PI_2, TAU};
use toile::mesh::{Face, Mesh};

/// Cells of a panel and rows of cells.
#[derive(Clone, Copy, Debug)]
pub(in crate::experiments) struct Pattern {
    /// Columns of a panel: half an arm opening, strap, neck, strap, half an arm opening.
    pub arm: usize,
    pub strap: usize,
    pub neck: usize,
    /// Rows from the hem to the armpits, from there to the neckline, and of the straps.
    pub body: usize,
    pub chest: usize,
    pub shoulder: usize,
}

impl Pattern {
    /// 1676 triangles, as in the paper.
    pub const FULL: Pattern = Pattern {
        arm: 3,
        strap: 5,
        neck: 5,
        body: 14,
        chest: 3,
        shoulder: 8,
    };
    /// 440 triangles.
    pub const COARSE: Pattern = Pattern {
        arm: 1,
        strap: 3,
        neck: 3,
        body: 7,
        chest: 1,
        shoulder: 4,
    };

    fn columns(&self) -> usize {
        2 * (self.arm + self.strap) + self.neck
    }

    fn rows(&self) -> usize {
        self.body + self.chest + self.shoulder
    }

    /// Whether there is cloth in a cell of a panel.
    fn has(&self, column: usize, row: usize) -> bool {
        let side = column.min(self.columns() - 1 - column);
        if row < self.body {
            true
        } else if row < self.body + self.chest {
            side >= self.arm
        } else {
            (self.arm..self.arm + self.strap).contains(&side)
        }
    }
}

/// Half the width of the garment, half its depth, its height up to the armpits' level and above it (m).
const HALF_WIDTH: f64 = 0.22;
const HALF_DEPTH: f64 = 0.07;
const BELOW: f64 = 0.33;
const ABOVE: f64 = 0.25;

/// A node before it is numbered: column around the tube, row. In the last row front and back are one.
type Key = (usize, usize);

/// The mesh and the nodes of the two shoulder seams, left and right together.
pub(in crate::experiments) fn tank_top(pattern: &Pattern) -> (Mesh, Vec<u32>) {
    let around = 2 * pattern.columns();
    let outline = ellipse(HALF_WIDTH, HALF_DEPTH, around, TAU);
    let mut mesh = Mesh::new(Vec::new(), Vec::new());
    let mut numbers: HashMap<Key, u32> = HashMap::new();
    let mut seams = Vec::new();
    for row in 0..pattern.rows() {
        for column in 0..around {
            if !pattern.has(column % pattern.columns(), row) {
                continue;
            }
            let corners = [(0, 0), (1, 0), (1, 1), (0, 1)];
            let corners = corners.map(|(right, up)| {
                let key = sewn(pattern, (column + right) % around, row + up);
                *numbers.entry(key).or_insert_with(|| {
                    let number = mesh.positions.len() as u32;
                    mesh.positions.push(place(pattern, &outline, key));
                    if key.1 == pattern.rows() {
                        seams.push(number);
                    }
                    number
                })
            });
            mesh.faces.extend(cut(corners, (row + column) % 2 == 0));
        }
    }
    (mesh, seams)
}

/// The two halves of a cell.
fn cut([a, b, c, d]: [u32; 4], forward: bool) -> [Face; 2] {
    if forward {
        [Face::Tri([a, b, c]), Face::Tri([a, c, d])]
    } else {
        [Face::Tri([a, b, d]), Face::Tri([b, c, d])]
    }
}

/// At the shoulders the nodes of the back panel are those of the front one, seen from the other side.
fn sewn(pattern: &Pattern, column: usize, row: usize) -> Key {
    let around = 2 * pattern.columns();
    if row == pattern.rows() && column > pattern.columns() {
        (around - column, row)
    } else {
        (column, row)
    }
}

fn place(pattern: &Pattern, outline: &[[f64; 2]], (column, row): Key) -> DVec3 {
    let [x, y] = outline[column];
    if row <= pattern.body {
        let z = BELOW * row as f64 / pattern.body as f64;
        return DVec3::new(x, y, z);
    }
    // Upwards the panels lean together along a quarter of an ellipse.
    let rows = pattern.chest + pattern.shoulder;
    let [lean, up] = ellipse(1.0, ABOVE / y.abs(), rows, FRAC_PI_2)[row - pattern.body];
    DVec3::new(x, y * lean, BELOW + y.abs() * up)
}

/// Points on an ellipse at equal distances along it, from angle 0 to `angle`: `count + 1` of them.
fn ellipse(a: f64, b: f64, count: usize, angle: f64) -> Vec<[f64; 2]> {
    const FINE: usize = 4_000;
    let at = |i: usize| {
        let (sin, cos) = (angle * i as f64 / FINE as f64).sin_cos();
        [a * cos, b * sin]
    };
    let piece = |i: usize| {
        let ([x0, y0], [x1, y1]) = (at(i), at(i + 1));
        (x1 - x0).hypot(y1 - y0)
    };
    let whole: f64 = (0..FINE).map(piece).sum();
    let mut points = vec![at(0)];
    let mut length = 0.0;
    for i in 0..FINE {
        length += piece(i);
        if length * count as f64 >= whole * points.len() as f64 * (1.0 - 1e-12) {
            points.push(at(i + 1));
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile::mesh::{RestShape, Topology};

    #[test]
    fn the_garment_is_one_surface_with_four_rims() {
        for (pattern, faces) in [(Pattern::FULL, 1676), (Pattern::COARSE, 440)] {
            let (mesh, seams) = tank_top(&pattern);
            assert_eq!(mesh.faces.len(), faces);
            assert_eq!(seams.len(), 2 * (pattern.strap + 1));
            let topology = Topology::new(mesh.positions.len(), mesh.faces.clone());
            let topology = topology.expect("a surface");
            assert_eq!(topology.boundary_loops.len(), 4);
            let euler = mesh.positions.len() as i64 - topology.edges.len() as i64 + faces as i64;
            // A sphere with four holes.
            assert_eq!(euler, -2);
            let rest = RestShape::from_positions(&topology, &mesh.positions).expect("good faces");
            let longest = rest.edge_lengths.iter().copied().fold(0.0, f64::max);
            let shortest = rest.edge_lengths.iter().copied().fold(1.0, f64::min);
            assert!(longest < 4.0 * shortest, "{shortest} to {longest}");
        }
    }
}
