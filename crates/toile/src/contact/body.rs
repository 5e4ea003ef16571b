//! A body: a shape, where it stands and how it moves.

use super::{Sample, Shape};
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
    /// Coulomb friction coefficient between it and any cloth.
    pub friction: f64,
}

/// A body at the start and at the end of a step.
#[derive(Clone, Debug)]
pub struct Placement {
    /// The shape.
    pub shape: Shape,
    /// Coulomb friction coefficient.
    pub friction: f64,
    /// Pose at the start.
    pub start: Pose,
    /// Pose at the end.
    pub end: Pose,
    /// Nodes that pass through it.
    pub passes: Vec<Range<usize>>,
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

pub(super) fn sample_at(shape: &Shape, pose: &Pose, point: DVec3) -> Sample {
    let local = shape.sample(pose.unapply(point));
    Sample {
        distance: local.distance,
        normal: pose.rotation * local.normal,
    }
}
