//! Recordings of real cloth, as Python hands them over and as they travel to workers.

use crate::core::Files;
use crate::errors::{argument, kinds};
use crate::scene;
use numpy::{PyReadonlyArray1, PyReadonlyArray3};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::PathBuf;
use toile::glam::DVec3;
use toile_lab::observation::{
    CloudRecording, NodeRecording, Observation, ReadOptions, RecordingError, read as read_file,
};
use toile_scene::scene::SceneSource;

/// A recording as it is handed over.
#[derive(FromPyObject)]
pub enum Given<'py> {
    /// Places of nodes over time: places, times, columns and rows, held nodes, and which of the cloth's nodes they are.
    #[pyo3(transparent)]
    Nodes(NodesGiven<'py>),
    /// A file or a folder, frames per second and what positions are multiplied by to become metres.
    #[pyo3(transparent)]
    File((PathBuf, Option<f64>, f64)),
}

type NodesGiven<'py> = (
    PyReadonlyArray3<'py, f64>,
    PyReadonlyArray1<'py, f64>,
    Option<[usize; 2]>,
    Vec<u64>,
    Option<Vec<usize>>,
);

/// A recording on its way: times, points of every frame, whether they were seen (empty for clouds), columns and rows, held nodes, notes.
pub type Parts<'py> = (
    Vec<f64>,
    Vec<Bound<'py, PyBytes>>,
    Vec<Bound<'py, PyBytes>>,
    Option<[usize; 2]>,
    Vec<u32>,
    Vec<String>,
);

/// The recording of a cloth of a scene.
pub fn read(
    py: Python<'_>,
    given: Given<'_>,
    source: &SceneSource,
    files: Option<&Files>,
    cloth: Option<&str>,
) -> PyResult<Observation> {
    let (places, times, grid, held, chosen) = match given {
        Given::Nodes(nodes) => nodes,
        Given::File((path, fps, scale)) => {
            let options = ReadOptions {
                fps,
                scale,
                expected_nodes: None,
            };
            let read = py.detach(|| read_file(&path, &options));
            return read.map_err(|error| kinds::RecordingError::new_err(error.to_string()));
        }
    };
    let wrong = |error: RecordingError| argument(format!("the target: {error}"));
    let rows = places.as_array();
    let frames = rows.outer_iter().map(|frame| {
        let places = frame.outer_iter().map(|p| DVec3::new(p[0], p[1], p[2]));
        places.collect::<Vec<DVec3>>()
    });
    let frames = frames.collect();
    let times = times.as_array().to_vec();
    let recording = match chosen {
        None => NodeRecording::new(times, frames).map_err(wrong)?,
        Some(nodes) => {
            let all = start(py, source, files, cloth)?;
            some(times, frames, &nodes, &all)?
        }
    };
    let recording = match grid {
        None => recording,
        Some(grid) => recording.with_grid(grid).map_err(wrong)?,
    };
    let recording = recording.with_held(&held).map_err(wrong)?;
    Ok(Observation::Nodes(recording))
}

/// Where a cloth of a scene is at its start.
fn start(
    py: Python<'_>,
    source: &SceneSource,
    files: Option<&Files>,
    cloth: Option<&str>,
) -> PyResult<Vec<DVec3>> {
    let world = py.detach(|| scene::world(source, files))?;
    let mut cloths = world.model.cloths.iter();
    // Names that are none, and scenes with several cloths, are refused by the fit.
    let found = cloths.find(|c| cloth.is_none_or(|name| c.name == name));
    let nodes = found.map_or(0..0, |c| c.nodes.clone());
    Ok(world.state.positions[nodes].to_vec())
}

/// A recording of some of a cloth's nodes. The others are taken to stay where they were, and were not seen.
fn some(
    times: Vec<f64>,
    frames: Vec<Vec<DVec3>>,
    nodes: &[usize],
    start: &[DVec3],
) -> PyResult<NodeRecording> {
    if let Some(node) = nodes.iter().find(|node| **node >= start.len()) {
        return Err(argument(format!(
            "the target has a node {node}, but those of the cloth are from 0 to {}",
            start.len().saturating_sub(1)
        )));
    }
    let whole = frames.iter().map(|frame| {
        let mut places = start.to_vec();
        for (&node, place) in nodes.iter().zip(frame) {
            places[node] = *place;
        }
        places
    });
    let recording = NodeRecording::new(times, whole.collect());
    let mut recording = recording.map_err(|error| argument(format!("the target: {error}")))?;
    for (number, seen) in recording.seen.iter_mut().enumerate() {
        let was = std::mem::replace(seen, vec![false; start.len()]);
        for &node in nodes {
            seen[node] = was[node];
        }
        if !seen.contains(&true) {
            return Err(argument(format!(
                "the target: nothing is seen in frame {number}; leave it out"
            )));
        }
    }
    Ok(recording)
}

/// The parts of a recording.
pub fn parts<'py>(py: Python<'py>, observation: &Observation) -> Parts<'py> {
    let bytes = |frames: &[Vec<DVec3>]| frames.iter().map(|f| bytes_of(py, f)).collect();
    match observation {
        Observation::Nodes(recording) => {
            let seen = recording.seen.iter().map(|seen| {
                let seen: Vec<u8> = seen.iter().map(|s| u8::from(*s)).collect();
                PyBytes::new(py, &seen)
            });
            (
                recording.times.clone(),
                bytes(&recording.frames),
                seen.collect(),
                recording.grid,
                recording.held.clone(),
                recording.notes.clone(),
            )
        }
        Observation::Clouds(recording) => (
            recording.times.clone(),
            bytes(&recording.clouds),
            Vec::new(),
            None,
            Vec::new(),
            recording.notes.clone(),
        ),
    }
}

/// A recording from its parts.
pub fn whole((times, frames, seen, grid, held, notes): Parts<'_>) -> PyResult<Observation> {
    let frames: Vec<Vec<DVec3>> = frames.iter().map(|f| points_of(f.as_bytes())).collect();
    let is_whole = frames.len() == times.len() && frames.iter().all(|f| !f.is_empty());
    if !is_whole {
        return Err(argument("this is no recording"));
    }
    if seen.is_empty() {
        return Ok(Observation::Clouds(CloudRecording {
            times,
            clouds: frames,
            notes,
        }));
    }
    let seen = seen
        .iter()
        .map(|s| s.as_bytes().iter().map(|b| *b != 0).collect())
        .collect::<Vec<Vec<bool>>>();
    let count = frames.first().map_or(0, Vec::len);
    let alike = seen.len() == times.len()
        && seen.iter().all(|s| s.len() == count)
        && frames.iter().all(|f| f.len() == count);
    match alike {
        false => Err(argument("this is no recording")),
        true => Ok(Observation::Nodes(NodeRecording {
            times,
            frames,
            seen,
            grid,
            held,
            notes,
        })),
    }
}

/// Points as bytes: their coordinates, one after another.
pub fn bytes_of<'py>(py: Python<'py>, points: &[DVec3]) -> Bound<'py, PyBytes> {
    let numbers = points.iter().flat_map(DVec3::to_array);
    PyBytes::new(py, &numbers.flat_map(f64::to_le_bytes).collect::<Vec<u8>>())
}

/// Points from their bytes.
pub fn points_of(bytes: &[u8]) -> Vec<DVec3> {
    let numbers = bytes
        .as_chunks::<8>()
        .0
        .iter()
        .map(|b| f64::from_le_bytes(*b));
    let numbers: Vec<f64> = numbers.collect();
    numbers.chunks_exact(3).map(DVec3::from_slice).collect()
}
