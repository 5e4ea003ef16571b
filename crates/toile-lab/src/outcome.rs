//! What an experiment found.

use serde::Serialize;
use std::path::PathBuf;

/// One number beside its reference.
#[derive(Clone, Debug, Serialize)]
pub struct Measurement {
    /// What was measured.
    pub what: String,
    /// Its unit; empty for plain numbers.
    pub unit: &'static str,
    /// What came out.
    pub measured: f64,
    /// What should have come out.
    pub reference: f64,
    /// How far apart they may be.
    pub tolerance: f64,
    /// Whether they are no farther apart.
    pub holds: bool,
}

impl Measurement {
    /// A number that should equal the reference within the tolerance.
    pub fn new(
        what: impl Into<String>,
        unit: &'static str,
        measured: f64,
        reference: f64,
        tolerance: f64,
    ) -> Self {
        Measurement {
            what: what.into(),
            unit,
            measured,
            reference,
            tolerance,
            // Written so that a measurement that is not a number fails.
            holds: (measured - reference).abs() <= tolerance,
        }
    }
}

/// An experiment's result.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// The experiment.
    pub name: &'static str,
    /// What it is about.
    pub title: &'static str,
    /// The figure, table or law it reproduces.
    pub reproduces: &'static str,
    /// Whether this was the short version.
    pub quick: bool,
    /// The numbers.
    pub measurements: Vec<Measurement>,
    /// Remarks in plain words.
    pub notes: Vec<String>,
    /// The pictures it left.
    pub pictures: Vec<PathBuf>,
    /// Wall time (s).
    pub seconds: f64,
}

impl Outcome {
    /// Whether every verdict is good.
    pub fn holds(&self) -> bool {
        self.measurements.iter().all(|m| m.holds)
    }

    /// A table for people.
    pub fn table(&self) -> String {
        let mut text = format!("{}: {}\n  {}\n", self.name, self.title, self.reproduces);
        let width = self
            .measurements
            .iter()
            .map(|m| m.what.chars().count())
            .max();
        let width = width.unwrap_or(0);
        text.push_str(&format!(
            "  {:width$}  {:>13}  {:>13}  {:>10}  verdict\n",
            "", "measured", "reference", "tolerance"
        ));
        for m in &self.measurements {
            text.push_str(&format!(
                "  {:width$}  {:>13}  {:>13}  {:>10}  {}  {}\n",
                m.what,
                number(m.measured),
                number(m.reference),
                number(m.tolerance),
                if m.holds { "holds" } else { "FAILS" },
                m.unit
            ));
        }
        for note in &self.notes {
            text.push_str(&format!("  {note}\n"));
        }
        for picture in &self.pictures {
            text.push_str(&format!("  picture: {}\n", picture.display()));
        }
        text
    }
}

fn number(value: f64) -> String {
    if value == 0.0 || (1e-3..1e5).contains(&value.abs()) {
        format!("{value:.6}")
    } else {
        format!("{value:.3e}")
    }
}
