//! One variant of a sweep: what its run says in one line.

use super::loads::{LOAD_FIGURES, LoadFigures, LoadSums};
use crate::measure::motion::EnergyDrift;
use crate::table::{Cell, ColumnKind, Table, TableError};
use crate::variants::{Change, Variant};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use toile::certificate::Momenta;
use toile::contact::intersections;
use toile::state::State;
use toile_scene::report::MetricsTable;
use toile_scene::run::{
    Checkpoint, FrameMetrics, METRIC_COLUMNS, RunFolder, RunOptions, RunOutcome, judge, run,
    wall_clock,
};
use toile_scene::scene::World;
use toile_scene::spec::CertifySpec;
use toml::Value;

/// Columns with numbers, in their order.
pub const NUMBERS: [&str; 23] = [
    "nodes",
    "faces",
    "step",
    "stretch_worst",
    "stretch_mean",
    "gap_smallest",
    "pin_residual",
    "iterations",
    "linear_residual",
    "limit_iterations",
    "limit_residual",
    "collisions",
    "impact_zone",
    "intersections",
    "unconverged_steps",
    "rejected_steps",
    "energy_total",
    "energy_kinetic",
    "energy_rise",
    "lowest",
    "highest",
    "fastest",
    "seconds",
];

/// What a variant came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Numbers in the order of [`NUMBERS`]; NaN where there is none. All of them if it failed.
    pub numbers: [f64; NUMBERS.len()],
    /// `finished`, or why it failed.
    pub status: String,
    /// What cloth did to each body, by its name.
    pub loads: BTreeMap<String, LoadFigures>,
    /// Whether the scene's expectations hold; `None` if it has none, or if it failed.
    pub holds: Option<bool>,
}

impl Row {
    /// Of a variant that could not be run to its end.
    pub fn failed(why: String) -> Self {
        Row {
            numbers: [f64::NAN; NUMBERS.len()],
            status: why,
            loads: BTreeMap::new(),
            holds: None,
        }
    }
}

/// Runs a variant, into a folder if one is given; results that are there are gone on with or replaced. `None` if it was stopped.
pub fn simulate(
    world: &World,
    folder: Option<&Path>,
    resume: bool,
    stop: &AtomicBool,
) -> Option<Row> {
    let begin = Instant::now();
    let done = match folder {
        Some(folder) => in_folder(world, folder, resume, stop),
        None => in_memory(world, stop),
    };
    let seconds = begin.elapsed().as_secs_f64();
    match done {
        Ok(Some((metrics, loads, state))) => Some(Row {
            loads: loads.figures(),
            ..row(world, &metrics, &state, seconds)
        }),
        Ok(None) => None,
        Err(message) => Some(Row::failed(message)),
    }
}

type Ended = Option<(MetricsTable, LoadSums, State)>;

fn in_memory(world: &World, stop: &AtomicBool) -> Result<Ended, String> {
    let mut simulation = world.simulation();
    let mut loads = LoadSums::default();
    let schedule = &world.schedule;
    let mut table = format!("{METRIC_COLUMNS}\n");
    let certify = world.certify != CertifySpec::Never && !world.model.contacts.is_empty();
    for frame in 1..=schedule.frames {
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let mut metrics = FrameMetrics::empty();
        for _ in 0..schedule.substeps {
            let report = simulation.step();
            metrics.add(report.map_err(|error| error.to_string())?);
            loads.step(world, simulation.state(), simulation.body_loads());
            if certify && world.certify == CertifySpec::EveryStep {
                let found = intersections(&world.model, simulation.positions()).len();
                metrics.intersections = metrics.intersections.max(Some(found));
            }
        }
        if certify {
            let found = intersections(&world.model, simulation.positions()).len();
            metrics.intersections = metrics.intersections.max(Some(found));
        }
        let time = frame as f64 / schedule.fps;
        let momenta = Momenta::of(&world.model, simulation.state());
        table += &metrics.row(time, &simulation.energies(), &momenta);
        table.push('\n');
    }
    let table = MetricsTable::parse_csv(&table).map_err(|error| error.to_string())?;
    Ok(Some((table, loads, simulation.state().clone())))
}

fn in_folder(world: &World, path: &Path, resume: bool, stop: &AtomicBool) -> Result<Ended, String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let folder = RunFolder::resume(path).map_err(|e| text(&e))?;
    let options = RunOptions {
        until: None,
        resume,
        threads: Some(1),
        checkpoint_interval: 5.0,
        stop,
        clock: wall_clock,
    };
    let summary = run(world, &folder, &options, &mut ()).map_err(|e| text(&e))?;
    if summary.outcome == RunOutcome::Interrupted {
        return Ok(None);
    }
    let metrics = std::fs::read_to_string(folder.file("metrics.csv")).map_err(|e| text(&e))?;
    let metrics = MetricsTable::parse_csv(&metrics).map_err(|e| text(&e))?;
    let checkpoint = Checkpoint::read(&folder.file("checkpoint.toile")).map_err(|e| text(&e))?;
    let state = checkpoint.map_or_else(|| world.state.clone(), |c| c.state);
    let loads = match world.body_frames.is_empty() {
        true => LoadSums::default(),
        false => {
            let forces =
                std::fs::read_to_string(folder.file("forces.csv")).map_err(|e| text(&e))?;
            LoadSums::read(&forces).map_err(|e| text(&e))?
        }
    };
    Ok(Some((metrics, loads, state)))
}

fn row(world: &World, metrics: &MetricsTable, state: &State, seconds: f64) -> Row {
    let column = |name: &str| {
        let index = metrics.columns.iter().position(|c| c == name);
        let values = metrics
            .rows
            .iter()
            .filter_map(move |row| index.map(|k| row[k]));
        values.filter(|v| v.is_finite()).collect::<Vec<f64>>()
    };
    let worst = |name: &str| column(name).into_iter().fold(f64::NAN, f64::max);
    let least = |name: &str| column(name).into_iter().fold(f64::NAN, f64::min);
    let sum = |name: &str| column(name).into_iter().sum::<f64>();
    let last = |name: &str| column(name).last().copied().unwrap_or(f64::NAN);
    let heights = || state.positions.iter().map(|p| p.z);
    let rise = EnergyDrift::of(column("energy_total")).map_or(f64::NAN, |d| d.largest_rise);
    let speeds = state.velocities.iter().map(|v| v.length());
    let verdicts = judge(&world.expect, metrics, state);
    Row {
        numbers: [
            world.model.node_count() as f64,
            world.model.face_count() as f64,
            world.schedule.step,
            worst("stretch_worst"),
            last("stretch_mean"),
            least("gap_smallest"),
            worst("pin_residual"),
            sum("iterations"),
            worst("linear_residual"),
            sum("limit_iterations"),
            worst("limit_residual"),
            sum("collisions"),
            worst("impact_zone"),
            worst("intersections"),
            sum("unconverged_steps"),
            sum("rejected_steps"),
            last("energy_total"),
            last("energy_kinetic"),
            rise,
            heights().fold(f64::NAN, f64::min),
            heights().fold(f64::NAN, f64::max),
            speeds.fold(f64::NAN, f64::max),
            seconds,
        ],
        status: "finished".into(),
        loads: BTreeMap::new(),
        holds: (!verdicts.is_empty()).then(|| verdicts.iter().all(|v| v.holds)),
    }
}

/// Columns before those of the fields.
const NUMBER: &str = "number";
const VARIANT: &str = "variant";

/// What the columns of a sweep's table depend on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heading {
    /// Fields that variants change.
    pub fields: Vec<String>,
    /// Bodies that variants have.
    pub bodies: Vec<String>,
}

impl Heading {
    /// Columns of the bodies.
    fn load_columns(&self) -> impl Iterator<Item = String> {
        let bodies = self.bodies.iter();
        bodies.flat_map(|body| LOAD_FIGURES.map(|figure| format!("{body}.{figure}")))
    }
}

/// Names and kinds of all columns. A field whose values are all numbers is a column of numbers, where some variant does not change it, too.
pub fn columns(head: &Heading, variants: &[Variant]) -> Vec<(String, ColumnKind)> {
    let named = |name: &str, kind| (name.to_owned(), kind);
    let kind = |field: &str| {
        let numeric = |v: &Variant| matches!(value(v, field), Cell::Number(_) | Cell::Missing);
        match variants.iter().all(numeric) {
            true => ColumnKind::Number,
            false => ColumnKind::Text,
        }
    };
    let mut columns = vec![named(NUMBER, ColumnKind::Integer)];
    if has_names(variants) {
        columns.push(named(VARIANT, ColumnKind::Text));
    }
    columns.extend(head.fields.iter().map(|field| named(field, kind(field))));
    columns.extend(["status", "expectations"].map(|name| named(name, ColumnKind::Text)));
    columns.extend(NUMBERS.map(|name| named(name, ColumnKind::Number)));
    let loads = head.load_columns();
    columns.extend(loads.map(|name| (name, ColumnKind::Number)));
    columns
}

fn has_names(variants: &[Variant]) -> bool {
    variants.iter().any(|v| v.name.is_some())
}

/// A variant's row as cells of columns of these kinds, the values of its fields among them.
pub fn cells(
    head: &Heading,
    variants: &[Variant],
    kinds: &[ColumnKind],
    number: usize,
    row: &Row,
) -> Vec<Cell> {
    let variant = &variants[number];
    let named = has_names(variants);
    let mut cells = vec![Cell::from(number)];
    if named {
        cells.push(Cell::from(variant.label()));
    }
    for (field, kind) in head.fields.iter().zip(&kinds[1 + usize::from(named)..]) {
        cells.push(match (value(variant, field), kind) {
            (Cell::Number(number), ColumnKind::Text) => Cell::Text(number.to_string()),
            (cell, _) => cell,
        });
    }
    cells.push(Cell::from(row.status.as_str()));
    let verdict = |holds: bool| if holds { "hold" } else { "missed" };
    cells.push(Cell::from(row.holds.map(verdict)));
    let number = |v: &f64| match v.is_finite() {
        true => Cell::Number(*v),
        false => Cell::Missing,
    };
    cells.extend(row.numbers.iter().map(number));
    for body in &head.bodies {
        let figures = row.loads.get(body);
        let figures = figures.unwrap_or(&[f64::NAN; LOAD_FIGURES.len()]);
        cells.extend(figures.iter().map(number));
    }
    cells
}

/// All rows that there are, with the values of their variants.
pub(super) fn table(
    head: &Heading,
    variants: &[Variant],
    rows: &[Option<Row>],
) -> Result<Table, TableError> {
    let columns = columns(head, variants);
    let kinds: Vec<ColumnKind> = columns.iter().map(|(_, kind)| *kind).collect();
    let mut table = Table::new(columns)?;
    for (number, row) in rows.iter().enumerate() {
        if let Some(row) = row {
            table.push(cells(head, variants, &kinds, number, row))?;
        }
    }
    Ok(table)
}

/// A variant's value of a field.
fn value(variant: &Variant, field: &str) -> Cell {
    let found = variant.changes.iter().find_map(|change| match change {
        Change::Field(name, value) if name == field => Some(value),
        _ => None,
    });
    match found {
        Some(Value::Float(number)) => Cell::Number(*number),
        Some(Value::Integer(number)) => Cell::Number(*number as f64),
        Some(Value::String(text)) => Cell::Text(text.clone()),
        Some(other) => Cell::Text(other.to_string()),
        None => Cell::Missing,
    }
}

/// Rows of an earlier sweep with their numbers.
pub(super) fn read(
    path: &Path,
    head: &Heading,
    variants: &[Variant],
) -> Result<Vec<(usize, Row)>, TableError> {
    let table = Table::read_csv(File::open(path)?, columns(head, variants))?;
    let text = |row: usize, name: &str| match table.cell(row, table.find(name)?)? {
        Cell::Text(text) => Some(text),
        _ => None,
    };
    let places = table.numbers(NUMBER).unwrap_or_default();
    let columns = NUMBERS.map(|name| table.numbers(name).unwrap_or_default());
    let rows = places.into_iter().enumerate();
    let rows = rows.filter_map(|(row, place)| {
        let numbers = columns
            .each_ref()
            .map(|c| c.get(row).copied().unwrap_or(f64::NAN));
        let holds = text(row, "expectations").map(|word| word == "hold");
        let status = text(row, "status")?;
        let figures = |body: &String| {
            LOAD_FIGURES.map(|figure| {
                let column = table
                    .numbers(&format!("{body}.{figure}"))
                    .unwrap_or_default();
                column.get(row).copied().unwrap_or(f64::NAN)
            })
        };
        let loads = head.bodies.iter();
        Some((
            place as usize,
            Row {
                numbers,
                status,
                loads: loads.map(|body| (body.clone(), figures(body))).collect(),
                holds,
            },
        ))
    });
    Ok(rows.collect())
}
