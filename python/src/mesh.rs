//! Of a simulation: what does not move, as arrays that are made when somebody asks.

use crate::answers::reshaped;
use crate::core::Core;
use crate::memory::read_only;
use crate::simulation::Simulation;
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use toile::mesh::Face;

/// Of a cloth: its name, and where its nodes, faces, triangles and edges begin and end.
type Ranges = (String, [usize; 2], [usize; 2], [usize; 2], [usize; 2]);

/// Faces, edges, lengths and masses.
pub struct Mesh {
    faces: Py<PyArray2<i64>>,
    triangles: Py<PyArray2<i64>>,
    edges: Py<PyArray2<i64>>,
    rest_lengths: Py<PyArray1<f64>>,
    masses: Py<PyArray1<f64>>,
    uv: Option<Py<PyArray3<f32>>>,
    cloths: Vec<Ranges>,
}

impl Mesh {
    fn new(py: Python<'_>, core: &Core) -> PyResult<Self> {
        let model = core.engine.model();
        let quads = model.cloths.iter().flat_map(|c| &c.topology.faces);
        let width = if quads.clone().any(|f| matches!(f, Face::Quad(_))) {
            4
        } else {
            3
        };
        let (mut faces, mut triangles, mut edges) = (Vec::new(), Vec::new(), Vec::new());
        let (mut rest_lengths, mut uv, mut cloths) = (Vec::new(), Vec::new(), Vec::new());
        let has_uv = core
            .world
            .cloth_tracks
            .iter()
            .any(|t| t.attributes.corner_uvs.is_some());
        for (cloth, track) in model.cloths.iter().zip(&core.world.cloth_tracks) {
            let first = cloth.nodes.start as i64;
            let before = [faces.len() / width, triangles.len() / 3, edges.len() / 2];
            for face in &cloth.topology.faces {
                let corners = face.corners().iter().map(|&n| first + i64::from(n));
                faces.extend(corners.chain(std::iter::repeat(-1)).take(width));
                let cut = face.triangles().flatten();
                triangles.extend(cut.map(|n| first + i64::from(n)));
            }
            let ends = cloth.topology.edges.iter().flat_map(|e| e.nodes);
            edges.extend(ends.map(|n| first + i64::from(n)));
            rest_lengths.extend(&cloth.rest.edge_lengths);
            if has_uv {
                let corners = track.attributes.corner_uvs.as_ref();
                for (k, face) in cloth.topology.faces.iter().enumerate() {
                    let mut own = corners.map_or([[f32::NAN; 2]; 4], |uvs| uvs[k]);
                    own[face.corners().len()..].fill([f32::NAN; 2]);
                    uv.extend(own.into_iter().flatten());
                }
            }
            let after = [faces.len() / width, triangles.len() / 3, edges.len() / 2];
            let range = |k: usize| [before[k], after[k]];
            let nodes = [cloth.nodes.start, cloth.nodes.end];
            cloths.push((cloth.name.clone(), nodes, range(0), range(1), range(2)));
        }
        let counts = [faces.len() / width, triangles.len() / 3, edges.len() / 2];
        let uv = match has_uv {
            true => Some(
                PyArray1::from_vec(py, uv)
                    .reshape([counts[0], 4, 2])?
                    .unbind(),
            ),
            false => None,
        };
        let made = Mesh {
            faces: reshaped(&PyArray1::from_vec(py, faces), counts[0], width)?,
            triangles: reshaped(&PyArray1::from_vec(py, triangles), counts[1], 3)?,
            edges: reshaped(&PyArray1::from_vec(py, edges), counts[2], 2)?,
            rest_lengths: PyArray1::from_vec(py, rest_lengths).unbind(),
            masses: PyArray1::from_slice(py, &model.masses).unbind(),
            uv,
            cloths,
        };
        for array in [&made.faces, &made.triangles, &made.edges] {
            read_only(array.bind(py).as_any())?;
        }
        for array in [&made.rest_lengths, &made.masses] {
            read_only(array.bind(py).as_any())?;
        }
        if let Some(uv) = &made.uv {
            read_only(uv.bind(py).as_any())?;
        }
        Ok(made)
    }
}

impl Simulation {
    fn mesh(&self, py: Python<'_>) -> PyResult<&Mesh> {
        self.mesh
            .get_or_try_init(py, || Mesh::new(py, &*self.shared.lock()?))
    }
}

#[pymethods]
impl Simulation {
    /// Corners of the faces of all cloths: (m, 3) if all are triangles, else (m, 4) with -1 in the last place of a triangle.
    #[getter]
    fn faces(&self, py: Python<'_>) -> PyResult<Py<PyArray2<i64>>> {
        Ok(self.mesh(py)?.faces.clone_ref(py))
    }

    /// The faces as triangles, quads cut from their first to their third corner.
    #[getter]
    fn triangles(&self, py: Python<'_>) -> PyResult<Py<PyArray2<i64>>> {
        Ok(self.mesh(py)?.triangles.clone_ref(py))
    }

    /// Ends of all edges, (e, 2).
    #[getter]
    fn edges(&self, py: Python<'_>) -> PyResult<Py<PyArray2<i64>>> {
        Ok(self.mesh(py)?.edges.clone_ref(py))
    }

    /// Rest length of every edge (m).
    #[getter]
    fn rest_lengths(&self, py: Python<'_>) -> PyResult<Py<PyArray1<f64>>> {
        Ok(self.mesh(py)?.rest_lengths.clone_ref(py))
    }

    /// Mass of every node (kg).
    #[getter]
    fn masses(&self, py: Python<'_>) -> PyResult<Py<PyArray1<f64>>> {
        Ok(self.mesh(py)?.masses.clone_ref(py))
    }

    /// Texture coordinates of the faces' corners, (m, 4, 2), NaN where there are none; None if no cloth has any.
    #[getter]
    fn uv(&self, py: Python<'_>) -> PyResult<Option<Py<PyArray3<f32>>>> {
        Ok(self.mesh(py)?.uv.as_ref().map(|uv| uv.clone_ref(py)))
    }

    #[getter]
    fn _cloths(&self, py: Python<'_>) -> PyResult<Vec<Ranges>> {
        Ok(self.mesh(py)?.cloths.clone())
    }
}
