//! A mesh at increasing times.

use super::MovingSurface;
use crate::drive::{Pose, segment};
use crate::geometry::closest::weighted;
use crate::geometry::level_set::surface::Surface;
use crate::geometry::level_set::{Findings, LevelSetError, Settings};
use crate::geometry::triangle_tree::TriangleTree;
use crate::mesh::{Face, Mesh};
use glam::DVec3;
use thiserror::Error;

/// What to do with imperfect meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SequenceSettings {
    /// Whether holes are covered; otherwise an open mesh is an error.
    pub cover_holes: bool,
    /// Whether a mesh that is inside out in its first frame is turned; otherwise it is an error.
    pub flip_inverted: bool,
}

impl Default for SequenceSettings {
    fn default() -> Self {
        SequenceSettings {
            cover_holes: true,
            flip_inverted: false,
        }
    }
}

/// A closed surface whose nodes move on straight lines from frame to frame. It stands still before the first
/// and after the last.
#[derive(Clone)]
pub struct Sequence {
    faces: Vec<Face>,
    times: Vec<f64>,
    /// Nodes of the mesh, then the middles of covers, for every frame (m).
    frames: Vec<Vec<DVec3>>,
    nodes: usize,
    /// The closed surface's triangles in a tree, fitted to the first frame.
    tree: TriangleTree,
    first: MovingSurface,
    findings: Findings,
    settings: SequenceSettings,
}

/// A sequence that is no body.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum SequenceError {
    /// There is nothing to show.
    #[error("the sequence has no frames")]
    Empty,
    /// As many times as frames are needed.
    #[error("{times} times were given for {frames} frames")]
    WrongTimes {
        /// Number of times.
        times: usize,
        /// Number of frames.
        frames: usize,
    },
    /// Times must be finite and increase.
    #[error("frame {frame} (counted from 0) is at {time} s; times must be finite and increase")]
    Time {
        /// The frame.
        frame: usize,
        /// Its time (s).
        time: f64,
    },
    /// All frames must have the same nodes.
    #[error(
        "frame {frame} (counted from 0) has {found} nodes, the first one {expected}; all frames need the same topology"
    )]
    Topology {
        /// The frame.
        frame: usize,
        /// Nodes of the first frame.
        expected: usize,
        /// Nodes of this frame.
        found: usize,
    },
    /// The mesh of one frame bounds no body.
    #[error("frame {frame} (counted from 0): {source}")]
    Mesh {
        /// The frame.
        frame: usize,
        /// What is wrong with it.
        source: LevelSetError,
    },
    /// A node moves farther than the body is large.
    #[error(
        "node {node} moves {distance:.4} m from frame {before} to frame {after} (counted from 0), farther than the body is \
         large ({size:.4} m): cloth cannot follow. Mend the order or the numbering of the nodes, or put frames in between"
    )]
    Teleport {
        /// The node (counted from 0).
        node: usize,
        /// Frame before the jump.
        before: usize,
        /// Frame after it.
        after: usize,
        /// How far it moves (m).
        distance: f64,
        /// Diagonal of the box around the body before the jump (m).
        size: f64,
    },
}

impl SequenceError {
    /// The frame it is about.
    pub fn frame(&self) -> Option<usize> {
        match *self {
            SequenceError::Empty | SequenceError::WrongTimes { .. } => None,
            SequenceError::Time { frame, .. }
            | SequenceError::Topology { frame, .. }
            | SequenceError::Mesh { frame, .. } => Some(frame),
            SequenceError::Teleport { after, .. } => Some(after),
        }
    }
}

impl Sequence {
    /// A body with these faces, whose quads count as two triangles, and its nodes' positions (m) at the given
    /// times (s).
    pub fn new(
        faces: Vec<Face>,
        times: Vec<f64>,
        frames: Vec<Vec<DVec3>>,
        settings: SequenceSettings,
    ) -> Result<Self, SequenceError> {
        check_times(&times, frames.len())?;
        let nodes = frames[0].len();
        check_nodes(&frames)?;
        let triangles: Vec<[u32; 3]> = faces.iter().flat_map(Face::triangles).collect();
        // Nodes at one place are one if they stay together.
        let belong = |a: u32, b: u32| frames.iter().all(|f| f[a as usize] == f[b as usize]);
        let closing = Settings {
            cover_holes: settings.cover_holes,
            flip_inverted: settings.flip_inverted,
            ..Settings::with_cell(1.0)
        };
        let in_frame = |frame| move |source| SequenceError::Mesh { frame, source };
        let mut surface =
            Surface::joined(&frames[0], &triangles, &closing, belong).map_err(in_frame(0))?;
        let mut placed = Vec::with_capacity(frames.len());
        for (frame, positions) in frames.iter().enumerate() {
            surface.points = surface.all_points(positions);
            surface.checked_volume(false).map_err(in_frame(frame))?;
            placed.push(surface.points.clone());
        }
        check_jumps(&placed, nodes)?;
        let tree = TriangleTree::new(&placed[0], &surface.triangles);
        let first = MovingSurface::new(&tree, &placed[0], &placed[0]);
        Ok(Sequence {
            faces,
            times,
            frames: placed,
            nodes,
            tree,
            first,
            findings: surface.findings,
            settings,
        })
    }

    /// The mesh's nodes at a time (m).
    pub fn positions(&self, time: f64) -> Vec<DVec3> {
        let mut points = self.points(time);
        points.truncate(self.nodes);
        points
    }

    /// How the mesh's nodes move right after a time (m/s).
    pub fn velocities(&self, time: f64) -> Vec<DVec3> {
        let inner = self.times[0] <= time;
        let Some((k, _)) = segment(&self.times, time).filter(|_| inner) else {
            return vec![DVec3::ZERO; self.nodes];
        };
        let span = self.times[k + 1] - self.times[k];
        let ends = self.frames[k].iter().zip(&self.frames[k + 1]);
        ends.take(self.nodes).map(|(a, b)| (b - a) / span).collect()
    }

    /// The mesh's faces.
    pub fn faces(&self) -> &[Face] {
        &self.faces
    }

    /// When the frames are (s).
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// The mesh's nodes in one of the frames (m).
    pub fn frame(&self, frame: usize) -> &[DVec3] {
        &self.frames[frame][..self.nodes]
    }

    /// What was found, and mended, in the first frame.
    pub fn findings(&self) -> &Findings {
        &self.findings
    }

    /// The first frame, for pictures.
    pub fn mesh(&self) -> Mesh {
        Mesh::new(self.frame(0).to_vec(), self.faces.clone())
    }

    /// A place of the closed surface in the first frame: a triangle, and weights of its corners (m).
    pub(crate) fn first_place(&self, face: u32, weights: [f64; 3]) -> DVec3 {
        weighted(weights, self.tree.corners(face))
    }

    /// How many triangles the closed surface has.
    pub(crate) fn triangle_count(&self) -> usize {
        self.tree.len()
    }

    /// The surface as it stands in the first frame.
    pub(crate) fn at_first(&self) -> &MovingSurface {
        &self.first
    }

    /// The surface during a step from `time` (s), on straight lines, with the frame that it lives in at both
    /// ends.
    pub(crate) fn moving(&self, time: f64, h: f64, poses: [Pose; 2]) -> MovingSurface {
        let [start, end] = [(time, poses[0]), (time + h, poses[1])].map(|(time, pose)| {
            let mut points = self.points(time);
            for point in &mut points {
                *point = pose.apply(*point);
            }
            points
        });
        MovingSurface::new(&self.tree, &start, &end)
    }

    fn points(&self, time: f64) -> Vec<DVec3> {
        let last = self.frames.len() - 1;
        match segment(&self.times, time) {
            None => self.frames[if time <= self.times[0] { 0 } else { last }].clone(),
            Some((k, share)) => {
                let ends = self.frames[k].iter().zip(&self.frames[k + 1]);
                ends.map(|(a, b)| a.lerp(*b, share)).collect()
            }
        }
    }
}

impl PartialEq for Sequence {
    /// All else follows from these.
    fn eq(&self, other: &Self) -> bool {
        self.faces == other.faces
            && self.times == other.times
            && self.frames == other.frames
            && self.settings == other.settings
    }
}

impl std::fmt::Debug for Sequence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sequence")
            .field("faces", &self.faces)
            .field("times", &self.times)
            .field("frames", &self.frames)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

fn check_times(times: &[f64], frames: usize) -> Result<(), SequenceError> {
    if frames == 0 {
        return Err(SequenceError::Empty);
    }
    if times.len() != frames {
        let times = times.len();
        return Err(SequenceError::WrongTimes { times, frames });
    }
    let wrong = |&k: &usize| !times[k].is_finite() || k > 0 && times[k] <= times[k - 1];
    match (0..frames).find(wrong) {
        Some(frame) => Err(SequenceError::Time {
            frame,
            time: times[frame],
        }),
        None => Ok(()),
    }
}

fn check_nodes(frames: &[Vec<DVec3>]) -> Result<(), SequenceError> {
    let expected = frames[0].len();
    for (frame, positions) in frames.iter().enumerate() {
        let found = positions.len();
        if found != expected {
            return Err(SequenceError::Topology {
                frame,
                expected,
                found,
            });
        }
        if let Some(node) = positions.iter().position(|p| !p.is_finite()) {
            let source = LevelSetError::NotFinite { node };
            return Err(SequenceError::Mesh { frame, source });
        }
    }
    Ok(())
}

fn check_jumps(frames: &[Vec<DVec3>], nodes: usize) -> Result<(), SequenceError> {
    for (before, pair) in frames.windows(2).enumerate() {
        let (from, to) = (&pair[0][..nodes], &pair[1][..nodes]);
        let nothing = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let (low, high) = from
            .iter()
            .fold(nothing, |(low, high), p| (low.min(*p), high.max(*p)));
        let size = low.distance(high);
        let far = |&node: &usize| from[node].distance(to[node]) > size;
        if let Some(node) = (0..nodes).find(far) {
            return Err(SequenceError::Teleport {
                node,
                before,
                after: before + 1,
                distance: from[node].distance(to[node]),
                size,
            });
        }
    }
    Ok(())
}
