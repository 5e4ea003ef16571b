//! A progress bar on a terminal, plain lines elsewhere.

use crate::output::say;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};
use toile::stage::{Stage, StageChange, StageEnd, Until};
use toile_scene::run::{DrapeObserver, DrapeProgress, Observer, Progress};

/// Shows how far a run is: step rate, simulated time, time left.
pub enum ProgressDisplay {
    Bar(Option<ProgressBar>),
    Lines(Lines),
    Quiet,
}

pub struct Lines {
    begin: Instant,
    last: Instant,
    first_step: Option<u64>,
}

/// Plain lines come this far apart.
const LINE_INTERVAL: Duration = Duration::from_secs(5);

impl ProgressDisplay {
    /// Chooses by what standard error is connected to.
    pub fn new(quiet: bool) -> Self {
        if quiet {
            ProgressDisplay::Quiet
        } else if std::io::stderr().is_terminal() {
            ProgressDisplay::Bar(None)
        } else {
            let now = Instant::now();
            ProgressDisplay::Lines(Lines {
                begin: now,
                last: now,
                first_step: None,
            })
        }
    }

    /// Clears the bar.
    pub fn finish(&mut self) {
        if let ProgressDisplay::Bar(Some(bar)) = self {
            bar.finish_and_clear();
        }
    }
}

/// Whoever was given a display to watch one run with drops it at its end.
impl Drop for ProgressDisplay {
    fn drop(&mut self) {
        self.finish();
    }
}

impl Observer for ProgressDisplay {
    fn step(&mut self, progress: Progress) {
        match self {
            ProgressDisplay::Bar(slot) => {
                let bar = slot.get_or_insert_with(|| new_bar(&progress));
                bar.set_position(progress.steps);
                bar.set_message(format!("t = {:.2} s", progress.time));
            }
            ProgressDisplay::Lines(lines) => lines.step(&progress),
            ProgressDisplay::Quiet => {}
        }
    }

    fn stage(&mut self, change: &StageChange, stages: &[Stage]) {
        let text = stage_line(change, stages);
        match self {
            ProgressDisplay::Bar(Some(bar)) => bar.suspend(|| say(text)),
            ProgressDisplay::Bar(None) | ProgressDisplay::Lines(_) => say(text),
            ProgressDisplay::Quiet => {}
        }
    }
}

/// `stage 2 of 3, `fall``.
pub fn stage_name(number: usize, stages: &[Stage]) -> String {
    let name = stages.get(number).map_or("", |s| s.name.as_str());
    let place = format!("stage {} of {}", number + 1, stages.len());
    match name {
        "" => place,
        _ => format!("{place}, `{name}`"),
    }
}

fn stage_line(change: &StageChange, stages: &[Stage]) -> String {
    let begins = format!(
        "{} begins at {:.3} s",
        stage_name(change.stage, stages),
        change.time
    );
    let until = change.stage.checked_sub(1).and_then(|k| stages[k].until);
    let (Some(ended), Some(until)) = (change.ended, until) else {
        return begins;
    };
    let StageEnd {
        lasted,
        is_reached,
        measured,
    } = ended;
    let why = match (until, is_reached) {
        (Until::Duration(_), _) => format!("the one before lasted {lasted:.3} s"),
        (Until::Sewn(_), true) => format!("seams are closed to {:.2} mm", 1e3 * measured),
        (Until::Sewn(_), false) => {
            let open = 1e3 * measured;
            format!(
                "seams are still open by {open:.2} mm after {lasted:.3} s, as long as `at_most` allows"
            )
        }
        (Until::Still(_), true) => format!("the cloth is still, at {measured:.4} m/s"),
        (Until::Still(_), false) => {
            format!(
                "the cloth still moves at {measured:.4} m/s after {lasted:.3} s, as long as `at_most` allows"
            )
        }
    };
    format!("{begins}: {why}")
}

fn new_bar(progress: &Progress) -> ProgressBar {
    let template = "{bar:32} {percent:>3} %  {msg}  {per_sec:.0}  {eta} left";
    let style = ProgressStyle::with_template(template);
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    let rate = |state: &indicatif::ProgressState, w: &mut dyn std::fmt::Write| {
        let _ = write!(w, "{:.0} steps/s", state.per_sec());
    };
    let bar = ProgressBar::new(progress.steps_total).with_style(style.with_key("per_sec", rate));
    // A resumed run starts in the middle; its rate and time left count from there.
    bar.set_position(progress.steps.saturating_sub(1));
    bar.reset_eta();
    bar
}

impl Lines {
    fn step(&mut self, progress: &Progress) {
        let first = *self
            .first_step
            .get_or_insert(progress.steps.saturating_sub(1));
        if self.last.elapsed() < LINE_INTERVAL {
            return;
        }
        self.last = Instant::now();
        let done = (progress.steps - first) as f64;
        let rate = done / self.begin.elapsed().as_secs_f64();
        let left = progress.steps_total.saturating_sub(progress.steps) as f64 / rate;
        eprintln!(
            "step {} of {} (t = {:.2} s), {rate:.0} steps/s, {} left",
            progress.steps,
            progress.steps_total,
            progress.time,
            indicatif::HumanDuration(Duration::from_secs_f64(left.clamp(0.0, 1e9))),
        );
    }
}

/// Shows how far a drape is: how many of the orders of magnitude of the force are gone.
pub struct DrapeDisplay {
    bar: Option<ProgressBar>,
    lines: bool,
    last: Instant,
    first: f64,
    best: u64,
}

impl DrapeDisplay {
    /// Chooses by what standard error is connected to.
    pub fn new(quiet: bool) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let style = ProgressStyle::with_template("{bar:32} {percent:>3} %  {msg}");
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        DrapeDisplay {
            bar: (!quiet && terminal).then(|| ProgressBar::new(100).with_style(style)),
            lines: !quiet && !terminal,
            last: Instant::now(),
            first: 0.0,
            best: 0,
        }
    }

    /// Clears the bar.
    pub fn finish(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl DrapeObserver for DrapeDisplay {
    fn iteration(&mut self, progress: &DrapeProgress) {
        // Cloth that starts flat and free has forces that grow at first; the largest counts.
        self.first = self.first.max(progress.gradient);
        let text = format!(
            "iteration {}, force {:.1e} of the weight, energy {:.6} J",
            progress.iteration, progress.gradient, progress.energy
        );
        if let Some(bar) = &self.bar {
            let gone = (self.first / progress.gradient).log10();
            let wanted = (self.first / progress.tolerance).log10();
            let percent = (100.0 * gone / wanted).clamp(0.0, 100.0);
            self.best = self.best.max(percent as u64);
            bar.set_position(self.best);
            bar.set_message(text);
        } else if self.lines && self.last.elapsed() >= LINE_INTERVAL {
            self.last = Instant::now();
            eprintln!("{text}");
        }
    }
}

/// Shows how many experiments are done, which one is at work, and for how long.
pub struct LabDisplay {
    bar: Option<ProgressBar>,
    begin: Instant,
    total: usize,
}

impl LabDisplay {
    /// Chooses by what standard error is connected to.
    pub fn new(total: usize) -> Self {
        let style = ProgressStyle::with_template(
            "{bar:32} {pos} of {len} experiments  {elapsed}  {msg} {spinner}",
        );
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(total as u64).with_style(style);
            // The clock goes on while an experiment is at work.
            bar.enable_steady_tick(Duration::from_millis(250));
            bar
        });
        LabDisplay {
            bar,
            begin: Instant::now(),
            total,
        }
    }

    /// An experiment begins; so many are done.
    pub fn begin(&self, done: usize, name: &str) {
        match &self.bar {
            Some(bar) => {
                bar.set_position(done as u64);
                bar.set_message(name.to_owned());
            }
            None => eprintln!(
                "{name} ({} of {}, {} so far)",
                done + 1,
                self.total,
                indicatif::HumanDuration(self.begin.elapsed())
            ),
        }
    }

    /// Prints something without tearing the bar.
    pub fn aside(&self, print: impl FnOnce()) {
        match &self.bar {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    /// Clears the bar.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Shows how many of many like things are done, and the time left.
pub struct CountDisplay {
    what: &'static str,
    bar: Option<ProgressBar>,
    lines: bool,
    begin: Instant,
    last: Instant,
    first: Option<u64>,
}

impl CountDisplay {
    /// Chooses by what standard error is connected to.
    pub fn new(what: &'static str, quiet: bool) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let template = "{bar:32} {pos} of {len} {prefix}s  {msg}  {eta} left";
        let style = ProgressStyle::with_template(template);
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = || ProgressBar::new(0).with_style(style).with_prefix(what);
        let now = Instant::now();
        CountDisplay {
            what,
            bar: (!quiet && terminal).then(bar),
            lines: !quiet && !terminal,
            begin: now,
            last: now,
            first: None,
        }
    }

    /// So many of all are done.
    pub fn show(&mut self, done: u64, all: u64, message: &str) {
        if let Some(bar) = &self.bar {
            bar.set_length(all);
            bar.set_position(done);
            bar.set_message(message.to_owned());
            return;
        }
        let first = *self.first.get_or_insert(done.saturating_sub(1));
        if !self.lines || self.last.elapsed() < LINE_INTERVAL {
            return;
        }
        self.last = Instant::now();
        let rate = (done - first) as f64 / self.begin.elapsed().as_secs_f64();
        let left = all.saturating_sub(done) as f64 / rate;
        let left = Duration::from_secs_f64(left.clamp(0.0, 1e9));
        let what = self.what;
        eprintln!(
            "{what} {done} of {all}, {message}, {} left",
            indicatif::HumanDuration(left)
        );
    }

    /// Clears the bar.
    pub fn finish(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
