//! Face–body contacts found during a step.

use super::deepest::{deepest, place};
use super::start::Dent;
use super::{
    FACE_OFFSET_SHARE, FACE_PENALTY_YIELD, FACE_TOLERANCE, FASTEST_RESTORED, FOLLOWED,
    SHORTEST_ADVANCE, give, is_squeezed, meets, offset,
};
use crate::contact::{Placement, Shape, Surroundings};
use glam::DVec3;

/// A triangle that ends too near to a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct FaceContact {
    pub body: u32,
    pub weights: [f64; 3],
    pub normal: DVec3,
    /// The distance that it is to have (m).
    pub aim: f64,
    /// `n·Σ wᵢ xᵢ` must not be smaller at the end (m).
    pub bound: f64,
    pub way: DVec3,
}

/// The motion of a step, as far as it is known.
#[derive(Clone, Copy)]
pub(super) struct StepMotion<'a> {
    pub around: &'a Surroundings,
    pub starts: &'a [DVec3],
    pub ends: &'a [DVec3],
}

impl StepMotion<'_> {
    /// What a triangle runs into, worst first.
    pub fn meeting(&self, nodes: [u32; 3], start: Option<&Dent>, most: f64) -> Option<FaceContact> {
        let nodes = nodes.map(|n| n as usize);
        let offset = offset(self.around, nodes)?;
        let bodies = self.around.bodies.iter().enumerate();
        let found = bodies.filter_map(|(number, body)| {
            meets(body, nodes).then_some(())?;
            let start = start.filter(|dent| dent.body == number as u32);
            let aim = FACE_PENALTY_YIELD * FACE_OFFSET_SHARE * offset;
            let aim = start.map_or(aim, |dent| dent.aim(aim)).min(most);
            let blocked = self.follow(body, nodes, offset, aim);
            let (missing, meeting) = blocked.or_else(|| self.at_end(body, nodes, offset, aim))?;
            let body = number as u32;
            Some((missing, FaceContact { body, ..meeting }))
        });
        let worst = found.max_by(|a, b| a.0.total_cmp(&b.0));
        worst.map(|(_, meeting)| meeting)
    }

    fn corners(&self, nodes: [usize; 3]) -> [[DVec3; 3]; 2] {
        [nodes.map(|n| self.starts[n]), nodes.map(|n| self.ends[n])]
    }

    /// Follows a triangle that goes far through the frame of a rigid body, in which the body stands still.
    /// Answers what is in its way, and what is missing at the end because of it (m).
    fn follow(
        &self,
        body: &Placement,
        nodes: [usize; 3],
        offset: f64,
        aim: f64,
    ) -> Option<(f64, FaceContact)> {
        if matches!(body.shape, Shape::Moving(_)) {
            return None;
        }
        let [from, to] = self.corners(nodes);
        let (from, to) = (
            from.map(|x| body.start.unapply(x)),
            to.map(|x| body.end.unapply(x)),
        );
        let travel = (0..3).map(|k| from[k].distance(to[k])).fold(0.0, f64::max);
        if travel <= FOLLOWED * offset {
            return None;
        }
        let mut share = 0.0;
        while share < 1.0 {
            let corners = [0, 1, 2].map(|k| from[k].lerp(to[k], share));
            let ahead = aim + (1.0 - share) * travel;
            let sample = |p: DVec3| body.shape.sample(p);
            let ends = corners.map(sample);
            // Nothing between the corners yet says nothing of what comes between them later.
            let Some(near) = deepest(&corners, &ends, (ahead, give(offset)), sample) else {
                share += SHORTEST_ADVANCE;
                continue;
            };
            let distance = near.sample.distance;
            if share > 0.0 && distance <= aim {
                let local = place(&corners, &near.weights);
                let normal = body.end.rotation * near.sample.normal;
                let carried = body.end.apply(local);
                let bound = normal.dot(carried) + aim - distance;
                let end = place(&to, &near.weights);
                let missing = bound - normal.dot(body.end.apply(end));
                let meeting = FaceContact {
                    body: 0,
                    weights: near.weights,
                    normal,
                    aim,
                    bound,
                    way: carried - body.start.apply(local),
                };
                return (missing > 0.0).then_some((missing, meeting));
            }
            share += ((distance - aim) / travel).max(SHORTEST_ADVANCE);
        }
        None
    }

    /// What is missing to the distance that a triangle should have at the end (m), and the contact that
    /// corrects it.
    fn at_end(
        &self,
        body: &Placement,
        nodes: [usize; 3],
        offset: f64,
        aim: f64,
    ) -> Option<(f64, FaceContact)> {
        let [starts, corners] = self.corners(nodes);
        let ends = corners.map(|p| body.sample(p));
        if is_squeezed(&ends, offset) {
            return None;
        }
        let near = deepest(&corners, &ends, (aim, give(offset)), |p| body.sample(p))?;
        let point = place(&corners, &near.weights);
        let seen = body.at_end(point);
        // What it has run into in this step; what was there before comes out by and by.
        let inwards = |k: usize| -(corners[k] - starts[k] - seen.way).dot(seen.sample.normal);
        let most = FASTEST_RESTORED * offset + (0..3).map(inwards).fold(0.0, f64::max);
        let missing = (aim - seen.sample.distance).min(most);
        let is_caught = |corner: &DVec3| body.at_end(*corner).caught;
        if missing <= FACE_TOLERANCE * offset || seen.caught || corners.iter().any(is_caught) {
            return None;
        }
        let meeting = FaceContact {
            body: 0,
            weights: near.weights,
            normal: seen.sample.normal,
            aim: seen.sample.distance + missing,
            bound: seen.sample.normal.dot(point) + missing,
            way: seen.way,
        };
        Some((missing, meeting))
    }
}
