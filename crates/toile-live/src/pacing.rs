//! How fast simulated time goes: when the next step is due, and how far from real time it is. Whoever asks brings the clock.

use std::collections::VecDeque;

/// Who lags behind by more than this (s) does not make up for it.
const FORGIVEN: f64 = 0.1;
/// What is lately (s).
const LATELY: f64 = 1.0;

/// Keeps simulated time to the pace that was asked for.
#[derive(Clone, Debug)]
pub struct Pacing {
    /// Simulated seconds in one second at the most; 0 for as fast as it goes.
    pub pace: f64,
    /// A moment, and the simulated time that belonged to it.
    anchor: Option<[f64; 2]>,
    /// Moments with their simulated times, and what the step took.
    recent: VecDeque<[f64; 3]>,
}

impl Default for Pacing {
    fn default() -> Self {
        Pacing {
            pace: 1.0,
            anchor: None,
            recent: VecDeque::new(),
        }
    }
}

impl Pacing {
    /// Begins anew, because somebody paused, went back or asked for another pace.
    pub fn restart(&mut self) {
        self.anchor = None;
        self.recent.clear();
    }

    /// How long to wait (s) at a moment before the step that begins at this simulated time.
    pub fn wait(&mut self, now: f64, time: f64) -> f64 {
        if self.pace <= 0.0 {
            return 0.0;
        }
        let [moment, began] = *self.anchor.get_or_insert([now, time]);
        let due = moment + (time - began) / self.pace;
        if due < now - FORGIVEN {
            self.anchor = Some([now, time]);
        }
        (due - now).max(0.0)
    }

    /// Notes that a step has ended.
    pub fn stepped(&mut self, now: f64, time: f64, took: f64) {
        self.recent.push_back([now, time, took]);
        while self.recent.len() > 2 && self.recent[0][0] < now - LATELY {
            self.recent.pop_front();
        }
    }

    /// Simulated seconds per second, lately.
    pub fn factor(&self) -> Option<f64> {
        let (first, last) = (self.recent.front()?, self.recent.back()?);
        let seconds = last[0] - first[0];
        (seconds > 0.0).then(|| (last[1] - first[1]) / seconds)
    }

    /// Milliseconds of a step, lately.
    pub fn milliseconds(&self) -> Option<f64> {
        let count = self.recent.len();
        let sum: f64 = self.recent.iter().map(|step| step[2]).sum();
        (count > 0).then(|| 1e3 * sum / count as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_come_when_their_time_has_come_and_delays_are_not_made_up_for() {
        let mut pacing = Pacing {
            pace: 2.0,
            ..Pacing::default()
        };
        assert_eq!(pacing.wait(10.0, 0.0), 0.0);
        assert_eq!(pacing.wait(10.1, 0.5), 0.15000000000000036);
        assert_eq!(pacing.wait(20.0, 1.0), 0.0);
        // Not a burst of steps until ten seconds have been caught up.
        assert!(pacing.wait(20.0, 1.5) > 0.2);
    }

    #[test]
    fn the_factor_is_simulated_by_real_time() {
        let mut pacing = Pacing::default();
        assert_eq!(pacing.factor(), None);
        (0..5).for_each(|k| pacing.stepped(0.1 * f64::from(k), 0.02 * f64::from(k), 0.05));
        let factor = pacing.factor().unwrap_or(0.0);
        assert!((factor - 0.2).abs() < 1e-12, "{factor}");
        let milliseconds = pacing.milliseconds().unwrap_or(0.0);
        assert!((milliseconds - 50.0).abs() < 1e-9, "{milliseconds}");
    }
}
