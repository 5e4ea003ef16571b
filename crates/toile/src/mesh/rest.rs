//! The undeformed cloth: what the energies compare with.
//!
//! Every face gets its own flat rest coordinates `ū` (warp along the first axis, weft along the
//! second). They come from the mesh's positions, from texture coordinates (a sewing pattern, in
//! metres) or from a second mesh; no step needs the faces' coordinates to fit together in one plane,
//! so a closed garment is as good as a flat sheet.

use super::{Face, Mesh, Topology};
use glam::{DMat2, DVec2, DVec3};
use thiserror::Error;

/// The undeformed cloth.
#[derive(Clone, Debug)]
pub struct RestShape {
    /// Rest coordinates of each face's corners in the face's own plane (m); the fourth entry of a
    /// triangle is unused.
    pub corners: Vec<[DVec2; 4]>,
    /// Rest metric of each face at its centre: the inverse of `∂ū/∂ξ` (1/m), with `ξ` running over
    /// the first and second side of a triangle and over the two mid-lines of a quad. `∂x/∂ū` of a
    /// deformed face is its `∂x/∂ξ` times this.
    pub inverse_metric: Vec<DMat2>,
    /// Rest area of each face (m²).
    pub areas: Vec<f64>,
    /// Rest length of each edge (m), the mean of its faces' where a seam makes them differ.
    pub edge_lengths: Vec<f64>,
    /// Rest length of each cross edge (m), measured over the two faces laid flat.
    pub cross_lengths: Vec<f64>,
    /// The share of the area that each node carries (m²): times the density, its lumped mass.
    pub node_areas: Vec<f64>,
    /// Nodes at which a boundary loop turns by more than 45°.
    pub boundary_corners: Vec<u32>,
}

/// A rest shape that no cloth can have.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum RestError {
    /// The face has no area at rest.
    #[error(
        "face {face} has no area at rest ({area:.3e} m²); remove it or give it a rest shape with area"
    )]
    Degenerate {
        /// The face (counted from 0).
        face: usize,
        /// Its rest area (m²).
        area: f64,
    },
    /// A quad is folded or inverted at rest.
    #[error("quad {face} is folded over itself at rest; its corners must go around it in order")]
    FoldedQuad {
        /// The face (counted from 0).
        face: usize,
    },
    /// A coordinate is not a finite number.
    #[error("face {face} has a rest coordinate that is not a finite number")]
    NotFinite {
        /// The face (counted from 0).
        face: usize,
    },
    /// The second mesh does not fit the first.
    #[error(
        "the rest mesh has {rest} {what}, the cloth {cloth}; a rest mesh must have the same nodes and faces in the same order"
    )]
    Mismatch {
        /// Nodes or faces.
        what: &'static str,
        /// How many the rest mesh has.
        rest: usize,
        /// How many the cloth has.
        cloth: usize,
    },
    /// The mesh has no texture coordinates.
    #[error("the mesh has no texture coordinates to take the rest shape from")]
    NoUvs,
}

impl RestShape {
    /// The rest shape is the mesh as it stands.
    pub fn from_positions(topology: &Topology, positions: &[DVec3]) -> Result<Self, RestError> {
        let corners = topology
            .faces
            .iter()
            .map(|face| flatten(face, positions))
            .collect();
        Self::from_corners(topology, corners)
    }

    /// The rest shape is the pattern in the texture coordinates, times `scale` (m per unit).
    pub fn from_uvs(topology: &Topology, mesh: &Mesh, scale: f64) -> Result<Self, RestError> {
        let uvs = mesh.corner_uvs.as_ref().ok_or(RestError::NoUvs)?;
        let corners = uvs
            .iter()
            .zip(&topology.faces)
            .map(|(uv, face)| {
                let scaled = uv.map(|p| p * scale);
                // A mirrored pattern piece is the same cloth seen from behind.
                if signed_area(face, &scaled) < 0.0 {
                    scaled.map(|p| DVec2::new(-p.x, p.y))
                } else {
                    scaled
                }
            })
            .collect();
        Self::from_corners(topology, corners)
    }

    /// The rest shape is a second mesh with the same faces.
    pub fn from_mesh(topology: &Topology, rest: &Mesh) -> Result<Self, RestError> {
        for (what, rest, cloth) in [
            ("nodes", rest.positions.len(), topology.node_count),
            ("faces", rest.faces.len(), topology.faces.len()),
        ] {
            if rest != cloth {
                return Err(RestError::Mismatch { what, rest, cloth });
            }
        }
        Self::from_positions(topology, &rest.positions)
    }

    /// Total rest area (m²).
    pub fn total_area(&self) -> f64 {
        self.areas.iter().sum()
    }

    fn from_corners(topology: &Topology, corners: Vec<[DVec2; 4]>) -> Result<Self, RestError> {
        let mut areas = Vec::with_capacity(corners.len());
        let mut inverse_metric = Vec::with_capacity(corners.len());
        let mut node_areas = vec![0.0; topology.node_count];
        for (index, (face, flat)) in topology.faces.iter().zip(&corners).enumerate() {
            check_face(index, face, flat)?;
            areas.push(signed_area(face, flat));
            inverse_metric.push(centre_jacobian(face, flat).inverse());
            for (&node, share) in face.corners().iter().zip(corner_shares(face, flat)) {
                node_areas[node as usize] += share;
            }
        }
        let edge_lengths = rest_edge_lengths(topology, &corners);
        let cross_lengths = rest_cross_lengths(topology, &corners, &edge_lengths);
        let boundary_corners = find_corners(topology, &corners);
        Ok(RestShape {
            corners,
            inverse_metric,
            areas,
            edge_lengths,
            cross_lengths,
            node_areas,
            boundary_corners,
        })
    }
}

/// A face that bends is laid flat so that its sides from the first corner keep their lengths and the
/// angle between them; a quad's third corner is projected.
fn flatten(face: &Face, positions: &[DVec3]) -> [DVec2; 4] {
    let at = |k: usize| positions[face.corners()[k] as usize];
    let normal = face.vector_area(positions).normalize_or_zero();
    let origin = at(0);
    let along = (at(1) - origin).reject_from(normal).normalize_or_zero();
    let across = normal.cross(along);
    let project = |p: DVec3| DVec2::new((p - origin).dot(along), (p - origin).dot(across));
    let mut flat = [DVec2::ZERO; 4];
    for (k, corner) in flat.iter_mut().enumerate().take(face.corners().len()) {
        *corner = project(at(k));
    }
    flat
}

fn signed_area(face: &Face, flat: &[DVec2; 4]) -> f64 {
    match face {
        Face::Tri(_) => 0.5 * (flat[1] - flat[0]).perp_dot(flat[2] - flat[0]),
        Face::Quad(_) => 0.5 * (flat[2] - flat[0]).perp_dot(flat[3] - flat[1]),
    }
}

fn centre_jacobian(face: &Face, flat: &[DVec2; 4]) -> DMat2 {
    match face {
        Face::Tri(_) => DMat2::from_cols(flat[1] - flat[0], flat[2] - flat[0]),
        Face::Quad(_) => DMat2::from_cols(
            0.5 * (flat[1] + flat[2] - flat[0] - flat[3]),
            0.5 * (flat[2] + flat[3] - flat[0] - flat[1]),
        ),
    }
}

/// `∫ N_k dA` for each corner: a third of a triangle each; for a quad the bilinear shape functions
/// integrated exactly, which is linear in the Jacobian determinants at the four corners.
fn corner_shares(face: &Face, flat: &[DVec2; 4]) -> [f64; 4] {
    match face {
        Face::Tri(_) => {
            let third = signed_area(face, flat) / 3.0;
            [third, third, third, 0.0]
        }
        Face::Quad(_) => {
            let det = corner_determinants(flat);
            // ∫∫ N_k N_l over the unit square: 1/9 for k = l, 1/18 for neighbours, 1/36 across.
            std::array::from_fn(|k| {
                det[k] / 9.0
                    + (det[(k + 1) % 4] + det[(k + 3) % 4]) / 18.0
                    + det[(k + 2) % 4] / 36.0
            })
        }
    }
}

fn corner_determinants(flat: &[DVec2; 4]) -> [f64; 4] {
    std::array::from_fn(|k| {
        let (next, previous) = (flat[(k + 1) % 4], flat[(k + 3) % 4]);
        (next - flat[k]).perp_dot(previous - flat[k])
    })
}

fn check_face(index: usize, face: &Face, flat: &[DVec2; 4]) -> Result<(), RestError> {
    let used = &flat[..face.corners().len()];
    if used.iter().any(|p| !p.is_finite()) {
        return Err(RestError::NotFinite { face: index });
    }
    let area = signed_area(face, flat);
    let longest = used
        .iter()
        .map(|p| p.distance_squared(used[0]))
        .fold(0.0, f64::max);
    // Relative to the face's own size, so that a mesh in kilometres is judged like one in millimetres.
    if area.is_nan() || area <= 1e-12 * longest || area < f64::MIN_POSITIVE {
        return Err(RestError::Degenerate { face: index, area });
    }
    if matches!(face, Face::Quad(_)) && corner_determinants(flat).iter().any(|&d| d <= 0.0) {
        return Err(RestError::FoldedQuad { face: index });
    }
    Ok(())
}

fn local_corner(face: &Face, node: u32) -> usize {
    let found = face.corners().iter().position(|&n| n == node);
    found.expect("the topology lists only faces that have the node")
}

fn rest_edge_lengths(topology: &Topology, corners: &[[DVec2; 4]]) -> Vec<f64> {
    let length_in = |face: u32, [a, b]: [u32; 2]| {
        let (shape, flat) = (&topology.faces[face as usize], &corners[face as usize]);
        flat[local_corner(shape, a)].distance(flat[local_corner(shape, b)])
    };
    topology
        .edges
        .iter()
        .map(|edge| {
            let (sum, count) = edge
                .faces()
                .map(|f| length_in(f, edge.nodes))
                .fold((0.0, 0.0), |(s, c), l| (s + l, c + 1.0));
            sum / count
        })
        .collect()
}

fn rest_cross_lengths(
    topology: &Topology,
    corners: &[[DVec2; 4]],
    edge_lengths: &[f64],
) -> Vec<f64> {
    use super::CrossKind;
    let lengths = topology.cross_edges.iter().map(|cross| match cross.kind {
        CrossKind::QuadDiagonal { face } => {
            let (shape, flat) = (&topology.faces[face as usize], &corners[face as usize]);
            let [a, b] = cross.nodes.map(|n| flat[local_corner(shape, n)]);
            a.distance(b)
        }
        CrossKind::TrianglePair { edge } => {
            // Unfold both triangles about their edge: where along it and how far from it each apex is.
            let length = edge_lengths[edge as usize];
            let [from, to] = topology.edges[edge as usize].nodes;
            let mut along = [0.0; 2];
            let mut away = 0.0;
            for (slot, face) in topology.edges[edge as usize].faces().enumerate() {
                let (shape, flat) = (&topology.faces[face as usize], &corners[face as usize]);
                let (p, q) = (
                    flat[local_corner(shape, from)],
                    flat[local_corner(shape, to)],
                );
                let apex_node = shape.corners().iter().find(|&&n| n != from && n != to);
                let apex = flat[local_corner(shape, *apex_node.expect("a triangle has an apex"))];
                let direction = (q - p).normalize();
                along[slot] = (apex - p).dot(direction) * length / p.distance(q);
                away += (apex - p).perp_dot(direction).abs();
            }
            (along[0] - along[1]).hypot(away)
        }
    });
    lengths.collect()
}

/// Interior angles of the faces at a boundary node add up to the angle of the cloth there: π along a
/// straight rim, π/2 at the corner of a sheet.
fn find_corners(topology: &Topology, corners: &[[DVec2; 4]]) -> Vec<u32> {
    let mut angle = vec![0.0; topology.node_count];
    for (face, flat) in topology.faces.iter().zip(corners) {
        let count = face.corners().len();
        for (k, &node) in face.corners().iter().enumerate() {
            let (next, previous) = (
                flat[(k + 1) % count] - flat[k],
                flat[(k + count - 1) % count] - flat[k],
            );
            angle[node as usize] += next.angle_to(previous).abs();
        }
    }
    use std::f64::consts::{FRAC_PI_4, PI};
    let on_rim = topology.boundary_loops.iter().flatten().copied();
    let mut found: Vec<u32> = on_rim
        .filter(|&n| (angle[n as usize] - PI).abs() > FRAC_PI_4)
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit_square(faces: Vec<Face>) -> (Topology, Vec<DVec3>) {
        let positions = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
            .map(|[x, y]| DVec3::new(x, y, 0.0))
            .to_vec();
        (Topology::new(4, faces).unwrap(), positions)
    }

    #[test]
    fn quad_and_triangle_pair_have_the_same_rest() {
        for faces in [
            vec![Face::Quad([0, 1, 2, 3])],
            vec![Face::Tri([0, 1, 2]), Face::Tri([0, 2, 3])],
        ] {
            let (topology, positions) = unit_square(faces);
            let rest = RestShape::from_positions(&topology, &positions).unwrap();
            assert!((rest.total_area() - 1.0).abs() < 1e-14);
            assert!((rest.node_areas.iter().sum::<f64>() - 1.0).abs() < 1e-14);
            for length in &rest.cross_lengths {
                assert!((length - 2f64.sqrt()).abs() < 1e-14);
            }
            assert_eq!(rest.boundary_corners, vec![0, 1, 2, 3]);
        }
    }

    #[test]
    fn a_cross_edge_is_measured_over_the_unfolded_pair() {
        // The second triangle stands upright on the shared edge; unfolded it is a square again.
        let positions = vec![
            DVec3::ZERO,
            DVec3::X,
            DVec3::new(0.5, 0.5, 0.0),
            DVec3::new(0.5, 0.0, 0.5),
        ];
        let topology = Topology::new(4, vec![Face::Tri([0, 1, 2]), Face::Tri([1, 0, 3])]).unwrap();
        let rest = RestShape::from_positions(&topology, &positions).unwrap();
        assert!((rest.cross_lengths[0] - 1.0).abs() < 1e-14);
    }

    #[test]
    fn a_trapezoid_shares_its_mass_by_the_exact_integrals() {
        let flat = [
            DVec2::new(0.0, 0.0),
            DVec2::new(2.0, 0.0),
            DVec2::new(1.0, 1.0),
            DVec2::new(0.0, 1.0),
        ];
        let face = Face::Quad([0, 1, 2, 3]);
        let shares = corner_shares(&face, &flat);
        // By hand: det J = 2 − η, so ∫(1−ξ)(1−η)(2−η) = ½·(5/6) at the wide end, ½·(2/3) at the narrow.
        for (share, expected) in shares
            .iter()
            .zip([5.0 / 12.0, 5.0 / 12.0, 1.0 / 3.0, 1.0 / 3.0])
        {
            assert!((share - expected).abs() < 1e-14, "{shares:?}");
        }
    }

    #[test]
    fn degenerate_and_folded_faces_are_named() {
        let (topology, mut positions) = unit_square(vec![Face::Quad([0, 1, 2, 3])]);
        positions.swap(2, 3);
        assert!(RestShape::from_positions(&topology, &positions).is_err());
        let (topology, mut positions) =
            unit_square(vec![Face::Tri([0, 1, 2]), Face::Tri([0, 2, 3])]);
        positions[3] = DVec3::new(0.5, 0.5, 0.0);
        assert!(matches!(
            RestShape::from_positions(&topology, &positions),
            Err(RestError::Degenerate { face: 1, .. })
        ));
    }

    #[test]
    fn the_rest_metric_recovers_the_deformation_gradient() {
        let (topology, positions) = unit_square(vec![Face::Tri([0, 1, 2]), Face::Tri([0, 2, 3])]);
        let rest = RestShape::from_positions(&topology, &positions).unwrap();
        // Stretch by 1.5: every singular value of ∂x/∂ū is 1.5.
        for (face, inverse) in topology.faces.iter().zip(&rest.inverse_metric) {
            let [a, b, c] = match *face {
                Face::Tri(t) => t.map(|i| positions[i as usize] * 1.5),
                Face::Quad(_) => unreachable!(),
            };
            let (d1, d2) = (b - a, c - a);
            let w_u = d1 * inverse.x_axis.x + d2 * inverse.x_axis.y;
            let w_v = d1 * inverse.y_axis.x + d2 * inverse.y_axis.y;
            assert!((w_u.length() - 1.5).abs() < 1e-14);
            assert!((w_v.length() - 1.5).abs() < 1e-14);
            assert!(w_u.dot(w_v).abs() < 1e-14);
        }
    }
}
