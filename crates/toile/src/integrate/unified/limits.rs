//! The limits of all cloths as rows of the step's augmented Lagrangian.

use crate::limit::{Limit, Rows, StretchRows, Wiring, for_each_pair};
use crate::linalg::{BlockMatrix, BlockPattern};
use crate::model::Model;
use crate::parallel;
use glam::DVec3;
use std::sync::Arc;

/// Stiffness of an equation, relative to that at which it would lose half of its violation in an iteration by itself, for each
/// node of its cloth: as in the [method of multipliers](crate::limit::Lagrangian) of limits alone. A tenth of it needs ten
/// times as many iterations for a sheet of quasi-inextensible cloth on a ball.
const STIFFNESS_PER_NODE: f64 = 16.0;
/// The same for inequalities. Stiffer ones are more often met by surprise: from 1 to 4 a sheet on a ball takes the same number
/// of iterations, with 16 a third more.
const ONE_SIDED_STIFFNESS_PER_NODE: f64 = 2.0;

/// Inequalities of lengths that are slack by less than this strain stay in the matrix, since the next move may well make them
/// taut. A hanging sheet of inequality cloth takes 13 Newton steps a step with it, 19 without, and 27 with a per cent.
const NEARLY_TAUT: f64 = 0.002;

/// Stiffness of the rows of a limit of a cloth of so many nodes.
fn relative_stiffness(limit: &Limit, nodes: usize) -> f64 {
    let one_sided = match limit.constraints() {
        Some(constraints) => constraints.stencils() > 0 && constraints.is_one_sided(0),
        None => true,
    };
    let per_node = match one_sided {
        true => ONE_SIDED_STIFFNESS_PER_NODE,
        false => STIFFNESS_PER_NODE,
    };
    per_node * nodes as f64
}

/// The rows of one limit.
#[derive(Debug)]
enum LimitRows {
    /// Equations or inequalities.
    Constraints(Box<(Wiring, Rows)>),
    /// Principal stretches.
    Stretch(StretchRows),
    /// A limit that is not made of rows.
    None,
}

/// The rows of all limits, in the order of the model.
#[derive(Debug)]
pub(super) struct Limits {
    rows: Vec<LimitRows>,
    /// How well each held where it was looked at last.
    violations: Vec<f64>,
    /// What they remember, as it will be after the step (N·m).
    pub forces: Vec<f64>,
}

/// Every two nodes that a limit joins.
pub(super) fn for_each_limited_pair(model: &Model, mut pair: impl FnMut([u32; 2])) {
    for (_, limit) in &model.limits {
        match (limit, limit.constraints()) {
            (Limit::Stretch(stretch), _) => stretch.for_each_pair(&mut pair),
            (_, Some(constraints)) => for_each_pair(constraints, &mut pair),
            _ => {}
        }
    }
}

impl Limits {
    /// Room for a model's limits in a matrix that has all their pairs.
    pub fn new(model: &Model, pattern: &Arc<BlockPattern>) -> Self {
        let rows = model
            .limits
            .iter()
            .map(|(_, limit)| match (limit, limit.constraints()) {
                (Limit::Stretch(stretch), _) => {
                    LimitRows::Stretch(StretchRows::new(stretch, pattern))
                }
                (_, Some(constraints)) => {
                    let wiring = Wiring::within(constraints, pattern.clone(), 0);
                    let rows = Rows::new(&wiring);
                    LimitRows::Constraints(Box::new((wiring, rows)))
                }
                _ => LimitRows::None,
            });
        Limits {
            rows: rows.collect(),
            violations: vec![0.0; model.limits.len()],
            forces: vec![0.0; model.limit_memory()],
        }
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The limits with their rows.
    fn each<'a>(
        &'a mut self,
        model: &'a Model,
    ) -> impl Iterator<Item = (&'a Limit, &'a mut LimitRows, &'a mut f64)> {
        let rows = self.rows.iter_mut().zip(&mut self.violations);
        let limits = model.limits.iter().map(|(_, limit)| limit);
        limits
            .zip(rows)
            .map(|(limit, (rows, worst))| (limit, rows, worst))
    }

    /// A step begins: takes over what the limits pulled with, and settles their stiffness; `unit` is the square of the time
    /// for which forces act.
    pub fn begin(&mut self, model: &Model, start: &[DVec3], forces: &[f64], unit: f64) {
        self.evaluate(model, start);
        // A state made before the model got its limits remembers nothing.
        let mut known = if forces.len() == self.forces.len() {
            forces
        } else {
            &[]
        };
        for ((cloth, limit), rows) in model.limits.iter().zip(&mut self.rows) {
            let relative = relative_stiffness(limit, model.cloths[*cloth].nodes.len());
            let (own, rest) = known.split_at(limit.multipliers().min(known.len()));
            known = rest;
            match (limit, limit.constraints(), rows) {
                (_, Some(constraints), LimitRows::Constraints(rows)) => {
                    let (wiring, rows) = &mut **rows;
                    rows.stiffen(wiring, &model.masses, relative);
                    rows.load(constraints, own, unit);
                    rows.predict_nothing();
                }
                (Limit::Stretch(stretch), _, LimitRows::Stretch(rows)) => {
                    rows.stiffen(stretch, &model.masses, relative);
                    rows.load(own, unit);
                }
                _ => {}
            }
        }
    }

    /// Values and gradients at some positions.
    pub fn evaluate(&mut self, model: &Model, positions: &[DVec3]) {
        for (limit, rows, worst) in self.each(model) {
            *worst = match (limit, limit.constraints(), rows) {
                (_, Some(constraints), LimitRows::Constraints(rows)) => {
                    let (wiring, rows) = &mut **rows;
                    rows.linearise(constraints, wiring, positions)
                }
                (Limit::Stretch(stretch), _, LimitRows::Stretch(rows)) => {
                    rows.evaluate(stretch, positions)
                }
                _ => 0.0,
            };
        }
    }

    /// Whether all held where they were evaluated last.
    pub fn hold(&self, model: &Model) -> bool {
        let limits = model.limits.iter().zip(&self.violations);
        limits
            .into_iter()
            .all(|((_, limit), &worst)| worst <= limit.tolerance())
    }

    /// Adds the gradient of the Lagrangian, and the same with the predicted multipliers, where they were evaluated.
    pub fn add_gradient(&mut self, model: &Model, [gradient, balance]: [&mut [DVec3]; 2]) {
        for (limit, rows, _) in self.each(model) {
            match (limit, limit.constraints(), rows) {
                (_, Some(constraints), LimitRows::Constraints(rows)) => {
                    let (wiring, rows) = &mut **rows;
                    rows.weigh_predicted(constraints, wiring, NEARLY_TAUT);
                    let rows = &*rows;
                    parallel::for_each(gradient, |i, g| *g += rows.gradient(wiring, i));
                    parallel::for_each(balance, |i, g| *g += rows.predicted_gradient(wiring, i));
                }
                (Limit::Stretch(stretch), _, LimitRows::Stretch(rows)) => {
                    rows.add_gradient(stretch, [&mut *gradient, &mut *balance]);
                }
                _ => {}
            }
        }
    }

    /// Adds what the rows add to the matrix where their gradient was added last.
    pub fn add_matrix(&mut self, model: &Model, matrix: &mut BlockMatrix) {
        for (limit, rows, _) in self.each(model) {
            match (limit, rows) {
                (_, LimitRows::Constraints(rows)) => {
                    let (wiring, rows) = &**rows;
                    parallel::for_each(&mut matrix.diagonal, |i, block| {
                        *block += rows.diagonal(wiring, i);
                    });
                    parallel::for_each(&mut matrix.lower, |b, block| {
                        *block += rows.block(wiring, b);
                    });
                }
                (Limit::Stretch(stretch), LimitRows::Stretch(rows)) => {
                    let blocks = (&mut matrix.diagonal[..], &mut matrix.lower[..]);
                    rows.add_matrix(stretch, blocks);
                }
                _ => {}
            }
        }
    }

    /// The slope of the rows along some moves where they were evaluated.
    pub fn slope(&mut self, model: &Model, moves: &[DVec3]) -> f64 {
        let slopes = self
            .each(model)
            .map(|(limit, rows, _)| match (limit, rows) {
                (Limit::Stretch(stretch), LimitRows::Stretch(rows)) => rows.slope(stretch, moves),
                (_, LimitRows::Constraints(rows)) => rows.1.slope(&rows.0, moves),
                _ => 0.0,
            });
        slopes.sum()
    }

    /// Predicts the multipliers after some moves from the positions that the rows were evaluated at.
    pub fn predict(&mut self, model: &Model, moves: &[DVec3]) {
        for (limit, rows, _) in self.each(model) {
            match (limit, rows) {
                (Limit::Stretch(stretch), LimitRows::Stretch(rows)) => {
                    rows.predict(stretch, moves);
                }
                (_, LimitRows::Constraints(rows)) => rows.1.predict(&rows.0, moves),
                _ => {}
            }
        }
    }

    /// Goes only this share of the way to the last prediction.
    pub fn share_prediction(&mut self, share: f64) {
        for rows in &mut self.rows {
            match rows {
                LimitRows::Stretch(rows) => rows.share_prediction(share),
                LimitRows::Constraints(rows) => rows.1.share_prediction(share),
                LimitRows::None => {}
            }
        }
    }

    /// Makes the predicted multipliers the multipliers.
    pub fn keep(&mut self) {
        for rows in &mut self.rows {
            match rows {
                LimitRows::Stretch(rows) => rows.keep(),
                LimitRows::Constraints(rows) => rows.1.keep_predicted(),
                LimitRows::None => {}
            }
        }
    }

    /// How much the gradient would change if they did: an estimate of its norm's square (kg²·m²).
    pub fn unlearned(&self, model: &Model) -> f64 {
        let limits = model.limits.iter().zip(&self.rows);
        let changes = limits.map(|((cloth, limit), rows)| {
            let nodes = &model.cloths[*cloth].nodes;
            let mass = model.masses[nodes.clone()].iter().sum::<f64>() / nodes.len() as f64;
            // k is `relative / Σ |∇c|²/m`.
            let gradients = mass * relative_stiffness(limit, nodes.len());
            gradients
                * match rows {
                    LimitRows::Stretch(rows) => rows.unlearned(),
                    LimitRows::Constraints(rows) => rows.1.unlearned(&rows.0),
                    LimitRows::None => 0.0,
                }
        });
        changes.sum()
    }

    /// Hands the multipliers on; those of limits that are missed by far do not grow any more.
    pub fn store(&mut self, model: &Model, unit: f64) {
        let mut forces = self.forces.as_mut_slice();
        for ((_, limit), (rows, &worst)) in model
            .limits
            .iter()
            .zip(self.rows.iter_mut().zip(&self.violations))
        {
            let (own, rest) = forces.split_at_mut(limit.multipliers());
            forces = rest;
            match (rows, limit.constraints()) {
                (LimitRows::Constraints(rows), Some(constraints)) => {
                    rows.1.store(constraints, worst > HOPELESS, own, unit);
                }
                (LimitRows::Stretch(rows), _) => rows.store(own, unit),
                _ => {}
            }
        }
    }

    /// The worst violation where they were evaluated last, relative.
    pub fn worst(&self) -> f64 {
        self.violations.iter().copied().fold(0.0, f64::max)
    }
}

/// Relative violations above this at the end mean that the limit cannot hold at all.
const HOPELESS: f64 = 0.05;
