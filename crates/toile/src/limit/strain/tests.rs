#![allow(clippy::unwrap_used)]

use super::super::fixture::{STEP, Sheet, largest_distance, rigid, sheet};
use super::*;
use crate::mesh::Face;
use crate::mesh::generate::{Diagonals, Grid, GridPattern, grid};

const PATTERNS: [GridPattern; 2] = [
    GridPattern::Quads,
    GridPattern::Triangles(Diagonals::Alternating),
];
const SWEEPS: [Sweep; 2] = [Sweep::Jacobi, Sweep::GaussSeidel];

fn bounds(stretch: f64, compression: f64) -> StrainBounds {
    StrainBounds {
        stretch,
        compression,
    }
}

/// One triangle with a right angle at the origin, whose first edge is looked at alone.
fn one_edge(bounds_of_edge: StrainBounds, sweep: Sweep) -> (StrainLimit, [f64; 3]) {
    let topology = Topology::new(3, vec![Face::Tri([0, 1, 2])]).unwrap();
    let rest = RestShape::from_positions(&topology, &[DVec3::ZERO, DVec3::X, DVec3::Y]).unwrap();
    let settings = StrainSettings {
        sweep,
        ..Default::default()
    };
    let loose = bounds(f64::INFINITY, 1.0);
    let limit = StrainLimit::with_bounds(
        &topology,
        &rest,
        0,
        settings,
        &[bounds_of_edge, loose, loose],
    );
    (limit.unwrap(), [0.0; 3])
}

fn pull(length: f64, bounds_of_edge: StrainBounds, weights: [f64; 2], sweep: Sweep) -> [f64; 2] {
    let (limit, _) = one_edge(bounds_of_edge, sweep);
    let mut positions = vec![DVec3::ZERO, length * DVec3::X, DVec3::Y];
    let step = LimitStep {
        start: &[],
        h: STEP,
        inverse_masses: &[weights[0], weights[1], 1.0],
        filters: &[Filter::Free; 3],
    };
    let report = limit.apply(&step, &mut StrainScratch::default(), &mut positions);
    assert!(report.converged && report.iterations == 1, "{report:?}");
    assert_eq!(positions[2], DVec3::Y);
    [positions[0].x, positions[1].x]
}

#[test]
fn one_edge_is_brought_to_its_bound_and_shared_by_inverse_mass() {
    for sweep in SWEEPS {
        // 1.3 m with 10 % allowed: 0.2 m too long. Equal masses take half each, a fixed end nothing, 3:1 as
        // 3:1.
        for (weights, expected) in [
            ([1.0, 1.0], [0.1, 1.2]),
            ([0.0, 2.0], [0.0, 1.1]),
            ([3.0, 1.0], [0.15, 1.25]),
        ] {
            let moved = pull(1.3, bounds(0.1, 1.0), weights, sweep);
            for k in 0..2 {
                assert!(
                    (moved[k] - expected[k]).abs() < 1e-14,
                    "{sweep:?} {moved:?}"
                );
            }
        }
        // 0.7 m with no compression allowed: 0.3 m too short.
        let moved = pull(0.7, bounds(0.1, 0.0), [1.0, 1.0], sweep);
        assert!((moved[0] + 0.15).abs() < 1e-14 && (moved[1] - 0.85).abs() < 1e-14);
    }
}

#[test]
fn the_impulse_is_the_gradient_of_the_length() {
    let (limit, _) = one_edge(bounds(0.1, 1.0), Sweep::GaussSeidel);
    let link = &limit.links[0];
    let at = vec![
        DVec3::new(0.1, -0.2, 0.3),
        DVec3::new(1.2, 0.4, -0.5),
        DVec3::Y,
    ];
    let step = LimitStep {
        start: &[],
        h: STEP,
        inverse_masses: &[1.0; 3],
        filters: &[Filter::Free; 3],
    };
    // With unit masses the impulse for an excess of 2 is the gradient with respect to the second node.
    let gradient = link.impulse(&step, &at, 2.0);
    for axis in 0..3 {
        let length = |delta: f64| {
            let mut moved = at.clone();
            moved[1][axis] += delta;
            link.excess(&moved)
        };
        let difference = (length(1e-5) - length(-1e-5)) / 2e-5;
        assert!((difference - gradient[axis]).abs() < 1e-9);
    }
}

fn limit_of(sheet: &Sheet, settings: StrainSettings) -> StrainLimit {
    StrainLimit::new(&sheet.topology, &sheet.rest, 0, settings).unwrap()
}

fn tight(sweep: Sweep) -> StrainSettings {
    StrainSettings {
        edges: bounds(0.02, 0.0),
        cross_edges: Some(bounds(0.05, 1.0)),
        sweep,
        tolerance: 1e-4,
        max_sweeps: 2000,
    }
}

#[test]
fn a_free_sheet_comes_within_bounds_and_keeps_its_momentum() {
    for pattern in PATTERNS {
        let sheet = sheet(8, pattern);
        for sweep in SWEEPS {
            let limit = limit_of(&sheet, tight(sweep));
            let before = sheet.disturbed(0.15);
            let mut after = before.clone();
            let report = limit.apply(&sheet.step(), &mut StrainScratch::default(), &mut after);
            assert!(report.converged, "{pattern:?} {sweep:?} {report:?}");
            assert!(limit.residual(&before) > 0.05);
            assert!(sheet.linear_momentum(&before, &after) < 1e-12);
            // One Jacobi sweep takes all its directions from the same positions, so its moment vanishes about
            // them.
            let once = StrainSettings {
                max_sweeps: 1,
                ..tight(Sweep::Jacobi)
            };
            let mut after = before.clone();
            limit_of(&sheet, once).apply(&sheet.step(), &mut StrainScratch::default(), &mut after);
            assert!(sheet.angular_momentum(&before, &before, &after) < 1e-12);
        }
    }
}

#[test]
fn a_gauss_seidel_sweep_keeps_angular_momentum_colour_by_colour() {
    // Each repair is along the edge as it stands, so x × mΔx vanishes at every one of them; over a sweep the
    // sum about the moving positions does.
    let sheet = sheet(4, GridPattern::Quads);
    let limit = limit_of(&sheet, tight(Sweep::GaussSeidel));
    let mut positions = sheet.disturbed(0.15);
    let mut moment = DVec3::ZERO;
    for colour in 0..limit.colouring.count() {
        for &edge in limit.colouring.class(colour) {
            let link = &limit.links[edge as usize];
            let impulse = link.impulse(&sheet.step(), &positions, link.excess(&positions));
            let [a, b] = link.nodes.map(|n| n as usize);
            moment += positions[a].cross(impulse) - positions[b].cross(impulse);
            positions[a] += sheet.inverse_masses[a] * impulse;
            positions[b] -= sheet.inverse_masses[b] * impulse;
        }
    }
    let mut swept = sheet.disturbed(0.15);
    limit.gauss_seidel(
        &sheet.step(),
        &mut RowScratch::default(),
        &mut [],
        &mut swept,
        false,
    );
    assert_eq!(swept, positions);
    assert!(moment.length() < 1e-16, "{moment}");
}

#[test]
fn the_limit_does_not_see_where_the_sheet_is_nor_how_it_is_turned() {
    let sheet = sheet(6, GridPattern::Triangles(Diagonals::Forward));
    for sweep in SWEEPS {
        let limit = limit_of(&sheet, tight(sweep));
        let mut here = sheet.disturbed(0.1);
        let mut there: Vec<DVec3> = here.iter().copied().map(rigid).collect();
        limit.apply(&sheet.step(), &mut StrainScratch::default(), &mut here);
        limit.apply(&sheet.step(), &mut StrainScratch::default(), &mut there);
        let moved: Vec<DVec3> = here.iter().copied().map(rigid).collect();
        assert!(largest_distance(&moved, &there) < 1e-9);
    }
}

#[test]
fn velocities_that_come_out_lead_to_positions_within_bounds() {
    let mut sheet = sheet(6, GridPattern::Quads);
    sheet.filters[0] = Filter::Held;
    sheet.filters[6] = Filter::Sliding(DVec3::Z);
    let limit = limit_of(&sheet, tight(Sweep::GaussSeidel));
    let goal = sheet.disturbed(0.1);
    let mut velocities: Vec<DVec3> = (goal.iter().zip(&sheet.positions))
        .map(|(goal, start)| (*goal - *start) / STEP)
        .collect();
    let before = velocities.clone();
    let report = limit.filter_velocities(
        &sheet.step(),
        &mut StrainScratch::default(),
        &sheet.positions,
        &mut velocities,
    );
    assert!(report.converged, "{report:?}");
    let arrived: Vec<DVec3> = (sheet.positions.iter().zip(&velocities))
        .map(|(x, v)| *x + STEP * *v)
        .collect();
    assert!(limit.residual(&arrived) <= 1.0001e-4);
    assert_eq!(velocities[0], before[0]);
    assert!((velocities[6].z - before[6].z).abs() < 1e-12 && velocities[6] != before[6]);
}

#[test]
fn pins_pulled_apart_leave_finite_positions_and_an_honest_residual() {
    for sweep in SWEEPS {
        let mut sheet = sheet(6, GridPattern::Quads);
        let mut positions = sheet.positions.clone();
        for node in 0..7 {
            sheet.filters[node] = Filter::Held;
            sheet.filters[42 + node] = Filter::Held;
            positions[42 + node].y += 1.0;
        }
        let settings = StrainSettings {
            edges: bounds(0.1, 1.0),
            sweep,
            max_sweeps: 500,
            ..Default::default()
        };
        let report = limit_of(&sheet, settings).apply(
            &sheet.step(),
            &mut StrainScratch::default(),
            &mut positions,
        );
        // 2 m instead of 1.1 m: 0.9 m too long over six rows. Jacobi comes to rest where impulses balance; an
        // edge at a pin has half the mobility, so twice the impulse for its excess: 4 e + 2 e/2 = 0.9 m, e =
        // 0.18 m = 1.08 l̄. Gauss–Seidel has just repaired every other edge and leaves (2e + e/2 = 0.9 m) e =
        // 0.36 m = 2.16 l̄ to those between.
        let expected = match sweep {
            Sweep::Jacobi => 1.08,
            Sweep::GaussSeidel => 2.16,
        };
        assert!(!report.converged);
        assert!(
            (report.residual - expected).abs() < 0.03,
            "{sweep:?} {report:?}"
        );
        assert!(positions.iter().all(|p| p.is_finite() && p.length() < 2.0));
    }
}

#[test]
fn sheets_within_bounds_and_nodes_in_one_place_are_left_alone() {
    let sheet = sheet(4, GridPattern::Quads);
    for sweep in SWEEPS {
        let limit = limit_of(&sheet, tight(sweep));
        let mut positions = sheet.positions.clone();
        let report = limit.apply(&sheet.step(), &mut StrainScratch::default(), &mut positions);
        assert_eq!((report.iterations, positions), (0, sheet.positions.clone()));
        let mut point = vec![DVec3::ONE; sheet.positions.len()];
        let report = limit.apply(&sheet.step(), &mut StrainScratch::default(), &mut point);
        assert!(!report.converged && (report.residual - 1.0).abs() < 1e-14);
        assert!(point.iter().all(|p| *p == DVec3::ONE));
    }
}

#[test]
fn an_end_on_a_rail_across_its_edge_is_not_thrown_along_it() {
    let (limit, _) = one_edge(bounds(0.1, 1.0), Sweep::GaussSeidel);
    let mut positions = vec![DVec3::ZERO, DVec3::new(2.0, 1e-9, 0.0), DVec3::Y];
    let step = LimitStep {
        start: &[],
        h: STEP,
        inverse_masses: &[1.0; 3],
        filters: &[Filter::Held, Filter::Line(DVec3::Y), Filter::Free],
    };
    let report = limit.apply(&step, &mut StrainScratch::default(), &mut positions);
    assert!(
        !report.converged && positions[1].length() < 2.1,
        "{positions:?}"
    );
}

#[test]
fn one_thread_and_four_give_the_same_bits() {
    let sheet = sheet(150, GridPattern::Quads);
    for sweep in SWEEPS {
        let settings = StrainSettings {
            max_sweeps: 2,
            ..tight(sweep)
        };
        let limit = limit_of(&sheet, settings);
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            let mut positions = sheet.disturbed(0.1);
            let scratch = &mut StrainScratch::default();
            pool.install(|| limit.apply(&sheet.step(), scratch, &mut positions));
            positions
        };
        assert_eq!(with(1), with(4));
    }
}

#[test]
fn bounds_that_leave_no_length_are_refused_by_name() {
    let sheet = sheet(2, GridPattern::Quads);
    let try_with = |edges, cross_edges, tolerance| {
        let settings = StrainSettings {
            edges,
            cross_edges,
            tolerance,
            ..Default::default()
        };
        StrainLimit::new(&sheet.topology, &sheet.rest, 0, settings).err()
    };
    let good = StrainBounds::default();
    for bad in [
        bounds(-0.1, 0.0),
        bounds(f64::NAN, 0.0),
        bounds(0.1, 1.5),
        bounds(0.1, -0.2),
    ] {
        let error = try_with(bad, None, 1e-3).unwrap().to_string();
        assert!(error.starts_with("edge 0: stretch"), "{error}");
        let error = try_with(good, Some(bad), 1e-3).unwrap().to_string();
        assert!(error.starts_with("cross edge 0"), "{error}");
    }
    assert_eq!(try_with(good, None, 0.0), Some(StrainError::Tolerance(0.0)));
    assert!(matches!(
        StrainLimit::with_bounds(
            &sheet.topology,
            &sheet.rest,
            0,
            StrainSettings::default(),
            &[]
        ),
        Err(StrainError::Count { given: 0, .. })
    ));
}

/// A sheet that is stretched and half sunk into a floor comes out of it, within bounds; friction leaves it
/// less of its slip.
#[test]
fn lengths_are_mended_without_leading_nodes_into_obstacles() {
    let mesh = grid(&Grid {
        size: [1.0, 1.0],
        cells: [6, 6],
        pattern: GridPattern::Quads,
    })
    .unwrap();
    let topology = Topology::new(mesh.positions.len(), mesh.faces.clone()).unwrap();
    let rest = RestShape::from_positions(&topology, &mesh.positions).unwrap();
    let settings = StrainSettings {
        edges: StrainBounds {
            stretch: 0.01,
            compression: 1.0,
        },
        ..Default::default()
    };
    let limit = StrainLimit::new(&topology, &rest, 0, settings).unwrap();
    let start: Vec<DVec3> = mesh
        .positions
        .iter()
        .map(|p| *p + DVec3::Z * 0.05 * f64::sin(5.0 * p.x) + 0.02 * p.y * DVec3::Y)
        .collect();
    let count = start.len();
    let (weights, filters) = (vec![1.0; count], vec![Filter::Free; count]);
    let step = LimitStep {
        start: &start,
        h: STEP,
        inverse_masses: &weights,
        filters: &filters,
    };
    let slipped = |friction: f64| {
        let floor = |i: usize| Obstacle {
            node: i as u32,
            normal: DVec3::Z,
            gap: start[i].z,
            friction,
            slip: DVec3::X * 0.01,
            grip: None,
        };
        let floors: Vec<Obstacle> = (0..count).map(floor).collect();
        let mut positions = start.clone();
        let mut scratch = StrainScratch::default();
        let report = limit.apply_among(&step, &floors, &mut scratch, &mut positions);
        assert!(report.converged, "{report:?}");
        assert!(positions.iter().all(|p| p.z > -1e-15));
        // What moved the sheet as a whole came from the floor.
        let mut given = DVec3::ZERO;
        scratch.pushes(&weights, &mut |_, push| given += push);
        let moved: DVec3 = positions.iter().zip(&start).map(|(p, s)| *p - *s).sum();
        assert!(given.distance(moved) < 1e-12 && given.z > 0.1);
        moved.x
    };
    assert!(slipped(0.0).abs() < 1e-12);
    let rubbed = slipped(0.2);
    assert!(rubbed < -0.01 && rubbed > -0.01 * count as f64);
}

/// A node between two bodies that hold it with friction of up to `grip` (kg·m).
fn between(node: u32, grip: f64) -> Obstacle {
    Obstacle {
        node,
        normal: DVec3::Z,
        gap: 0.0,
        friction: 0.5,
        slip: DVec3::ZERO,
        grip: Some(grip),
    }
}

/// A sheet that is stretched by 30 %, and whose last row is between two bodies that hold each of its nodes with friction
/// of up to `grip` (kg·m): where its nodes come to, what was left of the stretch, and what the bodies gave.
fn held_between(sweep: Sweep, grip: f64) -> (Vec<DVec3>, f64, DVec3) {
    let sheet = sheet(6, PATTERNS[0]);
    let settings = StrainSettings {
        max_sweeps: 20_000,
        tolerance: 1e-6,
        ..tight(sweep)
    };
    let limit = limit_of(&sheet, settings);
    let start: Vec<DVec3> = sheet
        .positions
        .iter()
        .map(|p| DVec3::new(p.x, 1.3 * p.y, 0.0))
        .collect();
    let last_row: Vec<Obstacle> = (42..49).map(|i| between(i, grip)).collect();
    let (mut positions, mut scratch) = (start.clone(), StrainScratch::default());
    let report = limit.apply_among(&sheet.step(), &last_row, &mut scratch, &mut positions);
    let masses: Vec<f64> = (0..start.len()).map(|i| sheet.mass(i)).collect();
    let mut given = DVec3::ZERO;
    scratch.pushes(&masses, &mut |node, push| {
        assert!(push.length() <= grip * (1.0 + 1e-12), "node {node}: {push}");
        given += push;
    });
    let gained = |i: usize| masses[i] * (positions[i] - start[i]);
    let gained: DVec3 = (0..start.len()).map(gained).sum();
    assert!(given.distance(gained) < 1e-12, "{given} for {gained}");
    (positions, report.residual, given)
}

#[test]
fn nodes_between_bodies_stay_while_friction_holds_them_and_the_rest_comes_to_them() {
    for sweep in SWEEPS {
        let (positions, left, given) = held_between(sweep, 1.0);
        assert!(left <= 1e-6, "{sweep:?}: {left}");
        for (i, place) in positions.iter().enumerate().skip(42) {
            let start = DVec3::new(place.x, 1.3 * 0.5, 0.0);
            assert_eq!(*place, start, "{sweep:?}: node {i}");
        }
        assert!(given.y > 0.0);
    }
}

#[test]
fn nodes_between_bodies_slide_when_friction_is_not_enough() {
    for sweep in SWEEPS {
        let (_, _, needed) = held_between(sweep, 1.0);
        let grip = 0.05 * needed.y / 7.0;
        let (positions, left, given) = held_between(sweep, grip);
        assert!(left <= 1e-6, "{sweep:?}: {left}");
        assert!(positions[45].y < 1.3 * 0.5 - 0.01, "{:?}", positions[45]);
        // What it can is spent, though not all of it along y: the row is also pulled together.
        let share = given.y / (7.0 * grip);
        assert!(share > 0.5 && share <= 1.0, "{given}");
        let (_, _, none) = held_between(sweep, 0.0);
        assert!(none.length() < 1e-15, "{none}");
    }
}

#[test]
fn of_two_nodes_that_stick_too_far_apart_the_one_slides_that_is_held_less() {
    let sheet = sheet(1, PATTERNS[0]);
    for sweep in SWEEPS {
        let settings = StrainSettings {
            edges: bounds(0.0, 1.0),
            cross_edges: None,
            sweep,
            tolerance: 1e-9,
            max_sweeps: 200,
        };
        let limit = limit_of(&sheet, settings);
        let start: Vec<DVec3> = sheet.positions.iter().map(|p| 1.01 * *p).collect();
        let (mut positions, mut scratch) = (start.clone(), StrainScratch::default());
        let held = [between(0, 10.0), between(1, 9.0)];
        let report = limit.apply_among(&sheet.step(), &held, &mut scratch, &mut positions);
        assert!(report.converged, "{sweep:?}: {report:?}");
        assert_eq!(positions[0], start[0]);
        assert!((positions[1] - start[1] + 0.01 * DVec3::X).length() < 1e-9);
        let mut given = DVec3::ZERO;
        scratch.pushes(&[sheet.mass(0); 4], &mut |_, push| given += push);
        let gained: DVec3 = (0..4)
            .map(|i| sheet.mass(i) * (positions[i] - start[i]))
            .sum();
        assert!(given.distance(gained) < 1e-12, "{given} for {gained}");
    }
}
