//! The nearest point of any set of triangles: open, crossing itself, or collapsed to points.

use super::closest::{closest_weights, weighted};
use super::triangle_tree::TriangleTree;
use glam::DVec3;

/// Triangles to which points ask their way. Unlike a level set it needs no inside: a sheet will do, and so
/// will a cloud of points.
#[derive(Clone, Debug)]
pub struct NearestSurface {
    tree: TriangleTree,
}

/// The point of a surface nearest to some point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestPoint {
    /// Where it is (m).
    pub position: DVec3,
    /// How far away that is (m).
    pub distance: f64,
    /// Its triangle; of several at the same distance the first.
    pub triangle: u32,
    /// Weights of the triangle's corners in it.
    pub weights: [f64; 3],
}

impl NearestSurface {
    /// Triangles over points; `None` if there are no triangles, or if one names a point that is not there or
    /// not finite.
    pub fn new(points: &[DVec3], triangles: &[[u32; 3]]) -> Option<Self> {
        let known = |n: &u32| points.get(*n as usize).is_some_and(|p| p.is_finite());
        let valid = !triangles.is_empty() && triangles.as_flattened().iter().all(known);
        valid.then(|| NearestSurface {
            tree: TriangleTree::new(points, triangles),
        })
    }

    /// Points alone, each as a triangle without area; `None` if there are none, or if one is not finite.
    pub fn of_points(points: &[DVec3]) -> Option<Self> {
        let alone: Vec<[u32; 3]> = (0..points.len() as u32).map(|n| [n; 3]).collect();
        Self::new(points, &alone)
    }

    /// The same triangles where their points are now. It is an error of the caller to bring another number of
    /// points.
    pub fn refit(&mut self, points: &[DVec3]) {
        self.tree.refit(points);
    }

    /// The nearest point.
    pub fn nearest(&self, point: DVec3) -> NearestPoint {
        let place = self.tree.closest(point, 0).place;
        let corners = self.tree.corners(place);
        let weights = closest_weights(point, corners);
        let position = weighted(weights, corners);
        NearestPoint {
            position,
            distance: position.distance(point),
            triangle: self.tree.triangle(place),
            weights,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::closest::point_triangle;
    use proptest::prelude::*;

    #[test]
    fn nothing_and_nonsense_have_no_nearest_point() {
        assert!(NearestSurface::of_points(&[]).is_none());
        assert!(NearestSurface::of_points(&[DVec3::NAN]).is_none());
        assert!(NearestSurface::new(&[DVec3::ZERO], &[[0, 0, 1]]).is_none());
    }

    fn point() -> impl Strategy<Value = DVec3> {
        (-1.0..1.0, -1.0..1.0, -1.0..1.0).prop_map(|(x, y, z)| DVec3::new(x, y, z))
    }

    proptest! {
        #[test]
        fn no_triangle_is_nearer(points in prop::collection::vec(point(), 3..40), from in point()) {
            let count = points.len() as u32;
            let triangles: Vec<[u32; 3]> = (0..count).map(|n| [n, (n + 1) % count, (n + 5) % count]).collect();
            let found = NearestSurface::new(&points, &triangles).unwrap().nearest(from);
            let each = triangles.iter().map(|t| {
                let [a, b, c] = t.map(|n| points[n as usize]);
                point_triangle(&[from, a, b, c]).distance()
            });
            prop_assert!((each.fold(f64::INFINITY, f64::min) - found.distance).abs() < 1e-12);
            prop_assert!((found.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }

        #[test]
        fn no_point_is_nearer(points in prop::collection::vec(point(), 1..60), from in point()) {
            let found = NearestSurface::of_points(&points).unwrap().nearest(from);
            let each = points.iter().map(|p| p.distance(from));
            prop_assert!((each.fold(f64::INFINITY, f64::min) - found.distance).abs() < 1e-12);
        }
    }
}
