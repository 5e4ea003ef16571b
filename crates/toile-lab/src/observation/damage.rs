//! Perfect recordings made as bad as real ones, to see what a fit can bear.

use super::{NodeRecording, RecordingError};
use crate::random::Random;
use glam::DVec3;

/// What to do to a recording. The default does nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Damage {
    /// Standard deviation of what is added to every coordinate (m).
    pub noise: f64,
    /// Share of the frames that are lost, from 0 to 1. The first one stays.
    pub drop_frames: f64,
    /// Standard deviation of what is added to the time stamps (s). They stay in order.
    pub jitter: f64,
    /// Share of the node positions that are not seen, from 0 to 1.
    pub missing: f64,
    /// Another seed, other damage.
    pub seed: u64,
}

impl Damage {
    /// A damaged copy. The same damage to the same recording is always the same.
    ///
    /// Each kind draws from numbers of its own, so that more of one changes nothing in the others.
    pub fn apply(&self, recording: &NodeRecording) -> Result<NodeRecording, RecordingError> {
        self.check()?;
        let mut frames = recording.frames.clone();
        self.add_noise(&mut frames);
        self.hide(recording, &mut frames);
        let times = self.shake(&recording.times);
        let mut random = self.random(3);
        let kept: Vec<bool> = (0..times.len())
            .map(|frame| random.uniform() >= self.drop_frames || frame == 0)
            .collect();
        let pairs = times.into_iter().zip(frames).zip(&kept);
        let (times, frames) = pairs
            .filter(|(_, kept)| **kept)
            .map(|(pair, _)| pair)
            .unzip();
        let mut damaged = NodeRecording::new(times, frames)?;
        damaged.grid = recording.grid;
        damaged.held.clone_from(&recording.held);
        Ok(damaged)
    }

    fn check(&self) -> Result<(), RecordingError> {
        let settings = [
            ("the noise of a damage", self.noise, f64::MAX),
            (
                "the share of dropped frames of a damage",
                self.drop_frames,
                1.0,
            ),
            ("the jitter of a damage", self.jitter, f64::MAX),
            ("the share of missing nodes of a damage", self.missing, 1.0),
        ];
        for (name, value, most) in settings {
            if !(0.0..=most).contains(&value) {
                let mend = " or zero, and a share is at most 1";
                return Err(RecordingError::Setting { name, value, mend });
            }
        }
        Ok(())
    }

    fn random(&self, purpose: u64) -> Random {
        Random::new(self.seed.wrapping_mul(4).wrapping_add(purpose))
    }

    fn add_noise(&self, frames: &mut [Vec<DVec3>]) {
        if self.noise == 0.0 {
            return;
        }
        let mut random = self.random(0);
        for position in frames.iter_mut().flatten() {
            let [x, y, z] = std::array::from_fn(|_| random.normal());
            *position += self.noise * DVec3::new(x, y, z);
        }
    }

    /// Hides positions, besides those that were hidden already. In the first frame at least one is left, or the frame
    /// would be lost.
    fn hide(&self, recording: &NodeRecording, frames: &mut [Vec<DVec3>]) {
        let mut random = self.random(1);
        let first_frame = frames[0].clone();
        let seen = recording.seen.iter().flatten();
        for (position, &seen) in frames.iter_mut().flatten().zip(seen) {
            if random.uniform() < self.missing || !seen {
                *position = DVec3::NAN;
            }
        }
        let first = recording.seen[0].iter().position(|&seen| seen);
        if let Some(node) = first
            && frames[0].iter().all(|position| position.is_nan())
        {
            frames[0][node] = first_frame[node];
        }
    }

    /// Moves the time stamps, each by less than half of the way to its neighbours.
    fn shake(&self, times: &[f64]) -> Vec<f64> {
        let mut random = self.random(2);
        let shaken = times.iter().enumerate().map(|(frame, &time)| {
            let shift = self.jitter * random.normal();
            let before = frame
                .checked_sub(1)
                .map_or(f64::INFINITY, |k| time - times[k]);
            let after = times
                .get(frame + 1)
                .map_or(f64::INFINITY, |next| next - time);
            time + shift.clamp(-0.49 * before, 0.49 * after)
        });
        shaken.collect()
    }
}
