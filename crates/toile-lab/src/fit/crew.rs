//! Who runs the simulations of a fit.

use super::{Course, Trials};
use std::sync::atomic::AtomicBool;

/// A simulation to be run.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// Values of the parameters.
    pub values: Vec<f64>,
    /// Until when (s).
    pub until: f64,
    /// Whether the positions at the recorded times are asked for.
    pub keep: bool,
}

/// A simulation beside the recording, or why there is none.
pub type Outcome = Result<Course, String>;

/// Somebody who runs simulations. Whoever does, the same task has the same outcome.
pub trait Crew {
    /// Runs tasks. `done` hears of every outcome as it comes, in whichever order; tasks that were not begun when the fit was stopped have
    /// none.
    fn run(
        &mut self,
        trials: &Trials,
        tasks: &[Task],
        done: &mut (dyn FnMut(usize, &Outcome) + Send),
    ) -> Vec<Option<Outcome>>;
}

/// Threads of this process, one simulation to each.
#[derive(Clone, Copy, Debug)]
pub struct Threads<'a> {
    /// How many.
    pub jobs: usize,
    /// Set from outside to stop after the present simulations.
    pub stop: &'a AtomicBool,
}

impl Crew for Threads<'_> {
    fn run(
        &mut self,
        trials: &Trials,
        tasks: &[Task],
        done: &mut (dyn FnMut(usize, &Outcome) + Send),
    ) -> Vec<Option<Outcome>> {
        let run = |task: &Task| trials.outcome(task);
        crate::jobs::map(self.jobs, tasks, self.stop, run, done)
    }
}

impl Trials<'_> {
    /// What comes of a task.
    pub fn outcome(&self, task: &Task) -> Outcome {
        let course = self.run(&task.values, task.until, task.keep);
        course.map_err(|error| error.to_string())
    }
}
