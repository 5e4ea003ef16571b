//! Points of which nobody knows to which node they belong.

use super::error::{RecordingError, check_times};
use super::size::{check_diagonal, typical_diagonal};
use glam::DVec3;

/// A cloud of points for each frame.
#[derive(Clone, Debug, PartialEq)]
pub struct CloudRecording {
    /// Times of the frames (s), increasing.
    pub times: Vec<f64>,
    /// The points of each frame (m); none is empty and all points are finite.
    pub clouds: Vec<Vec<DVec3>>,
    /// What was changed, in plain words.
    pub notes: Vec<String>,
}

impl CloudRecording {
    /// Takes clouds; points that are not finite are left out.
    pub fn new(times: Vec<f64>, mut clouds: Vec<Vec<DVec3>>) -> Result<Self, RecordingError> {
        if times.len() != clouds.len() {
            return Err(RecordingError::TimesAndFrames {
                times: times.len(),
                frames: clouds.len(),
            });
        }
        check_times(&times)?;
        let before: usize = clouds.iter().map(Vec::len).sum();
        for cloud in &mut clouds {
            cloud.retain(|point| point.is_finite());
        }
        let after: usize = clouds.iter().map(Vec::len).sum();
        if let Some(frame) = clouds.iter().position(Vec::is_empty) {
            return Err(RecordingError::EmptyCloud { frame });
        }
        if clouds.len() < 2 {
            return Err(RecordingError::TooFewFrames {
                frames: clouds.len(),
            });
        }
        let mut notes = Vec::new();
        if after < before {
            let gone = before - after;
            notes.push(format!(
                "{gone} of {before} points are not finite and were left out"
            ));
        }
        Ok(CloudRecording {
            times,
            clouds,
            notes,
        })
    }

    pub(super) fn scaled(
        times: Vec<f64>,
        mut clouds: Vec<Vec<DVec3>>,
        scale: f64,
    ) -> Result<Self, RecordingError> {
        for point in clouds.iter_mut().flatten() {
            *point *= scale;
        }
        Self::new(times, clouds)
    }

    /// How many frames there are.
    pub fn len(&self) -> usize {
        self.clouds.len()
    }

    /// Whether there are no frames; a recording that was read has at least two.
    pub fn is_empty(&self) -> bool {
        self.clouds.is_empty()
    }

    /// The points of a frame (m), if there is such a frame.
    pub fn cloud(&self, frame: usize) -> Option<&[DVec3]> {
        self.clouds.get(frame).map(Vec::as_slice)
    }

    /// First and last time (s).
    pub fn span(&self) -> [f64; 2] {
        [self.times[0], self.times[self.times.len() - 1]]
    }

    /// The frame whose time is nearest; of two as near, the earlier one.
    pub fn nearest_frame(&self, time: f64) -> usize {
        let after = self.times.partition_point(|&t| t <= time);
        if after == 0 || after == self.times.len() {
            return after.saturating_sub(1);
        }
        let nearer_before = time - self.times[after - 1] <= self.times[after] - time;
        if nearer_before { after - 1 } else { after }
    }

    /// Refuses a recording whose size says that its unit is not the metre. `expected_extent` is the
    /// size of the cloth (m), such as its diagonal.
    pub fn check_size(&self, expected_extent: f64) -> Result<(), RecordingError> {
        check_diagonal(typical_diagonal(&self.clouds), expected_extent)
    }
}
