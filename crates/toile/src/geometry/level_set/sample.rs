//! Questions to a level set.

use super::{LevelSet, LevelSetError};
use crate::geometry::Sample;
use crate::geometry::closest::{closest_weights, weighted};
use glam::DVec3;

/// Gradients shorter than this have no direction to speak of.
const NO_GRADIENT: f64 = 1e-9;

/// The point of the surface closest to some point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfacePoint {
    /// Where it is (m).
    pub position: DVec3,
    /// Its triangle in the mesh; none if it is on the cover of a hole.
    pub triangle: Option<u32>,
}

/// A coordinate axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Along x.
    X,
    /// Along y.
    Y,
    /// Along z.
    Z,
}

impl LevelSet {
    /// The signed distance (m), negative inside: exact next to the surface, interpolated in the rest of the cube of
    /// [`LevelSet::cube`], and beyond it a lower bound that continues it.
    ///
    /// Let `q` be the point of the cube closest to `p`. The body lies in the cube, so seen from `q` it and
    /// `p` are at least a right angle apart, and `√(|p − q|² + φ(q)²)` cannot exceed the true distance.
    /// Nor is it ever less than the true distance divided by `√2`.
    pub fn distance(&self, point: DVec3) -> f64 {
        let inside = self.tree.clamp(point);
        let at = self.tree.locate(inside);
        let distance = self.tree.value(&at);
        if inside != point {
            return distance.hypot(point.distance(inside));
        }
        match self.exact(point, at.leaf, distance) {
            Some(exact) => distance + exact.share * (exact.distance - distance),
            None => distance,
        }
    }

    /// Distance and normal. The normal is the gradient of the distance, made a unit vector; where that is interpolated it may turn
    /// a little from cell to cell. Where the gradient vanishes, as at the centre of a ball, the
    /// normal points away from the middle of the body.
    pub fn sample(&self, point: DVec3) -> Sample {
        let inside = self.tree.clamp(point);
        let at = self.tree.locate(inside);
        let (mut distance, mut gradient) = self.tree.value_and_gradient(&at);
        if inside == point {
            if let Some(exact) = self.exact(point, at.leaf, distance) {
                distance += exact.share * (exact.distance - distance);
                gradient = gradient.lerp(exact.normal, exact.share);
            }
        } else {
            // Across a face of the cube, φ(q) does not change with p.
            let out = point - inside;
            let along_faces = DVec3::select(out.cmpeq(DVec3::ZERO), gradient, DVec3::ZERO);
            let whole = distance.hypot(out.length());
            gradient = (out + distance * along_faces) / whole;
            distance = whole;
        }
        let length = gradient.length();
        let normal = if length > NO_GRADIENT {
            gradient / length
        } else {
            (point - self.centre).try_normalize().unwrap_or(DVec3::Z)
        };
        Sample { distance, normal }
    }

    /// The closest point of the surface, searched exactly, not interpolated.
    pub fn closest(&self, point: DVec3) -> SurfacePoint {
        let place = self.closest_place(point);
        let corners = self.triangles.corners(place);
        let triangle = self.triangles.triangle(place) as usize;
        SurfacePoint {
            position: weighted(closest_weights(point, corners), corners),
            triangle: self.surface.sources.get(triangle).copied(),
        }
    }

    fn closest_place(&self, point: DVec3) -> u32 {
        let leaf = self.tree.locate(self.tree.clamp(point)).leaf;
        self.triangles.closest(point, self.tree.likely(leaf)).place
    }

    /// The velocity of the body carried off its surface (m/s): that of the closest surface point, from the
    /// velocities of the mesh's nodes. It is constant along normals, so it solves `∇v·∇φ = 0`
    /// (Adalsteinsson, Sethian 1999) exactly, and jumps only where there are two closest points.
    pub fn velocity(&self, point: DVec3, velocities: &[DVec3]) -> Result<DVec3, LevelSetError> {
        if velocities.len() != self.surface.given_nodes {
            return Err(LevelSetError::WrongCount {
                expected: self.surface.given_nodes,
                found: velocities.len(),
            });
        }
        let place = self.closest_place(point);
        let weights = closest_weights(point, self.triangles.corners(place));
        let nodes = self.triangles.nodes(place);
        let corner_velocities = nodes.map(|node| self.surface.at_point(node, velocities));
        Ok(weighted(weights, &corner_velocities))
    }

    /// Distances (m) on a square grid across the cube of [`LevelSet::cube`], at the coordinate `offset` (m)
    /// along `axis`: `resolution²` values at the centres of equal squares. The other two axes in
    /// cyclic order (y, z for X; z, x for Y; x, y for Z) are columns and rows; rows follow each other.
    pub fn slice(&self, axis: Axis, offset: f64, resolution: usize) -> Vec<f64> {
        let normal = axis as usize;
        let (across, up) = ((normal + 1) % 3, (normal + 2) % 3);
        let (low, side) = self.cube();
        let step = side / resolution.max(1) as f64;
        let mut values = Vec::with_capacity(resolution * resolution);
        for row in 0..resolution {
            for column in 0..resolution {
                let mut point = low;
                point[normal] = offset;
                point[across] += (column as f64 + 0.5) * step;
                point[up] += (row as f64 + 0.5) * step;
                values.push(self.distance(point));
            }
        }
        values
    }
}
