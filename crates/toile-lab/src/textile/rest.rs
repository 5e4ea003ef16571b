//! Bringing a specimen to rest.
//!
//! Cloth whose shape follows from energies alone is handed to the static solver; where that finds no rest (springs that buckle have
//! kinks in their energy) and for cloth with a limit, which has no energy that could be minimised, it falls, damped by the air, until
//! nothing moves any more. Both start from the state as it is, with every free
//! node displaced a little at random, so that cloth that lies flat can fold.

use super::TextileError;
use glam::{DVec2, DVec3};
use std::f64::consts::TAU;
use std::ops::ControlFlow;
use toile::advance::StepControl;
use toile::command::Command;
use toile::drive::PinState;
use toile::equilibrium::{EquilibriumSettings, EquilibriumStatus, minimise};
use toile::simulation::{Pace, Simulation};
use toile::state::State;
use toile_scene::scene::World;

/// How rest is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// By the static solver where there is no limit; by damped motion where there is one, or where the solver finds no rest.
    #[default]
    Auto,
    /// By the static solver; refuses limits, knows no friction.
    Static,
    /// By damped motion.
    Dynamic,
}

/// When a specimen counts as being at rest, and how it gets there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rest {
    /// How rest is found.
    pub method: Method,
    /// Static: force left over weight.
    pub tolerance: f64,
    /// Dynamic: no node is faster than this (m/s) for [`QUIET`] seconds.
    pub speed: f64,
    /// Dynamic: time step (s).
    pub step: f64,
    /// Dynamic: simulated time at the most (s).
    pub patience: f64,
    /// Dynamic: damping by the air (1/s).
    pub damping: f64,
    /// Size of the random displacement of each node at the start (m).
    pub noise: f64,
    /// Size of random waves at the start (m), none shorter than an eighth of the specimen: as flat as cloth lies, whatever the mesh.
    pub waviness: f64,
    /// Dynamic: time in which gravity grows to what it is (s), as when a specimen is let down; 0 drops it.
    pub loading: f64,
    /// Another number gives another displacement.
    pub seed: u64,
}

/// A force left over weight that bends no strip by an angle that anybody measures.
const NEARLY_NOTHING: f64 = 1e-4;

/// How long nothing may move (s).
pub const QUIET: f64 = 0.1;

impl Default for Rest {
    fn default() -> Self {
        Rest {
            method: Method::Auto,
            tolerance: 1e-5,
            speed: 2e-3,
            step: 0.01,
            patience: 12.0,
            damping: 2.0,
            noise: 1e-5,
            waviness: 0.0,
            loading: 0.0,
            seed: 1,
        }
    }
}

impl Rest {
    /// Let down from a plate, as drape meters do it. Cloth has many shapes to rest in, with more folds or with fewer. Dropped, it takes
    /// what grows quickest, which depends on the mesh; let down, it takes folds as it needs them.
    pub fn let_down(seed: u64) -> Self {
        Rest {
            method: Method::Dynamic,
            noise: 0.0,
            waviness: 1e-3,
            loading: 3.0,
            seed,
            ..Rest::default()
        }
    }
}

/// A specimen at rest.
#[derive(Clone, Debug)]
pub struct Settled {
    /// Where it is.
    pub state: State,
    /// What was done: never [`Method::Auto`].
    pub method: Method,
    /// Newton steps, or time steps.
    pub iterations: u64,
    /// Force left over weight (static), or the fastest node's speed (dynamic, m/s).
    pub left: f64,
    /// Energy stored in the cloth (J), where the static solver found it.
    pub stored: Option<f64>,
}

impl Rest {
    /// Brings a world to rest.
    pub fn settle(&self, world: &World, start: &State) -> Result<Settled, TextileError> {
        let mut state = start.clone();
        // Whatever held it before: pins take their nodes where they are now.
        state.pins.fill(PinState::default());
        self.shake(world, &mut state);
        let limited = !world.model.limits.is_empty();
        match self.method {
            Method::Dynamic => self.fall(world, state),
            Method::Auto if limited => self.fall(world, state),
            Method::Static => self.minimise(world, state),
            Method::Auto => match self.minimise(world, state.clone()) {
                Err(TextileError::NotAtRest { .. }) => self.fall(world, state),
                found => found,
            },
        }
    }

    /// Displaces every free node upwards or downwards: each by a number of its own, and all by waves, both of which follow from the
    /// seed.
    fn shake(&self, world: &World, state: &mut State) {
        let mut held = vec![false; state.positions.len()];
        for pin in &world.model.pins {
            for &node in &pin.nodes {
                held[node as usize] = true;
            }
        }
        let waves = Waves::new(self.seed, &state.positions);
        for (i, x) in state.positions.iter_mut().enumerate() {
            if !held[i] {
                let own = self.noise * uneven(self.seed, i as u64);
                let shared = match self.waviness {
                    0.0 => 0.0,
                    size => size * waves.at(*x),
                };
                *x += DVec3::Z * (own + shared);
            }
        }
    }

    fn minimise(&self, world: &World, mut state: State) -> Result<Settled, TextileError> {
        let settings = EquilibriumSettings {
            tolerance: self.tolerance,
            perturbation: 0.0,
            ..world.drape
        };
        let end = minimise(&world.model, &mut state, &settings, &mut |_| {
            ControlFlow::Continue(())
        })?;
        let left = end.certificate.gradient;
        // A search that ends in rounding, or out of breath, is good enough if nobody could see the difference.
        let rounded = left < NEARLY_NOTHING.max(30.0 * self.tolerance);
        if end.status != EquilibriumStatus::Converged && !rounded {
            return Err(TextileError::NotAtRest {
                left: format!("forces of {left:.1e} of its weight are left"),
                mend: "try a coarser mesh, a stiffer material or damped motion",
            });
        }
        Ok(Settled {
            state,
            method: Method::Static,
            iterations: u64::from(end.certificate.iterations),
            left,
            stored: Some(end.certificate.energies.elastic),
        })
    }

    fn fall(&self, world: &World, state: State) -> Result<Settled, TextileError> {
        let mut damped = world.clone();
        damped.change(|parts| {
            for cloth in &mut parts.cloths {
                cloth.air_damping = self.damping;
            }
        })?;
        let pace = Pace {
            step: self.step,
            control: StepControl::Fixed,
        };
        let mut simulation = Simulation::new(damped.model, state, pace);
        let gravity = world.model.gravity;
        let (mut time, mut quiet, mut steps, mut fastest) = (0.0, 0.0, 0, 0.0);
        while time < self.loading + self.patience {
            let loaded = time >= self.loading;
            if !loaded {
                let share = ((time + self.step) / self.loading).min(1.0);
                simulation.command(&Command::Gravity(share * gravity))?;
            }
            simulation.step()?;
            time += self.step;
            steps += 1;
            let speeds = simulation.velocities().iter().map(|v| v.length_squared());
            fastest = speeds.fold(0.0, f64::max).sqrt();
            quiet = if fastest < self.speed && loaded {
                quiet + self.step
            } else {
                0.0
            };
            // What starts flat starts slowly.
            if quiet >= QUIET && time > 3.0 * QUIET {
                return Ok(Settled {
                    state: simulation.state().clone(),
                    method: Method::Dynamic,
                    iterations: steps,
                    left: fastest,
                    stored: None,
                });
            }
        }
        // Limits that are met within a tolerance leave some trembling; what is left decides.
        if fastest < 10.0 * self.speed {
            return Ok(Settled {
                state: simulation.state().clone(),
                method: Method::Dynamic,
                iterations: steps,
                left: fastest,
                stored: None,
            });
        }
        Err(TextileError::NotAtRest {
            left: format!(
                "after {:.1} s a node still moves with {fastest:.3} m/s",
                self.loading + self.patience
            ),
            mend: "give it more patience or more damping",
        })
    }
}

/// Plane waves of equal height in random directions, of lengths from an eighth of the size of what they go over to all of it.
struct Waves {
    /// Wave vector (1/m) and phase.
    waves: Vec<(DVec3, f64)>,
}

impl Waves {
    const COUNT: u64 = 32;

    fn new(seed: u64, positions: &[DVec3]) -> Self {
        let low = positions.iter().fold(DVec3::INFINITY, |low, x| low.min(*x));
        let high = positions
            .iter()
            .fold(-DVec3::INFINITY, |high, x| high.max(*x));
        let size = low.distance(high);
        let wave = |k: u64| {
            let [length, angle, phase] = [0, 1, 2].map(|n| 0.5 + 0.5 * uneven(seed, 3 * k + n));
            let direction = DVec2::from_angle(TAU * angle).extend(0.0);
            // Evenly over the octaves.
            (
                direction * TAU / (size * 0.125f64.powf(length)),
                TAU * phase,
            )
        };
        Waves {
            waves: (0..Self::COUNT).map(wave).collect(),
        }
    }

    /// Their height at a place; 1 is its root mean square.
    fn at(&self, place: DVec3) -> f64 {
        let sum: f64 = self
            .waves
            .iter()
            .map(|(k, phase)| (k.dot(place) + phase).cos())
            .sum();
        sum / (0.5 * Self::COUNT as f64).sqrt()
    }
}

/// A number between −1 and 1 that follows from two others (the finaliser of SplitMix64).
pub(crate) fn uneven(seed: u64, number: u64) -> f64 {
    let mut z = seed
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(number.wrapping_mul(0xd1b5_4a32_d192_ed03))
        .wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^= z >> 31;
    z as f64 / u64::MAX as f64 * 2.0 - 1.0
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn waves_are_as_high_as_they_should_be_and_the_same_on_every_mesh() {
        let grid = |n: u32| -> Vec<DVec3> {
            let at = |k: u32| f64::from(k) / f64::from(n - 1);
            let rows = (0..n).flat_map(|j| (0..n).map(move |i| (i, j)));
            rows.map(|(i, j)| DVec3::new(at(i), at(j), 0.0)).collect()
        };
        for seed in 1..6 {
            let fine = grid(60);
            let [waves, coarse] = [fine.as_slice(), &grid(7)].map(|x| Waves::new(seed, x));
            let squares = fine.iter().map(|x| waves.at(*x).powi(2));
            let root = (squares.sum::<f64>() / fine.len() as f64).sqrt();
            assert!((0.6..1.5).contains(&root), "{root}");
            for place in &fine {
                assert_eq!(waves.at(*place), coarse.at(*place));
            }
        }
        let [a, b] = [1, 2].map(|seed| Waves::new(seed, &grid(7)).at(DVec3::ZERO));
        assert_ne!(a, b);
    }
}
