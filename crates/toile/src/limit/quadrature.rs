//! Integration points of faces, with the shape functions and their slopes by the rest coordinates.

use crate::mesh::Face;
use glam::{DMat2, DVec2};

/// One point of a face at rest. The fourth entries of a triangle are zero.
#[derive(Clone, Copy, Debug)]
pub(in crate::limit) struct Point {
    /// Area that the point stands for (m²).
    pub area: f64,
    /// `N_i`.
    pub shape: [f64; 4],
    /// `∂N_i/∂ū` (1/m).
    pub slopes: [DVec2; 4],
}

/// The points at which the strain of a face is measured: the middle of a triangle, where it is the same everywhere, and the
/// corners of a quad. In a parallelogram the deformation between the corners is a mean of those at the corners, and the largest
/// principal stretch is a convex function of it: what holds at the corners holds inside and along the edges.
pub(in crate::limit) fn strain_points(face: &Face, flat: &[DVec2; 4]) -> Vec<Point> {
    match face {
        Face::Tri(_) => vec![triangle_centre(flat)],
        Face::Quad(_) => {
            let corners = [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]];
            let corners = corners.map(DVec2::from_array);
            corners.map(|place| quad_point(flat, place, 1.0)).to_vec()
        }
    }
}

/// The points of a face. Products of a shape function with constant slopes need one point in a triangle;
/// quads have 3×3 Gauss points, exact for parallelograms with room to spare.
pub(in crate::limit) fn points(face: &Face, flat: &[DVec2; 4]) -> Vec<Point> {
    match face {
        Face::Tri(_) => vec![triangle_centre(flat)],
        Face::Quad(_) => {
            let far = 0.6f64.sqrt();
            let line = [(-far, 5.0 / 9.0), (0.0, 8.0 / 9.0), (far, 5.0 / 9.0)];
            let pairs = line.into_iter().flat_map(|a| line.map(|b| (a, b)));
            pairs
                .map(|((xi, p), (eta, q))| quad_point(flat, DVec2::new(xi, eta), p * q))
                .collect()
        }
    }
}

fn triangle_centre(flat: &[DVec2; 4]) -> Point {
    let sides = DMat2::from_cols(flat[1] - flat[0], flat[2] - flat[0]);
    let back = sides.inverse().transpose();
    let (second, third) = (back.x_axis, back.y_axis);
    let third_part = 1.0 / 3.0;
    Point {
        area: 0.5 * sides.determinant(),
        shape: [third_part, third_part, third_part, 0.0],
        slopes: [-(second + third), second, third, DVec2::ZERO],
    }
}

/// A point of the bilinear map from the square [−1, 1]².
fn quad_point(flat: &[DVec2; 4], at: DVec2, weight: f64) -> Point {
    let signs = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(DVec2::from_array);
    let by_square =
        signs.map(|s| 0.25 * DVec2::new(s.x * (1.0 + s.y * at.y), s.y * (1.0 + s.x * at.x)));
    let mut jacobian = DMat2::ZERO;
    for (slope, place) in by_square.iter().zip(flat) {
        jacobian.x_axis += slope.x * *place;
        jacobian.y_axis += slope.y * *place;
    }
    let back = jacobian.inverse().transpose();
    Point {
        area: weight * jacobian.determinant(),
        shape: signs.map(|s| 0.25 * (1.0 + s.x * at.x) * (1.0 + s.y * at.y)),
        slopes: by_square.map(|slope| back * slope),
    }
}
