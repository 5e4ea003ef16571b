//! What a simulation answers: certificates, energies, contacts.

use crate::core::Told;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use toile::certificate::{Energies as EngineEnergies, Status};
use toile::contact::ContactPoint;
use toile::glam::DVec3;

/// How well steps held: the worst of each over the steps that it tells of.
///
/// Attributes
/// ----------
/// status : str
///     ``"converged"``, or the gravest of ``"iteration-limit"``, ``"limit-missed"`` and ``"contact-missed"``.
/// converged : bool
///     Whether every solve reached its tolerance.
/// steps, substeps, rejected, above_tolerance : int
///     Steps of the schedule; steps made in them; steps taken back; steps accepted with an error above the tolerance.
/// stretch_worst, stretch_mean : float
///     Largest strain of any edge, and the mean of its absolute value after the last step.
/// strain_max, strain_min : float
///     Largest and smallest principal strain of any face: what edges do not see of shear and compression.
/// pin_residual : float
///     Largest distance of a held node from its target (m).
/// gap_smallest, gap_between : float or None
///     Smallest gap to bodies at nodes and between them (m); None without bodies.
/// squeezed : int
///     Nodes to which bodies leave no room.
/// intersections : int or None
///     Intersections left, if somebody looked for them.
/// iterations, newton_steps : int
///     Iterations of the linear solver, Newton steps.
/// linear_residual, force_residual : float, float or None
///     What the linear solve and the last Newton step left, relative.
/// limit_residual, limit_converged : float or None, bool or None
///     Worst violation of a limit, and whether its tolerance was met; None without limits.
/// share_done : float
///     The smallest share of its way that a step did: below 1 where contacts would not let it do all.
/// friction_residual : float or None
///     The most that friction left its cone by (N).
/// contact_gap, collisions, contacts_missed : float or None, int, int
///     Between cloths: smallest distance (m), collisions found, collisions left.
#[pyclass(frozen, get_all, module = "toile._toile")]
#[derive(Clone)]
pub struct Certificate {
    pub(crate) status: &'static str,
    pub(crate) converged: bool,
    pub(crate) steps: u64,
    pub(crate) substeps: u32,
    pub(crate) rejected: u32,
    pub(crate) above_tolerance: u32,
    pub(crate) stretch_worst: f64,
    pub(crate) stretch_mean: f64,
    pub(crate) strain_max: f64,
    pub(crate) strain_min: f64,
    pub(crate) pin_residual: f64,
    pub(crate) gap_smallest: Option<f64>,
    pub(crate) gap_between: Option<f64>,
    pub(crate) squeezed: usize,
    pub(crate) intersections: Option<usize>,
    pub(crate) iterations: u32,
    pub(crate) newton_steps: u32,
    pub(crate) linear_residual: f64,
    pub(crate) force_residual: Option<f64>,
    pub(crate) limit_residual: Option<f64>,
    pub(crate) limit_converged: Option<bool>,
    pub(crate) contact_gap: Option<f64>,
    pub(crate) collisions: usize,
    pub(crate) contacts_missed: usize,
    pub(crate) share_done: f64,
    pub(crate) friction_residual: Option<f64>,
}

impl Certificate {
    /// Of what some steps said.
    pub fn new(told: &Told) -> Self {
        let said = &told.report.certificate;
        let contact = said.contact.unwrap_or_default();
        Certificate {
            status: match told.report.status {
                Status::Converged => "converged",
                Status::IterationLimit => "iteration-limit",
                Status::LimitMissed => "limit-missed",
                Status::ContactMissed => "contact-missed",
            },
            converged: told.report.status == Status::Converged,
            steps: told.steps,
            substeps: told.substeps,
            rejected: told.rejected,
            above_tolerance: told.above_tolerance,
            stretch_worst: said.stretch_worst,
            stretch_mean: said.stretch_mean,
            strain_max: said.strain_max,
            strain_min: said.strain_min,
            pin_residual: said.pin_residual,
            gap_smallest: said.gap_smallest,
            gap_between: said.gap_between,
            squeezed: said.squeezed,
            intersections: said.intersections,
            iterations: said.iterations,
            newton_steps: said.newton_steps,
            linear_residual: said.linear_residual,
            force_residual: said.force_residual,
            limit_residual: said.limit.map(|l| l.residual),
            limit_converged: said.limit.map(|l| l.converged),
            contact_gap: contact.smallest_gap,
            collisions: contact.collisions,
            contacts_missed: contact.missed,
            share_done: said.share_done,
            friction_residual: said.friction_residual,
        }
    }
}

#[pymethods]
impl Certificate {
    fn __repr__(&self) -> String {
        let gap = self
            .gap_smallest
            .map_or("None".to_owned(), |g| format!("{g:.3e}"));
        format!(
            "Certificate(status={:?}, steps={}, stretch_worst={:.3e}, gap_smallest={gap}, linear_residual={:.1e})",
            self.status, self.steps, self.stretch_worst, self.linear_residual
        )
    }
}

/// Energies of the cloth (J).
///
/// Attributes
/// ----------
/// kinetic, gravity, elastic, total : float
///     Of motion, of height, stored in the cloth, and their sum.
#[pyclass(frozen, get_all, module = "toile._toile")]
#[derive(Clone)]
pub struct Energies {
    pub(crate) kinetic: f64,
    pub(crate) gravity: f64,
    pub(crate) elastic: f64,
    pub(crate) total: f64,
}

impl From<EngineEnergies> for Energies {
    fn from(found: EngineEnergies) -> Self {
        Energies {
            kinetic: found.kinetic,
            gravity: found.gravity,
            elastic: found.elastic,
            total: found.total(),
        }
    }
}

#[pymethods]
impl Energies {
    fn __repr__(&self) -> String {
        format!(
            "Energies(kinetic={:.6e}, gravity={:.6e}, elastic={:.6e})",
            self.kinetic, self.gravity, self.elastic
        )
    }
}

/// Where cloth touched bodies and cloth in the last step, as arrays with a row for each place.
///
/// Attributes
/// ----------
/// nodes : (n, 4) array of int64
///     The nodes of both features, numbered over the whole scene: a node alone for a body, a node and the corners of a face, or the ends
///     of two edges. Those that do not matter have no weight.
/// weights : (n, 4) array
///     The first feature's add up to 1, those of the second to -1.
/// body : (n,) array of int64
///     The number of the body in ``sim.body``; -1 where cloth met cloth.
/// place, normal, force : (n, 3) arrays
///     Where, on the first feature (m); from the second feature to the first; on the first feature (N).
/// sliding : (n,) array of bool
///     Whether the features slide along each other; else they stick.
/// count : int
///     How many places.
#[pyclass(frozen, get_all, module = "toile._toile")]
pub struct Contacts {
    pub(crate) nodes: Py<PyArray2<i64>>,
    pub(crate) weights: Py<PyArray2<f64>>,
    pub(crate) body: Py<PyArray1<i64>>,
    pub(crate) place: Py<PyArray2<f64>>,
    pub(crate) normal: Py<PyArray2<f64>>,
    pub(crate) force: Py<PyArray2<f64>>,
    pub(crate) sliding: Py<PyArray1<bool>>,
    pub(crate) count: usize,
}

impl Contacts {
    /// The list as arrays; `body_of` says which body of the scene one of the engine's belongs to.
    pub fn new(
        py: Python<'_>,
        points: &[ContactPoint],
        body_of: impl Fn(usize) -> i64,
    ) -> PyResult<Self> {
        let count = points.len();
        let four = |value: &dyn Fn(&ContactPoint) -> [f64; 4]| rows(py, points, value);
        let three = |value: fn(&ContactPoint) -> DVec3| rows(py, points, &|p| value(p).to_array());
        let bodies = points.iter().map(|p| p.body.map_or(-1, &body_of));
        let nodes = points.iter().flat_map(|p| p.nodes.map(i64::from));
        let nodes = PyArray1::from_iter(py, nodes);
        Ok(Contacts {
            nodes: reshaped(&nodes, count, 4)?,
            weights: four(&|p| p.weights)?,
            body: PyArray1::from_iter(py, bodies).unbind(),
            place: three(|p| p.place)?,
            normal: three(|p| p.normal)?,
            force: three(|p| p.force)?,
            sliding: PyArray1::from_iter(py, points.iter().map(|p| p.is_sliding)).unbind(),
            count,
        })
    }
}

#[pymethods]
impl Contacts {
    fn __len__(&self) -> usize {
        self.count
    }

    fn __repr__(&self) -> String {
        format!("Contacts({} places)", self.count)
    }
}

fn rows<const N: usize>(
    py: Python<'_>,
    points: &[ContactPoint],
    value: &dyn Fn(&ContactPoint) -> [f64; N],
) -> PyResult<Py<PyArray2<f64>>> {
    let all = PyArray1::from_iter(py, points.iter().flat_map(value));
    reshaped(&all, points.len(), N)
}

/// A flat array in rows.
pub fn reshaped<T: numpy::Element>(
    flat: &Bound<'_, PyArray1<T>>,
    rows: usize,
    columns: usize,
) -> PyResult<Py<PyArray2<T>>> {
    use numpy::PyArrayMethods;
    Ok(flat.reshape([rows, columns])?.unbind())
}

/// A vector as an array of its own.
pub fn array(py: Python<'_>, vector: DVec3) -> Bound<'_, PyArray1<f64>> {
    PyArray1::from_slice(py, &vector.to_array())
}
