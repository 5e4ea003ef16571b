//! The world of a session or a recording as a page gets it, once.

use crate::bytes::{ArrayRef, Arrays};
use crate::numbers;
use serde::Serialize;
use serde_json::{Map, Value, json};
use toile::energy::{EnergyBatch, Seam};
use toile::limit::Limit;
use toile::model::Model;
use toile_scene::recording::{BodyTrack, ClothTrack};
use toile_scene::scene::World;

/// The fourth corner of a triangle.
const NO_CORNER: u32 = u32::MAX;

/// The message of a scene's world.
pub fn message(world: &World, session: u32) -> Vec<u8> {
    let mut arrays = Arrays::default();
    let model = &world.model;
    let cloths = world.cloth_tracks.iter().enumerate();
    let cloths: Vec<Value> = cloths
        .map(|(k, track)| {
            let mut about = cloth(track, &mut arrays);
            add_model(&mut about, model, k, &mut arrays);
            let pattern = world.rest_positions[k].iter();
            let pattern = pattern.flat_map(|p| p.as_vec3().to_array());
            add(&mut about, "pattern", arrays.floats(pattern));
            about.into()
        })
        .collect();
    let bodies = bodies(&world.body_tracks, true, &mut arrays);
    let pins = model.pins.iter().map(|pin| {
        let nodes = arrays.counts(pin.nodes.iter().copied());
        json!({ "nodes": nodes, "moves": !is_fixed(pin) })
    });
    let pins: Vec<Value> = pins.collect();
    let seams = model.energies.iter().filter_map(EnergyBatch::seam);
    let threads: Vec<u32> = seams.flat_map(Seam::threads).flatten().collect();
    let seams = (!threads.is_empty()).then(|| arrays.counts(threads));
    let is_air = |e: &EnergyBatch| matches!(e, EnergyBatch::Air(_));
    let schedule = &world.schedule;
    let about = json!({
        "title": world.title,
        "step": schedule.step,
        "duration": schedule.frames as f64 / schedule.fps,
        "nodes": model.node_count(),
        "cloths": cloths,
        "bodies": bodies,
        "pins": pins,
        "seams": seams,
        "hasAir": model.energies.iter().any(is_air),
        "columns": numbers::columns(world),
        "warnings": world.warnings,
        "resolved": world.resolved,
        "live": true,
    });
    let none = Map::new();
    arrays.message(session, about.as_object().unwrap_or(&none))
}

fn is_fixed(pin: &toile::drive::Pin) -> bool {
    use toile::drive::PinPath;
    matches!(&pin.path, PinPath::Carried(path) if path.is_fixed())
}

/// What recordings know of a cloth.
pub(crate) fn cloth(track: &ClothTrack, arrays: &mut Arrays) -> Map<String, Value> {
    let mut about = Map::new();
    add(&mut about, "name", &track.name);
    add(&mut about, "firstNode", track.first_node);
    add(&mut about, "nodeCount", track.node_count);
    add(&mut about, "faces", faces(&track.faces, arrays));
    let edges = track.edges.iter().flatten().copied();
    add(&mut about, "edges", arrays.counts(edges));
    let lengths = arrays.floats(track.rest_lengths.iter().copied());
    add(&mut about, "restLengths", lengths);
    add(&mut about, "colors", track.colors);
    for name in ["rest", "pattern", "stretchLimit"] {
        add(&mut about, name, Value::Null);
    }
    add(&mut about, "thickness", 0.0);
    add(&mut about, "density", 0.0);
    about
}

/// What only the model knows.
fn add_model(about: &mut Map<String, Value>, model: &Model, number: usize, arrays: &mut Arrays) {
    let cloth = &model.cloths[number];
    let corners = cloth.rest.corners.iter().flatten();
    let rest = corners.flat_map(|c| c.as_vec2().to_array());
    add(about, "rest", arrays.floats(rest));
    add(about, "thickness", 2.0 * cloth.contact_offset);
    add(about, "density", cloth.density);
    let bound = model.limits.iter().find_map(|(k, limit)| match limit {
        Limit::Stretch(limit) if *k == number => Some(limit.stretch()),
        _ => None,
    });
    add(about, "stretchLimit", bound);
}

/// The bodies, which may be led or not.
pub(crate) fn bodies(tracks: &[BodyTrack], movable: bool, arrays: &mut Arrays) -> Vec<Value> {
    let one = |track: &BodyTrack| {
        let positions = track.positions.iter();
        let positions = positions.flat_map(|p| p.as_vec3().to_array());
        let positions = arrays.floats(positions);
        let faces = faces(&track.faces, arrays);
        let morph = track.morph.as_ref().map(|morph| {
            let times = arrays.floats(morph.times.iter().map(|t| *t as f32));
            let places = morph.frames.iter().flatten().flatten().copied();
            json!({ "times": times, "positions": arrays.floats(places) })
        });
        json!({
            "name": track.name,
            "positions": positions,
            "faces": faces,
            "smooth": track.smooth,
            "ground": track.ground_height,
            "color": track.color,
            "movable": movable,
            "morph": morph,
        })
    };
    tracks.iter().map(one).collect()
}

fn faces(faces: &[toile::mesh::Face], arrays: &mut Arrays) -> ArrayRef {
    let corners = faces.iter().flat_map(|face| {
        let mut all = [NO_CORNER; 4];
        all[..face.corners().len()].copy_from_slice(face.corners());
        all
    });
    arrays.counts(corners)
}

fn add(about: &mut Map<String, Value>, name: &str, value: impl Serialize) {
    about.insert(name.to_owned(), json!(value));
}
