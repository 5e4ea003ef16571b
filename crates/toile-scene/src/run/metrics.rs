//! The table of certificates, one row per frame.

use glam::DVec3;
use toile::advance::AdvanceReport;
use toile::certificate::{Energies, Momenta, PhaseTimes, Status};
use toile::model::Model;

/// What a frame's steps had to say, worst first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameMetrics {
    /// Largest edge strain in any step.
    pub stretch_worst: f64,
    /// The edge that was strained most, counted through all cloths; `None` if nobody looked.
    pub edge_worst: Option<usize>,
    /// Mean absolute edge strain after the last step.
    pub stretch_mean: f64,
    /// Largest principal strain of a face in any step.
    pub strain_max: f64,
    /// Smallest principal strain of a face in any step.
    pub strain_min: f64,
    /// Largest distance of a held node from its target (m).
    pub pin_residual: f64,
    /// Smallest gap to any body (m); `NaN` without bodies.
    pub gap_smallest: f64,
    /// Smallest distance of the cloth's middle from bodies between its nodes (m); `NaN` where nothing touches there.
    pub gap_between: f64,
    /// The most nodes to which bodies left no room in any step.
    pub squeezed_nodes: usize,
    /// Iterations of all linear solves.
    pub iterations: u32,
    /// Largest relative residual of a linear solve.
    pub linear_residual: f64,
    /// Iterations of all limits.
    pub limit_iterations: u32,
    /// Worst relative violation that a limit left; `NaN` without limits.
    pub limit_residual: f64,
    /// Collisions of cloth with cloth that were found and resolved.
    pub collisions: usize,
    /// Smallest distance between features of cloth at the start of a step (m), if nearer than the thickness; else `NaN`.
    pub contact_gap: f64,
    /// Nodes of the largest impact zone.
    pub impact_zone: usize,
    /// Pairs of intersecting faces when last looked for; `None` while nothing has looked.
    pub intersections: Option<usize>,
    /// Steps that did not converge, or stayed above the tolerance of the step control.
    pub unconverged_steps: u32,
    /// Of these, the ones in which a linear solve or Newton steps ended at their limit.
    pub solve_missed: u32,
    /// Of these, the ones in which a limit of cloth was not met.
    pub limit_missed: u32,
    /// Of these, the ones in which cloth could not be kept from passing through cloth.
    pub contact_missed: u32,
    /// Steps made.
    pub substeps: u32,
    /// Steps taken back because they diverged or erred too much.
    pub rejected_steps: u32,
    /// The smallest share of its way that a step did.
    pub share_done: f64,
    /// The most that friction left its cone by (N); `NaN` where that was not asked.
    pub friction_residual: f64,
    /// Wall time by phase (s).
    pub times: PhaseTimes,
}

/// Columns of `metrics.csv`.
pub const METRIC_COLUMNS: &str = "time,stretch_worst,stretch_mean,gap_smallest,gap_between,pin_residual,iterations,\
    linear_residual,limit_iterations,limit_residual,collisions,contact_gap,impact_zone,squeezed_nodes,intersections,unconverged_steps,substeps,rejected_steps,energy_kinetic,energy_gravity,energy_elastic,energy_total,\
    momentum_x,momentum_y,momentum_z,spin_x,spin_y,spin_z,solve_missed,limit_missed,contact_missed,edge_worst,strain_max,strain_min,share_done,friction_residual";

pub(super) const TIMING_COLUMNS: &str =
    "time,drive,assemble,solve,limit,collide,contact,certify,total";

impl FrameMetrics {
    /// Before any step.
    pub fn empty() -> Self {
        FrameMetrics {
            stretch_worst: f64::NEG_INFINITY,
            edge_worst: None,
            stretch_mean: 0.0,
            strain_max: f64::NEG_INFINITY,
            strain_min: f64::INFINITY,
            pin_residual: 0.0,
            gap_smallest: f64::NAN,
            gap_between: f64::NAN,
            squeezed_nodes: 0,
            iterations: 0,
            linear_residual: 0.0,
            limit_iterations: 0,
            limit_residual: f64::NAN,
            collisions: 0,
            contact_gap: f64::NAN,
            impact_zone: 0,
            intersections: None,
            unconverged_steps: 0,
            solve_missed: 0,
            limit_missed: 0,
            contact_missed: 0,
            substeps: 0,
            rejected_steps: 0,
            share_done: 1.0,
            friction_residual: f64::NAN,
            times: PhaseTimes::default(),
        }
    }

    /// Takes a step of the schedule into account that led to these positions, and which edge it strained
    /// most.
    pub fn add_step(&mut self, advanced: &AdvanceReport, model: &Model, positions: &[DVec3]) {
        // Looked for only where the worst strain grows: the certificate has the number, but not the edge.
        if advanced.report.certificate.stretch_worst > self.stretch_worst {
            self.edge_worst = worst_edge(model, positions);
        }
        self.add(advanced);
    }

    /// Takes a step of the schedule into account.
    pub fn add(&mut self, advanced: &AdvanceReport) {
        let report = &advanced.report;
        let certificate = &report.certificate;
        self.stretch_worst = self.stretch_worst.max(certificate.stretch_worst);
        self.stretch_mean = certificate.stretch_mean;
        self.strain_max = self.strain_max.max(certificate.strain_max);
        self.strain_min = self.strain_min.min(certificate.strain_min);
        self.pin_residual = self.pin_residual.max(certificate.pin_residual);
        // f64::min passes over NaN, so the first real gap replaces it.
        let gap = certificate.gap_smallest.unwrap_or(f64::NAN);
        self.gap_smallest = self.gap_smallest.min(gap);
        let between = certificate.gap_between.unwrap_or(f64::NAN);
        self.gap_between = self.gap_between.min(between);
        self.squeezed_nodes = self.squeezed_nodes.max(certificate.squeezed);
        self.iterations += certificate.iterations;
        self.linear_residual = self.linear_residual.max(certificate.linear_residual);
        if let Some(limit) = &certificate.limit {
            self.limit_iterations += limit.iterations;
            self.limit_residual = self.limit_residual.max(limit.residual);
        }
        if let Some(contact) = &certificate.contact {
            self.collisions += contact.collisions;
            let gap = contact.smallest_gap.unwrap_or(f64::NAN);
            self.contact_gap = self.contact_gap.min(gap);
            self.impact_zone = self.impact_zone.max(contact.largest_zone);
        }
        let worst = self.intersections.max(certificate.intersections);
        self.intersections = worst;
        let unconverged = u32::from(report.status != Status::Converged);
        self.unconverged_steps += unconverged.max(advanced.above_tolerance);
        match report.status {
            Status::Converged => {}
            Status::IterationLimit => self.solve_missed += 1,
            Status::LimitMissed => self.limit_missed += 1,
            Status::ContactMissed => self.contact_missed += 1,
        }
        self.share_done = self.share_done.min(certificate.share_done);
        let breach = certificate.friction_residual.unwrap_or(f64::NAN);
        self.friction_residual = self.friction_residual.max(breach);
        self.substeps += advanced.substeps;
        self.rejected_steps += advanced.rejected;
        self.times.add(&report.times);
    }

    /// A row of `metrics.csv`. What is not known is left empty.
    pub fn row(&self, time: f64, energies: &Energies, momenta: &Momenta) -> String {
        let known = |value: f64| {
            if value.is_finite() {
                value.to_string()
            } else {
                String::new()
            }
        };
        [
            known(time),
            known(self.stretch_worst),
            known(self.stretch_mean),
            known(self.gap_smallest),
            known(self.gap_between),
            known(self.pin_residual),
            self.iterations.to_string(),
            known(self.linear_residual),
            self.limit_iterations.to_string(),
            known(self.limit_residual),
            self.collisions.to_string(),
            known(self.contact_gap),
            self.impact_zone.to_string(),
            self.squeezed_nodes.to_string(),
            self.intersections
                .map_or_else(String::new, |n| n.to_string()),
            self.unconverged_steps.to_string(),
            self.substeps.to_string(),
            self.rejected_steps.to_string(),
            known(energies.kinetic),
            known(energies.gravity),
            known(energies.elastic),
            known(energies.total()),
            known(momenta.linear.x),
            known(momenta.linear.y),
            known(momenta.linear.z),
            known(momenta.spin.x),
            known(momenta.spin.y),
            known(momenta.spin.z),
            self.solve_missed.to_string(),
            self.limit_missed.to_string(),
            self.contact_missed.to_string(),
            self.edge_worst
                .map_or_else(String::new, |edge| edge.to_string()),
            known(self.strain_max),
            known(self.strain_min),
            known(self.share_done),
            known(self.friction_residual),
        ]
        .join(",")
    }

    /// A row of `timings.csv`.
    pub(super) fn timing_row(&self, time: f64) -> String {
        let t = &self.times;
        let numbers = [
            t.drive,
            t.assemble,
            t.solve,
            t.limit,
            t.collide,
            t.contact,
            t.certify,
            t.total(),
        ];
        let numbers = numbers.map(|n| format!("{n:.6}"));
        format!("{time},{}", numbers.join(","))
    }
}

/// The edge with the largest strain, counted through all cloths.
fn worst_edge(model: &Model, positions: &[DVec3]) -> Option<usize> {
    let edges = model.cloths.iter().flat_map(|cloth| {
        let positions = &positions[cloth.nodes.clone()];
        let rest = cloth.topology.edges.iter().zip(&cloth.rest.edge_lengths);
        rest.map(move |(edge, length)| {
            let [a, b] = edge.nodes.map(|n| positions[n as usize]);
            a.distance(b) / length
        })
    });
    let worst = edges.enumerate().max_by(|a, b| a.1.total_cmp(&b.1))?;
    Some(worst.0)
}
