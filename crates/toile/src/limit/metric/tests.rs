#![allow(clippy::unwrap_used)]

use super::*;
use crate::limit::{Lengths, jacobian};
use crate::mesh::generate::{
    Diagonals, Grid, GridPattern, Planar, Sphere, SpherePattern, Tube, grid, planar, sphere, tube,
};
use crate::mesh::{Face, Mesh};
use glam::{DMat3, DQuat};

fn rest_of(mesh: &Mesh) -> (Topology, RestShape) {
    let topology = Topology::new(mesh.positions.len(), mesh.faces.clone()).unwrap();
    let rest = RestShape::from_positions(&topology, &mesh.positions).unwrap();
    (topology, rest)
}

fn metric_of(mesh: &Mesh) -> Metric {
    let (topology, rest) = rest_of(mesh);
    Metric::new(&topology, &rest, None, 0).unwrap()
}

fn square(cells: u32, pattern: GridPattern) -> Mesh {
    grid(&Grid {
        size: [1.0, 0.7],
        cells: [cells; 2],
        pattern,
    })
    .unwrap()
}

fn triangles() -> GridPattern {
    GridPattern::Triangles(Diagonals::Forward)
}

/// A sheet of irregular triangles, one of skewed quads, one of both, a tube and a sphere.
fn meshes() -> Vec<Mesh> {
    let corners = [[0.0, 0.0], [1.0, 0.1], [1.2, 0.9], [-0.1, 0.7]].map(glam::DVec2::from_array);
    let hole = [[0.4, 0.3], [0.6, 0.3], [0.5, 0.5]].map(glam::DVec2::from_array);
    let irregular = planar(&Planar {
        outline: corners.to_vec(),
        holes: vec![hole.to_vec()],
        nodes: 60,
        seed: 3,
    });
    let mut skewed = square(4, GridPattern::Quads);
    for p in &mut skewed.positions {
        *p += DVec3::new((7.0 * p.y).sin(), (5.0 * p.x).cos(), 0.0) * 0.03;
    }
    let mut mixed = skewed.clone();
    let faces = std::mem::take(&mut mixed.faces);
    for (k, face) in faces.into_iter().enumerate() {
        match face {
            // Corners are numbered from anywhere, and some faces lie face down.
            Face::Quad([a, b, c, d]) if k % 3 == 0 => {
                mixed
                    .faces
                    .extend([Face::Tri([c, a, b]), Face::Tri([a, d, c])]);
            }
            Face::Quad([a, b, c, d]) if k % 3 == 1 => mixed.faces.push(Face::Quad([c, d, a, b])),
            face => mixed.faces.push(face),
        }
    }
    mixed.corner_uvs = None;
    let round = tube(&Tube {
        radius: 0.3,
        top_radius: Some(0.2),
        height: 0.8,
        cells: [10, 4],
        pattern: GridPattern::Quads,
    });
    let ball = sphere(&Sphere {
        radius: 0.5,
        pattern: SpherePattern::Icosphere { subdivisions: 1 },
    });
    vec![
        irregular.unwrap(),
        skewed,
        mixed,
        round.unwrap(),
        ball.unwrap(),
    ]
}

/// Positions as far from rest as cloth ever gets.
fn disturbed(mesh: &Mesh) -> Vec<DVec3> {
    let wave = |k: usize, p: &DVec3| {
        let k = k as f64;
        *p + 0.03 * DVec3::new((3.1 * k).sin(), (1.7 * k).cos(), (2.3 * k).sin())
    };
    mesh.positions
        .iter()
        .enumerate()
        .map(|(k, p)| wave(k, p))
        .collect()
}

#[test]
fn gradients_are_the_slopes_of_the_values() {
    for mesh in meshes() {
        let (topology, rest) = rest_of(&mesh);
        let metric = Metric::new(&topology, &rest, None, 0).unwrap();
        let lengths = Lengths::new(&topology, &rest, 0).unwrap();
        check_gradients(&metric, &disturbed(&mesh));
        check_gradients(&lengths, &disturbed(&mesh));
    }
}

fn check_gradients(constraints: &impl Constraints, x: &[DVec3]) {
    let rows = jacobian(constraints, x);
    let largest = rows
        .iter()
        .flat_map(|r| &r.1)
        .map(|(_, g)| g.length())
        .fold(0.0, f64::max);
    for node in (0..x.len()).step_by(3) {
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            let values = |e: f64| {
                let mut moved = x.to_vec();
                moved[node] += e * axis;
                jacobian(constraints, &moved)
            };
            let e = 1e-3;
            let far = [values(-2.0 * e), values(-e), values(e), values(2.0 * e)];
            for (k, (_, gradient)) in rows.iter().enumerate() {
                let at = |s: usize| far[s][k].0;
                let slope = (8.0 * (at(2) - at(1)) - (at(3) - at(0))) / (12.0 * e);
                let here = gradient.iter().find(|(n, _)| *n as usize == node);
                let expected = here.map_or(0.0, |(_, g)| g.dot(axis));
                assert!(
                    (slope - expected).abs() < 1e-7 * largest,
                    "{slope} {expected}"
                );
            }
        }
    }
}

#[test]
fn at_rest_and_after_any_rigid_motion_every_equation_holds() {
    for mesh in meshes() {
        let metric = metric_of(&mesh);
        let turn = DMat3::from_quat(DQuat::from_axis_angle(
            DVec3::new(1.0, 2.0, -0.5).normalize(),
            2.1,
        ));
        let moved: Vec<DVec3> = mesh
            .positions
            .iter()
            .map(|&p| turn * p + DVec3::new(5.0, -3.0, 8.0))
            .collect();
        for (before, after) in jacobian(&metric, &mesh.positions)
            .iter()
            .zip(jacobian(&metric, &moved))
        {
            assert!(
                before.0.abs() < 1e-12 && after.0.abs() < 1e-12,
                "{}",
                before.0
            );
            for ((_, g), (_, turned)) in before.1.iter().zip(after.1) {
                assert!((turn * *g - turned).length() < 1e-9 * (1.0 + g.length()));
            }
        }
    }
}

#[test]
fn an_affine_deformation_of_a_flat_sheet_has_the_same_metric_at_every_node() {
    // Along x and y: AᵀA of A with columns (1.1, 0.2, 0.3) and (−0.1, 0.9, 0.4).
    let (a, b) = (DVec3::new(1.1, 0.2, 0.3), DVec3::new(-0.1, 0.9, 0.4));
    for mesh in meshes().iter().take(3) {
        let (topology, mut rest) = rest_of(mesh);
        rest.align_warp(
            &topology,
            &mesh.positions,
            crate::mesh::Warp::Direction(DVec3::X),
        )
        .unwrap();
        let metric = Metric::new(&topology, &rest, None, 0).unwrap();
        let stretched: Vec<DVec3> = mesh.positions.iter().map(|p| a * p.x + b * p.y).collect();
        let mut inside = 0;
        let rows = jacobian(&metric, &stretched);
        let mut row = 0;
        for stencil in 0..metric.stencils() {
            if metric.rows(stencil) == 3 {
                inside += 1;
                let expected = [a.dot(a) - 1.0, a.dot(b), b.dot(b) - 1.0];
                for k in 0..3 {
                    // A face that lies face down, or a warp that points the other way, turns the sign of F.
                    let value = rows[row + k].0;
                    let found = if k == 1 { value.abs() } else { value };
                    let known = if k == 1 {
                        expected[k].abs()
                    } else {
                        expected[k]
                    };
                    assert!((found - known).abs() < 1e-12, "{k}: {found} {known}");
                }
            }
            row += metric.rows(stencil);
        }
        assert!(inside > 5);
    }
}

#[test]
fn a_sheet_of_quads_has_the_papers_equations() {
    // Equal cells: ∫ N_k (∂N_i/∂x)(∂N_j/∂x) in closed form. With slopes ±1/a along x and hats along y, the
    // coefficient of ⟨x_k, x_k⟩ in E_k is 1/m · 4 · (1/a²) (a/2) (b ∫₀¹ t³ dt) with m = ab: 1/(2a²).
    let (cells, a) = (4, 0.25);
    let mesh = square(cells, GridPattern::Quads);
    let metric = metric_of(&mesh);
    // Lifting one inner node by z changes its E by z²/(2a²) and the left neighbour's by 1/(4a²) · z² · ½.
    let mut lifted = mesh.positions.clone();
    lifted[12].z = 0.1;
    for stencil in 0..metric.stencils() {
        let (nodes, rows) = (metric.nodes(stencil), metric.rows(stencil));
        let mut gradients = vec![[[0.0; LANES]; 3]; nodes.len()];
        let values = metric.linearise(stencil, &lifted, &mut gradients);
        if rows == 3 && nodes[0] == 12 {
            assert!((values[0] - 0.01 / (2.0 * a * a)).abs() < 1e-13);
            assert!(values[1].abs() < 1e-15, "by symmetry");
        }
        if rows == 3 && nodes[0] == 11 {
            // Only the two cells between them: half the slope's weight, and ∫ t³ as before.
            assert!((values[0] - 0.01 / (4.0 * a * a)).abs() < 1e-13);
        }
    }
}

#[test]
fn the_numbers_of_equations_are_those_of_the_paper() {
    assert_eq!(metric_of(&square(8, GridPattern::Quads)).count(), 183);
    for cells in 2..6 {
        let mesh = square(cells, triangles());
        let n = cells as usize;
        // Both corners and sides of the rim: 3 (N − 1)² + 4N + 4.
        assert_eq!(metric_of(&mesh).count(), 3 * (n - 1).pow(2) + 4 * n + 4);
        let (topology, rest) = rest_of(&mesh);
        let lengths = Lengths::new(&topology, &rest, 0).unwrap();
        assert_eq!(lengths.count(), 2 * n * (n + 1) + n * n);
    }
    // A tube has two rims and no corners, a sphere no rim at all.
    let [.., tube, ball] = &meshes()[..] else {
        panic!()
    };
    assert_eq!(metric_of(tube).count(), 3 * 30 + 20);
    assert_eq!(metric_of(ball).count(), 3 * ball.positions.len());
}

/// Motions that equations leave to first order: unknowns less the rank of `J`, by elimination.
fn freedom(constraints: &impl Constraints, x: &[DVec3], held: &[u32]) -> usize {
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for (_, gradient) in jacobian(constraints, x) {
        let mut row = vec![0.0; 3 * x.len()];
        for (node, g) in gradient.iter().filter(|(n, _)| !held.contains(n)) {
            row[3 * *node as usize..][..3].copy_from_slice(&g.to_array());
        }
        rows.push(row);
    }
    let mut rank = 0;
    while rank < rows.len() {
        let size = |r: &Vec<f64>| r.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let best = (rank..rows.len()).max_by(|&a, &b| size(&rows[a]).total_cmp(&size(&rows[b])));
        rows.swap(rank, best.unwrap());
        let pivot = rows[rank].clone();
        let column = (0..pivot.len())
            .max_by(|&a, &b| pivot[a].abs().total_cmp(&pivot[b].abs()))
            .unwrap();
        if pivot[column].abs() < 1e-7 {
            break;
        }
        rank += 1;
        for row in &mut rows[rank..] {
            let factor = row[column] / pivot[column];
            row.iter_mut()
                .zip(&pivot)
                .for_each(|(r, p)| *r -= factor * p);
        }
    }
    3 * (x.len() - held.len()) - rank
}

/// A sheet bent to a cylinder and rippled a little, so that nothing is in line.
fn generic(mesh: &Mesh) -> Vec<DVec3> {
    let bend = |(k, p): (usize, &DVec3)| {
        let ripple = 0.02 * (12.9 * (k as f64 + 1.0)).sin();
        DVec3::new(p.x.sin(), p.y, 1.0 - p.x.cos() + ripple)
    };
    mesh.positions.iter().enumerate().map(bend).collect()
}

#[test]
fn fixed_edges_of_triangles_leave_4n_plus_3_motions_and_the_metric_8n_minus_4() {
    for cells in 2..6 {
        let n = cells as usize;
        let mesh = square(cells, triangles());
        let (topology, rest) = rest_of(&mesh);
        let lengths = Lengths::new(&topology, &rest, 0).unwrap();
        let x = generic(&mesh);
        assert_eq!(freedom(&lengths, &x, &[]), 4 * n + 3);
        for mesh in [mesh, square(cells, GridPattern::Quads)] {
            // With one node inside, its F follows from those of the corners: one equation says nothing new.
            let expected = if n == 2 { 13 } else { 8 * n - 4 };
            assert_eq!(freedom(&metric_of(&mesh), &x, &[]), expected, "{n}");
        }
    }
}

#[test]
fn corners_can_be_named_and_must_be_on_the_rim() {
    let mesh = square(3, GridPattern::Quads);
    let (topology, rest) = rest_of(&mesh);
    let with = |corners: &[u32]| Metric::new(&topology, &rest, Some(corners), 0);
    assert_eq!(with(&[]).unwrap().count(), 4 * 3 + 12);
    assert_eq!(with(&[0, 1]).unwrap().count(), 4 * 3 + 12 + 2);
    for node in [5, 99] {
        assert_eq!(with(&[node]).unwrap_err(), MetricError::Corner { node });
    }
}

#[test]
fn degenerate_rest_shapes_are_refused_by_name() {
    let mesh = square(2, GridPattern::Quads);
    let (topology, rest) = rest_of(&mesh);
    let mut bad = rest.clone();
    bad.areas[2] = 0.0;
    assert!(matches!(
        Metric::new(&topology, &bad, None, 0),
        Err(MetricError::Area { face: 2, .. })
    ));
    let mut bad = rest.clone();
    bad.edge_lengths[3] = 0.0;
    let error = Metric::new(&topology, &bad, None, 0).unwrap_err();
    assert!(matches!(
        error,
        MetricError::Lengths(LengthsError::Length { .. })
    ));
    assert!(Lengths::new(&topology, &bad, 0).is_err());
    let mut bad = rest;
    bad.corners.pop();
    assert!(matches!(
        Metric::new(&topology, &bad, None, 0),
        Err(MetricError::Mismatch { given: 3, faces: 4 })
    ));
}

#[test]
fn nodes_are_numbered_over_the_world() {
    let mesh = square(2, GridPattern::Quads);
    let (topology, rest) = rest_of(&mesh);
    let metric = Metric::new(&topology, &rest, None, 100).unwrap();
    assert_eq!(metric.node_range(), 100..109);
}
