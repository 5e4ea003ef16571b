//! Whether a recording is in metres.

use super::error::RecordingError;
use glam::DVec3;

/// How many frames are looked at: the first ones, as the cloth may leave the picture later.
const FRAMES_LOOKED_AT: usize = 5;

/// The middle one of the bounding boxes' diagonals of the first frames (m).
pub(super) fn typical_diagonal(frames: &[Vec<DVec3>]) -> f64 {
    let first = &frames[..frames.len().min(FRAMES_LOOKED_AT)];
    let mut diagonals: Vec<f64> = first.iter().map(|points| diagonal(points)).collect();
    diagonals.sort_by(f64::total_cmp);
    diagonals.get(diagonals.len() / 2).copied().unwrap_or(0.0)
}

fn diagonal(points: &[DVec3]) -> f64 {
    let Some(&first) = points.first() else {
        return 0.0;
    };
    let low = points.iter().fold(first, |low, p| low.min(*p));
    let high = points.iter().fold(first, |high, p| high.max(*p));
    (high - low).length()
}

/// Refuses a diagonal that is far from the size of the cloth.
pub(super) fn check_diagonal(diagonal: f64, extent: f64) -> Result<(), RecordingError> {
    let advice = match diagonal / extent {
        ratio if !ratio.is_finite() || ratio > 3000.0 => {
            "more than 3000 times larger; give the unit of its positions, or cut away what is not cloth"
        }
        ratio if ratio >= 300.0 => "looks like millimetres; give --unit mm",
        ratio if ratio >= 30.0 => "looks like centimetres; give --unit cm",
        ratio if ratio > 1.0 / 30.0 => return Ok(()),
        ratio if ratio > 1.0 / 300.0 => {
            "30 to 300 times smaller; if --unit cm was given, leave it out, as the positions seem to be in metres"
        }
        ratio if ratio > 1.0 / 3000.0 => {
            "300 to 3000 times smaller; if --unit mm was given, leave it out, as the positions seem to be in metres; \
             else they may be in kilometres"
        }
        _ => "more than 3000 times smaller; are these positions of this cloth?",
    };
    Err(RecordingError::Size {
        diagonal,
        extent,
        advice,
    })
}
