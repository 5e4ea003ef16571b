//! CMA-ES with restarts of growing population (Hansen 2016; Auger and Hansen 2005).
//!
//! A generation is evaluated as one batch. Only the order of the values counts, so failed simulations do no harm, and a
//! value may be scaled or squared without changing the search.
//!
//! The search itself knows no bounds. Where it leaves the unit cube, its points are reflected back at the walls, as if the
//! objective were continued by its mirror images; the minimum in a wall is then one like any other.
//!
//! This is written here because the crates for it evaluate single points in an order, and on a pool of threads, of their own;
//! a generation could not be taken from a log.

use super::distribution::Distribution;
use super::ledger::Ledger;
use super::{Minimum, Objective, OptimiseError, Settings, StopReason, check};
use crate::random::Random;
use std::collections::VecDeque;

/// A search with a cloud of samples.
#[derive(Clone, Debug, PartialEq)]
pub struct CmaEs {
    /// Centre of the first generation, in the unit cube.
    pub start: Vec<f64>,
    /// Standard deviation of the first generation, at most 1. The minimum should be within about two of them.
    pub spread: f64,
    /// How many points a generation has; by default 4 + 3 ln n, made even.
    pub population: Option<usize>,
    /// How often to start again elsewhere, each time with twice the population.
    pub restarts: usize,
}

impl CmaEs {
    /// A search with a first deviation of 0.3 and no restarts.
    pub fn new(start: Vec<f64>) -> Self {
        CmaEs {
            start,
            spread: 0.3,
            population: None,
            restarts: 0,
        }
    }

    /// Looks for a minimum.
    pub fn minimise(
        &self,
        objective: &mut dyn Objective,
        settings: &Settings,
    ) -> Result<Minimum, OptimiseError> {
        check(&self.start, self.spread)?;
        Ok(Ledger::keep(objective, settings, &self.start, |ledger| {
            self.search(ledger, settings)
        }))
    }

    /// Goes on until all restarts are used up, or until there is a reason to stop.
    fn search(&self, ledger: &mut Ledger, settings: &Settings) -> Result<(), StopReason> {
        let n = self.start.len();
        let usual = 4 + (3.0 * (n as f64).ln()) as usize;
        // No generation needs to be larger than the budget.
        let most = settings.max_evaluations.clamp(4, 1 << 30);
        let asked = self.population.unwrap_or(usual).clamp(4, most);
        let mut population = asked.next_multiple_of(2);
        let mut random = Random::new(settings.seed);
        for round in 0..=self.restarts {
            let mean = match round {
                0 => self.start.clone(),
                _ => (0..n).map(|_| random.uniform()).collect(),
            };
            let mut run = Run::new(Distribution::new(mean, self.spread, population), population);
            while !run.is_over(n, settings) {
                run.generation(ledger, &mut random)?;
            }
            population = population.saturating_mul(2);
        }
        Ok(())
    }
}

/// A search with one population.
struct Run {
    distribution: Distribution,
    population: usize,
    generations: usize,
    /// Best values of the last generations.
    recent: VecDeque<f64>,
    /// Best and worst value of the last generation.
    range: [f64; 2],
}

impl Run {
    fn new(distribution: Distribution, population: usize) -> Self {
        Run {
            distribution,
            population,
            generations: 0,
            recent: VecDeque::new(),
            range: [f64::NEG_INFINITY, f64::INFINITY],
        }
    }

    fn generation(&mut self, ledger: &mut Ledger, random: &mut Random) -> Result<(), StopReason> {
        let sample = |_| self.distribution.sample(random);
        let free: Vec<Vec<f64>> = (0..self.population).map(sample).collect();
        let inside: Vec<Vec<f64>> = free.iter().map(|point| reflect(point)).collect();
        let values = ledger.evaluate(&inside)?;
        let mut order: Vec<usize> = (0..self.population).collect();
        order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
        let sorted: Vec<Vec<f64>> = order.iter().map(|&k| free[k].clone()).collect();
        self.distribution.learn(&sorted);
        self.generations += 1;
        self.range = [values[order[0]], values[order[self.population - 1]]];
        self.recent.push_back(self.range[0]);
        let remembered = 10 + 30 * free[0].len() / self.population;
        if self.recent.len() > remembered {
            self.recent.pop_front();
        }
        Ok(())
    }

    fn is_over(&self, n: usize, settings: &Settings) -> bool {
        if self.generations == 0 {
            return false;
        }
        let most = 100.0 + 50.0 * ((n + 3) as f64).powi(2) / (self.population as f64).sqrt();
        self.distribution.largest_deviation() <= settings.point_tolerance.max(1e-12)
            || self.distribution.is_degenerate()
            || self.is_flat(n, settings.value_tolerance)
            || self.generations as f64 > most
    }

    /// Whether the values of the last generation, and the best ones of those before, are all the same.
    fn is_flat(&self, n: usize, tolerance: f64) -> bool {
        let low = self.recent.iter().copied().fold(self.range[0], f64::min);
        let high = self.recent.iter().copied().fold(self.range[1], f64::max);
        let filled = self.recent.len() >= 10 + 30 * n / self.population;
        filled && high - low <= tolerance * low.abs().max(1e-12)
    }
}

/// The point of the unit cube that a point outside of it is a mirror image of.
fn reflect(point: &[f64]) -> Vec<f64> {
    let fold = |x: &f64| {
        let x = x.rem_euclid(2.0);
        (if x > 1.0 { 2.0 - x } else { x }).clamp(0.0, 1.0)
    };
    point.iter().map(fold).collect()
}
