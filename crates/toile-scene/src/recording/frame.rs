//! The bytes of one frame.
//!
//! Positions are stored in single precision about an origin of the frame's own, so that what is lost depends on the size of the cloth and
//! not on where it is. The last four bytes are a CRC-32 of all before.

use super::{BodyPose, Header, RecordedFrame, RecordingError};
use glam::{DQuat, DVec3};
use std::path::Path;

/// Bytes of the checksum at the end.
const SUM: usize = 4;
/// Cloth that is within so many of its own sizes of the world's origin is stored about that.
const REACH: f64 = 4.0;

/// What is in every frame of a recording.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrameLayout {
    pub bodies: usize,
    pub nodes: usize,
    pub velocities: bool,
}

/// Why the bytes are no frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameFault {
    /// They are not those that were written.
    Checksum,
    /// The time or a pose is not finite.
    NotFinite,
    /// A node's position or velocity is not finite.
    Node(usize),
}

impl FrameFault {
    /// The error that names the frame, and the node by its cloth; `cloths` are names with first nodes.
    pub fn of_frame(self, path: &Path, index: usize, cloths: &[(String, usize)]) -> RecordingError {
        let path = path.to_owned();
        let what = match self {
            FrameFault::Checksum => return RecordingError::Damaged { path, index },
            FrameFault::NotFinite => "its time or a body's pose".to_owned(),
            FrameFault::Node(node) => {
                let cloth = cloths.iter().rev().find(|(_, first)| *first <= node);
                let (name, first) = cloth.map_or(("", 0), |(name, first)| (name.as_str(), *first));
                format!("node {} of cloth `{name}`", node - first)
            }
        };
        RecordingError::NotFinite { path, index, what }
    }
}

impl Header {
    /// What is in every frame.
    pub(super) fn layout(&self) -> FrameLayout {
        FrameLayout {
            bodies: self.bodies.len(),
            nodes: self.node_count,
            velocities: self.velocities,
        }
    }
}

impl FrameLayout {
    /// Bytes from one frame to the next.
    pub fn stride(&self) -> u64 {
        let vectors = self.nodes as u64 * if self.velocities { 2 } else { 1 };
        let bytes = 32 + self.bodies as u64 * 56 + vectors * 12 + SUM as u64;
        bytes.next_multiple_of(8)
    }

    /// Puts a frame into `out`, which is emptied first.
    pub fn encode(&self, frame: &FrameView, out: &mut Vec<u8>) -> Result<(), FrameFault> {
        let stride = self.stride() as usize;
        out.clear();
        let origin = origin_of(frame.positions);
        put(out, [frame.time]);
        put(out, origin.to_array());
        for pose in frame.poses {
            put(out, pose.translation.to_array());
            put(out, pose.rotation.to_array());
        }
        if !frame.is_rigid_part_finite() {
            return Err(FrameFault::NotFinite);
        }
        let places = frame.positions.iter().map(|&p| p - origin);
        put_single(out, places)?;
        if self.velocities {
            put_single(out, frame.velocities.iter().copied())?;
        }
        out.resize(stride - SUM, 0);
        let sum = crc32fast::hash(out);
        out.extend(sum.to_le_bytes());
        Ok(())
    }

    /// Whether the bytes are those that were written.
    pub fn is_whole(bytes: &[u8]) -> bool {
        let parts = bytes.split_last_chunk::<SUM>();
        parts.is_some_and(|(body, sum)| crc32fast::hash(body) == u32::from_le_bytes(*sum))
    }

    /// Reads a frame's bytes, of which there are as many as the stride says.
    pub fn decode(&self, bytes: &[u8]) -> Result<RecordedFrame, FrameFault> {
        if !Self::is_whole(bytes) {
            return Err(FrameFault::Checksum);
        }
        let mut cursor = Cursor(bytes);
        let time = cursor.f64();
        let origin = DVec3::from_array(cursor.f64s());
        let poses: Vec<BodyPose> = (0..self.bodies)
            .map(|_| BodyPose {
                translation: DVec3::from_array(cursor.f64s()),
                rotation: DQuat::from_array(cursor.f64s()),
            })
            .collect();
        let mut vectors = |count: usize| -> Vec<DVec3> {
            let single = |_| DVec3::from_array(std::array::from_fn(|_| cursor.f32().into()));
            (0..count).map(single).collect()
        };
        let mut positions = vectors(self.nodes);
        let velocities = vectors(if self.velocities { self.nodes } else { 0 });
        for position in &mut positions {
            *position += origin;
        }
        let view = FrameView {
            time,
            poses: &poses,
            positions: &positions,
            velocities: &velocities,
        };
        // A checksum only says that it was written so.
        if !view.is_rigid_part_finite() {
            return Err(FrameFault::NotFinite);
        }
        let lost = [&positions, &velocities].map(|list| list.iter().position(|v| !v.is_finite()));
        if let Some(node) = lost[0].or(lost[1]) {
            return Err(FrameFault::Node(node));
        }
        Ok(RecordedFrame {
            time,
            poses,
            positions,
            velocities,
        })
    }
}

/// A frame that is to be written.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrameView<'a> {
    pub time: f64,
    pub poses: &'a [BodyPose],
    pub positions: &'a [DVec3],
    pub velocities: &'a [DVec3],
}

impl FrameView<'_> {
    fn is_rigid_part_finite(&self) -> bool {
        let pose = |pose: &BodyPose| pose.translation.is_finite() && pose.rotation.is_finite();
        self.time.is_finite() && self.poses.iter().all(pose)
    }
}

fn put<const N: usize>(out: &mut Vec<u8>, numbers: [f64; N]) {
    out.extend(numbers.iter().flat_map(|x| x.to_le_bytes()));
}

fn put_single(out: &mut Vec<u8>, vectors: impl Iterator<Item = DVec3>) -> Result<(), FrameFault> {
    for (node, vector) in vectors.enumerate() {
        let single = vector.as_vec3();
        if !single.is_finite() {
            return Err(FrameFault::Node(node));
        }
        out.extend(single.to_array().iter().flat_map(|x| x.to_le_bytes()));
    }
    Ok(())
}

/// A point near all of some points, from which single precision is enough: the world's origin if that is not far, else a round
/// place near their middle. Zero for no points.
pub(crate) fn origin_of(points: &[DVec3]) -> DVec3 {
    let (low, high) = points
        .iter()
        .filter(|p| p.is_finite())
        .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(l, h), &p| {
            (l.min(p), h.max(p))
        });
    if low.x > high.x {
        return DVec3::ZERO;
    }
    let middle = 0.5 * (low + high);
    let size = (high - low).max_element();
    // A power of two, so that the difference from the origin loses nothing.
    let grid = (2.0 * REACH * size).log2().ceil().exp2();
    if size > 0.0 && grid.is_finite() {
        (middle / grid).round() * grid + 0.0
    } else {
        middle
    }
}

/// Numbers from bytes whose count was checked.
pub(super) struct Cursor<'a>(pub &'a [u8]);

impl Cursor<'_> {
    pub fn take<const N: usize>(&mut self) -> [u8; N] {
        let (head, tail) = self
            .0
            .split_first_chunk::<N>()
            .expect("the stride covers the frame");
        self.0 = tail;
        *head
    }

    pub fn f64(&mut self) -> f64 {
        f64::from_le_bytes(self.take())
    }

    pub fn f64s<const N: usize>(&mut self) -> [f64; N] {
        std::array::from_fn(|_| self.f64())
    }

    fn f32(&mut self) -> f32 {
        f32::from_le_bytes(self.take())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cloth_near_the_worlds_origin_is_stored_about_it() {
        let near = [DVec3::new(1.5, -1.0, 2.0), DVec3::new(2.5, 0.0, 2.0)];
        assert_eq!(origin_of(&near), DVec3::ZERO);
        assert_eq!(origin_of(&[]), DVec3::ZERO);
        assert_eq!(origin_of(&near[..1]), near[0]);
    }

    #[test]
    fn precision_follows_the_size_of_the_cloth_and_not_its_place() {
        let layout = FrameLayout {
            bodies: 0,
            nodes: 2,
            velocities: true,
        };
        for far in [0.0, 9e5, -3e8] {
            let positions = [DVec3::new(far, 0.1, 1.0), DVec3::new(far + 0.3, 0.0, 1.2)];
            let frame = FrameView {
                time: 0.5,
                poses: &[],
                positions: &positions,
                velocities: &[DVec3::X, DVec3::NEG_Z],
            };
            let mut bytes = Vec::new();
            layout.encode(&frame, &mut bytes).unwrap();
            assert_eq!(bytes.len() as u64, layout.stride());
            let back = layout.decode(&bytes).unwrap();
            for (a, b) in back.positions.iter().zip(&positions) {
                assert!(a.distance(*b) < 3e-7, "{a} {b}");
            }
            assert_eq!(back.velocities, frame.velocities);
        }
    }

    #[test]
    fn a_flipped_bit_is_noticed_wherever_it_is() {
        let layout = FrameLayout {
            bodies: 1,
            nodes: 1,
            velocities: false,
        };
        let pose = BodyPose {
            translation: DVec3::Y,
            rotation: DQuat::IDENTITY,
        };
        let frame = FrameView {
            time: 0.5,
            poses: &[pose],
            positions: &[DVec3::X],
            velocities: &[],
        };
        let mut bytes = Vec::new();
        layout.encode(&frame, &mut bytes).unwrap();
        for bit in 0..8 * bytes.len() {
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(layout.decode(&bytes).unwrap_err(), FrameFault::Checksum);
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        layout.decode(&bytes).unwrap();
    }
}
