//! Pictures: what a camera in the scene sees, as arrays.

use crate::arguments;
use crate::errors::argument;
use crate::simulation::Simulation;
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use toile_render::{Camera, Quality, Size};
use toile_scene::present::{Coloring, Label, PictureStyle, look, start_camera};

/// What is asked of a picture.
pub struct Wanted {
    /// Size, quality, colours.
    pub style: PictureStyle,
    /// Where from, if other than the scene's own camera.
    pub camera: Option<Camera>,
}

impl Wanted {
    /// From what Python says.
    pub fn new(
        size: [&Bound<'_, PyAny>; 2],
        camera: Option<&Bound<'_, PyDict>>,
        quality: &str,
        stretch: Option<f32>,
        wireframe: bool,
        style: PictureStyle,
    ) -> PyResult<Self> {
        let count = |given, what| {
            let number = arguments::count(given, what);
            number.map(|n| u32::try_from(n).unwrap_or(u32::MAX))
        };
        let (width, height) = (count(size[0], "the width")?, count(size[1], "the height")?);
        if ![width, height]
            .iter()
            .all(|n| (1..=Size::LARGEST).contains(n))
        {
            return Err(argument(format!(
                "a picture of {width} × {height} pixels cannot be; both must be from 1 to {}",
                Size::LARGEST
            )));
        }
        let mut style = PictureStyle {
            size: Size { width, height },
            quality: match quality {
                "draft" => Quality::DRAFT,
                "good" => Quality::default(),
                "fine" => Quality::FINE,
                other => {
                    return Err(argument(format!(
                        "quality is {other:?}; it is \"draft\", \"good\" or \"fine\""
                    )));
                }
            },
            wireframe,
            ..style
        };
        if let Some(range) = stretch {
            if !(range > 0.0 && range.is_finite()) {
                return Err(argument(format!(
                    "stretch is {range}; it is the strain at the ends of the colours, a positive number"
                )));
            }
            style.coloring = Coloring::Stretch { range };
        }
        let camera = camera
            .map(|given| read_camera(given, &mut style))
            .transpose()?;
        Ok(Wanted {
            style,
            camera: camera.flatten(),
        })
    }
}

/// An eye and what it looks at, or angles about the cloth, which go into the style.
fn read_camera(given: &Bound<'_, PyDict>, style: &mut PictureStyle) -> PyResult<Option<Camera>> {
    let known = [
        "eye",
        "target",
        "up",
        "fov",
        "near",
        "azimuth",
        "elevation",
        "zoom",
    ];
    for key in given.keys() {
        let key: String = key.extract()?;
        if !known.contains(&key.as_str()) {
            let near = toile_scene::scene::nearest_name(&key, &known);
            let hint = near.map_or(format!("known here: {}", known.join(", ")), |near| {
                format!("did you mean `{near}`?")
            });
            return Err(argument(format!("a camera has no `{key}`; {hint}")));
        }
    }
    let number = |name: &str| -> PyResult<Option<f64>> {
        let Some(value) = given.get_item(name)? else {
            return Ok(None);
        };
        let number = value.extract::<f64>().ok().filter(|x| x.is_finite());
        let wrong = || argument(format!("the camera's {name} must be a finite number"));
        number.map(Some).ok_or_else(wrong)
    };
    let vector = |name: &str| -> PyResult<Option<toile::glam::Vec3>> {
        let Some(value) = given.get_item(name)? else {
            return Ok(None);
        };
        let vector = arguments::vector(&value, &format!("the camera's {name}"))?;
        match vector.is_finite() {
            true => Ok(Some(vector.as_vec3())),
            false => Err(argument(format!("the camera's {name} must be finite"))),
        }
    };
    let Some(eye) = vector("eye")? else {
        let camera = &mut style.camera;
        camera.azimuth = number("azimuth")?.unwrap_or(camera.azimuth);
        camera.elevation = number("elevation")?.unwrap_or(camera.elevation);
        camera.zoom = number("zoom")?.unwrap_or(camera.zoom);
        if camera.zoom <= 0.0 {
            return Err(argument("the camera's zoom must be positive"));
        }
        return Ok(None);
    };
    let target = vector("target")?
        .filter(|target| *target != eye)
        .ok_or_else(|| argument("a camera with an eye needs a target that is elsewhere"))?;
    let fov = number("fov")?.unwrap_or(45.0);
    if !(0.1..=170.0).contains(&fov) {
        return Err(argument(format!(
            "the camera's fov is {fov}; it is the angle from the lower to the upper border, from 0.1 to 170 degrees"
        )));
    }
    let near = number("near")?.unwrap_or(1e-3);
    if near <= 0.0 {
        return Err(argument(format!(
            "the camera's near is {near} m; it must be positive"
        )));
    }
    Ok(Some(Camera {
        eye,
        target,
        up: vector("up")?.unwrap_or(toile::glam::Vec3::Z),
        vertical_fov: fov.to_radians() as f32,
        near: near as f32,
    }))
}

/// Colours, distances and labels of a picture.
pub type Arrays = (
    Option<Py<PyArray3<u8>>>,
    Option<Py<PyArray2<f32>>>,
    Option<Py<PyArray2<i32>>>,
);

/// Bytes of an image in rows of pixels.
pub fn pixels(py: Python<'_>, size: Size, rgb: Vec<u8>) -> PyResult<Py<PyArray3<u8>>> {
    let shape = [size.height as usize, size.width as usize, 3];
    Ok(PyArray1::from_vec(py, rgb).reshape(shape)?.unbind())
}

#[pymethods]
impl Simulation {
    /// Colours, distances and labels of what a camera sees.
    #[pyo3(signature = (width, height, camera, quality, stretch, wireframe, color, depth))]
    #[allow(clippy::too_many_arguments)]
    fn _render(
        &self,
        py: Python<'_>,
        width: &Bound<'_, PyAny>,
        height: &Bound<'_, PyAny>,
        camera: Option<&Bound<'_, PyDict>>,
        quality: &str,
        stretch: Option<f32>,
        wireframe: bool,
        color: bool,
        depth: bool,
    ) -> PyResult<Arrays> {
        let own = self.shared.lock()?.world.output.camera;
        let style = PictureStyle {
            camera: own,
            ..PictureStyle::default()
        };
        let wanted = Wanted::new([width, height], camera, quality, stretch, wireframe, style)?;
        let style = wanted.style;
        let seen = py.detach(|| {
            self.shared.work(|core| {
                let world = &core.world;
                let camera = wanted.camera.unwrap_or_else(|| start_camera(world, &style));
                let state = core.engine.state();
                Ok(look(world, state, &camera, &style, [color, depth]))
            })
        })?;
        let cloths = self.shared.lock()?.world.cloth_tracks.len();
        let shape = [style.size.height as usize, style.size.width as usize];
        let image = seen.image.map(|image| pixels(py, style.size, image.rgb));
        if !depth {
            return Ok((image.transpose()?, None, None));
        }
        let labels = seen.labels.iter().map(|label| match *label {
            Label::Nothing => 0,
            Label::Cloth(k) => 1 + k as i32,
            Label::Body(k) => (1 + cloths + k) as i32,
        });
        let labels = PyArray1::from_iter(py, labels).reshape(shape)?.unbind();
        let distances = PyArray1::from_vec(py, seen.distances)
            .reshape(shape)?
            .unbind();
        Ok((image.transpose()?, Some(distances), Some(labels)))
    }
}
