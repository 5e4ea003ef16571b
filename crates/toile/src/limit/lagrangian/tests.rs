#![allow(clippy::unwrap_used)]

use super::*;
use crate::limit::fixture::{Sheet, sheet};
use crate::limit::{LANES, Lengths, Metric};
use crate::mesh::generate::{Diagonals, GridPattern};
use glam::DQuat;

fn lengths(sheet: &Sheet) -> Lengths {
    Lengths::new(&sheet.topology, &sheet.rest, 0).unwrap()
}

fn metric(sheet: &Sheet) -> Metric {
    Metric::new(&sheet.topology, &sheet.rest, None, 0).unwrap()
}

fn exact() -> LagrangianSettings {
    LagrangianSettings {
        tolerance: 1e-11,
        max_iterations: 200,
        linear_tolerance: 1e-9,
        ..Default::default()
    }
}

fn solve<C: Constraints>(
    lagrangian: &Lagrangian<C>,
    sheet: &Sheet,
    obstacles: &[Obstacle],
    candidates: &[DVec3],
) -> (LimitReport, Vec<DVec3>) {
    let mut positions = candidates.to_vec();
    let mut forces = vec![0.0; lagrangian.memory()];
    let mut scratch = lagrangian.scratch();
    let report = lagrangian.apply(
        &sheet.step(),
        obstacles,
        &mut forces,
        &mut scratch,
        &mut positions,
    );
    (report, positions)
}

/// Compares the second derivatives with differences of gradients.
fn check_second_derivatives(constraints: &impl Constraints, positions: &[DVec3]) {
    const SMALL: f64 = 1e-6;
    for stencil in 0..constraints.stencils() {
        let nodes = constraints.nodes(stencil).to_vec();
        let at = |positions: &[DVec3]| {
            let mut gradients = vec![[[0.0; LANES]; 3]; nodes.len()];
            let values = constraints.linearise(stencil, positions, &mut gradients);
            (values, gradients)
        };
        let (values, gradients) = at(positions);
        let shape = constraints.shape(stencil, &values);
        for (j, axis) in (0..nodes.len()).flat_map(|j| [0, 1, 2].map(|a| (j, a))) {
            let moved = |by: f64| {
                let mut moved = positions.to_vec();
                moved[nodes[j] as usize][axis] += by;
                at(&moved).1
            };
            let (before, after) = (moved(-SMALL), moved(SMALL));
            for (i, d) in (0..nodes.len()).flat_map(|i| [0, 1, 2].map(|d| (i, d))) {
                let form = constraints.second_derivative(stencil, [i, j]);
                for r in 0..constraints.rows(stencil) {
                    let measured = (after[i][d][r] - before[i][d][r]) / (2.0 * SMALL);
                    let same_axis = if d == axis {
                        shape.form[r] * form[r]
                    } else {
                        0.0
                    };
                    let outer = shape.outer[r] * gradients[i][d][r] * gradients[j][axis][r];
                    let scale = 1.0 + form[r].abs();
                    assert!((same_axis + outer - measured).abs() < 1e-6 * scale);
                }
            }
        }
    }
}

#[test]
fn second_derivatives_agree_with_differences() {
    for pattern in [
        GridPattern::Quads,
        GridPattern::Triangles(Diagonals::Alternating),
    ] {
        let sheet = sheet(3, pattern);
        let bent = sheet.disturbed(0.2);
        check_second_derivatives(&lengths(&sheet), &bent);
        check_second_derivatives(&metric(&sheet), &bent);
    }
}

#[test]
fn what_pulls_of_a_stress_has_no_negative_second_derivatives() {
    let sheet = sheet(2, GridPattern::Quads);
    let metric = metric(&sheet);
    let inside = (0..metric.stencils())
        .find(|&s| metric.rows(s) == 3)
        .unwrap();
    for stress in [
        [1.0, 5.0, 0.5, 0.0],
        [-1.0, 0.3, 2.0, 0.0],
        [-1.0, 0.2, -2.0, 0.0],
        [2.0, 1.0, 1.0, 0.0],
    ] {
        let [e, f, g, _] = metric.pull(inside, &stress);
        assert!(e >= 0.0 && g >= 0.0 && e * g - 0.25 * f * f >= -1e-12);
        // What already pulls stays, what only pushes goes.
        let determinant = stress[0] * stress[2] - 0.25 * stress[1] * stress[1];
        if determinant >= 0.0 {
            let kept = if stress[0] > 0.0 {
                stress
            } else {
                [0.0; LANES]
            };
            assert_eq!([e, f, g, 0.0], kept);
        }
        let count = metric.nodes(inside).len();
        let wave = |i: usize| ((3 * i * i + 1) as f64).sin();
        let form = (0..count).flat_map(|i| (0..count).map(move |j| (i, j)));
        let energy: f64 = form
            .map(|(i, j)| {
                let a = metric.second_derivative(inside, [i, j]);
                wave(i) * wave(j) * (e * a[0] + f * a[1] + g * a[2])
            })
            .sum();
        assert!(energy >= -1e-9, "{energy}");
    }
}

#[test]
fn a_free_sheet_comes_to_hold_and_keeps_its_momentum() {
    let quads = sheet(8, GridPattern::Quads);
    let start = quads.disturbed(0.1);
    let run = |report: LimitReport, after: &[DVec3]| {
        assert!(report.converged && report.residual < 1e-3, "{report:?}");
        assert!(quads.linear_momentum(&start, after) < 1e-10);
        assert!(quads.angular_momentum(after, &start, after) < 1e-10);
    };
    let settings = LagrangianSettings::default();
    let (report, after) = solve(
        &Lagrangian::new(lengths(&quads), settings),
        &quads,
        &[],
        &start,
    );
    run(report, &after);
    let (report, after) = solve(
        &Lagrangian::new(metric(&quads), settings),
        &quads,
        &[],
        &start,
    );
    run(report, &after);
}

#[test]
fn the_answer_is_the_nearest_and_turns_with_the_world() {
    let sheet = sheet(6, GridPattern::Quads);
    let lagrangian = Lagrangian::new(lengths(&sheet), exact());
    let start = sheet.disturbed(0.05);
    let (report, after) = solve(&lagrangian, &sheet, &[], &start);
    assert!(report.converged, "{report:?}");
    // Nearest: moving on along what the constraints allow gains nothing. M (x − x̂) is then made of gradients
    // alone.
    let mut gradients = vec![[[0.0; LANES]; 3]; 3];
    let mut tangent: Vec<DVec3> = (0..after.len())
        .map(|i| {
            DVec3::new(
                (i as f64).sin(),
                (2.0 * i as f64).cos(),
                (0.5 * i as f64).sin(),
            )
        })
        .collect();
    // A move that keeps all lengths to first order, by many sweeps over the equations.
    for _ in 0..20_000 {
        for stencil in 0..lagrangian.constraints().stencils() {
            let constraints = lagrangian.constraints();
            let nodes = constraints.nodes(stencil);
            constraints.linearise(stencil, &after, &mut gradients[..nodes.len()]);
            for r in 0..constraints.rows(stencil) {
                let gradient = |k: usize| DVec3::from_array([0, 1, 2].map(|a| gradients[k][a][r]));
                let size: f64 = (0..nodes.len()).map(|k| gradient(k).length_squared()).sum();
                let along = (0..nodes.len()).map(|k| gradient(k).dot(tangent[nodes[k] as usize]));
                let part = along.sum::<f64>() / size;
                for (k, &node) in nodes.iter().enumerate() {
                    tangent[node as usize] -= part * gradient(k);
                }
            }
        }
    }
    let product: f64 = (0..after.len())
        .map(|i| sheet.mass(i) * (after[i] - start[i]).dot(tangent[i]))
        .sum();
    let size: f64 = (0..after.len())
        .map(|i| sheet.mass(i) * (after[i] - start[i]).length() * tangent[i].length())
        .sum();
    assert!(product.abs() < 1e-5 * size, "{}", product / size);

    let turn = DQuat::from_euler(glam::EulerRot::XYZ, 0.7, -1.1, 2.0);
    let shift = DVec3::new(3.0, -2.0, 1.0);
    let moved: Vec<DVec3> = start.iter().map(|p| turn * *p + shift).collect();
    let (_, there) = solve(&lagrangian, &sheet, &[], &moved);
    for (here, there) in after.iter().zip(&there) {
        let off = (turn * *here + shift - *there).length();
        assert!(off < 1e-9, "{off:e}");
    }
}

#[test]
fn pins_that_are_pulled_apart_leave_a_residual_and_forces_that_stay() {
    let mut sheet = sheet(6, GridPattern::Quads);
    for corner in [0, 6, 42, 48] {
        sheet.filters[corner] = Filter::Held;
    }
    let apart: Vec<DVec3> = sheet.positions.iter().map(|p| *p * 1.3).collect();
    let lagrangian = Lagrangian::new(lengths(&sheet), LagrangianSettings::default());
    let (mut scratch, mut forces) = (lagrangian.scratch(), vec![0.0; lagrangian.memory()]);
    let mut largest = Vec::new();
    for _ in 0..6 {
        let mut positions = apart.clone();
        let report = lagrangian.apply(
            &sheet.step(),
            &[],
            &mut forces,
            &mut scratch,
            &mut positions,
        );
        assert!(!report.converged && (0.3..1.5).contains(&report.residual));
        assert!(positions.iter().all(|p| p.is_finite() && p.length() < 2.0));
        largest.push(forces.iter().fold(0.0f64, |most, f| most.max(f.abs())));
    }
    assert!(largest[5] <= largest[0] * (1.0 + 1e-12), "{largest:?}");
}

#[test]
fn obstacles_keep_nodes_out_and_rub() {
    let sheet = sheet(4, GridPattern::Quads);
    let pressed: Vec<DVec3> = sheet
        .positions
        .iter()
        .map(|p| *p * 1.02 + DVec3::new(0.003, 0.0, -0.01))
        .collect();
    let obstacles = |friction: f64| -> Vec<Obstacle> {
        (0..pressed.len())
            .map(|i| Obstacle {
                node: i as u32,
                normal: DVec3::Z,
                gap: pressed[i].z,
                friction,
                slip: pressed[i] - sheet.positions[i],
                grip: None,
            })
            .collect()
    };
    let lagrangian = Lagrangian::new(lengths(&sheet), LagrangianSettings::default());
    let slid = |friction: f64| {
        let (report, after) = solve(&lagrangian, &sheet, &obstacles(friction), &pressed);
        assert!(report.converged, "{report:?}");
        assert!(report.least_multiplier.unwrap() >= 0.0);
        let lowest = after.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
        assert!(lowest > -1e-5, "{lowest}");
        let mean = |p: &[DVec3]| p.iter().map(|p| p.x).sum::<f64>() / p.len() as f64;
        mean(&after) - mean(&sheet.positions)
    };
    // The sheet would slide by 3 mm and is pressed by 10: friction of 0.1 takes a millimetre of that, 1 all.
    let (free, some, stuck) = (slid(0.0), slid(0.1), slid(1.0));
    assert!((free - 0.003).abs() < 1e-4, "{free}");
    assert!((some - 0.002).abs() < 2e-4, "{some}");
    assert!(stuck.abs() < 1e-4, "{stuck}");
}
