//! A step before it is committed.

use super::{Candidate, Loads};
use crate::error::{Phase, StepError};
use crate::hold::Context;
use crate::model::Model;
use glam::DVec3;

/// Where the nodes are to go, and what has been booked on the way there.
///
/// What corrects a way (limits, contacts of cloth) changes place and velocity alike, so that a step later the node is where its
/// velocity says. Two corrections do not: a body's response gives the velocity that its law of friction says, and whatever still
/// is too deep in a body at the end is put out of it without becoming fast.
#[derive(Debug)]
pub(crate) struct Trial {
    pub candidates: Vec<Candidate>,
    pub loads: Loads,
}

impl Trial {
    pub fn new(model: &Model) -> Self {
        let still = Candidate {
            position: DVec3::ZERO,
            velocity: DVec3::ZERO,
        };
        Trial {
            candidates: vec![still; model.node_count()],
            loads: Loads::new(model.node_count(), model.bodies.len()),
        }
    }

    /// Whether all candidates are numbers.
    pub fn is_finite(&self) -> bool {
        self.candidates.iter().all(Candidate::is_finite)
    }

    /// The same as a result that names the first node which is not.
    pub fn check_finite(&self, context: &Context, phase: Phase) -> Result<(), StepError> {
        let (model, time) = (context.model, context.state.time);
        let Some(bad) = self.candidates.iter().position(|c| !c.is_finite()) else {
            return Ok(());
        };
        let cloth = model.cloths.iter().find(|c| c.nodes.contains(&bad));
        Err(StepError::NotFinite {
            phase,
            cloth: cloth.map_or_else(String::new, |c| c.name.clone()),
            node: bad - cloth.map_or(0, |c| c.nodes.start),
            time,
        })
    }
}
