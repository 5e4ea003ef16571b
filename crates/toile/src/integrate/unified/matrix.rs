//! The matrix of a step: what the meshes join, and what contacts join besides.
//!
//! Contacts join nodes that have nothing to do with each other in a mesh, other ones in every step. Kept beside the matrix they would
//! be unknown to its factor, and as they are much stiffer than what they join, the iteration would be slow. So the pattern grows by
//! their pairs, and with it the preconditioner; what can be kept of it is kept. It begins anew with every step and only grows within
//! one: what a step does must not depend on the steps before.

use crate::linalg::{
    BlockMatrix, BlockPattern, Coupling, Filter, LinearSolver, Outcome, SolveSettings, SystemSolver,
};
use glam::{DMat3, DVec3};
use std::sync::Arc;

/// The matrix and the solver of a step.
#[derive(Debug)]
pub(super) struct StepMatrix {
    /// Inertia, energies and limits: what the meshes join.
    pub mesh: BlockMatrix,
    solver: SystemSolver,
    method: LinearSolver,
    /// With what contacts join besides.
    joined: Option<Box<Joined>>,
    /// Whether contacts join anything besides.
    is_joined: bool,
    /// Whether the step has not been looked at yet.
    is_new: bool,
    /// Pairs that contacts join and the meshes do not: row and column of their blocks, increasing.
    pairs: Vec<[u32; 2]>,
}

/// A larger pattern.
#[derive(Debug)]
struct Joined {
    /// What it has besides, increasing.
    pairs: Vec<[u32; 2]>,
    /// Where the blocks of the meshes are in it.
    places: Vec<u32>,
    matrix: BlockMatrix,
    solver: SystemSolver,
}

impl StepMatrix {
    pub fn new(pattern: &Arc<BlockPattern>, method: LinearSolver) -> Self {
        StepMatrix {
            mesh: BlockMatrix::new(pattern.clone()),
            solver: SystemSolver::new(pattern, method),
            method,
            joined: None,
            is_joined: false,
            is_new: true,
            pairs: Vec::new(),
        }
    }

    /// A step begins.
    pub fn begin(&mut self) {
        self.is_new = true;
    }

    /// Adds couplings to what is in `mesh`.
    pub fn add(&mut self, couplings: &[Coupling]) {
        self.find_pairs(couplings);
        self.is_joined = !self.pairs.is_empty();
        if self.is_joined {
            let fits = |joined: &Joined| joined.pairs == self.pairs;
            if !self.joined.as_deref().is_some_and(fits) {
                let joined =
                    Joined::new(&self.mesh.pattern, &self.pairs, &self.solver, self.method);
                self.joined = Some(Box::new(joined));
            }
            if let Some(joined) = self.joined.as_deref_mut() {
                joined.take_over(&self.mesh);
            }
        }
        let matrix = match self.joined.as_deref_mut() {
            Some(joined) if self.is_joined => &mut joined.matrix,
            _ => &mut self.mesh,
        };
        for coupling in couplings {
            coupling.add_within(matrix);
        }
    }

    /// Which pairs the pattern must have besides those of the meshes.
    fn find_pairs(&mut self, couplings: &[Coupling]) {
        if self.is_new {
            self.pairs.clear();
            self.is_new = false;
        }
        let known = self.pairs.len();
        for coupling in couplings {
            coupling.for_each_pair(|[a, b]| {
                let pair = [a.max(b), a.min(b)];
                let is_known = self.mesh.pattern.find(pair).is_some()
                    || self.pairs[..known].binary_search(&pair).is_ok();
                if !is_known {
                    self.pairs.push(pair);
                }
            });
        }
        if self.pairs.len() > known {
            self.pairs.sort_unstable();
            self.pairs.dedup();
        }
    }

    /// Prepares for solves; `false` if the matrix has entries that are not finite.
    #[must_use]
    pub fn factor(&mut self, filters: &[Filter]) -> bool {
        let (matrix, solver) = self.parts();
        solver.factor(matrix, filters)
    }

    /// Solves, as [`SystemSolver::solve`].
    pub fn solve(
        &mut self,
        right_side: &[DVec3],
        filters: &[Filter],
        x: &mut [DVec3],
        settings: SolveSettings,
    ) -> Outcome {
        let (matrix, solver) = self.parts();
        solver.solve(matrix, right_side, filters, x, settings)
    }

    fn parts(&mut self) -> (&BlockMatrix, &mut SystemSolver) {
        match self.joined.as_deref_mut() {
            Some(joined) if self.is_joined => (&joined.matrix, &mut joined.solver),
            _ => (&self.mesh, &mut self.solver),
        }
    }
}

impl Joined {
    fn new(
        mesh: &BlockPattern,
        pairs: &[[u32; 2]],
        solver: &SystemSolver,
        method: LinearSolver,
    ) -> Self {
        let (pattern, places) = mesh.joined(pairs);
        let pattern = Arc::new(pattern);
        Joined {
            pairs: pairs.to_vec(),
            places,
            matrix: BlockMatrix::new(pattern.clone()),
            solver: solver.joined(&pattern, method),
        }
    }

    /// Takes over what the meshes' matrix has.
    fn take_over(&mut self, mesh: &BlockMatrix) {
        self.matrix.diagonal.copy_from_slice(&mesh.diagonal);
        self.matrix.lower.fill(DMat3::ZERO);
        for (&place, block) in self.places.iter().zip(&mesh.lower) {
            self.matrix.lower[place as usize] = *block;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(nodes: u32) -> Arc<BlockPattern> {
        Arc::new(BlockPattern::new(
            nodes as usize,
            (1..nodes).map(|i| [i - 1, i]),
        ))
    }

    fn coupling(nodes: [u32; 4]) -> Coupling {
        Coupling {
            nodes,
            weights: [1.0, -0.2, -0.5, -0.3],
            block: DMat3::from_diagonal(DVec3::new(30.0, 0.0, 70.0)),
            arm: None,
        }
    }

    fn filled(matrix: &mut StepMatrix) {
        matrix.mesh.diagonal.fill(3.0 * DMat3::IDENTITY);
        matrix.mesh.lower.fill(-DMat3::IDENTITY);
    }

    /// Solves with the couplings and answers the worst of what is left of the right side, by the couplings themselves.
    fn left(matrix: &mut StepMatrix, couplings: &[Coupling]) -> f64 {
        filled(matrix);
        let plain = matrix.mesh.clone();
        matrix.add(couplings);
        let rows = plain.diagonal.len();
        let filters = vec![Filter::Free; rows];
        let right_side: Vec<DVec3> = (0..rows).map(|i| DVec3::new(1.0, i as f64, -2.0)).collect();
        let mut x = vec![DVec3::ZERO; rows];
        assert!(matrix.factor(&filters));
        let settings = SolveSettings {
            residual: 1e-9,
            iterations: 500,
        };
        assert!(
            matrix
                .solve(&right_side, &filters, &mut x, settings)
                .converged
        );
        let mut image = vec![DVec3::ZERO; rows];
        plain.multiply(&x, &mut image);
        couplings.iter().for_each(|c| c.add_product(&x, &mut image));
        let errors = image.iter().zip(&right_side).map(|(a, b)| a.distance(*b));
        errors.fold(0.0, f64::max)
    }

    #[test]
    fn what_contacts_join_is_solved_for() {
        let mut matrix = StepMatrix::new(&chain(40), LinearSolver::Auto);
        let far = [coupling([3, 20, 21, 30]), coupling([39, 0, 1, 11])];
        let near = [coupling([5, 4, 6, 7])];
        assert!(left(&mut matrix, &far) < 1e-7);
        // Within a step the pattern only grows.
        assert!(left(&mut matrix, &[coupling([9, 15, 16, 25])]) < 1e-7);
        assert_eq!(matrix.pairs.len(), 15);
        matrix.begin();
        assert!(left(&mut matrix, &near) < 1e-7);
        assert_eq!(matrix.pairs, [[6, 4], [7, 4], [7, 5]]);
        matrix.begin();
        assert!(left(&mut matrix, &[]) < 1e-7);
        assert!(!matrix.is_joined);
    }

    #[test]
    fn a_step_is_the_same_whatever_was_before_it() {
        let (one, other) = ([coupling([3, 20, 21, 30])], [coupling([39, 0, 1, 11])]);
        let solved = |before: bool| {
            let mut matrix = StepMatrix::new(&chain(40), LinearSolver::Auto);
            if before {
                left(&mut matrix, &other);
                matrix.begin();
            }
            filled(&mut matrix);
            matrix.add(&one);
            let filters = vec![Filter::Free; 40];
            assert!(matrix.factor(&filters));
            let (right_side, mut x) = (vec![DVec3::ONE; 40], vec![DVec3::ZERO; 40]);
            let settings = SolveSettings {
                residual: 1e-3,
                iterations: 500,
            };
            matrix.solve(&right_side, &filters, &mut x, settings);
            x
        };
        assert_eq!(solved(false), solved(true));
    }
}
