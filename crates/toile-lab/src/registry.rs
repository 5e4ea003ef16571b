//! The experiments by name, and how one is run.

use crate::experiments::{
    area, buckle, cantilever, catenary, contact, degrees_of_freedom, free_flight, inequality,
    locking, modes, orders, pendulum, plate, post_buckling, robot_cloth, tank_top,
};
use crate::outcome::{Measurement, Outcome};
use std::path::{Path, PathBuf};
use std::time::Instant;
use thiserror::Error;
use toile::certificate::StepError;
use toile::equilibrium::EquilibriumError;
use toile_render::{Image, RenderError};
use toile_scene::run::{FolderError, write_atomically};
use toile_scene::scene::SceneError;

/// How to run an experiment.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// A short version with the same verdicts, for tests.
    pub quick: bool,
}

/// What an experiment's function returns.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// The numbers.
    pub measurements: Vec<Measurement>,
    /// Remarks in plain words.
    pub notes: Vec<String>,
    /// Pictures by name, without extension.
    pub pictures: Vec<(&'static str, Image)>,
}

/// An experiment of the registry.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// What to call it.
    pub name: &'static str,
    /// What it is about.
    pub title: &'static str,
    /// The figure, table or law it reproduces.
    pub reproduces: &'static str,
    /// Does it.
    pub run: fn(&Settings) -> Result<Findings, LabError>,
}

/// An experiment that could not be carried out. (One that was carried out and came out wrong is no error.)
#[derive(Debug, Error)]
pub enum LabError {
    /// Its scene is wrong.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A step failed.
    #[error(transparent)]
    Step(#[from] StepError),
    /// No equilibrium can be looked for.
    #[error(transparent)]
    Equilibrium(#[from] EquilibriumError),
    /// The search for an equilibrium ended without one.
    #[error("no equilibrium was found: forces of {gradient:.1e} of the weight are left")]
    NotAtRest {
        /// What is left, relative to the weight.
        gradient: f64,
    },
    /// A picture could not be encoded.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// A file could not be written.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The folder for pictures could not be made.
    #[error("{path}: {source}")]
    Io {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// All experiments.
pub const EXPERIMENTS: &[Experiment] = &[
    free_flight::EXPERIMENT,
    orders::EXPERIMENT,
    cantilever::EXPERIMENT,
    post_buckling::EXPERIMENT,
    plate::EXPERIMENT,
    buckle::EXPERIMENT,
    catenary::EXPERIMENT,
    pendulum::EXPERIMENT,
    modes::EXPERIMENT,
    degrees_of_freedom::EXPERIMENT,
    area::filter::EXPERIMENT,
    area::standalone::EXPERIMENT,
    locking::diagonal::EXPERIMENT,
    locking::corner::EXPERIMENT,
    locking::sides::ONE_SIDED,
    locking::sides::CROSS_EDGES,
    robot_cloth::EXPERIMENT,
    tank_top::EXPERIMENT,
    inequality::histogram::EXPERIMENT,
    inequality::curtain::EXPERIMENT,
    inequality::wrinkles::EXPERIMENT,
    inequality::twist::EXPERIMENT,
    contact::incline::EXPERIMENT,
    contact::stress::SPHERE_DROP,
    contact::stress::FIVE_SHEETS,
    contact::stress::HEAP,
    contact::stress::TWIST_KNOT,
    contact::stress::CRUMPLE,
];

/// The experiment of this name.
pub fn find(name: &str) -> Option<&'static Experiment> {
    EXPERIMENTS.iter().find(|e| e.name == name)
}

/// Runs an experiment and leaves its pictures in a folder.
pub fn run_experiment(
    experiment: &Experiment,
    settings: &Settings,
    folder: &Path,
) -> Result<Outcome, LabError> {
    std::fs::create_dir_all(folder).map_err(|source| LabError::Io {
        path: folder.to_owned(),
        source,
    })?;
    let begin = Instant::now();
    let findings = (experiment.run)(settings)?;
    let mut pictures = Vec::new();
    for (name, image) in &findings.pictures {
        let path = folder.join(format!("{}-{name}.png", experiment.name));
        write_atomically(&path, &image.encode_png()?)?;
        pictures.push(path);
    }
    Ok(Outcome {
        name: experiment.name,
        title: experiment.title,
        reproduces: experiment.reproduces,
        quick: settings.quick,
        measurements: findings.measurements,
        notes: findings.notes,
        pictures,
        seconds: begin.elapsed().as_secs_f64(),
    })
}
