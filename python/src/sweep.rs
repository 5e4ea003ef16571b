//! Sweeps: what the program's `sweep` is made of, for whoever spreads the variants over threads or machines.

use crate::errors::{self, argument, kinds};
use crate::guard::{Fault, guarded};
use crate::packed::{Noting, Packed};
use crate::scene::{self, Given, Ingredients, Overrides, read_table};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;
use toile_lab::ClaimError;
use toile_lab::sweep::{self, Heading, NUMBERS, Row};
use toile_lab::table::{Cell, ColumnKind, Table, TableError};
use toile_lab::variants::{Change, Variant, VariantError, combine};
use toile_scene::scene::resolve_from;
use toml::Value;

/// A row on its way between processes: status, numbers, what cloth did to bodies, and whether the expectations hold.
type RowParts = (String, Vec<f64>, BTreeMap<String, Vec<f64>>, Option<bool>);

/// A cell as Python has it.
#[derive(FromPyObject, IntoPyObject)]
pub enum Entry {
    #[pyo3(transparent)]
    Integer(i64),
    #[pyo3(transparent)]
    Number(f64),
    #[pyo3(transparent)]
    Text(String),
}

/// Names of columns with what they hold: `"integer"`, `"number"` or `"text"`.
type Columns = Vec<(String, String)>;
/// The cells of a row; none where there is no value.
type Cells = Vec<Option<Entry>>;
/// The choices of an axis: a name, if it has one, and the fields that are changed together.
type Axis<'py> = Vec<(Option<String>, Bound<'py, PyDict>)>;

/// All variants of a sweep, the fields of each looked at before the first of them runs.
#[pyclass(frozen, module = "toile._toile", name = "_Plan")]
pub struct Plan {
    variants: Vec<Variant>,
    head: Heading,
    columns: Vec<(String, ColumnKind)>,
    kinds: Vec<ColumnKind>,
    mark: String,
    packed: Py<Packed>,
}

#[pymethods]
impl Plan {
    #[new]
    fn new(py: Python<'_>, given: Given<'_>, axes: Vec<Axis<'_>>) -> PyResult<Self> {
        let Ingredients { source, files } = Ingredients::given(&given)?;
        let axes = axes.iter().map(|axis| {
            let choices = axis.iter().map(|(name, fields)| choice(name, fields));
            choices.collect::<PyResult<Vec<Variant>>>()
        });
        let variants = combine(&axes.collect::<PyResult<Vec<_>>>()?);
        let variants = variants.map_err(|error| argument(error.to_string()))?;
        let noted = Noting::of(files.as_ref());
        let mut bodies = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut usable = false;
        let mut first = None;
        for variant in &variants {
            py.check_signals()?;
            // A field that does not exist is a slip in the sweep; a value that cannot be is an answer to it, in its row.
            let spec = variant.source(&source).parse();
            let spec = spec.map_err(|error| errors::scene(&error))?;
            bodies.extend(spec.body.into_keys());
            // Which files a scene names depends on its words, not on its numbers: one of all with these words tells.
            if seen.insert(words(variant)) {
                let world = py.detach(|| guarded(|| variant.world_from(noted.clone(), &source)))?;
                usable |= world.is_ok();
                first = first.or(world.err());
            }
        }
        if let (Some(VariantError::Scene { error, .. }), false) = (first, usable)
            && scene::world_from(noted.clone(), &source).is_err()
        {
            return Err(errors::scene(&error));
        }
        let head = Heading {
            fields: sweep::fields(&variants),
            bodies: bodies.into_iter().collect(),
        };
        let columns = sweep::columns(&head, &variants);
        let packed = Packed::around(source, files, &noted);
        let labels = variants.iter().map(|v| format!("{}\n", v.label()));
        Ok(Plan {
            kinds: columns.iter().map(|(_, kind)| *kind).collect(),
            columns,
            mark: format!("{:08x}\n{}", packed.checksum(), labels.collect::<String>()),
            packed: Py::new(py, packed)?,
            variants,
            head,
        })
    }

    fn __len__(&self) -> usize {
        self.variants.len()
    }

    /// Names and kinds of the columns of its table.
    #[getter]
    fn columns(&self) -> Columns {
        let columns = self.columns.iter();
        columns
            .map(|(name, kind)| (name.clone(), word(*kind).to_owned()))
            .collect()
    }

    /// The scene before it is changed.
    #[getter]
    fn packed(&self, py: Python<'_>) -> Py<Packed> {
        self.packed.clone_ref(py)
    }

    /// What a variant changes, each value as TOML.
    fn changes(&self, number: usize) -> PyResult<Vec<(String, String)>> {
        let mut source = self.packed.get().source.clone();
        source.overrides = Vec::new();
        let changed = self.variants[self.checked(number)?].source(&source);
        Ok(scene::recipe(&changed, None)?.3)
    }

    /// The row of a variant.
    fn cells(&self, number: usize, row: RowParts) -> PyResult<Cells> {
        let row = whole(row)?;
        let number = self.checked(number)?;
        let cells = sweep::cells(&self.head, &self.variants, &self.kinds, number, &row);
        Ok(cells.into_iter().map(entry).collect())
    }

    /// Makes the folder for the results and marks it.
    fn claim(&self, folder: PathBuf, resume: bool, force: bool) -> PyResult<()> {
        let claimed = sweep::claim_folder(&folder, &self.mark, resume, force);
        claimed.map_err(|error| claim_error(&error))
    }
}

impl Plan {
    fn checked(&self, number: usize) -> PyResult<usize> {
        let count = self.variants.len();
        (number < count)
            .then_some(number)
            .ok_or_else(|| argument(format!("there are {count} variants, but no {number}")))
    }
}

/// The program's words on folders that cannot be used, with the names that things have in Python.
pub fn claim_error(error: &ClaimError) -> PyErr {
    match error {
        ClaimError::Occupied { folder } => argument(format!(
            "{} has results already; go on with resume=True, replace them with force=True, or choose another out",
            folder.display()
        )),
        ClaimError::Other { folder, what } => argument(format!(
            "{} has results of another {what}: the scene, what is varied, or what it is held against has changed; choose another out, or force=True",
            folder.display()
        )),
        other => kinds::RecordingError::new_err(other.to_string()),
    }
}

/// A choice of an axis.
fn choice(name: &Option<String>, fields: &Bound<'_, PyDict>) -> PyResult<Variant> {
    let table = read_table(fields)?;
    // Python keeps the order in which fields were named, and so does the table.
    let mut changes: Vec<Change> = Vec::new();
    for field in fields.keys() {
        let field: String = field.extract()?;
        if let Some(value) = table.get(&field) {
            changes.push(Change::Field(field, value.clone()));
        }
    }
    Ok(Variant {
        name: name.clone(),
        changes,
    })
}

/// What a variant says in words, by the fields.
fn words(variant: &Variant) -> Vec<(String, String)> {
    let fields = variant.changes.iter().filter_map(|change| match change {
        Change::Field(_, Value::Integer(_) | Value::Float(_) | Value::Boolean(_)) => None,
        Change::Field(field, value) => Some((field.clone(), value.to_string())),
        _ => None,
    });
    fields.collect()
}

/// Asked to stop from another thread.
#[pyclass(frozen, module = "toile._toile", name = "_Stop")]
pub struct Stop(Arc<AtomicBool>);

#[pymethods]
impl Stop {
    #[new]
    fn new() -> Self {
        Stop(Arc::new(AtomicBool::new(false)))
    }

    /// From now on nothing is gone on with.
    fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Stop {
    /// What is set.
    pub fn flag(&self) -> Arc<AtomicBool> {
        self.0.clone()
    }
}

/// Runs a variant of a scene to its end, on one thread; answers its row, or nothing if it was stopped. A row says why a variant is
/// no scene, or cannot be run to its end.
#[pyfunction]
#[pyo3(name = "_simulate", signature = (packed, changes, stop=None))]
pub fn simulate(
    py: Python<'_>,
    packed: &Packed,
    changes: Vec<(String, String)>,
    stop: Option<&Stop>,
) -> PyResult<Option<RowParts>> {
    let mut source = packed.source.clone();
    source.overrides.extend(read_changes(changes)?);
    let files = scene::provider(packed.files.as_ref());
    let flag = stop.map_or_else(Arc::default, Stop::flag);
    let stop = flag.clone();
    let row = alone(py, &flag, move || {
        let world = match guarded(|| resolve_from(files, &source, source.parse()?))? {
            Ok(world) => world,
            Err(error) => return Ok(Some(Row::failed(error.to_string()))),
        };
        let done = guarded(|| sweep::simulate(&world, None, false, &stop));
        // A variant in which the engine panics must not take the others with it.
        Ok(done.unwrap_or_else(|fault| Some(Row::failed(fault.to_string()))))
    })?;
    Ok(row.map(parts))
}

fn read_changes(changes: Vec<(String, String)>) -> PyResult<Overrides> {
    let recipe = (String::new(), String::new(), PathBuf::new(), changes, None);
    Ok(scene::from_recipe(recipe)?.source.overrides)
}

/// How long to wait before Ctrl-C is listened for.
const PATIENCE: Duration = Duration::from_millis(50);

/// Works on one thread, without the interpreter's lock. Ctrl-C asks the work to stop.
pub fn alone<T: Send + 'static>(
    py: Python<'_>,
    stop: &AtomicBool,
    work: impl FnOnce() -> PyResult<T> + Send + 'static,
) -> PyResult<T> {
    let threads = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let threads = threads.map_err(|error| Fault(error.to_string()))?;
    let (sender, mut receiver) = channel();
    threads.spawn(move || {
        let _ = sender.send(guarded(work));
    });
    let mut interrupted = None;
    loop {
        let waited = &mut receiver;
        let heard = py.detach(move || waited.recv_timeout(PATIENCE));
        match heard {
            Ok(done) => return interrupted.map_or_else(|| done?, Err),
            Err(RecvTimeoutError::Timeout) => {
                if let Err(error) = py.check_signals() {
                    stop.store(true, Ordering::Relaxed);
                    interrupted = Some(error);
                }
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Fault("its thread is gone".into()).into());
            }
        }
    }
}

fn parts(row: Row) -> RowParts {
    let loads = row.loads.into_iter();
    let loads = loads.map(|(body, figures)| (body, figures.to_vec()));
    (row.status, row.numbers.to_vec(), loads.collect(), row.holds)
}

fn whole((status, numbers, loads, holds): RowParts) -> PyResult<Row> {
    let wrong = || argument("this is no row of a sweep");
    let numbers: [f64; NUMBERS.len()] = numbers.try_into().map_err(|_| wrong())?;
    let loads = loads.into_iter().map(|(body, figures)| {
        let figures = figures.try_into().map_err(|_| wrong())?;
        Ok((body, figures))
    });
    Ok(Row {
        numbers,
        status,
        loads: loads.collect::<PyResult<_>>()?,
        holds,
    })
}

fn word(kind: ColumnKind) -> &'static str {
    match kind {
        ColumnKind::Integer => "integer",
        ColumnKind::Number => "number",
        ColumnKind::Text => "text",
    }
}

fn kind(word: &str) -> PyResult<ColumnKind> {
    let kinds = [ColumnKind::Integer, ColumnKind::Number, ColumnKind::Text];
    let found = kinds.into_iter().find(|kind| self::word(*kind) == word);
    found.ok_or_else(|| argument(format!("a column does not hold {word:?}")))
}

fn entry(cell: Cell) -> Option<Entry> {
    match cell {
        Cell::Integer(number) => Some(Entry::Integer(number)),
        Cell::Number(number) => Some(Entry::Number(number)),
        Cell::Text(text) => Some(Entry::Text(text)),
        Cell::Missing => None,
    }
}

fn cell(entry: Option<Entry>) -> Cell {
    match entry {
        Some(Entry::Integer(number)) => Cell::Integer(number),
        Some(Entry::Number(number)) => Cell::Number(number),
        Some(Entry::Text(text)) => Cell::Text(text),
        None => Cell::Missing,
    }
}

fn kinds_of(columns: Columns) -> PyResult<Vec<(String, ColumnKind)>> {
    let columns = columns.into_iter();
    columns
        .map(|(name, word)| Ok((name, kind(&word)?)))
        .collect()
}

fn table_error(path: &std::path::Path, error: &TableError) -> PyErr {
    kinds::RecordingError::new_err(format!("{}: {error}", path.display()))
}

/// Writes a table as the program does.
#[pyfunction]
#[pyo3(name = "_write_csv")]
pub fn write_csv(path: PathBuf, columns: Columns, rows: Vec<Cells>) -> PyResult<()> {
    let wrong = |error: TableError| table_error(&path, &error);
    let mut table = Table::new(kinds_of(columns)?).map_err(wrong)?;
    for row in rows {
        let cells = row.into_iter().map(cell).collect();
        table.push(cells).map_err(wrong)?;
    }
    table.save_csv(&path).map_err(wrong)
}

/// The rows of a table that the program wrote, or that was written here.
#[pyfunction]
#[pyo3(name = "_read_csv")]
pub fn read_csv(path: PathBuf, columns: Columns) -> PyResult<Vec<Cells>> {
    let wrong = |error: TableError| table_error(&path, &error);
    let columns = kinds_of(columns)?;
    let count = columns.len();
    let file = File::open(&path).map_err(|error| wrong(error.into()))?;
    let table = Table::read_csv(file, columns).map_err(wrong)?;
    let row = |k: usize| {
        let cells = (0..count).map(|column| table.cell(k, column).and_then(entry));
        cells.collect()
    };
    Ok((0..table.rows()).map(row).collect())
}

/// Variants that are listed in a file (CSV or TOML), each with its name and what it changes as TOML.
#[pyfunction]
#[pyo3(name = "_read_variants")]
pub fn read_variants<'py>(
    py: Python<'py>,
    path: PathBuf,
) -> PyResult<Vec<(Option<String>, Bound<'py, PyDict>)>> {
    let variants = sweep::read_variants(&path);
    let variants = variants.map_err(|error| argument(error.to_string()))?;
    let choice = |variant: Variant| {
        let fields = PyDict::new(py);
        for change in variant.changes {
            if let Change::Field(field, value) = change {
                fields.set_item(field, scene::python_value(py, &value)?)?;
            }
        }
        Ok((variant.name, fields))
    };
    variants.into_iter().map(choice).collect()
}
