//! Rigid motions as functions of time.

use glam::{DQuat, DVec3};
use std::f64::consts::TAU;
use thiserror::Error;

/// A rigid position and orientation: `x ↦ R x + t`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Translation `t` (m).
    pub translation: DVec3,
    /// Rotation `R`.
    pub rotation: DQuat,
}

impl Pose {
    /// Nothing moved.
    pub const IDENTITY: Pose = Pose {
        translation: DVec3::ZERO,
        rotation: DQuat::IDENTITY,
    };

    /// Where the pose takes a point.
    pub fn apply(&self, point: DVec3) -> DVec3 {
        self.rotation * point + self.translation
    }

    /// The point that the pose takes to `point`.
    pub fn unapply(&self, point: DVec3) -> DVec3 {
        self.rotation.conjugate() * (point - self.translation)
    }

    /// Whether its numbers are finite and its rotation is one.
    pub fn is_possible(&self) -> bool {
        let rotation = self.rotation.is_finite() && (self.rotation.length() - 1.0).abs() < 1e-6;
        self.translation.is_finite() && rotation
    }

    /// First `inner`, then `self`.
    pub fn after(&self, inner: &Pose) -> Pose {
        Pose {
            translation: self.apply(inner.translation),
            rotation: (self.rotation * inner.rotation).normalize(),
        }
    }
}

/// How keyframes are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Interpolation {
    /// Straight lines, with a jump in velocity at each key.
    #[default]
    Linear,
    /// Cubic Hermite pieces through the keys, with continuous velocity and rest at both ends.
    Smooth,
}

/// Poses at increasing times; the first holds before, the last after.
#[derive(Clone, Debug, PartialEq)]
pub struct Keyframes {
    times: Vec<f64>,
    poses: Vec<Pose>,
    interpolation: Interpolation,
}

/// A motion that cannot be.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum MotionError {
    /// No keys.
    #[error("a motion needs at least one key")]
    NoKeys,
    /// As many poses as times are needed.
    #[error("{times} times but {poses} poses")]
    Mismatch {
        /// Number of times.
        times: usize,
        /// Number of poses.
        poses: usize,
    },
    /// Times must increase.
    #[error(
        "key {index} (at {time} s) does not come after the one before it; sort the keys by time"
    )]
    Unsorted {
        /// The later key (counted from 0).
        index: usize,
        /// Its time (s).
        time: f64,
    },
    /// Not a number.
    #[error("key {index} has a time or pose that is not a finite number")]
    NotFinite {
        /// The key (counted from 0).
        index: usize,
    },
}

impl Keyframes {
    /// Checks and takes the keys. Rotations are made sign-continuous.
    pub fn new(
        times: Vec<f64>,
        mut poses: Vec<Pose>,
        interpolation: Interpolation,
    ) -> Result<Self, MotionError> {
        check_times(&times, poses.len())?;
        for (index, pose) in poses.iter().enumerate() {
            if !pose.translation.is_finite() || !pose.rotation.is_finite() {
                return Err(MotionError::NotFinite { index });
            }
        }
        for k in 1..poses.len() {
            if poses[k - 1].rotation.dot(poses[k].rotation) < 0.0 {
                poses[k].rotation = -poses[k].rotation;
            }
        }
        Ok(Keyframes {
            times,
            poses,
            interpolation,
        })
    }

    fn pose(&self, time: f64) -> Pose {
        let Some((k, s)) = segment(&self.times, time) else {
            let last = self.times.len() - 1;
            return self.poses[if time <= self.times[0] { 0 } else { last }];
        };
        let (from, to) = (self.poses[k], self.poses[k + 1]);
        match self.interpolation {
            Interpolation::Linear => Pose {
                translation: from.translation.lerp(to.translation, s),
                rotation: from.rotation.slerp(to.rotation, s),
            },
            Interpolation::Smooth => self.hermite(k, s),
        }
    }

    /// Cubic Hermite on translation and, component by component and normalised again, on the quaternion.
    fn hermite(&self, k: usize, s: f64) -> Pose {
        let width = self.times[k + 1] - self.times[k];
        let [from, to] = [k, k + 1].map(|i| self.poses[i]);
        let [from_slope, to_slope] = [k, k + 1].map(|i| self.slope(i));
        let (s2, s3) = (s * s, s * s * s);
        let weights = [
            2.0 * s3 - 3.0 * s2 + 1.0,
            (s3 - 2.0 * s2 + s) * width,
            3.0 * s2 - 2.0 * s3,
            (s3 - s2) * width,
        ];
        let translation = from.translation * weights[0]
            + from_slope.0 * weights[1]
            + to.translation * weights[2]
            + to_slope.0 * weights[3];
        let rotation = from.rotation * weights[0]
            + from_slope.1 * weights[1]
            + to.rotation * weights[2]
            + to_slope.1 * weights[3];
        Pose {
            translation,
            rotation: rotation.normalize(),
        }
    }

    /// Central difference at inner keys, zero at the ends: the motion starts and stops at rest.
    fn slope(&self, i: usize) -> (DVec3, DQuat) {
        if i == 0 || i + 1 == self.times.len() {
            return (DVec3::ZERO, DQuat::from_array([0.0; 4]));
        }
        let scale = 1.0 / (self.times[i + 1] - self.times[i - 1]);
        let (before, after) = (self.poses[i - 1], self.poses[i + 1]);
        (
            (after.translation - before.translation) * scale,
            (after.rotation - before.rotation) * scale,
        )
    }
}

pub(super) fn check_times(times: &[f64], values: usize) -> Result<(), MotionError> {
    if times.is_empty() {
        return Err(MotionError::NoKeys);
    }
    if times.len() != values {
        return Err(MotionError::Mismatch {
            times: times.len(),
            poses: values,
        });
    }
    for (index, &time) in times.iter().enumerate() {
        if !time.is_finite() {
            return Err(MotionError::NotFinite { index });
        }
        if index > 0 && time <= times[index - 1] {
            return Err(MotionError::Unsorted { index, time });
        }
    }
    Ok(())
}

/// The interval that holds `time` and how far along it is, or `None` outside the keys.
pub(crate) fn segment(times: &[f64], time: f64) -> Option<(usize, f64)> {
    let k = times.partition_point(|&t| t <= time);
    if k == 0 || k == times.len() {
        return None;
    }
    let (from, to) = (times[k - 1], times[k]);
    Some((k - 1, (time - from) / (to - from)))
}

/// A displacement as a function of time.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum Motion {
    /// Stays.
    #[default]
    Fixed,
    /// Constant velocity from time 0.
    Velocity {
        /// m/s.
        linear: DVec3,
        /// rad/s, about the axis it points along.
        angular: DVec3,
    },
    /// `A (sin(2πft + φ) − sin φ)`, which starts without a jump whatever the phase.
    Sinusoid {
        /// Amplitude of the translation (m).
        amplitude: DVec3,
        /// Amplitude of the rotation vector (rad).
        angular: DVec3,
        /// Frequency (Hz).
        frequency: f64,
        /// Phase (rad).
        phase: f64,
    },
    /// Poses at given times.
    Keyframes(Keyframes),
}

impl Motion {
    /// The displacement at a time (s).
    pub fn pose(&self, time: f64) -> Pose {
        match self {
            Motion::Fixed => Pose::IDENTITY,
            Motion::Velocity { linear, angular } => Pose {
                translation: *linear * time,
                rotation: DQuat::from_scaled_axis(*angular * time),
            },
            Motion::Sinusoid {
                amplitude,
                angular,
                frequency,
                phase,
            } => {
                let swing = (TAU * frequency * time + phase).sin() - phase.sin();
                Pose {
                    translation: *amplitude * swing,
                    rotation: DQuat::from_scaled_axis(*angular * swing),
                }
            }
            Motion::Keyframes(keys) => keys.pose(time),
        }
    }
}

/// A rigid motion of space about a pivot: `x ↦ p + d(t) + R(t) (x − p)`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct RigidPath {
    /// The point that turns on the spot (m).
    pub pivot: DVec3,
    /// Displacement of the pivot and rotation about it.
    pub motion: Motion,
}

impl RigidPath {
    /// The motion since time 0 as one pose.
    pub fn pose(&self, time: f64) -> Pose {
        let Pose {
            translation,
            rotation,
        } = self.motion.pose(time);
        Pose {
            translation: self.pivot + translation - rotation * self.pivot,
            rotation,
        }
    }

    /// Whether it never moves.
    pub fn is_fixed(&self) -> bool {
        matches!(self.motion, Motion::Fixed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: f64) -> Pose {
        Pose {
            translation: DVec3::X * x,
            rotation: DQuat::IDENTITY,
        }
    }

    #[test]
    fn keyframes_hold_before_the_first_and_after_the_last_key() {
        for interpolation in [Interpolation::Linear, Interpolation::Smooth] {
            let keys =
                Keyframes::new(vec![1.0, 2.0], vec![at(0.0), at(4.0)], interpolation).unwrap();
            assert_eq!(keys.pose(0.0).translation.x, 0.0);
            assert_eq!(keys.pose(1.5).translation.x, 2.0);
            assert_eq!(keys.pose(9.0).translation.x, 4.0);
        }
    }

    #[test]
    fn smooth_keyframes_have_continuous_velocity() {
        let keys = Keyframes::new(
            vec![0.0, 1.0, 3.0],
            vec![at(0.0), at(1.0), at(-2.0)],
            Interpolation::Smooth,
        )
        .unwrap();
        let x = |t: f64| keys.pose(t).translation.x;
        let e = 1e-6;
        for key in [0.0, 1.0, 3.0] {
            let (left, right) = ((x(key) - x(key - e)) / e, (x(key + e) - x(key)) / e);
            assert!((left - right).abs() < 1e-4, "at {key}: {left} {right}");
        }
    }

    #[test]
    fn a_sinusoid_starts_where_it_stands() {
        let motion = Motion::Sinusoid {
            amplitude: DVec3::Z,
            angular: DVec3::ZERO,
            frequency: 0.5,
            phase: 1.2,
        };
        assert_eq!(motion.pose(0.0).translation, DVec3::ZERO);
        assert!(motion.pose(2.0).translation.length() < 1e-12);
    }

    #[test]
    fn a_path_turns_about_its_pivot() {
        let path = RigidPath {
            pivot: DVec3::X,
            motion: Motion::Velocity {
                linear: DVec3::ZERO,
                angular: DVec3::Z,
            },
        };
        let pose = path.pose(std::f64::consts::FRAC_PI_2);
        assert!(pose.apply(DVec3::X).distance(DVec3::X) < 1e-12);
        assert!(pose.apply(DVec3::ZERO).distance(DVec3::new(1.0, -1.0, 0.0)) < 1e-12);
        assert!(pose.unapply(pose.apply(DVec3::ONE)).distance(DVec3::ONE) < 1e-12);
    }

    #[test]
    fn unsorted_and_missing_keys_are_refused() {
        let bad = Keyframes::new(vec![0.0, 0.0], vec![at(0.0); 2], Interpolation::Linear);
        assert_eq!(
            bad.unwrap_err(),
            MotionError::Unsorted {
                index: 1,
                time: 0.0
            }
        );
        let none = Keyframes::new(vec![], vec![], Interpolation::Linear);
        assert_eq!(none.unwrap_err(), MotionError::NoKeys);
    }
}
