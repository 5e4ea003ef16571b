//! Recordings: frames that a simulation keeps, files that show them.

use crate::arguments;
use crate::core::Keeper;
use crate::errors::{argument, kinds};
use crate::guard::guarded;
use crate::picture::{Wanted, pixels};
use crate::simulation::Simulation;
use numpy::PyArray3;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::{Path, PathBuf};
use toile_scene::export::{ExportFormat, ExportOptions, UpAxis, export};
use toile_scene::present::{PictureStyle, camera, picture};
use toile_scene::recording::{Recording, RecordingError, Reel};
use toile_scene::report::{MetricsTable, ReportInput, write_report};

fn failed(error: impl std::fmt::Display) -> PyErr {
    // What the command line calls --force is called so here.
    let text = error.to_string().replace("--force", "force=True");
    kinds::RecordingError::new_err(text)
}

fn open(path: &Path) -> PyResult<Recording> {
    guarded(|| Recording::open(path))?.map_err(failed)
}

#[pymethods]
impl Simulation {
    /// Keep frames from now on, so many for each second of simulated time; the first is the state as it is.
    ///
    /// ``sim.show()`` plays them, ``sim.export()`` and ``sim.save()`` write them. Frames are taken after steps, so there are never more
    /// of them than steps. Another call begins anew.
    ///
    /// Parameters
    /// ----------
    /// fps : float
    ///     Frames for each second.
    #[pyo3(signature = (fps=30.0))]
    fn record(&self, fps: f64) -> PyResult<()> {
        if !(fps > 0.0 && fps <= 1e6) {
            return Err(argument(format!(
                "the frame rate is {fps}; it must be a positive number of frames per second"
            )));
        }
        self.shared.lock()?.keep(fps);
        Ok(())
    }

    /// How many frames were kept.
    #[getter]
    fn frames_kept(&self) -> PyResult<usize> {
        let core = self.shared.lock()?;
        Ok(core.keeper.as_ref().map_or(0, |keeper| keeper.frames.len()))
    }

    /// Write the frames that were kept, and the state as it is, as a recording.
    ///
    /// Parameters
    /// ----------
    /// path : path
    ///     The file (``frames.toile``, say). One that is there is replaced.
    #[pyo3(signature = (path, /))]
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| {
            self.shared.work(|core| {
                let now = core.world.frame(core.engine.state());
                let kept = core.keeper.as_ref();
                let mut frames = kept.map_or_else(Vec::new, |k| k.frames.clone());
                if frames.last().is_none_or(|last| last.time < now.time) {
                    frames.push(now);
                }
                let reel = Reel {
                    title: core.world.title.clone(),
                    fps: kept.map_or(Keeper::USUAL, |k| k.fps),
                    cloths: core.world.cloth_tracks.clone(),
                    bodies: core.world.body_tracks.clone(),
                    frames,
                };
                reel.write(&path).map_err(failed)
            })
        })
    }
}

/// The page with the player of a recording.
#[pyfunction]
#[pyo3(name = "_player")]
pub fn player(py: Python<'_>, path: PathBuf, budget: &Bound<'_, PyAny>) -> PyResult<String> {
    let budget = arguments::count(budget, "the budget")? as usize;
    py.detach(|| {
        let recording = open(&path)?;
        let metrics = MetricsTable::default();
        let input = ReportInput {
            budget_bytes: budget,
            ..ReportInput::new(&recording, &metrics)
        };
        let mut page = Vec::new();
        guarded(|| write_report(&input, &mut page))?.map_err(failed)?;
        String::from_utf8(page).map_err(failed)
    })
}

/// Writes a recording in another format; answers the files and what to know of them.
#[pyfunction]
#[pyo3(name = "_export", signature = (path, out, format, every, force, up))]
pub fn export_recording(
    py: Python<'_>,
    path: PathBuf,
    out: PathBuf,
    format: Option<String>,
    every: &Bound<'_, PyAny>,
    force: bool,
    up: &str,
) -> PyResult<(Vec<PathBuf>, Vec<String>)> {
    let every = arguments::count(every, "every")? as usize;
    let extension = out.extension().map(|e| e.to_string_lossy().into_owned());
    let named = format
        .or(extension)
        .unwrap_or_default()
        .to_ascii_lowercase();
    let format = match named.as_str() {
        "glb" => ExportFormat::Glb,
        "usda" => ExportFormat::Usda,
        "vtu" => ExportFormat::Vtu,
        "obj" => ExportFormat::Obj,
        "ply" => ExportFormat::Ply,
        "pc2" => ExportFormat::Pc2,
        "mdd" => ExportFormat::Mdd,
        other => {
            return Err(argument(format!(
                "there is no format {other:?}; it is one of glb, usda, vtu, obj, ply, pc2, mdd, and the file's ending says which"
            )));
        }
    };
    let options = ExportOptions {
        every,
        force,
        up: match up {
            "z" => UpAxis::Z,
            "y" => UpAxis::Y,
            other => return Err(argument(format!("up is {other:?}; it is \"z\" or \"y\""))),
        },
        ..ExportOptions::default()
    };
    py.detach(|| {
        let recording = open(&path)?;
        let done = guarded(|| export(&recording, format, &out, &options))?;
        done.map(|summary| (summary.files, summary.notes))
            .map_err(failed)
    })
}

/// A frame of a recording as a picture; the camera holds all of its frames in view unless it is said where it stands.
#[pyfunction]
#[pyo3(name = "_picture")]
#[allow(clippy::too_many_arguments)]
pub fn frame_picture(
    py: Python<'_>,
    path: PathBuf,
    frame: usize,
    width: &Bound<'_, PyAny>,
    height: &Bound<'_, PyAny>,
    camera_of: Option<&Bound<'_, PyDict>>,
    quality: &str,
    stretch: Option<f32>,
    wireframe: bool,
) -> PyResult<Py<PyArray3<u8>>> {
    let style = PictureStyle::default();
    let wanted = Wanted::new(
        [width, height],
        camera_of,
        quality,
        stretch,
        wireframe,
        style,
    )?;
    let style = wanted.style;
    let image = py.detach(|| {
        let recording = open(&path)?;
        let shown = guarded(|| -> Result<_, RecordingError> {
            let frame = recording.frame(frame)?;
            let view = match wanted.camera {
                Some(mut own) => {
                    let origin = recording.origin().as_vec3();
                    own.eye -= origin;
                    own.target -= origin;
                    own
                }
                None => {
                    let count = recording.frame_count();
                    let chosen = toile_scene::present::spread(count, 16);
                    let frames: Result<Vec<_>, _> =
                        chosen.into_iter().map(|k| recording.frame(k)).collect();
                    camera(&recording, &frames?, &style)
                }
            };
            Ok(picture(&recording, &frame, &view, &style))
        })?;
        shown.map_err(failed)
    })?;
    pixels(py, style.size, image.rgb)
}
