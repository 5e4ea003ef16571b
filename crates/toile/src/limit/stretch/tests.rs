#![allow(clippy::unwrap_used)]
use super::*;
use crate::linalg::BlockMatrix;
use crate::mesh::generate::{Grid, GridPattern, grid};
use crate::parallel::dot;
use std::sync::Arc;

/// A sheet with a stretch limit, bent and stretched unevenly, with rows that have tensions of their own.
fn stretched(pattern: GridPattern) -> (StretchLimit, StretchRows, BlockMatrix, Vec<DVec3>) {
    let mesh = grid(&Grid {
        size: [0.4, 0.3],
        cells: [4, 3],
        pattern,
    })
    .unwrap();
    let topology = Topology::new(mesh.positions.len(), mesh.faces.clone()).unwrap();
    let rest = RestShape::from_positions(&topology, &mesh.positions).unwrap();
    let limit = StretchLimit::new(&topology, &rest, 0, 0.01, 1e-3).unwrap();
    let mut pairs = Vec::new();
    limit.for_each_pair(|pair| pairs.push(pair));
    let pattern = Arc::new(BlockPattern::new(mesh.positions.len(), pairs.into_iter()));
    let mut rows = StretchRows::new(&limit, &pattern);
    let masses = vec![1e-3; mesh.positions.len()];
    rows.stiffen(&limit, &masses, 10.0);
    for (k, tension) in rows.tensions.iter_mut().enumerate() {
        let size = 1e-6 * (k % 5) as f64;
        *tension = positive_part([size, 0.3 * size, 0.5 * size]);
    }
    let positions = mesh.positions.iter().map(|p| {
        let lift = 0.05 * (9.0 * p.x).sin() * (7.0 * p.y).cos();
        DVec3::new(1.03 * p.x + 0.02 * p.y, 0.97 * p.y, lift)
    });
    (limit, rows, BlockMatrix::new(pattern), positions.collect())
}

/// Some moves of the nodes (m).
fn moves(count: usize) -> Vec<DVec3> {
    let along = |i: usize, phase: f64| (1.7 * i as f64 + phase).sin();
    (0..count)
        .map(|i| DVec3::new(along(i, 0.0), along(i, 1.0), along(i, 2.0)))
        .collect()
}

fn gradient(
    limit: &StretchLimit,
    rows: &mut StretchRows,
    x: &[DVec3],
    matrix: &mut BlockMatrix,
) -> Vec<DVec3> {
    let mut gradient = vec![DVec3::ZERO; x.len()];
    matrix.diagonal.fill(DMat3::ZERO);
    matrix.lower.fill(DMat3::ZERO);
    rows.evaluate(limit, x);
    let blocks = (&mut matrix.diagonal[..], &mut matrix.lower[..]);
    // With the tensions that are predicted where nothing moves, both gradients are the same, and the matrix is the derivative.
    rows.predict(limit, &vec![DVec3::ZERO; x.len()]);
    let mut balance = gradient.clone();
    rows.add_gradient(limit, [&mut gradient, &mut balance]);
    rows.add_matrix(limit, blocks);
    for (a, b) in gradient.iter().zip(&balance) {
        assert!(a.distance(*b) <= 1e-12 * a.length(), "{a} {b}");
    }
    gradient
}

/// `Σ (|T'|² − |T|²) / 2k` at some positions.
fn lagrangian(limit: &StretchLimit, rows: &mut StretchRows, x: &[DVec3]) -> f64 {
    rows.evaluate(limit, x);
    let of_point = |k: usize| {
        let pulls = positive_part(rows.tried(k));
        let before = rows.tensions[k];
        (product(&pulls, &pulls) - product(&before, &before)) / (2.0 * rows.stiffness[k])
    };
    (0..rows.tensions.len()).map(of_point).sum()
}

#[test]
fn gradient_slope_and_matrix_are_the_derivatives_of_the_lagrangian() {
    for pattern in [
        GridPattern::Quads,
        GridPattern::Triangles(Default::default()),
    ] {
        let (limit, mut rows, mut matrix, x) = stretched(pattern);
        let step = moves(x.len());
        let h = 1e-7;
        let at = |share: f64| -> Vec<DVec3> {
            x.iter()
                .zip(&step)
                .map(|(x, d)| *x + share * h * *d)
                .collect()
        };
        let gradient_here = gradient(&limit, &mut rows, &x, &mut matrix);
        let mut image = vec![DVec3::ZERO; x.len()];
        matrix.multiply(&step, &mut image);
        let expected = (lagrangian(&limit, &mut rows, &at(1.0))
            - lagrangian(&limit, &mut rows, &at(-1.0)))
            / (2.0 * h);
        let found = dot(&gradient_here, &step);
        assert!(
            (found - expected).abs() < 1e-5 * found.abs(),
            "{found} {expected}"
        );
        rows.evaluate(&limit, &x);
        let slope = rows.slope(&limit, &step);
        assert!(
            (slope - found).abs() < 1e-12 * found.abs(),
            "{slope} {found}"
        );
        let mut other = matrix.clone();
        let ahead = gradient(&limit, &mut rows, &at(1.0), &mut other);
        let behind = gradient(&limit, &mut rows, &at(-1.0), &mut other);
        let scale = dot(&image, &image).sqrt();
        let mut missed = 0.0;
        for i in 0..x.len() {
            missed += ((ahead[i] - behind[i]) / (2.0 * h)).distance_squared(image[i]);
        }
        assert!(missed.sqrt() < 1e-4 * scale, "{} {scale}", missed.sqrt());
    }
}

#[test]
fn the_limit_sees_every_direction_and_no_rotation() {
    let (limit, ..) = stretched(GridPattern::Quads);
    let mesh = grid(&Grid {
        size: [0.4, 0.3],
        cells: [4, 3],
        pattern: GridPattern::Quads,
    })
    .unwrap();
    let turn = glam::DQuat::from_euler(glam::EulerRot::XYZ, 0.3, 1.1, -0.7);
    let turned: Vec<DVec3> = mesh.positions.iter().map(|p| turn * *p).collect();
    assert!(limit.residual(&turned) < 1e-14);
    // Along the diagonal of the quads, which no edge sees: pure shear by 6 % is a stretch of about 3 %.
    let sheared = |p: &DVec3| DVec3::new(p.x + 0.06 * p.y, p.y, 0.0);
    let sheared: Vec<DVec3> = mesh.positions.iter().map(sheared).collect();
    let largest = 0.03 + (1.0 + 0.03f64.powi(2)).sqrt();
    let expected = largest / 1.01 - 1.0;
    assert!((limit.residual(&sheared) - expected).abs() < 1e-12);
}
