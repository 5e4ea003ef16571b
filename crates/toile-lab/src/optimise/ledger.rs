//! The account of a search: what was spent, what is best.

use super::{Minimum, Objective, Progress, Settings, StopReason};
use std::ops::ControlFlow;

/// Stands between an optimiser and its objective and keeps the account.
pub(super) struct Ledger<'a> {
    objective: &'a mut dyn Objective,
    max_evaluations: usize,
    evaluations: usize,
    best: Option<(Vec<f64>, f64)>,
    history: Vec<Progress>,
}

impl<'a> Ledger<'a> {
    /// Keeps the account of a search from its beginning to its end.
    pub fn keep(
        objective: &'a mut dyn Objective,
        settings: &Settings,
        start: &[f64],
        search: impl FnOnce(&mut Self) -> Result<(), StopReason>,
    ) -> Minimum {
        let mut ledger = Ledger::new(objective, settings);
        let stopped = match search(&mut ledger) {
            Ok(()) => StopReason::Converged,
            Err(reason) => reason,
        };
        ledger.close(start, stopped)
    }

    fn new(objective: &'a mut dyn Objective, settings: &Settings) -> Self {
        Ledger {
            objective,
            max_evaluations: settings.max_evaluations,
            evaluations: 0,
            best: None,
            history: Vec::new(),
        }
    }

    /// Evaluates a batch. What does not fit into the budget is left out, and the search is over; so it is if the
    /// objective says so.
    pub fn evaluate(&mut self, points: &[Vec<f64>]) -> Result<Vec<f64>, StopReason> {
        let left = self.max_evaluations - self.evaluations;
        let fitting = &points[..points.len().min(left)];
        if fitting.is_empty() && !points.is_empty() {
            return Err(StopReason::EvaluationLimit);
        }
        let ControlFlow::Continue(mut values) = self.objective.evaluate(fitting) else {
            return Err(StopReason::Requested);
        };
        // A point without an answer is one whose simulation failed.
        values.resize(fitting.len(), f64::INFINITY);
        for (point, value) in fitting.iter().zip(&mut values) {
            if value.is_nan() {
                *value = f64::INFINITY;
            }
            self.record(point, *value);
        }
        if fitting.len() < points.len() {
            return Err(StopReason::EvaluationLimit);
        }
        Ok(values)
    }

    fn record(&mut self, point: &[f64], value: f64) {
        self.evaluations += 1;
        if self.best.as_ref().is_none_or(|(_, best)| value < *best) {
            self.best = Some((point.to_vec(), value));
            self.history.push(Progress {
                evaluations: self.evaluations,
                value,
            });
        }
    }

    /// The best point so far.
    pub fn best_point(&self) -> Option<&[f64]> {
        self.best.as_ref().map(|(point, _)| point.as_slice())
    }

    /// Closes the account. If nothing was evaluated, the start is the best point known.
    fn close(self, start: &[f64], stopped: StopReason) -> Minimum {
        let (point, value) = self.best.unwrap_or_else(|| (start.to_vec(), f64::INFINITY));
        Minimum {
            point,
            value,
            evaluations: self.evaluations,
            stopped,
            history: self.history,
        }
    }
}
