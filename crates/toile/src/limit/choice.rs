//! One limit of one cloth, whichever it is.

use super::area::{AreaLimit, AreaScratch};
use super::inequality::{InequalityInput, InequalityLimit, InequalityScratch};
use super::strain::{StrainLimit, StrainScratch};
use super::{
    Constraints, EquationScratch, Equations, Lengths, LimitReport, LimitStep, Metric, Obstacle,
    StretchLimit,
};
use glam::DVec3;

/// A limit of one cloth.
#[derive(Clone, Debug)]
pub enum Limit {
    /// Every edge within bounds, edge by edge (Provot 1995; Bridson, Marino and Fedkiw 2003).
    Strain(StrainLimit),
    /// Every face keeps its area (APSL, 2015).
    Area(AreaLimit),
    /// No edge longer than allowed, but shorter as it likes (Jin et al. 2017).
    Inequality(Box<InequalityLimit>),
    /// Edges keep their lengths (Goldenthal et al. 2007).
    Lengths(Equations<Lengths>),
    /// The surface keeps its metric (Coltraro et al. 2022).
    Metric(Equations<Metric>),
    /// No direction of any face longer than allowed.
    Stretch(Box<StretchLimit>),
}

/// What a [`Limit`] works in.
#[derive(Debug)]
pub enum LimitScratch {
    /// Of [`Limit::Strain`].
    Strain(StrainScratch),
    /// Of [`Limit::Area`].
    Area(AreaScratch),
    /// Of [`Limit::Inequality`].
    Inequality(Box<InequalityScratch>),
    /// Of [`Limit::Lengths`] and [`Limit::Metric`].
    Equations(EquationScratch),
    /// Of [`Limit::Stretch`], which is part of the solve and needs none.
    None,
}

impl LimitScratch {
    /// What obstacles pushed nodes by in the last call of [`Limit::apply`]: `add` hears of nodes, counted
    /// over the whole world, and of their mass times the way they were moved by (kg·m).
    pub(crate) fn pushes(&self, masses: &[f64], add: &mut dyn FnMut(u32, DVec3)) {
        match self {
            // It heeds no obstacles.
            LimitScratch::Area(_) | LimitScratch::None => {}
            LimitScratch::Strain(scratch) => scratch.pushes(masses, add),
            LimitScratch::Inequality(scratch) => scratch.pushes(add),
            LimitScratch::Equations(EquationScratch::Projected(scratch)) => scratch.pushes(add),
            LimitScratch::Equations(EquationScratch::Multiplied(scratch)) => scratch.pushes(add),
        }
    }
}

impl Limit {
    /// Scratch memory.
    pub fn scratch(&self) -> LimitScratch {
        match self {
            Limit::Strain(_) => LimitScratch::Strain(StrainScratch::default()),
            Limit::Area(_) => LimitScratch::Area(AreaScratch::default()),
            Limit::Inequality(_) => LimitScratch::Inequality(Box::default()),
            Limit::Lengths(lengths) => LimitScratch::Equations(lengths.scratch()),
            Limit::Metric(metric) => LimitScratch::Equations(metric.scratch()),
            Limit::Stretch(_) => LimitScratch::None,
        }
    }

    /// Whether it keeps nodes outside obstacles while it moves them.
    pub fn heeds_obstacles(&self) -> bool {
        match self {
            Limit::Area(_) | Limit::Stretch(_) => false,
            Limit::Strain(_) | Limit::Inequality(_) | Limit::Lengths(_) | Limit::Metric(_) => true,
        }
    }

    /// The worst violation at some positions (m), in the measure of its reports.
    pub fn residual(&self, positions: &[DVec3]) -> f64 {
        match self {
            Limit::Strain(limit) => limit.residual(positions),
            Limit::Area(limit) => limit.residual(positions),
            Limit::Inequality(limit) => limit.residual(positions),
            Limit::Lengths(lengths) => lengths.residual(positions),
            Limit::Metric(metric) => metric.residual(positions),
            Limit::Stretch(limit) => limit.residual(positions),
        }
    }

    /// The worst violation that it lets stand.
    pub fn tolerance(&self) -> f64 {
        match self {
            Limit::Strain(limit) => limit.settings().tolerance,
            Limit::Area(limit) => limit.settings().tolerance,
            Limit::Inequality(limit) => limit.settings().tolerance,
            Limit::Lengths(lengths) => lengths.tolerance(),
            Limit::Metric(metric) => metric.tolerance(),
            Limit::Stretch(limit) => limit.tolerance(),
        }
    }

    /// How many numbers it remembers from step to step.
    pub fn memory(&self) -> usize {
        match self {
            Limit::Strain(_) | Limit::Area(_) => 0,
            Limit::Inequality(limit) => limit.memory(),
            Limit::Lengths(lengths) => lengths.memory(),
            Limit::Metric(metric) => metric.memory(),
            Limit::Stretch(limit) => limit.memory(),
        }
    }

    /// How many multipliers it has as rows of a solve.
    pub(crate) fn multipliers(&self) -> usize {
        match self {
            Limit::Stretch(limit) => limit.memory(),
            _ => self.constraints().map_or(0, Constraints::count),
        }
    }

    /// Its equations or inequalities, if it is made of such.
    pub(crate) fn constraints(&self) -> Option<&dyn Constraints> {
        match self {
            Limit::Lengths(lengths) => Some(lengths.constraints()),
            Limit::Metric(metric) => Some(metric.constraints()),
            Limit::Inequality(limit) => limit.constraints().map(|c| c as &dyn Constraints),
            Limit::Area(limit) => Some(limit),
            Limit::Strain(_) | Limit::Stretch(_) => None,
        }
    }

    /// Moves candidate positions (m) of the whole world until the limit holds. Obstacles at nodes of other
    /// cloths are passed over. `forces` are as many as its [`memory`](Self::memory), or none: what it
    /// remembers of the step before (N·m), 0 at first, and then of this one. The scratch must be this limit's
    /// own.
    pub fn apply(
        &self,
        step: &LimitStep,
        obstacles: &[Obstacle],
        forces: &mut [f64],
        scratch: &mut LimitScratch,
        positions: &mut [DVec3],
    ) -> LimitReport {
        match (self, scratch) {
            (Limit::Strain(strain), LimitScratch::Strain(scratch)) => {
                strain.apply_among(step, obstacles, scratch, positions)
            }
            (Limit::Area(area), LimitScratch::Area(scratch)) => {
                area.apply(step, scratch, positions)
            }
            (Limit::Inequality(limit), LimitScratch::Inequality(scratch)) => {
                let input = InequalityInput {
                    obstacles,
                    multipliers: &[],
                };
                limit.apply_with(step, scratch, &input, forces, positions)
            }
            (Limit::Lengths(lengths), LimitScratch::Equations(scratch)) => {
                lengths.apply(step, obstacles, forces, scratch, positions)
            }
            (Limit::Metric(metric), LimitScratch::Equations(scratch)) => {
                metric.apply(step, obstacles, forces, scratch, positions)
            }
            (Limit::Stretch(limit), LimitScratch::None) => LimitReport {
                iterations: 0,
                linear_iterations: 0,
                residual: limit.residual(positions),
                least_multiplier: None,
                converged: limit.residual(positions) <= limit.tolerance(),
            },
            _ => panic!("a limit was given the scratch of another"),
        }
    }
}
