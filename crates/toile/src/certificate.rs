//! What a step says about itself: status, certificate, times; and what can go wrong.

use crate::contact::{ContactReport, Surroundings, gaps};
use crate::energy::Memory;
use crate::limit::LimitReport;
use crate::linalg::Filter;
use crate::model::Model;
use crate::parallel;
use crate::state::State;
use glam::DVec3;
use thiserror::Error;

/// How a step ended. A status is not an error: the state is usable, and the certificate says how good it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Every solve reached its tolerance.
    Converged,
    /// A solve stopped at its iteration limit.
    IterationLimit,
    /// A [limit](crate::limit) could not be met, for example because pins pull the cloth apart; the certificate says by how much.
    LimitMissed,
    /// Cloth could not be kept from passing through cloth, because pins left no room.
    ContactMissed,
}

/// How well a step held.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Certificate {
    /// Largest strain of any edge, `l/l̄ − 1`.
    pub stretch_worst: f64,
    /// Mean of `|l/l̄ − 1|` over all edges.
    pub stretch_mean: f64,
    /// Largest distance of a held node from its target (m).
    pub pin_residual: f64,
    /// Smallest gap between the surface of the cloth at its nodes and bodies (m), negative where they overlap; `None` without bodies.
    pub gap_smallest: Option<f64>,
    /// Smallest distance of the middle of the cloth from bodies at places between nodes that touch them (m), negative where a body
    /// reaches through; `None` if there are none.
    pub gap_between: Option<f64>,
    /// Free nodes that end nearer to a body than half the distance they keep from it: bodies, or parts of one, leave them no room.
    pub squeezed: usize,
    /// Intersections left; `None` while nothing has looked for them.
    pub intersections: Option<usize>,
    /// Iterations of the linear solver.
    pub iterations: u32,
    /// Newton steps made; 0 for explicit integrators.
    pub newton_steps: u32,
    /// What the last Newton step left of the nonlinear equation, relative like `linear_residual`; `None` if only
    /// one was asked for.
    pub force_residual: Option<f64>,
    /// Residual of the linear solve relative to the larger of its right side and the impulse of gravity.
    pub linear_residual: f64,
    /// How well the cloths' limits held, the worst of them; `None` if no cloth has any.
    pub limit: Option<LimitReport>,
    /// What contact between cloths came to; `None` if none may touch.
    pub contact: Option<ContactReport>,
}

/// Wall time of each phase (s); zeros if the workspace has no clock.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct PhaseTimes {
    /// Kinematic targets.
    pub drive: f64,
    /// Forces and stiffness.
    pub assemble: f64,
    /// The linear solve.
    pub solve: f64,
    /// Limits.
    pub limit: f64,
    /// Contact with bodies.
    pub collide: f64,
    /// Contact between cloths.
    pub contact: f64,
    /// Commit and certificate.
    pub certify: f64,
}

impl PhaseTimes {
    /// All phases together (s).
    pub fn total(&self) -> f64 {
        self.drive
            + self.assemble
            + self.solve
            + self.limit
            + self.collide
            + self.contact
            + self.certify
    }

    /// Adds another step's times.
    pub fn add(&mut self, other: &PhaseTimes) {
        self.drive += other.drive;
        self.assemble += other.assemble;
        self.solve += other.solve;
        self.limit += other.limit;
        self.collide += other.collide;
        self.contact += other.contact;
        self.certify += other.certify;
    }
}

/// What a step reports.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepReport {
    /// How it ended.
    pub status: Status,
    /// How well it held.
    pub certificate: Certificate,
    /// How long it took.
    pub times: PhaseTimes,
}

/// Part of a step, for error messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Forces and the integrator.
    Predict,
    /// Limits.
    Limit,
    /// Contact with bodies.
    Collide,
    /// Contact between cloths.
    Contact,
}

impl std::fmt::Display for Phase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Phase::Predict => "predict (forces and integration)",
            Phase::Limit => "limit",
            Phase::Collide => "collide",
            Phase::Contact => "contact between cloths",
        })
    }
}

/// A step that could not be made. The state is as it was before.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum StepError {
    /// A position or velocity became infinite or not a number.
    #[error(
        "at t = {time:.6} s, phase {phase}: node {node} of cloth `{cloth}` left the finite numbers; \
         the step is too long for these forces: shorten it, soften the material or choose backward Euler"
    )]
    NotFinite {
        /// Where in the step.
        phase: Phase,
        /// The cloth.
        cloth: String,
        /// The node, counted in the cloth.
        node: usize,
        /// Time at the start of the step (s).
        time: f64,
    },
    /// An edge grew out of all proportion.
    #[error(
        "at t = {time:.6} s, phase {phase}: an edge at node {node} of cloth `{cloth}` came out {ratio:.3e} times as long as at \
         rest; the step is too long for these forces: shorten it, soften the material or choose backward Euler",
        phase = Phase::Predict
    )]
    Exploded {
        /// The cloth.
        cloth: String,
        /// A node of the edge, counted in the cloth.
        node: usize,
        /// Time at the start of the step (s).
        time: f64,
        /// Length over rest length.
        ratio: f64,
    },
    /// Shorter and shorter steps did not help.
    #[error("shorter steps, down to {smallest:.3e} s, did not help: {cause}")]
    GaveUp {
        /// The last step tried (s).
        smallest: f64,
        /// What became of it.
        cause: Box<StepError>,
    },
    /// The stability limit asks for more sub-steps than anyone would wait for.
    #[error(
        "at t = {time:.6} s: steps below {longest:.3e} s would be needed to cover {duration} s; soften the material, \
         coarsen the mesh or choose backward Euler"
    )]
    TooManySubSteps {
        /// Time (s).
        time: f64,
        /// The longest step allowed (s).
        longest: f64,
        /// The span to cover (s).
        duration: f64,
    },
    /// The step length makes no sense.
    #[error("the time step is {h} s; it must be a positive number")]
    BadStep {
        /// The step (s).
        h: f64,
    },
}

impl StepError {
    /// Whether a shorter step may do better.
    pub(crate) fn is_divergence(&self) -> bool {
        matches!(
            self,
            StepError::NotFinite { .. } | StepError::Exploded { .. }
        )
    }

    /// The same, told after some steps were taken back; the last one was `smallest` seconds long.
    pub(crate) fn after_retries(self, retries: u32, smallest: f64) -> Self {
        if retries == 0 || !self.is_divergence() {
            return self;
        }
        StepError::GaveUp {
            smallest,
            cause: Box::new(self),
        }
    }
}

/// Energies of a state (J).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Energies {
    /// `½ Σ m v²`.
    pub kinetic: f64,
    /// `−Σ m g·x`, with the virtual mass where a cloth has one.
    pub gravity: f64,
    /// Stored in the cloth.
    pub elastic: f64,
}

impl Energies {
    /// Energies of a state.
    pub fn of(model: &Model, state: &State) -> Self {
        let count = model.node_count();
        Energies {
            kinetic: parallel::sum(count, |i| {
                0.5 * model.masses[i] * state.velocities[i].length_squared()
            }),
            gravity: -parallel::sum(count, |i| {
                model.masses[i] * model.gravity_of(i).dot(state.positions[i])
            }),
            elastic: model
                .energies
                .iter()
                .map(|e| e.value(&Memory::of(state), &state.positions))
                .sum(),
        }
    }

    /// Their sum (J).
    pub fn total(&self) -> f64 {
        self.kinetic + self.gravity + self.elastic
    }
}

/// Linear momentum (kg·m/s) and angular momentum about the origin (kg·m²/s).
pub fn momentum(model: &Model, state: &State) -> (DVec3, DVec3) {
    let mut sums = (DVec3::ZERO, DVec3::ZERO);
    let nodes = state.positions.iter().zip(&state.velocities);
    for ((x, v), &mass) in nodes.zip(&model.masses) {
        sums.0 += mass * *v;
        sums.1 += mass * x.cross(*v);
    }
    sums
}

/// Momentum of all cloth, split so that uniform gravity acts on one part only.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Momenta {
    /// `Σ m v` (kg·m/s).
    pub linear: DVec3,
    /// Angular momentum about the centre of mass (kg·m²/s): neither a shift of the origin nor a uniform field changes it.
    pub spin: DVec3,
}

impl Momenta {
    /// Momenta of a state.
    pub fn of(model: &Model, state: &State) -> Self {
        let (linear, angular) = momentum(model, state);
        let nodes = model.masses.iter().zip(&state.positions);
        let moment: DVec3 = nodes.map(|(&mass, x)| mass * *x).sum();
        let centre = moment / model.total_mass();
        Momenta {
            linear,
            spin: angular - centre.cross(linear),
        }
    }
}

/// Largest and mean absolute edge strain.
pub(crate) fn stretch(model: &Model, positions: &[DVec3]) -> (f64, f64) {
    let (mut worst, mut sum, mut count) = (f64::NEG_INFINITY, 0.0, 0usize);
    for cloth in &model.cloths {
        let positions = &positions[cloth.nodes.clone()];
        for (edge, &rest) in cloth.topology.edges.iter().zip(&cloth.rest.edge_lengths) {
            let [a, b] = edge.nodes.map(|n| positions[n as usize]);
            let strain = a.distance(b) / rest - 1.0;
            worst = worst.max(strain);
            sum += strain.abs();
        }
        count += cloth.topology.edges.len();
    }
    (worst, sum / count.max(1) as f64)
}

/// Smallest gap to the bodies as they stand at the end of the step, and how many free nodes are squeezed.
pub(crate) fn gap(
    model: &Model,
    around: &Surroundings,
    holds: &[Filter],
    positions: &[DVec3],
) -> (Option<f64>, usize) {
    // Cloth between bodies is as thin as they leave room for, but not thinner than nothing.
    let gaps = gaps(&around.bodies, positions, |i| around.offsets[i].max(0.0));
    let squeezed = |&i: &usize| {
        let free = holds[i] == Filter::Free;
        free && gaps[i] < -0.5 * model.contact_offsets[i]
    };
    let count = (0..gaps.len()).filter(squeezed).count();
    (gaps.into_iter().reduce(f64::min), count)
}
