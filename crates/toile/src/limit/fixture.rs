//! Sheets that the tests of several limits share.

#![allow(clippy::unwrap_used)]

use super::LimitStep;
use crate::linalg::Filter;
use crate::mesh::generate::{Grid, GridPattern, grid};
use crate::mesh::{RestShape, Topology};
use glam::{DQuat, DVec3};

/// A flat sheet of 1 m × 1 m, free, of 0.2 kg/m², in a world of its own.
pub(super) struct Sheet {
    pub topology: Topology,
    pub rest: RestShape,
    pub positions: Vec<DVec3>,
    pub inverse_masses: Vec<f64>,
    pub filters: Vec<Filter>,
}

/// The step's length (s) in tests.
pub(super) const STEP: f64 = 0.01;

pub(super) fn sheet(cells: u32, pattern: GridPattern) -> Sheet {
    let mesh = grid(&Grid {
        size: [1.0, 1.0],
        cells: [cells, cells],
        pattern,
    })
    .unwrap();
    let topology = Topology::new(mesh.positions.len(), mesh.faces).unwrap();
    let rest = RestShape::from_positions(&topology, &mesh.positions).unwrap();
    Sheet {
        inverse_masses: rest.node_areas.iter().map(|a| 1.0 / (0.2 * a)).collect(),
        filters: vec![Filter::Free; mesh.positions.len()],
        positions: mesh.positions,
        topology,
        rest,
    }
}

impl Sheet {
    pub(super) fn step(&self) -> LimitStep<'_> {
        LimitStep {
            start: &[],
            h: STEP,
            inverse_masses: &self.inverse_masses,
            filters: &self.filters,
        }
    }

    /// The sheet bent and stretched: `amount` is about the largest strain.
    pub(super) fn disturbed(&self, amount: f64) -> Vec<DVec3> {
        let disturb = |p: &DVec3| {
            let wave = DVec3::new(
                (5.0 * p.y + 1.0).sin() * 0.2 + (9.0 * p.x).cos() * 0.1,
                (6.0 * p.x).sin() * 0.15,
                (7.0 * p.x + 3.0 * p.y).sin() * 0.2,
            );
            *p * (1.0 + 0.4 * amount) + wave * amount
        };
        self.positions.iter().map(disturb).collect()
    }

    pub(super) fn mass(&self, node: usize) -> f64 {
        1.0 / self.inverse_masses[node]
    }

    /// `Σ m Δx`, in units of the sheet's mass times the largest move.
    pub(super) fn linear_momentum(&self, before: &[DVec3], after: &[DVec3]) -> f64 {
        let moves = || (0..before.len()).map(|i| (i, after[i] - before[i]));
        let sum: DVec3 = moves().map(|(i, d)| self.mass(i) * d).sum();
        let size: f64 = moves().map(|(i, d)| self.mass(i) * d.length()).sum();
        sum.length() / size
    }

    /// `Σ m x × Δx` about the positions `at`, in the same way.
    pub(super) fn angular_momentum(&self, at: &[DVec3], before: &[DVec3], after: &[DVec3]) -> f64 {
        let moves = || (0..before.len()).map(|i| (i, after[i] - before[i]));
        let sum: DVec3 = moves().map(|(i, d)| self.mass(i) * at[i].cross(d)).sum();
        let size: f64 = moves()
            .map(|(i, d)| self.mass(i) * at[i].length() * d.length())
            .sum();
        sum.length() / size
    }
}

/// A turn and a shift.
pub(super) fn rigid(p: DVec3) -> DVec3 {
    DQuat::from_axis_angle(DVec3::new(1.0, 2.0, -0.5).normalize(), 1.1) * p
        + DVec3::new(0.3, -2.0, 0.7)
}

pub(super) fn largest_distance(a: &[DVec3], b: &[DVec3]) -> f64 {
    let distances = a.iter().zip(b).map(|(p, q)| p.distance(*q));
    distances.fold(0.0, f64::max)
}
