//! Which places of two meshes of one cloth are the same.
//!
//! A node of one mesh is found on the other by its place in the undeformed cloth: the nearest point of the other's rest surface, as
//! weights of the corners of a face. That works for sheets of any mesh, and for garments whose rest shapes are the same body. On
//! quads the weights are bilinear, so that a grid in a grid is exact.

use glam::DVec3;
use thiserror::Error;
use toile::geometry::NearestSurface;
use toile::mesh::Face;

/// Meshes that are not of one cloth.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum RestMapError {
    /// There is nothing to find places on.
    #[error(
        "the mesh to compare with has no faces, or a rest position that is not a finite number"
    )]
    NoSurface,
    /// A node is far from the other mesh at rest.
    #[error(
        "at rest, node {node} is {distance:.3e} m away from the other mesh, more than {allowed:.3e} m: these are not meshes of the same cloth"
    )]
    Apart {
        /// The node.
        node: usize,
        /// How far (m).
        distance: f64,
        /// What would be allowed (m).
        allowed: f64,
    },
}

/// Places of nodes on another mesh.
#[derive(Clone, Debug)]
pub struct RestMap {
    /// Of each node: nodes of the other mesh and their weights.
    places: Vec<([u32; 4], [f64; 4])>,
}

/// A node may be off the other mesh at rest by this share of the mesh's size: the sagitta of a round rim, roughness.
const ALLOWED: f64 = 0.05;

impl RestMap {
    /// Finds places on a mesh: its faces and its nodes at rest.
    pub fn new(faces: &[Face], rest: &[DVec3], nodes: &[DVec3]) -> Result<Self, RestMapError> {
        let mut triangles = Vec::new();
        let mut owners = Vec::new();
        for (index, face) in faces.iter().enumerate() {
            for triangle in face.triangles() {
                triangles.push(triangle);
                owners.push(index);
            }
        }
        let surface = NearestSurface::new(rest, &triangles).ok_or(RestMapError::NoSurface)?;
        let allowed = ALLOWED * extent(rest);
        let place = |(node, point): (usize, &DVec3)| {
            let nearest = surface.nearest(*point);
            if nearest.distance.is_nan() || nearest.distance > allowed {
                return Err(RestMapError::Apart {
                    node,
                    distance: nearest.distance,
                    allowed,
                });
            }
            let triangle = nearest.triangle as usize;
            let [a, b, c] = triangles[triangle];
            let [u, v, w] = nearest.weights;
            Ok(match faces[owners[triangle]] {
                Face::Tri(_) => ([a, b, c, c], [u, v, w, 0.0]),
                Face::Quad(corners) => {
                    let shape = corners.map(|n| rest[n as usize]);
                    (corners, bilinear_weights(nearest.position, &shape))
                }
            })
        };
        let places = nodes
            .iter()
            .enumerate()
            .map(place)
            .collect::<Result<_, _>>()?;
        Ok(RestMap { places })
    }

    /// Values at the nodes, from values at the nodes of the other mesh.
    pub fn carry<'a>(&'a self, values: &'a [DVec3]) -> impl Iterator<Item = DVec3> + 'a {
        let value = |nodes: &[u32; 4], weights: &[f64; 4]| -> DVec3 {
            let pairs = nodes.iter().zip(weights);
            pairs.map(|(&n, &w)| w * values[n as usize]).sum()
        };
        self.places
            .iter()
            .map(move |(nodes, weights)| value(nodes, weights))
    }
}

/// Length of the diagonal of the box around points (m).
pub fn extent(points: &[DVec3]) -> f64 {
    let nothing = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let around = |(low, high): (DVec3, DVec3), p: &DVec3| (low.min(*p), high.max(*p));
    let (low, high) = points.iter().fold(nothing, around);
    (high - low).length()
}

/// Weights of a quad's corners at a point on it: bilinear coordinates `u, v` by Newton's method, kept within the quad.
fn bilinear_weights(point: DVec3, [a, b, c, d]: &[DVec3; 4]) -> [f64; 4] {
    let (mut u, mut v) = (0.5, 0.5);
    for _ in 0..20 {
        let here = a.lerp(*b, u).lerp(d.lerp(*c, u), v);
        let (along, across) = ((b - a).lerp(c - d, v), (d - a).lerp(c - b, u));
        // Least squares: two unknowns, three equations.
        let (aa, bb, ab) = (
            along.length_squared(),
            across.length_squared(),
            along.dot(across),
        );
        let determinant = aa * bb - ab * ab;
        if determinant <= 0.0 {
            break;
        }
        let (r, s) = (along.dot(point - here), across.dot(point - here));
        let step = [
            (bb * r - ab * s) / determinant,
            (aa * s - ab * r) / determinant,
        ];
        (u, v) = ((u + step[0]).clamp(0.0, 1.0), (v + step[1]).clamp(0.0, 1.0));
        if step[0].abs() + step[1].abs() < 1e-14 {
            break;
        }
    }
    [(1.0 - u) * (1.0 - v), u * (1.0 - v), u * v, (1.0 - u) * v]
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::dvec3;
    use toile::mesh::Mesh;
    use toile::mesh::generate::{Diagonals, Grid, GridPattern, grid};

    fn sheet(cells: [u32; 2], pattern: GridPattern) -> Mesh {
        let size = [1.0, 0.5];
        grid(&Grid {
            size,
            cells,
            pattern,
        })
        .unwrap()
    }

    fn bent(mesh: &Mesh, surface: impl Fn(DVec3) -> DVec3) -> Vec<DVec3> {
        mesh.positions.iter().map(|p| surface(*p)).collect()
    }

    #[test]
    fn bilinear_surfaces_go_from_a_coarse_grid_to_a_fine_one_exactly() {
        let (coarse, fine) = (
            sheet([4, 2], GridPattern::Quads),
            sheet([16, 8], GridPattern::Quads),
        );
        let map = RestMap::new(&coarse.faces, &coarse.positions, &fine.positions).unwrap();
        let twisted = |p: DVec3| dvec3(p.x, p.y, 0.3 * p.x * p.y + p.x);
        let carried = map.carry(&bent(&coarse, twisted)).collect::<Vec<_>>();
        for (found, expected) in carried.iter().zip(bent(&fine, twisted)) {
            assert!(found.distance(expected) < 1e-12);
        }
    }

    #[test]
    fn curved_surfaces_are_met_to_second_order() {
        let fine = sheet([31, 17], GridPattern::Quads);
        let curved = |p: DVec3| dvec3(p.x, p.y, (3.0 * p.x).sin() * (2.0 * p.y).cos());
        let error = |cells: u32| {
            let pattern = GridPattern::Triangles(Diagonals::Alternating);
            let coarse = sheet([2 * cells, cells], pattern);
            let map = RestMap::new(&coarse.faces, &coarse.positions, &fine.positions).unwrap();
            let carried = map.carry(&bent(&coarse, curved)).collect::<Vec<_>>();
            let errors = carried
                .iter()
                .zip(bent(&fine, curved))
                .map(|(a, b)| a.distance(b));
            errors.fold(0.0, f64::max)
        };
        let order = (error(8) / error(32)).log(4.0);
        assert!((1.7..2.3).contains(&order), "{order}");
    }

    #[test]
    fn another_cloth_is_refused() {
        let mesh = sheet([4, 2], GridPattern::Quads);
        let elsewhere: Vec<DVec3> = mesh.positions.iter().map(|p| *p + DVec3::X).collect();
        let error = RestMap::new(&mesh.faces, &mesh.positions, &elsewhere).unwrap_err();
        assert!(matches!(error, RestMapError::Apart { .. }), "{error}");
        let error = RestMap::new(&[], &mesh.positions, &elsewhere).unwrap_err();
        assert_eq!(error, RestMapError::NoSurface);
    }
}
