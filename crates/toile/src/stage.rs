//! Stages: what a simulation is told in turn, each time that something is reached.
//!
//! Cloth is sewn without gravity until its seams are closed, and only then let fall. A stage gives [commands](Command) when it begins,
//! as anybody could, so it changes nothing but the state. Which one it is and since when is in the state as well
//! ([`StageMark`]): a snapshot in the middle of a stage goes on to the same bits.

use crate::command::Command;
use crate::drive::StageMark;
use crate::model::Model;
use crate::state::State;

/// Part of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// What it is called; may be empty.
    pub name: String,
    /// What is commanded when it begins.
    pub commands: Vec<Command>,
    /// When it ends; never if there is nothing to reach.
    pub until: Option<Until>,
    /// It ends after so many seconds though what it waits for has not come.
    pub at_most: Option<f64>,
}

/// What ends a stage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Until {
    /// So many seconds are over.
    Duration(f64),
    /// No seam is open by more than this (m) beyond its gap.
    Sewn(f64),
    /// No node has been faster than this (m/s) for [`QUIET`] seconds.
    Still(f64),
}

/// How long cloth must be slow before it counts as still (s). Swinging cloth is slow where it turns: below the speed `v` for `2v/a`, with
/// `a` its acceleration there. A centimetre per second that lasts this long is below 0.08 m/s², less than a hundredth of gravity.
pub const QUIET: f64 = 0.25;

/// A stage that begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StageChange {
    /// Its number, from 0.
    pub stage: usize,
    /// When (s).
    pub time: f64,
    /// How the one before it ended; `None` for the first.
    pub ended: Option<StageEnd>,
}

/// How a stage ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StageEnd {
    /// How long it lasted (s).
    pub lasted: f64,
    /// Whether what it waited for had come; else it had lasted as long as it might.
    pub is_reached: bool,
    /// What it waited for, as it was then: seconds, the opening of seams (m), the speed (m/s).
    pub measured: f64,
}

impl Stage {
    /// How it ends now, if it does; remembers whether the cloth is still. Times are told apart to a millionth of a `step` (s).
    pub(crate) fn end(
        &self,
        model: &Model,
        state: &State,
        mark: &mut StageMark,
        step: f64,
    ) -> Option<StageEnd> {
        let now = state.time;
        let lasted = now - mark.since;
        let over = |since: f64, span: f64| now - since >= span - 1e-6 * step;
        let (measured, is_reached) = match self.until? {
            Until::Duration(span) => (lasted, over(mark.since, span)),
            Until::Sewn(tolerance) => {
                let open = opening(model, state);
                (open, open <= tolerance)
            }
            Until::Still(limit) => {
                let speed = speed(state);
                if speed > limit {
                    mark.quiet_since = now;
                }
                (speed, over(mark.quiet_since, QUIET))
            }
        };
        let is_over = self.at_most.is_some_and(|span| over(mark.since, span));
        (is_reached || is_over).then_some(StageEnd {
            lasted,
            is_reached,
            measured,
        })
    }
}

/// The farthest that a seam is open (m), beyond its gap.
fn opening(model: &Model, state: &State) -> f64 {
    let open = |seam: &crate::energy::Seam| seam.opening(&state.positions) - seam.gap();
    model.seams().map(open).fold(0.0, f64::max)
}

/// The fastest node (m/s).
fn speed(state: &State) -> f64 {
    let squares = state.velocities.iter().map(|v| v.length_squared());
    squares.fold(0.0, f64::max).sqrt()
}
