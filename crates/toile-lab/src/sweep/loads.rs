//! What cloth does to bodies over a whole run, in six numbers for each.

use glam::DVec3;
use std::collections::BTreeMap;
use toile::contact::Load;
use toile::state::State;
use toile_scene::scene::World;

/// What is known of each body, in this order: magnitudes (N, N·m), the mean over all steps.
pub const LOAD_FIGURES: [&str; 6] = [
    "force_largest",
    "force_mean",
    "force_final",
    "torque_largest",
    "torque_mean",
    "torque_final",
];

/// A body's numbers in the order of [`LOAD_FIGURES`].
pub type LoadFigures = [f64; LOAD_FIGURES.len()];

/// The steps of a run so far.
#[derive(Clone, Debug, Default)]
pub(super) struct LoadSums {
    bodies: BTreeMap<String, Sums>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    steps: usize,
    /// Force, torque.
    largest: [f64; 2],
    total: [f64; 2],
    last: [f64; 2],
}

impl LoadSums {
    /// Takes a step that ended in a state into account.
    pub fn step(&mut self, world: &World, state: &State, loads: &[Load]) {
        let whole = world.body_loads(state, loads);
        for (body, load) in world.body_frames.iter().zip(whole) {
            self.add(&body.name, load.force, load.torque);
        }
    }

    /// Reads the steps from a run's `forces.csv`.
    pub fn read(text: &str) -> Result<Self, csv::Error> {
        let mut sums = LoadSums::default();
        for record in csv::Reader::from_reader(text.as_bytes()).records() {
            let record = record?;
            let number = |k: usize| record.get(k).and_then(|c| c.parse().ok());
            let vector = |k: usize| Some(DVec3::new(number(k)?, number(k + 1)?, number(k + 2)?));
            if let (Some(body), Some(force), Some(torque)) = (record.get(1), vector(2), vector(5)) {
                sums.add(body, force, torque);
            }
        }
        Ok(sums)
    }

    fn add(&mut self, body: &str, force: DVec3, torque: DVec3) {
        let sums = self.bodies.entry(body.to_owned()).or_default();
        let now = [force.length(), torque.length()];
        sums.steps += 1;
        for (k, value) in now.into_iter().enumerate() {
            sums.largest[k] = sums.largest[k].max(value);
            sums.total[k] += value;
        }
        sums.last = now;
    }

    /// What it comes to.
    pub fn figures(&self) -> BTreeMap<String, LoadFigures> {
        let figures = |sums: &Sums| {
            let mean = sums.total.map(|total| total / sums.steps as f64);
            let row = |k: usize| [sums.largest[k], mean[k], sums.last[k]];
            let ([a, b, c], [d, e, f]) = (row(0), row(1));
            [a, b, c, d, e, f]
        };
        let bodies = self.bodies.iter();
        bodies
            .map(|(name, sums)| (name.clone(), figures(sums)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn largest_mean_and_final_are_told_apart() {
        let table = "time,body,force_x,force_y,force_z,torque_x,torque_y,torque_z,nodes\n\
                     0.1,ball,3e0,4e0,0e0,0e0,0e0,1e0,2\n\
                     0.1,\"a, b\",0e0,0e0,0e0,0e0,0e0,0e0,0\n\
                     0.2,ball,0e0,0e0,-1e0,0e0,0e0,0e0,2\n";
        let figures = LoadSums::read(table).unwrap().figures();
        assert_eq!(figures["ball"], [5.0, 3.0, 1.0, 1.0, 0.5, 0.0]);
        assert_eq!(figures["a, b"], [0.0; 6]);
    }
}
