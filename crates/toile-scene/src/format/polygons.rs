//! Faces with more than four corners. They are cut into triangles, but only when the file has been read to its end:
//! before that the places of their corners may not be known.

use glam::{DVec2, DVec3};
use toile::mesh::{Face, Mesh, cut_polygon};

/// A face with more corners than this is a slip, and cutting takes the square of their number.
pub(super) const MOST_CORNERS: usize = 4096;

/// The polygons of a file. In the list of faces each has one that only keeps its place.
#[derive(Debug, Default)]
pub(super) struct Polygons {
    list: Vec<Polygon>,
}

#[derive(Debug)]
struct Polygon {
    face: usize,
    corners: Vec<u32>,
    /// As many as corners, or none.
    uvs: Vec<DVec2>,
}

/// What keeps a polygon's place.
pub(super) const PLACEHOLDER: Face = Face::Tri([0; 3]);

impl Polygons {
    /// Adds a polygon, in order of the places it has among the faces.
    pub fn push(&mut self, face: usize, corners: Vec<u32>, uvs: Vec<DVec2>) {
        self.list.push(Polygon { face, corners, uvs });
    }

    /// Puts triangles where the polygons are, and says how many there were.
    pub fn cut(&self, mesh: &mut Mesh) -> usize {
        if self.list.is_empty() {
            return 0;
        }
        let mut faces = Vec::with_capacity(mesh.faces.len() + 4 * self.list.len());
        let mut uvs = Vec::with_capacity(faces.capacity());
        let mut next = 0;
        for polygon in &self.list {
            faces.extend_from_slice(&mesh.faces[next..polygon.face]);
            if let Some(own) = &mesh.corner_uvs {
                uvs.extend_from_slice(&own[next..polygon.face]);
            }
            next = polygon.face + 1;
            let places = polygon.corners.iter();
            let places: Vec<DVec3> = places.map(|&n| mesh.positions[n as usize]).collect();
            for triangle in cut_polygon(&places) {
                faces.push(Face::Tri(triangle.map(|k| polygon.corners[k])));
                let uv = |k: usize| polygon.uvs.get(k).copied().unwrap_or_default();
                let [a, b, c] = triangle.map(uv);
                uvs.push([a, b, c, DVec2::ZERO]);
            }
        }
        faces.extend_from_slice(&mesh.faces[next..]);
        if let Some(own) = &mut mesh.corner_uvs {
            uvs.extend_from_slice(&own[next..]);
            *own = uvs;
        }
        mesh.faces = faces;
        self.list.len()
    }
}
