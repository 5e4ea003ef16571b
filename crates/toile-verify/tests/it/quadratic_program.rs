//! The projection onto equations held against a solver for quadratic programs.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus, SupportedConeT};
use toile::glam::DVec3;
use toile::limit::{LimitStep, Metric, Obstacle, Projection, ProjectionSettings, jacobian};
use toile::linalg::Filter;
use toile::mesh::generate::{Grid, GridPattern, grid};
use toile::mesh::{RestShape, Topology};

struct Sheet {
    positions: Vec<DVec3>,
    metric: Metric,
    inverse_masses: Vec<f64>,
}

fn sheet(cells: u32) -> Sheet {
    let mesh = grid(&Grid {
        size: [0.42, 0.297],
        cells: [cells; 2],
        pattern: GridPattern::Quads,
    })
    .unwrap();
    let topology = Topology::new(mesh.positions.len(), mesh.faces).unwrap();
    let rest = RestShape::from_positions(&topology, &mesh.positions).unwrap();
    Sheet {
        metric: Metric::new(&topology, &rest, None, 0).unwrap(),
        // Uneven masses, so that symmetry cannot hide an error.
        inverse_masses: (rest.node_areas.iter().enumerate())
            .map(|(k, a)| (1.0 + 0.3 * (k as f64).sin()) / (0.2 * a))
            .collect(),
        positions: mesh.positions,
    }
}

/// The sheet bent to a cylinder, each node 2 mm off its place.
fn candidates(sheet: &Sheet) -> Vec<DVec3> {
    let place = |(k, p): (usize, &DVec3)| {
        let k = k as f64;
        let noise = DVec3::new((5.3 * k).sin(), (3.7 * k).sin(), (8.1 * k).cos());
        let bent = DVec3::new((4.0 * p.x).sin(), 4.0 * p.y, 1.0 - (4.0 * p.x).cos());
        0.25 * bent + 2e-3 * noise
    };
    sheet.positions.iter().enumerate().map(place).collect()
}

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

/// `min ½ Δᵀ M Δ` with `C + J Δ = 0` and `g + n·Δ ≥ 0`, by a solver for quadratic programs.
fn reference(sheet: &Sheet, x: &[DVec3], obstacles: &[Obstacle]) -> Vec<DVec3> {
    let equations = jacobian(&sheet.metric, x);
    let (mut rows, mut columns, mut values) = (Vec::new(), Vec::new(), Vec::new());
    let mut right = Vec::new();
    let mut add = |gradient: &[(u32, DVec3)], bound: f64| {
        for (node, g) in gradient {
            for (axis, value) in g.to_array().into_iter().enumerate() {
                rows.push(right.len());
                columns.push(3 * *node as usize + axis);
                values.push(value);
            }
        }
        right.push(bound);
    };
    // In millimetres, so that all numbers are of one size.
    for (value, gradient) in &equations {
        add(gradient, -1e3 * value);
    }
    for o in obstacles {
        add(&[(o.node, -o.normal)], 1e3 * o.gap);
    }
    let unknowns = 3 * x.len();
    let (all, count) = (right.len(), equations.len());
    let matrix = CscMatrix::new_from_triplets(all, unknowns, rows, columns, values);
    // Masses relative to the first.
    let mass = |k: usize| sheet.inverse_masses[0] / sheet.inverse_masses[k / 3];
    let diagonal = (0..unknowns).map(mass).collect();
    let places = || (0..unknowns).collect();
    let masses = CscMatrix::new_from_triplets(unknowns, unknowns, places(), places(), diagonal);
    let cones = [
        SupportedConeT::ZeroConeT(count),
        SupportedConeT::NonnegativeConeT(all - count),
    ];
    let settings = DefaultSettings {
        verbose: false,
        tol_gap_abs: 1e-9,
        tol_gap_rel: 1e-9,
        tol_feas: 1e-10,
        ..DefaultSettings::default()
    };
    let force = vec![0.0; unknowns];
    let mut solver =
        DefaultSolver::new(&masses, &force, &matrix, &right, &cones, settings).unwrap();
    solver.solve();
    assert_eq!(solver.solution.status, SolverStatus::Solved);
    let found = solver.solution.x.as_chunks::<3>().0;
    found.iter().map(|&p| 1e-3 * DVec3::from_array(p)).collect()
}

#[test]
fn one_iteration_is_the_solution_of_the_quadratic_program() {
    for (cells, height) in [(3, 0.012), (8, 0.01)] {
        let sheet = sheet(cells);
        let x = candidates(&sheet);
        // The middle of the sheet is inside, its sides are above; in force are only some.
        let nodes = x.iter().enumerate();
        let obstacles: Vec<_> = nodes.map(|(n, p)| floor(n as u32, *p, height)).collect();
        let inside = obstacles.iter().filter(|o| o.gap < 0.0).count();
        assert!(
            inside > x.len() / 8 && inside < x.len() * 7 / 8,
            "{inside} of {}",
            x.len()
        );
        let settings = ProjectionSettings {
            max_iterations: 1,
            damping: 0.0,
            ..Default::default()
        };
        let projection = Projection::new(sheet.metric.clone(), settings).unwrap();
        let mut moved = x.clone();
        let step = LimitStep {
            start: &[],
            h: 0.01,
            inverse_masses: &sheet.inverse_masses,
            filters: &vec![Filter::Free; x.len()],
        };
        let mut scratch = projection.scratch();
        let report = projection.apply_with_obstacles(&step, &obstacles, &mut scratch, &mut moved);
        assert!(report.least_multiplier.unwrap() >= 0.0);
        for (i, step) in reference(&sheet, &x, &obstacles).iter().enumerate() {
            assert!(
                (moved[i] - x[i]).distance(*step) < 1e-8,
                "{cells} cells, node {i}: {} {step}",
                moved[i] - x[i]
            );
        }
    }
}
