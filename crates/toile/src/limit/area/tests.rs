#![allow(clippy::unwrap_used)]

use super::super::fixture::{STEP, Sheet, largest_distance, rigid, sheet};
use super::pressure::twice_gradient;
use super::*;
use crate::linalg::Filter;
use crate::mesh::generate::{Diagonals, GridPattern};

const PATTERNS: [GridPattern; 2] = [
    GridPattern::Quads,
    GridPattern::Triangles(Diagonals::Alternating),
];

fn limit_of(sheet: &Sheet, settings: AreaSettings) -> AreaLimit {
    AreaLimit::new(&sheet.topology, &sheet.rest, 0, settings).unwrap()
}

#[test]
fn gradients_of_triangles_and_warped_quads_are_those_of_finite_differences() {
    let x = [
        DVec3::new(0.1, -0.2, 0.3),
        DVec3::new(1.2, 0.1, -0.2),
        DVec3::new(0.9, 1.1, 0.4),
        DVec3::new(-0.3, 0.8, -0.1),
    ];
    for face in [Face::Tri([0, 1, 2]), Face::Quad([0, 1, 2, 3])] {
        let gradient = twice_gradient(&face, &x);
        for (k, &node) in face.corners().iter().enumerate() {
            for axis in 0..3 {
                let area = |delta: f64| {
                    let mut moved = x;
                    moved[node as usize][axis] += delta;
                    face.vector_area(&moved).length()
                };
                let difference = (area(1e-5) - area(-1e-5)) / 2e-5;
                assert!((difference - 0.5 * gradient[k][axis]).abs() < 1e-9);
            }
        }
    }
}

#[test]
fn one_triangle_takes_the_step_found_by_hand() {
    // An equilateral triangle of side a scaled by 1.1: A = 1.21 Ā. Every corner moves along its altitude;
    // with unit masses G = 3/2 (1.1 a)², so p = 0.21 Ā / (α G) and a corner moves by p · 1.1 a = 0.21 Ā / (α
    // 1.65 a).
    let height = 0.75f64.sqrt();
    let corners = [DVec3::ZERO, DVec3::X, DVec3::new(0.5, height, 0.0)];
    let topology = Topology::new(3, vec![Face::Tri([0, 1, 2])]).unwrap();
    let rest = RestShape::from_positions(&topology, &corners).unwrap();
    let settings = AreaSettings {
        regularisation: AreaRegularisation::Fixed(1.5),
        max_sub_steps: 1,
        linear_tolerance: 1e-12,
        ..Default::default()
    };
    let limit = AreaLimit::new(&topology, &rest, 0, settings).unwrap();
    let before = corners.map(|c| 1.1 * c);
    let mut after = before.to_vec();
    let step = LimitStep {
        start: &[],
        h: STEP,
        inverse_masses: &[1.0; 3],
        filters: &[Filter::Free; 3],
    };
    let report = limit.apply(&step, &mut AreaScratch::default(), &mut after);
    assert_eq!((report.iterations, report.linear_iterations), (1, 1));
    let expected = 0.21 * 0.5 * height / (1.5 * 1.65);
    let moved = after[2] - before[2];
    assert!(
        (moved - DVec3::new(0.0, -expected, 0.0)).length() < 1e-14,
        "{moved}"
    );
}

#[test]
fn areas_come_back_and_momentum_is_kept() {
    for pattern in PATTERNS {
        for (matrix, alpha) in [(AreaMatrix::Consistent, 1.02), (AreaMatrix::Published, 2.5)] {
            let sheet = sheet(8, pattern);
            let settings = AreaSettings {
                matrix,
                regularisation: AreaRegularisation::Fixed(alpha),
                tolerance: 1e-3,
                max_sub_steps: 100,
                ..Default::default()
            };
            let limit = limit_of(&sheet, settings);
            let before = sheet.disturbed(0.2);
            let mut after = before.clone();
            let report = limit.apply(&sheet.step(), &mut AreaScratch::default(), &mut after);
            let consistent = matrix == AreaMatrix::Consistent;
            assert_eq!(
                report.converged, consistent,
                "{pattern:?} {matrix:?} {report:?}"
            );
            assert!(report.residual < 0.2 * limit.errors(&before)[0]);
            assert!(sheet.linear_momentum(&before, &after) < 1e-12);
            // Gradients are taken once a sub-step: one of them keeps the moment about where it began.
            let once = AreaSettings {
                max_sub_steps: 1,
                ..settings
            };
            let mut after = before.clone();
            limit_of(&sheet, once).apply(&sheet.step(), &mut AreaScratch::default(), &mut after);
            assert!(sheet.angular_momentum(&before, &before, &after) < 1e-12);
        }
    }
}

#[test]
fn the_limit_does_not_see_where_the_sheet_is_nor_how_it_is_turned() {
    for pattern in PATTERNS {
        let sheet = sheet(6, pattern);
        let limit = limit_of(&sheet, AreaSettings::default());
        let mut here = sheet.disturbed(0.2);
        let mut there: Vec<DVec3> = here.iter().copied().map(rigid).collect();
        limit.apply(&sheet.step(), &mut AreaScratch::default(), &mut here);
        limit.apply(&sheet.step(), &mut AreaScratch::default(), &mut there);
        let turned: Vec<DVec3> = here.iter().copied().map(rigid).collect();
        assert!(largest_distance(&turned, &there) < 1e-9);
    }
}

fn run(sheet: &Sheet, matrix: AreaMatrix, alpha: f64) -> (LimitReport, [f64; 2]) {
    let settings = AreaSettings {
        matrix,
        regularisation: AreaRegularisation::Fixed(alpha),
        tolerance: 1e-9,
        ..Default::default()
    };
    let limit = limit_of(sheet, settings);
    let mut positions = sheet.disturbed(0.2);
    let report = limit.apply(&sheet.step(), &mut AreaScratch::default(), &mut positions);
    (report, limit.errors(&positions))
}

#[test]
fn the_consistent_matrix_leaves_less_error() {
    let sheet = sheet(16, GridPattern::Triangles(Diagonals::Forward));
    let limit = limit_of(&sheet, AreaSettings::default());
    let before = limit.errors(&sheet.disturbed(0.2));
    let consistent = run(&sheet, AreaMatrix::Consistent, 1.2);
    let published = run(&sheet, AreaMatrix::Published, 1.2);
    let softened = run(&sheet, AreaMatrix::Published, 2.5);
    let tighter = run(&sheet, AreaMatrix::Consistent, 1.02);
    // The table at the head of the module, in percent and iterations.
    for ([worst, mean], linear, expected) in [
        (before, 0, [42.0, 19.1, 0.0]),
        (
            consistent.1,
            consistent.0.linear_iterations,
            [6.9, 2.4, 39.0],
        ),
        (tighter.1, tighter.0.linear_iterations, [1.8, 0.55, 145.0]),
        (
            published.1,
            published.0.linear_iterations,
            [32.7, 12.8, 10.0],
        ),
        (softened.1, softened.0.linear_iterations, [35.0, 14.0, 10.0]),
    ] {
        assert!((100.0 * worst - expected[0]).abs() < 0.06, "{worst}");
        assert!((100.0 * mean - expected[1]).abs() < 0.06, "{mean}");
        assert!((f64::from(linear) - expected[2]).abs() <= 2.0, "{linear}");
    }
}

#[test]
fn the_published_matrix_is_not_definite_until_its_diagonal_is_doubled() {
    // Pressures of opposite sign in the two triangles of every cell of a flat sheet: all neighbours have the
    // other sign.
    let sheet = sheet(16, GridPattern::Triangles(Diagonals::Forward));
    let inner = 2 * (8 * 16 + 8);
    let limit = limit_of(&sheet, AreaSettings::default());
    let mut pressures = Pressures::default();
    let unit = LimitStep {
        start: &[],
        h: STEP,
        inverse_masses: &vec![1.0; sheet.positions.len()],
        filters: &sheet.filters,
    };
    let row_sum = |pressures: &mut Pressures, matrix| -> f64 {
        (0..limit.faces.len())
            .map(|c| pressures.entry(matrix, inner, c) * if c % 2 == 0 { 1.0 } else { -1.0 })
            .sum()
    };
    pressures.linearise(&limit.faces, &limit.areas, &unit, &sheet.positions, 1.0);
    pressures.couple_as_published(&limit.faces, &limit.neighbours, &unit, &sheet.positions);
    let diagonal = pressures.entry(AreaMatrix::Published, inner, inner);
    let ours = pressures.entry(AreaMatrix::Consistent, inner, inner);
    assert!((diagonal / ours - 1.0).abs() < 1e-12);
    // Each of the three corners is shared with two of the three neighbours, each time with the corner's own
    // entry: −2 + 1 of the diagonal.
    let published = row_sum(&mut pressures, AreaMatrix::Published) / diagonal;
    assert!((published + 1.0).abs() < 1e-12, "{published}");
    assert!(row_sum(&mut pressures, AreaMatrix::Consistent) > -1e-12);
}

#[test]
fn an_adaptive_alpha_spends_fewer_iterations_where_the_fixed_one_does_not_converge() {
    let sheet = sheet(16, GridPattern::Triangles(Diagonals::Forward));
    let with = |regularisation| {
        let settings = AreaSettings {
            regularisation,
            max_linear_iterations: 10,
            ..Default::default()
        };
        let mut positions = sheet.disturbed(0.2);
        let limit = limit_of(&sheet, settings);
        limit.apply(&sheet.step(), &mut AreaScratch::default(), &mut positions)
    };
    let adaptive = with(AreaRegularisation::Adaptive(1.01));
    let fixed = with(AreaRegularisation::Fixed(1.01));
    assert_eq!(fixed.linear_iterations, 100);
    assert!(adaptive.linear_iterations < 90, "{adaptive:?}");
    assert!(adaptive.residual < 0.1, "{adaptive:?}");
}

#[test]
fn pins_pulled_apart_and_collapsed_faces_leave_finite_positions() {
    for pattern in PATTERNS {
        let mut sheet = sheet(4, pattern);
        sheet.filters = vec![Filter::Held; sheet.positions.len()];
        sheet.filters[12] = Filter::Line(DVec3::X);
        let limit = limit_of(&sheet, AreaSettings::default());
        let mut positions: Vec<DVec3> = sheet.positions.iter().map(|p| 2.0 * *p).collect();
        let report = limit.apply(&sheet.step(), &mut AreaScratch::default(), &mut positions);
        assert!(!report.converged && report.residual >= 3.0 - 1e-9);
        assert!(positions.iter().all(|p| p.is_finite() && p.length() < 4.0));
        sheet.filters.fill(Filter::Free);
        for scale in [0.0, 1e-8] {
            let mut positions: Vec<DVec3> = sheet.positions.iter().map(|p| scale * *p).collect();
            limit.apply(&sheet.step(), &mut AreaScratch::default(), &mut positions);
            assert!(positions.iter().all(|p| p.is_finite() && p.length() < 4.0));
        }
    }
}

#[test]
fn bad_settings_are_refused_by_name() {
    let sheet = sheet(2, GridPattern::Quads);
    let error = |settings| {
        AreaLimit::new(&sheet.topology, &sheet.rest, 0, settings)
            .unwrap_err()
            .to_string()
    };
    let good = AreaSettings::default();
    for alpha in [-1.0, 0.0, 1.0, f64::NAN] {
        let regularisation = AreaRegularisation::Fixed(alpha);
        let text = error(AreaSettings {
            regularisation,
            ..good
        });
        assert!(text.contains("above 1"), "{text}");
    }
    let tolerance = f64::NAN;
    assert!(error(AreaSettings { tolerance, ..good }).starts_with("the tolerance"));
    let mut rest = sheet.rest.clone();
    rest.areas[3] = 0.0;
    assert!(matches!(
        AreaLimit::new(&sheet.topology, &rest, 0, good),
        Err(AreaError::Degenerate { face: 3, .. })
    ));
}
