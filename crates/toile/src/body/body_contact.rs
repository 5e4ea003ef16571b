//! How cloth meets bodies, beyond friction: how fast contact takes hold, and what sticks.

use super::adhesion::{Adhesion, AdhesionError};

/// Settings of the contact with all bodies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BodyContact {
    /// Relaxation time `Δτ` (s): the distance of a touching node from where it should be, above the surface
    /// or too deep, falls by the part `h/Δτ` in a step of length `h` (Bridson, Marino and Fedkiw 2003,
    /// section 5.2). With 0, and with steps longer than it, all at once.
    pub relaxation: f64,
    /// What sticks to bodies.
    pub adhesions: Vec<Adhesion>,
}

/// Settings that cannot be.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BodyContactError {
    /// A time must not be negative.
    #[error("the relaxation time of contact is {time} s; it must be zero or a positive number")]
    Relaxation {
        /// The time (s).
        time: f64,
    },
    /// An adhesion is impossible.
    #[error("adhesion {index}: {source}")]
    Adhesion {
        /// The adhesion (counted from 0).
        index: usize,
        /// What is wrong.
        source: AdhesionError,
    },
}

impl BodyContact {
    /// The part of its distance from where it should be that a touching node makes good in a step of `h`
    /// seconds.
    pub(crate) fn recovery(&self, h: f64) -> f64 {
        if self.relaxation > h {
            h / self.relaxation
        } else {
            1.0
        }
    }

    pub(crate) fn check(&self, nodes: usize, bodies: usize) -> Result<(), BodyContactError> {
        let time = self.relaxation;
        if !(time >= 0.0 && time.is_finite()) {
            return Err(BodyContactError::Relaxation { time });
        }
        for (index, adhesion) in self.adhesions.iter().enumerate() {
            let checked = adhesion.check(nodes, bodies);
            checked.map_err(|source| BodyContactError::Adhesion { index, source })?;
        }
        Ok(())
    }
}
