//! `toile sweep`: many variants of a scene, one to a core, into one table.
//!
//! A row is on disk as soon as its variant is done, and a sweep that was stopped goes on with the rows that are missing. A variant that
//! fails is a row too: it says why.

mod axis;
mod list;
mod loads;
mod row;

pub use axis::{AxisError, parse_axis};
pub use list::{ListError, read_variants};
pub use loads::{LOAD_FIGURES, LoadFigures};
pub use row::{Heading, NUMBERS, Row, cells, columns, simulate};

use crate::claim::{ClaimError, Earlier, claim};
use crate::table::TableError;
use crate::variants::{Change, Variant, VariantError};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use thiserror::Error;
use toile_scene::scene::{SceneSource, World};

/// What to sweep over, and where to.
#[derive(Debug)]
pub struct Sweep<'a> {
    /// The scene.
    pub source: &'a SceneSource,
    /// Its variants.
    pub variants: &'a [Variant],
    /// Simulations at once.
    pub jobs: usize,
    /// Folder for the results.
    pub folder: &'a Path,
    /// Keep the frames of every variant in a run folder of its own.
    pub frames: bool,
    /// Go on with the rows that are there.
    pub resume: bool,
    /// Replace results that are there already.
    pub force: bool,
    /// Set from outside to stop after the present simulations.
    pub stop: &'a AtomicBool,
}

/// How a sweep ended.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepOutcome {
    /// The rows, in the order of the variants; `None` where it was stopped before.
    pub rows: Vec<Option<Row>>,
    /// Rows that an earlier sweep had left.
    pub recalled: usize,
}

/// A sweep that cannot be made.
#[derive(Debug, Error)]
pub enum SweepError {
    /// A variant is no scene.
    #[error(transparent)]
    Variant(#[from] VariantError),
    /// The folder cannot be used.
    #[error(transparent)]
    Claim(#[from] ClaimError),
    /// A table cannot be read or written.
    #[error(transparent)]
    Table(#[from] TableError),
}

const RESULTS: &str = "results.csv";

/// Runs all variants. `done` hears how many rows there are.
pub fn sweep(
    job: &Sweep,
    mut done: impl FnMut(usize, usize) + Send,
) -> Result<SweepOutcome, SweepError> {
    let worlds = job.variants.iter().map(|v| v.world(job.source));
    let worlds = worlds.collect::<Result<Vec<World>, _>>()?;
    claim_folder(job.folder, &mark(job, &worlds), job.resume, job.force)?;
    let path = job.folder.join(RESULTS);
    let head = Heading {
        fields: fields(job.variants),
        bodies: bodies(&worlds),
    };
    let mut rows: Vec<Option<Row>> = job.variants.iter().map(|_| None).collect();
    if job.resume && path.exists() {
        for (number, row) in row::read(&path, &head, job.variants)? {
            if let Some(place) = rows.get_mut(number) {
                *place = Some(row);
            }
        }
    }
    let recalled = rows.iter().flatten().count();
    let open: Vec<usize> = (0..rows.len()).filter(|&k| rows[k].is_none()).collect();
    let work = |&number: &usize| {
        let slug = format!("{number:04}");
        let folder = job.frames.then(|| job.folder.join(slug));
        simulate(&worlds[number], folder.as_deref(), job.resume, job.stop)
    };
    let mut trouble = None;
    let shared = &mut rows;
    crate::jobs::map(job.jobs, &open, job.stop, work, |index, row| {
        let Some(row) = row else {
            return;
        };
        shared[open[index]] = Some(row.clone());
        let table = row::table(&head, job.variants, shared);
        if let Err(error) = table.and_then(|table| table.save_csv(&path)) {
            trouble.get_or_insert(error);
        }
        done(shared.iter().flatten().count(), shared.len());
    });
    if let Some(error) = trouble {
        return Err(error.into());
    }
    let whole = row::table(&head, job.variants, &rows)?;
    whole.save_csv(&path)?;
    Ok(SweepOutcome { rows, recalled })
}

/// Tells sweeps apart that would give other rows. How long a run goes on is not part of its fingerprint: runs can be made longer,
/// rows cannot.
fn mark(job: &Sweep, worlds: &[World]) -> String {
    let lines = worlds.iter().zip(job.variants);
    let lines = lines.map(|(world, variant)| {
        let (print, frames) = (world.fingerprint(), world.schedule.frames);
        format!("{print:016x} {frames} {}\n", variant.label())
    });
    lines.collect()
}

/// Makes the folder of a sweep and leaves its mark there. Results of before are gone on with or replaced, or refused.
pub fn claim_folder(
    folder: &Path,
    mark: &str,
    resume: bool,
    force: bool,
) -> Result<(), ClaimError> {
    claim(folder, "sweep", mark, Earlier::of(resume, force))
}

/// Every body that some variant has, once.
fn bodies(worlds: &[World]) -> Vec<String> {
    let frames = worlds.iter().flat_map(|world| &world.body_frames);
    let names: BTreeSet<&String> = frames.map(|body| &body.name).collect();
    names.into_iter().cloned().collect()
}

/// Every field that some variant changes, once.
pub fn fields(variants: &[Variant]) -> Vec<String> {
    let mut fields: Vec<String> = Vec::new();
    for change in variants.iter().flat_map(|v| &v.changes) {
        if let Change::Field(field, _) = change
            && !fields.contains(field)
        {
            fields.push(field.clone());
        }
    }
    fields
}
