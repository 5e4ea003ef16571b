//! The surfaces of a picture as one list of triangles, without those that cannot be drawn.

use crate::color::to_linear;
use crate::picture::{Picture, Surface};
use glam::Vec3;

/// A node as the shader needs it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub position: Vec3,
    /// Mean of the faces' normals around it, weighted by their areas.
    pub normal: Vec3,
    /// Its own colour in linear light, if its surface has node colours.
    pub color: Vec3,
}

/// A triangle of a surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Triangle {
    pub nodes: [u32; 3],
    pub surface: u32,
    /// The normal of the face it belongs to.
    pub normal: Vec3,
    /// Whether the side opposite to each corner is an edge of the face, and not a quad's diagonal.
    pub outline: [bool; 3],
}

/// How a surface looks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Material {
    pub front: Vec3,
    pub back: Vec3,
    pub node_colors: bool,
    pub smooth: bool,
    pub wireframe: bool,
}

/// Everything that can be drawn.
#[derive(Debug)]
pub(crate) struct Geometry {
    pub nodes: Vec<Node>,
    pub triangles: Vec<Triangle>,
    pub materials: Vec<Material>,
    /// Middle of the box around all triangles (m).
    pub middle: Vec3,
    /// Half of the box's diagonal (m); 1 if there is nothing.
    pub radius: f32,
}

impl Geometry {
    pub fn new(picture: &Picture) -> Self {
        let mut geometry = Geometry {
            nodes: Vec::new(),
            triangles: Vec::new(),
            materials: Vec::new(),
            middle: Vec3::ZERO,
            radius: 1.0,
        };
        for surface in &picture.surfaces {
            geometry.add(surface);
        }
        geometry.measure();
        geometry
    }

    fn add(&mut self, surface: &Surface) {
        let first = self.nodes.len();
        let count = surface.positions.len();
        let colors = surface.node_colors.filter(|c| c.len() == count);
        let nodes = surface.positions.iter().enumerate().map(|(i, &p)| Node {
            position: p,
            normal: Vec3::ZERO,
            color: colors.map_or(Vec3::ZERO, |c| to_linear(c[i])),
        });
        self.nodes.extend(nodes);
        let material = self.materials.len() as u32;
        self.materials.push(Material {
            front: to_linear(surface.front),
            back: to_linear(surface.back),
            node_colors: colors.is_some(),
            smooth: surface.smooth,
            wireframe: surface.wireframe,
        });
        for face in surface.faces {
            let corners = face.corners();
            let place = |k: usize| surface.positions.get(corners[k] as usize).copied();
            let drawable = (0..corners.len()).all(|k| place(k).is_some_and(|p| p.is_finite()));
            if !drawable {
                continue;
            }
            let at = |k: usize| place(k).unwrap_or_default();
            let last = corners.len() - 1;
            let area = if last == 3 {
                (at(2) - at(0)).cross(at(3) - at(1))
            } else {
                (at(1) - at(0)).cross(at(2) - at(0))
            };
            for &corner in corners {
                self.nodes[first + corner as usize].normal += area;
            }
            let quad = last == 3;
            for (half, triangle) in face.triangles().enumerate() {
                let outline = match (quad, half) {
                    (false, _) => [true; 3],
                    (true, 0) => [true, false, true],
                    (true, _) => [true, true, false],
                };
                self.triangles.push(Triangle {
                    nodes: triangle.map(|node| first as u32 + node),
                    surface: material,
                    normal: area.normalize_or_zero(),
                    outline,
                });
            }
        }
        for node in &mut self.nodes[first..] {
            node.normal = node.normal.normalize_or_zero();
        }
    }

    fn measure(&mut self) {
        let corners = self.triangles.iter().flat_map(|t| t.nodes);
        let positions = corners.map(|n| self.nodes[n as usize].position);
        let range = positions.fold(None, |range: Option<(Vec3, Vec3)>, p| {
            let (low, high) = range.unwrap_or((p, p));
            Some((low.min(p), high.max(p)))
        });
        if let Some((low, high)) = range {
            self.middle = 0.5 * low + 0.5 * high;
            let radius = low.distance(self.middle);
            if radius.is_finite() && radius > 0.0 {
                self.radius = radius;
            }
        }
    }

    /// The corners' positions.
    pub fn positions(&self, triangle: &Triangle) -> [Vec3; 3] {
        triangle.nodes.map(|n| self.nodes[n as usize].position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile::mesh::Face;

    #[test]
    fn faces_that_cannot_be_drawn_are_left_out_and_spoil_no_normal() {
        let positions = vec![
            Vec3::ZERO,
            Vec3::X,
            Vec3::ONE - Vec3::Z,
            Vec3::Y,
            Vec3::splat(f32::NAN),
        ];
        let faces = [
            Face::Quad([0, 1, 2, 3]),
            Face::Tri([0, 1, 4]),
            Face::Quad([0, 1, 2, 99]),
        ];
        let picture = Picture {
            surfaces: vec![Surface::new(positions, &faces, [0.5; 3])],
            ..Picture::default()
        };
        let geometry = Geometry::new(&picture);
        assert_eq!(geometry.triangles.len(), 2);
        for node in &geometry.nodes[..4] {
            assert_eq!(node.normal, Vec3::Z);
        }
        assert!((geometry.radius - 0.5f32.sqrt()).abs() < 1e-6);
    }

    #[test]
    fn the_diagonal_of_a_quad_is_no_outline() {
        let positions = vec![Vec3::ZERO, Vec3::X, Vec3::ONE - Vec3::Z, Vec3::Y];
        let faces = [Face::Quad([0, 1, 2, 3])];
        let picture = Picture {
            surfaces: vec![Surface::new(positions, &faces, [0.5; 3])],
            ..Picture::default()
        };
        for triangle in Geometry::new(&picture).triangles {
            for k in 0..3 {
                let side = [triangle.nodes[(k + 1) % 3], triangle.nodes[(k + 2) % 3]];
                let diagonal = side.contains(&0) && side.contains(&2);
                assert_eq!(triangle.outline[k], !diagonal);
            }
        }
    }
}
