//! Whether a run came out as its scene expects.

use crate::report::MetricsTable;
use crate::spec::ExpectSpec;
use toile::state::State;

/// One expectation and what came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The field of the scene's `expect` table.
    pub what: &'static str,
    /// What was measured; NaN if nothing was.
    pub measured: f64,
    /// What was expected, in words.
    pub expected: String,
    /// Whether it holds. What was not measured does not hold.
    pub holds: bool,
    /// Why nothing was measured.
    pub unknown: Option<String>,
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let end = if self.holds { "holds" } else { "failed" };
        write!(f, "expect.{} {end}: ", self.what)?;
        match &self.unknown {
            Some(why) => write!(f, "{why}, expected {}", self.expected),
            None => write!(
                f,
                "measured {:.6}, expected {}",
                self.measured, self.expected
            ),
        }
    }
}

/// A number, or why there is none.
type Measured = Result<f64, String>;

/// Holds a finished run against its scene's expectations.
pub fn judge(expect: &ExpectSpec, metrics: &MetricsTable, state: &State) -> Vec<Verdict> {
    let heights = || state.positions.iter().map(|p| p.z);
    let lowest = heights().fold(f64::INFINITY, f64::min);
    let highest = heights().fold(f64::NEG_INFINITY, f64::max);
    let fastest = state.velocities.iter().map(|v| v.length());
    let fastest = fastest.fold(0.0, f64::max);
    let worst = || over_time(metrics, "stretch_worst", f64::max);
    let gap = || over_time(metrics, "gap_smallest", f64::min);
    let crossings = || over_time(metrics, "intersections", f64::max);

    let below = |what, limit: Option<f64>, measured: &dyn Fn() -> Measured| {
        let limit = limit?;
        let expected = format!("below {limit}");
        Some(verdict(what, measured(), expected, |x| x <= limit))
    };
    let above = |what, limit: Option<f64>, measured: &dyn Fn() -> Measured| {
        let limit = limit?;
        let expected = format!("above {limit}");
        Some(verdict(what, measured(), expected, |x| x >= limit))
    };
    let between = |what, range: Option<[f64; 2]>, measured: f64| {
        let [low, high] = range?;
        let expected = format!("between {low} and {high}");
        let inside = |x| low <= x && x <= high;
        Some(verdict(what, Ok(measured), expected, inside))
    };
    let clean = expect.no_intersections.then(|| {
        let expected = "0, looked for and not found".to_owned();
        verdict("no_intersections", crossings(), expected, |x| x == 0.0)
    });
    [
        below("stretch_below", expect.stretch_below, &worst),
        above("gap_above", expect.gap_above, &gap),
        clean,
        between("lowest_between", expect.lowest_between, lowest),
        between("highest_between", expect.highest_between, highest),
        below("speed_below", expect.speed_below, &|| Ok(fastest)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn verdict(
    what: &'static str,
    measured: Measured,
    expected: String,
    holds: impl Fn(f64) -> bool,
) -> Verdict {
    let known = measured.as_ref().copied();
    Verdict {
        what,
        measured: known.unwrap_or(f64::NAN),
        expected,
        holds: known.is_ok_and(holds),
        unknown: measured.err(),
    }
}

/// The worst value of a column; places without a number do not count.
fn over_time(metrics: &MetricsTable, name: &str, worse: fn(f64, f64) -> f64) -> Measured {
    let Some(column) = metrics.column(name) else {
        let columns = metrics.columns.join(", ");
        return Err(format!(
            "metrics.csv has no column `{name}`; it has {columns}"
        ));
    };
    let known = metrics.rows.iter().map(|row| row[column]);
    let worst = known.filter(|value| !value.is_nan()).reduce(worse);
    worst.ok_or_else(|| format!("nothing was measured: `{name}` of metrics.csv is empty"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> MetricsTable {
        MetricsTable::parse_csv(text).unwrap()
    }

    /// What is said of a scene that expects these three.
    fn judged(text: &str) -> Vec<Verdict> {
        let expect = ExpectSpec {
            stretch_below: Some(0.1),
            gap_above: Some(-1e-3),
            no_intersections: true,
            ..ExpectSpec::default()
        };
        let source = crate::scene::bundled("hello").unwrap().source();
        let spec = source.parse().unwrap();
        let world = crate::scene::resolve(&source, spec).unwrap();
        judge(&expect, &table(text), &world.state)
    }

    #[test]
    fn the_worst_moment_counts_and_empty_places_do_not() {
        let good = judged("time,stretch_worst,gap_smallest,intersections\n0,,,0\n1,0.05,0.002,\n");
        assert!(good.iter().all(|v| v.holds), "{good:?}");
        let bad =
            judged("time,stretch_worst,gap_smallest,intersections\n0,0.2,-0.1,3\n1,0.05,0.002,0\n");
        assert!(bad.iter().all(|v| !v.holds), "{bad:?}");
        assert_eq!(
            bad[0].to_string(),
            "expect.stretch_below failed: measured 0.200000, expected below 0.1"
        );
    }

    #[test]
    fn a_column_that_is_missing_fails_and_the_others_are_named() {
        for verdict in judged("time,energy_total\n0,1\n") {
            assert!(!verdict.holds, "{verdict}");
            let says = verdict.to_string();
            assert!(says.contains("metrics.csv has no column `"), "{says}");
            assert!(says.contains("it has time, energy_total"), "{says}");
        }
    }

    #[test]
    fn a_column_without_a_number_fails() {
        for verdict in judged("time,stretch_worst,gap_smallest,intersections\n0,,,\n") {
            assert!(!verdict.holds, "{verdict}");
            assert!(verdict.to_string().contains("is empty"), "{verdict}");
        }
    }
}
