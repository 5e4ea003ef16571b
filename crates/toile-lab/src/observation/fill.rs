//! Frames left out, and positions filled in.

use super::error::{RecordingError, check_times};
use super::nodes::NodeRecording;
use glam::DVec3;

/// Makes a recording of frames in which positions that are not finite are missing.
pub(super) fn fill(
    mut times: Vec<f64>,
    mut frames: Vec<Vec<DVec3>>,
) -> Result<NodeRecording, RecordingError> {
    check_shape(&times, &frames)?;
    let mut notes = Vec::new();
    drop_empty(&mut times, &mut frames, &mut notes);
    if frames.len() < 2 {
        return Err(RecordingError::TooFewFrames {
            frames: frames.len(),
        });
    }
    let is_seen = |frame: &Vec<DVec3>| frame.iter().map(|p| p.is_finite()).collect();
    let seen: Vec<Vec<bool>> = frames.iter().map(is_seen).collect();
    check_missing(&seen, &mut notes)?;
    for node in 0..frames[0].len() {
        fill_node(node, &times, &mut frames, &seen);
    }
    Ok(NodeRecording {
        times,
        frames,
        seen,
        grid: None,
        held: Vec::new(),
        notes,
    })
}

fn check_shape(times: &[f64], frames: &[Vec<DVec3>]) -> Result<(), RecordingError> {
    if times.len() != frames.len() {
        return Err(RecordingError::TimesAndFrames {
            times: times.len(),
            frames: frames.len(),
        });
    }
    check_times(times)?;
    let first = frames.first().map_or(0, Vec::len);
    if let Some(frame) = frames.iter().position(|frame| frame.len() != first) {
        let found = frames[frame].len();
        return Err(RecordingError::Ragged {
            frame,
            found,
            first,
        });
    }
    if first == 0 && !frames.is_empty() {
        return Err(RecordingError::File("the frames have no nodes".to_owned()));
    }
    Ok(())
}

/// Removes the frames in which nothing is seen.
fn drop_empty(times: &mut Vec<f64>, frames: &mut Vec<Vec<DVec3>>, notes: &mut Vec<String>) {
    let keep: Vec<bool> = frames
        .iter()
        .map(|frame| frame.iter().any(|p| p.is_finite()))
        .collect();
    let Some(first) = keep.iter().position(|&kept| !kept) else {
        return;
    };
    let dropped = keep.iter().filter(|&&kept| !kept).count();
    let word = if dropped == 1 { "frame" } else { "frames" };
    let note = format!("{dropped} dropped {word} (first: frame {first})");
    notes.push(note);
    let mut kept = keep.iter();
    times.retain(|_| *kept.next().unwrap_or(&true));
    let mut kept = keep.iter();
    frames.retain(|_| *kept.next().unwrap_or(&true));
}

/// Counts what is missing and refuses too much of it.
fn check_missing(seen: &[Vec<bool>], notes: &mut Vec<String>) -> Result<(), RecordingError> {
    let total = seen.len() * seen[0].len();
    let mut gaps = seen
        .iter()
        .enumerate()
        .flat_map(|(frame, row)| {
            row.iter()
                .enumerate()
                .map(move |(node, s)| (frame, node, *s))
        })
        .filter(|&(_, _, seen)| !seen);
    let Some((frame, node, _)) = gaps.next() else {
        return Ok(());
    };
    let missing = 1 + gaps.count();
    if 2 * missing > total {
        return Err(RecordingError::TooManyMissing {
            missing,
            total,
            frame,
            node,
        });
    }
    let mut never = (0..seen[0].len()).filter(|&node| !seen.iter().any(|row| row[node]));
    if let Some(node) = never.next() {
        let count = 1 + never.count();
        return Err(RecordingError::NeverSeen { node, count });
    }
    notes.push(format!(
        "{missing} of {total} node positions are missing and were interpolated (first: frame {frame}, node {node})"
    ));
    Ok(())
}

/// Fills a node's gaps with straight lines between the frames in which it is seen; at the ends it stays where it
/// was seen.
fn fill_node(node: usize, times: &[f64], frames: &mut [Vec<DVec3>], seen: &[Vec<bool>]) {
    let mut last_seen = None;
    let mut frame = 0;
    while frame < frames.len() {
        if seen[frame][node] {
            last_seen = Some(frame);
            frame += 1;
            continue;
        }
        let next_seen = (frame..frames.len()).find(|&later| seen[later][node]);
        let end = next_seen.unwrap_or(frames.len());
        for gap in frame..end {
            frames[gap][node] = match (last_seen, next_seen) {
                (Some(a), Some(b)) => {
                    let share = (times[gap] - times[a]) / (times[b] - times[a]);
                    frames[a][node].lerp(frames[b][node], share)
                }
                (Some(only), None) | (None, Some(only)) => frames[only][node],
                // Nodes that are never seen have been refused.
                (None, None) => DVec3::ZERO,
            };
        }
        frame = end;
    }
}
