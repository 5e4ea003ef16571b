//! What a step says about itself: status, certificate, times; and what can go wrong.

pub use crate::error::{Phase, StepError};
pub use crate::timing::PhaseTimes;

use crate::contact::{ClothContact, ContactReport, gaps};
use crate::hold::Context;
use crate::integrate::{Predicted, UnifiedReport};
use crate::limit::LimitReport;
use crate::model::Model;
use crate::parallel;
use crate::respond::Response;
use crate::state::State;
use glam::DVec3;

/// How a step ended, from the best to the gravest. A status is not an error: the state is usable, and the certificate says how
/// good it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
    /// Largest principal strain of any face, in whatever direction: the larger singular value of `∂x/∂ū`, less 1.
    pub strain_max: f64,
    /// Smallest principal strain of any face: below 0 where cloth is shorter than at rest, by compression or by shear.
    pub strain_min: f64,
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
    /// How well the cloths' limits hold in what was committed, the worst of them; `None` if no cloth has any.
    pub limit: Option<LimitReport>,
    /// What contact between cloths came to; `None` if none may touch.
    pub contact: Option<ContactReport>,
    /// The share of its way that the step has done: below 1 where contacts would not let all of it.
    pub share_done: f64,
    /// By how much friction leaves its cone at most (N): the cone is that of a push which is looked for at the same time.
    /// `None` where friction is not solved for with everything else.
    pub friction_residual: Option<f64>,
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
                model.masses[i] * state.gravity_of(model, i).dot(state.positions[i])
            }),
            elastic: model
                .energies
                .iter()
                .map(|e| e.value(&state.memory(), &state.positions))
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

/// Largest and smallest principal strain of all faces: of triangles, and at the corners of quads.
pub(crate) fn principal_strains(model: &Model, positions: &[DVec3]) -> [f64; 2] {
    let points = &model.strain_points;
    let strains = points.iter().map(|p| p.principal_stretches(positions));
    let (most, least) = strains.fold((0.0f64, f64::INFINITY), |(most, least), [a, b]| {
        (most.max(a), least.min(b))
    });
    match points.is_empty() {
        true => [0.0; 2],
        false => [most - 1.0, least - 1.0],
    }
}

/// Measures the state that a step has committed.
pub(crate) fn certify(
    context: &Context,
    response: &Response,
    contact: Option<&ClothContact>,
    predicted: &Predicted,
) -> StepReport {
    let Context {
        model,
        state,
        holds,
        ..
    } = *context;
    let positions = &state.positions;
    let (stretch_worst, stretch_mean) = stretch(model, positions);
    let [strain_max, strain_min] = principal_strains(model, positions);
    let (gap_smallest, squeezed) = gap(context, response);
    let faces = response.faces.as_deref();
    let bodies = &response.around.bodies;
    let limits = response.limits.as_deref();
    let limit = limits.and_then(|limits| limits.certify(model, positions));
    let contact = contact.and_then(ClothContact::report);
    StepReport {
        status: Status::of(predicted, limit, contact),
        certificate: Certificate {
            stretch_worst,
            stretch_mean,
            strain_max,
            strain_min,
            pin_residual: holds.residual(positions),
            gap_smallest,
            gap_between: faces.and_then(|f| f.smallest_distance(bodies, positions)),
            squeezed,
            intersections: None,
            iterations: predicted.iterations,
            newton_steps: predicted.newton_steps,
            force_residual: predicted.force_residual,
            linear_residual: predicted.linear_residual,
            limit,
            contact,
            share_done: 1.0,
            friction_residual: None,
        },
        times: PhaseTimes::default(),
    }
}

impl Status {
    /// The gravest of what happened.
    fn of(
        predicted: &Predicted,
        limit: Option<LimitReport>,
        contact: Option<ContactReport>,
    ) -> Self {
        if contact.is_some_and(|c| c.missed > 0) {
            Status::ContactMissed
        } else if limit.is_some_and(|l| !l.converged) {
            Status::LimitMissed
        } else if !predicted.converged {
            Status::IterationLimit
        } else {
            Status::Converged
        }
    }
}

/// Smallest gap to the bodies as they stand at the end of the step, and how many free nodes are squeezed.
fn gap(context: &Context, response: &Response) -> (Option<f64>, usize) {
    let around = &response.around;
    // Cloth between bodies is as thin as they leave room for, but not thinner than nothing.
    let gaps = gaps(&around.bodies, &context.state.positions, |i| {
        around.offsets[i].max(0.0)
    });
    let offsets = &context.model.contact_offsets;
    let squeezed = |&i: &usize| context.is_free(i) && gaps[i] < -0.5 * offsets[i];
    let count = (0..gaps.len()).filter(squeezed).count();
    (gaps.into_iter().reduce(f64::min), count)
}

/// The larger of two numbers of which either may be missing.
fn largest(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    a.into_iter().chain(b).reduce(f64::max)
}

/// The smaller of two such numbers.
fn smallest(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    a.into_iter().chain(b).reduce(f64::min)
}

impl StepReport {
    /// The same with what a solve of all rows says of limits and contacts.
    pub(crate) fn with(self, told: &UnifiedReport, predicted: &Predicted) -> StepReport {
        let UnifiedReport {
            limit,
            contact,
            share_done,
            friction_residual,
            gap_between,
        } = *told;
        StepReport {
            status: Status::of(predicted, limit, contact),
            certificate: Certificate {
                limit,
                contact,
                share_done,
                friction_residual,
                gap_between,
                ..self.certificate
            },
            ..self
        }
    }

    /// This step and the one after it as one: the worst of what both said, iterations and times of both.
    pub fn and(&self, next: &StepReport) -> StepReport {
        let (a, b) = (&self.certificate, &next.certificate);
        let mut times = self.times;
        times.add(&next.times);
        StepReport {
            status: self.status.max(next.status),
            certificate: a.and(b),
            times,
        }
    }
}

impl Certificate {
    fn and(&self, next: &Certificate) -> Certificate {
        Certificate {
            stretch_worst: self.stretch_worst.max(next.stretch_worst),
            stretch_mean: next.stretch_mean,
            strain_max: self.strain_max.max(next.strain_max),
            strain_min: self.strain_min.min(next.strain_min),
            pin_residual: self.pin_residual.max(next.pin_residual),
            gap_smallest: smallest(self.gap_smallest, next.gap_smallest),
            gap_between: smallest(self.gap_between, next.gap_between),
            squeezed: self.squeezed.max(next.squeezed),
            intersections: next.intersections,
            iterations: self.iterations + next.iterations,
            newton_steps: self.newton_steps + next.newton_steps,
            force_residual: largest(self.force_residual, next.force_residual),
            linear_residual: self.linear_residual.max(next.linear_residual),
            limit: LimitReport::worst(self.limit, next.limit),
            contact: match (self.contact, next.contact) {
                (Some(a), Some(b)) => Some(a.and(&b)),
                (a, b) => a.or(b),
            },
            share_done: self.share_done.min(next.share_done),
            friction_residual: largest(self.friction_residual, next.friction_residual),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(residual: f64, converged: bool) -> LimitReport {
        LimitReport {
            iterations: 2,
            linear_iterations: 3,
            residual,
            least_multiplier: None,
            converged,
        }
    }

    fn report(status: Status, limit: LimitReport) -> StepReport {
        StepReport {
            status,
            certificate: Certificate {
                stretch_worst: 0.1,
                stretch_mean: 0.01,
                strain_max: 0.12,
                strain_min: -0.1,
                pin_residual: 0.0,
                gap_smallest: Some(1e-3),
                gap_between: None,
                squeezed: 0,
                intersections: None,
                iterations: 5,
                newton_steps: 1,
                force_residual: None,
                linear_residual: 1e-4,
                limit: Some(limit),
                contact: None,
                share_done: 1.0,
                friction_residual: None,
            },
            times: PhaseTimes::default(),
        }
    }

    /// Symptom: sub-stepped runs wrote the first sub-step's limit residual. Mechanism: merging left `limit` out.
    #[test]
    fn steps_in_one_report_the_worst_limit_of_all() {
        let first = report(Status::Converged, limit(1e-4, true));
        let second = report(Status::LimitMissed, limit(0.3, false));
        for both in [first.and(&second), second.and(&first)] {
            let merged = both.certificate.limit.unwrap_or_else(|| unreachable!());
            assert_eq!(merged.residual, 0.3);
            assert!(!merged.converged);
            assert_eq!(merged.linear_iterations, 6);
            assert_eq!(both.status, Status::LimitMissed);
        }
    }

    /// Symptom: an iteration limit or a missed limit hid a missed contact.
    #[test]
    fn a_missed_contact_is_hidden_by_nothing() {
        let unsolved = Predicted {
            converged: false,
            ..Predicted::EXPLICIT
        };
        let missed = ContactReport {
            missed: 1,
            ..Default::default()
        };
        let status = |limit, contact| Status::of(&unsolved, limit, contact);
        assert_eq!(
            status(Some(limit(0.3, false)), Some(missed)),
            Status::ContactMissed
        );
        assert_eq!(status(Some(limit(0.3, false)), None), Status::LimitMissed);
        assert_eq!(
            status(None, Some(Default::default())),
            Status::IterationLimit
        );
        let solved = Status::of(&Predicted::EXPLICIT, None, None);
        assert_eq!(solved, Status::Converged);
        let merged = report(Status::ContactMissed, limit(0.0, true));
        let merged = merged.and(&report(Status::IterationLimit, limit(0.0, true)));
        assert_eq!(merged.status, Status::ContactMissed);
    }
}
