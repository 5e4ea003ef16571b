//! A body's own frame, in which its parts stand.

use crate::recording::BodyPose;
use crate::scene::World;
use std::ops::Range;
use toile::contact::Load;
use toile::drive::Pose;
use toile::model::Model;
use toile::state::State;

/// A body of the scene, which the engine knows as one body or, if it has parts, as several on one path.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyFrame {
    /// Its name in the scene.
    pub name: String,
    /// Which of the engine's bodies it is.
    pub parts: Range<usize>,
    /// Where the first of them stands in the body's own frame.
    pub first_part: Pose,
}

impl BodyFrame {
    /// Where its frame is at a time (s) on its path.
    pub fn pose(&self, model: &Model, time: f64) -> Pose {
        self.around(model.bodies[self.parts.start].pose(time))
    }

    /// Where its frame is in a state, in which it may be led elsewhere.
    pub fn pose_in(&self, model: &Model, state: &State) -> Pose {
        self.around(state.body_pose(model, self.parts.start, state.time))
    }

    /// The frame, from where its first part is.
    fn around(&self, first: Pose) -> Pose {
        if self.first_part == Pose::IDENTITY {
            return first;
        }
        let back = self.first_part.rotation.conjugate();
        first.after(&Pose {
            translation: back * -self.first_part.translation,
            rotation: back,
        })
    }
}

impl World {
    /// Where the bodies of the scene are in a state.
    pub fn body_poses(&self, state: &State) -> Vec<BodyPose> {
        let frames = self.body_frames.iter();
        let frames = frames.map(|frame| frame.pose_in(&self.model, state));
        frames.map(BodyPose::from).collect()
    }

    /// What cloth does to each body of the scene, from what it does to each of the engine's in a step that ended in a state.
    pub fn body_loads(&self, state: &State, loads: &[Load]) -> Vec<Load> {
        let whole = |frame: &BodyFrame| {
            let own = loads.get(frame.parts.clone()).unwrap_or_default();
            if let ([load], true) = (own, frame.first_part == Pose::IDENTITY) {
                return *load;
            }
            let origin = frame.pose_in(&self.model, state).translation;
            let mut sum = Load::default();
            for (load, part) in own.iter().zip(frame.parts.clone()) {
                let place = state.body_pose(&self.model, part, state.time);
                let arm = place.translation - origin;
                sum.force += load.force;
                sum.torque += load.torque + arm.cross(load.force);
                sum.nodes += load.nodes;
            }
            sum
        };
        self.body_frames.iter().map(whole).collect()
    }
}
