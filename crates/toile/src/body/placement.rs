//! A body: a shape, where it stands and how it moves.

use super::deforming::Look;
use super::{Anchor, Friction, Sample, Shape};
use crate::drive::{Pose, RigidPath};
use glam::DVec3;
use std::ops::Range;
use std::sync::Arc;

/// An obstacle: rigid, or deforming by itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Its name in the scene.
    pub name: String,
    /// Its shape.
    pub shape: Shape,
    /// Where the shape stands at time 0, before the path moves it.
    pub place: Pose,
    /// How it moves.
    pub path: RigidPath,
    /// Coulomb friction between it and any cloth.
    pub friction: Friction,
}

/// A body at the start and at the end of a step. How its surface moves in between, its methods tell; the
/// poses do so only for rigid ones.
#[derive(Clone, Debug)]
pub struct Placement {
    /// The shape.
    pub shape: Shape,
    /// Coulomb friction.
    pub friction: Friction,
    /// The part of its distance from where it should be that a touching node makes good in the step: 1 at
    /// once, less where contact [relaxes](super::BodyContact::relaxation).
    pub recovery: f64,
    /// Pose at the start.
    pub start: Pose,
    /// Pose at the end.
    pub end: Pose,
    /// Nodes that pass through it.
    pub passes: Vec<Range<usize>>,
}

/// What a relaxing contact makes of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Relaxed {
    /// Its distance from the surface at the end of the step (m).
    pub distance: f64,
    /// Its velocity away from the surface, relative to it (m/s).
    pub speed: f64,
}

impl Body {
    /// Where it is at a time (s).
    pub fn pose(&self, time: f64) -> Pose {
        self.path.pose(time).after(&self.place)
    }

    /// Where it is at both ends of a step.
    pub fn placement(&self, time: f64, h: f64) -> Placement {
        self.placement_at([self.pose(time), self.pose(time + h)], time, h)
    }

    /// The same with poses of the body's frame that somebody else has for it.
    pub(crate) fn placement_at(&self, [start, end]: [Pose; 2], time: f64, h: f64) -> Placement {
        let (shape, start, end) = match &self.shape {
            Shape::Sequence(sequence) => {
                let moving = sequence.moving(time, h, [start, end]);
                let moving = Shape::Moving(Arc::new(moving));
                (moving, Pose::IDENTITY, Pose::IDENTITY)
            }
            shape => (shape.clone(), start, end),
        };
        Placement {
            shape,
            friction: self.friction,
            recovery: 1.0,
            start,
            end,
            passes: Vec::new(),
        }
    }

    /// Signed distance and world normal at a world point and time.
    pub fn sample(&self, point: DVec3, time: f64) -> Sample {
        self.placement(time, 0.0).sample(point)
    }
}

impl Placement {
    /// How far a node is above the place that it should keep at the start of the step (m); `offset` as in
    /// `collide`.
    fn gap_at_start(&self, from: DVec3, offset: f64) -> f64 {
        let near = self.at_start(from, f64::INFINITY);
        near.map_or(f64::INFINITY, |near| near.sample.distance - offset)
    }

    /// The distance that a node must have from the surface at the end of the step, wherever else it goes (m):
    /// `offset`, or less if it starts deeper and contact relaxes.
    pub(crate) fn kept(&self, from: DVec3, offset: f64) -> f64 {
        if self.recovery >= 1.0 {
            return offset;
        }
        offset + (1.0 - self.recovery) * self.gap_at_start(from, offset).min(0.0)
    }

    /// How a contact that begins at this place relaxes, if it does not end at once.
    pub(crate) fn relaxed(&self, from: DVec3, offset: f64, h: f64) -> Option<Relaxed> {
        (self.recovery < 1.0).then(|| {
            let gap = self.gap_at_start(from, offset);
            Relaxed {
                distance: offset + (1.0 - self.recovery) * gap,
                speed: -self.recovery * gap / h,
            }
        })
    }

    /// Whether it is an obstacle to a node.
    #[inline]
    pub fn meets(&self, node: usize) -> bool {
        self.passes.iter().all(|range| !range.contains(&node))
    }

    /// Signed distance and world normal at a world point, with the body as it stands at the end of the step.
    pub fn sample(&self, point: DVec3) -> Sample {
        sample_at(&self.shape, &self.end, point)
    }

    /// The surface as a point sees it at the start of the step. `None` if the point is outside and farther
    /// from the surface than `within` (m) all the way; far points may be answered all the same.
    pub(crate) fn at_start(&self, point: DVec3, within: f64) -> Option<Nearby> {
        if let Shape::Moving(surface) = &self.shape {
            return Some(Nearby::from(surface.at_start(point, within)?));
        }
        Some(Nearby {
            sample: sample_at(&self.shape, &self.start, point),
            way: self.carry(point) - point,
            caught: false,
        })
    }

    /// The surface as a point sees it at the end of the step.
    pub(crate) fn at_end(&self, point: DVec3) -> Nearby {
        if let Shape::Moving(surface) = &self.shape {
            return Nearby::from(surface.at_end(point));
        }
        let came_from = self.start.apply(self.end.unapply(point));
        Nearby {
            sample: self.sample(point),
            way: point - came_from,
            caught: false,
        }
    }

    /// Where a point at the start of the step goes if it moves with the surface (m).
    pub(crate) fn carry(&self, point: DVec3) -> DVec3 {
        match &self.shape {
            Shape::Moving(surface) => surface.carry(point),
            _ => self.end.apply(self.start.unapply(point)),
        }
    }

    /// The place of a point at the start of the step that moves with the surface from then on.
    pub(crate) fn anchor(&self, point: DVec3) -> Anchor {
        match &self.shape {
            Shape::Moving(surface) => surface.anchor(point),
            _ => Anchor::Frame(self.start.unapply(point)),
        }
    }

    /// Where such a place is at the end of the step (m); `None` if it is not one of this body's.
    pub(crate) fn carry_anchor(&self, anchor: &Anchor) -> Option<DVec3> {
        match (&self.shape, *anchor) {
            (Shape::Moving(surface), Anchor::Face { face, weights, way }) => {
                surface.place_at_end(face, weights, way)
            }
            (Shape::Moving(_), Anchor::Frame(_)) | (_, Anchor::Face { .. }) => None,
            (_, Anchor::Frame(place)) => Some(self.end.apply(place)),
        }
    }

    /// Distance and normal at the end of the step, if a node that keeps `offset` (m) may be taken out of the
    /// body at once: not where parts of it overlap, nor from deep inside a body that deforms.
    pub(crate) fn way_out(&self, point: DVec3, offset: f64) -> Option<Sample> {
        let near = self.at_end(point);
        let deep = near.sample.distance < offset - self.deepest(offset);
        (!near.caught && !deep).then_some(near.sample)
    }

    /// How far a node that keeps `offset` (m) is taken out of the body at once (m).
    pub(crate) fn deepest(&self, offset: f64) -> f64 {
        match self.shape {
            Shape::Moving(_) => 2.0 * offset,
            _ => f64::INFINITY,
        }
    }
}

/// The bodies that are obstacles to a node, with their numbers.
pub(crate) fn obstacles(
    bodies: &[Placement],
    node: usize,
) -> impl Iterator<Item = (usize, &Placement)> {
    bodies
        .iter()
        .enumerate()
        .filter(move |(_, b)| b.meets(node))
}

/// A body's surface as a point sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nearby {
    /// Distance and normal.
    pub sample: Sample,
    /// Displacement of the surface there over the step (m).
    pub way: DVec3,
    /// Whether the point is inside where parts of the body overlap.
    pub caught: bool,
}

impl From<(Look, DVec3)> for Nearby {
    fn from((look, way): (Look, DVec3)) -> Self {
        Nearby {
            sample: look.sample,
            way,
            caught: look.caught,
        }
    }
}

pub(crate) fn sample_at(shape: &Shape, pose: &Pose, point: DVec3) -> Sample {
    let local = shape.sample(pose.unapply(point));
    Sample {
        distance: local.distance,
        normal: pose.rotation * local.normal,
    }
}
