//! Reading the frame cache.

use super::frame::{Cursor, FrameFault, FrameLayout};
use super::writer::{PRELUDE, prelude_sum};
use super::{
    Array, Attributes, AttributesHeader, BodyHeader, BodyTrack, ClothHeader, ClothTrack, Header,
    MAGIC, Morph, MorphHeader, RecordedFrame, RecordingError, VERSION, origin_of,
};
use crate::files::{Disk, Files, Input};
use glam::DVec3;
use std::fmt;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use toile::mesh::Face;

/// An open frame cache.
pub struct Recording {
    path: PathBuf,
    /// Read by one at a time, because there is one place in it from which to read.
    file: Mutex<Box<dyn Input>>,
    header: Header,
    cloths: Vec<ClothTrack>,
    bodies: Vec<BodyTrack>,
    frame_count: usize,
    origin: DVec3,
}

impl Recording {
    /// Opens a cache file, or the cache in a run folder, and reads everything but the frames.
    pub fn open(path: &Path) -> Result<Self, RecordingError> {
        Self::open_from(&Disk, path)
    }

    /// The same from whoever has the file.
    pub fn open_from(files: &dyn Files, path: &Path) -> Result<Self, RecordingError> {
        let path = if files.is_folder(path) {
            path.join(super::FILE_NAME)
        } else {
            path.to_owned()
        };
        let mut source = Source::open(files, path)?;
        let header = source.header()?;
        let cloths = header
            .cloths
            .iter()
            .map(|c| source.cloth(c, &header))
            .collect::<Result<_, _>>()?;
        let bodies = header
            .bodies
            .iter()
            .map(|b| source.body(b))
            .collect::<Result<_, _>>()?;
        let frames = source.length.saturating_sub(header.frames_offset) / header.frame_stride;
        let mut recording = Recording {
            path: source.path,
            file: Mutex::new(source.file),
            frame_count: frames as usize,
            header,
            cloths,
            bodies,
            origin: DVec3::ZERO,
        };
        if frames > 0 {
            recording.origin = origin_of(&recording.frame(0)?.positions);
        }
        Ok(recording)
    }

    /// A point near the cloth of the first frame (m), from which single precision is enough; zero where that is not far.
    pub fn origin(&self) -> DVec3 {
        self.origin
    }

    pub(super) fn layout(&self) -> FrameLayout {
        self.header.layout()
    }

    /// Checks that the first so many frames are as they were written.
    pub(super) fn verify(&self, frames: usize) -> Result<(), RecordingError> {
        for index in 0..frames {
            if !FrameLayout::is_whole(&self.frame_bytes(index)?) {
                return Err(self.fault(index, FrameFault::Checksum));
            }
        }
        Ok(())
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The cloths.
    pub fn cloths(&self) -> &[ClothTrack] {
        &self.cloths
    }

    /// The bodies.
    pub fn bodies(&self) -> &[BodyTrack] {
        &self.bodies
    }

    /// How many complete frames there are.
    pub fn frame_count(&self) -> usize {
        self.frame_count
    }

    /// Reads one frame.
    pub fn frame(&self, index: usize) -> Result<RecordedFrame, RecordingError> {
        if index >= self.frame_count {
            return Err(RecordingError::NoSuchFrame {
                path: self.path.clone(),
                index,
                count: self.frame_count,
            });
        }
        let decoded = self.layout().decode(&self.frame_bytes(index)?);
        decoded.map_err(|fault| self.fault(index, fault))
    }

    fn frame_bytes(&self, index: usize) -> Result<Vec<u8>, RecordingError> {
        let mut bytes = vec![0; self.header.frame_stride as usize];
        let at = self.header.frames_offset + index as u64 * self.header.frame_stride;
        // Whoever stopped in the middle of reading left the file as it is.
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let read = file.seek(SeekFrom::Start(at));
        let read = read.and_then(|_| file.read_exact(&mut bytes));
        read.map_err(|source| RecordingError::Io {
            path: self.path.clone(),
            source,
        })?;
        Ok(bytes)
    }

    fn fault(&self, index: usize, fault: FrameFault) -> RecordingError {
        let cloths = self.header.cloths.iter();
        let cloths: Vec<_> = cloths.map(|c| (c.name.clone(), c.first_node)).collect();
        fault.of_frame(&self.path, index, &cloths)
    }
}

impl fmt::Debug for Recording {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = out.debug_struct("Recording");
        out.field("path", &self.path)
            .field("header", &self.header)
            .field("frame_count", &self.frame_count)
            .finish_non_exhaustive()
    }
}

struct Source {
    path: PathBuf,
    file: Box<dyn Input>,
    length: u64,
}

impl Source {
    fn open(files: &dyn Files, path: PathBuf) -> Result<Self, RecordingError> {
        let opened = files.open(&path);
        let opened = opened.and_then(|file| Ok((files.length(&path)?, file)));
        match opened {
            Ok((length, file)) => Ok(Source { path, file, length }),
            Err(source) => Err(RecordingError::Io { path, source }),
        }
    }

    fn corrupt(&self, what: impl Into<String>) -> RecordingError {
        RecordingError::Corrupt {
            path: self.path.clone(),
            what: what.into(),
        }
    }

    /// Reads a stretch of the file; refuses lengths beyond its end before setting memory aside.
    fn bytes(&mut self, offset: u64, length: u64) -> Result<Vec<u8>, RecordingError> {
        if offset
            .checked_add(length)
            .is_none_or(|end| end > self.length)
        {
            return Err(self.corrupt("it ends too early"));
        }
        let mut out = vec![0; length as usize];
        let read = self.file.seek(SeekFrom::Start(offset));
        read.and_then(|_| self.file.read_exact(&mut out))
            .map_err(|source| RecordingError::Io {
                path: self.path.clone(),
                source,
            })?;
        Ok(out)
    }

    fn header(&mut self) -> Result<Header, RecordingError> {
        let start = self.bytes(0, PRELUDE)?;
        if &start[..8] != MAGIC {
            return Err(self.corrupt("it does not start with TOILEFRM"));
        }
        let mut numbers = Cursor(&start[8..]);
        let version = u32::from_le_bytes(numbers.take());
        if version != VERSION {
            return Err(RecordingError::OtherVersion {
                path: self.path.clone(),
                found: version,
            });
        }
        let length = u32::from_le_bytes(numbers.take());
        let sum = u32::from_le_bytes(numbers.take());
        let json = self.bytes(PRELUDE, length.into())?;
        let header: Header = serde_json::from_slice(&json)
            .map_err(|error| self.corrupt(format!("its header: {error}")))?;
        let nodes: Option<usize> = header
            .cloths
            .iter()
            .try_fold(0usize, |sum, c| sum.checked_add(c.node_count));
        if nodes != Some(header.node_count)
            || header.node_count > u32::MAX as usize
            || header.frame_stride != header.layout().stride()
            || header.frames_offset > self.length
            || header.frames_offset < PRELUDE
        {
            return Err(self.corrupt("its header contradicts itself"));
        }
        let rest = self.bytes(PRELUDE, header.frames_offset - PRELUDE)?;
        if prelude_sum(&start[..16], &rest) != sum {
            return Err(self.corrupt("its checksum is wrong; run the scene again with --force"));
        }
        Ok(header)
    }

    fn words(&mut self, array: Array, per_element: u64) -> Result<Vec<[u8; 4]>, RecordingError> {
        let length = array.count.checked_mul(per_element * 4);
        let length = length.ok_or_else(|| self.corrupt("an array is longer than any file"))?;
        let bytes = self.bytes(array.offset, length)?;
        Ok(bytes
            .chunks_exact(4)
            .map(|b| [b[0], b[1], b[2], b[3]])
            .collect())
    }

    fn floats(&mut self, array: Array) -> Result<Vec<f32>, RecordingError> {
        let words = self.words(array, 1)?;
        Ok(words.into_iter().map(f32::from_le_bytes).collect())
    }

    fn faces(&mut self, array: Array, nodes: usize) -> Result<Vec<Face>, RecordingError> {
        let words = self.words(array, 4)?;
        let faces: Vec<Face> = words
            .chunks_exact(4)
            .map(|w| match [w[0], w[1], w[2], w[3]].map(u32::from_le_bytes) {
                [a, b, c, u32::MAX] => Face::Tri([a, b, c]),
                quad => Face::Quad(quad),
            })
            .collect();
        let inside = |f: &Face| f.corners().iter().all(|&n| (n as usize) < nodes);
        if !faces.iter().all(inside) {
            return Err(self.corrupt("a face names a node that is not there"));
        }
        Ok(faces)
    }

    fn cloth(&mut self, c: &ClothHeader, header: &Header) -> Result<ClothTrack, RecordingError> {
        let end = c.first_node.checked_add(c.node_count);
        if end.is_none_or(|end| end > header.node_count) {
            return Err(self.corrupt("a cloth has nodes beyond the frame"));
        }
        let edges: Vec<[u32; 2]> = self
            .words(c.edges, 2)?
            .chunks_exact(2)
            .map(|w| [w[0], w[1]].map(u32::from_le_bytes))
            .collect();
        if edges.iter().flatten().any(|&n| n as usize >= c.node_count) {
            return Err(self.corrupt("an edge names a node that is not there"));
        }
        let track = ClothTrack {
            name: c.name.clone(),
            first_node: c.first_node,
            node_count: c.node_count,
            faces: self.faces(c.faces, c.node_count)?,
            rest_areas: self.floats(c.rest_areas)?,
            edges,
            rest_lengths: self.floats(c.rest_lengths)?,
            thickness: c.thickness,
            colors: c.colors,
            attributes: self.attributes(&c.attributes)?,
        };
        if track.rest_areas.len() != track.faces.len()
            || track.rest_lengths.len() != track.edges.len()
        {
            return Err(self.corrupt("rest areas or lengths do not match faces or edges"));
        }
        self.check(&track.attributes, &track.faces, track.node_count)?;
        Ok(track)
    }

    fn body(&mut self, b: &BodyHeader) -> Result<BodyTrack, RecordingError> {
        let words = self.words(b.positions, 6)?;
        let positions: Vec<DVec3> = words
            .as_flattened()
            .chunks_exact(24)
            .map(|bytes| {
                let mut cursor = Cursor(bytes);
                DVec3::from_array(std::array::from_fn(|_| cursor.f64()))
            })
            .collect();
        let morph = b.morph.map(|morph| self.morph(morph, positions.len()));
        let track = BodyTrack {
            name: b.name.clone(),
            faces: self.faces(b.faces, positions.len())?,
            morph: morph.transpose()?,
            positions,
            smooth: b.smooth,
            ground_height: b.ground_height,
            color: b.color,
            attributes: self.attributes(&b.attributes)?,
        };
        self.check(&track.attributes, &track.faces, track.positions.len())?;
        Ok(track)
    }

    fn attributes(&mut self, header: &AttributesHeader) -> Result<Attributes, RecordingError> {
        let mut floats = |array: Option<Array>, width: u64| -> Result<_, RecordingError> {
            let words = array.map(|array| self.words(array, width)).transpose()?;
            Ok(words.map(|words| {
                words
                    .into_iter()
                    .map(f32::from_le_bytes)
                    .collect::<Vec<_>>()
            }))
        };
        let uvs = floats(header.corner_uvs, 8)?;
        let corner = |n: &[f32]| std::array::from_fn(|k| [n[2 * k], n[2 * k + 1]]);
        let colors = floats(header.node_colors, 3)?;
        Ok(Attributes {
            corner_uvs: uvs.map(|uvs| uvs.chunks_exact(8).map(corner).collect()),
            node_colors: colors.map(|c| c.chunks_exact(3).map(|c| [c[0], c[1], c[2]]).collect()),
        })
    }

    fn check(
        &self,
        attributes: &Attributes,
        faces: &[Face],
        nodes: usize,
    ) -> Result<(), RecordingError> {
        match attributes.fit(faces.len(), nodes) {
            true => Ok(()),
            false => {
                Err(self.corrupt("texture coordinates or colours do not match faces or nodes"))
            }
        }
    }

    fn morph(&mut self, morph: MorphHeader, nodes: usize) -> Result<Morph, RecordingError> {
        let times: Vec<f64> = self
            .words(morph.times, 2)?
            .as_flattened()
            .chunks_exact(8)
            .map(|bytes| Cursor(bytes).f64())
            .collect();
        let places: Vec<[f32; 3]> = self
            .words(morph.positions, 3)?
            .chunks_exact(3)
            .map(|w| [w[0], w[1], w[2]].map(f32::from_le_bytes))
            .collect();
        let increasing = times.windows(2).all(|pair| pair[0] < pair[1]);
        let counted = times.len().checked_mul(nodes) == Some(places.len());
        if times.is_empty() || nodes == 0 || !increasing || !counted {
            return Err(self.corrupt("the frames of a body that deforms do not match it"));
        }
        let frames = places.chunks_exact(nodes).map(<[_]>::to_vec).collect();
        Ok(Morph { times, frames })
    }
}
