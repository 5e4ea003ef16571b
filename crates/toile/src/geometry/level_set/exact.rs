//! Distances next to the surface, searched among its triangles.

use super::winding::winding_number;
use super::{LevelSet, Settings};
use crate::geometry::closest::{closest_weights, weighted};
use glam::DVec3;

/// Up to this many finest cells from the surface distances are exact; from twice as many on they are interpolated.
const EXACT: f64 = 0.5;
/// Distances below this part of a finest cell have no direction of their own; the triangle's is taken.
const NO_DIRECTION: f64 = 1e-9;
/// Weights of corners below this mean that the closest point is on an edge.
const ON_EDGE: f64 = 1e-9;

/// What the triangles say about a point.
pub(super) struct Exact {
    /// Signed distance (m).
    pub distance: f64,
    /// Unit gradient of it.
    pub normal: DVec3,
    /// How far this counts against the interpolation: 1 next to the surface, 0 a cell away.
    pub share: f64,
}

impl Settings {
    /// How far from the surface its triangles may be asked (m).
    pub(super) fn reach(&self) -> f64 {
        2.0 * EXACT * self.cell
    }
}

impl LevelSet {
    /// The distance by the triangles, for points of a leaf that may be next to the surface; `None` where the interpolation
    /// alone counts.
    pub(super) fn exact(&self, point: DVec3, leaf: u32, interpolated: f64) -> Option<Exact> {
        if !self.tree.is_near(leaf) {
            return None;
        }
        let place = self.triangles.closest(point, self.tree.likely(leaf)).place;
        let corners = self.triangles.corners(place);
        let weights = closest_weights(point, corners);
        let away = point - weighted(weights, corners);
        let length = away.length();
        let reach = self.settings.reach();
        if length >= reach {
            return None;
        }
        let [a, b, c] = *corners;
        let front = (b - a).cross(c - a).try_normalize().unwrap_or(DVec3::Z);
        let sign = match self.is_inside(point, front.dot(away), weights, [length, interpolated]) {
            true => -1.0,
            false => 1.0,
        };
        let normal = match length > NO_DIRECTION * self.settings.cell {
            true => sign * away / length,
            false => front,
        };
        Some(Exact {
            distance: sign * length,
            normal,
            share: ((reach - length) / (reach - EXACT * self.settings.cell)).min(1.0),
        })
    }

    /// Whether a point is inside, from how far it is in front of its closest triangle and where that is closest.
    fn is_inside(
        &self,
        point: DVec3,
        in_front: f64,
        weights: [f64; 3],
        [length, interpolated]: [f64; 2],
    ) -> bool {
        let within = weights.into_iter().all(|w| w > ON_EDGE);
        let overlaps = self.surface.findings.hidden_triangles > 0;
        if within && !overlaps {
            return in_front < 0.0;
        }
        // At an edge the triangle alone does not tell, nor does one of which a part lies within another part of the body.
        // The interpolation does, where it knows the distance.
        if (interpolated.abs() - length).abs() < 0.25 * length
            && length > 2.0 * self.settings.tolerance
        {
            return interpolated < 0.0;
        }
        winding_number(&self.triangles, self.bounds, point) > 0
    }
}
