//! The total energy of a world and its derivatives, with held nodes left out.
//!
//! `E(x) = Σ W(x) − Σ m g·(x − x₀) + Σ b(d(x))`: elastic, gravity, contact.
//!
//! Two matrices stand for its second derivative. The *projected* one is what the energies answer for implicit
//! steps, `K ⪰ 0`, with `b'' n nᵀ` for contacts; it never points uphill but is too stiff wherever something is
//! compressed. The *true* one is known by its products alone: a difference of forces for the energies, and
//! `b'' n (n·v) + b' ∂n/∂v` for contacts.

use super::barrier::Barrier;
use crate::contact::{Placement, Sample, TRACE_LIMIT};
use crate::energy::assembly::Plan;
use crate::energy::{Memory, Weights};
use crate::linalg::{BlockMatrix, Filter};
use crate::model::Model;
use crate::parallel;
use crate::state::State;
use glam::{DMat3, DVec3};

/// Energies of an iterate (J).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Parts {
    /// Stored in the cloth.
    pub elastic: f64,
    /// `−Σ m g·(x − x₀)`, counted from where the search began.
    pub gravity: f64,
    /// In the barriers between cloth and bodies.
    pub contact: f64,
}

impl Parts {
    /// Their sum (J).
    pub fn total(&self) -> f64 {
        self.elastic + self.gravity + self.contact
    }

    /// The size of what is added up, which rounding is relative to (J).
    pub(super) fn size(&self) -> f64 {
        self.elastic.abs() + self.gravity.abs() + self.contact.abs()
    }
}

/// A stand-in for gravity where there is none, for the scale of forces (m/s²).
const STANDARD_GRAVITY: f64 = 9.81;
/// Displacements for differences of forces, relative to the length of an edge: about the square root of
/// rounding, which balances truncation and cancellation.
const DIFFERENCE: f64 = 1e-7;
/// A step leaves at least this share of a node's gap, so that barriers stay finite (fraction-to-the-boundary
/// rule).
const KEPT_GAP: f64 = 0.1;

/// The energy as a function of the positions.
pub(super) struct Potential<'a> {
    pub model: &'a Model,
    memory: Memory<'a>,
    /// Acceleration (m/s²).
    gravity: DVec3,
    plan: Plan,
    pub bodies: Vec<Placement>,
    /// Which nodes are free.
    pub filters: Vec<Filter>,
    /// Where gravity's energy is counted from (m).
    origin: &'a [DVec3],
    at_rest: Vec<DVec3>,
    /// Reach of the barriers (m).
    reach: f64,
    /// Factor on every barrier.
    pub strength: f64,
    /// Mean length of an edge (m).
    pub edge: f64,
}

impl<'a> Potential<'a> {
    pub fn new(
        model: &'a Model,
        state: &'a State,
        bodies: Vec<Placement>,
        filters: Vec<Filter>,
        reach: f64,
    ) -> Self {
        let nodes = model.node_count();
        Potential {
            model,
            memory: Memory {
                sewn: true,
                ..state.memory()
            },
            gravity: state.gravity(model),
            plan: Plan::new(nodes, &model.energies, Some(&model.pattern)),
            bodies,
            filters,
            origin: &state.positions,
            at_rest: vec![DVec3::ZERO; nodes],
            reach,
            strength: 1.0,
            edge: mean_edge(model),
        }
    }

    /// Weight of a node (N); without gravity, what it would weigh on the ground.
    pub fn weight(&self, node: usize) -> f64 {
        weight(self.model, self.gravity, node)
    }

    fn gravity_of(&self, node: usize) -> DVec3 {
        self.model.gravity_factors[node] * self.gravity
    }

    pub fn is_free(&self, node: usize) -> bool {
        self.filters[node] == Filter::Free
    }

    fn barrier(&self, node: usize) -> Barrier {
        Barrier {
            reach: self.reach,
            force: self.strength * self.weight(node),
        }
    }

    /// Gap and normal of a node to each body that it feels.
    fn felt(&self, node: usize, x: DVec3) -> impl Iterator<Item = (f64, DVec3)> {
        let offset = self.model.contact_offsets[node];
        let met = self.bodies.iter().filter(move |b| b.meets(node));
        let samples = met.map(move |body| body.sample(x));
        let felt = move |Sample { distance, normal }| {
            let gap = distance - offset;
            (gap < self.reach).then_some((gap, normal))
        };
        samples.filter_map(felt)
    }

    pub fn value(&self, x: &[DVec3]) -> Parts {
        let model = self.model;
        let energies = model.energies.iter();
        let contact = if self.bodies.is_empty() {
            0.0
        } else {
            parallel::sum(x.len(), |i| {
                if !self.is_free(i) {
                    return 0.0;
                }
                let barrier = self.barrier(i);
                self.felt(i, x[i]).map(|(gap, _)| barrier.value(gap)).sum()
            })
        };
        Parts {
            elastic: energies.map(|e| e.value(&self.memory, x)).sum(),
            gravity: -parallel::sum(x.len(), |i| {
                model.masses[i] * self.gravity_of(i).dot(x[i] - self.origin[i])
            }),
            contact,
        }
    }

    /// The push of all bodies on a node (N).
    pub fn contact_force(&self, node: usize, x: DVec3) -> DVec3 {
        if !self.is_free(node) {
            return DVec3::ZERO;
        }
        let barrier = self.barrier(node);
        let push = |(gap, normal)| barrier.push(gap) * normal;
        self.felt(node, x).map(push).sum()
    }

    /// The energies' forces (N), and the whole of `−∇E` with held nodes at zero.
    pub fn forces(&self, x: &[DVec3], elastic: &mut [DVec3], total: &mut [DVec3]) {
        self.elastic_forces(x, elastic);
        self.complete(x, elastic, total);
    }

    fn elastic_forces(&self, x: &[DVec3], elastic: &mut [DVec3]) {
        elastic.fill(DVec3::ZERO);
        let energies = &self.model.energies;
        self.plan
            .add_forces(energies, &self.memory, x, &self.at_rest, elastic);
    }

    fn complete(&self, x: &[DVec3], elastic: &[DVec3], total: &mut [DVec3]) {
        let model = self.model;
        parallel::fill(total, |i| {
            let pull = model.masses[i] * self.gravity_of(i);
            let sum = elastic[i] + pull + self.contact_force(i, x[i]);
            self.filters[i].apply(sum)
        });
    }

    /// The projected matrix plus `shift` (1/s²) times the mass.
    pub fn assemble(
        &self,
        x: &[DVec3],
        shift: f64,
        matrix: &mut BlockMatrix,
        scratch: &mut [DVec3],
    ) {
        let model = self.model;
        parallel::fill(&mut matrix.diagonal, |i| {
            let mut block = DMat3::from_diagonal(DVec3::splat(shift * model.masses[i]));
            if self.is_free(i) {
                let barrier = self.barrier(i);
                for (gap, n) in self.felt(i, x[i]) {
                    let k = barrier.stiffness(gap) * n;
                    block += DMat3::from_cols(k * n.x, k * n.y, k * n.z);
                }
            }
            block
        });
        scratch.fill(DVec3::ZERO);
        let weights = Weights {
            stiffness: 1.0,
            damping: 0.0,
            ahead: 0.0,
        };
        self.plan.add_systems(
            &model.energies,
            &self.memory,
            x,
            &self.at_rest,
            &weights,
            (matrix, scratch),
        );
    }

    /// `out = H v` with the true second derivative at `x`, where the energies' forces are `elastic`. `moved` is
    /// scratch.
    pub fn curvature(
        &self,
        x: &[DVec3],
        elastic: &[DVec3],
        v: &[DVec3],
        moved: &mut [DVec3],
        out: &mut [DVec3],
    ) {
        let longest = v.iter().map(|v| v.length_squared()).fold(0.0, f64::max);
        if longest == 0.0 {
            out.fill(DVec3::ZERO);
            return;
        }
        let e = DIFFERENCE * self.edge / longest.sqrt();
        parallel::fill(moved, |i| x[i] + e * v[i]);
        self.elastic_forces(moved, out);
        parallel::for_each(out, |i, value| {
            let mut product = (elastic[i] - *value) / e;
            if self.is_free(i) && !self.bodies.is_empty() {
                product += self.contact_curvature(i, x[i], v[i], e);
            }
            *value = self.filters[i].apply(product);
        });
    }

    fn contact_curvature(&self, node: usize, x: DVec3, v: DVec3, e: f64) -> DVec3 {
        let barrier = self.barrier(node);
        let offset = self.model.contact_offsets[node];
        let mut product = DVec3::ZERO;
        for body in self.bodies.iter().filter(|b| b.meets(node)) {
            let Sample { distance, normal } = body.sample(x);
            let gap = distance - offset;
            if gap < self.reach {
                let turned = body.sample(x + e * v).normal - body.sample(x - e * v).normal;
                product += barrier.stiffness(gap) * normal.dot(v) * normal;
                product -= barrier.push(gap) * turned / (2.0 * e);
            }
        }
        product
    }

    /// How much of the step `factor · direction` every node can make on its straight way without coming nearer to a
    /// body than a tenth of its gap; at most 1.
    ///
    /// From a point at distance `d` no surface is nearer than `d`, so the point may advance by that much (sphere
    /// tracing).
    pub fn safe_share(&self, x: &[DVec3], direction: &[DVec3], factor: f64) -> f64 {
        if self.bodies.is_empty() {
            return 1.0;
        }
        let share = |i: usize| {
            let step = factor * direction[i];
            let length = step.length();
            let offset = self.model.contact_offsets[i];
            let trace = |body: &Placement| {
                let start = body.sample(x[i]).distance - offset;
                let floor = offset + KEPT_GAP * start;
                let mut travelled = start - KEPT_GAP * start;
                for _ in 0..TRACE_LIMIT {
                    if travelled >= length {
                        return 1.0;
                    }
                    let point = x[i] + step * (travelled / length);
                    let clearance = body.sample(point).distance - floor;
                    if clearance <= 1e-3 * start {
                        break;
                    }
                    travelled += clearance;
                }
                (travelled / length).min(1.0)
            };
            let met = self.bodies.iter().filter(|b| b.meets(i));
            met.map(trace).fold(1.0, f64::min)
        };
        let free = (0..x.len()).filter(|&i| self.is_free(i));
        free.map(share).fold(1.0, f64::min)
    }

    /// Smallest gap of a free node to a body (m); `None` without bodies.
    pub fn smallest_gap(&self, x: &[DVec3]) -> Option<f64> {
        let free = (0..x.len()).filter(|&i| self.is_free(i));
        let gap = |i: usize| {
            let met = self.bodies.iter().filter(|b| b.meets(i));
            let distances = met.map(|b| b.sample(x[i]).distance);
            let nearest = distances.reduce(f64::min);
            nearest.map(|d| d - self.model.contact_offsets[i])
        };
        free.filter_map(gap).reduce(f64::min)
    }

    /// Reach of the barriers (m).
    pub fn reach(&self) -> f64 {
        self.reach
    }
}

/// Weight of a node (N); without gravity, what it would weigh on the ground.
fn weight(model: &Model, gravity: DVec3, node: usize) -> f64 {
    let pull = (model.gravity_factors[node] * gravity).length();
    let pull = if pull > 0.0 { pull } else { STANDARD_GRAVITY };
    model.masses[node] * pull
}

/// Mean rest length of all edges (m).
pub(super) fn mean_edge(model: &Model) -> f64 {
    let lengths = || model.cloths.iter().flat_map(|c| &c.rest.edge_lengths);
    lengths().sum::<f64>() / lengths().count().max(1) as f64
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
