//! `toile compare`: the same scene under several models, steps or meshes.
//!
//! Every variant runs into a folder of its own, like any scene, and can be opened, rendered and exported as one. Then all of them
//! are measured alike and held against one of them. What a run folder says of a variant is all that is needed, so a comparison that
//! was stopped goes on where it was.
//!
//! Meshes are compared through the rest shape: a node's place in the undeformed cloth is looked up on the mesh of the reference.

mod figures;
mod plots;
mod table;

pub use figures::{Figures, Finished, finest, measure};
pub use table::{comparison_table, series_table};

use crate::measure::rest_map::RestMapError;
use crate::table::TableError;
use crate::variants::{Variant, VariantError};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use thiserror::Error;
use toile_render::RenderError;
use toile_scene::present::{PictureStyle, PresentError, write_previews, write_report_page};
use toile_scene::recording::{self, Recording, RecordingError};
use toile_scene::report::{MetricsError, MetricsTable, ReportInput};
use toile_scene::run::{
    FolderError, Observer, RunError, RunFolder, RunOptions, RunOutcome, run, write_atomically,
};
use toile_scene::scene::{SceneSource, World};

/// What to compare, and where to.
#[derive(Debug)]
pub struct Comparison<'a> {
    /// The scene.
    pub source: &'a SceneSource,
    /// Its variants.
    pub variants: &'a [Variant],
    /// The label of the variant to hold the others against; the finest if `None`.
    pub against: Option<&'a str>,
    /// Folder for the results.
    pub folder: &'a Path,
    /// Replace results that are there already.
    pub force: bool,
    /// How to run each of them; `resume` goes on with what is there.
    pub run: RunOptions<'a>,
    /// Tells how much memory was in use at the most since it was last asked, and forgets it (bytes).
    pub memory: Option<fn() -> u64>,
}

/// Somebody who watches a comparison.
pub trait CompareObserver {
    /// A variant begins; who watches its run?
    fn begin(&mut self, label: &str, number: usize, of: usize) -> Box<dyn Observer>;
}

impl CompareObserver for () {
    fn begin(&mut self, _: &str, _: usize, _: usize) -> Box<dyn Observer> {
        Box::new(())
    }
}

/// How a comparison ended.
#[derive(Clone, Debug, PartialEq)]
pub enum CompareOutcome {
    /// All variants have run.
    Finished {
        /// Labels and numbers, in the order of the variants.
        rows: Vec<(String, Figures)>,
        /// Which of them the others were held against.
        reference: usize,
    },
    /// It was stopped and can be resumed.
    Interrupted,
}

/// A comparison that cannot be made.
#[derive(Debug, Error)]
pub enum CompareError {
    /// A variant is no scene.
    #[error(transparent)]
    Variant(#[from] VariantError),
    /// Two variants have the same name.
    #[error("two variants are called `{0}`; name each choice once")]
    Twice(String),
    /// No variant has the name of the reference.
    #[error("there is no variant `{name}` to hold the others against; there are: {}", known.join("; "))]
    NoReference {
        /// The name asked for.
        name: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// A variant could not be run.
    #[error("variant `{label}`: {error}")]
    Run {
        /// The variant.
        label: String,
        /// What happened.
        error: Box<RunError>,
    },
    /// The folder of results cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// Frames cannot be read.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// Frames cannot be shown together.
    #[error(transparent)]
    SideBySide(#[from] recording::CompareError),
    /// A table of a run cannot be read.
    #[error("{path}: {error}")]
    Table {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: MetricsError,
    },
    /// The table of results cannot be written.
    #[error(transparent)]
    Results(#[from] TableError),
    /// Two variants have other cloths.
    #[error(
        "variants `{label}` and `{reference}` do not have the same cloths; compare scenes that differ in other things"
    )]
    OtherCloths {
        /// One.
        label: String,
        /// The other.
        reference: String,
    },
    /// Two variants are not meshes of one cloth.
    #[error("variant `{label}`, cloth `{cloth}`: {error}")]
    Rest {
        /// The variant.
        label: String,
        /// The cloth.
        cloth: String,
        /// Why not.
        error: RestMapError,
    },
    /// Pictures or the page could not be made.
    #[error(transparent)]
    Present(#[from] PresentError),
    /// A picture could not be encoded.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// A file could not be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Runs all variants and measures them.
pub fn compare(
    job: &Comparison,
    observer: &mut dyn CompareObserver,
) -> Result<CompareOutcome, CompareError> {
    let mut worlds = Vec::new();
    for variant in job.variants {
        let label = variant.label();
        if worlds
            .iter()
            .any(|(known, _): &(String, World)| *known == label)
        {
            return Err(CompareError::Twice(label));
        }
        worlds.push((label, variant.world(job.source)?));
    }
    check_reference(job, &worlds)?;
    let mut notes = Notes::read(job.folder);
    for (number, ((label, world), variant)) in worlds.iter().zip(job.variants).enumerate() {
        let mut watcher = observer.begin(label, number, worlds.len());
        let slug = variant.slug();
        let outcome = run_variant(job, world, &slug, &mut *watcher, &mut notes);
        let failed = |error| CompareError::Run {
            label: label.clone(),
            error: Box::new(error),
        };
        if outcome.map_err(failed)? == RunOutcome::Interrupted {
            return Ok(CompareOutcome::Interrupted);
        }
        notes.write(job.folder)?;
    }
    let finished = worlds.into_iter().zip(job.variants);
    let finished = finished
        .map(|((label, world), variant)| {
            let slug = variant.slug();
            let memory = notes.memory.get(&slug).copied();
            Finished::open(label, world, &job.folder.join(&slug), memory)
        })
        .collect::<Result<Vec<_>, _>>()?;
    conclude(job, &finished)
}

fn check_reference(job: &Comparison, worlds: &[(String, World)]) -> Result<(), CompareError> {
    match job.against {
        Some(name) if worlds.iter().all(|(label, _)| label != name) => {
            Err(CompareError::NoReference {
                name: name.to_owned(),
                known: worlds.iter().map(|(label, _)| label.clone()).collect(),
            })
        }
        _ => Ok(()),
    }
}

fn run_variant(
    job: &Comparison,
    world: &World,
    slug: &str,
    watcher: &mut dyn Observer,
    notes: &mut Notes,
) -> Result<RunOutcome, RunError> {
    let path = job.folder.join(slug);
    let folder = if job.run.resume {
        RunFolder::resume(&path)?
    } else {
        RunFolder::create(&path, job.force)?
    };
    if let Some(forget) = job.memory {
        forget();
    }
    let summary = run(world, &folder, &job.run, watcher)?;
    // What was measured while nothing was left to do says nothing.
    if let (Some(memory), true) = (job.memory, summary.steps > 0) {
        notes.memory.insert(slug.to_owned(), memory());
    }
    Ok(summary.outcome)
}

/// What run folders do not hold.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Notes {
    /// The most memory in use (bytes), by the variant's folder.
    memory: BTreeMap<String, u64>,
}

impl Notes {
    const FILE: &'static str = "memory.json";

    /// What an earlier run noted; nothing if there is none, or none that can be read: it is only a figure.
    fn read(folder: &Path) -> Self {
        let text = std::fs::read_to_string(folder.join(Self::FILE));
        text.ok()
            .and_then(|t| serde_json::from_str(&t).ok())
            .unwrap_or_default()
    }

    fn write(&self, folder: &Path) -> Result<(), FolderError> {
        let text = serde_json::to_string_pretty(self).unwrap_or_default();
        write_atomically(&folder.join(Self::FILE), text.as_bytes())
    }
}

/// Numbers, tables, plots, and all of them side by side.
fn conclude(job: &Comparison, finished: &[Finished]) -> Result<CompareOutcome, CompareError> {
    let named = |name: &str| finished.iter().position(|f| f.label == name);
    let reference = job
        .against
        .and_then(named)
        .unwrap_or_else(|| finest(finished));
    let rows = finished
        .iter()
        .map(|variant| {
            let figures = measure(variant, &finished[reference])?;
            Ok((variant.label.clone(), figures))
        })
        .collect::<Result<Vec<_>, CompareError>>()?;
    let table = comparison_table(&rows, reference)?;
    table.save_csv(&job.folder.join("compare.csv"))?;
    let series = series_table(finished, &rows)?;
    series.save_csv(&job.folder.join("series.csv"))?;
    for (name, plot) in plots::all(finished, &rows, reference) {
        write_atomically(&job.folder.join(name), &plot.encode_png()?)?;
    }
    show(job, finished, &rows)?;
    Ok(CompareOutcome::Finished { rows, reference })
}

/// One recording with all variants side by side; its previews and its page.
fn show(
    job: &Comparison,
    finished: &[Finished],
    rows: &[(String, Figures)],
) -> Result<(), CompareError> {
    let shown: Vec<recording::Variant> = finished
        .iter()
        .map(|f| recording::Variant::new(&f.label, &f.recording))
        .collect();
    let title = match finished.first().map(|f| f.world.title.trim()) {
        Some(title) if !title.is_empty() => title,
        _ => &job.source.name,
    };
    let cache = job.folder.join(recording::FILE_NAME);
    recording::write_side_by_side(&cache, &format!("{title}: compared"), &shown)?;
    let together = Recording::open(&cache)?;
    let style = PictureStyle {
        legend: true,
        ..PictureStyle::default()
    };
    write_previews(&together, job.folder, &style)?;
    let facts = rows
        .iter()
        .map(|(label, f)| (label.clone(), table::summary(f)));
    let metrics = together_metrics(finished, rows);
    let scene = &job.source.text;
    let input = ReportInput {
        facts: facts.collect(),
        scene_source: Some(scene),
        legend: true,
        ..ReportInput::new(&together, &metrics)
    };
    Ok(write_report_page(&input, job.folder)?)
}

/// Columns of all variants under one time, for the page.
fn together_metrics(finished: &[Finished], rows: &[(String, Figures)]) -> MetricsTable {
    let shared = ["stretch_worst", "energy_total"];
    let times = finished.iter().map(|f| &f.metrics.rows);
    let times = times.min_by_key(|rows| rows.len());
    let times: Vec<f64> = times.map_or(Vec::new(), |rows| rows.iter().map(|r| r[0]).collect());
    let mut columns = vec!["time".to_owned()];
    let mut series = Vec::new();
    for name in shared {
        for variant in finished {
            columns.push(format!("{name}: {}", variant.label));
            series.push(variant.series(name));
        }
    }
    for (label, figures) in rows {
        columns.push(format!("distance: {label}"));
        series.push(figures.distances.clone());
    }
    let value = |points: &[[f64; 2]], time: f64| {
        let near = points.iter().find(|p| (p[0] - time).abs() < 1e-9);
        near.map_or(f64::NAN, |p| p[1])
    };
    let row = |&time: &f64| {
        let values = series.iter().map(|points| value(points, time));
        std::iter::once(time).chain(values).collect()
    };
    MetricsTable {
        rows: times.iter().map(row).collect(),
        columns,
    }
}
