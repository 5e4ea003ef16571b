//! Writing the frame cache.

use super::{
    Array, BodyHeader, BodyPose, BodyTrack, ClothHeader, ClothTrack, Header, MAGIC, MorphHeader,
    RecordingError, VERSION, frame_stride,
};
use glam::DVec3;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use toile::mesh::Face;

const ALIGN: u64 = 64;

/// Appends frames to a cache file.
#[derive(Debug)]
pub struct RecordingWriter {
    path: PathBuf,
    file: File,
    frames_offset: u64,
    stride: u64,
    buffer: Vec<u8>,
}

impl RecordingWriter {
    /// Creates the file (which must not exist) and writes everything but frames.
    pub fn create(
        path: &Path,
        title: &str,
        fps: f64,
        cloths: &[ClothTrack],
        bodies: &[BodyTrack],
    ) -> Result<Self, RecordingError> {
        let io = |source| RecordingError::Io {
            path: path.to_owned(),
            source,
        };
        let (prelude, header) = encode_prelude(title, fps, cloths, bodies);
        let mut file = File::options()
            .write(true)
            .create_new(true)
            .open(path)
            .map_err(io)?;
        file.write_all(&prelude).map_err(io)?;
        Ok(RecordingWriter {
            path: path.to_owned(),
            file,
            frames_offset: header.frames_offset,
            stride: header.frame_stride,
            buffer: Vec::with_capacity(header.frame_stride as usize),
        })
    }

    /// Opens an existing file to go on after its first `keep` frames; later ones are cut off.
    pub fn resume(path: &Path, keep: u64) -> Result<Self, RecordingError> {
        let recording = super::Recording::open(path)?;
        let header = recording.header();
        let (frames_offset, stride) = (header.frames_offset, header.frame_stride);
        let count = recording.frame_count() as u64;
        if count < keep {
            return Err(RecordingError::Corrupt {
                path: path.to_owned(),
                what: format!("the checkpoint stands at frame {keep}, but only {count} are here"),
            });
        }
        let io = |source| RecordingError::Io {
            path: path.to_owned(),
            source,
        };
        let mut file = File::options().write(true).open(path).map_err(io)?;
        let end = frames_offset + keep * stride;
        file.set_len(end).map_err(io)?;
        file.seek(SeekFrom::Start(end)).map_err(io)?;
        Ok(RecordingWriter {
            path: path.to_owned(),
            file,
            frames_offset,
            stride,
            buffer: Vec::with_capacity(stride as usize),
        })
    }

    /// Appends one frame.
    pub fn push(
        &mut self,
        time: f64,
        poses: &[BodyPose],
        positions: &[DVec3],
    ) -> Result<(), RecordingError> {
        let out = &mut self.buffer;
        out.clear();
        out.extend(time.to_le_bytes());
        for pose in poses {
            let numbers = pose.translation.to_array().into_iter();
            for number in numbers.chain(pose.rotation.to_array()) {
                out.extend(number.to_le_bytes());
            }
        }
        for position in positions {
            for number in position.to_array() {
                out.extend((number as f32).to_le_bytes());
            }
        }
        out.resize(self.stride as usize, 0);
        self.file
            .write_all(out)
            .map_err(|source| RecordingError::Io {
                path: self.path.clone(),
                source,
            })
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
    cloths: &[ClothTrack],
    bodies: &[BodyTrack],
) -> (Vec<u8>, Header) {
    let node_count = cloths.iter().map(|c| c.node_count).sum();
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
            node_count,
            frames_offset,
            frame_stride: frame_stride(bodies.len(), node_count),
            cloths: cloth_headers,
            bodies: body_headers,
        };
        let json = serde_json::to_vec(&header).expect("the header holds only plain data");
        let needed = (16 + json.len() as u64).next_multiple_of(ALIGN);
        if needed > room {
            room = needed + 1024;
            continue;
        }
        let mut out = Vec::with_capacity(frames_offset as usize);
        out.extend(MAGIC);
        out.extend(VERSION.to_le_bytes());
        out.extend((json.len() as u32).to_le_bytes());
        out.extend(&json);
        out.resize(room as usize, 0);
        out.extend(&arrays.bytes);
        return (out, header);
    }
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
            colors: cloth.colors,
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
        }
    }
}
