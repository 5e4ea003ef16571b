//! Strain limiting (Provot 1995; Bridson, Marino and Fedkiw 2003): no edge longer than `(1 + s) l̄`, none
//! shorter than `(1 − c) l̄`.
//!
//! An edge out of bounds gets an impulse along itself that brings it back to the nearer bound, shared between
//! its ends by their inverse masses: `Δx_a = w_a F_a d̂ e / m`, `Δx_b = −w_b F_b d̂ e / m` with the excess
//! length `e` and `m = w_a |F_a d̂|² + w_b |F_b d̂|²`. That repairs one edge and disturbs its neighbours, so
//! it is repeated in sweeps.
//!
//! * **Gauss–Seidel** sees each repair at once. Edges are taken colour by colour (no two of a colour share a
//!   node), so the result does not depend on the number of threads; every other sweep runs backwards.
//! * **Jacobi** sees repairs only after the sweep. The impulse of an edge is divided by the mean number,
//!   weighted by mobility, of edges at its ends that were violated so far. (Not only now, so that the weights
//!   settle.) That bounds the rows of the iteration matrix, so the sweeps cannot overshoot, and since one
//!   number scales both ends of an edge, momentum is kept.
//!
//! The classical choice is 10 % stretch; the paper of 2003 adds 0 % compression, so that cloth buckles
//! instead of growing shorter. Limit cases: `c = 1` leaves compression alone, `s = ∞` leaves stretch alone,
//! `s = c = 0` fixes every length. Cross edges of triangle pairs grow shorter when cloth bends: bound their
//! compression and you have stiffened it against bending.
//!
//! Information travels one edge a sweep (one colour class within it), so a sheet of `n` rows that hangs needs
//! sweeps of the order of `n²`: for tight bounds on fine meshes use the global limits of this module.

mod obstacles;

use super::colouring::Colouring;
use super::{LimitReport, LimitStep, Obstacle};
use crate::linalg::Filter;
use crate::mesh::{RestShape, Topology};
use crate::parallel;
use glam::DVec3;
use obstacles::Guards;
use thiserror::Error;

/// How far an edge may grow and shrink.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrainBounds {
    /// Largest stretch `s`, relative to the rest length (0.1 is 10 %); 0 or more, infinite for no bound.
    pub stretch: f64,
    /// Largest compression `c`, relative to the rest length; between 0 and 1, where 1 is no bound.
    pub compression: f64,
}

impl Default for StrainBounds {
    /// 10 % stretch, compression unbounded.
    fn default() -> Self {
        StrainBounds {
            stretch: 0.1,
            compression: 1.0,
        }
    }
}

/// In which order edges are repaired.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sweep {
    /// All at once.
    Jacobi,
    /// One after the other, by colours.
    #[default]
    GaussSeidel,
}

/// What is bounded, and how patiently.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrainSettings {
    /// Bounds of all mesh edges.
    pub edges: StrainBounds,
    /// Bounds of cross edges (opposite nodes of triangle pairs, diagonals of quads); `None` leaves them
    /// alone.
    pub cross_edges: Option<StrainBounds>,
    /// Order of repairs.
    pub sweep: Sweep,
    /// Violation (relative to the rest length) at which to stop.
    pub tolerance: f64,
    /// Sweeps at the most.
    pub max_sweeps: u32,
}

impl Default for StrainSettings {
    fn default() -> Self {
        StrainSettings {
            edges: StrainBounds::default(),
            cross_edges: None,
            sweep: Sweep::default(),
            tolerance: 1e-3,
            max_sweeps: 50,
        }
    }
}

/// Bounds that no cloth can be held to.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum StrainError {
    /// Stretch or compression out of range.
    #[error(
        "{place}: stretch {stretch} and compression {compression} leave no length; stretch must be 0 or more, \
         compression between 0 and 1"
    )]
    Bounds {
        /// Which edges.
        place: String,
        /// Their stretch.
        stretch: f64,
        /// Their compression.
        compression: f64,
    },
    /// The tolerance is not a positive number.
    #[error("the tolerance of the strain limit is {0}; it must be above 0")]
    Tolerance(f64),
    /// Not one bound per edge.
    #[error(
        "{given} bounds for {expected} edges; give one for each edge, then one for each cross edge if these are limited"
    )]
    Count {
        /// How many were given.
        given: usize,
        /// How many are needed.
        expected: usize,
    },
}

/// Two nodes and the lengths they may be apart.
#[derive(Clone, Copy, Debug)]
struct Link {
    nodes: [u32; 2],
    rest: f64,
    shortest: f64,
    longest: f64,
}

/// Strain limiting of one cloth.
#[derive(Clone, Debug)]
pub struct StrainLimit {
    settings: StrainSettings,
    first_node: usize,
    links: Vec<Link>,
    colouring: Colouring,
    /// The links at each node of the cloth, and where each node's begin.
    links_at: Vec<u32>,
    starts: Vec<usize>,
}

/// Memory that [`StrainLimit`] works in.
#[derive(Clone, Debug, Default)]
pub struct StrainScratch {
    guards: Guards,
    rows: RowScratch,
    candidates: Vec<DVec3>,
}

#[derive(Clone, Debug, Default)]
struct RowScratch {
    impulses: Vec<DVec3>,
    excess: Vec<f64>,
    /// Links that were violated at some sweep of this call, and how many of them each node has.
    met: Vec<bool>,
    crowd: Vec<u32>,
}

impl StrainLimit {
    /// How it works.
    pub fn settings(&self) -> &StrainSettings {
        &self.settings
    }

    /// Limits the edges of a cloth whose first node has this number in the world.
    pub fn new(
        topology: &Topology,
        rest: &RestShape,
        first_node: u32,
        settings: StrainSettings,
    ) -> Result<Self, StrainError> {
        let edges = topology.edges.len();
        let mut bounds = vec![settings.edges; edges];
        if let Some(cross) = settings.cross_edges {
            bounds.resize(edges + topology.cross_edges.len(), cross);
        }
        Self::with_bounds(topology, rest, first_node, settings, &bounds)
    }

    /// The same with bounds of its own for every edge: those of the edges in the order of the topology and,
    /// if `settings.cross_edges` is given, those of the cross edges after them.
    pub fn with_bounds(
        topology: &Topology,
        rest: &RestShape,
        first_node: u32,
        settings: StrainSettings,
        bounds: &[StrainBounds],
    ) -> Result<Self, StrainError> {
        if !(settings.tolerance > 0.0 && settings.tolerance.is_finite()) {
            return Err(StrainError::Tolerance(settings.tolerance));
        }
        let pairs = pairs(topology, rest, settings.cross_edges.is_some());
        if bounds.len() != pairs.len() {
            return Err(StrainError::Count {
                given: bounds.len(),
                expected: pairs.len(),
            });
        }
        let mut links = Vec::with_capacity(pairs.len());
        for (index, (&(nodes, length), bounds)) in pairs.iter().zip(bounds).enumerate() {
            check(index, topology.edges.len(), bounds)?;
            links.push(Link {
                nodes: nodes.map(|n| n + first_node),
                rest: length,
                shortest: (1.0 - bounds.compression) * length,
                longest: (1.0 + bounds.stretch) * length,
            });
        }
        let local = || pairs.iter().map(|(nodes, _)| *nodes);
        let (starts, links_at) = incidence(topology.node_count, local());
        Ok(StrainLimit {
            settings,
            first_node: first_node as usize,
            colouring: Colouring::new(topology.node_count, local()),
            links,
            links_at,
            starts,
        })
    }

    /// Brings the lengths of candidate positions (m, over the whole world) within bounds, as far as the
    /// sweeps reach.
    ///
    /// The report's iterations are sweeps; its residual is the largest distance of a `l / l̄` from its
    /// bounds.
    pub fn apply(
        &self,
        step: &LimitStep,
        scratch: &mut StrainScratch,
        positions: &mut [DVec3],
    ) -> LimitReport {
        self.apply_among(step, &[], scratch, positions)
    }

    /// The same without leading nodes into obstacles.
    pub fn apply_among(
        &self,
        step: &LimitStep,
        obstacles: &[Obstacle],
        scratch: &mut StrainScratch,
        positions: &mut [DVec3],
    ) -> LimitReport {
        let StrainScratch { guards, rows, .. } = scratch;
        self.sweep(step, obstacles, guards, rows, positions)
    }

    fn sweep(
        &self,
        step: &LimitStep,
        obstacles: &[Obstacle],
        guards: &mut Guards,
        rows: &mut RowScratch,
        positions: &mut [DVec3],
    ) -> LimitReport {
        guards.begin(obstacles, self.nodes(), step, positions);
        rows.met.clear();
        rows.met.resize(self.links.len(), false);
        let mut sweeps = 0;
        let mut residual = self.residual(positions);
        while residual > self.settings.tolerance && sweeps < self.settings.max_sweeps {
            let (seen, pulls) = guards.seen(step);
            match self.settings.sweep {
                Sweep::Jacobi => self.jacobi(&seen, rows, pulls, positions),
                Sweep::GaussSeidel => {
                    self.gauss_seidel(&seen, rows, pulls, positions, sweeps % 2 == 1)
                }
            }
            guards.keep_out(step, positions);
            self.slide_stuck(guards, positions);
            sweeps += 1;
            residual = self.residual(positions);
        }
        LimitReport {
            iterations: sweeps,
            linear_iterations: 0,
            residual,
            least_multiplier: None,
            converged: residual <= self.settings.tolerance,
        }
    }

    /// The same as a filter of velocities (m/s): nodes that start at `start` and move for the step with the
    /// velocities that come out arrive within bounds.
    pub fn filter_velocities(
        &self,
        step: &LimitStep,
        scratch: &mut StrainScratch,
        start: &[DVec3],
        velocities: &mut [DVec3],
    ) -> LimitReport {
        let StrainScratch {
            guards,
            rows,
            candidates,
        } = scratch;
        candidates.clear();
        candidates.extend(
            start
                .iter()
                .zip(&*velocities)
                .map(|(x, v)| *x + step.h * *v),
        );
        let report = self.sweep(step, &[], guards, rows, candidates);
        for node in self.nodes() {
            // The change alone is divided by h: nodes that were not moved keep their velocity to the bit.
            let free = start[node] + step.h * velocities[node];
            velocities[node] += (candidates[node] - free) / step.h;
        }
        report
    }

    /// Largest distance of any `l / l̄` from its bounds.
    pub fn residual(&self, positions: &[DVec3]) -> f64 {
        let violation = |link: &Link| (link.excess(positions) / link.rest).abs();
        self.links.iter().map(violation).fold(0.0, f64::max)
    }

    fn nodes(&self) -> std::ops::Range<usize> {
        self.first_node..self.first_node + self.starts.len() - 1
    }

    fn gauss_seidel(
        &self,
        step: &LimitStep,
        rows: &mut RowScratch,
        pulls: &mut [DVec3],
        positions: &mut [DVec3],
        backwards: bool,
    ) {
        let colours = self.colouring.count();
        for k in 0..colours {
            let colour = if backwards { colours - 1 - k } else { k };
            let class = self.colouring.class(colour);
            rows.impulses.resize(self.links.len(), DVec3::ZERO);
            let impulses = &mut rows.impulses[..class.len()];
            let seen = &*positions;
            parallel::fill(impulses, |k| {
                let link = &self.links[class[k] as usize];
                link.impulse(step, seen, link.excess(seen))
            });
            for (&edge, &impulse) in class.iter().zip(&*impulses) {
                if impulse != DVec3::ZERO {
                    let [a, b] = self.links[edge as usize].nodes.map(|n| n as usize);
                    positions[a] += step.inverse_masses[a] * step.filters[a].apply(impulse);
                    positions[b] -= step.inverse_masses[b] * step.filters[b].apply(impulse);
                    if !pulls.is_empty() {
                        pulls[a - self.first_node] += impulse;
                        pulls[b - self.first_node] -= impulse;
                    }
                }
            }
        }
    }

    fn jacobi(
        &self,
        step: &LimitStep,
        rows: &mut RowScratch,
        pulls: &mut [DVec3],
        positions: &mut [DVec3],
    ) {
        let RowScratch {
            impulses,
            excess,
            met,
            crowd,
        } = rows;
        let seen = &*positions;
        excess.resize(self.links.len(), 0.0);
        parallel::fill(excess, |e| self.links[e].excess(seen));
        parallel::for_each(met, |e, met| *met |= excess[e] != 0.0);
        crowd.resize(self.starts.len() - 1, 0);
        parallel::fill(crowd, |node| {
            let at = self.links_at(node).iter();
            at.filter(|&&e| met[e as usize]).count() as u32
        });
        impulses.resize(self.links.len(), DVec3::ZERO);
        parallel::fill(impulses, |e| {
            let link = &self.links[e];
            let count = |node: u32| f64::from(crowd[node as usize - self.first_node]);
            let share = link.share(step, link.nodes.map(count));
            link.impulse(step, seen, excess[e] * share)
        });
        let impulses = &*impulses;
        let pull = |node: usize| -> DVec3 {
            let world = node + self.first_node;
            let signed = |&e: &u32| {
                let towards = self.links[e as usize].nodes[0] as usize == world;
                let sign = if towards { 1.0 } else { -1.0 };
                sign * impulses[e as usize]
            };
            self.links_at(node).iter().map(signed).sum()
        };
        parallel::for_each(pulls, |node, sum| *sum = pull(node));
        let nodes = self.nodes();
        parallel::for_each(&mut positions[nodes], |node, position| {
            let world = node + self.first_node;
            *position += step.inverse_masses[world] * step.filters[world].apply(pull(node));
        });
    }

    /// Mends edges of which both ends stick between bodies. A bound does not give way, so friction does: that of the end
    /// that can bear less.
    fn slide_stuck(&self, guards: &mut Guards, positions: &mut [DVec3]) {
        for k in 0..guards.count() {
            let Some(node) = guards.stuck(k) else {
                continue;
            };
            for &e in self.links_at(node - self.first_node) {
                let link = &self.links[e as usize];
                let [a, b] = link.nodes.map(|n| n as usize);
                // Each edge once, from its first end.
                let Some(other) = (a == node).then(|| guards.stuck_at(b)).flatten() else {
                    continue;
                };
                let excess = link.excess(positions);
                let way = (positions[b] - positions[a]).normalize_or_zero() * excess;
                match guards.grip(k) < guards.grip(other) {
                    true => guards.slide(k, way, positions),
                    false => guards.slide(other, -way, positions),
                }
            }
        }
    }

    /// The links at a node of the cloth.
    fn links_at(&self, node: usize) -> &[u32] {
        &self.links_at[self.starts[node]..self.starts[node + 1]]
    }
}

impl StrainScratch {
    /// What obstacles pushed nodes by: node and impulse (kg·m).
    pub(in crate::limit) fn pushes(&self, masses: &[f64], add: &mut dyn FnMut(u32, DVec3)) {
        for (node, way) in self.guards.moved() {
            add(node, masses[node as usize] * way);
        }
    }
}

impl Link {
    /// How much too long (positive) or too short (negative) it is (m).
    fn excess(&self, positions: &[DVec3]) -> f64 {
        let [a, b] = self.nodes.map(|n| positions[n as usize]);
        let length = a.distance(b);
        length - length.clamp(self.shortest, self.longest)
    }

    /// The impulse (kg·m) on the first node that takes `excess` out of the length; the second gets the
    /// opposite.
    fn impulse(&self, step: &LimitStep, positions: &[DVec3], excess: f64) -> DVec3 {
        if excess == 0.0 {
            return DVec3::ZERO;
        }
        let [a, b] = self.nodes.map(|n| n as usize);
        // Two nodes in one place have no direction to be parted in: they wait for their other edges.
        let direction = (positions[b] - positions[a]).normalize_or_zero();
        let along =
            |n: usize| step.inverse_masses[n] * step.filters[n].apply(direction).length_squared();
        // An end on a rail across its edge must not be thrown along the rail: there the length is a matter of
        // second order, and its curvature, the excess over the length, stands in for the slope.
        let curvature = (excess.abs() / positions[a].distance(positions[b])).min(1.0);
        let space: f64 = self.mobilities(step).iter().sum();
        let mobility = (along(a) + along(b)).max(curvature * space);
        if mobility > 0.0 {
            direction * (excess / mobility)
        } else {
            DVec3::ZERO
        }
    }

    /// Inverse masses of the ends that can move at all.
    fn mobilities(&self, step: &LimitStep) -> [f64; 2] {
        self.nodes.map(|n| match step.filters[n as usize] {
            Filter::Held => 0.0,
            _ => step.inverse_masses[n as usize],
        })
    }

    /// What part of a repair a Jacobi sweep makes, with this many links at the ends that took part.
    fn share(&self, step: &LimitStep, taking_part: [f64; 2]) -> f64 {
        let [a, b] = self.mobilities(step);
        let crowd = a * taking_part[0] + b * taking_part[1];
        if crowd > 0.0 { (a + b) / crowd } else { 0.0 }
    }
}

/// Nodes and rest lengths of edges and, if wanted, cross edges.
fn pairs(topology: &Topology, rest: &RestShape, cross: bool) -> Vec<([u32; 2], f64)> {
    let edges = topology.edges.iter().map(|e| e.nodes);
    let mut pairs: Vec<_> = edges.zip(rest.edge_lengths.iter().copied()).collect();
    if cross {
        let cross = topology.cross_edges.iter().map(|c| c.nodes);
        pairs.extend(cross.zip(rest.cross_lengths.iter().copied()));
    }
    pairs
}

fn check(index: usize, edges: usize, bounds: &StrainBounds) -> Result<(), StrainError> {
    if bounds.stretch >= 0.0 && (0.0..=1.0).contains(&bounds.compression) {
        return Ok(());
    }
    Err(StrainError::Bounds {
        place: if index < edges {
            format!("edge {index}")
        } else {
            format!("cross edge {}", index - edges)
        },
        stretch: bounds.stretch,
        compression: bounds.compression,
    })
}

/// The pairs at each node, in increasing order.
fn incidence(
    nodes: usize,
    pairs: impl Iterator<Item = [u32; 2]> + Clone,
) -> (Vec<usize>, Vec<u32>) {
    let mut starts = vec![0; nodes + 1];
    for node in pairs.clone().flatten() {
        starts[node as usize + 1] += 1;
    }
    for node in 0..nodes {
        starts[node + 1] += starts[node];
    }
    let mut next = starts.clone();
    let mut at = vec![0; starts[nodes]];
    for (index, pair) in pairs.enumerate() {
        for node in pair {
            at[next[node as usize]] = index as u32;
            next[node as usize] += 1;
        }
    }
    (starts, at)
}

#[cfg(test)]
mod tests;
