//! Recordings in the same bytes as live sessions.

use crate::bytes::{Arrays, Frame};
use crate::world::{bodies, cloth};
use glam::DVec3;
use serde_json::{Map, Value, json};
use toile_scene::recording::{RecordedFrame, Recording};

/// The message of a recording's world. `resolved` is the scene that it was made from, if it is known.
pub fn message(recording: &Recording, resolved: &str) -> Vec<u8> {
    let mut arrays = Arrays::default();
    let header = recording.header();
    let cloths = recording.cloths().iter();
    let cloths: Vec<Value> = cloths
        .map(|track| Value::Object(cloth(track, &mut arrays)))
        .collect();
    let bodies = bodies(recording.bodies(), false, &mut arrays);
    let frames = recording.frame_count();
    let about = json!({
        "title": header.title,
        "step": 1.0 / header.fps,
        "duration": frames.saturating_sub(1) as f64 / header.fps,
        "nodes": header.node_count,
        "cloths": cloths,
        "bodies": bodies,
        "pins": [],
        "seams": null,
        "hasAir": false,
        "columns": [],
        "warnings": [],
        "resolved": resolved,
        "live": false,
        "frames": frames,
        "fps": header.fps,
    });
    let none = Map::new();
    arrays.message(0, about.as_object().unwrap_or(&none))
}

/// The message of a recorded frame.
pub fn frame(recording: &Recording, number: usize, frame: &RecordedFrame) -> Vec<u8> {
    let origin = recording.origin();
    let local = |p: &DVec3| (*p - origin).as_vec3().to_array();
    let positions: Vec<[f32; 3]> = frame.positions.iter().map(local).collect();
    let poses = frame.poses.iter().map(|p| (p.translation, p.rotation));
    let frame = Frame {
        number: number as u32,
        time: frame.time,
        origin,
        poses: poses.collect(),
        positions: &positions,
        ..Frame::default()
    };
    frame.message(0)
}
