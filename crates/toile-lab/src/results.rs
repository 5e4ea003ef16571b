//! Results on the disk: `NAME.json`, pictures and clips in one folder.
//!
//! ```text
//! DIR/NAME.json                    the outcome; paths in it count from DIR
//! DIR/NAME-PICTURE.png
//! DIR/clips/NAME-CLIP/frames.toile
//! ```
//!
//! The outcome is written last and in one piece. Where it is, the rest is there too.

use crate::outcome::{ClipFile, Outcome, Parameter};
use crate::registry::{EXPERIMENTS, Experiment, Findings, LabError, Settings};
use std::path::{Path, PathBuf};
use std::time::Instant;
use thiserror::Error;
use toile_scene::files::read_input;
use toile_scene::run::write_atomically;

/// Where the outcome of an experiment is in a folder.
pub fn result_file(folder: &Path, experiment: &str) -> PathBuf {
    folder.join(format!("{experiment}.json"))
}

/// Runs an experiment and leaves its pictures, its clips and its outcome in a folder. Where it cannot be carried out, an earlier outcome
/// is removed, so that nobody takes it for this one.
pub fn run_experiment(
    experiment: &Experiment,
    settings: &Settings,
    folder: &Path,
) -> Result<Outcome, LabError> {
    make_folder(folder)?;
    let file = result_file(folder, experiment.name);
    let begin = Instant::now();
    let findings = (experiment.run)(settings).inspect_err(|_| {
        // It need not be there, and the error that matters is the experiment's.
        let _ = std::fs::remove_file(&file);
    })?;
    let seconds = begin.elapsed().as_secs_f64();
    let (pictures, clips) = write_shown(experiment.name, &findings, folder)?;
    let parameter = |(name, value): &(&str, &str)| Parameter {
        name: (*name).to_owned(),
        value: (*value).to_owned(),
    };
    let outcome = Outcome {
        name: experiment.name.to_owned(),
        title: experiment.title.to_owned(),
        reproduces: experiment.reproduces.to_owned(),
        about: experiment.about.to_owned(),
        parameters: experiment.parameters.iter().map(parameter).collect(),
        quick: settings.quick,
        measurements: findings.measurements,
        notes: findings.notes,
        pictures,
        clips,
        seconds,
    };
    let json = serde_json::to_vec_pretty(&outcome).expect("an outcome holds only plain data");
    write_atomically(&file, &json)?;
    Ok(outcome)
}

fn make_folder(folder: &Path) -> Result<(), LabError> {
    std::fs::create_dir_all(folder).map_err(|source| LabError::Io {
        path: folder.to_owned(),
        source,
    })
}

/// Writes what can be looked at; the paths count from the folder.
fn write_shown(
    experiment: &str,
    findings: &Findings,
    folder: &Path,
) -> Result<(Vec<PathBuf>, Vec<ClipFile>), LabError> {
    let (mut pictures, mut clips) = (Vec::new(), Vec::new());
    for (name, image) in &findings.pictures {
        let path = PathBuf::from(format!("{experiment}-{name}.png"));
        write_atomically(&folder.join(&path), &image.encode_png()?)?;
        pictures.push(path);
    }
    for clip in &findings.clips {
        let path = Path::new("clips").join(format!("{experiment}-{}", clip.name));
        make_folder(&folder.join(&path))?;
        let file = folder.join(&path).join(toile_scene::recording::FILE_NAME);
        clip.reel.write(&file)?;
        clips.push(ClipFile {
            title: clip.reel.title.clone(),
            path,
        });
    }
    Ok((pictures, clips))
}

/// What an experiment left in a folder earlier, if it was the same version (short or full) and can be read.
pub fn earlier_outcome(
    folder: &Path,
    experiment: &Experiment,
    settings: &Settings,
) -> Option<Outcome> {
    let outcome = read_outcome(&result_file(folder, experiment.name)).ok()?;
    (outcome.name == experiment.name && outcome.quick == settings.quick).then_some(outcome)
}

/// All results in a folder.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// In the order of the registry; those that it does not know come last, by name.
    pub outcomes: Vec<Outcome>,
    /// What could not be read.
    pub damaged: Vec<DamagedResult>,
}

/// A result that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DamagedResult {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub why: String,
}

/// A folder whose results cannot be read.
#[derive(Debug, Error)]
pub enum ResultsError {
    /// The folder cannot be read.
    #[error("{path}: {source}")]
    Io {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// It holds no results.
    #[error(
        "{path} holds no results (NAME.json); `toile lab run NAME --out {path}` leaves some there"
    )]
    Empty {
        /// The folder.
        path: PathBuf,
    },
}

/// Reads the results in a folder, of one run or of several.
pub fn read_results(folder: &Path) -> Result<Results, ResultsError> {
    let io = |source| ResultsError::Io {
        path: folder.to_owned(),
        source,
    };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(io)? {
        let path = entry.map_err(io)?.path();
        if path.extension().is_some_and(|e| e == "json") && path.is_file() {
            files.push(path);
        }
    }
    if files.is_empty() {
        return Err(ResultsError::Empty {
            path: folder.to_owned(),
        });
    }
    files.sort();
    let mut results = Results::default();
    for path in files {
        match read_outcome(&path) {
            Ok(outcome) => results.outcomes.push(outcome),
            Err(why) => results.damaged.push(DamagedResult { path, why }),
        }
    }
    let place = |outcome: &Outcome| {
        let known = EXPERIMENTS.iter().position(|e| e.name == outcome.name);
        (known.unwrap_or(EXPERIMENTS.len()), outcome.name.clone())
    };
    results.outcomes.sort_by_key(place);
    Ok(results)
}

fn read_outcome(path: &Path) -> Result<Outcome, String> {
    let bytes = read_input(path).map_err(|error| error.to_string())?;
    serde_json::from_slice(&bytes).map_err(|error| {
        format!(
            "it is not the result of an experiment: {error}; remove it or run the experiment again"
        )
    })
}
