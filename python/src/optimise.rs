//! Searches without derivatives, for functions of Python.

use crate::errors::argument;
use pyo3::prelude::*;
use std::ops::ControlFlow;
use toile_lab::optimise::{Bounds, CmaEs, Minimum, NelderMead, Scale, Settings, Space, StopReason};

/// What a search found: the parameters, their value, how many points were asked for, why it ended, and the history of better ones.
pub type Found = (Vec<f64>, f64, usize, &'static str, Vec<(usize, f64)>);

/// Looks for the smallest value of a function in a box. `evaluate` gets a list of points, each a list of parameters, and answers
/// with a list of values; those that are not finite are failures.
#[pyfunction]
#[pyo3(name = "_minimise")]
#[allow(clippy::too_many_arguments)]
pub fn minimise(
    evaluate: &Bound<'_, PyAny>,
    bounds: Vec<(f64, f64, bool)>,
    start: Vec<f64>,
    method: &str,
    max_evaluations: usize,
    value_tolerance: f64,
    point_tolerance: f64,
    first_step: f64,
    population: Option<usize>,
    restarts: usize,
    seed: u64,
) -> PyResult<Found> {
    let refuse = |error: String| argument(error);
    let bounds = bounds.into_iter().map(|(low, high, log)| Bounds {
        low,
        high,
        scale: if log { Scale::Log } else { Scale::Linear },
    });
    let space = Space::new(bounds.collect()).map_err(|e| refuse(e.to_string()))?;
    let settings = Settings {
        max_evaluations,
        value_tolerance,
        point_tolerance,
        seed,
    };
    let mut raised = None;
    let mut objective = |points: &[Vec<f64>]| {
        let asked: Vec<_> = points.iter().map(|p| space.parameters(p)).collect();
        let answer = evaluate.call1((asked,)).and_then(|values| {
            let values: Vec<f64> = values.extract()?;
            match values.len() == points.len() {
                true => Ok(values),
                false => Err(argument(format!(
                    "{} points were asked for, but {} values came back",
                    points.len(),
                    values.len()
                ))),
            }
        });
        match answer {
            Ok(values) => ControlFlow::Continue(values),
            Err(error) => {
                raised = Some(error);
                ControlFlow::Break(())
            }
        }
    };
    let start = space.point(&start);
    let found = match method {
        "cma-es" => CmaEs {
            spread: first_step,
            population,
            restarts,
            ..CmaEs::new(start)
        }
        .minimise(&mut objective, &settings),
        "nelder-mead" => NelderMead {
            edge: first_step,
            restarts,
            ..NelderMead::new(start)
        }
        .minimise(&mut objective, &settings),
        other => {
            return Err(argument(format!(
                "there is no method {other:?}; it is \"cma-es\" or \"nelder-mead\""
            )));
        }
    };
    if let Some(error) = raised {
        return Err(error);
    }
    let Minimum {
        point,
        value,
        evaluations,
        stopped,
        history,
    } = found.map_err(|e| refuse(e.to_string()))?;
    let stopped = match stopped {
        StopReason::Converged => "converged",
        StopReason::EvaluationLimit => "evaluation-limit",
        StopReason::Requested => "requested",
    };
    let history = history.iter().map(|p| (p.evaluations, p.value)).collect();
    Ok((
        space.parameters(&point),
        value,
        evaluations,
        stopped,
        history,
    ))
}
