//! Nodes that are told apart in every frame.

use super::error::RecordingError;
use super::fill::fill;
use super::size::{check_diagonal, typical_diagonal};
use glam::DVec3;

/// More frames than this are not made by [`NodeRecording::resample`].
const MOST_FRAMES: f64 = 1e7;

/// The motion of a cloth's nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeRecording {
    /// Times of the frames (s), increasing.
    pub times: Vec<f64>,
    /// For each frame the position of every node (m). All are finite.
    pub frames: Vec<Vec<DVec3>>,
    /// For each frame whether each node was really seen; where not, its position was filled in.
    pub seen: Vec<Vec<bool>>,
    /// Columns and rows, if the nodes are a grid; they are numbered row by row.
    pub grid: Option<[usize; 2]>,
    /// Nodes that are held, by a hand or a frame.
    pub held: Vec<u32>,
    /// What was changed, in plain words.
    pub notes: Vec<String>,
}

impl NodeRecording {
    /// Takes frames in which positions that are not finite are missing. Frames without any position are left out;
    /// other missing positions are filled in from the frames before and after.
    pub fn new(times: Vec<f64>, frames: Vec<Vec<DVec3>>) -> Result<Self, RecordingError> {
        fill(times, frames)
    }

    /// The same with columns and rows.
    pub fn with_grid(mut self, grid: [usize; 2]) -> Result<Self, RecordingError> {
        let [columns, rows] = grid;
        let nodes = self.nodes();
        if columns.checked_mul(rows) != Some(nodes) {
            return Err(RecordingError::Grid {
                columns,
                rows,
                nodes,
            });
        }
        self.grid = Some(grid);
        Ok(self)
    }

    /// The same with held nodes; sorted, without doubles.
    pub fn with_held(mut self, held: &[u64]) -> Result<Self, RecordingError> {
        let nodes = self.nodes();
        if let Some(&node) = held.iter().find(|&&node| node >= nodes as u64) {
            return Err(RecordingError::Held { node, nodes });
        }
        self.held = held.iter().map(|&node| node as u32).collect();
        self.held.sort_unstable();
        self.held.dedup();
        Ok(self)
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.frames.first().map_or(0, Vec::len)
    }

    /// Refuses a recording that does not have this number of nodes.
    pub fn check_nodes(&self, expected: usize) -> Result<(), RecordingError> {
        match self.nodes() {
            found if found == expected => Ok(()),
            found => Err(RecordingError::NodeCount { found, expected }),
        }
    }

    /// Refuses a recording whose size says that its unit is not the metre. `expected_extent` is the
    /// size of the cloth (m), such as its diagonal.
    pub fn check_size(&self, expected_extent: f64) -> Result<(), RecordingError> {
        check_diagonal(typical_diagonal(&self.frames), expected_extent)
    }

    /// First and last time (s).
    pub fn span(&self) -> [f64; 2] {
        [self.times[0], self.times[self.times.len() - 1]]
    }

    /// Whether a node was really seen in a frame.
    pub fn is_seen(&self, frame: usize, node: usize) -> bool {
        self.seen[frame][node]
    }

    /// Whether a node's position at a time (s) comes from frames in which it was really seen.
    pub fn is_seen_at(&self, time: f64, node: usize) -> bool {
        let (before, after, share) = self.bracket(time);
        (share == 1.0 || self.seen[before][node]) && (share == 0.0 || self.seen[after][node])
    }

    /// How many positions were really seen, of all frames and nodes.
    pub fn seen_count(&self) -> usize {
        self.seen.iter().flatten().filter(|&&seen| seen).count()
    }

    /// Positions at a time (s), on straight lines between the frames; before the first and after the last frame
    /// those of that frame. The buffer is emptied first.
    pub fn at(&self, time: f64, positions: &mut Vec<DVec3>) {
        let (before, after, share) = self.bracket(time);
        let pairs = self.frames[before].iter().zip(&self.frames[after]);
        positions.clear();
        positions.extend(pairs.map(|(a, b)| a.lerp(*b, share)));
    }

    /// The frames around a time, and how far between them it is, from 0 to 1.
    fn bracket(&self, time: f64) -> (usize, usize, f64) {
        let after = self.times.partition_point(|&t| t <= time);
        if after == 0 {
            return (0, 0, 0.0);
        }
        if after == self.times.len() {
            return (after - 1, after - 1, 0.0);
        }
        let (from, to) = (self.times[after - 1], self.times[after]);
        (after - 1, after, (time - from) / (to - from))
    }

    /// The same motion in frames `interval` seconds apart, from the first time on.
    pub fn resample(&self, interval: f64) -> Result<Self, RecordingError> {
        let [start, end] = self.span();
        // A last frame that rounding has put a little after the end still counts.
        let last = ((end - start) / interval + 1e-9).floor();
        if !(interval > 0.0 && last < MOST_FRAMES) {
            return Err(RecordingError::Setting {
                name: "the interval between frames",
                value: interval,
                mend: " of seconds, and not so small that there are millions of frames",
            });
        }
        if last < 1.0 {
            return Err(RecordingError::TooFewFrames { frames: 1 });
        }
        let mut result = NodeRecording {
            times: Vec::new(),
            frames: Vec::new(),
            seen: Vec::new(),
            ..self.clone()
        };
        for frame in 0..=last as usize {
            let time = start + frame as f64 * interval;
            let mut positions = Vec::new();
            self.at(time, &mut positions);
            let seen = (0..self.nodes()).map(|node| self.is_seen_at(time, node));
            result.seen.push(seen.collect());
            result.frames.push(positions);
            result.times.push(time);
        }
        Ok(result)
    }
}
