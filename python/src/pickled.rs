//! Answers on their way between processes: pickled as plain numbers.

use crate::answers::{Certificate, Contacts, Energies};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyAnyMethods;

/// Status; counts; numbers, some of which may be missing; what was looked for and what a limit came to, if anything.
type Certified = (
    String,
    [u64; 9],
    [Option<f64>; 13],
    (Option<usize>, Option<bool>),
);
/// The arrays of contacts.
type Touched = (
    Py<PyArray2<i64>>,
    Py<PyArray2<f64>>,
    Py<PyArray1<i64>>,
    Py<PyArray2<f64>>,
    Py<PyArray2<f64>>,
    Py<PyArray2<f64>>,
    Py<PyArray1<bool>>,
);

/// A function of this module, by which pickles call it.
fn function<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("toile._toile")?.getattr(name)
}

/// Statuses as certificates have them.
const STATUSES: [&str; 4] = [
    "converged",
    "iteration-limit",
    "limit-missed",
    "contact-missed",
];

#[pymethods]
impl Certificate {
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Certified)> {
        let counts = [
            self.steps,
            self.substeps.into(),
            self.rejected.into(),
            self.above_tolerance.into(),
            self.squeezed as u64,
            self.iterations.into(),
            self.newton_steps.into(),
            self.collisions as u64,
            self.contacts_missed as u64,
        ];
        let numbers = [
            Some(self.stretch_worst),
            Some(self.stretch_mean),
            Some(self.strain_max),
            Some(self.strain_min),
            Some(self.pin_residual),
            Some(self.linear_residual),
            Some(self.share_done),
            self.gap_smallest,
            self.gap_between,
            self.force_residual,
            self.limit_residual,
            self.contact_gap,
            self.friction_residual,
        ];
        let known = (self.intersections, self.limit_converged);
        let parts = (self.status.to_owned(), counts, numbers, known);
        Ok((function(py, "_certificate")?, parts))
    }
}

/// A certificate from its pickle.
#[pyfunction]
pub fn _certificate(
    status: &str,
    counts: [u64; 9],
    numbers: [Option<f64>; 13],
    known: (Option<usize>, Option<bool>),
) -> Certificate {
    let (intersections, limit_converged) = known;
    let status = STATUSES.into_iter().find(|known| *known == status);
    let number = |k: usize| numbers[k].unwrap_or(f64::NAN);
    Certificate {
        status: status.unwrap_or(STATUSES[3]),
        converged: status == Some(STATUSES[0]),
        steps: counts[0],
        substeps: counts[1] as u32,
        rejected: counts[2] as u32,
        above_tolerance: counts[3] as u32,
        squeezed: counts[4] as usize,
        iterations: counts[5] as u32,
        newton_steps: counts[6] as u32,
        collisions: counts[7] as usize,
        contacts_missed: counts[8] as usize,
        stretch_worst: number(0),
        stretch_mean: number(1),
        strain_max: number(2),
        strain_min: number(3),
        pin_residual: number(4),
        linear_residual: number(5),
        share_done: number(6),
        gap_smallest: numbers[7],
        gap_between: numbers[8],
        force_residual: numbers[9],
        limit_residual: numbers[10],
        contact_gap: numbers[11],
        friction_residual: numbers[12],
        intersections,
        limit_converged,
    }
}

#[pymethods]
impl Energies {
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (f64, f64, f64))> {
        let parts = (self.kinetic, self.gravity, self.elastic);
        Ok((function(py, "_energies")?, parts))
    }
}

/// Energies from their pickle.
#[pyfunction]
pub fn _energies(kinetic: f64, gravity: f64, elastic: f64) -> Energies {
    Energies {
        kinetic,
        gravity,
        elastic,
        total: kinetic + gravity + elastic,
    }
}

#[pymethods]
impl Contacts {
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Touched)> {
        let parts = (
            self.nodes.clone_ref(py),
            self.weights.clone_ref(py),
            self.body.clone_ref(py),
            self.place.clone_ref(py),
            self.normal.clone_ref(py),
            self.force.clone_ref(py),
            self.sliding.clone_ref(py),
        );
        Ok((function(py, "_contacts")?, parts))
    }
}

/// Contacts from their pickle.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn _contacts(
    py: Python<'_>,
    nodes: Py<PyArray2<i64>>,
    weights: Py<PyArray2<f64>>,
    body: Py<PyArray1<i64>>,
    place: Py<PyArray2<f64>>,
    normal: Py<PyArray2<f64>>,
    force: Py<PyArray2<f64>>,
    sliding: Py<PyArray1<bool>>,
) -> PyResult<Contacts> {
    Ok(Contacts {
        count: body.bind(py).len()?,
        nodes,
        weights,
        body,
        place,
        normal,
        force,
        sliding,
    })
}
