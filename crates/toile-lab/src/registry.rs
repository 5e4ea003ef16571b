//! The experiments by name, and how one is run.

use crate::clip::Clip;
use crate::experiments::{
    area, buckle, calibration, cantilever, catenary, contact, cusick, degrees_of_freedom,
    drape_meshes, free_flight, inequality, locking, modes, orders, pendulum, plate, post_buckling,
    robot_cloth, tank_top, textile,
};
use crate::fit::FitError;
use crate::outcome::Measurement;
use crate::textile::TextileError;
use std::path::PathBuf;
use thiserror::Error;
use toile::certificate::StepError;
use toile::equilibrium::EquilibriumError;
use toile_render::{Image, RenderError};
use toile_scene::recording::{CompareError, RecordingError};
use toile_scene::run::FolderError;
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
    /// Short animations.
    pub clips: Vec<Clip>,
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
    /// For a reader who has not seen the papers, in a few sentences: what is simulated, why it matters, how to read the numbers.
    pub about: &'static str,
    /// Names and values of the settings that matter, with units.
    pub parameters: &'static [(&'static str, &'static str)],
    /// Does it.
    pub run: fn(&Settings) -> Result<Findings, LabError>,
}

/// An experiment that could not be carried out. (One that was carried out and came out wrong is no error.)
#[derive(Debug, Error)]
pub enum LabError {
    /// Its scene is wrong.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// Its scene is no scene.
    #[error("{0}")]
    Text(String),
    /// A step failed.
    #[error(transparent)]
    Step(#[from] StepError),
    /// No equilibrium can be looked for.
    #[error(transparent)]
    Equilibrium(#[from] EquilibriumError),
    /// A textile test could not be carried out.
    #[error(transparent)]
    Textile(#[from] TextileError),
    /// The search for an equilibrium ended without one.
    #[error("no equilibrium was found: forces of {gradient:.1e} of the weight are left")]
    NotAtRest {
        /// What is left, relative to the weight.
        gradient: f64,
    },
    /// Parameters could not be looked for.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// A recording could not be made.
    #[error(transparent)]
    Observation(#[from] crate::observation::RecordingError),
    /// A picture could not be encoded.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// A file could not be written.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A clip could not be written.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// Clips could not be put side by side.
    #[error(transparent)]
    Compare(#[from] CompareError),
    /// The folder for results could not be made.
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
    calibration::CALIBRATION,
    calibration::SENSITIVITY,
    calibration::MESH_INDEPENDENCE,
    calibration::MODEL_FIT,
    tank_top::EXPERIMENT,
    inequality::histogram::EXPERIMENT,
    inequality::curtain::EXPERIMENT,
    inequality::wrinkles::EXPERIMENT,
    inequality::twist::EXPERIMENT,
    cusick::EXPERIMENT,
    drape_meshes::EXPERIMENT,
    textile::EXPERIMENT,
    contact::incline::EXPERIMENT,
    contact::capstan::EXPERIMENT,
    contact::drawer::EXPERIMENT,
    contact::stress::SPHERE_DROP,
    contact::stress::FIVE_SHEETS,
    contact::stress::HEAP,
    contact::stress::TWIST_KNOT,
    contact::stress::CRUMPLE,
    contact::contact_table::EXPERIMENT,
    contact::table::EXPERIMENT,
    contact::funnel::EXPERIMENT,
    contact::hand::EXPERIMENT,
    contact::patch::EXPERIMENT,
    contact::pinch::EXPERIMENT,
    contact::sleeve::EXPERIMENT,
    contact::untangle::EXPERIMENT,
    contact::moving_body::EXPERIMENT,
];

/// The experiment of this name.
pub fn find(name: &str) -> Option<&'static Experiment> {
    EXPERIMENTS.iter().find(|e| e.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_experiment_says_what_it_is_about() {
        for experiment in EXPERIMENTS {
            let Experiment {
                name,
                about,
                parameters,
                ..
            } = experiment;
            let sentences = about.matches(". ").count() + 1;
            assert!((2..=5).contains(&sentences), "{name}: {about}");
            assert!(about.ends_with('.'), "{name}: {about}");
            assert!(parameters.len() >= 2, "{name}");
            // Names become file names and anchors.
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(name.chars().all(plain), "{name}");
            assert_eq!(EXPERIMENTS.iter().filter(|e| e.name == *name).count(), 1);
        }
    }
}
