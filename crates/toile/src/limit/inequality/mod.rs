//! Inequality cloth (Jin, Lu, Geng and Fedkiw 2017): edges may not grow, but they may shrink.
//!
//! `c_i(x) = l_i / ((1 + α_i) l̄_i) − 1 ≤ 0` on every edge and every cross edge (opposite nodes of a triangle
//! pair, both diagonals of a quad). An edge that shrinks stands for cloth that bends at a scale the mesh does
//! not have; so coarse meshes fold that would lock if their lengths were fixed. Cross edges resist shear;
//! without them a sheet that hangs collapses into a line. They do not resist bending, because they too may
//! shrink.
//!
//! Obstacles join as `−d / mean(l̄) ≤ 0`, so that pulling an edge together does not pull a node into a body.
//!
//! The task is `min ½ |x − x̂|²_M / h²` subject to `c(x) ≤ 0`: the least change of the candidate `x̂`.
//! Lengths are convex functions of the positions, so there is exactly one such `x`. (The paper warns that a
//! barrier may lead into another minimum; that can only be so with other energies in the same minimisation.)
//! Its multipliers are never negative and vanish where `c_i < 0`; `−Jᵀλ` is the force (N) of the limits. Four
//! solvers find it:
//!
//! * [`Multipliers`](InequalitySolver::Multipliers): springs with a force of their own, by Newton's method.
//!   For meshes of any size; what it remembers from step to step is part of the state.
//! * [`ActiveSet`](InequalitySolver::ActiveSet): the paper's own tightening sequence, by conjugate gradients
//!   on `h² Ĵ W Ĵᵀ`. Unless [`stationarity`](InequalitySettings::stationarity) is asked for it stops at *a*
//!   point within the limits, near the nearest. Its conjugate gradients have no preconditioner but the
//!   diagonal: sheets of 65×65 nodes that hang take hundreds of iterations a step, and often do not reach the
//!   tolerance; the report says so.
//! * [`Barrier`](InequalitySolver::Barrier) and [`PrimalDual`](InequalitySolver::PrimalDual): interior
//!   points, by Newton's method on all nodes at once. Exact; there to compare with.
//!
//! Limit cases: `α = 0` allows no stretch at all; `α → ∞` does nothing; [`Sides::Two`] fixes the lengths of
//! edges at `(1 + α) l̄` and shows the locking.

mod active_set;
mod constraint;
mod interior;
mod multipliers;
mod relaxed;
#[cfg(test)]
mod tests;

use super::{LimitReport, LimitStep, Obstacle};
use crate::linalg::{BlockPattern, Filter};
use crate::mesh::{RestShape, Topology};
use constraint::{Pair, Problem};
use glam::DVec3;
use interior::Interior;
use multipliers::{Multipliers, Row};
use relaxed::Relaxed;
use std::sync::Arc;
use thiserror::Error;

/// How the limits are met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InequalitySolver {
    /// The [method of multipliers](crate::limit::Lagrangian): fine meshes too.
    #[default]
    Multipliers,
    /// The tightening sequence of the paper.
    ActiveSet,
    /// Newton's method with a logarithmic barrier.
    Barrier,
    /// Newton's method with a multiplier for every constraint.
    PrimalDual,
}

/// Whether edges may shrink.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sides {
    /// They may.
    #[default]
    One,
    /// Mesh edges keep their length (cross edges may shrink still, or nothing would bend). For comparison:
    /// such cloth locks.
    Two,
}

/// What is limited, and how exactly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InequalitySettings {
    /// Allowed stretch `α`, relative to the rest length; 0 or more. The paper recommends 0.001 to 0.01.
    pub stretch: f64,
    /// Whether cross edges are limited, as shear demands.
    pub cross_edges: bool,
    /// Whether edges may shrink.
    pub sides: Sides,
    /// How the limits are met.
    pub solver: InequalitySolver,
    /// Targets between the worst violation and zero, for the active set.
    pub levels: u32,
    /// How near to the nearest positions within the limits: for the active set in parts of the mean rest
    /// length, and `None` is the paper's own, which stops as soon as the limits hold; for multipliers as
    /// their exactness.
    pub stationarity: Option<f64>,
    /// Violation of a constraint (relative, as `c` is) at which to stop.
    pub tolerance: f64,
    /// Rounds, or Newton steps, at the most.
    pub max_iterations: u32,
    /// For the active set: what is added to the diagonal of the multipliers' matrix, in parts of it. It makes
    /// them definite where constraints depend on each other (a flat taut sheet has more of them than
    /// directions) and bounds the iterations of a round; what it leaves undone the next round does.
    pub regularisation: f64,
    /// Iterations of conjugate gradients at the most, in each round.
    pub max_linear_iterations: u32,
}

impl Default for InequalitySettings {
    fn default() -> Self {
        InequalitySettings {
            stretch: 0.01,
            cross_edges: true,
            sides: Sides::One,
            solver: InequalitySolver::Multipliers,
            levels: 2,
            stationarity: None,
            tolerance: 1e-3,
            max_iterations: 30,
            regularisation: 1e-7,
            max_linear_iterations: 200,
        }
    }
}

/// Limits that no cloth can be held to.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum InequalityError {
    /// A stretch below 0.
    #[error("{place}: the allowed stretch is {stretch}; it must be a number of 0 or more")]
    Stretch {
        /// Which edge.
        place: String,
        /// Its stretch.
        stretch: f64,
    },
    /// The tolerance is not a positive number.
    #[error("{name} of the inequality limit is {value}; it must be above 0")]
    NotPositive {
        /// Which setting.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// Not one stretch per edge.
    #[error(
        "{given} stretches for {expected} edges; give one for each edge, then one for each cross edge if these are limited"
    )]
    Count {
        /// How many were given.
        given: usize,
        /// How many are needed.
        expected: usize,
    },
    /// Fixed lengths have no inside.
    #[error(
        "edges of fixed length leave nothing for a barrier to stay within; use multipliers or the active set"
    )]
    NoInterior,
}

/// What a limit may be told besides the step.
#[derive(Clone, Copy, Debug, Default)]
pub struct InequalityInput<'a> {
    /// Obstacles for the same solve; those at nodes of other cloths are passed over.
    pub obstacles: &'a [Obstacle],
    /// A guess at the multipliers (N·m) of the edges and cross edges, for the active set. Those of the step
    /// before are not a good one: on a sheet hung at two corners they took more iterations than none. Empty
    /// for no guess.
    pub multipliers: &'a [f64],
}

/// Inequality cloth: the limits of one cloth.
#[derive(Clone, Debug)]
pub struct InequalityLimit {
    settings: InequalitySettings,
    first_node: usize,
    node_count: usize,
    pairs: Vec<Pair>,
    mean_length: f64,
    pattern: Arc<BlockPattern>,
    /// Of [`InequalitySolver::Multipliers`].
    relaxed: Option<Relaxed>,
}

/// Memory that [`InequalityLimit`] works in, and what the last call found.
#[derive(Debug, Default)]
pub struct InequalityScratch {
    given: Given,
    solve: SolveScratch,
    relaxed: relaxed::RelaxedScratch,
    /// What obstacles pushed nodes by: node and impulse (kg·m); of the other solvers.
    pushes: Vec<(u32, DVec3)>,
}

/// What a [`Problem`] reads, of the cloth's own nodes.
#[derive(Debug, Default)]
struct Given {
    weights: Vec<f64>,
    filters: Vec<Filter>,
    start: Vec<DVec3>,
    obstacles: Vec<Obstacle>,
}

/// What the solvers of a [`Problem`] write.
#[derive(Debug, Default)]
struct SolveScratch {
    values: Vec<f64>,
    multipliers: Vec<f64>,
    forces: Vec<DVec3>,
    rows: Vec<Row>,
    unknowns: Multipliers,
    before: Vec<f64>,
    curvatures: Vec<f64>,
    away: Vec<DVec3>,
    nodal: Vec<DVec3>,
    origin: Vec<DVec3>,
    interior: Option<Box<Interior>>,
}

impl InequalityScratch {
    pub(super) fn pushes(&self, add: &mut dyn FnMut(u32, DVec3)) {
        for &(node, push) in &self.pushes {
            add(node, push);
        }
        self.relaxed.pushes(add);
    }

    /// Multipliers (N·m) of the last call: of the edges, of the cross edges if limited, of the obstacles at
    /// nodes of the cloth.
    pub fn multipliers(&self) -> &[f64] {
        &self.solve.multipliers
    }

    /// Values of the constraints after the last call, in the same order; above 0 is violated.
    pub fn values(&self) -> &[f64] {
        &self.solve.values
    }

    /// Force (N) of the limits on each node of the cloth in the last call, `−Σ Jᵀλ`. On held nodes it is what
    /// their holder feels; on free ones it makes the move, so times the step it is the impulse (N·s) to be
    /// added.
    pub fn forces(&self) -> &[DVec3] {
        &self.solve.forces
    }
}

impl InequalityLimit {
    /// How it works.
    pub fn settings(&self) -> &InequalitySettings {
        &self.settings
    }

    /// Limits a cloth whose first node has this number in the world.
    pub fn new(
        topology: &Topology,
        rest: &RestShape,
        first_node: u32,
        settings: InequalitySettings,
    ) -> Result<Self, InequalityError> {
        let cross = if settings.cross_edges {
            topology.cross_edges.len()
        } else {
            0
        };
        let stretches = vec![settings.stretch; topology.edges.len() + cross];
        Self::with_stretches(topology, rest, first_node, settings, &stretches)
    }

    /// The same with a stretch of its own for every edge: first the edges in the order of the topology, then,
    /// if these are limited, the cross edges.
    pub fn with_stretches(
        topology: &Topology,
        rest: &RestShape,
        first_node: u32,
        settings: InequalitySettings,
        stretches: &[f64],
    ) -> Result<Self, InequalityError> {
        check_settings(&settings)?;
        let edges = topology.edges.iter().map(|e| e.nodes);
        let cross = topology.cross_edges.iter().map(|c| c.nodes);
        let mut lengths: Vec<_> = edges.zip(rest.edge_lengths.iter().copied()).collect();
        let mean = lengths.iter().map(|(_, l)| l).sum::<f64>() / lengths.len().max(1) as f64;
        if settings.cross_edges {
            lengths.extend(cross.zip(rest.cross_lengths.iter().copied()));
        }
        if stretches.len() != lengths.len() {
            return Err(InequalityError::Count {
                given: stretches.len(),
                expected: lengths.len(),
            });
        }
        let mut pairs = Vec::with_capacity(lengths.len());
        for (index, (&(nodes, length), &stretch)) in lengths.iter().zip(stretches).enumerate() {
            check_stretch(index, topology.edges.len(), stretch)?;
            pairs.push(Pair {
                nodes,
                longest: (1.0 + stretch) * length,
                equal: settings.sides == Sides::Two && index < topology.edges.len(),
            });
        }
        let relaxed = (settings.solver == InequalitySolver::Multipliers)
            .then(|| Relaxed::new(&pairs, first_node, &settings));
        let pattern = || BlockPattern::new(topology.node_count, pairs.iter().map(|p| p.nodes));
        Ok(InequalityLimit {
            settings,
            first_node: first_node as usize,
            node_count: topology.node_count,
            pattern: Arc::new(pattern()),
            pairs,
            relaxed,
            // A cloth without edges has no length; its obstacles are then measured in metres.
            mean_length: if mean > 0.0 { mean } else { 1.0 },
        })
    }

    /// Brings candidate positions (m, over the whole world) within the limits.
    ///
    /// The report's iterations are rounds of the active set or Newton steps; its residual is the largest
    /// `c_i` (or 0).
    pub fn apply(
        &self,
        step: &LimitStep,
        scratch: &mut InequalityScratch,
        positions: &mut [DVec3],
    ) -> LimitReport {
        self.apply_with(
            step,
            scratch,
            &InequalityInput::default(),
            &mut [],
            positions,
        )
    }

    /// The limits as one-sided lengths, if they are solved by multipliers.
    pub(crate) fn constraints(&self) -> Option<&crate::limit::Lengths> {
        self.relaxed.as_ref().map(Relaxed::lengths)
    }

    /// How many numbers it remembers from step to step.
    pub fn memory(&self) -> usize {
        self.relaxed.as_ref().map_or(0, Relaxed::memory)
    }

    /// The largest `c_i` of a pair of nodes at some positions over the whole world (m), or 0.
    pub fn residual(&self, positions: &[DVec3]) -> f64 {
        let x = &positions[self.first_node..self.first_node + self.node_count];
        let violations = self.pairs.iter().map(|pair| {
            let [a, b] = pair.nodes.map(|n| x[n as usize]);
            let value = a.distance(b) / pair.longest - 1.0;
            if pair.equal { value.abs() } else { value }
        });
        violations.fold(0.0, f64::max)
    }

    /// The same with what else is known, and `forces` to remember ([`memory`](Self::memory)).
    pub fn apply_with(
        &self,
        step: &LimitStep,
        scratch: &mut InequalityScratch,
        input: &InequalityInput,
        forces: &mut [f64],
        positions: &mut [DVec3],
    ) -> LimitReport {
        if let Some(relaxed) = &self.relaxed {
            return relaxed.apply(step, scratch, input.obstacles, forces, positions);
        }
        let nodes = self.first_node..self.first_node + self.node_count;
        let x = &mut positions[nodes.clone()];
        scratch.prepare(self, step, input, x);
        let InequalityScratch {
            given,
            solve,
            pushes,
            ..
        } = scratch;
        let problem = Problem {
            pairs: &self.pairs,
            obstacles: &given.obstacles,
            unit: self.mean_length,
            h: step.h,
            weights: &given.weights,
            filters: &given.filters,
            start: &given.start,
        };
        let mut report = if self.settings.solver == InequalitySolver::ActiveSet {
            active_set::solve(&problem, &self.settings, solve, x)
        } else {
            interior::solve(&problem, &self.settings, &self.pattern, solve, x)
        };
        let one_sided = (0..problem.count()).filter(|&i| !problem.is_equal(i));
        report.least_multiplier = one_sided.map(|i| solve.multipliers[i]).reduce(f64::min);
        pushes.clear();
        let of_obstacles = &solve.multipliers[self.pairs.len()..];
        let pushed = given.obstacles.iter().zip(of_obstacles);
        pushes.extend(pushed.map(|(obstacle, multiplier)| {
            let node = obstacle.node + self.first_node as u32;
            let impulse = step.h * step.h * multiplier / self.mean_length;
            (node, impulse * obstacle.normal)
        }));
        report
    }
}

impl InequalityScratch {
    fn prepare(
        &mut self,
        limit: &InequalityLimit,
        step: &LimitStep,
        input: &InequalityInput,
        x: &[DVec3],
    ) {
        let first = limit.first_node;
        let nodes = first..first + limit.node_count;
        let InequalityScratch { given, solve, .. } = self;
        given.start.clear();
        given.start.extend_from_slice(x);
        given.filters.clear();
        given.filters.extend(nodes.clone().map(|n| {
            if step.inverse_masses[n] > 0.0 {
                step.filters[n]
            } else {
                Filter::Held
            }
        }));
        given.weights.clear();
        given
            .weights
            .extend(nodes.clone().map(|n| match step.filters[n] {
                Filter::Held => 0.0,
                _ => step.inverse_masses[n],
            }));
        given.obstacles.clear();
        let ours = |o: &&Obstacle| nodes.contains(&(o.node as usize));
        given
            .obstacles
            .extend(input.obstacles.iter().filter(ours).map(|o| Obstacle {
                node: o.node - first as u32,
                ..*o
            }));
        let count = limit.pairs.len() + given.obstacles.len();
        for vector in [&mut solve.values, &mut solve.multipliers] {
            vector.clear();
            vector.resize(count, 0.0);
        }
        if input.multipliers.len() == limit.pairs.len() {
            solve.multipliers[..limit.pairs.len()].copy_from_slice(input.multipliers);
        }
        for vector in [&mut solve.forces, &mut solve.away, &mut solve.nodal] {
            vector.clear();
            vector.resize(limit.node_count, DVec3::ZERO);
        }
    }
}

fn check_settings(settings: &InequalitySettings) -> Result<(), InequalityError> {
    let stationarity = settings.stationarity.unwrap_or(1.0);
    for (name, value) in [
        ("the tolerance", settings.tolerance),
        ("the stationarity", stationarity),
        ("the regularisation", settings.regularisation),
    ] {
        if !(value > 0.0 && value.is_finite()) {
            return Err(InequalityError::NotPositive { name, value });
        }
    }
    let interior = matches!(
        settings.solver,
        InequalitySolver::Barrier | InequalitySolver::PrimalDual
    );
    if interior && settings.sides == Sides::Two {
        return Err(InequalityError::NoInterior);
    }
    Ok(())
}

fn check_stretch(index: usize, edges: usize, stretch: f64) -> Result<(), InequalityError> {
    if stretch >= 0.0 && stretch.is_finite() {
        return Ok(());
    }
    Err(InequalityError::Stretch {
        place: if index < edges {
            format!("edge {index}")
        } else {
            format!("cross edge {}", index - edges)
        },
        stretch,
    })
}
