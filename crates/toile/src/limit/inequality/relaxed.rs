//! Inequalities by the [method of multipliers](crate::limit::Lagrangian).

use super::constraint::Pair;
use super::{InequalityScratch, InequalitySettings};
use crate::limit::{
    Lagrangian, LagrangianScratch, LagrangianSettings, Lengths, LimitReport, LimitStep, Obstacle,
};
use glam::DVec3;

/// The limits as one-sided lengths. These are `C = 2 c`, so what pulls with `λ` for them pulls with `2 λ` for
/// `c`.
#[derive(Clone, Debug)]
pub(super) struct Relaxed {
    lagrangian: Lagrangian<Lengths>,
    /// Which pair each length is.
    order: Vec<u32>,
}

/// What [`Relaxed`] works in.
#[derive(Debug, Default)]
pub(super) struct RelaxedScratch {
    room: Option<Box<LagrangianScratch>>,
    /// For callers that remember nothing.
    forces: Vec<f64>,
}

impl RelaxedScratch {
    pub(super) fn pushes(&self, add: &mut dyn FnMut(u32, DVec3)) {
        if let Some(room) = &self.room {
            room.pushes(add);
        }
    }
}

impl Relaxed {
    pub(super) fn new(pairs: &[Pair], first_node: u32, settings: &InequalitySettings) -> Self {
        let mut order: Vec<u32> = (0..pairs.len() as u32).collect();
        // Those of one node share their place in memory.
        order.sort_by_key(|&p| (pairs[p as usize].nodes, pairs[p as usize].equal));
        let sorted = order.iter().map(|&p| {
            let pair = &pairs[p as usize];
            (pair.nodes, pair.longest, !pair.equal)
        });
        let lengths = Lengths::of_pairs(&sorted.collect::<Vec<_>>(), first_node);
        let usual = LagrangianSettings::default();
        let settings = LagrangianSettings {
            tolerance: 2.0 * settings.tolerance,
            max_iterations: settings.max_iterations,
            exactness: settings.stationarity.unwrap_or(usual.exactness),
            ..usual
        };
        Relaxed {
            lagrangian: Lagrangian::new(lengths, settings),
            order,
        }
    }

    pub(super) fn lengths(&self) -> &Lengths {
        self.lagrangian.constraints()
    }

    pub(super) fn memory(&self) -> usize {
        self.lagrangian.memory()
    }

    pub(super) fn apply(
        &self,
        step: &LimitStep,
        scratch: &mut InequalityScratch,
        obstacles: &[Obstacle],
        forces: &mut [f64],
        positions: &mut [DVec3],
    ) -> LimitReport {
        let RelaxedScratch { room, forces: own } = &mut scratch.relaxed;
        let room = room.get_or_insert_with(|| Box::new(self.lagrangian.scratch()));
        let forces = if forces.is_empty() {
            own.clear();
            own.resize(self.memory(), 0.0);
            own
        } else {
            forces
        };
        let report = self
            .lagrangian
            .apply(step, obstacles, forces, room, positions);
        scratch.solve.multipliers.clear();
        scratch.solve.multipliers.resize(self.order.len(), 0.0);
        for (&pair, force) in self.order.iter().zip(&*forces) {
            scratch.solve.multipliers[pair as usize] = 2.0 * force;
        }
        LimitReport {
            residual: 0.5 * report.residual,
            ..report
        }
    }
}
