//! A surface during one step.

use crate::body::{Anchor, Sample};
use crate::geometry::closest::{closest_weights, frame_of, weighted};
use crate::geometry::level_set::winding_number;
use crate::geometry::triangle_tree::TriangleTree;
use glam::{DMat3, DVec3};

/// Conservative advances before a grazing motion counts as contact. Each takes off the distance to the
/// surface, so only tangents need more; to count them as contact is the safe side.
const ADVANCES: usize = 64;
/// Distances below this part of the body's size have no direction of their own, as they are differences of
/// coordinates with 16 digits; the triangle's is taken.
const NO_DIRECTION: f64 = 1e-9;

/// A closed surface on its straight way through a step, in the world's frame.
#[derive(Clone, Debug)]
pub struct MovingSurface {
    start: Side,
    end: Side,
    /// Largest displacement of any of its points (m).
    farthest: f64,
}

impl PartialEq for MovingSurface {
    fn eq(&self, other: &Self) -> bool {
        let all = |a: &TriangleTree, b: &TriangleTree| {
            a.len() == b.len() && (0..a.len() as u32).all(|k| a.corners(k) == b.corners(k))
        };
        all(&self.start.tree, &other.start.tree) && all(&self.end.tree, &other.end.tree)
    }
}

/// The surface at one end of the step.
#[derive(Clone, Debug)]
struct Side {
    tree: TriangleTree,
    low: DVec3,
    high: DVec3,
}

/// A point's relation to the surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    /// Distance and normal.
    pub sample: Sample,
    /// Whether it is inside where parts overlap, so that there is no good way out.
    pub caught: bool,
    /// The closest triangle, by place, and the weights of its corners; if it is caught, within whatever part.
    place: u32,
    weights: [f64; 3],
}

/// How a node meets the surface of a body on its way through a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeImpact {
    /// Where the surface has carried the meeting point by the end of the step (m).
    pub carried: DVec3,
    /// Normal there at the end of the step.
    pub normal: DVec3,
    /// Displacement of the surface there over the whole step (m).
    pub way: DVec3,
    /// Share of the step before the meeting.
    pub fraction: f64,
    /// Whether the node is caught where parts overlap.
    pub caught: bool,
}

impl MovingSurface {
    /// The triangles of a tree between two positions of their points (m).
    pub(crate) fn new(tree: &TriangleTree, start: &[DVec3], end: &[DVec3]) -> Self {
        let ways = start.iter().zip(end).map(|(a, b)| a.distance(*b));
        MovingSurface {
            farthest: ways.fold(0.0, f64::max),
            start: Side::new(tree, start),
            end: Side::new(tree, end),
        }
    }

    /// Distance and normal at the end of the step.
    pub(crate) fn sample(&self, point: DVec3) -> Sample {
        self.end.look(point).sample
    }

    /// A point at the end of the step, and the displacement of the surface there (m).
    pub(crate) fn at_end(&self, point: DVec3) -> (Look, DVec3) {
        let look = self.end.look(point);
        (look, self.way(look.place, look.weights))
    }

    /// A point at the start of the step, and the displacement of the surface there (m); `None` if it is
    /// outside and farther away than `within` (m), the surface's own displacement included.
    pub(crate) fn at_start(&self, point: DVec3, within: f64) -> Option<(Look, DVec3)> {
        let look = self.start.look_within(point, within + self.farthest)?;
        Some((look, self.way(look.place, look.weights)))
    }

    /// Where a point that keeps its place to the surface goes (m).
    pub(crate) fn carry(&self, point: DVec3) -> DVec3 {
        let look = self.start.look(point);
        self.carry_from(0.0, point, look.place, look.weights)
    }

    /// The place of a point at the start of the step in the frame of the triangle next to it.
    pub(crate) fn anchor(&self, point: DVec3) -> Anchor {
        let Look { place, weights, .. } = self.start.look(point);
        let corners = self.start.tree.corners(place);
        let frame = frame_of(corners).unwrap_or(DMat3::IDENTITY);
        Anchor::Face {
            face: place,
            weights,
            way: frame.transpose() * (point - weighted(weights, corners)),
        }
    }

    /// Where such a place is at the end of the step (m); `None` if there is no such triangle.
    pub(crate) fn place_at_end(&self, face: u32, weights: [f64; 3], way: DVec3) -> Option<DVec3> {
        let tree = &self.end.tree;
        ((face as usize) < tree.len()).then(|| {
            let corners = tree.corners(face);
            let frame = frame_of(corners).unwrap_or(DMat3::IDENTITY);
            weighted(weights, corners) + frame * way
        })
    }

    /// Follows a node that keeps `offset` (m) from the surface. It counts as touching within `tolerance` (m)
    /// of that.
    pub(crate) fn follow(
        &self,
        (from, to): (DVec3, DVec3),
        offset: f64,
        tolerance: f64,
    ) -> Option<NodeImpact> {
        let reach = DVec3::splat(offset + 2.0 * tolerance);
        let around = (from.min(to) - reach, from.max(to) + reach);
        let near = self.start.tree.passing(&self.end.tree, around);
        self.follow_past(&near, (from, to), offset, tolerance)
    }

    /// Follows a node past those triangles that are anywhere near its way.
    fn follow_past(
        &self,
        near: &[u32],
        (from, to): (DVec3, DVec3),
        offset: f64,
        tolerance: f64,
    ) -> Option<NodeImpact> {
        if near.is_empty() {
            return self.leftover((from, to), offset);
        }
        let look = self.start.look(from);
        if look.sample.distance - offset <= tolerance {
            // At the surface already when the step begins: only a motion into the body is a contact.
            let slip = to - self.carry_from(0.0, from, look.place, look.weights);
            if slip.dot(look.sample.normal) < 0.0 && !look.caught {
                return Some(self.meeting(0.0, from, look.place, look.weights, look.sample.normal));
            }
            return self.leftover((from, to), offset);
        }
        let step = to - from;
        let corners_of = |place: u32| {
            let ends = (self.start.tree.corners(place), self.end.tree.corners(place));
            [0, 1, 2].map(|k| (ends.0[k], ends.1[k]))
        };
        let approach = |(a, b): (DVec3, DVec3)| (step - (b - a)).length();
        let fastest = near
            .iter()
            .flat_map(|&place| corners_of(place))
            .map(approach);
        let fastest = fastest.fold(0.0, f64::max);
        let mut time = 0.0;
        for _ in 0..ADVANCES {
            let point = from.lerp(to, time);
            let mut best = (f64::INFINITY, 0, [0.0; 3], DVec3::ZERO);
            for &place in near {
                let corners = corners_of(place).map(|(a, b)| a.lerp(b, time));
                let weights = closest_weights(point, &corners);
                let away = point - weighted(weights, &corners);
                if away.length_squared() < best.0 {
                    best = (away.length_squared(), place, weights, away);
                }
            }
            let (squared, place, weights, away) = best;
            let clearance = squared.sqrt() - offset;
            if time > 0.0 && clearance <= tolerance {
                let normal = away.try_normalize();
                let normal = normal.unwrap_or_else(|| self.start.normal(place));
                return Some(self.meeting(time, point, place, weights, normal));
            }
            if clearance >= fastest * (1.0 - time) {
                return None;
            }
            time += clearance.max(0.5 * tolerance) / fastest;
        }
        // Hardly anything is left between them.
        let point = from.lerp(to, time.min(1.0));
        let look = self.end.look(point);
        let Look { place, weights, .. } = look;
        Some(self.meeting(time.min(1.0), point, place, weights, look.sample.normal))
    }

    /// A node that ends too deep though it met nothing on its way. One that is caught keeps its place to the
    /// surface.
    fn leftover(&self, (from, to): (DVec3, DVec3), offset: f64) -> Option<NodeImpact> {
        let look = self.end.look_within(to, offset)?;
        (look.sample.distance < offset).then(|| NodeImpact {
            carried: if look.caught { self.carry(from) } else { to },
            normal: look.sample.normal,
            way: self.way(look.place, look.weights),
            fraction: 1.0,
            caught: look.caught,
        })
    }

    fn meeting(
        &self,
        fraction: f64,
        point: DVec3,
        place: u32,
        weights: [f64; 3],
        normal: DVec3,
    ) -> NodeImpact {
        NodeImpact {
            carried: self.carry_from(fraction, point, place, weights),
            normal: self.turn_from(fraction, place) * normal,
            way: self.way(place, weights),
            fraction,
            caught: false,
        }
    }

    /// Displacement of a point of the surface over the step (m).
    fn way(&self, place: u32, weights: [f64; 3]) -> DVec3 {
        weighted(weights, self.end.tree.corners(place))
            - weighted(weights, self.start.tree.corners(place))
    }

    /// Where a point ends that from a share of the step on keeps its place to a triangle.
    fn carry_from(&self, share: f64, point: DVec3, place: u32, weights: [f64; 3]) -> DVec3 {
        let foot = weighted(weights, &self.corners_at(share, place));
        let end = weighted(weights, self.end.tree.corners(place));
        end + self.turn_from(share, place) * (point - foot)
    }

    fn corners_at(&self, share: f64, place: u32) -> [DVec3; 3] {
        let (start, end) = (self.start.tree.corners(place), self.end.tree.corners(place));
        [0, 1, 2].map(|k| start[k].lerp(end[k], share))
    }

    /// How a triangle turns from a share of the step to its end.
    fn turn_from(&self, share: f64, place: u32) -> DMat3 {
        let before = frame_of(&self.corners_at(share, place));
        let after = frame_of(self.end.tree.corners(place));
        match (before, after) {
            (Some(before), Some(after)) => after * before.transpose(),
            _ => DMat3::IDENTITY,
        }
    }
}

impl Side {
    fn new(tree: &TriangleTree, points: &[DVec3]) -> Self {
        let mut tree = tree.clone();
        tree.refit(points);
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for place in 0..tree.len() as u32 {
            for &corner in tree.corners(place) {
                (low, high) = (low.min(corner), high.max(corner));
            }
        }
        Side { tree, low, high }
    }

    fn normal(&self, place: u32) -> DVec3 {
        let [a, b, c] = *self.tree.corners(place);
        (b - a).cross(c - a).try_normalize().unwrap_or(DVec3::Z)
    }

    fn look(&self, point: DVec3) -> Look {
        let nearest = self.tree.closest(point, 0).place;
        self.judge(point, nearest, self.winding(point))
    }

    /// What [`Self::look`] says, unless the point is outside and farther away than `within` (m).
    fn look_within(&self, point: DVec3, within: f64) -> Option<Look> {
        let winding = self.winding(point);
        if winding > 0 {
            return Some(self.judge(point, self.tree.closest(point, 0).place, winding));
        }
        let nearest = self.tree.closest_of(point, within, |_| true)?;
        Some(self.judge(point, nearest.place, winding))
    }

    fn judge(&self, point: DVec3, nearest: u32, winding: i32) -> Look {
        let (mut boundary, mut caught) = (nearest, winding > 1);
        if winding > 0 && !self.bounds(point, nearest) {
            // The closest triangle is within another part.
            caught = true;
            let counts = |place| self.bounds(point, place);
            let found = self.tree.closest_of(point, f64::INFINITY, counts);
            boundary = found.map_or(nearest, |found| found.place);
        }
        let (_, away) = self.foot(point, boundary);
        let sign = if winding > 0 { -1.0 } else { 1.0 };
        let length = away.length();
        let normal = if length > NO_DIRECTION * self.low.distance(self.high) {
            sign * away / length
        } else {
            self.normal(boundary)
        };
        Look {
            sample: Sample {
                distance: sign * length,
                normal,
            },
            caught,
            place: nearest,
            weights: self.foot(point, nearest).0,
        }
    }

    /// The weights of the point of a triangle closest to a point, and the way from there to it.
    fn foot(&self, point: DVec3, place: u32) -> ([f64; 3], DVec3) {
        let corners = self.tree.corners(place);
        let weights = closest_weights(point, corners);
        (weights, point - weighted(weights, corners))
    }

    /// Whether a triangle has the outside in front of it where it is closest to a point.
    fn bounds(&self, point: DVec3, place: u32) -> bool {
        // A little inwards, where edges and corners belong to this triangle alone.
        let inner = self.foot(point, place).0.map(|w| 0.98 * w + 0.02 / 3.0);
        let foot = weighted(inner, self.tree.corners(place));
        let far = foot + 2.0 * self.low.distance(self.high) * self.normal(place);
        self.tree.crossings(foot, far, Some(place)) == 0
    }

    /// How often the surface goes around a point.
    fn winding(&self, point: DVec3) -> i32 {
        winding_number(&self.tree, [self.low, self.high], point)
    }
}
