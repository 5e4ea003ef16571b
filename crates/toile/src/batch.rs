//! Many worlds at once, on all cores.

use crate::certificate::StepError;
use crate::simulation::Simulation;

/// Simulations that share what they can and go on side by side. Each comes to the same bits as it would alone.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    worlds: Vec<Simulation>,
}

impl Batch {
    /// So many copies of a simulation as it is.
    pub fn of(simulation: &Simulation, count: usize) -> Self {
        Batch {
            worlds: vec![simulation.clone(); count],
        }
    }

    /// Simulations that were made one by one, each with its own numbers.
    pub fn new(worlds: Vec<Simulation>) -> Self {
        Batch { worlds }
    }

    /// The worlds.
    pub fn worlds(&self) -> &[Simulation] {
        &self.worlds
    }

    /// The worlds, to be commanded.
    pub fn worlds_mut(&mut self) -> &mut [Simulation] {
        &mut self.worlds
    }

    /// Makes one step in every world. Worlds that fail stay as they were; the others go on.
    pub fn step(&mut self) -> Vec<Result<(), StepError>> {
        self.for_each(|_| true, |world| world.step().map(drop))
    }

    /// Makes one step in the worlds that are chosen, by number.
    pub fn step_where(
        &mut self,
        chosen: impl Fn(usize) -> bool + Sync,
    ) -> Vec<Result<(), StepError>> {
        self.for_each(chosen, |world| world.step().map(drop))
    }

    /// Goes on by so many seconds in every world.
    pub fn advance(&mut self, seconds: f64) -> Vec<Result<(), StepError>> {
        self.for_each(|_| true, |world| world.advance(seconds))
    }

    /// Brings the worlds that are chosen, by number, back to their starts.
    pub fn reset_where(&mut self, chosen: impl Fn(usize) -> bool) {
        let worlds = self.worlds.iter_mut().enumerate();
        worlds
            .filter(|(k, _)| chosen(*k))
            .for_each(|(_, w)| w.reset());
    }

    fn for_each(
        &mut self,
        chosen: impl Fn(usize) -> bool + Sync,
        work: impl Fn(&mut Simulation) -> Result<(), StepError> + Sync,
    ) -> Vec<Result<(), StepError>> {
        let one = |(k, world): (usize, &mut Simulation)| match chosen(k) {
            true => work(world),
            false => Ok(()),
        };
        #[cfg(feature = "parallel")]
        {
            use rayon::prelude::*;
            self.worlds.par_iter_mut().enumerate().map(one).collect()
        }
        #[cfg(not(feature = "parallel"))]
        self.worlds.iter_mut().enumerate().map(one).collect()
    }
}
