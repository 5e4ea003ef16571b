//! What the page's player reads: a JSON manifest and one block of bytes.
//!
//! Everything is about the recording's origin. Node positions are rounded to a grid inside its bounding box. Each coordinate is a `u16`; if
//! the budget has room for all frames, a second plane of `u8` refines it to 24 bits, which is what the colours
//! by stretch need: 16 bits of a two-metre scene are 15 µm, a tenth of a per cent of a centimetre edge.
//!
//! The frames come last in the block and are read, rounded and written one by one, so that a long
//! recording is never in memory as a whole. Numbers are little-endian.

use super::base64::{Encoder, encoded_length};
use super::{MetricsTable, ReportError};
use crate::recording::{BodyTrack, ClothTrack, Recording};
use crate::spec::CameraSpec;
use glam::DVec3;
use serde::Serialize;
use std::io::Write;
use toile::mesh::Face;

/// Where an array starts in the block (bytes) and how many numbers it has.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct Place {
    offset: usize,
    length: usize,
}

/// The arrays that do not grow with the number of frames, then times and poses.
#[derive(Default)]
struct Block(Vec<u8>);

impl Block {
    fn push<const N: usize>(&mut self, numbers: impl Iterator<Item = [u8; N]>) -> Place {
        let offset = self.0.len();
        self.0.extend(numbers.flatten());
        let length = (self.0.len() - offset) / N;
        // Typed arrays must start at a multiple of their element's size.
        self.0.resize(self.0.len().next_multiple_of(8), 0);
        Place { offset, length }
    }

    fn faces<'a>(&mut self, faces: impl Iterator<Item = (u32, &'a Face)>) -> Place {
        let corners = |(shift, face): (u32, &Face)| match face.shifted(shift) {
            Face::Tri([a, b, c]) => [a, b, c, u32::MAX],
            Face::Quad(corners) => corners,
        };
        self.push(faces.flat_map(corners).map(u32::to_le_bytes))
    }
}

/// Cloths of more faces than this are shown without their weave.
const MOST_WOVEN: usize = 30_000;

/// What the player shows first.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct Opening {
    pub(super) camera: CameraSpec,
    /// Whether it says which cloth has which colour.
    pub(super) legend: bool,
}

/// One cloth: a range of the faces.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Cloth<'a> {
    name: &'a str,
    first_face: usize,
    face_count: usize,
    colors: [[f32; 3]; 2],
    thickness: f32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    name: &'a str,
    positions: Place,
    faces: Place,
    /// Only if it deforms.
    morph: Option<Morph>,
    smooth: bool,
    ground_height: Option<f64>,
    color: [f32; 3],
}

/// A body's surface at its own times: three numbers per time and node.
#[derive(Serialize)]
struct Morph {
    times: Place,
    positions: Place,
}

/// What the page's script needs to find its way through the block.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Manifest<'a> {
    title: &'a str,
    opening: Opening,
    node_count: usize,
    cloths: Vec<Cloth<'a>>,
    bodies: Vec<Body<'a>>,
    faces: Place,
    /// Four places along warp and weft per face (m); nothing if there is no weave.
    threads: Place,
    rest_areas: Place,
    edges: Place,
    rest_lengths: Place,
    columns: &'a [String],
    metric_times: Place,
    /// Column after column, without the time.
    metric_values: Place,
    times: Place,
    /// Seven numbers per body and frame: translation, then quaternion x y z w.
    poses: Place,
    frames: FrameLayout,
}

/// How the frames lie in the block and how to turn them back into metres.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FrameLayout {
    pub(super) offset: usize,
    pub(super) count: usize,
    pub(super) recorded: usize,
    pub(super) stride: usize,
    /// Whether the second plane is there.
    pub(super) fine: bool,
    pub(super) low: [f64; 3],
    /// Metres per unit of the rounded coordinate.
    pub(super) step: [f64; 3],
}

impl FrameLayout {
    /// The largest error of a coordinate (m).
    pub(super) fn rounding_error(&self) -> f64 {
        0.5 * self.step.into_iter().fold(0.0, f64::max)
    }
}

/// A recording ready to be written into the page.
pub(super) struct Pack<'a> {
    recording: &'a Recording,
    manifest: Manifest<'a>,
    block: Block,
    /// Which frames of the recording stay.
    kept: Vec<usize>,
    metric_rows_left_out: usize,
}

impl<'a> Pack<'a> {
    /// Chooses what fits beside `page_bytes` of page and looks through the frames once for their bounds.
    pub(super) fn new(
        recording: &'a Recording,
        metrics: &'a MetricsTable,
        opening: Opening,
        page_bytes: usize,
        budget: usize,
    ) -> Result<Self, ReportError> {
        let mut block = Block::default();
        // Plots of a very long run must not push out its frames: at most a quarter of the page is theirs.
        let row_text = encoded_length(4 * metrics.columns.len() as u64 + 4) as usize;
        let rows = metrics.drawable_rows(budget / 4 / row_text);
        let metric_rows_left_out = metrics.rows.len() - rows.len();
        let mut manifest = pack_scene(recording, &metrics.columns, &rows, &mut block);
        manifest.opening = opening;
        let numbers_to_come = 1024;
        let fixed = page_bytes + manifest_json(&manifest).len() + numbers_to_come;
        let room = (budget as u64).saturating_sub(fixed as u64);
        let (layout, kept) = choose_frames(recording, block.0.len(), room);
        manifest.frames = layout;
        survey(recording, &kept, &mut manifest, &mut block)?;
        manifest.frames.offset = block.0.len();
        Ok(Pack {
            recording,
            manifest,
            block,
            kept,
            metric_rows_left_out,
        })
    }

    /// The manifest as JSON that may stand inside a script element.
    pub(super) fn manifest_json(&self) -> String {
        manifest_json(&self.manifest)
    }

    pub(super) fn frames(&self) -> &FrameLayout {
        &self.manifest.frames
    }

    pub(super) fn metric_rows_left_out(&self) -> usize {
        self.metric_rows_left_out
    }

    /// Writes the block as base64; returns the length of the text.
    pub(super) fn write(&self, out: &mut impl Write) -> Result<u64, ReportError> {
        let mut encoder = Encoder::new(out);
        encoder.push(&self.block.0)?;
        let mut bytes = Vec::with_capacity(self.manifest.frames.stride);
        for &index in &self.kept {
            let frame = self.recording.frame(index)?;
            bytes.clear();
            let origin = self.recording.origin();
            round_frame(&self.manifest.frames, &frame.positions, origin, &mut bytes);
            encoder.push(&bytes)?;
        }
        Ok(encoder.finish()?)
    }
}

fn manifest_json(manifest: &Manifest) -> String {
    let json = serde_json::to_string(manifest).expect("the manifest holds only plain data");
    // A name with "</script>" in it must not end the script element.
    json.replace('<', "\\u003c")
}

fn pack_scene<'a>(
    recording: &'a Recording,
    columns: &'a [String],
    rows: &[&[f64]],
    block: &mut Block,
) -> Manifest<'a> {
    let cloths = recording.cloths();
    let with_shift = || cloths.iter().map(|c| (c.first_node as u32, c));
    let values = 1..columns.len().max(1);
    Manifest {
        title: &recording.header().title,
        opening: Opening::default(),
        node_count: recording.header().node_count,
        faces: block.faces(with_shift().flat_map(|(s, c)| c.faces.iter().map(move |f| (s, f)))),
        threads: pack_threads(cloths, block),
        rest_areas: block.push(
            cloths
                .iter()
                .flat_map(|c| c.rest_areas.iter().map(|x| x.to_le_bytes())),
        ),
        edges: block.push(
            with_shift()
                .flat_map(|(s, c)| c.edges.iter().flatten().map(move |n| (n + s).to_le_bytes())),
        ),
        rest_lengths: block.push(
            cloths
                .iter()
                .flat_map(|c| c.rest_lengths.iter().map(|x| x.to_le_bytes())),
        ),
        cloths: cloth_ranges(recording),
        bodies: recording
            .bodies()
            .iter()
            .map(|body| pack_body(body, recording.origin().z, block))
            .collect(),
        columns,
        metric_times: block.push(rows.iter().map(|row| row[0].to_le_bytes())),
        metric_values: block
            .push(values.flat_map(|k| rows.iter().map(move |row| (row[k] as f32).to_le_bytes()))),
        times: Place::default(),
        poses: Place::default(),
        frames: FrameLayout::default(),
    }
}

fn cloth_ranges(recording: &Recording) -> Vec<Cloth<'_>> {
    let mut first_face = 0;
    let mut ranges = Vec::new();
    for cloth in recording.cloths() {
        ranges.push(Cloth {
            name: &cloth.name,
            first_face,
            face_count: cloth.faces.len(),
            colors: cloth.colors,
            thickness: cloth.thickness,
        });
        first_face += cloth.faces.len();
    }
    ranges
}

/// Where the yarns go, if the mesh says it and there are not so many faces that it would take room from the frames.
fn pack_threads(cloths: &[ClothTrack], block: &mut Block) -> Place {
    let faces: usize = cloths.iter().map(|c| c.faces.len()).sum();
    if faces > MOST_WOVEN || cloths.iter().all(|c| c.attributes.corner_uvs.is_none()) {
        return Place::default();
    }
    let woven = cloths.iter().flat_map(|cloth| {
        let known = cloth.attributes.corner_uvs.clone();
        let mut corners = known.unwrap_or_else(|| vec![[[0.0; 2]; 4]; cloth.faces.len()]);
        let length = unit_of(cloth, &corners);
        for place in corners.iter_mut().flatten().flatten() {
            *place *= length;
        }
        corners
    });
    block.push(woven.flatten().flatten().map(f32::to_le_bytes))
}

/// How long a unit of texture coordinates is (m): what makes the pattern as large as the cloth.
fn unit_of(cloth: &ClothTrack, corners: &[[[f32; 2]; 4]]) -> f32 {
    let area = |(face, places): (&Face, &[[f32; 2]; 4])| -> f32 {
        let count = face.corners().len();
        let cross = |k: usize| {
            let ([x, y], [u, v]) = (places[k], places[(k + 1) % count]);
            x * v - y * u
        };
        0.5 * (0..count).map(cross).sum::<f32>().abs()
    };
    let pattern: f32 = cloth.faces.iter().zip(corners).map(area).sum();
    let length = (cloth.rest_areas.iter().sum::<f32>() / pattern).sqrt();
    if length.is_finite() { length } else { 0.0 }
}

/// A body; grounds are counted from a height (m).
fn pack_body<'a>(body: &'a BodyTrack, height: f64, block: &mut Block) -> Body<'a> {
    let numbers = body.positions.iter().flat_map(|p| p.to_array());
    Body {
        name: &body.name,
        positions: block.push(numbers.map(|x| (x as f32).to_le_bytes())),
        faces: block.faces(body.faces.iter().map(|face| (0, face))),
        morph: body.morph.as_ref().map(|morph| Morph {
            times: block.push(morph.times.iter().map(|t| t.to_le_bytes())),
            positions: block.push(
                morph
                    .frames
                    .iter()
                    .flatten()
                    .flatten()
                    .map(|x| x.to_le_bytes()),
            ),
        }),
        smooth: body.smooth,
        ground_height: body.ground_height.map(|ground| ground - height),
        color: body.color,
    }
}

/// All frames in 24 bits if they fit into `room` bytes of text, else in 16 bits, else as many as fit,
/// evenly spaced; the first and the last stay in any case.
fn choose_frames(recording: &Recording, fixed: usize, room: u64) -> (FrameLayout, Vec<usize>) {
    let recorded = recording.frame_count();
    let coordinates = 3 * recording.header().node_count;
    let coarse = 2 * coordinates;
    let fine = coarse + coordinates.next_multiple_of(2);
    let beside = 8 + 28 * recording.bodies().len();
    let text = |frames: usize, stride: usize| {
        encoded_length((fixed + frames * (beside + stride)) as u64 + 16)
    };
    let fits = |frames: usize, stride: usize| text(frames, stride) <= room;
    let (stride, count) = if fits(recorded, fine) {
        (fine, recorded)
    } else {
        let first_too_many = partition_point(recorded, |count| fits(count, coarse));
        (coarse, first_too_many.max(recorded.min(2)))
    };
    let kept = (0..count).map(|k| spread(k, count, recorded));
    let layout = FrameLayout {
        count,
        recorded,
        stride,
        fine: stride == fine,
        ..FrameLayout::default()
    };
    (layout, kept.collect())
}

/// The `k`-th of `count` indices spread evenly over `total`, from the first to the last.
pub(super) fn spread(k: usize, count: usize, total: usize) -> usize {
    match count {
        0 | 1 => 0,
        _ => (k * (total - 1) + (count - 1) / 2) / (count - 1),
    }
}

/// The largest number up to `most` for which `fits` holds, if it holds for all smaller ones.
fn partition_point(most: usize, fits: impl Fn(usize) -> bool) -> usize {
    let (mut good, mut bad) = (0, most + 1);
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if fits(middle) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    good
}

/// Bounds, times and poses of the kept frames.
fn survey(
    recording: &Recording,
    kept: &[usize],
    manifest: &mut Manifest,
    block: &mut Block,
) -> Result<(), ReportError> {
    let origin = recording.origin();
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let mut times = Vec::with_capacity(kept.len());
    let mut poses: Vec<[f64; 7]> = Vec::with_capacity(kept.len() * recording.bodies().len());
    for &index in kept {
        let frame = recording.frame(index)?;
        times.push(frame.time);
        poses.extend(frame.poses.iter().map(|pose| {
            let ([x, y, z], [a, b, c, w]) = (
                (pose.translation - origin).to_array(),
                pose.rotation.to_array(),
            );
            [x, y, z, a, b, c, w]
        }));
        for point in frame.positions.iter().map(|&p| p - origin) {
            low = low.min(point);
            high = high.max(point);
        }
    }
    if low.x > high.x {
        (low, high) = (DVec3::ZERO, DVec3::ZERO);
    }
    if !times.is_sorted() {
        // A player needs times that go forward; the nominal ones are the best guess left.
        let fps = recording.header().fps;
        let rate = if fps > 0.0 { fps } else { 1.0 };
        times = kept.iter().map(|&index| index as f64 / rate).collect();
    }
    let numbers = poses.iter().flatten().map(|&x| (x as f32).to_le_bytes());
    manifest.times = block.push(times.iter().map(|t| t.to_le_bytes()));
    manifest.poses = block.push(numbers);
    manifest.frames.low = low.to_array();
    manifest.frames.step = ((high - low) / f64::from(levels(manifest.frames.fine))).to_array();
    Ok(())
}

/// The largest rounded coordinate.
fn levels(fine: bool) -> u32 {
    match fine {
        true => 0xFF_FFFF,
        false => 0xFFFF,
    }
}

fn round_frame(layout: &FrameLayout, positions: &[DVec3], origin: DVec3, out: &mut Vec<u8>) {
    let most = f64::from(levels(layout.fine));
    let round = |axis: usize, x: f64| {
        let steps = (x - layout.low[axis]) / layout.step[axis];
        match layout.step[axis] > 0.0 {
            false => 0,
            true => steps.round().clamp(0.0, most) as u32,
        }
    };
    let rounded = || {
        let places = positions.iter().map(|&p| p - origin);
        places.flat_map(|p| (0..3).map(move |axis| round(axis, p[axis])))
    };
    let coarse = |value: u32| if layout.fine { value >> 8 } else { value } as u16;
    for value in rounded() {
        out.extend(coarse(value).to_le_bytes());
    }
    if layout.fine {
        out.extend(rounded().map(|value| value as u8));
    }
    out.resize(layout.stride, 0);
}
