//! Integration points: how the nodes of an element make the gradient, and what area they stand for.

#![allow(clippy::needless_range_loop)] // indices name nodes here, in several arrays at once

use super::gradient::{Columns, Symmetric, Tangent};
use glam::{DMat2, DMat3, DVec2, DVec3};

/// One integration point of an element with `N` nodes. The weights of the first node are minus the sum of the
/// others and are never needed: sides are measured from it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point<const N: usize> {
    /// `∂Nᵢ/∂ū` (1/m): the weight of node `i` in `w_u` and in `w_v`.
    weights: [DVec2; N],
    /// Rest area (m²).
    pub area: f64,
    /// Rest area of the face it lies in (m²).
    pub face: f64,
}

impl<const N: usize> Point<N> {
    /// `w_u` and `w_v` of nodes at these places from the first.
    #[inline(always)]
    pub fn columns(&self, sides: &[DVec3; N]) -> Columns {
        let mut w = Columns::default();
        for i in 1..N {
            w.u += self.weights[i].x * sides[i];
            w.v += self.weights[i].y * sides[i];
        }
        w
    }

    /// Adds the forces on all nodes but the first.
    #[inline(always)]
    pub fn add_force(&self, stress: &Columns, force: &mut [DVec3; N]) {
        for i in 1..N {
            let weight = -self.area * self.weights[i];
            force[i] += weight.x * stress.u + weight.y * stress.v;
        }
    }

    /// Adds the blocks of all nodes but the first, on and below the diagonal.
    #[inline(always)]
    pub fn add_blocks(&self, tangent: &Tangent, blocks: &mut Blocks<N>) {
        for i in 1..N {
            let weight = self.area * self.weights[i];
            for j in 1..=i {
                let other = self.weights[j];
                let (ab, ba) = (weight.x * other.y, weight.y * other.x);
                blocks.symmetric[i][j] = blocks.symmetric[i][j]
                    + tangent.uu * (weight.x * other.x)
                    + tangent.uv * (ab + ba)
                    + tangent.vv * (weight.y * other.y);
                if j < i {
                    blocks.twist[i][j] += (ab - ba) * tangent.twist;
                }
            }
        }
    }
}

/// The blocks of an element's matrix without the first node's, each a symmetric part and a twist.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blocks<const N: usize> {
    symmetric: [[Symmetric; N]; N],
    twist: [[DVec3; N]; N],
}

impl<const N: usize> Default for Blocks<N> {
    #[inline(always)]
    fn default() -> Self {
        Blocks {
            symmetric: [[Symmetric::default(); N]; N],
            twist: [[DVec3::ZERO; N]; N],
        }
    }
}

impl<const N: usize> Blocks<N> {
    /// The whole matrix. Nothing changes when all nodes move alike, so its rows and columns add up to zero:
    /// the first of each follow from the others.
    #[inline(always)]
    pub fn complete(&self, matrix: &mut [[DMat3; N]; N]) {
        let mut corner = Symmetric::default();
        for i in 1..N {
            let (mut row, mut twist) = (self.symmetric[i][i], DVec3::ZERO);
            for j in 1..i {
                matrix[i][j] = self.symmetric[i][j].with_twist(self.twist[i][j]);
                row = row + self.symmetric[i][j];
                twist += self.twist[i][j];
            }
            for j in i + 1..N {
                row = row + self.symmetric[j][i];
                twist -= self.twist[j][i];
            }
            matrix[i][i] = self.symmetric[i][i].matrix();
            matrix[i][0] = (row * -1.0).with_twist(-twist);
            corner = corner + row;
        }
        matrix[0][0] = corner.matrix();
    }
}

/// The only point of a triangle: its gradient is constant.
pub(super) fn of_triangle(flat: &[DVec2; 4]) -> Point<3> {
    let sides = DMat2::from_cols(flat[1] - flat[0], flat[2] - flat[0]);
    let inverse = sides.inverse();
    // ∂ξ/∂ū has the gradients of the second and third shape function in its rows.
    let (second, third) = (inverse.row(0), inverse.row(1));
    Point {
        weights: [-(second + third), second, third],
        area: 0.5 * sides.determinant(),
        face: 0.5 * sides.determinant(),
    }
}

/// The 2×2 Gauss points of the bilinear quad.
pub(super) fn of_quad(flat: &[DVec2; 4]) -> [Point<4>; 4] {
    let face = 0.5 * (flat[2] - flat[0]).perp_dot(flat[3] - flat[1]);
    let off = 1.0 / 3f64.sqrt();
    [[-off, -off], [off, -off], [off, off], [-off, off]].map(|[xi, eta]| {
        // ∂Nᵢ/∂(ξ, η) on the square [−1, 1]².
        let by_square: [DVec2; 4] = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]
            .map(|[p, q]| 0.25 * DVec2::new(p * (1.0 + q * eta), q * (1.0 + p * xi)));
        let column = |pick: fn(DVec2) -> f64| {
            let terms = by_square.iter().zip(flat);
            terms.map(|(g, u)| pick(*g) * *u).sum::<DVec2>()
        };
        let jacobian = DMat2::from_cols(column(|g| g.x), column(|g| g.y));
        let back = jacobian.inverse().transpose();
        Point {
            weights: by_square.map(|g| back * g),
            area: jacobian.determinant(),
            face,
        }
    })
}
