//! The surfaces of a picture as one list of triangles, without those that cannot be drawn.

use crate::color::to_linear;
use crate::patch::{Cell, NONE, Patch};
use crate::picture::{Picture, Surface};
use glam::{Vec2, Vec3};

/// A node as the shader needs it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub position: Vec3,
    /// Mean of the faces' normals around it, weighted by their areas; along a rim, the way outwards.
    pub normal: Vec3,
    /// Its own colour in linear light, if its surface has node colours.
    pub color: Vec3,
}

/// What of a surface a triangle is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Both sides of a surface without thickness.
    Both,
    /// The front of one that has a thickness.
    Front,
    /// Its back.
    Back,
    /// What is between them along a border.
    Rim,
}

/// A triangle of a surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Triangle {
    pub nodes: [u32; 3],
    /// Its number in the picture.
    pub surface: u32,
    pub side: Side,
    /// The normal of the face it belongs to.
    pub normal: Vec3,
    /// Whether the side opposite to each corner is an edge of the mesh.
    pub outline: [bool; 3],
    /// Places of the corners along warp and weft.
    pub threads: [Vec2; 3],
}

/// How a surface looks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Material {
    pub front: Vec3,
    pub back: Vec3,
    pub node_colors: bool,
    pub smooth: bool,
    pub wireframe: bool,
    /// Half the thickness (m).
    pub half: f32,
    /// Yarns for each unit along warp and weft, if it looks woven.
    pub yarns: Option<Vec2>,
}

/// What pictures show of surfaces besides their faces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Detail {
    /// Faces with edges longer than this (m) are cut once where their surface is curved.
    pub coarse: f32,
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

/// How often normals are smoothed where faces were cut.
const SMOOTHINGS: usize = 3;
/// Yarns across a square sheet: coarser than yarns are, so that they can be seen.
const YARNS: f32 = 300.0;

impl Geometry {
    /// Without detail surfaces are their faces and nothing else.
    pub fn new(picture: &Picture, detail: Option<Detail>) -> Self {
        let mut geometry = Geometry {
            nodes: Vec::new(),
            triangles: Vec::new(),
            materials: Vec::new(),
            middle: Vec3::ZERO,
            radius: 1.0,
        };
        for surface in &picture.surfaces {
            geometry.add(surface, detail);
        }
        geometry.measure();
        geometry
    }

    fn add(&mut self, surface: &Surface, detail: Option<Detail>) {
        let count = surface.positions.len();
        let colors = surface.node_colors.filter(|c| c.len() == count);
        let linear = |colors: &[[f32; 3]]| colors.iter().map(|&c| to_linear(c)).collect();
        let colors: Vec<Vec3> = colors.map(linear).unwrap_or_default();
        let node_colors = !colors.is_empty();
        let weave = surface.weave.filter(|w| w.len() == surface.faces.len());
        let weave = weave.filter(|_| detail.is_some() && !node_colors);
        let mut patch = Patch::new(&surface.positions, surface.faces, colors, weave);
        let yarns = weave.and_then(|_| patch.yarns(YARNS));
        let half = match detail {
            Some(_) if surface.thickness.is_finite() => 0.5 * surface.thickness.max(0.0),
            _ => 0.0,
        };
        let number = self.materials.len() as u32;
        self.materials.push(Material {
            front: to_linear(surface.front),
            back: to_linear(surface.back),
            node_colors,
            smooth: surface.smooth,
            wireframe: surface.wireframe,
            half,
            yarns,
        });
        let mut smoothings = 0;
        if let Some(detail) = detail
            && surface.smooth
            && patch.longest_edge() > detail.coarse
        {
            patch = patch.refined();
            smoothings = SMOOTHINGS;
        }
        let normals = patch.smoothed_normals(smoothings);
        if half > 0.0 {
            self.add_layer((&patch, &normals), number, Side::Front, half);
            self.add_layer((&patch, &normals), number, Side::Back, -half);
            self.add_rim(&patch, number, half);
        } else {
            self.add_layer((&patch, &normals), number, Side::Both, 0.0);
        }
    }

    /// The cells of a patch, so far in front of where they are, in the light as these normals have it.
    fn add_layer(
        &mut self,
        (patch, normals): (&Patch, &[Vec3]),
        surface: u32,
        side: Side,
        lift: f32,
    ) {
        let first = self.nodes.len() as u32;
        let color = |n: usize| patch.colors.get(n).copied().unwrap_or_default();
        self.nodes.extend((0..normals.len()).map(|n| Node {
            position: patch.positions[n] + lift * patch.normals[n],
            normal: normals[n],
            color: color(n),
        }));
        for cell in &patch.cells {
            let normal = patch.area(cell).normalize_or_zero();
            for (corners, outline) in triangles(cell) {
                self.triangles.push(Triangle {
                    nodes: corners.map(|k| first + cell.corners[k]),
                    surface,
                    side,
                    normal,
                    outline,
                    threads: corners.map(|k| cell.threads[k]),
                });
            }
        }
    }

    /// What is between the layers along the borders.
    fn add_rim(&mut self, patch: &Patch, surface: u32, half: f32) {
        let sides = patch.rim();
        // Outwards is across the border and the surface.
        let mut outwards = vec![Vec3::ZERO; patch.positions.len()];
        for &[a, b] in &sides {
            let [from, to] = [a, b].map(|n| n as usize);
            let way = patch.positions[to] - patch.positions[from];
            for n in [from, to] {
                outwards[n] += way.cross(patch.normals[n]);
            }
        }
        let mut placed = vec![NONE; patch.positions.len()];
        for ends in sides {
            let [a, b] = ends.map(|n| {
                let n = n as usize;
                if placed[n] == NONE {
                    placed[n] = self.nodes.len() as u32;
                    for lift in [half, -half] {
                        self.nodes.push(Node {
                            position: patch.positions[n] + lift * patch.normals[n],
                            normal: outwards[n].normalize_or_zero(),
                            color: patch.colors.get(n).copied().unwrap_or_default(),
                        });
                    }
                }
                placed[n]
            });
            let normal = self.nodes[a as usize].normal + self.nodes[b as usize].normal;
            for nodes in [[a, a + 1, b], [b, a + 1, b + 1]] {
                self.triangles.push(Triangle {
                    nodes,
                    surface,
                    side: Side::Rim,
                    normal: normal.normalize_or_zero(),
                    outline: [false; 3],
                    threads: [Vec2::ZERO; 3],
                });
            }
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

/// The triangles of a cell, by its corners, each with which side opposite to a corner is an edge of the mesh.
fn triangles(cell: &Cell) -> impl Iterator<Item = ([usize; 3], [bool; 3])> {
    let [ab, bc, cd, da] = cell.outline;
    let first = match cell.sides() {
        3 => ([0, 1, 2], [bc, cd, ab]),
        _ => ([0, 1, 2], [bc, false, ab]),
    };
    let second = (cell.sides() == 4).then_some(([0, 2, 3], [cd, da, false]));
    std::iter::once(first).chain(second)
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
        let geometry = Geometry::new(&picture, None);
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
        for triangle in Geometry::new(&picture, None).triangles {
            for k in 0..3 {
                let side = [triangle.nodes[(k + 1) % 3], triangle.nodes[(k + 2) % 3]];
                let diagonal = side.contains(&0) && side.contains(&2);
                assert_eq!(triangle.outline[k], !diagonal);
            }
        }
    }

    #[test]
    fn thick_cloth_has_two_sides_and_a_closed_rim() {
        let positions = vec![Vec3::ZERO, Vec3::X, Vec3::ONE - Vec3::Z, Vec3::Y];
        let faces = [Face::Quad([0, 1, 2, 3])];
        let picture = Picture {
            surfaces: vec![Surface {
                thickness: 0.1,
                ..Surface::new(positions, &faces, [0.5; 3])
            }],
            ..Picture::default()
        };
        let detail = Some(Detail { coarse: 0.4 });
        let geometry = Geometry::new(&picture, detail);
        let of = |side| geometry.triangles.iter().filter(move |t| t.side == side);
        for (side, height) in [(Side::Front, 0.05), (Side::Back, -0.05)] {
            assert_eq!(of(side).count(), 8);
            for triangle in of(side) {
                assert!(geometry.positions(triangle).iter().all(|p| p.z == height));
            }
        }
        assert_eq!(of(Side::Rim).count(), 16);
        let area: f32 = of(Side::Rim)
            .map(|t| {
                let [a, b, c] = geometry.positions(t);
                let area = 0.5 * (b - a).cross(c - a);
                assert!(area.normalize().dot(t.normal) > 0.7, "{area} {}", t.normal);
                area.length()
            })
            .sum();
        assert!((area - 0.4).abs() < 1e-6);
        let flat = Geometry::new(&picture, None);
        assert_eq!(flat.triangles.len(), 2);
        assert_eq!(flat.triangles[0].side, Side::Both);
    }

    #[test]
    fn yarns_are_as_many_along_warp_and_weft_as_the_sheet_is_long() {
        let positions = vec![
            Vec3::ZERO,
            2.0 * Vec3::X,
            Vec3::new(2.0, 0.5, 0.0),
            0.5 * Vec3::Y,
        ];
        let faces = [Face::Quad([0, 1, 2, 3])];
        let weave = [[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]];
        let picture = Picture {
            surfaces: vec![Surface {
                weave: Some(&weave),
                ..Surface::new(positions, &faces, [0.5; 3])
            }],
            ..Picture::default()
        };
        let detail = Some(Detail { coarse: 9.0 });
        let yarns = Geometry::new(&picture, detail).materials[0].yarns.unwrap();
        assert!((yarns - Vec2::new(2.0 * YARNS, 0.5 * YARNS)).length() < 1e-3);
        assert!(Geometry::new(&picture, None).materials[0].yarns.is_none());
    }
}
