//! Frames with what they show, on the disk or in memory.

use super::frame::FrameLayout;
use super::{BodyTrack, ClothTrack, RecordedFrame, Recording, RecordingError, RecordingWriter};
use std::path::{Path, PathBuf};

/// What a recording has, wherever its frames are.
pub trait Footage {
    /// Title of the scene.
    fn title(&self) -> &str;
    /// Frames per second of simulated time.
    fn fps(&self) -> f64;
    /// The cloths.
    fn cloths(&self) -> &[ClothTrack];
    /// The bodies.
    fn bodies(&self) -> &[BodyTrack];
    /// How many frames there are.
    fn frame_count(&self) -> usize;
    /// One frame.
    fn frame(&self, index: usize) -> Result<RecordedFrame, RecordingError>;
}

impl Footage for Recording {
    fn title(&self) -> &str {
        &self.header().title
    }

    fn fps(&self) -> f64 {
        self.header().fps
    }

    fn cloths(&self) -> &[ClothTrack] {
        Recording::cloths(self)
    }

    fn bodies(&self) -> &[BodyTrack] {
        Recording::bodies(self)
    }

    fn frame_count(&self) -> usize {
        Recording::frame_count(self)
    }

    fn frame(&self, index: usize) -> Result<RecordedFrame, RecordingError> {
        Recording::frame(self, index)
    }
}

/// A recording in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Reel {
    /// What it shows.
    pub title: String,
    /// Frames per second of simulated time.
    pub fps: f64,
    /// The cloths, one after the other in every frame.
    pub cloths: Vec<ClothTrack>,
    /// The bodies.
    pub bodies: Vec<BodyTrack>,
    /// The frames, each with as many nodes and poses as the tracks have.
    pub frames: Vec<RecordedFrame>,
}

impl Reel {
    /// Bytes of one frame in a file.
    pub fn frame_bytes(&self) -> u64 {
        let layout = FrameLayout {
            bodies: self.bodies.len(),
            nodes: self.cloths.iter().map(|c| c.node_count).sum(),
            velocities: self.has_velocities(),
        };
        layout.stride()
    }

    fn has_velocities(&self) -> bool {
        let moving = |f: &RecordedFrame| !f.velocities.is_empty();
        !self.frames.is_empty() && self.frames.iter().all(moving)
    }

    /// Writes the file (as [`RecordingWriter`] does). One that is there is replaced, when all of the new one is written.
    pub fn write(&self, path: &Path) -> Result<(), RecordingError> {
        write_whole(path, |part| {
            let tracks = (&self.cloths[..], &self.bodies[..]);
            let moving = self.has_velocities();
            let mut writer =
                RecordingWriter::create_with(part, &self.title, self.fps, tracks, moving)?;
            for frame in &self.frames {
                push(&mut writer, frame)?;
            }
            writer.sync()
        })
    }
}

impl Footage for Reel {
    fn title(&self) -> &str {
        &self.title
    }

    fn fps(&self) -> f64 {
        self.fps
    }

    fn cloths(&self) -> &[ClothTrack] {
        &self.cloths
    }

    fn bodies(&self) -> &[BodyTrack] {
        &self.bodies
    }

    fn frame_count(&self) -> usize {
        self.frames.len()
    }

    fn frame(&self, index: usize) -> Result<RecordedFrame, RecordingError> {
        let frame = self.frames.get(index).cloned();
        frame.ok_or_else(|| RecordingError::NoSuchFrame {
            path: PathBuf::from(&self.title),
            index,
            count: self.frames.len(),
        })
    }
}

/// Appends a frame that was read or made.
pub(super) fn push(
    writer: &mut RecordingWriter,
    frame: &RecordedFrame,
) -> Result<(), RecordingError> {
    writer.push(
        frame.time,
        &frame.poses,
        &frame.positions,
        &frame.velocities,
    )
}

/// Has a file written beside the one it replaces, so that at every moment the old or the whole new one is there.
pub(super) fn write_whole(
    path: &Path,
    write: impl FnOnce(&Path) -> Result<(), RecordingError>,
) -> Result<(), RecordingError> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    let part = path.with_file_name(name);
    // Left by a program that was killed. If it cannot be removed, creating it says why.
    let _ = std::fs::remove_file(&part);
    let written = write(&part).and_then(|()| {
        std::fs::rename(&part, path).map_err(|source| RecordingError::Io {
            path: path.to_owned(),
            source,
        })
    });
    if written.is_err() {
        // Best effort: the error that matters is the first one.
        let _ = std::fs::remove_file(&part);
    }
    written
}
