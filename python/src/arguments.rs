//! What Python hands over: vectors, poses, nodes, masks. A message names the argument, what it is and what it must be.

use crate::errors::{argument, refused};
use numpy::{AllowTypeChange, PyArrayLikeDyn, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::{PyKeyboardInterrupt, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use toile::drive::Pose;
use toile::glam::{DMat3, DQuat, DVec3};

/// Numbers in some shape.
pub struct Numbers {
    /// Row after row.
    pub values: Vec<f64>,
    /// The shape.
    pub shape: Vec<usize>,
}

/// Anything that numpy can make an array of numbers from.
pub fn numbers(given: &Bound<'_, PyAny>, what: &str) -> PyResult<Numbers> {
    let py = given.py();
    // numpy would take their real parts.
    if given.extract::<PyReadonlyArrayDyn<'_, f64>>().is_err() && is_complex(given)? {
        return Err(argument(format!(
            "{what} must be real numbers, and not complex ones"
        )));
    }
    let array = given
        .extract::<PyArrayLikeDyn<'_, f64, AllowTypeChange>>()
        .map_err(
            |error| match error.is_instance_of::<PyKeyboardInterrupt>(py) {
                true => error,
                false => argument(format!("{what} is not an array of numbers: {error}")),
            },
        )?;
    Ok(Numbers {
        values: array.as_array().iter().copied().collect(),
        shape: array.shape().to_vec(),
    })
}

fn is_complex(given: &Bound<'_, PyAny>) -> PyResult<bool> {
    let numpy = given.py().import("numpy")?;
    // What is no array at all is refused as that.
    match numpy.call_method1("iscomplexobj", (given,)) {
        Ok(answer) => answer.extract(),
        Err(_) => Ok(false),
    }
}

/// Two things that are no numbers themselves.
fn two<'a, 'py>(given: &'a Bound<'py, PyAny>) -> Option<&'a Bound<'py, PyTuple>> {
    let pair = given.cast::<PyTuple>().ok()?;
    let is_number = |item: Bound<'_, PyAny>| item.extract::<f64>().is_ok();
    (pair.len() == 2 && !pair.iter().any(is_number)).then_some(pair)
}

/// Three numbers.
pub fn vector(given: &Bound<'_, PyAny>, what: &str) -> PyResult<DVec3> {
    // The common case, without the way through numpy.
    if let Ok(tuple) = given.cast::<PyTuple>()
        && let Ok((x, y, z)) = tuple.extract::<(f64, f64, f64)>()
    {
        return Ok(DVec3::new(x, y, z));
    }
    let Numbers { values, shape } = numbers(given, what)?;
    match (&values[..], shape.len()) {
        (&[x, y, z], 1) => Ok(DVec3::new(x, y, z)),
        _ => Err(wrong_shape(what, &shape, "3 numbers (x, y, z)")),
    }
}

/// One row of three numbers for each of several things.
pub fn vectors(given: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<DVec3>> {
    let Numbers { values, shape } = numbers(given, what)?;
    match shape[..] {
        [_, 3] => Ok(values.chunks_exact(3).map(DVec3::from_slice).collect()),
        _ => Err(wrong_shape(what, &shape, "rows of 3 numbers")),
    }
}

/// A rotation: a quaternion (x, y, z, w), or a matrix of three rows.
pub fn rotation(given: &Bound<'_, PyAny>, what: &str) -> PyResult<DQuat> {
    let Numbers { values, shape } = numbers(given, what)?;
    match shape[..] {
        [4] => Ok(DQuat::from_slice(&values)),
        [3, 3] => from_matrix(&values, what),
        _ => Err(wrong_shape(
            what,
            &shape,
            "a quaternion (x, y, z, w) or a matrix of 3 × 3",
        )),
    }
}

fn from_matrix(values: &[f64], what: &str) -> PyResult<DQuat> {
    let matrix = DMat3::from_cols_slice(values).transpose();
    let off = matrix * matrix.transpose() - DMat3::IDENTITY;
    let largest = off
        .to_cols_array()
        .into_iter()
        .fold(0.0, |m: f64, x| m.max(x.abs()));
    if !(largest < 1e-6 && matrix.determinant() > 0.0) {
        return Err(refused(format!(
            "{what} is no rotation: a matrix of one has columns of length 1 at right angles"
        )));
    }
    Ok(DQuat::from_mat3(&matrix).normalize())
}

/// A pose: position and rotation in a pair, seven numbers, a matrix of 4 × 4, or a position alone, which keeps the rotation.
pub fn pose(given: &Bound<'_, PyAny>, what: &str, now: Pose) -> PyResult<Pose> {
    if let Some(pair) = two(given) {
        return Ok(Pose {
            translation: vector(&pair.get_item(0)?, &format!("the position of {what}"))?,
            rotation: rotation(&pair.get_item(1)?, &format!("the rotation of {what}"))?,
        });
    }
    let Numbers { values, shape } = numbers(given, what)?;
    match (&shape[..], &values[..]) {
        ([3], &[x, y, z]) => Ok(Pose {
            translation: DVec3::new(x, y, z),
            ..now
        }),
        ([7], v) => Ok(Pose {
            translation: DVec3::from_slice(v),
            rotation: DQuat::from_slice(&v[3..]),
        }),
        ([4, 4], v) => {
            let turn = [v[0], v[1], v[2], v[4], v[5], v[6], v[8], v[9], v[10]];
            Ok(Pose {
                translation: DVec3::new(v[3], v[7], v[11]),
                rotation: from_matrix(&turn, what)?,
            })
        }
        _ => Err(wrong_shape(
            what,
            &shape,
            "a position (3), position and quaternion (7, or a pair of 3 and 4), or a matrix (4 × 4)",
        )),
    }
}

/// A velocity: three numbers, or a pair of them with the angular velocity.
pub fn velocity(given: &Bound<'_, PyAny>) -> PyResult<[DVec3; 2]> {
    if let Some(pair) = two(given) {
        return Ok([
            vector(&pair.get_item(0)?, "the velocity")?,
            vector(&pair.get_item(1)?, "the angular velocity")?,
        ]);
    }
    Ok([vector(given, "the velocity")?, DVec3::ZERO])
}

/// An array of a kind (`numpy.dtype.kind`), which nothing is rounded or read as something else to become.
fn array_of<'py>(
    given: &Bound<'py, PyAny>,
    kinds: &str,
    must: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let py = given.py();
    let refuse = |found: String| argument(format!("{must}, and not {found}"));
    let made = py.import("numpy")?.call_method1("asarray", (given,));
    let made = made.map_err(|error| refuse(error.to_string()))?;
    let dtype = made.getattr("dtype")?;
    let kind: String = dtype.getattr("kind")?.extract()?;
    // What has no entries has no kind of its own.
    let is_empty = made.getattr("size")?.extract::<usize>()? == 0;
    match kinds.contains(&kind) || is_empty {
        true => Ok(made),
        false => Err(refuse(format!("an array of {dtype}"))),
    }
}

/// Numbers of nodes; negative ones are refused, not counted from the end.
pub fn nodes(given: &Bound<'_, PyAny>) -> PyResult<Vec<u32>> {
    let must = "nodes must be whole numbers, one or a list of them";
    let array = array_of(given, "iu", must)?.call_method1("astype", ("int64",))?;
    let array = array.extract::<PyReadonlyArrayDyn<'_, i64>>()?;
    if array.shape().len() > 1 {
        return Err(wrong_shape("nodes", array.shape(), "a list"));
    }
    array.as_array().iter().map(|&n| node(n)).collect()
}

fn node(number: i64) -> PyResult<u32> {
    u32::try_from(number)
        .map_err(|_| argument(format!("there is no node {number}; nodes count from 0")))
}

/// Which of so many worlds; all of them if nothing is said.
pub fn mask(given: Option<&Bound<'_, PyAny>>, count: usize) -> PyResult<Vec<bool>> {
    let Some(given) = given else {
        return Ok(vec![true; count]);
    };
    let must = format!("{count} truth values, one for each world");
    let array = array_of(given, "b", &format!("the mask must be {must}"))?;
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    if shape != [count] {
        return Err(wrong_shape("the mask", &shape, &must));
    }
    let array = array.extract::<PyReadonlyArrayDyn<'_, bool>>()?;
    Ok(array.as_array().iter().copied().collect())
}

/// A face by its index, and the weights of its corners.
pub fn face(given: &Bound<'_, PyAny>) -> PyResult<(usize, Vec<f64>)> {
    let [index, weights] = pair(
        given,
        "face is a pair: the index of a face and the weights of its corners",
    )?;
    let index = usize::try_from(count(&index, "the index of the face")?);
    let index = index.map_err(|_| argument("the index of the face is too large"))?;
    let what = "the weights of the face";
    let Numbers { values, shape } = numbers(&weights, what)?;
    match shape.len() {
        1 => Ok((index, values)),
        _ => Err(wrong_shape(
            what,
            &shape,
            "one number for each of its corners",
        )),
    }
}

/// A ball: its middle and its radius (m).
pub fn ball(given: &Bound<'_, PyAny>) -> PyResult<(DVec3, f64)> {
    let must = "near is a pair: a point and a radius (m)";
    let [point, radius] = pair(given, must)?;
    let radius = radius.extract();
    let radius = radius.map_err(|error| argument(format!("{must}; {error}")))?;
    Ok((vector(&point, "the point")?, radius))
}

/// What a spring pulls with: stiffness (N/m) and damping (N·s/m).
pub fn spring(given: &Bound<'_, PyAny>) -> PyResult<(f64, f64)> {
    let must = "spring is a pair: stiffness (N/m) and damping (N·s/m)";
    let [stiffness, damping] = pair(given, must)?.map(|number| number.extract::<f64>());
    let wrong = |error: PyErr| argument(format!("{must}; {error}"));
    Ok((stiffness.map_err(wrong)?, damping.map_err(wrong)?))
}

/// Two things in a tuple or list.
fn pair<'py>(given: &Bound<'py, PyAny>, must: &str) -> PyResult<[Bound<'py, PyAny>; 2]> {
    given
        .extract()
        .map_err(|_| argument(format!("{must}, and not {given}")))
}

/// A seed for each of so many worlds.
pub fn seeds(given: &Bound<'_, PyAny>, worlds: usize) -> PyResult<Vec<u64>> {
    let must = format!("{worlds} seeds, one for each world");
    let all = given.try_iter();
    let all = all.map_err(|_| argument(format!("seeds are {must}, and not {given}")))?;
    let seeds = all.map(|one| count(&one?, "a seed"));
    let seeds = seeds.collect::<PyResult<Vec<_>>>()?;
    match seeds.len() == worlds {
        true => Ok(seeds),
        false => Err(wrong_shape("seeds", &[seeds.len()], &must)),
    }
}

/// A count of zero or more.
pub fn count(given: &Bound<'_, PyAny>, what: &str) -> PyResult<u64> {
    let number = given.extract::<i64>().map_err(|error| {
        let kind = error.is_instance_of::<PyTypeError>(given.py());
        match kind {
            true => argument(format!("{what} must be a whole number: {error}")),
            false => argument(format!("{what} is too large")),
        }
    })?;
    u64::try_from(number)
        .map_err(|_| argument(format!("{what} is {number}; it must be zero or more")))
}

/// A shape that does not fit.
pub fn wrong_shape(what: &str, shape: &[usize], must: &str) -> PyErr {
    let shape: Vec<String> = shape.iter().map(usize::to_string).collect();
    let comma = if shape.len() == 1 { "," } else { "" };
    let shape = shape.join(", ");
    argument(format!(
        "{what} has the shape ({shape}{comma}); it must be {must}"
    ))
}
