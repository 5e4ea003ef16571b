//! A pose that is led from outside while a simulation runs.

use super::Pose;
use glam::{DQuat, DVec3};

/// A pose that goes evenly to a goal, or on and on with constant velocities.
///
/// At the time of the command it is where it was, so that whatever it carries is led through the whole step that
/// follows, even where the goal is to be reached at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Travel {
    /// When it began (s).
    pub since: f64,
    /// Where it was then.
    pub from: Pose,
    /// Velocity of the frame's origin (m/s).
    pub linear: DVec3,
    /// Angular velocity about it (rad/s).
    pub angular: DVec3,
    /// When it ends (s), and where; it goes on for ever without.
    pub goal: Option<(f64, Pose)>,
}

impl Travel {
    /// Stays where it is.
    pub fn at(pose: Pose) -> Self {
        Travel {
            since: 0.0,
            from: pose,
            linear: DVec3::ZERO,
            angular: DVec3::ZERO,
            goal: None,
        }
    }

    /// From where it is at the time `now` (s) to `goal`, evenly within so many seconds; in the next step if they are zero.
    pub fn towards(&self, goal: Pose, now: f64, within: f64) -> Self {
        let from = self.pose(now);
        let turn = (goal.rotation * from.rotation.conjugate()).normalize();
        // The shorter way around.
        let turn = if turn.w < 0.0 { -turn } else { turn };
        let rate = if within > 0.0 { 1.0 / within } else { 0.0 };
        Travel {
            since: now,
            from,
            linear: rate * (goal.translation - from.translation),
            angular: rate * turn.to_scaled_axis(),
            goal: Some((now + within, goal)),
        }
    }

    /// From where it is at the time `now` (s) on with these velocities (m/s, rad/s).
    pub fn with_velocity(&self, linear: DVec3, angular: DVec3, now: f64) -> Self {
        Travel {
            since: now,
            from: self.pose(now),
            linear,
            angular,
            goal: None,
        }
    }

    /// Where it is at a time (s).
    pub fn pose(&self, time: f64) -> Pose {
        let passed = time - self.since;
        if passed <= 0.0 {
            return self.from;
        }
        match self.goal {
            Some((end, goal)) if time >= end => goal,
            _ => Pose {
                translation: self.from.translation + passed * self.linear,
                rotation: (DQuat::from_scaled_axis(passed * self.angular) * self.from.rotation)
                    .normalize(),
            },
        }
    }

    /// Whether all its numbers are finite and its rotations of unit length.
    pub fn is_possible(&self) -> bool {
        let goal = self
            .goal
            .is_none_or(|(end, goal)| end.is_finite() && goal.is_possible());
        let velocities = self.linear.is_finite() && self.angular.is_finite();
        self.since.is_finite() && self.from.is_possible() && velocities && goal
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    fn turned(angle: f64, x: f64) -> Pose {
        Pose {
            translation: DVec3::X * x,
            rotation: DQuat::from_rotation_z(angle),
        }
    }

    #[test]
    fn a_goal_is_reached_evenly_and_to_the_bit() {
        let goal = turned(0.9 * PI, 2.0);
        let travel = Travel::at(Pose::IDENTITY).towards(goal, 1.0, 0.5);
        assert_eq!(travel.pose(1.0), Pose::IDENTITY);
        let half = travel.pose(1.25);
        assert!((half.translation.x - 1.0).abs() < 1e-12);
        assert!((half.rotation.to_scaled_axis().z - 0.45 * PI).abs() < 1e-12);
        assert_eq!(travel.pose(1.5), goal);
        assert_eq!(travel.pose(9.0), goal);
    }

    #[test]
    fn a_goal_at_once_is_reached_by_the_end_of_the_next_step() {
        let goal = turned(0.0, 3.0);
        let travel = Travel::at(Pose::IDENTITY).towards(goal, 1.0, 0.0);
        assert_eq!(travel.pose(1.0), Pose::IDENTITY);
        assert_eq!(travel.pose(1.0 + 1e-3), goal);
    }

    #[test]
    fn it_turns_the_shorter_way() {
        let start = turned(-0.75 * PI, 0.0);
        let travel = Travel::at(start).towards(turned(0.75 * PI, 0.0), 0.0, 1.0);
        assert!(
            (travel.angular.z + 0.5 * PI).abs() < 1e-12,
            "{}",
            travel.angular
        );
    }

    #[test]
    fn velocities_go_on() {
        let travel = Travel::at(Pose::IDENTITY).with_velocity(DVec3::Y, DVec3::Z, 2.0);
        let later = travel.pose(5.0);
        assert!((later.translation.y - 3.0).abs() < 1e-12);
        assert!(later.rotation.angle_between(DQuat::from_rotation_z(3.0)) < 1e-7);
    }
}
