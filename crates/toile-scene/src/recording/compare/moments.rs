//! A recording at any moment, and the room it takes up.

use super::super::{BodyPose, RecordedFrame, RecordingError};
use super::{CompareError, Footage, Variant};
use glam::DVec3;

/// When the frames of a recording are, and between which corners all of it lies (m).
pub(super) struct Moments {
    times: Vec<f64>,
    pub low: DVec3,
    pub high: DVec3,
}

impl Moments {
    /// Looks through all frames once.
    pub fn of(variant: &Variant) -> Result<Self, CompareError> {
        let footage = variant.footage;
        let mut moments = Moments {
            times: Vec::new(),
            low: DVec3::INFINITY,
            high: DVec3::NEG_INFINITY,
        };
        for index in 0..footage.frame_count() {
            let frame = footage.frame(index)?;
            moments.times.push(frame.time);
            moments.include(footage, &frame);
        }
        if moments.times.is_empty() {
            return Err(CompareError::NoFrames {
                name: variant.name.to_owned(),
            });
        }
        let times = &moments.times;
        if !times.iter().all(|t| t.is_finite()) || !times.is_sorted() {
            // The nominal times are the best guess left.
            let rate = if footage.fps() > 0.0 {
                footage.fps()
            } else {
                1.0
            };
            let count = times.len();
            moments.times = (0..count).map(|k| k as f64 / rate).collect();
        }
        Ok(moments)
    }

    fn include(&mut self, footage: &dyn Footage, frame: &RecordedFrame) {
        let cloth = frame.positions.iter().copied();
        let bodies = footage.bodies().iter().enumerate();
        let bodies = bodies.flat_map(|(index, body)| body.placed(frame, index));
        for point in cloth.chain(bodies).filter(|p| p.is_finite()) {
            self.low = self.low.min(point);
            self.high = self.high.max(point);
        }
    }

    /// The first moment (s).
    pub fn start(&self) -> f64 {
        self.times[0]
    }

    /// The last moment (s).
    pub fn end(&self) -> f64 {
        self.times[self.times.len() - 1]
    }

    /// The frame at a time (s), between two recorded ones if need be.
    pub fn frame(&self, footage: &dyn Footage, time: f64) -> Result<RecordedFrame, RecordingError> {
        let (index, blend) = self.locate(time);
        let first = footage.frame(index)?;
        if blend == 0.0 {
            return Ok(first);
        }
        Ok(between(&first, &footage.frame(index + 1)?, blend))
    }

    /// The frame at or before a time, and how far the next one is away, from 0 to 1. Moments that are the same but for rounding are
    /// the same.
    fn locate(&self, time: f64) -> (usize, f64) {
        let after = self.times.partition_point(|&t| t <= time);
        let (Some(index), true) = (after.checked_sub(1), after < self.times.len()) else {
            return (after.min(self.times.len() - 1), 0.0);
        };
        let span = self.times[after] - self.times[index];
        let blend = (time - self.times[index]) / span;
        match blend {
            b if b < 1e-6 => (index, 0.0),
            b if b > 1.0 - 1e-6 => (after, 0.0),
            b => (index, b),
        }
    }
}

/// A frame between two.
fn between(first: &RecordedFrame, second: &RecordedFrame, blend: f64) -> RecordedFrame {
    let poses = first.poses.iter().zip(&second.poses);
    let positions = first.positions.iter().zip(&second.positions);
    RecordedFrame {
        time: first.time + blend * (second.time - first.time),
        poses: poses
            .map(|(a, b)| BodyPose {
                translation: a.translation.lerp(b.translation, blend),
                rotation: a.rotation.slerp(b.rotation, blend),
            })
            .collect(),
        positions: positions.map(|(a, b)| a.lerp(*b, blend)).collect(),
        velocities: Vec::new(),
    }
}
