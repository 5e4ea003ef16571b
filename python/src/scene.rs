//! Scenes as Python says them: a bundled name, a path, TOML text or a dictionary, with overrides.

use crate::core::{Files, Handle, Shared};
use crate::errors::{self, argument};
use crate::guard::guarded;
use crate::packed::Packed;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use std::path::PathBuf;
use std::sync::Arc;
use toile_scene::files::{Disk, Files as Provider, MemoryFiles};
use toile_scene::scene::{BUNDLED, SceneSource, World, resolve_from};
use toml::{Table, Value};

/// Fields set from outside: path and value.
pub type Overrides = Vec<(String, Value)>;

/// What Python hands over for a scene, in one piece: the scene, overrides and files.
pub type Given<'py> = (
    Bound<'py, PyAny>,
    Option<Bound<'py, PyAny>>,
    Option<Bound<'py, PyDict>>,
);

/// What a scene is made from.
pub struct Ingredients {
    /// The text and what is changed in it.
    pub source: SceneSource,
    /// Files in memory; the disk's if there are none.
    pub files: Option<Files>,
}

impl Ingredients {
    /// From what Python hands over in one piece.
    pub fn given((scene, overrides, files): &Given<'_>) -> PyResult<Self> {
        Self::new(scene, overrides.as_ref(), files.as_ref())
    }

    /// From what Python hands over.
    pub fn new(
        scene: &Bound<'_, PyAny>,
        overrides: Option<&Bound<'_, PyAny>>,
        files: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        if let Ok(packed) = scene.cast::<Packed>() {
            let mut source = packed.get().source.clone();
            source.overrides.extend(read_overrides(overrides)?);
            let files = match files {
                None => packed.get().files.clone(),
                Some(files) => Some(read_files(files)?),
            };
            return Ok(Ingredients { source, files });
        }
        let mut source = source(scene)?;
        source.overrides = read_overrides(overrides)?;
        Ok(Ingredients {
            source,
            files: files.map(read_files).transpose()?,
        })
    }

    /// The scene, without the interpreter's lock.
    pub fn resolve(&self, py: Python<'_>) -> PyResult<Arc<World>> {
        py.detach(|| world(&self.source, self.files.as_ref()))
    }
}

/// Builds a scene.
pub fn world(source: &SceneSource, files: Option<&Files>) -> PyResult<Arc<World>> {
    world_from(provider(files), source)
}

/// The same with files from whoever has them.
pub fn world_from(files: Arc<dyn Provider>, source: &SceneSource) -> PyResult<Arc<World>> {
    let made = guarded(|| resolve_from(files, source, source.parse()?))?;
    made.map(Arc::new).map_err(|error| errors::scene(&error))
}

/// Whoever has the files: memory, or the disk.
pub fn provider(files: Option<&Files>) -> Arc<dyn Provider> {
    match files {
        None => Arc::new(Disk),
        Some(files) => {
            let all = files.iter().cloned();
            Arc::new(all.fold(MemoryFiles::new(), |held, (name, bytes)| {
                held.with(name, bytes)
            }))
        }
    }
}

fn source(scene: &Bound<'_, PyAny>) -> PyResult<SceneSource> {
    if let Ok(table) = scene.cast::<PyDict>() {
        let text = toml::to_string(&read_table(table)?)
            .map_err(|error| argument(format!("the dictionary is no scene: {error}")))?;
        return Ok(text_source("dict", text));
    }
    if let Ok(text) = scene.cast::<PyString>() {
        let text = text.to_cow()?;
        let is_text =
            text.contains('\n') || text.contains('=') && !std::path::Path::new(&*text).exists();
        return match is_text {
            true => Ok(text_source("text", text.into_owned())),
            false => SceneSource::find(&text).map_err(|error| errors::scene(&error)),
        };
    }
    let path: PathBuf = scene.extract().map_err(|_| {
        let kind = scene.get_type();
        argument(format!(
            "a scene is the name of a bundled one, a path, TOML text or a dictionary, and not {kind}"
        ))
    })?;
    let name = path.to_string_lossy();
    SceneSource::find(&name).map_err(|error| errors::scene(&error))
}

fn text_source(name: &str, text: String) -> SceneSource {
    SceneSource {
        name: name.to_owned(),
        text,
        folder: PathBuf::new(),
        overrides: Vec::new(),
    }
}

/// A dictionary of fields by their paths.
pub fn read_overrides(given: Option<&Bound<'_, PyAny>>) -> PyResult<Overrides> {
    let Some(given) = given else {
        return Ok(Vec::new());
    };
    let table = given.cast::<PyDict>().map_err(|_| {
        argument("overrides are a dictionary, such as {\"cloth.sheet.material.bend\": 1e-5}")
    })?;
    Ok(read_table(table)?.into_iter().collect())
}

fn read_files(given: &Bound<'_, PyDict>) -> PyResult<Files> {
    let mut files = Vec::new();
    for (name, content) in given {
        let name: String = name
            .extract()
            .map_err(|_| argument("files are a dictionary from names to bytes or text"))?;
        let bytes = match content.cast::<PyBytes>() {
            Ok(bytes) => bytes.as_bytes().to_vec(),
            Err(_) => content
                .extract::<String>()
                .map_err(|_| argument(format!("the file `{name}` must be bytes or text")))?
                .into_bytes(),
        };
        files.push((name, bytes));
    }
    Ok(Arc::new(files))
}

/// Scenes are a few levels deep. A dictionary that is much deeper has itself inside, and must not be followed for ever.
const DEEPEST: u32 = 64;

/// A dictionary of Python as TOML has it.
pub fn read_table(given: &Bound<'_, PyDict>) -> PyResult<Table> {
    read_level(given, "", DEEPEST)
}

fn read_level(given: &Bound<'_, PyDict>, place: &str, left: u32) -> PyResult<Table> {
    let mut table = Table::new();
    for (key, value) in given {
        let key: String = key
            .extract()
            .map_err(|_| argument(format!("{}: keys are text, not {key}", shown(place))))?;
        let inner = match place {
            "" => key.clone(),
            place => format!("{place}.{key}"),
        };
        table.insert(key, read_value(&value, &inner, left)?);
    }
    Ok(table)
}

fn shown(place: &str) -> &str {
    match place {
        "" => "the scene",
        place => place,
    }
}

/// A value of Python or numpy as TOML has it.
fn read_value(given: &Bound<'_, PyAny>, place: &str, left: u32) -> PyResult<Value> {
    let Some(left) = left.checked_sub(1) else {
        let first = place.split(['.', '[']).next().unwrap_or_default();
        return Err(argument(format!(
            "`{first}` is more than {DEEPEST} levels deep; does it have itself inside?"
        )));
    };
    if let Ok(truth) = given.cast::<PyBool>() {
        return Ok(Value::Boolean(truth.is_true()));
    }
    if let Ok(text) = given.cast::<PyString>() {
        return Ok(Value::String(text.to_cow()?.into_owned()));
    }
    // Arrays and numbers of numpy; what they make lists of is read like any list.
    if let Ok(plain) = given.call_method0("tolist") {
        return read_value(&plain, place, left);
    }
    if given.cast::<PyInt>().is_ok() {
        let number = given.extract::<i64>();
        let number = number.map_err(|_| argument(format!("{place}: {given} is too large")))?;
        return Ok(Value::Integer(number));
    }
    if let Ok(number) = given.cast::<PyFloat>() {
        return Ok(Value::Float(number.value()));
    }
    if let Ok(table) = given.cast::<PyDict>() {
        return Ok(Value::Table(read_level(table, place, left)?));
    }
    if given.cast::<PyList>().is_ok() || given.cast::<PyTuple>().is_ok() {
        let entries = given.try_iter()?.enumerate();
        let entries = entries.map(|(k, entry)| read_value(&entry?, &format!("{place}[{k}]"), left));
        return entries.collect::<PyResult<_>>().map(Value::Array);
    }
    if let Ok(path) = given.extract::<PathBuf>() {
        return Ok(Value::String(path.to_string_lossy().into_owned()));
    }
    Err(argument(match given.is_none() {
        true => format!("{place} is None; leave it out, and the default is taken"),
        false => format!("{place}: a scene has no {}", given.get_type()),
    }))
}

/// A value of TOML as Python has it.
pub fn python_value<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Boolean(truth) => truth.into_pyobject(py)?.to_owned().into_any(),
        Value::Integer(number) => number.into_pyobject(py)?.into_any(),
        Value::Float(number) => number.into_pyobject(py)?.into_any(),
        Value::String(text) => text.into_pyobject(py)?.into_any(),
        Value::Datetime(moment) => moment.to_string().into_pyobject(py)?.into_any(),
        Value::Array(entries) => {
            let entries = entries.iter().map(|entry| python_value(py, entry));
            PyList::new(py, entries.collect::<PyResult<Vec<_>>>()?)?.into_any()
        }
        Value::Table(table) => {
            let made = PyDict::new(py);
            for (key, entry) in table {
                made.set_item(key, python_value(py, entry)?)?;
            }
            made.into_any()
        }
    })
}

/// The names of the scenes inside the package.
#[pyfunction]
pub fn bundled_scenes() -> Vec<&'static str> {
    BUNDLED.iter().map(|scene| scene.name).collect()
}

/// The TOML text of a scene.
///
/// Parameters
/// ----------
/// name : str
///     The name of a bundled one, or a path.
///
/// Raises
/// ------
/// SceneError
///     If there is none of this name.
#[pyfunction]
pub fn scene_text(name: &str) -> PyResult<String> {
    let found = SceneSource::find(name).map_err(|error| errors::scene(&error))?;
    Ok(found.text)
}

/// What it takes to make a simulation again: name, text, folder, overrides (each as TOML) and files of its scene.
pub type Recipe = (
    String,
    String,
    PathBuf,
    Vec<(String, String)>,
    Option<Vec<(String, Vec<u8>)>>,
);

/// The recipe of a scene.
pub fn recipe(source: &SceneSource, files: Option<&Files>) -> PyResult<Recipe> {
    let mut overrides = Vec::new();
    for (path, value) in &source.overrides {
        let table = Table::from_iter([("value".to_owned(), value.clone())]);
        let text = toml::to_string(&table).map_err(|error| argument(error.to_string()))?;
        overrides.push((path.clone(), text));
    }
    Ok((
        source.name.clone(),
        source.text.clone(),
        source.folder.clone(),
        overrides,
        files.map(|files| files.to_vec()),
    ))
}

/// What a recipe was made of.
pub fn from_recipe(recipe: Recipe) -> PyResult<Ingredients> {
    let (name, text, folder, overrides, files) = recipe;
    let mut source = SceneSource {
        name,
        text,
        folder,
        overrides: Vec::new(),
    };
    for (path, value) in overrides {
        let table: Table = value
            .parse()
            .map_err(|_| argument(format!("the override of {path} cannot be read")))?;
        source
            .overrides
            .extend(table.into_iter().map(|(_, value)| (path.clone(), value)));
    }
    Ok(Ingredients {
        source,
        files: files.map(Arc::new),
    })
}

/// A simulation from its recipe and a snapshot, for unpickling.
#[pyfunction]
#[pyo3(name = "_rebuild")]
pub fn rebuild(py: Python<'_>, recipe: Recipe, snapshot: Vec<u8>) -> PyResult<Handle> {
    let ingredients = from_recipe(recipe)?;
    let shared = Shared::new(ingredients.resolve(py)?, ingredients.files);
    shared.work(|core| {
        core.engine
            .restore(&snapshot)
            .map_err(|e| errors::restore(&e))
    })?;
    Ok(Handle(shared))
}
