//! The optimisers, as a fit uses them.

use super::Parameter;
use crate::optimise::{CmaEs, Minimum, NelderMead, OptimiseError, Progress, Settings, StopReason};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

/// How to look for the minimum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// A simplex that walks downhill, as in the paper, restarted where it has ended.
    NelderMead,
    /// A cloud of points that learns the shape of the valley: slower, and harder to fool by side valleys.
    CmaEs,
    /// First the cloud with half of the simulations, then the simplex from its best point.
    Both,
}

/// How hard to look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Search {
    /// How.
    pub method: Method,
    /// Simulations at the most.
    pub budget: usize,
    /// How often to start again.
    pub restarts: usize,
    /// Stop when the mean square error changes by less than this share.
    pub tolerance: f64,
    /// Another number, other random points.
    pub seed: u64,
    /// Points of the cloud at a time; as many as the number of parameters asks for if `None`.
    pub population: Option<usize>,
}

impl Default for Search {
    fn default() -> Self {
        Search {
            method: Method::NelderMead,
            budget: 200,
            restarts: 1,
            tolerance: 1e-4,
            seed: 0,
            population: None,
        }
    }
}

/// What a search found.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub values: Vec<f64>,
    /// m²
    pub loss: f64,
    pub ended: String,
    pub history: Vec<[f64; 2]>,
}

/// Gives the losses (m²) of values of the parameters; it is told the best one so far.
type Losses<'a> = dyn FnMut(&[Vec<f64>], f64) -> Vec<f64> + 'a;

/// Looks for the values with the smallest loss. `losses` is given values of the parameters, and the best loss so far.
pub(super) fn search(
    how: &Search,
    parameters: &[Parameter],
    stop: &AtomicBool,
    losses: &mut Losses,
) -> Result<Found, OptimiseError> {
    let values = |point: &[f64]| -> Vec<f64> {
        let pairs = parameters.iter().zip(point);
        pairs.map(|(p, &share)| p.bounds.value(share)).collect()
    };
    let start = parameters
        .iter()
        .map(|p| p.bounds.share(p.start).clamp(0.0, 1.0));
    let mut best = f64::INFINITY;
    let mut objective = |points: &[Vec<f64>]| {
        let asked: Vec<Vec<f64>> = points.iter().map(|p| values(p)).collect();
        let found = losses(&asked, best);
        if stop.load(Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        best = found.iter().copied().fold(best, f64::min);
        ControlFlow::Continue(found)
    };
    let settings = |max_evaluations: usize| Settings {
        max_evaluations,
        value_tolerance: how.tolerance,
        point_tolerance: 1e-3,
        seed: how.seed,
    };
    let simplex = |start: Vec<f64>, edge: f64| NelderMead {
        edge,
        restarts: how.restarts,
        ..NelderMead::new(start)
    };
    let cloud = |start: Vec<f64>| CmaEs {
        restarts: how.restarts,
        population: how.population,
        ..CmaEs::new(start)
    };
    let start: Vec<f64> = start.collect();
    let minimum = match how.method {
        Method::NelderMead => {
            simplex(start, 0.2).minimise(&mut objective, &settings(how.budget))?
        }
        Method::CmaEs => cloud(start).minimise(&mut objective, &settings(how.budget))?,
        Method::Both => {
            let half = how.budget.div_ceil(2);
            let first = cloud(start).minimise(&mut objective, &settings(half))?;
            let left = how.budget.saturating_sub(first.evaluations).max(1);
            let from = first.point.clone();
            let second = simplex(from, 0.05).minimise(&mut objective, &settings(left))?;
            joined(first, second)
        }
    };
    let history = minimum.history.iter();
    Ok(Found {
        values: values(&minimum.point),
        loss: minimum.value,
        ended: match minimum.stopped {
            StopReason::Converged => "converged".into(),
            StopReason::EvaluationLimit => {
                "all simulations were used up before it converged".into()
            }
            StopReason::Requested => "stopped".into(),
        },
        history: history.map(|p| [p.evaluations as f64, p.value]).collect(),
    })
}

/// Two searches, one after the other, as one.
fn joined(first: Minimum, second: Minimum) -> Minimum {
    let offset = first.evaluations;
    let mut history = first.history;
    let best = first.value;
    let better = second.history.into_iter().filter(|p| p.value < best);
    history.extend(better.map(|p| Progress {
        evaluations: p.evaluations + offset,
        ..p
    }));
    let (point, value) = match second.value < first.value {
        true => (second.point, second.value),
        false => (first.point, first.value),
    };
    Minimum {
        point,
        value,
        evaluations: offset + second.evaluations,
        stopped: second.stopped,
        history,
    }
}
