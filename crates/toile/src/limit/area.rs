//! Area-preserving strain limiting (Kim 2015): every face keeps its area, and may shear as it likes.
//!
//! One equation per face, `A_a(x) − Ā_a = 0`, with `A = |a|` the length of the face's vector area: half the
//! cross product of two sides of a triangle, or of the diagonals of a quad (exact for flat quads; nothing is
//! cut into triangles). For both,
//!
//! `∂A/∂x_i = ½ n̂ × (x_before − x_after)`, the corners before and after `i` around the face.
//!
//! Each face has a pressure `p` (here in units of `1/h²`) that moves its corners by
//! `−w_i p n̂ × (x_before − x_after)`. The pressures follow from `G p = A − Ā` by a few iterations of
//! conjugate gradients, the diagonal of `G` multiplied by `α > 1`; what that leaves undone, the next sub-step
//! does.
//!
//! The paper's `G` and ours ([`AreaMatrix`]) have the same diagonal `½ Σ w_i |x_before − x_after|²`. Off it
//! the paper lets a neighbour's pressure push along the face's *own* altitudes,
//! `½ w_i (n_a·n_c) |x_before − x_after|²`. That is not what the moves then do (`2 J W Jᵀ`, which also
//! couples faces that share one node only), it is not symmetric where edges differ (we take the mean), and on
//! a flat sheet of equal triangles its smallest eigenvalue is `−1` times the diagonal: it is definite only
//! for `α > 2`. On a disturbed sheet of 16×16 cells, 10 sub-steps with conjugate gradients to a tenth (errors
//! `|A / Ā − 1|`; a test holds these numbers):
//!
//! | | worst | mean | iterations a sub-step |
//! |---|---|---|---|
//! | before | 42.0 % | 19.1 % | |
//! | consistent, `α = 1.02` | 1.8 % | 0.55 % | 14.5 |
//! | consistent, `α = 1.2` | 6.9 % | 2.4 % | 3.9 |
//! | published, `α = 1.2` | 32.7 % | 12.8 % | 1 (not definite) |
//! | published, `α = 2.5` | 35.0 % | 14.0 % | 1 |
//!
//! The paper's 3 iterations are those of a large `α`, its 2 % those of a small one. The consistent matrix is
//! the default, with `α = 1.05`: 2.8 % at 10.7 iterations. Area alone does not keep triangles from growing
//! thin: add springs along the edges.

mod pressure;
mod rows;
#[cfg(test)]
mod tests;

use super::{LimitReport, LimitStep};
use crate::mesh::{Face, RestShape, Topology};
use glam::DVec3;
use pressure::Pressures;
use thiserror::Error;

/// The matrix from pressures to areas.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AreaMatrix {
    /// `2 J W Jᵀ`: what the moves do.
    #[default]
    Consistent,
    /// As printed in the paper.
    Published,
}

/// The factor `α` on the diagonal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AreaRegularisation {
    /// Always the same.
    Fixed(f64),
    /// `α − 1` doubles after a solve that did not converge and halves, down to its first value, after one
    /// that took at most three iterations.
    Adaptive(f64),
}

/// How areas are kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AreaSettings {
    /// The matrix.
    pub matrix: AreaMatrix,
    /// The factor on its diagonal, above 1. Larger is softer.
    pub regularisation: AreaRegularisation,
    /// Worst relative error of area `|A / Ā − 1|` at which to stop.
    pub tolerance: f64,
    /// Sub-steps at the most.
    pub max_sub_steps: u32,
    /// Residual, relative to the right side, at which conjugate gradients stop.
    pub linear_tolerance: f64,
    /// Their iterations at the most, in each sub-step.
    pub max_linear_iterations: u32,
}

impl Default for AreaSettings {
    fn default() -> Self {
        AreaSettings {
            matrix: AreaMatrix::Consistent,
            regularisation: AreaRegularisation::Fixed(1.05),
            tolerance: 0.01,
            max_sub_steps: 10,
            linear_tolerance: 0.1,
            max_linear_iterations: 20,
        }
    }
}

/// Settings that cannot be followed.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum AreaError {
    /// `α` of 1 or less.
    #[error("the regularisation of the area limit is {0}; it must be a number above 1")]
    Regularisation(f64),
    /// A tolerance that is not positive.
    #[error("{name} of the area limit is {value}; it must be above 0")]
    NotPositive {
        /// Which.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// A face without area at rest.
    #[error(
        "face {face} has an area of {area} m² at rest; it must be above 0, or nothing can be kept"
    )]
    Degenerate {
        /// The face (counted from 0).
        face: usize,
        /// Its area (m²).
        area: f64,
    },
}

/// Area preservation of one cloth.
#[derive(Clone, Debug)]
pub struct AreaLimit {
    settings: AreaSettings,
    first_node: u32,
    node_count: usize,
    /// Faces, their nodes counted within the cloth.
    faces: Vec<Face>,
    /// The same, their nodes counted over the whole world.
    world_faces: Vec<Face>,
    areas: Vec<f64>,
    /// Pairs of faces that share an edge, and its nodes.
    neighbours: Vec<([u32; 2], [u32; 2])>,
}

/// Memory that [`AreaLimit`] works in.
#[derive(Clone, Debug, Default)]
pub struct AreaScratch {
    pressures: Pressures,
    moves: Vec<DVec3>,
}

impl AreaLimit {
    /// How it works.
    pub fn settings(&self) -> &AreaSettings {
        &self.settings
    }

    /// Keeps the areas of a cloth whose first node has this number in the world.
    pub fn new(
        topology: &Topology,
        rest: &RestShape,
        first_node: u32,
        settings: AreaSettings,
    ) -> Result<Self, AreaError> {
        check(&settings)?;
        for (face, &area) in rest.areas.iter().enumerate() {
            if !(area > 0.0 && area.is_finite()) {
                return Err(AreaError::Degenerate { face, area });
            }
        }
        let shared = topology.edges.iter().filter_map(|edge| {
            let mut faces = edge.faces();
            Some(([faces.next()?, faces.next()?], edge.nodes))
        });
        Ok(AreaLimit {
            settings,
            first_node,
            node_count: topology.node_count,
            faces: topology.faces.clone(),
            world_faces: topology
                .faces
                .iter()
                .map(|f| f.shifted(first_node))
                .collect(),
            areas: rest.areas.clone(),
            neighbours: shared.collect(),
        })
    }

    /// Brings the areas of candidate positions (m, over the whole world) towards those at rest.
    ///
    /// The report's iterations are sub-steps; its residual is the worst `|A / Ā − 1|`.
    pub fn apply(
        &self,
        step: &LimitStep,
        scratch: &mut AreaScratch,
        positions: &mut [DVec3],
    ) -> LimitReport {
        let first = self.first_node as usize;
        let nodes = first..first + self.node_count;
        let local = LimitStep {
            start: &[],
            h: step.h,
            inverse_masses: &step.inverse_masses[nodes.clone()],
            filters: &step.filters[nodes.clone()],
        };
        let x = &mut positions[nodes];
        let (least, adaptive) = match self.settings.regularisation {
            AreaRegularisation::Fixed(alpha) => (alpha, false),
            AreaRegularisation::Adaptive(alpha) => (alpha, true),
        };
        let mut alpha = least;
        let mut report = LimitReport {
            iterations: 0,
            linear_iterations: 0,
            residual: self.worst(x),
            least_multiplier: None,
            converged: false,
        };
        while report.residual > self.settings.tolerance
            && report.iterations < self.settings.max_sub_steps
        {
            let solve = self.sub_step(&local, scratch, x, alpha);
            report.iterations += 1;
            report.linear_iterations += solve.iterations;
            report.residual = self.worst(x);
            if adaptive && !solve.converged {
                alpha = 1.0 + 2.0 * (alpha - 1.0);
            } else if adaptive && solve.iterations <= 3 {
                alpha = least.max(1.0 + 0.5 * (alpha - 1.0));
            }
        }
        report.converged = report.residual <= self.settings.tolerance;
        report
    }

    /// Worst and mean `|A / Ā − 1|` of positions (m, over the whole world).
    pub fn errors(&self, positions: &[DVec3]) -> [f64; 2] {
        let first = self.first_node as usize;
        let x = &positions[first..first + self.node_count];
        let errors = || (0..self.faces.len()).map(|f| self.error(f, x));
        let mean = errors().sum::<f64>() / self.faces.len().max(1) as f64;
        [errors().fold(0.0, f64::max), mean]
    }

    fn error(&self, face: usize, x: &[DVec3]) -> f64 {
        (self.faces[face].vector_area(x).length() / self.areas[face] - 1.0).abs()
    }

    /// The worst `|A / Ā − 1|` at some positions over the whole world (m).
    pub fn residual(&self, positions: &[DVec3]) -> f64 {
        let first = self.first_node as usize;
        self.worst(&positions[first..first + self.node_count])
    }

    fn worst(&self, x: &[DVec3]) -> f64 {
        (0..self.faces.len())
            .map(|f| self.error(f, x))
            .fold(0.0, f64::max)
    }

    fn sub_step(
        &self,
        step: &LimitStep,
        scratch: &mut AreaScratch,
        x: &mut [DVec3],
        alpha: f64,
    ) -> pressure::Solve {
        let AreaScratch { pressures, moves } = scratch;
        pressures.linearise(&self.faces, &self.areas, step, x, alpha);
        if self.settings.matrix == AreaMatrix::Published {
            pressures.couple_as_published(&self.faces, &self.neighbours, step, x);
        }
        let solve = pressures.solve(
            self.settings.matrix,
            self.settings.linear_tolerance,
            self.settings.max_linear_iterations,
        );
        moves.clear();
        moves.resize(x.len(), DVec3::ZERO);
        pressures.moves(step, moves);
        for (x, step) in x.iter_mut().zip(&*moves) {
            *x -= *step;
        }
        solve
    }
}

fn check(settings: &AreaSettings) -> Result<(), AreaError> {
    let (AreaRegularisation::Fixed(alpha) | AreaRegularisation::Adaptive(alpha)) =
        settings.regularisation;
    if !(alpha > 1.0 && alpha.is_finite()) {
        return Err(AreaError::Regularisation(alpha));
    }
    for (name, value) in [
        ("the tolerance", settings.tolerance),
        ("the linear tolerance", settings.linear_tolerance),
    ] {
        if !(value > 0.0 && value.is_finite()) {
            return Err(AreaError::NotPositive { name, value });
        }
    }
    Ok(())
}
