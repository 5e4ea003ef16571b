//! Textile tests: specimens of standard size, held, hung or pulled as the standards say, for any model and material.
//!
//! | test | what is measured | standard geometry |
//! |---|---|---|
//! | [`cusick`] | drape coefficient, folds | a disc of 30 cm over a support of 18 cm |
//! | [`cantilever`] | bending length, rigidity | a strip of 2.5 cm pushed over an edge until its chord sinks to 41.5° |
//! | [`tensile`] | force against extension | a strip of 20 × 5 cm, as on Kawabata's instrument |
//! | [`bias`] | shear angle and force against extension | a strip at 45°, three times as long as wide |
//! | [`shear_frame`] | shear force against angle | a square in a frame of hinged bars |
//! | [`hanging`] | how far a square held by one corner folds together | 30 cm |
//!
//! A [`report`] puts several fabrics through all of them.
//!
//! The law of this room: a test knows geometry and measurement, never a model. A [`Specimen`] says what the cloth is; every test
//! turns it into a scene, brings that to rest ([`rest`]) and measures. All quantities are SI.

pub mod bias;
pub mod cantilever;
pub mod cusick;
mod draw;
pub mod hanging;
pub mod outline;
pub mod report;
pub mod rest;
pub mod shear_frame;
mod specimen;
mod spread;
pub mod tensile;

pub use rest::{Method, Rest};
pub use specimen::Specimen;
pub use spread::Spread;

use thiserror::Error;
use toile::certificate::StepError;
use toile::command::CommandError;
use toile::equilibrium::EquilibriumError;
use toile_scene::scene::SceneError;

/// A test that could not be carried out.
#[derive(Debug, Error)]
pub enum TextileError {
    /// The specimen is none, or its material is wrong.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A step failed.
    #[error(transparent)]
    Step(#[from] StepError),
    /// Gravity could not be changed.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// No equilibrium can be looked for.
    #[error(transparent)]
    Equilibrium(#[from] EquilibriumError),
    /// The specimen did not come to rest.
    #[error("the specimen did not come to rest: {left}; {mend}")]
    NotAtRest {
        /// What still moves it.
        left: String,
        /// What may help.
        mend: &'static str,
    },
    /// A setting of the test makes no sense.
    #[error("{what} is {value}; {must}")]
    BadSetting {
        /// Which.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What it must be, and what may have gone wrong.
        must: &'static str,
    },
    /// What is looked for lies outside of what was tried.
    #[error("{0}")]
    OutOfReach(String),
}

/// Answers an error unless the number is finite and positive.
pub(crate) fn positive(what: &'static str, value: f64) -> Result<(), TextileError> {
    let must = "it must be a positive number";
    within(what, value, [f64::MIN_POSITIVE, f64::MAX], must)
}

/// Answers an error unless the number lies between two others.
pub(crate) fn within(
    what: &'static str,
    value: f64,
    [low, high]: [f64; 2],
    must: &'static str,
) -> Result<(), TextileError> {
    if (low..=high).contains(&value) {
        Ok(())
    } else {
        Err(TextileError::BadSetting { what, value, must })
    }
}
