//! Checkpoints: the whole state of a run in one file.
//!
//! Layout (little-endian): `TOILECHK`, version `u32`, fingerprint of the scene `u64`, frames written `u64`,
//! lengths of `metrics.csv`, `timings.csv` and `forces.csv` `u64` each with the CRC-32 `u32` of these bytes; then the state
//! as the engine writes it ([`State::to_bytes`]); last a CRC-32 of all before.

use super::table::TableMark;
use std::path::{Path, PathBuf};
use thiserror::Error;
use toile::state::State;

const MAGIC: &[u8; 8] = b"TOILECHK";
const VERSION: u32 = 8;

/// A run as far as it got.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// Tells scenes apart: a checkpoint belongs to the scene with the same fingerprint.
    pub fingerprint: u64,
    /// Frames in the cache.
    pub frames: u64,
    /// How much of `metrics.csv` counts.
    pub metrics: TableMark,
    /// How much of `timings.csv` counts.
    pub timings: TableMark,
    /// How much of `forces.csv` counts; nothing where there is none.
    pub forces: TableMark,
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
        what: String,
    },
}

impl Checkpoint {
    /// The file's bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend(VERSION.to_le_bytes());
        for number in [self.fingerprint, self.frames] {
            out.extend(number.to_le_bytes());
        }
        for table in [self.metrics, self.timings, self.forces] {
            out.extend(table.bytes.to_le_bytes());
            out.extend(table.sum.to_le_bytes());
        }
        out.extend(self.state.to_bytes());
        let sum = crc32fast::hash(&out);
        out.extend(sum.to_le_bytes());
        out
    }

    /// Reads a checkpoint file; `None` if there is none.
    pub fn read(path: &Path) -> Result<Option<Self>, CheckpointError> {
        let bytes = match crate::files::read_input(path) {
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
    pub fn decode(bytes: &[u8]) -> Result<Self, String> {
        let (body, sum) = bytes.split_last_chunk::<4>().ok_or("it is too short")?;
        let body = body
            .strip_prefix(MAGIC)
            .ok_or("it does not start with TOILECHK")?;
        if crc32fast::hash(&bytes[..bytes.len() - 4]) != u32::from_le_bytes(*sum) {
            return Err("its checksum is wrong".to_owned());
        }
        let (version, body) = body.split_first_chunk().ok_or("it ends too early")?;
        if u32::from_le_bytes(*version) != VERSION {
            return Err("it was written by another version".to_owned());
        }
        let early = || "it ends too early".to_owned();
        let (numbers, body) = body.split_first_chunk::<16>().ok_or_else(early)?;
        let (numbers, _) = numbers.as_chunks::<8>();
        let number = |k: usize| u64::from_le_bytes(numbers[k]);
        let (tables, state) = body.split_first_chunk::<36>().ok_or_else(early)?;
        let (tables, _) = tables.as_chunks::<12>();
        let mark = |k: usize| {
            let [a, b, c, d, e, f, g, h, sum @ ..] = tables[k];
            TableMark {
                bytes: u64::from_le_bytes([a, b, c, d, e, f, g, h]),
                sum: u32::from_le_bytes(sum),
            }
        };
        Ok(Checkpoint {
            fingerprint: number(0),
            frames: number(1),
            metrics: mark(0),
            timings: mark(1),
            forces: mark(2),
            state: State::from_bytes(state).map_err(|error| error.to_string())?,
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a panic is a failed test
mod tests {
    use super::*;
    use crate::scene::{SceneSource, resolve};
    use proptest::prelude::*;

    fn sample() -> Checkpoint {
        let text = "[cloth.a]\nmesh.grid = { size = [1, 1], cells = [1, 1] }\n";
        let source = SceneSource {
            name: "a".into(),
            text: text.into(),
            folder: Default::default(),
            overrides: Vec::new(),
        };
        let world = resolve(&source, source.parse().unwrap()).unwrap();
        Checkpoint {
            fingerprint: 0x1234_5678_9abc_def0,
            frames: 7,
            metrics: TableMark { bytes: 99, sum: 7 },
            timings: TableMark { bytes: 42, sum: 8 },
            forces: TableMark { bytes: 3, sum: 9 },
            state: world.state,
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
        fn damaged_checkpoints_are_refused_without_panic(cut in 0usize..900, flip in 0usize..900, bit in 0u8..8) {
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
            // Also with a valid frame around them, so that what is inside is reached.
            let mut framed = MAGIC.to_vec();
            framed.extend(VERSION.to_le_bytes());
            framed.extend(&bytes);
            framed.extend(crc32fast::hash(&framed).to_le_bytes());
            prop_assert!(Checkpoint::decode(&framed).is_err());
        }
    }
}
