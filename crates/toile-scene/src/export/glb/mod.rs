//! Binary glTF 2.0: the whole animation in one file that browsers and Blender open.
//!
//! A cloth is a mesh whose base is the first frame; every further frame is a morph target that holds
//! the differences of positions and normals from the base. The weight of target `i` is 1 at its frame
//! and 0 at all others, so that a player blends linearly from each frame to the next. Bodies are
//! meshes on nodes whose translation and rotation are animated; those that deform have morph targets as well, with
//! the nodes that move only (`deforming`). Where the texture has a seam, a node is there once for each side.
//!
//! The recording is walked over twice, first for the bounds that the JSON part must name, then for the data
//! itself, so that memory does not grow with its length.

mod deforming;
mod load;

use super::frames::{Selection, Survey, cloth_positions};
use super::gltf::{Document, Element};
use super::output::{Output, single_target};
use super::surface::{bounds, linear_color, smooth_normals};
use super::vertices::Vertices;
use super::{ExportError, ExportOptions, ExportSummary};
use crate::recording::{Attributes, BodyTrack, ClothTrack, RecordedFrame};
use deforming::Keys;
use glam::DVec3;
use load::Load;
use serde_json::json;
use std::f64::consts::FRAC_1_SQRT_2;
use std::path::Path;

/// A GLB file gives its lengths as 32-bit numbers.
const MOST_BYTES: u64 = u32::MAX as u64;
/// Position and normal of a node.
const BYTES_PER_NODE: u64 = 24;

/// Per cloth the smallest and largest differences from the base in one frame.
type DifferenceBounds = Vec<[[f32; 3]; 2]>;

pub(super) fn export(
    selection: &Selection,
    out: &Path,
    options: &ExportOptions,
) -> Result<ExportSummary, ExportError> {
    let target = single_target(out, &["glb"])?;
    let mut output = Output::new([&target], options.force)?;
    let cloths = vertices_of(selection);
    let base = selection.read(0)?;
    let mut difference_bounds: Vec<DifferenceBounds> = Vec::new();
    let survey = selection.survey(|k, frame| {
        if k > 0 {
            let per_cloth = selection
                .cloths()
                .map(|c| bounds(differences(frame, &base, c)));
            difference_bounds.push(per_cloth.collect());
        }
    })?;
    let keys = deforming::all_keys(selection, &survey.times);
    let load = Load::new(selection, &cloths, &keys);
    load.check(selection, options)?;
    let mut notes = selection.notes_on_what_is_left_out();
    let document = build(
        selection,
        &survey,
        &base,
        (&cloths, &keys),
        &difference_bounds,
    )?;
    let header = selection.recording.header();
    let mut json = document.to_json(&header.title, header.fps).into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let total = 12 + 8 + json.len() as u64 + 8 + document.buffer_length;
    if total > MOST_BYTES {
        return Err(load.too_large(selection, options, total));
    }
    let mut file = output.create(&target)?;
    file.put(b"glTF")?;
    file.put(2u32.to_le_bytes())?;
    file.put((total as u32).to_le_bytes())?;
    file.put((json.len() as u32).to_le_bytes())?;
    file.put(b"JSON")?;
    file.put(&json)?;
    file.put((document.buffer_length as u32).to_le_bytes())?;
    file.put(b"BIN\0")?;
    file.put(&document.bytes)?;
    let normals = base_normals(selection, &base);
    for k in 1..selection.indices.len() {
        let bytes = morph_bytes(selection, &cloths, &selection.read(k)?, &base, &normals);
        file.put(bytes)?;
    }
    file.finish()?;
    notes.extend(notes_on_morphs(selection, &keys));
    notes.extend(load.notes(selection, &survey, total));
    Ok(ExportSummary {
        files: output.commit()?,
        notes,
    })
}

/// The vertices of each cloth.
fn vertices_of(selection: &Selection) -> Vec<Vertices> {
    let vertices = |c: &ClothTrack| Vertices::new(c.node_count, &c.faces, &c.attributes);
    selection.cloths().map(vertices).collect()
}

fn build(
    selection: &Selection,
    survey: &Survey,
    base: &RecordedFrame,
    (vertices, keys): (&[Vertices], &[Option<Keys>]),
    difference_bounds: &[DifferenceBounds],
) -> Result<Document, ExportError> {
    let mut document = Document::default();
    // glTF is y up, recordings are z up: the root turns everything by −90° about x.
    document.nodes.push(json!({
        "name": "z up", "rotation": [-FRAC_1_SQRT_2, 0.0, 0.0, FRAC_1_SQRT_2], "children": [],
    }));
    // Far from the world's origin single precision is too coarse: the root carries everything there.
    let origin = selection.origin();
    if origin != DVec3::ZERO {
        document.nodes[0]["translation"] = json!([origin.x, origin.z, -origin.y]);
    }
    for (cloth, vertices) in selection.cloths().zip(vertices) {
        add_cloth(&mut document, (cloth, vertices), selection, base);
    }
    for (_, body) in selection.bodies() {
        add_body(&mut document, body, survey.times[0]);
    }
    let children: Vec<usize> = (1..document.nodes.len()).collect();
    document.nodes[0]["children"] = json!(children);
    if survey.times.len() > 1 {
        let times = key_times(selection, survey)?;
        let input = document.key_times(&times);
        let cloths = vertices.len();
        animate_cloths(&mut document, cloths, input, times.len());
        animate_bodies(&mut document, selection, survey, input);
        for (place, ((_, body), keys)) in selection.bodies().zip(keys).enumerate() {
            if let Some(keys) = keys {
                let (mesh, node) = (cloths + place, 1 + cloths + place);
                deforming::animate(&mut document, (mesh, node), body, keys, survey);
            }
        }
        // Last: what they reserve is written behind all other bytes.
        add_morph_targets(&mut document, selection, vertices, difference_bounds);
    } else {
        place_bodies(&mut document, selection, survey);
    }
    Ok(document)
}

/// A word on each body that deforms.
fn notes_on_morphs(selection: &Selection, keys: &[Option<Keys>]) -> Vec<String> {
    let deforming = selection.bodies().zip(keys);
    let note = |((_, body), keys): ((usize, &BodyTrack), &Option<Keys>)| {
        let (name, targets) = (&body.name, keys.as_ref()?.target_count());
        Some(format!(
            "body `{name}` deforms: {targets} morph targets, which hold the nodes that move"
        ))
    };
    deforming.filter_map(note).collect()
}

fn add_cloth(
    document: &mut Document,
    (cloth, vertices): (&ClothTrack, &Vertices),
    selection: &Selection,
    base: &RecordedFrame,
) {
    let positions = selection.single(base, cloth);
    let normals = cloth_normals(base, cloth);
    let shape = (&positions[..], Some(&normals[..]));
    let look = (cloth.colors[0], &cloth.attributes);
    add_mesh(document, &cloth.name, vertices, shape, look);
}

fn add_body(document: &mut Document, body: &BodyTrack, time: f64) {
    let here = body.positions_at(time);
    let positions: Vec<[f32; 3]> = here.iter().map(|p| p.as_vec3().to_array()).collect();
    // Without normals a viewer must shade flat, and the nodes need not be doubled at the edges.
    let normals = body.smooth.then(|| {
        let normals = smooth_normals(&here, &body.faces);
        normals
            .into_iter()
            .map(|n| n.to_array())
            .collect::<Vec<_>>()
    });
    let vertices = Vertices::new(positions.len(), &body.faces, &body.attributes);
    let shape = (&positions[..], normals.as_deref());
    let look = (body.color, &body.attributes);
    add_mesh(document, &body.name, &vertices, shape, look);
}

fn add_mesh(
    document: &mut Document,
    name: &str,
    vertices: &Vertices,
    (positions, normals): (&[[f32; 3]], Option<&[[f32; 3]]>),
    (color, carried): ([f32; 3], &Attributes),
) {
    let positions: Vec<[f32; 3]> = vertices.spread(positions).collect();
    let range = Some(bounds(positions.iter().copied()));
    let mut attributes = json!({ "POSITION": document.vertices(&positions, range) });
    if let Some(normals) = normals {
        let normals: Vec<[f32; 3]> = vertices.spread(normals).collect();
        attributes["NORMAL"] = json!(document.vertices(&normals, None));
    }
    if let Some(uvs) = &vertices.uvs {
        // glTF counts v from the top of a picture.
        let flipped: Vec<[f32; 2]> = uvs.iter().map(|[u, v]| [*u, 1.0 - v]).collect();
        attributes["TEXCOORD_0"] = json!(document.pairs(&flipped));
    }
    let mut base_color = linear_color(color);
    if let Some(colors) = &carried.node_colors {
        let colors: Vec<[f32; 3]> = vertices.spread(colors).map(linear_color).collect();
        attributes["COLOR_0"] = json!(document.vertices(&colors, None));
        // Both are multiplied.
        base_color = [1.0; 3];
    }
    let indices = document.triangles(&vertices.triangles);
    let material = document.material(name, base_color);
    let primitive = json!({ "attributes": attributes, "indices": indices, "material": material });
    let mesh = document.meshes.len();
    document
        .meshes
        .push(json!({ "name": name, "primitives": [primitive] }));
    document.nodes.push(json!({ "name": name, "mesh": mesh }));
}

/// Times from the first selected frame on (s): players start at zero.
fn key_times(selection: &Selection, survey: &Survey) -> Result<Vec<f32>, ExportError> {
    let start = survey.times[0];
    let times: Vec<f32> = survey.times.iter().map(|t| (t - start) as f32).collect();
    // Frames can lie closer together than single precision can tell apart.
    match times.windows(2).position(|pair| pair[1] <= pair[0]) {
        Some(k) => Err(ExportError::TimeNotIncreasing {
            frame: selection.indices[k + 1],
            time: survey.times[k + 1],
        }),
        None => Ok(times),
    }
}

/// All cloths share one table of weights: a row of zeros for the base, then the identity matrix.
fn animate_cloths(document: &mut Document, cloths: usize, input: usize, frames: usize) {
    if cloths == 0 {
        return;
    }
    let targets = frames - 1;
    let mut weights = vec![0.0; frames * targets];
    for target in 0..targets {
        weights[(target + 1) * targets + target] = 1.0;
    }
    let output = document.animation_floats(&weights, Element::Scalar);
    for cloth in 0..cloths {
        document.animate(1 + cloth, "weights", input, output);
    }
}

fn animate_bodies(document: &mut Document, selection: &Selection, survey: &Survey, input: usize) {
    place_bodies(document, selection, survey);
    let first = 1 + selection.cloths().count();
    for (place, (body, _)) in selection.bodies().enumerate() {
        if !survey.moves(body) {
            continue;
        }
        let poses = &survey.poses[body];
        let translations: Vec<f32> = poses
            .iter()
            .flat_map(|pose| (pose.translation - selection.origin()).as_vec3().to_array())
            .collect();
        let rotations: Vec<f32> = poses
            .iter()
            .flat_map(|pose| pose.rotation.as_quat().to_array())
            .collect();
        let output = document.animation_floats(&translations, Element::Vec3);
        document.animate(first + place, "translation", input, output);
        let output = document.animation_floats(&rotations, Element::Vec4);
        document.animate(first + place, "rotation", input, output);
    }
}

/// Where the bodies are in the first frame, for those that never move and for viewers that do not animate.
fn place_bodies(document: &mut Document, selection: &Selection, survey: &Survey) {
    let first = 1 + selection.cloths().count();
    for (place, (body, _)) in selection.bodies().enumerate() {
        let pose = &survey.poses[body][0];
        let node = &mut document.nodes[first + place];
        let translation = (pose.translation - selection.origin()).as_vec3();
        node["translation"] = json!(translation.to_array());
        node["rotation"] = json!(pose.rotation.as_quat().to_array());
    }
}

/// Promises the morph targets in the order in which [`morph_bytes`] delivers them.
fn add_morph_targets(
    document: &mut Document,
    selection: &Selection,
    vertices: &[Vertices],
    difference_bounds: &[DifferenceBounds],
) {
    if vertices.is_empty() {
        return;
    }
    let mut targets = vec![Vec::new(); vertices.len()];
    for frame_bounds in difference_bounds {
        let view = document.reserve(bytes_per_frame(vertices));
        let mut offset = 0;
        for ((vertices, [low, high]), list) in vertices.iter().zip(frame_bounds).zip(&mut targets) {
            let count = vertices.len();
            let range = Some([&low[..], &high[..]]);
            let positions = document.accessor(view, offset, count, Element::Vec3, range);
            offset += count as u64 * BYTES_PER_NODE / 2;
            let normals = document.accessor(view, offset, count, Element::Vec3, None);
            offset += count as u64 * BYTES_PER_NODE / 2;
            list.push(json!({ "POSITION": positions, "NORMAL": normals }));
        }
    }
    let names: Vec<String> = selection.indices[1..]
        .iter()
        .map(|index| format!("frame {index}"))
        .collect();
    for (mesh, list) in targets.into_iter().enumerate() {
        document.meshes[mesh]["primitives"][0]["targets"] = json!(list);
        document.meshes[mesh]["extras"] = json!({ "targetNames": names });
    }
}

/// One frame's differences from the base: for each cloth first positions, then normals.
fn morph_bytes(
    selection: &Selection,
    vertices: &[Vertices],
    frame: &RecordedFrame,
    base: &RecordedFrame,
    base_normals: &[Vec<[f32; 3]>],
) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(bytes_per_frame(vertices) as usize);
    let mut push = |triple: [f32; 3]| bytes.extend(triple.iter().flat_map(|x| x.to_le_bytes()));
    for ((cloth, vertices), before) in selection.cloths().zip(vertices).zip(base_normals) {
        let moved: Vec<[f32; 3]> = differences(frame, base, cloth).collect();
        vertices.spread(&moved).for_each(&mut push);
        let now = cloth_normals(frame, cloth);
        for (now, before) in vertices.spread(&now).zip(vertices.spread(before)) {
            push(std::array::from_fn(|axis| now[axis] - before[axis]));
        }
    }
    bytes
}

fn differences<'f>(
    frame: &'f RecordedFrame,
    base: &'f RecordedFrame,
    cloth: &ClothTrack,
) -> impl Iterator<Item = [f32; 3]> + use<'f> {
    let pairs = cloth_positions(frame, cloth)
        .iter()
        .zip(cloth_positions(base, cloth));
    pairs.map(|(now, before)| (*now - *before).as_vec3().to_array())
}

fn cloth_normals(frame: &RecordedFrame, cloth: &ClothTrack) -> Vec<[f32; 3]> {
    let normals = smooth_normals(cloth_positions(frame, cloth), &cloth.faces);
    normals.into_iter().map(|n| n.to_array()).collect()
}

fn base_normals(selection: &Selection, base: &RecordedFrame) -> Vec<Vec<[f32; 3]>> {
    selection.cloths().map(|c| cloth_normals(base, c)).collect()
}

fn bytes_per_frame(vertices: &[Vertices]) -> u64 {
    let count: u64 = vertices.iter().map(|v| v.len() as u64).sum();
    count * BYTES_PER_NODE
}
