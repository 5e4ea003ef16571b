//! The smallest value of a function of a few parameters, for functions that take a simulation to evaluate.
//!
//! The law of this room: an optimiser is a pure function of its settings and of the values it is given. It draws its
//! random numbers from the seed, looks at no clock and no core count, and asks for points in an order that follows from the
//! values before. So a run that was interrupted goes on by replaying a log of its evaluations: the same points are asked
//! for again, and answered from the log without simulating.
//!
//! No derivatives are used. Points are asked for in batches, which the caller evaluates on as many cores as there are.
//!
//! * [`Space`] turns the parameters, in their bounds, into points of the unit cube and back.
//! * [`NelderMead`] walks downhill with a simplex: few evaluations, one valley.
//! * [`CmaEs`] adapts a cloud of samples: more evaluations, and restarts that look elsewhere.

mod cma_es;
mod distribution;
mod ledger;
mod nelder_mead;
mod space;
#[cfg(test)]
mod tests;

pub use cma_es::CmaEs;
pub use nelder_mead::{Coefficients, NelderMead};
pub use space::{Bounds, Scale, Space, SpaceError};

use std::ops::ControlFlow;
use thiserror::Error;

/// What is to be made small.
pub trait Objective {
    /// The values at a batch of points of the unit cube, one for each, in their order; infinity where the simulation
    /// failed (so counts NaN). `Break` ends the search, which then returns the best point so far.
    ///
    /// A batch may hold a point that was evaluated before.
    fn evaluate(&mut self, points: &[Vec<f64>]) -> ControlFlow<(), Vec<f64>>;
}

impl<F: FnMut(&[Vec<f64>]) -> ControlFlow<(), Vec<f64>>> Objective for F {
    fn evaluate(&mut self, points: &[Vec<f64>]) -> ControlFlow<(), Vec<f64>> {
        self(points)
    }
}

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Never evaluate more points than this.
    pub max_evaluations: usize,
    /// Values that differ by less than this share of the best one are the same.
    pub value_tolerance: f64,
    /// Points of the unit cube that are nearer than this in every coordinate are the same.
    pub point_tolerance: f64,
    /// Where random numbers start.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            max_evaluations: 400,
            value_tolerance: 1e-6,
            point_tolerance: 1e-4,
            seed: 1,
        }
    }
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// All points and their values are the same within the tolerances, and all restarts are used up.
    Converged,
    /// No evaluations are left.
    EvaluationLimit,
    /// The objective asked for it.
    Requested,
}

/// A step of a search's history.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// How many points had been evaluated, this one included.
    pub evaluations: usize,
    /// The best value so far.
    pub value: f64,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq)]
pub struct Minimum {
    /// The best point, in the unit cube.
    pub point: Vec<f64>,
    /// Its value; infinite if every simulation failed.
    pub value: f64,
    /// How many points were evaluated.
    pub evaluations: usize,
    /// Why the search ended.
    pub stopped: StopReason,
    /// Every evaluation that was better than all before.
    pub history: Vec<Progress>,
}

/// A search that cannot begin.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum OptimiseError {
    /// Nothing to vary.
    #[error("there are no parameters to vary; name at least one")]
    NoParameters,
    /// The start is outside.
    #[error(
        "parameter {parameter} starts at {value} of the way between its bounds; start between 0 and 1"
    )]
    Start {
        /// The parameter, counted from 0.
        parameter: usize,
        /// Where it starts, in the unit cube.
        value: f64,
    },
    /// The first step is unusable.
    #[error(
        "the size of the first steps is {0}; it is a share of the way between the bounds, above 0 and at most 1"
    )]
    FirstStep(f64),
}

/// Refuses what no search can begin with.
fn check(start: &[f64], first_step: f64) -> Result<(), OptimiseError> {
    if start.is_empty() {
        return Err(OptimiseError::NoParameters);
    }
    if let Some(parameter) = start.iter().position(|x| !(0.0..=1.0).contains(x)) {
        let value = start[parameter];
        return Err(OptimiseError::Start { parameter, value });
    }
    if !(first_step > 0.0 && first_step <= 1.0) {
        return Err(OptimiseError::FirstStep(first_step));
    }
    Ok(())
}
