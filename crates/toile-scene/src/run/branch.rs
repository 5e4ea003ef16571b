//! Going on from a moment of another run with another future.
//!
//! A run keeps its last checkpoint, and with `output.keep_checkpoints` others besides, in the folder `checkpoints`. A branch takes the
//! state of one of them for the start of a world of its own. It writes the state into its own folder too, so that it can be resumed whatever
//! becomes of the run that it came from.

use super::checkpoint::{Checkpoint, CheckpointError};
use super::table::TableMark;
use crate::recording::{ClothTrack, Recording, RecordingError};
use crate::scene::World;
use std::path::{Path, PathBuf};
use thiserror::Error;
use toile::state::State;

/// Where a branch's own start is kept.
pub(super) const START: &str = "branch.toile";
/// The folder of checkpoints that are kept.
pub(super) const FOLDER: &str = "checkpoints";

/// A checkpoint from which a run can branch off.
#[derive(Clone, Debug, PartialEq)]
pub struct BranchPoint {
    /// The file.
    pub file: PathBuf,
    /// When (s).
    pub time: f64,
}

/// A branch that cannot be taken.
#[derive(Debug, Error)]
pub enum BranchError {
    /// No checkpoint at all.
    #[error("{run} has no checkpoint to branch from; name the folder of a run")]
    NoCheckpoint {
        /// The folder.
        run: PathBuf,
    },
    /// None that is early enough.
    #[error(
        "{run} has no checkpoint at or before {time} s, only at {there} s; keep more of them with \
         output.keep_checkpoints"
    )]
    NoneBefore {
        /// The folder.
        run: PathBuf,
        /// Asked for (s).
        time: f64,
        /// What there is (s).
        there: String,
    },
    /// The worlds have nothing in common.
    #[error(
        "{run} cannot go on as this scene, because {what}; materials, bodies, motions, air, steps and duration may change \
         in a branch, but not meshes, pins and what cloths remember (creases, limits, what sticks)"
    )]
    OtherWorld {
        /// The folder.
        run: PathBuf,
        /// What differs.
        what: String,
    },
    /// The checkpoint cannot be read.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The frames cannot be read.
    #[error(transparent)]
    Recording(#[from] RecordingError),
}

/// All checkpoints of a run, in the order of time.
pub fn branch_points(run: &Path) -> Result<Vec<BranchPoint>, BranchError> {
    let fps = Recording::open(run)?.header().fps;
    let entries = std::fs::read_dir(run.join(FOLDER)).into_iter().flatten();
    let mut points: Vec<BranchPoint> = entries
        .flatten()
        .filter_map(|entry| {
            let frame = kept_frame(entry.file_name().to_str()?)?;
            Some(BranchPoint {
                file: entry.path(),
                time: frame as f64 / fps,
            })
        })
        .collect();
    let last = run.join("checkpoint.toile");
    if let Some(checkpoint) = Checkpoint::read(&last)? {
        points.push(BranchPoint {
            file: last,
            time: checkpoint.state.time,
        });
    }
    points.sort_by(|a, b| a.time.total_cmp(&b.time));
    Ok(points)
}

/// The last checkpoint of a run, or the last one at or before a time (s).
pub fn find_branch_point(run: &Path, time: Option<f64>) -> Result<BranchPoint, BranchError> {
    let mut points = branch_points(run)?;
    let times: Vec<String> = points.iter().map(|p| format!("{:.4}", p.time)).collect();
    let early = |p: &BranchPoint| time.is_none_or(|t| p.time <= t + 1e-9);
    points.retain(early);
    match (points.pop(), time) {
        (Some(point), _) => Ok(point),
        (None, Some(time)) if !times.is_empty() => Err(BranchError::NoneBefore {
            run: run.to_owned(),
            time,
            there: times.join(", "),
        }),
        _ => Err(BranchError::NoCheckpoint {
            run: run.to_owned(),
        }),
    }
}

/// Lets a world begin where a run was at a checkpoint. Whatever remembers less than the state, or more, is refused.
pub fn branch_off(world: &mut World, run: &Path, point: &BranchPoint) -> Result<(), BranchError> {
    let refuse = |what: &str| BranchError::OtherWorld {
        run: run.to_owned(),
        what: what.to_owned(),
    };
    let recording = Recording::open(run)?;
    let same = |(a, b): (&ClothTrack, &ClothTrack)| {
        a.name == b.name && a.faces == b.faces && a.node_count == b.node_count
    };
    let cloths = recording.cloths();
    if cloths.len() != world.cloth_tracks.len() || !cloths.iter().zip(&world.cloth_tracks).all(same)
    {
        return Err(refuse("its cloths or their meshes differ"));
    }
    let checkpoint = Checkpoint::read(&point.file)?;
    let state = checkpoint.ok_or_else(|| BranchError::NoCheckpoint {
        run: run.to_owned(),
    })?;
    let state = state.state;
    let frame = state.time * world.schedule.fps;
    if (frame - frame.round()).abs() > 1e-6 {
        let (time, fps) = (state.time, world.schedule.fps);
        return Err(refuse(&format!(
            "with time.fps = {fps} there is no frame at {time} s"
        )));
    }
    begin_with(world, state).map_err(refuse)
}

/// A branch's start, as it is kept in its folder.
pub(super) fn start_bytes(world: &World) -> Vec<u8> {
    let start = Checkpoint {
        fingerprint: world.fingerprint(),
        frames: 0,
        metrics: TableMark::default(),
        timings: TableMark::default(),
        forces: TableMark::default(),
        state: world.state.clone(),
    };
    start.encode()
}

/// If the folder is that of a branch, lets a world begin where that began.
pub fn restore_start(world: &mut World, folder: &Path) -> Result<bool, BranchError> {
    let Some(start) = Checkpoint::read(&folder.join(START))? else {
        return Ok(false);
    };
    begin_with(world, start.state).map_err(|_| BranchError::OtherWorld {
        run: folder.to_owned(),
        what: "its start is not one of this scene".into(),
    })?;
    Ok(true)
}

fn begin_with(world: &mut World, mut state: State) -> Result<(), &'static str> {
    if !state.fits(&world.model) {
        return Err("its pins, creases, limits or sticky places differ");
    }
    // The scene says how much everything is, whatever was commanded before.
    let commanded = &mut state.commanded;
    commanded.settings.clear();
    if let Some(mark) = &mut commanded.stage {
        // What it was told by stages it is told anew, by those that the scene has now.
        (commanded.gravity, commanded.wind) = (None, None);
        mark.is_told = false;
        if mark.number as usize >= world.stages.len() {
            if !world.stages.is_empty() {
                return Err("it is in a stage that this scene does not have");
            }
            commanded.stage = None;
        }
    }
    world.state = state;
    world.is_branch = true;
    Ok(())
}

/// Name of the checkpoint that is kept at a frame.
pub(super) fn kept_name(frame: u64) -> String {
    format!("frame-{frame:06}.toile")
}

/// The frame of a checkpoint that is kept, by its name.
pub(super) fn kept_frame(name: &str) -> Option<u64> {
    name.strip_prefix("frame-")?
        .strip_suffix(".toile")?
        .parse()
        .ok()
}
