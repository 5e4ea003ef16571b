//! Equations with the way they are solved.

use super::constraints::worst_violation;
use super::{
    Constraints, Lagrangian, LagrangianScratch, LagrangianSettings, LimitReport, LimitStep,
    Obstacle, Projection, ProjectionError, ProjectionScratch, ProjectionSettings,
};
use glam::DVec3;

/// How equations are solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EquationSolver {
    /// By what is faster at the size of the mesh.
    #[default]
    Auto,
    /// By [fast projection](Projection), with a factor of `J W Jᵀ`: few iterations on coarse meshes, each
    /// exact.
    Projection,
    /// By the [method of multipliers](Lagrangian): costs grow little faster than the mesh.
    Multipliers,
}

/// More equations than this are solved by multipliers: the two take equally long on a sheet of 9×9 nodes
/// (`benches/limits.rs`).
const FEW: usize = 200;

/// Equations that hold from step to step.
#[derive(Clone, Debug)]
pub enum Equations<C> {
    /// Solved by projection.
    Projected(Box<Projection<C>>),
    /// Solved by multipliers.
    Multiplied(Box<Lagrangian<C>>),
}

/// What [`Equations`] are solved in.
#[derive(Debug)]
pub enum EquationScratch {
    /// Of [`Equations::Projected`].
    Projected(Box<ProjectionScratch>),
    /// Of [`Equations::Multiplied`].
    Multiplied(Box<LagrangianScratch>),
}

impl<C: Constraints> Equations<C> {
    /// Prepares to solve some equations to a relative tolerance.
    pub fn new(
        constraints: C,
        solver: EquationSolver,
        settings: ProjectionSettings,
    ) -> Result<Self, ProjectionError> {
        settings.check()?;
        let few = constraints.count() <= FEW;
        if solver == EquationSolver::Projection || (solver == EquationSolver::Auto && few) {
            let made = Projection::new(constraints, settings)?;
            return Ok(Equations::Projected(Box::new(made)));
        }
        let settings = LagrangianSettings {
            tolerance: settings.tolerance,
            max_iterations: settings.max_iterations,
            ..Default::default()
        };
        let made = Lagrangian::new(constraints, settings);
        Ok(Equations::Multiplied(Box::new(made)))
    }

    /// The equations themselves.
    pub fn constraints(&self) -> &C {
        match self {
            Equations::Projected(projection) => projection.constraints(),
            Equations::Multiplied(lagrangian) => lagrangian.constraints(),
        }
    }

    /// The worst violation at some positions, as reports have it.
    pub(super) fn residual(&self, positions: &[DVec3]) -> f64 {
        worst_violation(self.constraints(), positions)
    }

    /// The worst violation that may be left.
    pub(super) fn tolerance(&self) -> f64 {
        match self {
            Equations::Projected(projection) => projection.settings().tolerance,
            Equations::Multiplied(lagrangian) => lagrangian.settings().tolerance,
        }
    }

    pub(super) fn scratch(&self) -> EquationScratch {
        match self {
            Equations::Projected(p) => EquationScratch::Projected(Box::new(p.scratch())),
            Equations::Multiplied(l) => EquationScratch::Multiplied(Box::new(l.scratch())),
        }
    }

    pub(super) fn memory(&self) -> usize {
        match self {
            Equations::Projected(_) => 0,
            Equations::Multiplied(lagrangian) => lagrangian.memory(),
        }
    }

    pub(super) fn apply(
        &self,
        step: &LimitStep,
        obstacles: &[Obstacle],
        forces: &mut [f64],
        scratch: &mut EquationScratch,
        positions: &mut [DVec3],
    ) -> LimitReport {
        match (self, scratch) {
            (Equations::Projected(projection), EquationScratch::Projected(scratch)) => {
                projection.apply_with_obstacles(step, obstacles, scratch, positions)
            }
            (Equations::Multiplied(lagrangian), EquationScratch::Multiplied(scratch)) => {
                lagrangian.apply(step, obstacles, forces, scratch, positions)
            }
            _ => panic!("equations were given the scratch of others"),
        }
    }
}
