//! One limit of one cloth, whichever it is.

use super::area::{AreaLimit, AreaScratch};
use super::inequality::{InequalityInput, InequalityLimit, InequalityScratch};
use super::strain::{StrainLimit, StrainScratch};
use super::{Lengths, LimitReport, LimitStep, Metric, Obstacle, Projection, ProjectionScratch};
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
    Lengths(Box<Projection<Lengths>>),
    /// The surface keeps its metric (Coltraro et al. 2022).
    Metric(Box<Projection<Metric>>),
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
    Projection(Box<ProjectionScratch>),
}

impl Limit {
    /// Room to work in.
    pub fn scratch(&self) -> LimitScratch {
        match self {
            Limit::Strain(_) => LimitScratch::Strain(StrainScratch::default()),
            Limit::Area(_) => LimitScratch::Area(AreaScratch::default()),
            Limit::Inequality(_) => LimitScratch::Inequality(Box::default()),
            Limit::Lengths(lengths) => LimitScratch::Projection(Box::new(lengths.scratch())),
            Limit::Metric(metric) => LimitScratch::Projection(Box::new(metric.scratch())),
        }
    }

    /// Whether it keeps nodes outside obstacles while it moves them.
    pub fn heeds_obstacles(&self) -> bool {
        match self {
            Limit::Strain(_) | Limit::Area(_) => false,
            Limit::Inequality(_) | Limit::Lengths(_) | Limit::Metric(_) => true,
        }
    }

    /// Moves candidate positions (m) of the whole world until the limit holds. Obstacles at nodes of other cloths are passed
    /// over. The scratch must be this limit's own.
    pub fn apply(
        &self,
        step: &LimitStep,
        obstacles: &[Obstacle],
        scratch: &mut LimitScratch,
        positions: &mut [DVec3],
    ) -> LimitReport {
        match (self, scratch) {
            (Limit::Strain(strain), LimitScratch::Strain(scratch)) => {
                strain.apply(step, scratch, positions)
            }
            (Limit::Area(area), LimitScratch::Area(scratch)) => {
                area.apply(step, scratch, positions)
            }
            (Limit::Inequality(limit), LimitScratch::Inequality(scratch)) => {
                let input = InequalityInput {
                    obstacles,
                    multipliers: &[],
                };
                limit.apply_with(step, scratch, &input, positions)
            }
            (Limit::Lengths(lengths), LimitScratch::Projection(scratch)) => {
                lengths.apply_with_obstacles(step, obstacles, scratch, positions)
            }
            (Limit::Metric(metric), LimitScratch::Projection(scratch)) => {
                metric.apply_with_obstacles(step, obstacles, scratch, positions)
            }
            _ => panic!("a limit was given the scratch of another"),
        }
    }
}
