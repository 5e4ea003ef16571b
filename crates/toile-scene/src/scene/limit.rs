//! From what a cloth will not do to the limit that sees to it.

use super::material::Sheet;
use super::{SceneError, SceneSource};
use crate::spec::{
    AreaMatrixSpec, AreaSpec, ClothSpec, EquationSolverSpec, InequalitySolverSpec, InequalitySpec,
    IsometricSpec, LimitSpec, ModelSpec, ProjectionSpec, StrainSpec, StretchSpec, SweepSpec,
};
use toile::limit::area::{AreaLimit, AreaMatrix, AreaRegularisation, AreaSettings};
use toile::limit::inequality::{InequalityLimit, InequalitySettings, InequalitySolver, Sides};
use toile::limit::strain::{StrainBounds, StrainLimit, StrainSettings, Sweep};
use toile::limit::{
    EquationSolver, Equations, Lengths, Limit, Metric, ProjectionSettings, StretchLimit,
};

/// The limit of a cloth, if it has any. That of its model is filled in.
pub(super) fn limit(
    source: &SceneSource,
    field: &str,
    spec: &mut ClothSpec,
    sheet: &Sheet,
) -> Result<Option<Limit>, SceneError> {
    settle(source, field, spec)?;
    let Some(spec) = &spec.limit else {
        return Ok(None);
    };
    let made = match spec {
        LimitSpec::None => return Ok(None),
        LimitSpec::Strain(spec) => strain(spec, sheet),
        LimitSpec::Area(spec) => area(spec, sheet),
        LimitSpec::Inequality(spec) => inequality(spec, sheet),
        LimitSpec::Stretch(spec) => stretch(spec, sheet),
        LimitSpec::Lengths(spec) => lengths(spec, sheet),
        LimitSpec::Isometric(spec) => isometric(spec, sheet),
    };
    let failed = |message| source.error(&format!("{field}.limit.{}", name(spec)), message);
    made.map(Some).map_err(failed)
}

/// Gives a model its own limit, and refuses another.
fn settle(source: &SceneSource, field: &str, spec: &mut ClothSpec) -> Result<(), SceneError> {
    let own = match spec.model {
        ModelSpec::Isometric => LimitSpec::Isometric(IsometricSpec::default()),
        ModelSpec::QuasiInextensible => LimitSpec::Lengths(ProjectionSpec::default()),
        ModelSpec::Inequality => LimitSpec::Inequality(InequalitySpec::default()),
        ModelSpec::Area => LimitSpec::Area(AreaSpec::default()),
        _ => return Ok(()),
    };
    let given = spec.limit.get_or_insert_with(|| own.clone());
    if name(given) == name(&own) {
        return Ok(());
    }
    let message = format!(
        "the model already is a limit of its own (`{}`); take this one away, or choose another model",
        name(&own)
    );
    Err(source.error(&format!("{field}.limit"), message))
}

fn name(spec: &LimitSpec) -> &'static str {
    match spec {
        LimitSpec::None => "none",
        LimitSpec::Strain(_) => "strain",
        LimitSpec::Area(_) => "area",
        LimitSpec::Inequality(_) => "inequality",
        LimitSpec::Stretch(_) => "stretch",
        LimitSpec::Lengths(_) => "lengths",
        LimitSpec::Isometric(_) => "isometric",
    }
}

fn strain(spec: &StrainSpec, sheet: &Sheet) -> Result<Limit, String> {
    let bounds = StrainBounds {
        stretch: spec.stretch,
        compression: spec.compression,
    };
    let settings = StrainSettings {
        edges: bounds,
        cross_edges: spec.cross_edges.then_some(bounds),
        sweep: match spec.sweep {
            SweepSpec::GaussSeidel => Sweep::GaussSeidel,
            SweepSpec::Jacobi => Sweep::Jacobi,
        },
        tolerance: spec.tolerance,
        max_sweeps: spec.max_sweeps,
    };
    let made = StrainLimit::new(sheet.topology, sheet.rest, sheet.first_node, settings);
    made.map(Limit::Strain).map_err(|error| error.to_string())
}

fn area(spec: &AreaSpec, sheet: &Sheet) -> Result<Limit, String> {
    let settings = AreaSettings {
        matrix: match spec.matrix {
            AreaMatrixSpec::Consistent => AreaMatrix::Consistent,
            AreaMatrixSpec::Published => AreaMatrix::Published,
        },
        regularisation: if spec.adaptive {
            AreaRegularisation::Adaptive(spec.regularisation)
        } else {
            AreaRegularisation::Fixed(spec.regularisation)
        },
        tolerance: spec.tolerance,
        max_sub_steps: spec.max_sub_steps,
        ..Default::default()
    };
    let made = AreaLimit::new(sheet.topology, sheet.rest, sheet.first_node, settings);
    made.map(Limit::Area).map_err(|error| error.to_string())
}

fn inequality(spec: &InequalitySpec, sheet: &Sheet) -> Result<Limit, String> {
    let settings = InequalitySettings {
        stretch: spec.stretch,
        cross_edges: spec.cross_edges,
        sides: if spec.two_sided {
            Sides::Two
        } else {
            Sides::One
        },
        solver: match spec.solver {
            InequalitySolverSpec::Multipliers => InequalitySolver::Multipliers,
            InequalitySolverSpec::ActiveSet => InequalitySolver::ActiveSet,
            InequalitySolverSpec::Barrier => InequalitySolver::Barrier,
            InequalitySolverSpec::PrimalDual => InequalitySolver::PrimalDual,
        },
        tolerance: spec.tolerance,
        max_iterations: spec.max_iterations,
        ..Default::default()
    };
    let made = InequalityLimit::new(sheet.topology, sheet.rest, sheet.first_node, settings);
    made.map(|limit| Limit::Inequality(Box::new(limit)))
        .map_err(|error| error.to_string())
}

fn stretch(spec: &StretchSpec, sheet: &Sheet) -> Result<Limit, String> {
    if !sheet.is_unified {
        return Err(
            "principal stretches are bounded inside the implicit solve; take an implicit integrator and `time.constraints = \"unified\"`".to_owned(),
        );
    }
    let made = StretchLimit::new(
        sheet.topology,
        sheet.rest,
        sheet.first_node,
        spec.stretch,
        spec.tolerance,
    );
    made.map(|limit| Limit::Stretch(Box::new(limit)))
        .map_err(|error| error.to_string())
}

fn lengths(spec: &ProjectionSpec, sheet: &Sheet) -> Result<Limit, String> {
    let lengths = Lengths::new(sheet.topology, sheet.rest, sheet.first_node)
        .map_err(|error| error.to_string())?;
    let made = Equations::new(
        lengths,
        equation_solver(spec.solver),
        projection(spec.tolerance, spec.max_iterations),
    );
    made.map(Limit::Lengths).map_err(|error| error.to_string())
}

fn isometric(spec: &IsometricSpec, sheet: &Sheet) -> Result<Limit, String> {
    let corners = spec.corners.as_deref();
    let metric = Metric::new(sheet.topology, sheet.rest, corners, sheet.first_node)
        .map_err(|error| error.to_string())?;
    let made = Equations::new(
        metric,
        equation_solver(spec.solver),
        projection(spec.tolerance, spec.max_iterations),
    );
    made.map(Limit::Metric).map_err(|error| error.to_string())
}

fn equation_solver(spec: EquationSolverSpec) -> EquationSolver {
    match spec {
        EquationSolverSpec::Auto => EquationSolver::Auto,
        EquationSolverSpec::Projection => EquationSolver::Projection,
        EquationSolverSpec::Multipliers => EquationSolver::Multipliers,
    }
}

fn projection(tolerance: f64, max_iterations: u32) -> ProjectionSettings {
    ProjectionSettings {
        tolerance,
        max_iterations,
        ..Default::default()
    }
}
