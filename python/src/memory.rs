//! Arrays of numpy that show the engine's memory.

#![allow(unsafe_code)]

use crate::core::Shared;
use numpy::ndarray::{ArrayView2, ArrayView3};
use numpy::{PyArray2, PyArray3};
use pyo3::prelude::*;
use std::sync::{Arc, Mutex};
use toile::glam::DVec3;

// A vector is three numbers and nothing else, so a slice of vectors is a slice of three times as many numbers.
const _: () = assert!(size_of::<DVec3>() == 3 * size_of::<f64>());
const _: () = assert!(align_of::<DVec3>() == align_of::<f64>());

/// Copies of what the worlds of a batch have, one after the other. Its buffers keep their lengths.
#[derive(Debug)]
pub struct Published {
    /// Positions (m): world, node, coordinate.
    pub positions: Vec<f64>,
    /// Velocities (m/s).
    pub velocities: Vec<f64>,
    /// Which version of each world they are.
    pub versions: Vec<u64>,
}

/// What arrays point at. An array keeps it alive, whatever becomes of the simulation that handed it out.
#[pyclass(frozen, module = "toile._toile", name = "_Memory")]
pub struct Memory {
    _owner: Owner,
}

enum Owner {
    /// One simulation.
    Simulation(#[expect(dead_code, reason = "held, not read")] Arc<Shared>),
    /// The copies of a batch.
    Batch(#[expect(dead_code, reason = "held, not read")] Arc<Mutex<Published>>),
}

/// Positions and velocities of a simulation as arrays that nobody can write to.
pub fn views<'py>(
    py: Python<'py>,
    shared: &Arc<Shared>,
) -> PyResult<[Bound<'py, PyArray2<f64>>; 2]> {
    let owner = Owner::Simulation(shared.clone());
    let memory = Bound::new(py, Memory { _owner: owner })?;
    let core = shared.lock()?;
    let slices = [core.engine.positions(), core.engine.velocities()];
    let made = slices.map(|vectors| {
        let numbers = numbers(vectors);
        let view = ArrayView2::from_shape((vectors.len(), 3), numbers);
        let view = view.expect("three numbers for each vector");
        // SAFETY: the buffer belongs to the engine's simulation in `shared`, which `memory` keeps alive and `memory` lives as long
        // as the array, whose base it is. The simulation is never replaced by another (`Core::engine`), and it promises that
        // neither steps nor resets nor restores move its buffers (`Simulation`, tested there). What the array shows is plain
        // numbers, of which any bits are a value; whoever reads it while another thread steps sees old and new ones mixed.
        unsafe { PyArray2::borrow_from_array(&view, memory.clone().into_any()) }
    });
    made.iter()
        .try_for_each(|array| read_only(array.as_any()))?;
    Ok(made)
}

/// Positions and velocities of all worlds of a batch, in the same way.
pub fn batch_views<'py>(
    py: Python<'py>,
    published: &Arc<Mutex<Published>>,
    shape: [usize; 3],
) -> PyResult<[Bound<'py, PyArray3<f64>>; 2]> {
    let owner = Owner::Batch(published.clone());
    let memory = Bound::new(py, Memory { _owner: owner })?;
    let held = published.lock().unwrap_or_else(|p| p.into_inner());
    let made = [&held.positions, &held.velocities].map(|numbers| {
        let view =
            ArrayView3::from_shape(shape, numbers).expect("as many numbers as the shape has");
        // SAFETY: as above, with the buffers of `published`, which are written to but never grow or shrink.
        unsafe { PyArray3::borrow_from_array(&view, memory.clone().into_any()) }
    });
    made.iter()
        .try_for_each(|array| read_only(array.as_any()))?;
    Ok(made)
}

/// Vectors as numbers.
pub fn numbers(vectors: &[DVec3]) -> &[f64] {
    // SAFETY: size and alignment are asserted above, and a vector consists of three numbers without gaps.
    unsafe { std::slice::from_raw_parts(vectors.as_ptr().cast(), 3 * vectors.len()) }
}

/// Takes the right to write from an array. Numpy does not give it back, since the base exposes no buffer to write to.
pub fn read_only(array: &Bound<'_, PyAny>) -> PyResult<()> {
    array.call_method1("setflags", (false,)).map(drop)
}
