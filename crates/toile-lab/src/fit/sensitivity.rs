//! How the error depends on two of the parameters, around what was found (Coltraro and others 2022, section 9.3).

use super::{Crew, FitError, Outcome, Parameter, Prepared, Task};
use crate::plot::{HeatMap, SIZE};
use toile_render::{Image, Size};

/// Which parameters to vary, and how finely.
#[derive(Clone, Debug, PartialEq)]
pub struct SensitivityGrid {
    /// Numbers of the two parameters.
    pub parameters: [usize; 2],
    /// How many values each takes.
    pub sides: [usize; 2],
}

/// The error over two parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensitivity {
    /// Fields of the two parameters.
    pub fields: [String; 2],
    /// Their values: from one step above the lower bound of zero to twice what was found.
    pub values: [Vec<f64>; 2],
    /// Mean error in the test window (m): `errors[second][first]`; NaN where the simulation failed.
    pub errors: Vec<Vec<f64>>,
    /// What was found.
    pub found: [f64; 2],
    /// Wall time (s).
    pub seconds: f64,
}

impl Prepared<'_> {
    /// Simulates a grid of values around what was found. `None` if it was stopped.
    pub fn sensitivity(
        &self,
        crew: &mut dyn Crew,
        grid: &SensitivityGrid,
        found: &[f64],
        mut done: impl FnMut(usize, usize) + Send,
    ) -> Result<Option<Sensitivity>, FitError> {
        let begin = std::time::Instant::now();
        let [first, second] = grid.parameters;
        let axis =
            |number: usize, count: usize| axis(&self.fit.parameters[number], found[number], count);
        let values = [axis(first, grid.sides[0]), axis(second, grid.sides[1])];
        let pairs: Vec<[f64; 2]> = values[1]
            .iter()
            .flat_map(|&b| values[0].iter().map(move |&a| [a, b]))
            .collect();
        let tasks: Vec<Task> = pairs
            .iter()
            .map(|&[a, b]| {
                let mut values = found.to_vec();
                values[first] = a;
                values[second] = b;
                Task {
                    values,
                    until: self.test[1],
                    keep: false,
                }
            })
            .collect();
        let mut count = 0;
        let outcomes = crew.run(&self.trials(), &tasks, &mut |_, _| {
            count += 1;
            done(count, tasks.len());
        });
        let error = |outcome: Outcome| outcome.map_or(f64::NAN, |c| c.mean_error(self.test));
        let errors = outcomes.into_iter().map(|outcome| outcome.map(error));
        let Some(errors) = errors.collect::<Option<Vec<f64>>>() else {
            return Ok(None);
        };
        let field = |number: usize| self.fit.parameters[number].field.clone();
        Ok(Some(Sensitivity {
            fields: [field(first), field(second)],
            errors: errors
                .chunks(values[0].len())
                .map(<[f64]>::to_vec)
                .collect(),
            values,
            found: [found[first], found[second]],
            seconds: begin.elapsed().as_secs_f64(),
        }))
    }
}

/// Values up to twice what was found, as in the paper, but within the bounds. Half of them lie at or below what was found, so that it is one of
/// them if the count is even.
fn axis(parameter: &Parameter, found: f64, count: usize) -> Vec<f64> {
    let (low, high) = (parameter.bounds.low, parameter.bounds.high);
    let value = |k: usize| 2.0 * found * (k as f64) / count as f64;
    (1..=count).map(|k| value(k).clamp(low, high)).collect()
}

impl Sensitivity {
    /// The smallest error and where it is: columns and rows.
    pub fn best(&self) -> Option<([usize; 2], f64)> {
        let cells = self.errors.iter().enumerate();
        let cells = cells.flat_map(|(row, errors)| {
            let errors = errors.iter().enumerate();
            errors.map(move |(column, error)| ([column, row], *error))
        });
        let known = cells.filter(|(_, error)| error.is_finite());
        known.min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// The map, in centimetres as the paper's.
    pub fn picture(&self) -> Image {
        let centimetres = |row: &Vec<f64>| row.iter().map(|e| 100.0 * e).collect();
        let map = HeatMap {
            title: "Mean error in the test window (cm)".into(),
            horizontal: (self.fields[0].clone(), self.values[0].clone()),
            vertical: (self.fields[1].clone(), self.values[1].clone()),
            values: self.errors.iter().map(centimetres).collect(),
            marked: self.best().map(|(cell, _)| cell),
        };
        map.draw(Size {
            height: 640,
            ..SIZE
        })
    }
}
