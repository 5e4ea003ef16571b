//! Every simulation of a fit, on disk as soon as it is done.
//!
//! Optimisers are deterministic, so a fit that was stopped is resumed by starting again: points that are in the log need no simulation.

use super::{FitError, Parameter};
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use toile_scene::run::write_atomically;

/// The log.
#[derive(Debug)]
pub(super) struct Log {
    /// Where it is written, if it is.
    file: Option<(PathBuf, File)>,
    heading: String,
    /// Loss of every point that was simulated (m²), by the bits of its values.
    known: HashMap<Vec<u64>, f64>,
    /// Points in the order in which they were asked for.
    asked: Vec<Vec<u64>>,
    /// Points of an earlier fit, in the order of its log.
    earlier: Vec<Vec<u64>>,
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
            heading: String::new(),
            known: HashMap::new(),
            asked: Vec::new(),
            earlier: Vec::new(),
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
        let mut earlier = Vec::new();
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
                earlier.push(key(point));
                kept.push_str(line);
                kept.push('\n');
            }
        }
        let mut file = File::create(&path).map_err(io)?;
        file.write_all(kept.as_bytes()).map_err(io)?;
        Ok(Log {
            count: known.len(),
            file: Some((path, file)),
            heading,
            known,
            asked: Vec::new(),
            earlier,
        })
    }

    /// What is known of a point.
    pub fn recall(&self, point: &[f64]) -> Option<f64> {
        self.known.get(&key(point)).copied()
    }

    /// Notes a simulation. It is on the disk when this returns.
    pub fn note(&mut self, point: &[f64], loss: f64) -> Result<(), FitError> {
        self.known.insert(key(point), loss);
        self.count += 1;
        let Some((path, file)) = &mut self.file else {
            return Ok(());
        };
        let written = file
            .write_all(line(point.iter().copied(), loss).as_bytes())
            .and_then(|()| file.flush());
        written.map_err(|source| FitError::Io {
            path: path.clone(),
            source,
        })
    }

    /// These were asked for, in this order.
    pub fn order(&mut self, points: &[Vec<f64>]) {
        self.asked.extend(points.iter().map(|point| key(point)));
    }

    /// How many points that were asked for came from an earlier fit.
    pub fn recalled(&self) -> usize {
        let earlier: HashSet<_> = self.earlier.iter().collect();
        let asked: HashSet<_> = self.asked.iter().collect();
        asked.intersection(&earlier).count()
    }

    /// Writes all lines in the order in which they were asked for: who was done first is chance, and the same fit leaves the same bytes.
    pub fn finish(&self) -> Result<(), FitError> {
        let Some((path, _)) = &self.file else {
            return Ok(());
        };
        let mut text = format!("{}\n", self.heading);
        let mut written = HashSet::new();
        for key in self.asked.iter().chain(&self.earlier) {
            if let (Some(loss), true) = (self.known.get(key), written.insert(key)) {
                text += &line(key.iter().map(|bits| f64::from_bits(*bits)), *loss);
            }
        }
        Ok(write_atomically(path, text.as_bytes())?)
    }
}

fn line(point: impl Iterator<Item = f64>, loss: f64) -> String {
    let numbers = point.chain([loss]).map(|v| format!("{v:?}"));
    numbers.collect::<Vec<_>>().join(",") + "\n"
}
