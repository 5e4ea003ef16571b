//! What an experiment found.

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// One number beside its reference.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Measurement {
    /// What was measured.
    pub what: String,
    /// Its unit; empty for plain numbers.
    pub unit: String,
    /// What came out.
    #[serde(deserialize_with = "or_not_a_number")]
    pub measured: f64,
    /// What should have come out.
    #[serde(deserialize_with = "or_not_a_number")]
    pub reference: f64,
    /// How far apart they may be.
    #[serde(deserialize_with = "or_not_a_number")]
    pub tolerance: f64,
    /// Whether they are no farther apart.
    pub holds: bool,
}

impl Measurement {
    /// A number that should equal the reference within the tolerance.
    pub fn new(
        what: impl Into<String>,
        unit: &str,
        measured: f64,
        reference: f64,
        tolerance: f64,
    ) -> Self {
        Measurement {
            what: what.into(),
            unit: unit.to_owned(),
            measured,
            reference,
            tolerance,
            // Written so that a measurement that is not a number fails.
            holds: (measured - reference).abs() <= tolerance,
        }
    }
}

/// JSON has no word for what is not a number and writes `null`.
fn or_not_a_number<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NAN))
}

/// A setting of an experiment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    /// What it is.
    pub name: String,
    /// Its value, with unit.
    pub value: String,
}

/// A short recording that an experiment left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClipFile {
    /// What it shows.
    pub title: String,
    /// Its folder, which holds `frames.toile`.
    pub path: PathBuf,
}

/// An experiment's result.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// The experiment.
    pub name: String,
    /// What it is about.
    pub title: String,
    /// The figure, table or law it reproduces.
    pub reproduces: String,
    /// What a reader should know of it.
    #[serde(default)]
    pub about: String,
    /// Its settings.
    #[serde(default)]
    pub parameters: Vec<Parameter>,
    /// Whether this was the short version.
    pub quick: bool,
    /// The numbers.
    pub measurements: Vec<Measurement>,
    /// Remarks in plain words.
    pub notes: Vec<String>,
    /// The pictures it left; in a file, relative to its folder.
    pub pictures: Vec<PathBuf>,
    /// The clips it left; in a file, relative to its folder.
    #[serde(default)]
    pub clips: Vec<ClipFile>,
    /// Wall time (s).
    pub seconds: f64,
}

impl Outcome {
    /// Whether every verdict is good.
    pub fn holds(&self) -> bool {
        self.measurements.iter().all(|m| m.holds)
    }

    /// How many verdicts are good.
    pub fn held(&self) -> usize {
        self.measurements.iter().filter(|m| m.holds).count()
    }

    /// The same with the full paths of what it left in a folder.
    pub fn in_folder(&self, folder: &Path) -> Outcome {
        let mut located = self.clone();
        let clips = located.clips.iter_mut().map(|clip| &mut clip.path);
        for path in located.pictures.iter_mut().chain(clips) {
            *path = folder.join(&*path);
        }
        located
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
        for clip in &self.clips {
            text.push_str(&format!("  clip: {}\n", clip.path.display()));
        }
        text
    }
}

/// A number as tables show it.
pub(crate) fn number(value: f64) -> String {
    if value == 0.0 || (1e-3..1e5).contains(&value.abs()) {
        format!("{value:.6}")
    } else {
        format!("{value:.3e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_survives_the_way_through_a_file() {
        let outcome = Outcome {
            name: "swing".into(),
            title: "a swing".into(),
            reproduces: "a law".into(),
            about: "It swings.".into(),
            parameters: vec![Parameter {
                name: "length".into(),
                value: "1 m".into(),
            }],
            quick: true,
            measurements: vec![Measurement::new("x", "m", f64::NAN, 1.0, f64::INFINITY)],
            notes: vec!["a note".into()],
            pictures: vec!["swing-plot.png".into()],
            clips: vec![ClipFile {
                title: "clip".into(),
                path: "clips/swing-clip".into(),
            }],
            seconds: 1.5,
        };
        let json = serde_json::to_string(&outcome).unwrap();
        let read: Outcome = serde_json::from_str(&json).unwrap();
        assert!(read.measurements[0].measured.is_nan() && !read.measurements[0].holds);
        assert_eq!(
            (read.pictures, &read.clips),
            (outcome.pictures.clone(), &outcome.clips)
        );
        let placed = outcome.in_folder(Path::new("lab"));
        assert_eq!(placed.pictures[0], Path::new("lab/swing-plot.png"));
        assert_eq!(placed.clips[0].path, Path::new("lab/clips/swing-clip"));
    }

    #[test]
    fn results_of_an_older_program_can_be_read() {
        let json = r#"{"name": "a", "title": "b", "reproduces": "c", "quick": false, "measurements": [], "notes": [], "pictures": [], "seconds": 1}"#;
        let read: Outcome = serde_json::from_str(json).unwrap();
        assert!(read.about.is_empty() && read.clips.is_empty());
    }
}
