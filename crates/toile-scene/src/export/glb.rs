//! Binary glTF 2.0: the whole animation in one file that browsers and Blender open.
//!
//! A cloth is a mesh whose base is the first frame; every further frame is a morph target that holds
//! the differences of positions and normals from the base. The weight of target `i` is 1 at its frame
//! and 0 at all others, so that a player blends linearly from each frame to the next. Bodies are
//! meshes on nodes whose translation and rotation are animated.
//!
//! The recording is walked over twice, first for the bounds that the JSON part must name, then for the data
//! itself, so that memory does not grow with its length.

use super::frames::{Selection, Survey, cloth_positions, note_on_the_origin};
use super::gltf::{Document, Element};
use super::output::{Output, single_target};
use super::surface::{bounds, linear_color, quad_count, readable_size, smooth_normals};
use super::{ExportError, ExportOptions, ExportSummary};
use crate::recording::{BodyTrack, ClothTrack, RecordedFrame};
use glam::DVec3;
use serde_json::json;
use std::f64::consts::FRAC_1_SQRT_2;
use std::path::Path;
use toile::mesh::Face;

/// With more morph targets programs take minutes to open the file, if they open it at all.
const MOST_TARGETS: usize = 1500;
/// From here on viewers in browsers may give up.
const MANY_TARGETS: usize = 250;
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
    check_length(selection, options)?;
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
    let mut notes = selection.notes_on_what_is_left_out();
    let document = build(selection, &survey, &base, &difference_bounds)?;
    let header = selection.recording.header();
    let mut json = document.to_json(&header.title, header.fps).into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let total = 12 + 8 + json.len() as u64 + 8 + document.buffer_length;
    if total > MOST_BYTES {
        return Err(too_large(selection, options, total));
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
        file.put(morph_bytes(selection, &selection.read(k)?, &base, &normals))?;
    }
    file.finish()?;
    notes.extend(notes_on_morphs(selection));
    notes.extend(notes_on_the_format(selection, &survey, total));
    Ok(ExportSummary {
        files: output.commit()?,
        notes,
    })
}

fn build(
    selection: &Selection,
    survey: &Survey,
    base: &RecordedFrame,
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
    for cloth in selection.cloths() {
        add_cloth(&mut document, cloth, selection, base);
    }
    for (_, body) in selection.bodies() {
        add_body(&mut document, body, survey.times[0]);
    }
    let children: Vec<usize> = (1..document.nodes.len()).collect();
    document.nodes[0]["children"] = json!(children);
    if survey.times.len() > 1 {
        let times = key_times(selection, survey)?;
        let input = document.key_times(&times);
        animate_cloths(
            &mut document,
            selection.cloths().count(),
            input,
            times.len(),
        );
        animate_bodies(&mut document, selection, survey, input);
        add_morph_targets(&mut document, selection, difference_bounds);
    } else {
        place_bodies(&mut document, selection, survey);
    }
    Ok(document)
}

/// A word on each body whose deformation the file does not show.
fn notes_on_morphs(selection: &Selection) -> Vec<String> {
    let deforming = selection.bodies().filter(|(_, body)| body.morph.is_some());
    let note = |(_, body): (usize, &BodyTrack)| {
        let name = &body.name;
        format!(
            "body `{name}` deforms; in GLB it stands as in the first exported frame. USDA and VTU show it moving"
        )
    };
    deforming.map(note).collect()
}

fn add_cloth(
    document: &mut Document,
    cloth: &ClothTrack,
    selection: &Selection,
    base: &RecordedFrame,
) {
    let positions = selection.single(base, cloth);
    let normals = cloth_normals(base, cloth);
    add_mesh(
        document,
        &cloth.name,
        &positions,
        Some(&normals),
        &cloth.faces,
        cloth.colors[0],
    );
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
    add_mesh(
        document,
        &body.name,
        &positions,
        normals.as_deref(),
        &body.faces,
        body.color,
    );
}

fn add_mesh(
    document: &mut Document,
    name: &str,
    positions: &[[f32; 3]],
    normals: Option<&[[f32; 3]]>,
    faces: &[Face],
    color: [f32; 3],
) {
    let triangles: Vec<[u32; 3]> = faces.iter().flat_map(Face::triangles).collect();
    let mut attributes = json!({ "POSITION": document.vertices(positions, Some(bounds(positions.iter().copied()))) });
    if let Some(normals) = normals {
        attributes["NORMAL"] = json!(document.vertices(normals, None));
    }
    let indices = document.triangles(&triangles);
    let material = document.material(name, linear_color(color));
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
    difference_bounds: &[DifferenceBounds],
) {
    let cloths: Vec<&ClothTrack> = selection.cloths().collect();
    if cloths.is_empty() {
        return;
    }
    let mut targets = vec![Vec::new(); cloths.len()];
    for frame_bounds in difference_bounds {
        let view = document.reserve(bytes_per_frame(selection));
        let mut offset = 0;
        for ((cloth, [low, high]), list) in cloths.iter().zip(frame_bounds).zip(&mut targets) {
            let count = cloth.node_count;
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
    frame: &RecordedFrame,
    base: &RecordedFrame,
    base_normals: &[Vec<[f32; 3]>],
) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(bytes_per_frame(selection) as usize);
    let mut push = |triple: [f32; 3]| bytes.extend(triple.iter().flat_map(|x| x.to_le_bytes()));
    for (cloth, before) in selection.cloths().zip(base_normals) {
        differences(frame, base, cloth).for_each(&mut push);
        for (now, before) in cloth_normals(frame, cloth).iter().zip(before) {
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

fn bytes_per_frame(selection: &Selection) -> u64 {
    let nodes: u64 = selection.cloths().map(|c| c.node_count as u64).sum();
    nodes * BYTES_PER_NODE
}

/// Refuses what cannot fit before the recording is read at all.
fn check_length(selection: &Selection, options: &ExportOptions) -> Result<(), ExportError> {
    let frames = selection.indices.len();
    if selection.cloths().next().is_none() || fits(frames, bytes_per_frame(selection)) {
        return Ok(());
    }
    Err(too_large(
        selection,
        options,
        morph_size(frames, bytes_per_frame(selection)),
    ))
}

fn morph_size(frames: usize, per_frame: u64) -> u64 {
    let weights = frames as u64 * frames as u64 * 4;
    (frames as u64)
        .saturating_mul(per_frame)
        .saturating_add(weights)
}

fn fits(frames: usize, per_frame: u64) -> bool {
    frames <= MOST_TARGETS + 1 && morph_size(frames, per_frame) < MOST_BYTES
}

fn too_large(selection: &Selection, options: &ExportOptions, size: u64) -> ExportError {
    let frames = selection.indices.len();
    let per_frame = bytes_per_frame(selection);
    let coarser = (2..=frames).find(|&factor| fits(frames.div_ceil(factor), per_frame));
    ExportError::TooLarge {
        what: format!(
            "{frames} frames as glTF morph targets make {} (a GLB file holds at most {MOST_TARGETS} targets \
             and 4.3 GB)",
            readable_size(size)
        ),
        mend: match coarser {
            Some(factor) => format!("take one frame in {} (`every`)", factor * options.every),
            None => "export USDA or VTU instead".into(),
        },
    }
}

fn notes_on_the_format(selection: &Selection, survey: &Survey, size: u64) -> Vec<String> {
    let mut notes = Vec::new();
    let cloth_quads: usize = selection.cloths().map(|c| quad_count(&c.faces)).sum();
    let body_quads: usize = selection.bodies().map(|(_, b)| quad_count(&b.faces)).sum();
    for (quads, whose) in [(cloth_quads, "cloths'"), (body_quads, "bodies'")] {
        if quads > 0 {
            notes.push(format!(
                "glTF has only triangles: the {whose} {quads} quads were written as {} triangles",
                2 * quads
            ));
        }
    }
    if selection.cloths().any(|c| c.colors[0] != c.colors[1]) {
        notes.push("glTF has one colour for both sides: the front colour was taken".into());
    }
    let targets = selection.indices.len() - 1;
    notes.push(format!(
        "{} in all: {targets} morph targets of {} each, uncompressed; fewer frames make a smaller file (`every`)",
        readable_size(size),
        readable_size(bytes_per_frame(selection))
    ));
    if targets > MANY_TARGETS {
        notes.push(format!(
            "{targets} morph targets are more than many viewers show at once; Blender opens them"
        ));
    }
    notes.extend(note_on_the_origin(selection, "glTF"));
    if survey.times[0] != 0.0 {
        notes.push(format!(
            "the animation starts at 0 s, which is {} s of the recording",
            survey.times[0]
        ));
    }
    if targets > 0 {
        let fps = selection.recording.header().fps;
        let last = ((survey.times[targets] - survey.times[0]) * fps).round();
        notes.push(format!(
            "in Blender, set the frame rate to {fps} before importing; the animation is then frames 0 to {last}"
        ));
    }
    notes
}
