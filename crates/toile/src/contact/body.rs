//! A body: a shape, where it stands and how it moves.

use super::{Friction, Sample, Shape};
use crate::drive::{Pose, RigidPath};
use glam::DVec3;
use std::ops::Range;

/// A rigid obstacle.
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

/// A body at the start and at the end of a step.
#[derive(Clone, Debug)]
pub struct Placement {
    /// The shape.
    pub shape: Shape,
    /// Coulomb friction.
    pub friction: Friction,
    /// The part of its distance from where it should be that a touching node makes good in the step: 1 at once, less where
    /// contact [relaxes](super::BodyContact::relaxation).
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
pub(super) struct Relaxed {
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
        Placement {
            shape: self.shape.clone(),
            friction: self.friction,
            recovery: 1.0,
            start: self.pose(time),
            end: self.pose(time + h),
            passes: Vec::new(),
        }
    }

    /// Signed distance and world normal at a world point and time.
    pub fn sample(&self, point: DVec3, time: f64) -> Sample {
        sample_at(&self.shape, &self.pose(time), point)
    }
}

impl Placement {
    /// How far a node is above the place that it should keep at the start of the step (m); `offset` as in `collide`.
    fn gap_at_start(&self, from: DVec3, offset: f64) -> f64 {
        sample_at(&self.shape, &self.start, from).distance - offset
    }

    /// The distance that a node must have from the surface at the end of the step, wherever else it goes (m): `offset`, or
    /// less if it starts deeper and contact relaxes.
    pub(crate) fn kept(&self, from: DVec3, offset: f64) -> f64 {
        if self.recovery >= 1.0 {
            return offset;
        }
        offset + (1.0 - self.recovery) * self.gap_at_start(from, offset).min(0.0)
    }

    /// How a contact that begins at this place relaxes, if it does not end at once.
    pub(super) fn relaxed(&self, from: DVec3, offset: f64, h: f64) -> Option<Relaxed> {
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

pub(super) fn sample_at(shape: &Shape, pose: &Pose, point: DVec3) -> Sample {
    let local = shape.sample(pose.unapply(point));
    Sample {
        distance: local.distance,
        normal: pose.rotation * local.normal,
    }
}
