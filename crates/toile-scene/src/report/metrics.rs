//! The table of metrics that the report plots: one row per moment, the first column is the time.

use thiserror::Error;

/// Numbers over time, as `metrics.csv` holds them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MetricsTable {
    /// Names of the columns; the first is the time (s).
    pub columns: Vec<String>,
    /// One number per column; NaN where there is none.
    pub rows: Vec<Vec<f64>>,
}

/// A metrics file that cannot be read.
#[derive(Debug, Error)]
pub enum MetricsError {
    /// There is not even a first line.
    #[error("the metrics are empty; line 1 must name the columns, time first")]
    Empty,
    /// A row has more or fewer values than there are columns.
    #[error("line {line} of the metrics has {found} values, but line 1 names {expected} columns")]
    Length {
        /// The line (counted from 1).
        line: u64,
        /// How many columns there are.
        expected: usize,
        /// How many values the line has.
        found: usize,
    },
    /// A value is not a number.
    #[error(
        "line {line} of the metrics, column \"{column}\": \"{text}\" is not a number \
         (leave the place empty if there is none)"
    )]
    Number {
        /// The line (counted from 1).
        line: u64,
        /// The column's name.
        column: String,
        /// What stands there.
        text: String,
    },
    /// The text is not CSV.
    #[error("line {line} of the metrics cannot be read: {source}")]
    Malformed {
        /// The line (counted from 1).
        line: u64,
        /// What the reader said.
        source: csv::Error,
    },
}

impl MetricsTable {
    /// The number of a column, by its name.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|c| c == name)
    }

    /// Reads comma-separated text whose first line names the columns. An empty place is NaN.
    pub fn parse_csv(text: &str) -> Result<Self, MetricsError> {
        let text = text.trim_start_matches('\u{feff}');
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true) // rows of the wrong length get our own message
            .trim(csv::Trim::All)
            .from_reader(text.as_bytes());
        let mut table = MetricsTable::default();
        for record in reader.records() {
            let record = record.map_err(|source| MetricsError::Malformed {
                line: line_of(source.position(), text),
                source,
            })?;
            if table.columns.is_empty() {
                table.columns = record.iter().map(str::to_owned).collect();
            } else {
                let row = table.parse_row(&record, line_of(record.position(), text))?;
                table.rows.push(row);
            }
        }
        if table.columns.is_empty() {
            return Err(MetricsError::Empty);
        }
        Ok(table)
    }

    /// Adds a column `force BODY` (N) for every body that the steps of a `forces.csv` tell of: how hard the cloth presses on it, the mean
    /// over the steps since the row before. What cannot be read is left out.
    pub fn add_forces(&mut self, forces: &str) {
        let mut bodies: Vec<String> = Vec::new();
        let mut steps: Vec<(f64, usize, f64)> = Vec::new();
        for record in csv::Reader::from_reader(forces.as_bytes()).records() {
            let Ok(record) = record else { continue };
            let number = |k: usize| record.get(k).and_then(|c| c.parse::<f64>().ok());
            let (Some(time), Some(body)) = (number(0), record.get(1)) else {
                continue;
            };
            let (Some(x), Some(y), Some(z)) = (number(2), number(3), number(4)) else {
                continue;
            };
            let known = bodies.iter().position(|b| b == body);
            let index = known.unwrap_or_else(|| {
                bodies.push(body.to_owned());
                bodies.len() - 1
            });
            steps.push((time, index, (x * x + y * y + z * z).sqrt()));
        }
        let mut steps = steps.into_iter().peekable();
        let width = self.columns.len();
        self.columns
            .extend(bodies.iter().map(|b| format!("force {b}")));
        for row in &mut self.rows {
            let mut sums = vec![(0.0, 0u32); bodies.len()];
            // Times of frames and of steps are rounded each for itself.
            let until = row.first().map_or(f64::NEG_INFINITY, |time| time + 1e-7);
            while let Some((_, body, force)) = steps.next_if(|(time, _, _)| *time <= until) {
                sums[body].0 += force;
                sums[body].1 += 1;
            }
            row.truncate(width);
            row.extend(sums.iter().map(|(sum, count)| sum / f64::from(*count)));
        }
    }

    fn parse_row(&self, record: &csv::StringRecord, line: u64) -> Result<Vec<f64>, MetricsError> {
        if record.len() != self.columns.len() {
            return Err(MetricsError::Length {
                line,
                expected: self.columns.len(),
                found: record.len(),
            });
        }
        let number = |(text, column): (&str, &String)| {
            if text.is_empty() {
                return Ok(f64::NAN);
            }
            text.parse().map_err(|_| MetricsError::Number {
                line,
                column: column.clone(),
                text: text.to_owned(),
            })
        };
        record.iter().zip(&self.columns).map(number).collect()
    }

    /// The rows that can be drawn: as long as the columns, at a finite time, in the order of time; if there
    /// are more than `most`, evenly spaced ones.
    pub(super) fn drawable_rows(&self, most: usize) -> Vec<&[f64]> {
        let fits = |row: &&[f64]| row.len() == self.columns.len() && row[0].is_finite();
        let mut rows: Vec<&[f64]> = match self.columns.len() {
            0 => Vec::new(),
            _ => self.rows.iter().map(Vec::as_slice).filter(fits).collect(),
        };
        rows.sort_by(|a, b| a[0].total_cmp(&b[0]));
        let count = rows.len().min(most.max(2));
        (0..count)
            .map(|k| rows[super::pack::spread(k, count, rows.len())])
            .collect()
    }
}

/// The line a record stands on. The reader's position is before any blank lines that it skipped.
fn line_of(position: Option<&csv::Position>, text: &str) -> u64 {
    let Some(position) = position else { return 1 };
    let rest = text.as_bytes().get(position.byte() as usize..);
    let blank = rest.unwrap_or_default().iter();
    let blank = blank.take_while(|byte| matches!(byte, b'\n' | b'\r'));
    position.line() + blank.filter(|&&byte| byte == b'\n').count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_csv_names_the_line() {
        for (text, expected) in [
            ("", "line 1 must name the columns"),
            (
                "time,a\n0,1\n\n0.1,oops\n",
                "line 4 of the metrics, column \"a\": \"oops\" is not a number",
            ),
            (
                "time,a\n0,1\n0.1\n",
                "line 3 of the metrics has 1 values, but line 1 names 2 columns",
            ),
        ] {
            let message = MetricsTable::parse_csv(text).unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        }
    }

    #[test]
    fn forces_are_means_over_the_steps_of_a_row() {
        let mut table = MetricsTable::parse_csv("time,gap\n0,1\n0.02,2\n0.04,3\n").unwrap();
        table.add_forces(
            "time,body,force_x,force_y,force_z,torque_x,torque_y,torque_z,nodes\n\
             0.010000000,ball,3,4,0,0,0,0,1\n\
             0.010000000,\"a, b\",0,0,2,0,0,0,1\n\
             0.020000000,ball,0,0,-7,0,0,0,1\n\
             0.020000000,\"a, b\",0,0,2,0,0,0,1\n\
             0.030000000,ball,broken,0,1,0,0,0,1\n\
             0.040000000,ball,0,1,0,0,0,0,1\n",
        );
        assert_eq!(table.columns, ["time", "gap", "force ball", "force a, b"]);
        assert!(table.rows[0][2].is_nan(), "no step before the start");
        assert_eq!(table.rows[1][2..], [6.0, 2.0]);
        assert_eq!(table.rows[2][2], 1.0);
        assert!(table.rows[2][3].is_nan());
    }
}
