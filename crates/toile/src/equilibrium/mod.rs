//! The static solver: the shape in which all forces balance.
//!
//! An equilibrium is a minimum of the total energy over the positions `x` of the free nodes,
//!
//! `E(x) = Σ W(x) − Σ m g·x + Σ b(d(x))`
//!
//! with the elastic energies `W`, gravity, and a barrier `b` on each node's distance `d` from each body (see
//! `barrier.rs`). Pins hold their nodes where they are at the time of the state; bodies stand where they are then.
//! Velocities play no part, and neither does friction, which has no energy: contact is frictionless here.
//!
//! **Method.** Newton's method with a shift: `(H + μM) p = −∇E`, then a step along `p` that lowers the energy
//! (Armijo), no longer than an edge or so and never through a body. `μ` grows when a step disappoints and shrinks when
//! one succeeds, so that far from the goal the search falls like damped cloth and near it converges like Newton's
//! method. The linear solve is rough at first and gets more exact as the force falls (forcing terms of
//! Eisenstat and Walker 1996); `search.rs` says how it treats negative curvature.
//!
//! **What it finds.** A stationary point where `‖∇E‖ / Σ m |g|`, over the free nodes, is below the tolerance. Cloth
//! has many equilibria; which one is found depends on the start and on a tiny, seeded perturbation, without which a
//! perfectly flat sheet would stay flat where a real one buckles. When the force is small enough, the solver looks for a direction
//! in which the energy still bends downwards; if it finds one it goes there and on. What is left is a minimum
//! as far as one such look can tell. Where the energy does not bend at all (cloth that may glide about on a level
//! plane) the equilibrium is one of a family.
//!
//! Limit cases: one spring that hangs has strain `m g / k`; a chain of stiff springs hangs in the discrete catenary; a
//! body carries just the weight of what rests on it; a cloth that nothing holds and nothing catches has no equilibrium
//! and falls until the limit of iterations.

mod barrier;
mod potential;
mod search;
mod start;

pub use potential::Parts;

use crate::certificate::stretch;
use crate::contact::place_bodies;
use crate::limit::Limit;
use crate::model::Model;
use crate::parallel;
use crate::state::State;
use glam::DVec3;
use potential::Potential;
use search::{Operator, Search, SearchStep, Solved};
use start::Noise;
use std::ops::ControlFlow;
use thiserror::Error;

/// What the search aims at and how it begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EquilibriumSettings {
    /// Stop when the norm of the force on all free nodes has fallen to this share of the total weight.
    pub tolerance: f64,
    /// Newton steps at the most.
    pub max_iterations: u32,
    /// Iterations of each linear solve at the most.
    pub linear_iterations: u32,
    /// From this distance on cloth feels a body (m), beyond its contact offset.
    pub barrier: f64,
    /// No node moves farther in one step than this many mean edge lengths.
    pub step_limit: f64,
    /// Random displacement of every node at the start, in mean edge lengths; 0 for none.
    pub perturbation: f64,
    /// Where its random numbers come from.
    pub seed: u64,
}

impl Default for EquilibriumSettings {
    fn default() -> Self {
        EquilibriumSettings {
            tolerance: 1e-6,
            max_iterations: 1000,
            linear_iterations: 500,
            barrier: 1e-3,
            step_limit: 1.0,
            perturbation: 1e-5,
            seed: 1,
        }
    }
}

/// How a search ended. Only the first is an equilibrium; all leave a usable state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EquilibriumStatus {
    /// The force is as small as was asked.
    Converged,
    /// There were not enough iterations.
    IterationLimit,
    /// No step lowers the energy any more: rounding, or an energy whose forces are not its slope.
    Stalled,
    /// The observer said stop.
    Interrupted,
}

/// What is known about the second derivative at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Curvature {
    /// No direction was found in which the energy bends downwards: a minimum, as far as one look can tell.
    NoneNegative,
    /// The energy bends downwards somewhere; the search was cut short or gave up leaving.
    Negative,
    /// Nobody has looked.
    Unknown,
}

/// How good an equilibrium is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EquilibriumCertificate {
    /// `‖∇E‖ / Σ m |g|` over the free nodes; without gravity, relative to the weight on the ground.
    pub gradient: f64,
    /// Largest force left on one node, relative to its own weight.
    pub force_worst: f64,
    /// Energies (J).
    pub energies: Parts,
    /// What all bodies together push with (N).
    pub contact_force: DVec3,
    /// Newton steps made.
    pub iterations: u32,
    /// Iterations of all linear solves.
    pub linear_iterations: u32,
    /// Largest strain of any edge, `l/l̄ − 1`.
    pub stretch_worst: f64,
    /// Mean of `|l/l̄ − 1|` over all edges.
    pub stretch_mean: f64,
    /// Smallest gap between the surface of free cloth and bodies (m); `None` without bodies.
    pub gap_smallest: Option<f64>,
    /// By how much cloth that bounds its principal stretches exceeds what it allows, relative to the allowed length. If 0, its limit has
    /// nothing to do at this shape, which is then that of limited cloth too.
    pub limit_exceeded: f64,
    /// Whether it is a minimum.
    pub curvature: Curvature,
}

/// An end of the search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Equilibrium {
    /// How it ended.
    pub status: EquilibriumStatus,
    /// How good it is.
    pub certificate: EquilibriumCertificate,
}

/// One step of the search, for those who watch.
#[derive(Debug)]
pub struct Iteration<'a> {
    /// Its number; 0 is the start.
    pub number: u32,
    /// Where the nodes are (m).
    pub positions: &'a [DVec3],
    /// `‖∇E‖ / Σ m |g|` over the free nodes.
    pub gradient: f64,
    /// Energies (J).
    pub energies: Parts,
    /// Longest way of a node in this step (m).
    pub step: f64,
    /// The shift `μ` of this step (1/s²).
    pub shift: f64,
    /// Iterations of the linear solve.
    pub linear_iterations: u32,
    /// Largest strain of any edge, `l/l̄ − 1`.
    pub stretch_worst: f64,
    /// Mean of `|l/l̄ − 1|` over all edges.
    pub stretch_mean: f64,
    /// Smallest gap between the surface of free cloth and bodies (m); `None` without bodies.
    pub gap_smallest: Option<f64>,
}

/// A search that cannot begin or go on.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum EquilibriumError {
    /// A node is too deep in a body to be pushed out.
    #[error(
        "node {node} of cloth `{cloth}` starts {depth:.4} m deep in body `{body}`, more than can be mended; move the cloth or the body \
         so that they do not overlap"
    )]
    Penetrating {
        /// The cloth.
        cloth: String,
        /// The node, counted in the cloth.
        node: usize,
        /// The body.
        body: String,
        /// How deep (m).
        depth: f64,
    },
    /// A force became infinite or not a number.
    #[error(
        "node {node} of cloth `{cloth}` feels a force that is not a finite number; look at its mesh with `toile check`"
    )]
    NotFinite {
        /// The cloth.
        cloth: String,
        /// The node, counted in the cloth.
        node: usize,
    },
    /// A cloth has a limit that holds it together, which is no energy that could be minimised.
    #[error(
        "cloth `{cloth}` has a limit (`model` or `limit` in the scene), and a drape knows energies only; let it fall with `toile run`, or give          it a model with stiffness"
    )]
    Limited {
        /// The cloth.
        cloth: String,
    },
    /// A setting makes no sense.
    #[error("the {what} is {value}; it must be {must}")]
    BadSetting {
        /// Which.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What it must be.
        must: &'static str,
    },
}

/// Forcing terms of the linear solve: no rougher and no finer than these.
const FORCING: [f64; 2] = [0.1, 1e-3];
/// Below this gradient the true second derivative is used in place of the projected one. A matter of cost:
/// what is found is a minimum either way (`tests/equilibrium.rs`).
const TRUE_HESSIAN_BELOW: f64 = 0.02;
/// By what the shift of the Newton matrix is multiplied after a good step, and by what after a bad one.
/// Levenberg and Marquardt; unequal, so that the two do not cycle.
const SHRINK: f64 = 0.3;
const GROW: f64 = 4.0;
/// The shift is never more than this many times its first value, nor less than the inverse (then it is none).
const SHIFT_RANGE: f64 = 1e9;
/// Barriers become stronger when a gap falls below this share of their reach, lest their steep end spoils the
/// conditioning of the solve. Chosen, not derived.
const TIGHT: f64 = 2e-3;
/// How often negative curvature at the end may send the search on: a guard against wandering from saddle to
/// saddle.
const ESCAPES: u32 = 5;
/// Iterations that look for it. What is certified is that none was found within so many, not that there is
/// none.
const PROBE_ITERATIONS: u32 = 150;
/// How far the search goes along it, in edge lengths: more than rounding hides, and within what the second
/// order describes.
const ESCAPE: f64 = 0.05;

/// Moves the state's positions to an equilibrium near where they are. Velocities become zero; time stays. The observer
/// hears of the start and of every step and may stop the search.
///
/// On an error the state's positions are as they were.
pub fn minimise(
    model: &Model,
    state: &mut State,
    settings: &EquilibriumSettings,
    observer: &mut dyn FnMut(&Iteration) -> ControlFlow<()>,
) -> Result<Equilibrium, EquilibriumError> {
    check(settings)?;
    // A bound on stretch has nothing to do in most shapes at rest. Where it would have, the certificate says so.
    let holds = |(_, limit): &&(usize, Limit)| !matches!(limit, Limit::Stretch(_));
    if let Some((cloth, _)) = model.limits.iter().find(holds) {
        let cloth = model.cloths[*cloth].name.clone();
        return Err(EquilibriumError::Limited { cloth });
    }
    let mut begin = state.clone();
    let bodies: Vec<_> = place_bodies(model, state, 0.0).collect();
    let filters = start::hold_pins(model, &mut begin);
    let mut x = begin.positions.clone();
    start::perturb(model, &filters, settings, &mut x);
    start::push_out(model, &bodies, &filters, settings.barrier, &mut x)?;

    let potential = Potential::new(model, &begin, bodies, filters, settings.barrier);
    let mut descent = Descent::new(potential, x, settings)?;
    let status = descent.run(observer)?;
    let certificate = descent.certify();
    let positions = std::mem::take(&mut descent.search.x);
    drop(descent);
    *state = begin;
    state.positions = positions;
    state.velocities.fill(DVec3::ZERO);
    state.last_change.fill(DVec3::ZERO);
    state.previous = None;
    Ok(Equilibrium {
        status,
        certificate,
    })
}

/// The largest excess over the stretch that a cloth allows, relative to the allowed length.
fn limit_exceeded(model: &Model, x: &[DVec3]) -> f64 {
    let excess = model.limits.iter().map(|(_, limit)| match limit {
        Limit::Stretch(limit) => limit.residual(x),
        _ => 0.0,
    });
    excess.fold(0.0, f64::max)
}

fn check(settings: &EquilibriumSettings) -> Result<(), EquilibriumError> {
    let positive = [
        ("tolerance of an equilibrium", settings.tolerance),
        ("reach of contact barriers", settings.barrier),
        ("limit of a step", settings.step_limit),
    ];
    let bad = |value: f64| !(value > 0.0 && value.is_finite());
    if let Some(&(what, value)) = positive.iter().find(|(_, value)| bad(*value)) {
        let must = "a positive number";
        return Err(EquilibriumError::BadSetting { what, value, must });
    }
    if !(0.0..=0.1).contains(&settings.perturbation) {
        return Err(EquilibriumError::BadSetting {
            what: "perturbation of the start",
            value: settings.perturbation,
            must: "between 0 and 0.1 edge lengths",
        });
    }
    Ok(())
}

/// The search as it goes on.
struct Descent<'a> {
    potential: Potential<'a>,
    search: Search,
    settings: &'a EquilibriumSettings,
    parts: Parts,
    /// `Σ m |g|` (N).
    weight: f64,
    /// `μ` (1/s²).
    shift: f64,
    first_shift: f64,
    iterations: u32,
    linear_iterations: u32,
    escapes: u32,
    curvature: Curvature,
}

impl<'a> Descent<'a> {
    fn new(
        potential: Potential<'a>,
        x: Vec<DVec3>,
        settings: &'a EquilibriumSettings,
    ) -> Result<Self, EquilibriumError> {
        let weight = parallel::sum(x.len(), |i| potential.weight(i));
        let mass = potential.model.total_mass();
        // With this shift a free node falls just as far as a step may be long.
        let shift = weight / mass / (settings.step_limit * potential.edge);
        let search = Search::new(&potential, x);
        let parts = potential.value(&search.x);
        let descent = Descent {
            potential,
            search,
            settings,
            parts,
            weight,
            shift,
            first_shift: shift,
            iterations: 0,
            linear_iterations: 0,
            escapes: 0,
            curvature: Curvature::Unknown,
        };
        descent.check_finite()?;
        Ok(descent)
    }

    fn run(
        &mut self,
        observer: &mut dyn FnMut(&Iteration) -> ControlFlow<()>,
    ) -> Result<EquilibriumStatus, EquilibriumError> {
        let mut last = (0.0, 0u32);
        loop {
            if self.tell(observer, last).is_break() {
                return Ok(EquilibriumStatus::Interrupted);
            }
            if self.gradient() <= self.settings.tolerance && !self.escape() {
                return Ok(EquilibriumStatus::Converged);
            }
            if self.iterations >= self.settings.max_iterations {
                return Ok(EquilibriumStatus::IterationLimit);
            }
            let Some(made) = self.newton_step()? else {
                return Ok(EquilibriumStatus::Stalled);
            };
            last = made;
            self.iterations += 1;
            self.curvature = Curvature::Unknown;
            self.tighten();
        }
    }

    fn gradient(&self) -> f64 {
        self.search.force_norm() / self.weight
    }

    fn tell(
        &self,
        observer: &mut dyn FnMut(&Iteration) -> ControlFlow<()>,
        (step, linear_iterations): (f64, u32),
    ) -> ControlFlow<()> {
        let (stretch_worst, stretch_mean) = stretch(self.potential.model, &self.search.x);
        observer(&Iteration {
            number: self.iterations,
            positions: &self.search.x,
            gradient: self.gradient(),
            energies: self.parts,
            step,
            shift: self.shift,
            linear_iterations,
            stretch_worst,
            stretch_mean,
            gap_smallest: self.potential.smallest_gap(&self.search.x),
        })
    }

    /// One accepted step: its length (m) and the iterations of its solves; `None` if no step can be found.
    fn newton_step(&mut self) -> Result<Option<(f64, u32)>, EquilibriumError> {
        let limit = self.settings.step_limit * self.potential.edge;
        let mut iterations = 0;
        loop {
            if !self.search.factor(&self.potential, self.shift) {
                self.check_finite()?;
                self.shift = GROW * GROW * self.shift.max(self.first_shift);
                if self.shift >= SHIFT_RANGE * self.first_shift {
                    return Ok(None);
                }
                continue;
            }
            let forcing = self.gradient().sqrt().clamp(FORCING[1], FORCING[0]);
            let most = self.settings.linear_iterations;
            let solved = self.direction(forcing, most);
            iterations += solved.iterations;
            self.linear_iterations += solved.iterations;
            let longest = self.search.longest();
            let share = (limit / longest).min(1.0);
            let slope = parallel::dot(&self.search.force, &self.search.direction);
            if let Some(step) = self.search.step(&self.potential, &self.parts, share) {
                self.check_finite()?;
                self.adapt(&solved, &step, slope, share);
                self.parts = step.parts;
                return Ok(Some((step.share * longest, iterations)));
            }
            if self.shift >= SHIFT_RANGE * self.first_shift {
                return Ok(None);
            }
            self.shift = (GROW * GROW * self.shift).max(self.first_shift / SHIFT_RANGE);
        }
    }

    /// Far from the goal, and where the energy bends downwards, a step of the projected matrix; near it, of the
    /// true one.
    fn direction(&mut self, forcing: f64, most: u32) -> Solved {
        let mut wasted = 0;
        if self.gradient() < TRUE_HESSIAN_BELOW {
            let exact = Operator::True { shift: self.shift };
            let solved = self.search.solve(&self.potential, exact, forcing, most);
            if !solved.negative {
                return solved;
            }
            wasted = solved.iterations;
        }
        let projected = Operator::Projected;
        let solved = self.search.solve(&self.potential, projected, forcing, most);
        Solved {
            iterations: solved.iterations + wasted,
            ..solved
        }
    }

    /// Chooses the next shift by how much of the promised energy the step has won.
    fn adapt(&mut self, solved: &Solved, step: &SearchStep, slope: f64, share: f64) {
        let promised = step.share * slope - 0.5 * step.share * step.share * solved.bend;
        let won = self.parts.total() - step.parts.total();
        let rounding = 1e-13 * (self.parts.size() + step.parts.size());
        let quality = (won + rounding) / (promised + rounding);
        if quality < 0.25 || share < 0.5 {
            self.shift = (GROW * self.shift).max(self.first_shift / SHIFT_RANGE);
        } else if quality > 0.5 && share >= 1.0 {
            self.shift *= SHRINK;
        }
        self.shift = self.shift.min(SHIFT_RANGE * self.first_shift);
        if self.shift < self.first_shift / SHIFT_RANGE {
            self.shift = 0.0;
        }
    }

    /// Makes barriers stronger where a gap gets so small that rounding would show.
    fn tighten(&mut self) {
        let tight = TIGHT * self.potential.reach();
        let gap = self.potential.smallest_gap(&self.search.x);
        if gap.is_some_and(|gap| gap < tight) && self.potential.strength < 1e6 {
            self.potential.strength *= 10.0;
            self.parts = self.potential.value(&self.search.x);
            self.search.look(&self.potential);
        }
    }

    /// Looks for negative curvature where the force is small. Answers whether it was found and the search goes on
    /// from beside the saddle.
    fn escape(&mut self) -> bool {
        let mut noise = Noise(self.settings.seed ^ u64::from(self.escapes + 1));
        let nodes = self.search.x.len();
        let start: Vec<DVec3> = (0..nodes)
            .map(|i| self.potential.weight(i) * noise.vector())
            .collect();
        let tiny = self.first_shift / SHIFT_RANGE;
        let factored = self.search.factor(&self.potential, tiny);
        let limit = PROBE_ITERATIONS;
        if !factored || !self.search.probe(&self.potential, &start, limit) {
            self.curvature = Curvature::NoneNegative;
            return false;
        }
        self.curvature = Curvature::Negative;
        if self.escapes >= ESCAPES || self.iterations >= self.settings.max_iterations {
            return false;
        }
        self.escapes += 1;
        self.leave_saddle()
    }

    /// A step along the direction of negative curvature, to the side and of the length that lower the energy.
    fn leave_saddle(&mut self) -> bool {
        let uphill = parallel::dot(&self.search.force, &self.search.direction) < 0.0;
        let longest = ESCAPE * self.potential.edge / self.search.longest();
        let longest = if uphill { -longest } else { longest };
        for length in [1.0, -1.0, 0.1, -0.1, 0.01, -0.01] {
            let factor = length * longest;
            if let Some(parts) = self.search.jump(&self.potential, &self.parts, factor) {
                self.parts = parts;
                self.shift = self.first_shift;
                return true;
            }
        }
        // The energy itself is the better judge.
        self.curvature = Curvature::NoneNegative;
        false
    }

    fn check_finite(&self) -> Result<(), EquilibriumError> {
        let Some(bad) = self.search.force.iter().position(|f| !f.is_finite()) else {
            return Ok(());
        };
        let cloths = &self.potential.model.cloths;
        let cloth = cloths.iter().find(|c| c.nodes.contains(&bad));
        Err(EquilibriumError::NotFinite {
            cloth: cloth.map_or_else(String::new, |c| c.name.clone()),
            node: bad - cloth.map_or(0, |c| c.nodes.start),
        })
    }

    fn certify(&self) -> EquilibriumCertificate {
        let (potential, x) = (&self.potential, &self.search.x);
        let (stretch_worst, stretch_mean) = stretch(potential.model, x);
        let forces = self.search.force.iter().enumerate();
        EquilibriumCertificate {
            gradient: self.gradient(),
            force_worst: forces
                .map(|(i, f)| f.length() / potential.weight(i))
                .fold(0.0, f64::max),
            energies: self.parts,
            contact_force: (0..x.len()).map(|i| potential.contact_force(i, x[i])).sum(),
            iterations: self.iterations,
            linear_iterations: self.linear_iterations,
            stretch_worst,
            stretch_mean,
            gap_smallest: potential.smallest_gap(x),
            limit_exceeded: limit_exceeded(potential.model, x),
            curvature: self.curvature,
        }
    }
}
