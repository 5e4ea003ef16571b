//! One clock for several sessions: none is ahead of another by more than a step.

use crate::state::locked;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Times (s) that count as the same.
const SAME: f64 = 1e-9;

/// The times (s) of sessions that keep one clock.
#[derive(Debug, Default)]
pub struct Link {
    times: Mutex<BTreeMap<u32, f64>>,
}

impl Link {
    /// Notes where a session is.
    pub fn note(&self, session: u32, time: f64) {
        locked(&self.times).insert(session, time);
    }

    /// A session no longer takes part.
    pub fn leave(&self, session: u32) {
        locked(&self.times).remove(&session);
    }

    /// Whether a session that is at a time may go on: nobody is behind it.
    pub fn may_step(&self, session: u32, time: f64) -> bool {
        let times = locked(&self.times);
        let mut others = times.iter().filter(|(id, _)| **id != session);
        others.all(|(_, other)| time <= *other + SAME)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_is_behind_goes_first() {
        let link = Link::default();
        link.note(1, 0.02);
        link.note(2, 0.01);
        assert!(!link.may_step(1, 0.02));
        assert!(link.may_step(2, 0.01));
        link.note(2, 0.02);
        assert!(link.may_step(1, 0.02) && link.may_step(2, 0.02));
        link.note(1, 0.03);
        link.leave(2);
        assert!(link.may_step(1, 0.03));
    }
}
