//! Checkpoints: the whole state of a run in one file.
//!
//! Layout (little-endian): `TOILECHK`, version `u32`, fingerprint of the scene `u64`, frames written `u64`,
//! length of `metrics.csv` and of `timings.csv` `u64` each; then the state: time `f64`, steps `u64`, three lists
//! of vectors (count `u64`, 3 × `f64` each: positions, velocities, last changes of velocity), pin count `u64`,
//! for each pin its interval (`u32`, 0xFFFFFFFF for none) and the list of its anchors; the length of the last
//! step (`f64`, 0 for none) with the positions and velocities before it; three lists of numbers (count `u64`, `f64` each:
//! rest angles, creased angles, forces of limits); the adaptive control's next pair of steps (`f64`, 0 for none) and last error (`f64`); the
//! count of nodes that stick to bodies `u64`, for each its number, adhesion and body (`u32` each), the face that its anchor is at (`u32`, 0xFFFFFFFF for none)
//! with the weights of its corners (3 × `f64`, for a face alone) and the anchor (3 × `f64`); the count of nodes that stick to cloth `u64`, for each its number,
//! adhesion and face and whether it is torn (6 × `u32` in all), weights, way and pull (7 × `f64` in all); last a CRC-32 of all before.

use glam::DVec3;
use std::path::{Path, PathBuf};
use thiserror::Error;
use toile::contact::{Anchor, Bond, Stuck};
use toile::drive::PinState;
use toile::state::{Previous, State, StepMemory};

const MAGIC: &[u8; 8] = b"TOILECHK";
const VERSION: u32 = 6;
/// Where a face would stand.
const NO_FACE: u32 = u32::MAX;

/// A run as far as it got.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// Tells scenes apart: a checkpoint belongs to the scene with the same fingerprint.
    pub fingerprint: u64,
    /// Frames in the cache.
    pub frames: u64,
    /// Bytes of `metrics.csv`.
    pub metrics_bytes: u64,
    /// Bytes of `timings.csv`.
    pub timings_bytes: u64,
    /// The state after the last of these frames.
    pub state: State,
}

/// A checkpoint that cannot be used.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// The system says no.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is damaged or of another kind.
    #[error("{path} is not a usable checkpoint: {what}; start again with --force")]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: &'static str,
    },
}

impl Checkpoint {
    /// The file's bytes.
    pub fn encode(&self) -> Vec<u8> {
        let state = &self.state;
        let mut out = Vec::with_capacity(128 + state.positions.len() * 48);
        out.extend(MAGIC);
        out.extend(VERSION.to_le_bytes());
        for number in [
            self.fingerprint,
            self.frames,
            self.metrics_bytes,
            self.timings_bytes,
        ] {
            out.extend(number.to_le_bytes());
        }
        out.extend(state.time.to_le_bytes());
        out.extend(state.steps.to_le_bytes());
        put_vectors(&mut out, &state.positions);
        put_vectors(&mut out, &state.velocities);
        put_vectors(&mut out, &state.last_change);
        out.extend((state.pins.len() as u64).to_le_bytes());
        for pin in &state.pins {
            out.extend(pin.interval.unwrap_or(u32::MAX).to_le_bytes());
            put_vectors(&mut out, &pin.anchors);
        }
        let step = state.previous.as_ref().map_or(0.0, |p| p.step);
        out.extend(step.to_le_bytes());
        if let Some(previous) = &state.previous {
            put_vectors(&mut out, &previous.positions);
            put_vectors(&mut out, &previous.velocities);
        }
        put_numbers(&mut out, &state.rest_angles);
        put_numbers(&mut out, &state.creased);
        put_numbers(&mut out, &state.limit_forces);
        let memory = state.step_memory.map_or([0.0; 2], |m| [m.pair, m.error]);
        for number in memory {
            out.extend(number.to_le_bytes());
        }
        out.extend((state.stuck.len() as u64).to_le_bytes());
        for stuck in &state.stuck {
            for number in [stuck.node, stuck.adhesion, stuck.body] {
                out.extend(number.to_le_bytes());
            }
            put_anchor(&mut out, &stuck.anchor);
        }
        out.extend((state.bonds.len() as u64).to_le_bytes());
        for bond in &state.bonds {
            let [a, b, c] = bond.face;
            let is_torn = u32::from(bond.is_torn);
            for number in [bond.node, bond.adhesion, a, b, c, is_torn] {
                out.extend(number.to_le_bytes());
            }
            put_vector(&mut out, DVec3::from_array(bond.weights));
            put_vector(&mut out, bond.way);
            out.extend(bond.pull.to_le_bytes());
        }
        let sum = crc32fast::hash(&out);
        out.extend(sum.to_le_bytes());
        out
    }

    /// Reads a checkpoint file; `None` if there is none.
    pub fn read(path: &Path) -> Result<Option<Self>, CheckpointError> {
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(source) => {
                return Err(CheckpointError::Io {
                    path: path.to_owned(),
                    source,
                });
            }
        };
        let decoded = Self::decode(&bytes).map_err(|what| CheckpointError::Corrupt {
            path: path.to_owned(),
            what,
        });
        decoded.map(Some)
    }

    /// Reads the file's bytes.
    pub fn decode(bytes: &[u8]) -> Result<Self, &'static str> {
        let (body, sum) = bytes.split_last_chunk::<4>().ok_or("it is too short")?;
        if !body.starts_with(MAGIC) {
            return Err("it does not start with TOILECHK");
        }
        if crc32fast::hash(body) != u32::from_le_bytes(*sum) {
            return Err("its checksum is wrong");
        }
        let mut input = Input(&body[8..]);
        if input.u32()? != VERSION {
            return Err("it was written by another version");
        }
        let [fingerprint, frames, metrics_bytes, timings_bytes] =
            [input.u64()?, input.u64()?, input.u64()?, input.u64()?];
        let time = f64::from_bits(input.u64()?);
        let steps = input.u64()?;
        let positions = input.vectors()?;
        let velocities = input.vectors()?;
        let last_change = input.vectors()?;
        let pin_count = input.u64()?;
        let mut pins = Vec::new();
        for _ in 0..pin_count {
            let interval = input.u32()?;
            pins.push(PinState {
                interval: (interval != u32::MAX).then_some(interval),
                anchors: input.vectors()?,
            });
        }
        let step = f64::from_bits(input.u64()?);
        let previous = if step > 0.0 {
            Some(Previous {
                step,
                positions: input.vectors()?,
                velocities: input.vectors()?,
            })
        } else {
            None
        };
        let rest_angles = input.numbers()?;
        let creased = input.numbers()?;
        let limit_forces = input.numbers()?;
        let [pair, error] = [input.u64()?, input.u64()?].map(f64::from_bits);
        let stuck = input.stuck()?;
        let bonds = input.bonds()?;
        if !input.0.is_empty() {
            return Err("it has more bytes than it should");
        }
        Ok(Checkpoint {
            fingerprint,
            frames,
            metrics_bytes,
            timings_bytes,
            state: State {
                time,
                steps,
                positions,
                velocities,
                last_change,
                previous,
                rest_angles,
                creased,
                limit_forces,
                step_memory: (pair > 0.0).then_some(StepMemory { pair, error }),
                pins,
                stuck,
                bonds,
            },
        })
    }
}

fn put_vectors(out: &mut Vec<u8>, list: &[DVec3]) {
    out.extend((list.len() as u64).to_le_bytes());
    for &vector in list {
        put_vector(out, vector);
    }
}

fn put_vector(out: &mut Vec<u8>, vector: DVec3) {
    for number in vector.to_array() {
        out.extend(number.to_le_bytes());
    }
}

fn put_anchor(out: &mut Vec<u8>, anchor: &Anchor) {
    match *anchor {
        Anchor::Frame(place) => {
            out.extend(NO_FACE.to_le_bytes());
            put_vector(out, place);
        }
        Anchor::Face { face, weights, way } => {
            out.extend(face.to_le_bytes());
            put_vector(out, DVec3::from_array(weights));
            put_vector(out, way);
        }
    }
}

fn put_numbers(out: &mut Vec<u8>, list: &[f64]) {
    out.extend((list.len() as u64).to_le_bytes());
    for number in list {
        out.extend(number.to_le_bytes());
    }
}

struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], &'static str> {
        let (head, tail) = self.0.split_first_chunk::<N>().ok_or("it ends too early")?;
        self.0 = tail;
        Ok(*head)
    }

    fn u32(&mut self) -> Result<u32, &'static str> {
        self.take().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64, &'static str> {
        self.take().map(u64::from_le_bytes)
    }

    fn numbers(&mut self) -> Result<Vec<f64>, &'static str> {
        let count = self.u64()?;
        if count > (self.0.len() / 8) as u64 {
            return Err("it ends too early");
        }
        (0..count).map(|_| self.u64().map(f64::from_bits)).collect()
    }

    fn vectors(&mut self) -> Result<Vec<DVec3>, &'static str> {
        let count = self.u64()?;
        if count > (self.0.len() / 24) as u64 {
            return Err("it ends too early");
        }
        (0..count).map(|_| self.vector()).collect()
    }

    fn vector(&mut self) -> Result<DVec3, &'static str> {
        let [x, y, z] = [self.u64()?, self.u64()?, self.u64()?].map(f64::from_bits);
        Ok(DVec3::new(x, y, z))
    }

    fn stuck(&mut self) -> Result<Vec<Stuck>, &'static str> {
        let count = self.u64()?;
        if count > (self.0.len() / 40) as u64 {
            return Err("it ends too early");
        }
        let stuck = (0..count).map(|_| {
            Ok(Stuck {
                node: self.u32()?,
                adhesion: self.u32()?,
                body: self.u32()?,
                anchor: self.anchor()?,
            })
        });
        stuck.collect()
    }

    fn anchor(&mut self) -> Result<Anchor, &'static str> {
        Ok(match self.u32()? {
            NO_FACE => Anchor::Frame(self.vector()?),
            face => Anchor::Face {
                face,
                weights: self.vector()?.to_array(),
                way: self.vector()?,
            },
        })
    }

    fn bonds(&mut self) -> Result<Vec<Bond>, &'static str> {
        let count = self.u64()?;
        if count > (self.0.len() / 80) as u64 {
            return Err("it ends too early");
        }
        let bonds = (0..count).map(|_| {
            let [node, adhesion] = [self.u32()?, self.u32()?];
            let face = [self.u32()?, self.u32()?, self.u32()?];
            let is_torn = self.u32()? != 0;
            Ok(Bond {
                node,
                adhesion,
                face,
                is_torn,
                weights: self.vector()?.to_array(),
                way: self.vector()?,
                pull: f64::from_bits(self.u64()?),
            })
        });
        bonds.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample() -> Checkpoint {
        Checkpoint {
            fingerprint: 0x1234_5678_9abc_def0,
            frames: 7,
            metrics_bytes: 99,
            timings_bytes: 42,
            state: State {
                time: 0.1 + 0.2,
                steps: 30,
                positions: vec![DVec3::new(1.0, -0.0, f64::MIN_POSITIVE); 3],
                velocities: vec![DVec3::splat(1.0 / 3.0); 3],
                last_change: vec![DVec3::NEG_ONE; 3],
                previous: Some(Previous {
                    step: 1e-3,
                    positions: vec![DVec3::Y; 3],
                    velocities: vec![DVec3::Z; 3],
                }),
                rest_angles: vec![0.1, -0.2],
                creased: vec![0.0, 0.3],
                limit_forces: vec![1.5, 0.0, -2.0],
                step_memory: Some(StepMemory {
                    pair: 0.25,
                    error: 1.0 / 3.0,
                }),
                pins: vec![
                    PinState::default(),
                    PinState {
                        interval: Some(2),
                        anchors: vec![DVec3::X],
                    },
                ],
                stuck: vec![
                    Stuck {
                        node: 1,
                        adhesion: 0,
                        body: 2,
                        anchor: Anchor::Frame(DVec3::new(0.1, -0.2, 1e-9)),
                    },
                    Stuck {
                        node: 2,
                        adhesion: 0,
                        body: 1,
                        anchor: Anchor::Face {
                            face: 7,
                            weights: [0.5, 0.25, 0.25],
                            way: DVec3::new(0.0, 1e-3, 0.0),
                        },
                    },
                ],
                bonds: vec![Bond {
                    node: 0,
                    adhesion: 1,
                    face: [2, 1, 0],
                    weights: [0.1, 0.2, 0.7],
                    way: DVec3::new(0.0, -2e-3, 1e-5),
                    pull: 1.0 / 7.0,
                    is_torn: true,
                }],
            },
        }
    }

    #[test]
    fn a_checkpoint_reads_back_bit_for_bit() {
        let bytes = sample().encode();
        let back = Checkpoint::decode(&bytes).unwrap();
        assert_eq!(back, sample());
        assert_eq!(back.encode(), bytes);
    }

    proptest! {
        #[test]
        fn damaged_checkpoints_are_refused_without_panic(cut in 0usize..500, flip in 0usize..500, bit in 0u8..8) {
            let mut bytes = sample().encode();
            let at = flip % bytes.len();
            bytes[at] ^= 1 << bit;
            prop_assert!(Checkpoint::decode(&bytes).is_err());
            bytes.truncate(cut % bytes.len());
            prop_assert!(Checkpoint::decode(&bytes).is_err());
        }

        #[test]
        fn random_bytes_are_refused_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            prop_assert!(Checkpoint::decode(&bytes).is_err());
            // Also with a valid frame around them, so that the inner lists are reached.
            let mut framed = MAGIC.to_vec();
            framed.extend(VERSION.to_le_bytes());
            framed.extend(&bytes);
            framed.extend(crc32fast::hash(&framed).to_le_bytes());
            let _ = Checkpoint::decode(&framed);
        }
    }
}
