//! Scenes that need no disk any more: with all files that they name, ready to be sent to another machine.

use crate::core::Files;
use crate::scene::{self, Given, Ingredients, Recipe};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Cursor};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use toile_scene::files::{Disk, Files as Provider, Input};
use toile_scene::scene::SceneSource;

/// A scene with the files that it names. It can be pickled, and stands wherever a scene does.
#[pyclass(frozen, module = "toile._toile", name = "_Packed")]
pub struct Packed {
    /// The scene.
    pub source: SceneSource,
    /// All files, if it names any.
    pub files: Option<Files>,
}

#[pymethods]
impl Packed {
    #[new]
    fn new(py: Python<'_>, given: Given<'_>) -> PyResult<Self> {
        let Ingredients { source, files } = Ingredients::given(&given)?;
        let noted = Noting::of(files.as_ref());
        py.detach(|| scene::world_from(noted.clone(), &source))?;
        Ok(Packed::around(source, files, &noted))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Recipe,))> {
        let unpack = py.import("toile._toile")?.getattr("_unpack")?;
        let recipe = scene::recipe(&self.source, self.files.as_ref())?;
        Ok((unpack, (recipe,)))
    }
}

impl Packed {
    /// A scene after it was built with files that were noted.
    pub fn around(mut source: SceneSource, files: Option<Files>, noted: &Noting) -> Self {
        let files = files.or_else(|| {
            source.folder = Disk.absolute(&source.folder);
            let noted = noted.read.lock().unwrap_or_else(PoisonError::into_inner);
            let list = noted
                .iter()
                .map(|(path, bytes)| (path.to_string_lossy().into_owned(), bytes.to_vec()));
            (!noted.is_empty()).then(|| Arc::new(list.collect()))
        });
        Packed { source, files }
    }

    /// Tells scenes apart by what they and their files say, wherever these lie.
    pub fn checksum(&self) -> u32 {
        let mut sum = crc32fast::Hasher::new();
        sum.update(self.source.text.as_bytes());
        for (path, value) in &self.source.overrides {
            sum.update(format!("{path}={value}\n").as_bytes());
        }
        for (_, bytes) in self.files.iter().flat_map(|files| files.iter()) {
            sum.update(bytes);
        }
        sum.finalize()
    }
}

/// A packed scene from its recipe, for unpickling.
#[pyfunction]
#[pyo3(name = "_unpack")]
pub fn unpack(recipe: Recipe) -> PyResult<Packed> {
    let Ingredients { source, files } = scene::from_recipe(recipe)?;
    Ok(Packed { source, files })
}

/// Files of somebody else, with a note of all that were read.
pub struct Noting {
    inner: Arc<dyn Provider>,
    read: Mutex<BTreeMap<PathBuf, Arc<[u8]>>>,
}

impl Noting {
    /// Notes what is read of these, or of the disk.
    pub fn of(files: Option<&Files>) -> Arc<Self> {
        Arc::new(Noting {
            inner: scene::provider(files),
            read: Mutex::default(),
        })
    }
}

/// Whoever looks sees the files behind it.
impl std::fmt::Debug for Noting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.inner.fmt(f)
    }
}

impl Provider for Noting {
    fn open(&self, path: &Path) -> io::Result<Box<dyn Input>> {
        let name = self.inner.absolute(path);
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = match read.get(&name) {
            Some(bytes) => bytes.clone(),
            None => {
                let bytes: Arc<[u8]> = self.inner.read(path)?.into();
                read.insert(name, bytes.clone());
                bytes
            }
        };
        Ok(Box::new(Cursor::new(bytes)))
    }

    fn length(&self, path: &Path) -> io::Result<u64> {
        self.inner.length(path)
    }

    fn names(&self, folder: &Path) -> io::Result<Vec<OsString>> {
        self.inner.names(folder)
    }

    fn is_folder(&self, path: &Path) -> bool {
        self.inner.is_folder(path)
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        self.inner.absolute(path)
    }
}
