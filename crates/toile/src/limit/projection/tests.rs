#![allow(clippy::unwrap_used)]

use super::*;
use crate::limit::{Lengths, Metric, jacobian};
use crate::linalg::factor::{Envelope, SparseCholesky};
use crate::mesh::generate::{Grid, GridPattern, Tube, grid, tube};
use crate::mesh::{Mesh, RestShape, Topology};
use glam::{DMat3, DQuat};

struct Sheet {
    mesh: Mesh,
    metric: Metric,
    lengths: Lengths,
    inverse_masses: Vec<f64>,
    filters: Vec<Filter>,
}

fn sheet_of(mesh: Mesh) -> Sheet {
    let topology = Topology::new(mesh.positions.len(), mesh.faces.clone()).unwrap();
    let rest = RestShape::from_positions(&topology, &mesh.positions).unwrap();
    Sheet {
        metric: Metric::new(&topology, &rest, None, 0).unwrap(),
        lengths: Lengths::new(&topology, &rest, 0).unwrap(),
        // Uneven masses, so that symmetry cannot hide an error.
        inverse_masses: (rest.node_areas.iter().enumerate())
            .map(|(k, a)| (1.0 + 0.3 * (k as f64).sin()) / (0.2 * a))
            .collect(),
        filters: vec![Filter::Free; mesh.positions.len()],
        mesh,
    }
}

fn sheet(cells: u32) -> Sheet {
    sheet_of(
        grid(&Grid {
            size: [0.42, 0.297],
            cells: [cells; 2],
            pattern: GridPattern::Quads,
        })
        .unwrap(),
    )
}

impl Sheet {
    fn step(&self) -> LimitStep<'_> {
        LimitStep {
            start: &[],
            h: 0.01,
            inverse_masses: &self.inverse_masses,
            filters: &self.filters,
        }
    }

    /// The sheet bent to a cylinder, each node a little off its place.
    fn candidates(&self, off: f64) -> Vec<DVec3> {
        let place = |(k, p): (usize, &DVec3)| {
            let k = k as f64;
            let noise = DVec3::new((5.3 * k).sin(), (3.7 * k).sin(), (8.1 * k).cos());
            let bent = DVec3::new((4.0 * p.x).sin(), 4.0 * p.y, 1.0 - (4.0 * p.x).cos());
            0.25 * bent + off * noise
        };
        self.mesh.positions.iter().enumerate().map(place).collect()
    }

    fn project(&self, settings: ProjectionSettings, x: &mut [DVec3]) -> LimitReport {
        let projection = Projection::new(self.metric.clone(), settings).unwrap();
        projection.apply(&self.step(), &mut projection.scratch(), x)
    }
}

fn exact() -> ProjectionSettings {
    ProjectionSettings {
        tolerance: 1e-10,
        max_iterations: 60,
        ..Default::default()
    }
}

fn momentum(sheet: &Sheet, moves: impl Iterator<Item = DVec3>) -> DVec3 {
    moves.zip(&sheet.inverse_masses).map(|(m, w)| m / *w).sum()
}

#[test]
fn the_equations_hold_after_it_and_newton_agrees_with_the_kept_factor() {
    let sheet = sheet(6);
    let mut kept = sheet.candidates(2e-3);
    let reuse = Reuse::Step;
    let report = sheet.project(ProjectionSettings { reuse, ..exact() }, &mut kept);
    assert!(report.converged && report.residual < 1e-10, "{report:?}");
    let worst = jacobian(&sheet.metric, &kept)
        .iter()
        .map(|r| r.0.abs())
        .fold(0.0, f64::max);
    assert!((worst - report.residual).abs() < 1e-14);
    let mut newton = sheet.candidates(2e-3);
    let other = sheet.project(exact(), &mut newton);
    assert!(other.converged && other.iterations < report.iterations);
    // Both end on the surface of isometric shapes, near each other but not at the same point.
    let apart = kept.iter().zip(&newton).map(|(a, b)| a.distance(*b));
    assert!(apart.fold(0.0, f64::max) < 1e-3);
}

#[test]
fn a_free_sheet_keeps_its_momentum_and_its_angular_momentum() {
    for cells in [3, 6] {
        let sheet = sheet(cells);
        let before = sheet.candidates(2e-3);
        let mut x = before.clone();
        // One iteration: moments are kept about the positions where gradients were taken.
        let settings = ProjectionSettings {
            max_iterations: 1,
            ..exact()
        };
        sheet.project(settings, &mut x);
        let moves = || x.iter().zip(&before).map(|(a, b)| *a - *b);
        let size: f64 = moves()
            .zip(&sheet.inverse_masses)
            .map(|(m, w)| m.length() / w)
            .sum();
        assert!(size > 1e-6);
        let linear = momentum(&sheet, moves());
        let angular = momentum(&sheet, moves().zip(&before).map(|(m, p)| p.cross(m)));
        assert!(linear.length() < 1e-10 * size, "{linear}");
        assert!(angular.length() < 1e-10 * size, "{angular}");
    }
}

#[test]
fn the_result_turns_with_the_cloth() {
    let sheet = sheet(6);
    let turn = DMat3::from_quat(DQuat::from_axis_angle(
        DVec3::new(0.3, 1.0, -0.7).normalize(),
        1.3,
    ));
    let shift = DVec3::new(2.0, -1.0, 3.0);
    let mut x = sheet.candidates(2e-3);
    let mut turned: Vec<DVec3> = x.iter().map(|p| turn * *p + shift).collect();
    sheet.project(exact(), &mut x);
    sheet.project(exact(), &mut turned);
    for (p, q) in x.iter().zip(&turned) {
        assert!((turn * *p + shift).distance(*q) < 1e-9);
    }
}

#[test]
fn held_and_sliding_nodes_move_only_as_they_may() {
    let mut sheet = sheet(6);
    let normal = DVec3::new(1.0, 1.0, 0.5).normalize();
    sheet.filters[0] = Filter::Held;
    sheet.filters[1] = Filter::Held;
    sheet.filters[48] = Filter::Sliding(normal);
    sheet.filters[42] = Filter::Line(normal);
    sheet.inverse_masses[6] = 0.0;
    let before = sheet.candidates(1e-3);
    let mut x = before.clone();
    let report = sheet.project(ProjectionSettings::default(), &mut x);
    assert!(report.residual.is_finite());
    assert_eq!([x[0], x[1], x[6]], [before[0], before[1], before[6]]);
    assert!((x[48] - before[48]).dot(normal).abs() < 1e-15);
    let along = x[42] - before[42];
    assert!((along - along.dot(normal) * normal).length() < 1e-15);
}

#[test]
fn pins_pulled_apart_leave_finite_positions_and_a_residual() {
    let mut sheet = sheet(6);
    for node in [0, 6, 42, 48] {
        sheet.filters[node] = Filter::Held;
    }
    // A fifth longer than the cloth: 1.2² − 1 = 0.44 at least somewhere.
    let start: Vec<DVec3> = sheet
        .mesh
        .positions
        .iter()
        .map(|p| DVec3::new(1.2 * p.x, p.y, 0.0))
        .collect();
    for off in [0.0, 1e-3] {
        let mut x: Vec<DVec3> = start.clone();
        for (k, p) in x.iter_mut().enumerate() {
            p.z = off
                * (5.1 * k as f64).sin()
                * f64::from(u8::from(sheet.filters[k] == Filter::Free));
        }
        let report = sheet.project(ProjectionSettings::default(), &mut x);
        assert!(!report.converged && report.residual > 0.4, "{report:?}");
        assert!(x.iter().all(|p| p.is_finite()));
        let farthest = x
            .iter()
            .zip(&start)
            .map(|(a, b)| a.distance(*b))
            .fold(0.0, f64::max);
        assert!(farthest < 0.2, "{farthest}");
        assert_eq!(x[48], start[48]);
    }
}

#[test]
fn candidates_that_are_no_numbers_are_left_alone() {
    let sheet = sheet(3);
    let mut x = sheet.candidates(0.0);
    x[5] = DVec3::NAN;
    let report = sheet.project(ProjectionSettings::default(), &mut x);
    assert!(!report.converged && report.residual.is_nan());
}

#[test]
fn scratch_from_other_steps_changes_nothing() {
    let sheet = sheet(5);
    let projection = Projection::new(sheet.metric.clone(), Default::default()).unwrap();
    let (mut fresh, mut used) = (projection.scratch(), projection.scratch());
    let mut other = sheet.candidates(8e-3);
    projection.apply(&sheet.step(), &mut used, &mut other);
    let (mut a, mut b) = (sheet.candidates(2e-3), sheet.candidates(2e-3));
    let first = projection.apply(&sheet.step(), &mut fresh, &mut a);
    let second = projection.apply(&sheet.step(), &mut used, &mut b);
    assert_eq!(first, second);
    assert_eq!(a, b);
}

#[test]
fn both_factors_give_the_same_step() {
    // 33 × 33 inner nodes make 3407 equations: more than the envelope is used for.
    let large = Projection::new(self::sheet(34).metric, Default::default()).unwrap();
    assert_eq!(
        matches!(large.plan.factor, Factor::Sparse(_)),
        cfg!(feature = "direct")
    );
    let sheet = sheet(20);
    let projection = Projection::new(sheet.metric.clone(), Default::default()).unwrap();
    let mut x = sheet.candidates(2e-4);
    let report = projection.apply(&sheet.step(), &mut projection.scratch(), &mut x);
    assert!(report.converged, "{report:?}");
    let small = Projection::new(sheet.metric.clone(), Default::default()).unwrap();
    let scratch = small.scratch();
    let rows = scratch.factor.padded_rows();
    let pattern: Vec<Vec<usize>> = (0..rows)
        .map(|r| (0..=r).filter(|c| r - c < 7).collect())
        .collect();
    // A banded matrix of known solution, through both.
    let first: Vec<usize> = pattern.iter().map(|c| c[0]).collect();
    let mut factors = vec![Factor::Envelope(Envelope::new(&first))];
    factors.extend(
        SparseCholesky::new(pattern.iter().map(|row| row.iter().copied())).map(Factor::Sparse),
    );
    for factor in &mut factors {
        let (mut right, mut places) = (vec![0.0; rows], Vec::new());
        for (row, columns) in pattern.iter().enumerate() {
            for &column in columns {
                let value = if row == column {
                    9.0
                } else {
                    -1.0 / (1 + row - column) as f64
                };
                places.push((factor.place(row, column), value));
                right[row] += value * column as f64;
                if row != column {
                    right[column] += value * row as f64;
                }
            }
        }
        factor.values_mut().fill(0.0);
        for (place, value) in places {
            factor.values_mut()[place] = value;
        }
        assert!(factor.factor(0.0));
        right.resize(factor.padded_rows(), 0.0);
        factor.solve(&mut right);
        for (k, x) in right[..rows].iter().enumerate() {
            assert!((x - k as f64).abs() < 1e-9 * (1.0 + k as f64), "{k}: {x}");
        }
    }
}

#[test]
fn lengths_and_closed_tubes_are_projected_too() {
    let sheet = sheet(6);
    let projection = Projection::new(sheet.lengths.clone(), exact()).unwrap();
    let mut x = sheet.candidates(1e-3);
    let report = projection.apply(&sheet.step(), &mut projection.scratch(), &mut x);
    assert!(report.converged, "{report:?}");
    let round = tube(&Tube {
        radius: 0.1,
        top_radius: None,
        height: 0.3,
        cells: [12, 5],
        pattern: GridPattern::Quads,
    });
    let round = sheet_of(round.unwrap());
    let noise = |k: usize| 5e-4 * DVec3::new((3.3 * k as f64).sin(), 0.0, (k as f64).cos());
    let mut x: Vec<DVec3> = (round.mesh.positions.iter().enumerate())
        .map(|(k, p)| *p + noise(k))
        .collect();
    let report = round.project(ProjectionSettings::default(), &mut x);
    assert!(report.converged, "{report:?}");
}

#[test]
fn settings_without_sense_are_refused_by_name() {
    let sheet = sheet(2);
    for (tolerance, damping, name) in [
        (0.0, 1e-8, "tolerance"),
        (f64::NAN, 1e-8, "tolerance"),
        (1e-3, -1.0, "damping"),
    ] {
        let settings = ProjectionSettings {
            tolerance,
            damping,
            ..Default::default()
        };
        let error = Projection::new(sheet.metric.clone(), settings).unwrap_err();
        assert!(error.to_string().contains(name), "{error}");
    }
}

mod obstacles {
    use super::*;

    fn floor(node: u32, position: DVec3, height: f64) -> Obstacle {
        Obstacle {
            node,
            normal: DVec3::Z,
            gap: position.z - height,
            friction: 0.0,
            slip: DVec3::ZERO,
            grip: None,
        }
    }

    #[test]
    fn a_sheet_pressed_into_the_floor_lies_on_it_and_stays_isometric() {
        let sheet = sheet(6);
        let mut x = sheet.candidates(1e-3);
        let height = 0.01;
        let obstacles: Vec<Obstacle> = (0..49).map(|n| floor(n, x[n as usize], height)).collect();
        let projection = Projection::new(sheet.metric.clone(), Default::default()).unwrap();
        let report = projection.apply_with_obstacles(
            &sheet.step(),
            &obstacles,
            &mut projection.scratch(),
            &mut x,
        );
        assert!(report.converged, "{report:?}");
        assert!(report.least_multiplier.unwrap() >= 0.0);
        let lowest = x.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
        assert!((lowest - height).abs() < 1e-9, "{lowest}");
    }

    #[test]
    fn friction_stops_a_slow_sheet_and_slows_a_fast_one() {
        // A flat sheet that has sunk by d and slid by s. Its nodes are pushed out by d each, so friction may
        // push each back by μ d: it stops if s ≤ μ d and else slides by s − μ d.
        let sheet = sheet(4);
        let (sunk, friction) = (1e-4, 0.5);
        for (slid, expected) in [(3e-5, 0.0), (2e-4, 1.5e-4)] {
            let mut x: Vec<DVec3> = sheet
                .mesh
                .positions
                .iter()
                .map(|p| *p + DVec3::new(slid, 0.0, -sunk))
                .collect();
            let obstacles: Vec<Obstacle> = (0..25)
                .map(|n| Obstacle {
                    friction,
                    slip: DVec3::X * slid,
                    grip: None,
                    ..floor(n, x[n as usize], 0.0)
                })
                .collect();
            let projection = Projection::new(sheet.metric.clone(), Default::default()).unwrap();
            let report = projection.apply_with_obstacles(
                &sheet.step(),
                &obstacles,
                &mut projection.scratch(),
                &mut x,
            );
            assert!(report.converged);
            for (p, rest) in x.iter().zip(&sheet.mesh.positions) {
                let slip = *p - *rest;
                assert!((slip.x - expected).abs() < 1e-9, "{slip}");
                assert!(slip.y.abs() < 1e-9 && slip.z.abs() < 1e-12, "{slip}");
            }
        }
    }
}
