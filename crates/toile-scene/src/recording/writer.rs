//! Writing the frame cache.

use super::frame::{FrameLayout, FrameView};
use super::{
    Array, Attributes, AttributesHeader, BodyHeader, BodyPose, BodyTrack, ClothHeader, ClothTrack,
    Header, MAGIC, MorphHeader, RecordingError, VERSION,
};
use glam::DVec3;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use toile::mesh::Face;

const ALIGN: u64 = 64;
/// Bytes before the JSON header.
pub(super) const PRELUDE: u64 = 20;

/// Appends frames to a cache file.
#[derive(Debug)]
pub struct RecordingWriter {
    path: PathBuf,
    file: File,
    cloths: Vec<(String, usize)>,
    frames_offset: u64,
    layout: FrameLayout,
    frames: usize,
    buffer: Vec<u8>,
}

impl RecordingWriter {
    /// Creates the file (which must not exist) and writes everything but frames, which have no velocities.
    pub fn create(
        path: &Path,
        title: &str,
        fps: f64,
        cloths: &[ClothTrack],
        bodies: &[BodyTrack],
    ) -> Result<Self, RecordingError> {
        Self::create_with(path, title, fps, (cloths, bodies), false)
    }

    /// Creates the file (which must not exist) for frames with or without velocities.
    pub fn create_with(
        path: &Path,
        title: &str,
        fps: f64,
        (cloths, bodies): (&[ClothTrack], &[BodyTrack]),
        velocities: bool,
    ) -> Result<Self, RecordingError> {
        let io = |source| RecordingError::Io {
            path: path.to_owned(),
            source,
        };
        let (prelude, header) = encode_prelude(title, fps, (cloths, bodies), velocities);
        let mut file = File::options()
            .write(true)
            .create_new(true)
            .open(path)
            .map_err(io)?;
        file.write_all(&prelude).map_err(io)?;
        Ok(Self::at(path, file, &header, 0))
    }

    fn at(path: &Path, file: File, header: &Header, frames: usize) -> Self {
        let cloths = header.cloths.iter();
        RecordingWriter {
            path: path.to_owned(),
            file,
            cloths: cloths.map(|c| (c.name.clone(), c.first_node)).collect(),
            frames_offset: header.frames_offset,
            layout: header.layout(),
            frames,
            buffer: Vec::with_capacity(header.frame_stride as usize),
        }
    }

    /// Opens an existing file to go on after its first `keep` frames; later ones are cut off. A frame that is not as it was written is
    /// an error.
    pub fn resume(path: &Path, keep: u64) -> Result<Self, RecordingError> {
        let recording = super::Recording::open(path)?;
        let header = recording.header();
        let count = recording.frame_count() as u64;
        if count < keep {
            return Err(RecordingError::Corrupt {
                path: path.to_owned(),
                what: format!("the checkpoint stands at frame {keep}, but only {count} are here"),
            });
        }
        recording.verify(keep as usize)?;
        let io = |source| RecordingError::Io {
            path: path.to_owned(),
            source,
        };
        let mut file = File::options().write(true).open(path).map_err(io)?;
        let end = header.frames_offset + keep * header.frame_stride;
        file.set_len(end).map_err(io)?;
        file.seek(SeekFrom::Start(end)).map_err(io)?;
        Ok(Self::at(path, file, header, keep as usize))
    }

    /// Appends one frame. Velocities (m/s, one for each node) are only looked at if the file has them.
    pub fn push(
        &mut self,
        time: f64,
        poses: &[BodyPose],
        positions: &[DVec3],
        velocities: &[DVec3],
    ) -> Result<(), RecordingError> {
        let FrameLayout { bodies, nodes, .. } = self.layout;
        let moving = if self.layout.velocities { nodes } else { 0 };
        if poses.len() != bodies || positions.len() != nodes || velocities.len() < moving {
            return Err(RecordingError::OtherFrame {
                path: self.path.clone(),
                what: format!(
                    "{} bodies, {} nodes and {} velocities",
                    poses.len(),
                    positions.len(),
                    velocities.len()
                ),
            });
        }
        let frame = FrameView {
            time,
            poses,
            positions,
            velocities,
        };
        let encoded = self.layout.encode(&frame, &mut self.buffer);
        encoded.map_err(|fault| fault.of_frame(&self.path, self.frames, &self.cloths))?;
        self.file
            .write_all(&self.buffer)
            .map_err(|source| RecordingError::Io {
                path: self.path.clone(),
                source,
            })?;
        self.frames += 1;
        Ok(())
    }

    /// Waits until all frames are on the disk.
    pub fn sync(&self) -> Result<(), RecordingError> {
        self.file.sync_data().map_err(|source| RecordingError::Io {
            path: self.path.clone(),
            source,
        })
    }

    /// Where the frames start in the file (bytes).
    pub fn frames_offset(&self) -> u64 {
        self.frames_offset
    }
}

/// Everything before the first frame. Array offsets depend on the header's length and stand in the
/// header itself, so room for the header is set aside first.
fn encode_prelude(
    title: &str,
    fps: f64,
    (cloths, bodies): (&[ClothTrack], &[BodyTrack]),
    velocities: bool,
) -> (Vec<u8>, Header) {
    let nodes = cloths.iter().map(|c| c.node_count).sum();
    let layout = FrameLayout {
        bodies: bodies.len(),
        nodes,
        velocities,
    };
    let mut room = 4096u64;
    loop {
        let mut arrays = ArrayBlock {
            start: room,
            bytes: Vec::new(),
        };
        let cloth_headers = cloths.iter().map(|c| arrays.cloth(c)).collect();
        let body_headers = bodies.iter().map(|b| arrays.body(b)).collect();
        let frames_offset = room + arrays.bytes.len() as u64;
        let header = Header {
            title: title.to_owned(),
            fps,
            node_count: nodes,
            frames_offset,
            frame_stride: layout.stride(),
            velocities,
            cloths: cloth_headers,
            bodies: body_headers,
        };
        let json = serde_json::to_vec(&header).expect("the header holds only plain data");
        let needed = (PRELUDE + json.len() as u64).next_multiple_of(ALIGN);
        if needed > room {
            room = needed + 1024;
            continue;
        }
        let mut out = Vec::with_capacity(frames_offset as usize);
        out.extend(MAGIC);
        out.extend(VERSION.to_le_bytes());
        out.extend((json.len() as u32).to_le_bytes());
        out.extend([0; 4]);
        out.extend(&json);
        out.resize(room as usize, 0);
        out.extend(&arrays.bytes);
        let (start, rest) = out.split_at_mut(PRELUDE as usize);
        let sum = prelude_sum(&start[..16], rest);
        start[16..].copy_from_slice(&sum.to_le_bytes());
        return (out, header);
    }
}

/// Checksum of what is before the frames: the bytes before the sum itself, and those after it.
pub(super) fn prelude_sum(start: &[u8], rest: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(start);
    hasher.update(rest);
    hasher.finalize()
}

struct ArrayBlock {
    start: u64,
    bytes: Vec<u8>,
}

impl ArrayBlock {
    fn push(&mut self, count: usize, data: impl Iterator<Item = [u8; 4]>) -> Array {
        let offset = self.start + self.bytes.len() as u64;
        self.bytes.extend(data.flatten());
        let padded = (self.bytes.len() as u64).next_multiple_of(ALIGN);
        self.bytes.resize(padded as usize, 0);
        Array {
            offset,
            count: count as u64,
        }
    }

    fn faces(&mut self, faces: &[Face]) -> Array {
        let four = |face: &Face| match *face {
            Face::Tri([a, b, c]) => [a, b, c, u32::MAX],
            Face::Quad(q) => q,
        };
        self.push(
            faces.len(),
            faces.iter().flat_map(four).map(u32::to_le_bytes),
        )
    }

    fn cloth(&mut self, cloth: &ClothTrack) -> ClothHeader {
        fn floats(list: &[f32]) -> impl Iterator<Item = [u8; 4]> + '_ {
            list.iter().map(|x| x.to_le_bytes())
        }
        ClothHeader {
            name: cloth.name.clone(),
            first_node: cloth.first_node,
            node_count: cloth.node_count,
            faces: self.faces(&cloth.faces),
            rest_areas: self.push(cloth.rest_areas.len(), floats(&cloth.rest_areas)),
            edges: self.push(
                cloth.edges.len(),
                cloth.edges.iter().flatten().map(|n| n.to_le_bytes()),
            ),
            rest_lengths: self.push(cloth.rest_lengths.len(), floats(&cloth.rest_lengths)),
            thickness: cloth.thickness,
            colors: cloth.colors,
            attributes: self.attributes(&cloth.attributes),
        }
    }

    fn attributes(&mut self, attributes: &Attributes) -> AttributesHeader {
        let uvs = attributes.corner_uvs.as_deref().map(|uvs| {
            let numbers = uvs.as_flattened().as_flattened().iter();
            self.push(uvs.len(), numbers.map(|x| x.to_le_bytes()))
        });
        let colors = attributes.node_colors.as_deref().map(|colors| {
            let numbers = colors.as_flattened().iter();
            self.push(colors.len(), numbers.map(|x| x.to_le_bytes()))
        });
        AttributesHeader {
            corner_uvs: uvs,
            node_colors: colors,
        }
    }

    fn body(&mut self, body: &BodyTrack) -> BodyHeader {
        let halves = |number: f64| {
            let b = number.to_le_bytes();
            [[b[0], b[1], b[2], b[3]], [b[4], b[5], b[6], b[7]]]
        };
        BodyHeader {
            name: body.name.clone(),
            positions: self.push(
                body.positions.len(),
                body.positions
                    .iter()
                    .flat_map(|p| p.to_array())
                    .flat_map(halves),
            ),
            faces: self.faces(&body.faces),
            morph: body.morph.as_ref().map(|morph| MorphHeader {
                times: self.push(
                    morph.times.len(),
                    morph.times.iter().copied().flat_map(halves),
                ),
                positions: self.push(
                    morph.frames.iter().map(Vec::len).sum(),
                    morph
                        .frames
                        .iter()
                        .flatten()
                        .flatten()
                        .map(|x| x.to_le_bytes()),
                ),
            }),
            smooth: body.smooth,
            ground_height: body.ground_height,
            color: body.color,
            attributes: self.attributes(&body.attributes),
        }
    }
}
