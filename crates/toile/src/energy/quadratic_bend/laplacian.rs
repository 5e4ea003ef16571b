//! The Laplacian over the rest coordinates of a cloth of triangles and quads.

use crate::mesh::{Face, RestShape, Topology};
use glam::{DMat2, DVec2};

/// A sparse matrix of numbers, row by row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SparseRows {
    /// Where each row starts; one more entry than rows.
    pub starts: Vec<usize>,
    /// Column of each entry, increasing along a row.
    pub columns: Vec<u32>,
    /// The entries.
    pub values: Vec<f64>,
}

impl SparseRows {
    /// Rows of unordered entries, each column named once. What only rounding left over is dropped.
    fn new(rows: Vec<Vec<(u32, f64)>>) -> Self {
        let mut matrix = SparseRows::default();
        matrix.starts.push(0);
        for mut row in rows {
            row.sort_unstable_by_key(|&(column, _)| column);
            let largest = row.iter().map(|(_, value)| value.abs()).fold(0.0, f64::max);
            for (column, value) in row {
                if value.abs() > 1e-14 * largest {
                    matrix.columns.push(column);
                    matrix.values.push(value);
                }
            }
            matrix.starts.push(matrix.columns.len());
        }
        matrix
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The columns and entries of a row.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        let range = self.starts[row]..self.starts[row + 1];
        let columns = self.columns[range.clone()].iter().copied();
        columns.zip(self.values[range].iter().copied())
    }

    /// Where each column's entries are: `(row, entry)` in the order of rows.
    fn by_columns(&self) -> Vec<Vec<(u32, f64)>> {
        let mut columns = vec![Vec::new(); self.rows()];
        for row in 0..self.rows() {
            for (column, value) in self.row(row) {
                columns[column as usize].push((row as u32, value));
            }
        }
        columns
    }
}

/// The Laplacian `L` (1/m²) of functions on the nodes and the areas `M` (m²) that the nodes stand for.
///
/// Of a triangle each node gets what is nearest to it (Meyer et al. 2003), and not a third as of its mass:
/// where four and eight triangles meet by turns, thirds would store an eighth too much energy in a bend. Of a
/// quad each node gets `∫ φ`.
#[derive(Clone, Debug, PartialEq)]
pub struct Laplacian {
    /// `M L`, dimensionless: `(M L x)_i = ∮ φ_i ∂x/∂n − Σ ∫ ∇φ_i·∇x` with the rim's flux taken out.
    pub integrated: SparseRows,
    /// Diagonal of `M` (m²).
    pub node_areas: Vec<f64>,
}

impl Laplacian {
    /// The Laplacian of a cloth.
    pub fn new(topology: &Topology, rest: &RestShape) -> Self {
        let mut rows = vec![Vec::new(); topology.node_count];
        for (face, flat) in topology.faces.iter().zip(&rest.corners) {
            add_face(&mut rows, face, flat);
        }
        for edge in topology.edges.iter().filter(|e| e.is_boundary()) {
            for face in edge.faces() {
                let (face, flat) = (&topology.faces[face as usize], &rest.corners[face as usize]);
                add_rim(&mut rows, face, flat, edge.nodes);
            }
        }
        Laplacian {
            integrated: SparseRows::new(rows),
            node_areas: node_areas(topology, rest),
        }
    }

    /// `L = M⁻¹ (M L)` (1/m²).
    pub fn pointwise(&self) -> SparseRows {
        let mut matrix = self.integrated.clone();
        for (row, &area) in self.node_areas.iter().enumerate() {
            for value in &mut matrix.values[matrix.starts[row]..matrix.starts[row + 1]] {
                *value /= area;
            }
        }
        matrix
    }

    /// `LᵀML` (1/m²): symmetric to the last bit, positive semi-definite, two rings of neighbours wide.
    pub fn squared(&self) -> SparseRows {
        let columns = self.integrated.by_columns();
        let rows = columns.iter().map(|column| {
            let mut row = Vec::new();
            for &(through, left) in column {
                let area = self.node_areas[through as usize];
                for (other, right) in self.integrated.row(through as usize) {
                    add(&mut row, other, left * right / area);
                }
            }
            row
        });
        SparseRows::new(rows.collect())
    }
}

fn node_areas(topology: &Topology, rest: &RestShape) -> Vec<f64> {
    // The lumped areas hold the quads' shares already; a triangle's thirds are exchanged.
    let mut areas = rest.node_areas.clone();
    for ((face, flat), area) in topology.faces.iter().zip(&rest.corners).zip(&rest.areas) {
        if let Face::Tri(nodes) = face {
            for (&node, share) in nodes.iter().zip(nearest_shares(flat)) {
                areas[node as usize] += (share - 1.0 / 3.0) * area;
            }
        }
    }
    areas
}

/// The parts of a triangle that are nearest to each corner. An obtuse one's is cut at the middles of its
/// sides.
fn nearest_shares(flat: &[DVec2; 4]) -> [f64; 3] {
    let arm = |k: usize, by: usize| flat[(k + by) % 3] - flat[k];
    let cosines: [f64; 3] = std::array::from_fn(|k| arm(k, 1).dot(arm(k, 2)));
    if let Some(obtuse) = cosines.iter().position(|&c| c < 0.0) {
        let mut shares = [0.25; 3];
        shares[obtuse] = 0.5;
        return shares;
    }
    // (|a|² cot β + |b|² cot α)/8 over the area, with the cotangents as scalar over cross products.
    let cross = arm(0, 1).perp_dot(arm(0, 2));
    std::array::from_fn(|k| {
        let (next, last) = ((k + 1) % 3, (k + 2) % 3);
        let sum =
            arm(k, 1).length_squared() * cosines[last] + arm(k, 2).length_squared() * cosines[next];
        sum / (4.0 * cross * cross)
    })
}

fn add(row: &mut Vec<(u32, f64)>, column: u32, value: f64) {
    match row.iter_mut().find(|(c, _)| *c == column) {
        Some((_, sum)) => *sum += value,
        None => row.push((column, value)),
    }
}

/// Where the corners of a quad are in its own coordinates; a triangle uses the first, second and fourth.
const QUAD: [DVec2; 4] = [DVec2::ZERO, DVec2::X, DVec2::ONE, DVec2::Y];
const TRIANGLE: [DVec2; 3] = [DVec2::ZERO, DVec2::X, DVec2::Y];
/// The two points of Gauss's rule on a unit length.
const GAUSS: [f64; 2] = [0.211_324_865_405_187_1, 0.788_675_134_594_812_9];

/// `∇φ` (1/m) of a face's corners at a point of its own coordinates, and the area per unit of those.
fn gradients(face: &Face, flat: &[DVec2; 4], at: DVec2) -> ([DVec2; 4], f64) {
    let local = match face {
        Face::Tri(_) => [DVec2::NEG_ONE, DVec2::X, DVec2::Y, DVec2::ZERO],
        Face::Quad(_) => [
            DVec2::new(at.y - 1.0, at.x - 1.0),
            DVec2::new(1.0 - at.y, -at.x),
            DVec2::new(at.y, at.x),
            DVec2::new(-at.y, 1.0 - at.x),
        ],
    };
    let mut jacobian = DMat2::ZERO;
    for (slope, place) in local.iter().zip(flat).take(face.corners().len()) {
        jacobian += DMat2::from_cols(*place * slope.x, *place * slope.y);
    }
    let to_rest = jacobian.inverse().transpose();
    (local.map(|slope| to_rest * slope), jacobian.determinant())
}

fn add_face(rows: &mut [Vec<(u32, f64)>], face: &Face, flat: &[DVec2; 4]) {
    let mut add_point = |at: DVec2, weight: f64| {
        let (slopes, area) = gradients(face, flat, at);
        for (&i, a) in face.corners().iter().zip(&slopes) {
            for (&j, b) in face.corners().iter().zip(&slopes) {
                add(&mut rows[i as usize], j, -weight * area * a.dot(*b));
            }
        }
    };
    match face {
        Face::Tri(_) => add_point(DVec2::splat(1.0 / 3.0), 0.5),
        Face::Quad(_) => {
            for x in GAUSS {
                for y in GAUSS {
                    add_point(DVec2::new(x, y), 0.25);
                }
            }
        }
    }
}

/// Adds the flux through a side of a face to the rows of its ends.
fn add_rim(rows: &mut [Vec<(u32, f64)>], face: &Face, flat: &[DVec2; 4], side: [u32; 2]) {
    let corners = face.corners();
    let count = corners.len();
    for from in 0..count {
        let to = (from + 1) % count;
        let ends = [corners[from], corners[to]];
        if ends != side && ends != [side[1], side[0]] {
            continue;
        }
        let along = flat[to] - flat[from];
        // Corners go counter-clockwise, so a quarter turn to the right points outwards; its length is the
        // side's.
        let outwards = DVec2::new(along.y, -along.x);
        let place = |k: usize| if count == 3 { TRIANGLE[k] } else { QUAD[k] };
        for t in GAUSS {
            let (slopes, _) = gradients(face, flat, place(from).lerp(place(to), t));
            for (end, weight) in ends.into_iter().zip([0.5 * (1.0 - t), 0.5 * t]) {
                for (&j, slope) in corners.iter().zip(&slopes) {
                    add(&mut rows[end as usize], j, weight * slope.dot(outwards));
                }
            }
        }
    }
}
