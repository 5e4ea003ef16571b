//! Hinges of whole cloths: which there are, what they store, what they leave alone.

use super::tests::{jitter, laws, material, noise};
use super::*;
use crate::mesh::generate::{Diagonals, Grid, GridPattern, grid};
use crate::mesh::{Face, RestShape, Topology};

#[test]
fn a_flat_sheet_may_stretch_and_shear_in_its_plane() {
    for pattern in [
        GridPattern::Quads,
        GridPattern::Triangles(Diagonals::Alternating),
    ] {
        let (topology, rest, flat) = sheet(pattern, 4);
        let hinges = cloth_hinges(
            &topology,
            &rest,
            0,
            &material(laws()[0].clone(), HingeHessian::Exact),
        );
        let mut next = noise(7);
        let moved: Vec<DVec3> = flat
            .iter()
            .map(|p| *p + 0.05 * jitter(&mut next).with_z(0.0))
            .collect();
        let angles = vec![0.0; hinges.len()];
        let (four, five, six) = hinges.at_rest(&angles);
        assert_eq!(largest_force(&four, &moved), 0.0);
        assert_eq!(largest_force(&five, &moved), 0.0);
        assert_eq!(largest_force(&six, &moved), 0.0);
    }
}

fn largest_force<const N: usize>(hinges: &Hinges<N>, positions: &[DVec3]) -> f64 {
    let mut largest = 0.0f64;
    for element in 0..hinges.count() {
        let x = hinges.nodes(element).map(|n| positions[n as usize]);
        for force in hinges.force(element, &x, &[DVec3::ZERO; N]) {
            largest = largest.max(force.length());
        }
    }
    largest
}

pub(super) fn sheet(pattern: GridPattern, cells: u32) -> (Topology, RestShape, Vec<DVec3>) {
    let mesh = grid(&Grid {
        size: [1.0, 1.0],
        cells: [cells; 2],
        pattern,
    })
    .unwrap();
    let topology = Topology::new(mesh.positions.len(), mesh.faces.clone()).unwrap();
    // The pattern's coordinates, not the positions: only they have the warp along the first axis of every
    // face.
    let rest = RestShape::from_uvs(&topology, &mesh, 1.0).unwrap();
    (topology, rest, mesh.positions)
}

#[test]
fn bending_the_warp_takes_the_rigidity_of_the_warp() {
    for pattern in [
        GridPattern::Quads,
        GridPattern::Triangles(Diagonals::Forward),
    ] {
        let (topology, rest, flat) = sheet(pattern, 10);
        for (axis, rigidity) in [(DVec3::X, 0.8), (DVec3::Y, 0.5)] {
            let bent: Vec<DVec3> = flat
                .iter()
                .map(|p| {
                    let s = p.dot(axis);
                    let across = *p - s * axis;
                    across + 10.0 * ((s / 10.0).sin() * axis + (1.0 - (s / 10.0).cos()) * DVec3::Z)
                })
                .collect();
            let law = BendLaw::Angle {
                rigidity: [0.8, 0.5],
            };
            let hinges = cloth_hinges(
                &topology,
                &rest,
                0,
                &material(law, HingeHessian::GaussNewton),
            );
            let energy = stored(&hinges, &vec![0.0; hinges.len()], &bent);
            // Nine of ten columns have a hinge on either side.
            let expected = 0.9 * 0.5 * rigidity / 100.0;
            assert!(
                (energy / expected - 1.0).abs() < 1e-4,
                "{energy} {expected}"
            );
        }
    }
}

pub(super) fn stored(hinges: &ClothHinges, rest_angles: &[f64], positions: &[DVec3]) -> f64 {
    fn batch<const N: usize>(hinges: &Hinges<N>, positions: &[DVec3]) -> f64 {
        (0..hinges.count())
            .map(|e| hinges.value(e, &hinges.nodes(e).map(|n| positions[n as usize])))
            .sum()
    }
    let (four, five, six) = hinges.at_rest(rest_angles);
    batch(&four, positions) + batch(&five, positions) + batch(&six, positions)
}

/// A pentagon house: two triangles on two quads.
fn mixed_mesh() -> (Topology, Vec<DVec3>) {
    let positions = [
        [0.0, 0.0],
        [1.0, 0.0],
        [2.0, 0.0],
        [0.0, 1.0],
        [1.0, 1.0],
        [2.0, 1.0],
        [0.5, 2.0],
        [1.5, 2.0],
    ]
    .map(|[x, y]| DVec3::new(x, y, 0.0));
    let faces = vec![
        Face::Quad([0, 1, 4, 3]),
        Face::Quad([1, 2, 5, 4]),
        Face::Tri([3, 4, 6]),
        Face::Tri([5, 7, 4]),
        Face::Tri([4, 7, 6]),
    ];
    (Topology::new(8, faces).unwrap(), positions.to_vec())
}

#[test]
fn a_mixed_mesh_has_hinges_of_every_size_in_a_fixed_order() {
    let (topology, positions) = mixed_mesh();
    let rest = RestShape::from_positions(&topology, &positions).unwrap();
    let hinges = cloth_hinges(
        &topology,
        &rest,
        100,
        &material(laws()[0].clone(), HingeHessian::default()),
    );
    // Edges 4–6 and 4–7 between triangles, two diagonals in each quad; 3–4 and 4–5 between both; 1–4 between
    // quads.
    assert_eq!(
        (hinges.four.len(), hinges.five.len(), hinges.six.len()),
        (6, 2, 1)
    );
    assert_eq!((hinges.diagonals, hinges.left_out), (4, 0));
    assert_eq!(hinges.four.nodes()[0], [103, 107, 104, 106]);
    assert_eq!(hinges.five.nodes()[0], [106, 100, 101, 103, 104]);
    let mut nodes = hinges.six.nodes()[0];
    nodes.sort_unstable();
    assert_eq!(nodes, [100, 101, 102, 103, 104, 105]);
    // The rest shape remembered: no energy where the mesh was folded, whatever the law.
    let mut next = noise(11);
    let folded: Vec<DVec3> = positions
        .iter()
        .map(|p| *p + 0.4 * jitter(&mut next))
        .collect();
    let angles = hinges.rest_angles(RestAngles::Positions(&folded)).unwrap();
    let mut world = vec![DVec3::ZERO; 100];
    world.extend(&folded);
    assert!(angles.iter().all(|a| a.abs() > 1e-3));
    assert!(stored(&hinges, &angles, &world).abs() < 1e-28);
    assert!(stored(&hinges, &vec![0.0; hinges.len()], &world) > 1e-3);
    let constant = hinges.rest_angles(RestAngles::Constant(0.3)).unwrap();
    assert_eq!(constant, [0.3, 0.3, 0.0, 0.0, 0.0, 0.0, 0.3, 0.3, 0.3]);
    let error = hinges
        .rest_angles(RestAngles::Positions(&folded[1..]))
        .unwrap_err();
    assert_eq!((error.given, error.wanted), (7, 8));
}

#[test]
fn faces_that_share_more_than_an_edge_hinge_about_what_is_their_own() {
    // Node 1 has only these two quads around it, so they share the edges 0–1 and 1–2. It is lifted, since in
    // a plane they could not both be convex.
    let positions = [
        DVec3::NEG_X,
        DVec3::Z * 0.5,
        DVec3::X,
        DVec3::NEG_Y,
        DVec3::Y,
    ];
    let faces = vec![Face::Quad([0, 3, 2, 1]), Face::Quad([0, 1, 2, 4])];
    let topology = Topology::new(5, faces).unwrap();
    let rest = RestShape::from_positions(&topology, &positions).unwrap();
    let material = material(laws()[0].clone(), HingeHessian::default());
    let hinges = cloth_hinges(&topology, &rest, 0, &material);
    assert_eq!(hinges.four.len() - hinges.diagonals, 2);
    assert_eq!(hinges.four.nodes()[..2], [[3, 4, 1, 0], [3, 4, 2, 1]]);
    assert_eq!(hinges.left_out, 0);
}
