//! Every simulation of a fit, on disk as soon as it is done.
//!
//! Optimisers are deterministic, so a fit that was stopped is resumed by starting again: points that are in the log need no simulation.

use super::{FitError, Parameter};
use std::collections::HashMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The log.
#[derive(Debug)]
pub(super) struct Log {
    /// Where it is written, if it is.
    file: Option<(PathBuf, File)>,
    /// Loss of every point that was simulated (m²), by the bits of its values.
    known: HashMap<Vec<u64>, f64>,
    /// How many points were read and not simulated here.
    pub recalled: usize,
    /// Lines written or read.
    pub count: usize,
}

fn key(point: &[f64]) -> Vec<u64> {
    point.iter().map(|v| v.to_bits()).collect()
}

impl Log {
    pub const FILE: &'static str = "evaluations.csv";

    /// A log that is forgotten with the fit.
    pub fn in_memory() -> Self {
        Log {
            file: None,
            known: HashMap::new(),
            recalled: 0,
            count: 0,
        }
    }

    /// A new log, or that of an earlier fit with the same parameters.
    pub fn open(folder: &Path, parameters: &[Parameter], resume: bool) -> Result<Self, FitError> {
        let path = folder.join(Self::FILE);
        let io = |source| FitError::Io {
            path: path.clone(),
            source,
        };
        let fields = parameters.iter().map(|p| p.field.as_str());
        let heading = fields.chain(["loss"]).collect::<Vec<_>>().join(",");
        let text = match resume {
            true => std::fs::read_to_string(&path).unwrap_or_default(),
            false => String::new(),
        };
        let mut known = HashMap::new();
        let mut kept = format!("{heading}\n");
        if let Some(found) = text.lines().next() {
            if found != heading {
                return Err(FitError::OtherLog { path });
            }
            for line in text.lines().skip(1) {
                let numbers: Option<Vec<f64>> = line.split(',').map(|n| n.parse().ok()).collect();
                // A line that was cut off when the program was killed does not count.
                let Some(numbers) = numbers.filter(|n| n.len() == parameters.len() + 1) else {
                    continue;
                };
                let (point, loss) = numbers.split_at(parameters.len());
                known.insert(key(point), loss[0]);
                kept.push_str(line);
                kept.push('\n');
            }
        }
        let mut file = File::create(&path).map_err(io)?;
        file.write_all(kept.as_bytes()).map_err(io)?;
        Ok(Log {
            count: known.len(),
            file: Some((path, file)),
            known,
            recalled: 0,
        })
    }

    /// What is known of a point.
    pub fn recall(&mut self, point: &[f64]) -> Option<f64> {
        self.known.get(&key(point)).copied()
    }

    /// Notes a simulation.
    pub fn note(&mut self, point: &[f64], loss: f64) -> Result<(), FitError> {
        let numbers = point.iter().chain([&loss]).map(|v| format!("{v:?}"));
        let line = numbers.collect::<Vec<_>>().join(",");
        self.known.insert(key(point), loss);
        self.count += 1;
        let Some((path, file)) = &mut self.file else {
            return Ok(());
        };
        let written = writeln!(file, "{line}").and_then(|()| file.flush());
        written.map_err(|source| FitError::Io {
            path: path.clone(),
            source,
        })
    }
}
