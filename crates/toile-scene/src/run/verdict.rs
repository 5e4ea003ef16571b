//! Whether a run came out as its scene expects.

use crate::report::MetricsTable;
use crate::spec::ExpectSpec;
use toile::state::State;

/// One expectation and what came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The field of the scene's `expect` table.
    pub what: &'static str,
    /// What was measured.
    pub measured: f64,
    /// What was expected, in words.
    pub expected: String,
    /// Whether it holds.
    pub holds: bool,
}

/// Holds a finished run against its scene's expectations.
pub fn judge(expect: &ExpectSpec, metrics: &MetricsTable, state: &State) -> Vec<Verdict> {
    let column = |name: &str| {
        let index = metrics.columns.iter().position(|c| c == name);
        let rows = metrics.rows.iter();
        rows.filter_map(move |row| index.and_then(|k| row.get(k)).copied())
    };
    let worst = column("stretch_worst").fold(f64::NEG_INFINITY, f64::max);
    let gap = column("gap_smallest").fold(f64::INFINITY, f64::min);
    let heights = || state.positions.iter().map(|p| p.z);
    let lowest = heights().fold(f64::INFINITY, f64::min);
    let highest = heights().fold(f64::NEG_INFINITY, f64::max);
    let speeds = state.velocities.iter().map(|v| v.length());
    let fastest = speeds.fold(0.0, f64::max);

    let below = |what, limit: Option<f64>, measured: f64| {
        limit.map(|limit| Verdict {
            what,
            measured,
            expected: format!("below {limit}"),
            holds: measured <= limit,
        })
    };
    let between = |what, range: Option<[f64; 2]>, measured: f64| {
        range.map(|[low, high]| Verdict {
            what,
            measured,
            expected: format!("between {low} and {high}"),
            holds: low <= measured && measured <= high,
        })
    };
    let above = expect.gap_above.map(|limit| Verdict {
        what: "gap_above",
        measured: gap,
        expected: format!("above {limit}"),
        holds: gap >= limit,
    });
    let intersections = column("intersections").fold(f64::NAN, f64::max);
    let clean = expect.no_intersections.then(|| Verdict {
        what: "no_intersections",
        measured: intersections,
        expected: "0, looked for and not found".into(),
        holds: intersections == 0.0,
    });
    [
        below("stretch_below", expect.stretch_below, worst),
        above,
        clean,
        between("lowest_between", expect.lowest_between, lowest),
        between("highest_between", expect.highest_between, highest),
        below("speed_below", expect.speed_below, fastest),
    ]
    .into_iter()
    .flatten()
    .collect()
}
