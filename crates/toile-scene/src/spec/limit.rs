//! Limits as the scene describes them: what the cloth will not do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a cloth will not do, whatever pulls at it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum LimitSpec {
    /// Nothing: it may stretch as its material lets it.
    None,
    /// Every edge stays within bounds, edge by edge (Provot 1995; Bridson, Marino and Fedkiw 2003).
    Strain(StrainSpec),
    /// Every face keeps its area (area preserving strain limiting, 2015).
    Area(AreaSpec),
    /// No edge grows longer than allowed; it may shrink as it likes (Jin and others 2017).
    Inequality(InequalitySpec),
    /// No direction of any face grows longer than allowed; it may shrink as it likes.
    Stretch(StretchSpec),
    /// Edges keep their lengths (Goldenthal and others 2007).
    Lengths(ProjectionSpec),
    /// The surface keeps its metric: it can only bend (Coltraro and others 2022).
    Isometric(IsometricSpec),
}

/// Bounds of edges.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StrainSpec {
    /// How much longer than at rest an edge may get, as a share of its length.
    pub stretch: f64,
    /// How much shorter it may get; 0 makes cloth buckle instead of shrink.
    pub compression: f64,
    /// Whether the diagonals of quads and the opposite corners of triangle pairs are bounded too.
    pub cross_edges: bool,
    /// Edges one after another, or all at once.
    pub sweep: SweepSpec,
    /// Violation at which to stop, as a share of the rest length.
    pub tolerance: f64,
    /// Sweeps over all edges at the most.
    pub max_sweeps: u32,
}

impl Default for StrainSpec {
    fn default() -> Self {
        StrainSpec {
            stretch: 0.1,
            compression: 0.0,
            cross_edges: false,
            sweep: SweepSpec::GaussSeidel,
            tolerance: 1e-3,
            max_sweeps: 50,
        }
    }
}

/// How far faces may stretch.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StretchSpec {
    /// How much longer than at rest any direction of a face may get, as a share of its length.
    pub stretch: f64,
    /// Excess at which to stop, as a share of the allowed length.
    pub tolerance: f64,
}

impl Default for StretchSpec {
    fn default() -> Self {
        StretchSpec {
            stretch: 0.01,
            tolerance: 1e-3,
        }
    }
}

/// In which order edges are mended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SweepSpec {
    /// One after another: faster.
    #[default]
    GaussSeidel,
    /// All from the same positions.
    Jacobi,
}

/// How areas are kept.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AreaSpec {
    /// Factor on the diagonal of the system, above 1: larger is softer.
    pub regularisation: f64,
    /// Whether the factor grows where the system does not converge.
    pub adaptive: bool,
    /// The system as it follows from the moves, or as it is printed in the paper.
    pub matrix: AreaMatrixSpec,
    /// Worst relative error of a face's area at which to stop.
    pub tolerance: f64,
    /// Sub-steps at the most.
    pub max_sub_steps: u32,
}

impl Default for AreaSpec {
    fn default() -> Self {
        AreaSpec {
            regularisation: 1.05,
            adaptive: false,
            matrix: AreaMatrixSpec::Consistent,
            tolerance: 0.01,
            max_sub_steps: 10,
        }
    }
}

/// Which system the pressures of the faces solve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AreaMatrixSpec {
    /// What the moves really do.
    #[default]
    Consistent,
    /// As printed.
    Published,
}

/// How far edges may stretch.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct InequalitySpec {
    /// How much longer than at rest an edge may get, as a share of its length.
    pub stretch: f64,
    /// Whether cross edges are limited too; without them cloth shears freely.
    pub cross_edges: bool,
    /// Whether mesh edges must not shrink either, for comparison: such cloth locks.
    pub two_sided: bool,
    /// How the limits are met.
    pub solver: InequalitySolverSpec,
    /// Violation at which to stop.
    pub tolerance: f64,
    /// Rounds, or Newton steps, at the most.
    pub max_iterations: u32,
}

impl Default for InequalitySpec {
    fn default() -> Self {
        InequalitySpec {
            stretch: 0.01,
            cross_edges: true,
            two_sided: false,
            solver: InequalitySolverSpec::Multipliers,
            tolerance: 1e-3,
            max_iterations: 30,
        }
    }
}

/// How inequalities are solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InequalitySolverSpec {
    /// Springs with a force of their own, by Newton's method: fine meshes too.
    #[default]
    Multipliers,
    /// Those in force as equations, with targets that tighten, as in the paper.
    ActiveSet,
    /// A logarithmic barrier.
    Barrier,
    /// Positions and multipliers together.
    PrimalDual,
}

/// How equations are solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EquationSolverSpec {
    /// By what is faster at the size of the mesh.
    #[default]
    Auto,
    /// Fast projection with a factor of the whole system: coarse meshes.
    Projection,
    /// Springs with a force of their own, by Newton's method: fine meshes.
    Multipliers,
}

/// How exactly equations are met.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ProjectionSpec {
    /// Worst relative violation that may be left.
    pub tolerance: f64,
    /// Iterations at the most.
    pub max_iterations: u32,
    /// How they are met.
    pub solver: EquationSolverSpec,
}

impl Default for ProjectionSpec {
    fn default() -> Self {
        ProjectionSpec {
            tolerance: 1e-3,
            max_iterations: 100,
            solver: EquationSolverSpec::Auto,
        }
    }
}

/// How the metric is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct IsometricSpec {
    /// Worst relative violation that may be left.
    pub tolerance: f64,
    /// Iterations at the most.
    pub max_iterations: u32,
    /// How it is kept.
    pub solver: EquationSolverSpec,
    /// Nodes of the rim whose angle must not change; found by the turn of the rim if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub corners: Option<Vec<u32>>,
}

impl Default for IsometricSpec {
    fn default() -> Self {
        let ProjectionSpec {
            tolerance,
            max_iterations,
            solver,
        } = ProjectionSpec::default();
        IsometricSpec {
            tolerance,
            max_iterations,
            solver,
            corners: None,
        }
    }
}
