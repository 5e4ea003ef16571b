#![allow(clippy::unwrap_used)]

use super::super::fixture::{STEP, Sheet, largest_distance, rigid, sheet};
use super::*;
use crate::mesh::Face;
use crate::mesh::generate::{Diagonals, GridPattern};

const SOLVERS: [InequalitySolver; 3] = [
    InequalitySolver::ActiveSet,
    InequalitySolver::Barrier,
    InequalitySolver::PrimalDual,
];
const LOOSE: f64 = 1e6;

/// To the nearest positions within the limits, exactly.
fn exact(stretch: f64, solver: InequalitySolver) -> InequalitySettings {
    InequalitySettings {
        stretch,
        solver,
        stationarity: Some(1e-9),
        tolerance: 1e-9,
        max_iterations: 2000,
        max_linear_iterations: 2000,
        ..Default::default()
    }
}

/// A right-angled triangle of unit legs with edges 0–1, 0–2 and 1–2, of rest lengths 1, √2 and 1.
fn triangle(settings: InequalitySettings, stretches: [f64; 3]) -> InequalityLimit {
    let topology = Topology::new(3, vec![Face::Tri([0, 1, 2])]).unwrap();
    let corners = [DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.0)];
    let rest = RestShape::from_positions(&topology, &corners).unwrap();
    InequalityLimit::with_stretches(&topology, &rest, 0, settings, &stretches).unwrap()
}

fn limit_of(sheet: &Sheet, settings: InequalitySettings) -> InequalityLimit {
    InequalityLimit::new(&sheet.topology, &sheet.rest, 0, settings).unwrap()
}

#[test]
fn one_edge_between_two_masses_is_shortened_to_its_limit() {
    for solver in SOLVERS {
        // 1.2 m, at most 1.01 m: 0.19 m to share. λ = c L² / (h² (w₁ + w₂)).
        for (weights, expected) in [([1.0, 1.0], [0.095, 1.105]), ([0.0, 2.0], [0.0, 1.01])] {
            let limit = triangle(exact(0.01, solver), [0.01, LOOSE, LOOSE]);
            let mut positions = vec![DVec3::ZERO, 1.2 * DVec3::X, DVec3::Y];
            let step = LimitStep {
                start: &[],
                h: STEP,
                inverse_masses: &[weights[0], weights[1], 1.0],
                filters: &[Filter::Free; 3],
            };
            let mut scratch = InequalityScratch::default();
            let report = limit.apply(&step, &mut scratch, &mut positions);
            assert!(report.converged, "{solver:?} {report:?}");
            for k in 0..2 {
                assert!((positions[k] - expected[k] * DVec3::X).length() < 1e-8);
            }
            assert!(positions[2].distance(DVec3::Y) < 1e-8);
            let multiplier = 0.19 * 1.01 / (STEP * STEP * (weights[0] + weights[1]));
            assert!((scratch.multipliers()[0] / multiplier - 1.0).abs() < 1e-6);
            // A force of λ / L pulls the second node towards the first.
            assert!((scratch.forces()[1].x * 1.01 / multiplier + 1.0).abs() < 1e-6);
        }
    }
}

#[test]
fn a_hanging_chain_of_three_masses_gives_the_multipliers_found_by_hand() {
    // Node 0 is held, masses of 1 kg at depths a and b, links of at most 1 m. Stationarity: b − b̂ + λ₂ = 0
    // and a − â + λ₁ − λ₂ = 0 (in units of h²).
    let cases = [
        ([1.1, 2.3], [1.0, 2.0], [0.4, 0.3]),
        // The second link is slack and stays so.
        ([1.1, 1.9], [1.0, 1.9], [0.1, 0.0]),
        // The first is slack until the second pulls on it.
        ([0.9, 2.3], [1.0, 2.0], [0.2, 0.3]),
        // Only the second: both masses give way.
        ([0.5, 1.7], [0.6, 1.6], [0.0, 0.1]),
    ];
    for solver in SOLVERS {
        for (candidate, expected, multipliers) in cases {
            let limit = triangle(exact(0.0, solver), [0.0, LOOSE, 0.0]);
            let mut positions = vec![
                DVec3::ZERO,
                -candidate[0] * DVec3::Z,
                -candidate[1] * DVec3::Z,
            ];
            let step = LimitStep {
                start: &[],
                h: STEP,
                inverse_masses: &[1.0; 3],
                filters: &[Filter::Held, Filter::Free, Filter::Free],
            };
            let mut scratch = InequalityScratch::default();
            let report = limit.apply(&step, &mut scratch, &mut positions);
            assert!(report.converged, "{solver:?} {report:?}");
            for k in 0..2 {
                assert!(
                    (positions[k + 1].z + expected[k]).abs() < 1e-7,
                    "{solver:?}"
                );
                let multiplier = scratch.multipliers()[2 * k] * STEP * STEP;
                assert!(
                    (multiplier - multipliers[k]).abs() < 1e-6,
                    "{solver:?} {multiplier}"
                );
            }
        }
    }
}

#[test]
fn the_three_solvers_agree_and_only_constraints_at_their_limit_push() {
    for pattern in [
        GridPattern::Quads,
        GridPattern::Triangles(Diagonals::Forward),
    ] {
        let mut sheet = sheet(4, pattern);
        sheet.filters[20] = Filter::Held;
        sheet.filters[24] = Filter::Sliding(DVec3::Y);
        let candidates = sheet.disturbed(0.1);
        let mut found = Vec::new();
        for solver in SOLVERS {
            let limit = limit_of(&sheet, exact(0.01, solver));
            let mut positions = candidates.clone();
            let mut scratch = InequalityScratch::default();
            let report = limit.apply(&sheet.step(), &mut scratch, &mut positions);
            assert!(report.converged, "{pattern:?} {solver:?} {report:?}");
            assert!(report.residual <= 1e-9 && report.least_multiplier.unwrap() >= 0.0);
            let largest = scratch.multipliers().iter().fold(0.0f64, |a, &b| a.max(b));
            let mut at_limit = 0;
            for (c, multiplier) in scratch.values().iter().zip(scratch.multipliers()) {
                assert!(
                    (multiplier / largest).min(-c) < 1e-7,
                    "{solver:?} {c} {multiplier}"
                );
                at_limit += u32::from(*c > -1e-8);
            }
            assert!(at_limit > 10 && at_limit < scratch.values().len() as u32);
            found.push(positions);
        }
        assert!(largest_distance(&found[0], &candidates) > 0.01);
        for other in &found[1..] {
            let distance = largest_distance(&found[0], other);
            assert!(distance < 1e-7, "{pattern:?} {distance:e}");
        }
    }
}

#[test]
fn multipliers_lead_to_the_same_positions_as_interior_points() {
    let sheet = sheet(6, GridPattern::Triangles(Diagonals::Alternating));
    let candidates = sheet.disturbed(0.15);
    let run = |solver| {
        let mut positions = candidates.clone();
        let mut scratch = InequalityScratch::default();
        let settings = InequalitySettings {
            tolerance: if solver == InequalitySolver::Multipliers {
                1e-6
            } else {
                1e-9
            },
            ..exact(0.01, solver)
        };
        let limit = limit_of(&sheet, settings);
        let report = limit.apply(&sheet.step(), &mut scratch, &mut positions);
        assert!(report.converged, "{solver:?} {report:?}");
        assert!(report.least_multiplier.unwrap() >= 0.0);
        (positions, scratch.multipliers().to_vec())
    };
    let (nearest, pulls) = run(InequalitySolver::PrimalDual);
    let (found, found_pulls) = run(InequalitySolver::Multipliers);
    let moved = largest_distance(&nearest, &candidates);
    let apart = largest_distance(&nearest, &found);
    // Multipliers stop when `L` is right to 1e-9: 5e-5 in the norm of the masses, and more at a single node.
    assert!(apart < 2e-3 * moved, "{apart} of {moved}");
    let largest = pulls.iter().copied().fold(0.0, f64::max);
    for (a, b) in pulls.iter().zip(&found_pulls) {
        assert!((a - b).abs() < 0.01 * largest, "{a} {b} of {largest}");
    }
}

#[test]
fn the_papers_sequence_ends_within_the_limits_near_the_nearest_positions() {
    let sheet = sheet(8, GridPattern::Triangles(Diagonals::Alternating));
    let candidates = sheet.disturbed(0.1);
    let run = |settings| {
        let mut positions = candidates.clone();
        let mut scratch = InequalityScratch::default();
        let report = limit_of(&sheet, settings).apply(&sheet.step(), &mut scratch, &mut positions);
        assert!(report.converged, "{report:?}");
        positions
    };
    let nearest = run(exact(0.01, InequalitySolver::PrimalDual));
    let paper = run(InequalitySettings {
        tolerance: 1e-4,
        solver: InequalitySolver::ActiveSet,
        ..Default::default()
    });
    let (moved, apart) = (
        largest_distance(&nearest, &candidates),
        largest_distance(&nearest, &paper),
    );
    assert!(apart < 0.2 * moved && apart > 1e-6, "{apart} of {moved}");
}

#[test]
fn gradients_and_curvatures_are_those_of_finite_differences() {
    let sheet = sheet(2, GridPattern::Quads);
    let limit = limit_of(
        &sheet,
        InequalitySettings {
            solver: InequalitySolver::ActiveSet,
            ..Default::default()
        },
    );
    let x = sheet.disturbed(0.3);
    let obstacles = [Obstacle {
        node: 4,
        normal: DVec3::new(0.6, 0.0, 0.8),
        gap: -0.02,
        friction: 0.0,
        slip: DVec3::ZERO,
        grip: None,
    }];
    let problem = Problem {
        pairs: &limit.pairs,
        obstacles: &obstacles,
        unit: limit.mean_length,
        h: STEP,
        weights: &sheet.inverse_masses,
        filters: &sheet.filters,
        start: &sheet.positions,
    };
    for constraint in 0..problem.count() {
        let gradient = problem.gradient(constraint, &x);
        let curvature = problem.curvature(constraint, &x);
        for (k, node) in gradient.nodes.into_iter().enumerate() {
            if k == 1 && constraint >= limit.pairs.len() {
                continue;
            }
            for axis in 0..3 {
                let at = |delta: f64| {
                    let mut moved = x.clone();
                    moved[node][axis] += delta;
                    (
                        problem.value(constraint, &moved),
                        problem.gradient(constraint, &moved).at[k],
                    )
                };
                let ((low, low_slope), (high, high_slope)) = (at(-1e-6), at(1e-6));
                let error = (high - low) / 2e-6 - gradient.at[k][axis];
                assert!(
                    error.abs() < 1e-8 * (1.0 + gradient.at[k].length()),
                    "{error}"
                );
                let second = (high_slope - low_slope) / 2e-6;
                let expected = curvature.map_or(DVec3::ZERO, |c| c.col(axis));
                assert!((second - expected).length() < 1e-8 * (1.0 + expected.length()) * 10.0);
            }
        }
    }
}

#[test]
fn a_free_sheet_keeps_its_momentum() {
    let sheet = sheet(5, GridPattern::Triangles(Diagonals::Forward));
    let before = sheet.disturbed(0.1);
    let settings = InequalitySettings {
        tolerance: 1e-4,
        solver: InequalitySolver::ActiveSet,
        ..Default::default()
    };
    let limit = limit_of(&sheet, settings);
    let mut scratch = InequalityScratch::default();
    let mut after = before.clone();
    limit.apply(&sheet.step(), &mut scratch, &mut after);
    assert!(sheet.linear_momentum(&before, &after) < 1e-12);
    let force: DVec3 = scratch.forces().iter().sum();
    let size: f64 = scratch.forces().iter().map(|f| f.length()).sum();
    assert!(force.length() < 1e-12 * size);
    // The force is the move: −Σ Jᵀλ = m Δx / h².
    for node in 0..after.len() {
        let moved = (after[node] - before[node]) * sheet.mass(node) / (STEP * STEP);
        assert!((moved - scratch.forces()[node]).length() < 1e-10 * size);
    }
}

#[test]
fn solved_exactly_no_solver_sees_the_frame_or_changes_momentum() {
    // Stopped early, the active set does: comparisons decide which rows are active, and rounding decides the
    // close ones. Where it ends does not depend on its way there.
    for pattern in [
        GridPattern::Quads,
        GridPattern::Triangles(Diagonals::Forward),
    ] {
        let sheet = sheet(5, pattern);
        let before = sheet.disturbed(0.1);
        for solver in SOLVERS {
            let limit = limit_of(&sheet, exact(0.01, solver));
            let mut scratch = InequalityScratch::default();
            let mut here = before.clone();
            let report = limit.apply(&sheet.step(), &mut scratch, &mut here);
            assert!(report.residual <= 1e-9, "{pattern:?} {solver:?} {report:?}");
            assert!(sheet.linear_momentum(&before, &here) < 1e-10, "{solver:?}");
            let mut there: Vec<DVec3> = before.iter().copied().map(rigid).collect();
            limit.apply(&sheet.step(), &mut scratch, &mut there);
            let turned: Vec<DVec3> = here.iter().copied().map(rigid).collect();
            let apart = largest_distance(&turned, &there);
            assert!(apart < 1e-9, "{pattern:?} {solver:?} {apart:e}");
        }
    }
}

#[test]
fn one_round_keeps_angular_momentum_about_where_it_started() {
    let sheet = sheet(5, GridPattern::Quads);
    let settings = InequalitySettings {
        max_iterations: 1,
        levels: 1,
        solver: InequalitySolver::ActiveSet,
        ..Default::default()
    };
    let before = sheet.disturbed(0.1);
    let mut after = before.clone();
    let mut scratch = InequalityScratch::default();
    limit_of(&sheet, settings).apply(&sheet.step(), &mut scratch, &mut after);
    assert!(sheet.angular_momentum(&before, &before, &after) < 1e-12);
}

#[test]
fn obstacles_hold_in_the_same_solve_as_edges() {
    // The free end of an edge must come back by 0.2 m, but a wall at x = 0.9 with its inside below keeps the
    // held end's partner out: it is the node that sits on the wall which may not follow.
    for solver in SOLVERS {
        let limit = triangle(exact(0.0, solver), [0.0, LOOSE, LOOSE]);
        let mut positions = vec![DVec3::ZERO, 1.2 * DVec3::X, DVec3::Y];
        let step = LimitStep {
            start: &[],
            h: STEP,
            inverse_masses: &[1.0; 3],
            filters: &[Filter::Free; 3],
        };
        let wall = Obstacle {
            node: 1,
            normal: DVec3::X,
            gap: 0.05,
            friction: 0.0,
            slip: DVec3::ZERO,
            grip: None,
        };
        let elsewhere = Obstacle { node: 99, ..wall };
        let mut scratch = InequalityScratch::default();
        let input = InequalityInput {
            obstacles: &[elsewhere, wall],
            multipliers: &[],
        };
        let report = limit.apply_with(&step, &mut scratch, &input, &mut [], &mut positions);
        // Without the wall both would move by 0.1; it lets node 1 move by 0.05 only, and node 0 makes up for
        // it. Node 0 gets λ₁ h² = 0.15 (L = 1), node 1 the difference to 0.05 from the wall: 0.1 = λ₂ h² /
        // mean length.
        assert!(report.converged, "{solver:?} {report:?}");
        assert!((positions[0].x - 0.15).abs() < 1e-7 && (positions[1].x - 1.15).abs() < 1e-7);
        let mean = (2.0 + 2f64.sqrt()) / 3.0;
        let multipliers = scratch.multipliers();
        assert_eq!(multipliers.len(), 4);
        assert!((multipliers[0] * STEP * STEP - 0.15).abs() < 1e-6);
        assert!((multipliers[3] * STEP * STEP - 0.1 * mean).abs() < 1e-6);
    }
}

#[test]
fn a_node_inside_an_obstacle_is_pushed_to_its_surface() {
    let limit = triangle(
        InequalitySettings {
            solver: InequalitySolver::ActiveSet,
            ..Default::default()
        },
        [LOOSE; 3],
    );
    let mut positions = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
    let step = LimitStep {
        start: &[],
        h: STEP,
        inverse_masses: &[1.0; 3],
        filters: &[Filter::Free; 3],
    };
    let floor = Obstacle {
        node: 2,
        normal: DVec3::Z,
        gap: -0.03,
        friction: 0.0,
        slip: DVec3::ZERO,
        grip: None,
    };
    let mut scratch = InequalityScratch::default();
    let input = InequalityInput {
        obstacles: &[floor],
        multipliers: &[],
    };
    let report = limit.apply_with(&step, &mut scratch, &input, &mut [], &mut positions);
    assert!(report.converged);
    assert!((positions[2] - DVec3::new(0.0, 1.0, 0.03)).length() < 1e-6);
}

#[test]
fn fixed_lengths_hold_from_both_sides_and_one_sided_ones_do_not() {
    let sheet = sheet(4, GridPattern::Triangles(Diagonals::Forward));
    let squeezed: Vec<DVec3> = sheet
        .positions
        .iter()
        .map(|p| DVec3::new(0.97 * p.x, p.y, 0.02 * (7.0 * p.x).sin()))
        .collect();
    let run = |sides| {
        let settings = InequalitySettings {
            stretch: 0.0,
            sides,
            tolerance: 1e-6,
            max_linear_iterations: 2000,
            solver: InequalitySolver::ActiveSet,
            ..Default::default()
        };
        let mut positions = squeezed.clone();
        let mut scratch = InequalityScratch::default();
        let report = limit_of(&sheet, settings).apply(&sheet.step(), &mut scratch, &mut positions);
        assert!(report.converged, "{sides:?} {report:?}");
        let edges = sheet.topology.edges.iter().zip(&sheet.rest.edge_lengths);
        edges
            .map(|(e, l)| {
                let [a, b] = e.nodes.map(|n| positions[n as usize]);
                a.distance(b) / l
            })
            .fold(f64::INFINITY, f64::min)
    };
    assert!(run(Sides::Two) > 1.0 - 2e-6);
    assert!(run(Sides::One) < 0.99);
}

#[test]
fn pins_pulled_apart_leave_finite_positions_and_an_honest_residual() {
    for solver in SOLVERS {
        let mut sheet = sheet(6, GridPattern::Quads);
        let mut positions = sheet.positions.clone();
        for node in 0..7 {
            sheet.filters[node] = Filter::Held;
            sheet.filters[42 + node] = Filter::Held;
            positions[42 + node].y += 1.0;
        }
        let settings = InequalitySettings {
            stretch: 0.0,
            solver,
            ..Default::default()
        };
        let mut scratch = InequalityScratch::default();
        let report = limit_of(&sheet, settings).apply(&sheet.step(), &mut scratch, &mut positions);
        assert!(!report.converged);
        // Twice as long as allowed, however it is shared, is at least 1; the last row alone, as it came, 6.
        assert!(
            (0.99..6.01).contains(&report.residual),
            "{solver:?} {report:?}"
        );
        assert!(positions.iter().all(|p| p.is_finite() && p.length() < 2.0));
    }
}

#[test]
fn a_world_with_other_cloth_in_it_changes_nothing() {
    let alone = sheet(3, GridPattern::Quads);
    let mut expected = alone.disturbed(0.1);
    let settings = InequalitySettings {
        solver: InequalitySolver::ActiveSet,
        ..Default::default()
    };
    limit_of(&alone, settings).apply(
        &alone.step(),
        &mut InequalityScratch::default(),
        &mut expected,
    );
    let shifted = InequalityLimit::new(&alone.topology, &alone.rest, 5, settings).unwrap();
    let mut world = vec![DVec3::ONE; 5];
    world.extend(alone.disturbed(0.1));
    let mut weights = vec![1.0; 5];
    weights.extend(&alone.inverse_masses);
    let filters = vec![Filter::Free; world.len()];
    let step = LimitStep {
        start: &[],
        h: STEP,
        inverse_masses: &weights,
        filters: &filters,
    };
    shifted.apply(&step, &mut InequalityScratch::default(), &mut world);
    assert_eq!(world[..5], [DVec3::ONE; 5]);
    assert_eq!(world[5..], expected);
}

#[test]
fn limits_that_hold_already_leave_every_bit() {
    for solver in SOLVERS {
        let sheet = sheet(3, GridPattern::Quads);
        let settings = InequalitySettings {
            solver,
            ..Default::default()
        };
        let mut positions = sheet.positions.clone();
        let mut scratch = InequalityScratch::default();
        let report = limit_of(&sheet, settings).apply(&sheet.step(), &mut scratch, &mut positions);
        assert_eq!((report.iterations, report.converged), (0, true));
        assert_eq!(report.least_multiplier, Some(0.0));
        assert_eq!(positions, sheet.positions);
    }
}

#[test]
fn bad_settings_are_refused_by_name() {
    let sheet = sheet(2, GridPattern::Quads);
    let error = |settings| {
        InequalityLimit::new(&sheet.topology, &sheet.rest, 0, settings)
            .err()
            .map(|e| e.to_string())
            .unwrap_or_default()
    };
    let good = InequalitySettings {
        solver: InequalitySolver::ActiveSet,
        ..Default::default()
    };
    for stretch in [-0.01, f64::NAN, f64::INFINITY] {
        assert!(error(InequalitySettings { stretch, ..good }).starts_with("edge 0: the allowed"));
    }
    let tolerance = 0.0;
    assert!(error(InequalitySettings { tolerance, ..good }).starts_with("the tolerance"));
    let stationarity = Some(-1.0);
    assert!(
        error(InequalitySettings {
            stationarity,
            ..good
        })
        .starts_with("the stationarity")
    );
    let fixed = InequalitySettings {
        sides: Sides::Two,
        solver: InequalitySolver::Barrier,
        ..good
    };
    assert!(error(fixed).contains("use multipliers or the active set"));
    assert!(matches!(
        InequalityLimit::with_stretches(&sheet.topology, &sheet.rest, 0, good, &[0.1]),
        Err(InequalityError::Count { given: 1, .. })
    ));
}
