//! One solve: cloth that neither stretches nor passes through, both at once.

use crate::common::{COTTON, Fixture, body, sheet, square};
use toile::certificate::momentum;
use toile::contact::{Friction, Shape, intersections};
use toile::energy::MassSpringMaterial;
use toile::glam::{DQuat, DVec3};
use toile::integrate::{ConstraintSolve, ImplicitRule, ImplicitSettings, Integrator};
use toile::limit::area::{AreaLimit, AreaSettings};
use toile::limit::{EquationSolver, Equations, Lengths, Limit, ProjectionSettings, StretchLimit};
use toile::mesh::generate::{Diagonals, Grid, GridPattern, grid};
use toile::model::{Cloth, Model};
use toile::state::State;
use toile::step::{Workspace, step};

const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -9.81);
const H: f64 = 5e-3;

fn integrator(constraints: ConstraintSolve, rule: ImplicitRule) -> Integrator {
    Integrator::Implicit(ImplicitSettings {
        rule,
        constraints,
        ..ImplicitSettings::CLASSIC
    })
}

fn unified() -> Integrator {
    integrator(ConstraintSolve::Unified, ImplicitRule::BackwardEuler)
}

fn stretch_limit(cloth: &Cloth, stretch: f64) -> Limit {
    let first = cloth.nodes.start as u32;
    let limit = StretchLimit::new(&cloth.topology, &cloth.rest, first, stretch, 1e-3);
    Limit::Stretch(Box::new(limit.unwrap()))
}

/// Gives every cloth a limit.
fn limited(mut fixture: Fixture, limit: impl Fn(&Cloth) -> Limit) -> Fixture {
    let limits = fixture.parts.cloths.iter().map(limit).enumerate();
    fixture.parts.limits = limits.collect();
    fixture
}

/// Steps, and holds every step to the promise: the limit within its tolerance, no body reached, no intersection.
fn keeps_its_promise(model: &Model, state: &mut State, steps: usize) {
    let mut workspace = Workspace::new(model, None);
    for k in 0..steps {
        let report = step(model, state, &mut workspace, H).unwrap();
        let certificate = report.certificate;
        let limit = certificate.limit.unwrap();
        assert!(limit.residual < 1.5e-3, "step {k}: {limit:?}");
        assert!(
            certificate.gap_smallest.unwrap() > -0.95e-3,
            "step {k}: {certificate:?}"
        );
        let crossing = intersections(model, &state.positions);
        assert!(crossing.is_empty(), "step {k}: {crossing:?}");
    }
}

#[test]
fn areas_stay_while_a_sheet_lands_on_a_ball() {
    for pattern in [
        GridPattern::Quads,
        GridPattern::Triangles(Diagonals::Alternating),
    ] {
        let mesh = grid(&Grid {
            size: [0.6, 0.6],
            cells: [12, 12],
            pattern,
        })
        .unwrap();
        let mut fixture = Fixture::new(GRAVITY, unified());
        fixture.cloth(&mesh, COTTON, |p| p + DVec3::new(0.01, 0.02, 0.303));
        fixture.parts.bodies = vec![ball()];
        let fixture = limited(fixture, |cloth| {
            let first = cloth.nodes.start as u32;
            let settings = AreaSettings::default();
            let limit = AreaLimit::new(&cloth.topology, &cloth.rest, first, settings);
            Limit::Area(limit.unwrap())
        });
        let (model, mut state) = fixture.finish();
        let mut workspace = Workspace::new(&model, None);
        for k in 0..60 {
            let report = step(&model, &mut state, &mut workspace, H).unwrap();
            let residual = report.certificate.limit.unwrap().residual;
            assert!(
                residual <= AreaSettings::default().tolerance,
                "step {k}: {residual}"
            );
            assert!(report.certificate.gap_smallest.unwrap() > -1e-4, "step {k}");
        }
        let lowest = state
            .positions
            .iter()
            .map(|p| p.z)
            .fold(f64::INFINITY, f64::min);
        assert!(
            lowest < 0.2,
            "the sheet hangs down at its corners: {lowest}"
        );
    }
}

#[test]
fn sheets_that_collide_in_free_flight_keep_their_momentum() {
    for rule in [ImplicitRule::BackwardEuler, ImplicitRule::Bdf2] {
        let flight = integrator(ConstraintSolve::Unified, rule);
        let mut fixture = Fixture::new(DVec3::ZERO, flight);
        let mesh = sheet([0.3, 0.3], [8, 8]);
        fixture.cloth(&mesh, COTTON, |p| p);
        fixture.cloth(&mesh, COTTON, |p| p + DVec3::new(0.05, 0.02, 0.004));
        let (model, mut state) = limited(fixture.meeting(), |c| stretch_limit(c, 0.01)).finish();
        let half = model.node_count() / 2;
        for velocity in &mut state.velocities[half..] {
            *velocity = DVec3::new(0.2, -0.1, -1.0);
        }
        let (before, _) = momentum(&model, &state);
        let mut workspace = Workspace::new(&model, None);
        let mut met = false;
        for k in 0..20 {
            step(&model, &mut state, &mut workspace, H).unwrap();
            met |= !state.contacts.is_empty();
            let (after, _) = momentum(&model, &state);
            let change = after.distance(before) / before.length();
            assert!(change < 1e-10, "{rule:?}, step {k}: {change:e}");
        }
        assert!(met, "the sheets met");
    }
}

#[test]
fn the_certificate_tells_of_faces_friction_and_the_share_done() {
    let mut fixture = Fixture::new(GRAVITY, unified());
    let mesh = sheet([0.6, 0.6], [10, 10]);
    fixture.cloth(&mesh, COTTON, |p| p + DVec3::new(0.0, 0.0, 0.303));
    fixture.parts.bodies = vec![toile::contact::Body {
        friction: Friction {
            at_rest: 0.3,
            sliding: 0.3,
        },
        ..ball()
    }];
    let (model, mut state) = fixture.finish();
    let mut workspace = Workspace::new(&model, None);
    let mut between = f64::INFINITY;
    for _ in 0..40 {
        let told = step(&model, &mut state, &mut workspace, H)
            .unwrap()
            .certificate;
        assert!((0.99..=1.0).contains(&told.share_done), "{told:?}");
        let weight = 9.81 * model.total_mass();
        assert!(
            told.friction_residual.unwrap_or(0.0) < 0.1 * weight,
            "{told:?}"
        );
        between = between.min(told.gap_between.unwrap_or(f64::INFINITY));
    }
    assert!(between.is_finite() && between > 0.0, "{between}");
}

fn ball() -> toile::contact::Body {
    body(Shape::Sphere { radius: 0.3 }, DVec3::ZERO)
}

#[test]
fn without_rows_a_step_is_the_implicit_step() {
    for rule in [ImplicitRule::BackwardEuler, ImplicitRule::Bdf2] {
        let run = |constraints| {
            let mut fixture = Fixture::new(GRAVITY, integrator(constraints, rule));
            fixture.cloth(&square(10), COTTON, |p| p);
            fixture.parts.pins = vec![crate::common::fixed(vec![0, 10])];
            let (model, mut state) = fixture.finish();
            let mut workspace = Workspace::new(&model, None);
            for _ in 0..20 {
                step(&model, &mut state, &mut workspace, 0.01).unwrap();
            }
            state
        };
        let (phases, unified) = (run(ConstraintSolve::Phases), run(ConstraintSolve::Unified));
        let apart = phases.positions.iter().zip(&unified.positions);
        let apart = apart.map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        assert!(apart < 1e-5, "{rule:?}: {apart}");
    }
}

#[test]
fn a_limited_sheet_falls_on_a_ball_and_neither_stretches_nor_reaches_in() {
    let mut fixture = Fixture::new(GRAVITY, unified());
    fixture.cloth(&square(16), COTTON, |p| p + DVec3::Z * 0.305);
    fixture.parts.bodies = vec![ball()];
    let (model, mut state) = limited(fixture.meeting(), |c| stretch_limit(c, 0.01)).finish();
    keeps_its_promise(&model, &mut state, 120);
    // It lies over the ball: its middle is on top, its corners hang.
    let lowest = state.positions.iter().map(|p| p.z).fold(0.0, f64::min);
    assert!(lowest < -0.1, "{lowest}");
    assert!(state.contacts.len() > 20, "{}", state.contacts.len());
}

#[test]
fn edges_of_fixed_length_keep_it_on_a_ball() {
    let soft = MassSpringMaterial {
        stretch: 0.0,
        shear: 50.0,
        bend: 1e-5,
        damping: 0.0,
    };
    let mut fixture = Fixture::new(GRAVITY, unified());
    fixture.cloth(&square(12), soft, |p| p + DVec3::Z * 0.305);
    fixture.parts.bodies = vec![ball()];
    let lengths = |cloth: &Cloth| {
        let first = cloth.nodes.start as u32;
        let lengths = Lengths::new(&cloth.topology, &cloth.rest, first).unwrap();
        let settings = ProjectionSettings::default();
        Limit::Lengths(Equations::new(lengths, EquationSolver::Auto, settings).unwrap())
    };
    let (model, mut state) = limited(fixture, lengths).finish();
    let mut workspace = Workspace::new(&model, None);
    for k in 0..60 {
        let report = step(&model, &mut state, &mut workspace, H).unwrap();
        let stretch = report.certificate.stretch_worst;
        assert!(stretch < 2e-3, "step {k}: {stretch}");
    }
}

#[test]
fn sheets_that_land_on_each_other_do_not_pass_through() {
    let mut fixture = Fixture::new(GRAVITY, unified());
    let lower = |p: DVec3| 0.5 * p + DVec3::Z * 0.102;
    let turn = DQuat::from_rotation_z(0.5);
    fixture.cloth(&sheet([0.5, 0.5], [10, 10]), COTTON, |p| {
        p + lower(DVec3::ZERO)
    });
    fixture.cloth(&sheet([0.5, 0.5], [10, 10]), COTTON, |p| {
        turn * p + DVec3::new(0.02, 0.01, 0.11)
    });
    fixture.parts.bodies = vec![body(
        Shape::Cuboid {
            half_size: DVec3::new(0.15, 0.15, 0.1),
        },
        DVec3::ZERO,
    )];
    let (model, mut state) = limited(fixture.meeting(), |c| stretch_limit(c, 0.01)).finish();
    keeps_its_promise(&model, &mut state, 80);
    let pairs = state.contacts.iter().filter(|c| {
        matches!(
            c.key,
            toile::state::ContactKey::VertexFace(..) | toile::state::ContactKey::EdgeEdge(..)
        )
    });
    assert!(pairs.count() > 5);
}

/// A small sheet at rest on a plane under gravity that is tilted by some radians; answers its mean speed down the slope after some
/// steps (m/s), and what it weighs on the plane with (N).
fn on_a_slope(tilt: f64, friction: Friction, steps: usize) -> (f64, DVec3, f64) {
    let pull = DQuat::from_rotation_y(-tilt) * GRAVITY;
    let mut fixture = Fixture::new(pull, unified());
    fixture.cloth(&sheet([0.1, 0.1], [5, 5]), COTTON, |p| p + DVec3::Z * 1e-3);
    fixture.parts.bodies = vec![toile::contact::Body {
        friction,
        ..body(Shape::Plane, DVec3::ZERO)
    }];
    let (model, mut state) = limited(fixture, |c| stretch_limit(c, 0.01)).finish();
    let mut workspace = Workspace::new(&model, None);
    for _ in 0..steps {
        step(&model, &mut state, &mut workspace, H).unwrap();
    }
    let speed: f64 = state.velocities.iter().map(|v| v.x).sum();
    let speed = speed / state.velocities.len() as f64;
    (speed, workspace.body_loads()[0].force, model.total_mass())
}

#[test]
fn friction_holds_what_is_less_steep_than_its_angle_and_slows_what_is_steeper() {
    let (speed, force, mass) = on_a_slope(0.2, 0.3.into(), 60);
    assert!(speed.abs() < 1e-4, "{speed}");
    assert!(
        (force.z + mass * 9.81 * 0.2f64.cos()).abs() < 0.01 * mass * 9.81,
        "{force}"
    );
    assert!(
        (force.x.abs() - mass * 9.81 * 0.2f64.sin()).abs() < 0.01 * mass * 9.81,
        "{force}"
    );
    let (speed, ..) = on_a_slope(0.5, 0.3.into(), 60);
    let expected = 60.0 * H * 9.81 * (0.5f64.sin() - 0.3 * 0.5f64.cos());
    assert!(
        (speed.abs() - expected).abs() < 0.02 * expected,
        "{speed} {expected}"
    );
}

#[test]
fn a_state_in_the_middle_of_contact_goes_on_to_the_same_bits() {
    let mut fixture = Fixture::new(GRAVITY, unified());
    fixture.cloth(&square(10), COTTON, |p| p + DVec3::Z * 0.305);
    fixture.parts.bodies = vec![ball()];
    let (model, mut state) = limited(fixture.meeting(), |c| stretch_limit(c, 0.01)).finish();
    let mut workspace = Workspace::new(&model, None);
    for _ in 0..40 {
        step(&model, &mut state, &mut workspace, H).unwrap();
    }
    assert!(!state.contacts.is_empty());
    let mut resumed = State::from_bytes(&state.to_bytes()).unwrap();
    assert!(resumed.fits(&model));
    let mut fresh = Workspace::new(&model, None);
    for _ in 0..10 {
        step(&model, &mut state, &mut workspace, H).unwrap();
        step(&model, &mut resumed, &mut fresh, H).unwrap();
    }
    assert_eq!(state.to_bytes(), resumed.to_bytes());
}

#[test]
fn the_certificate_sees_strain_that_no_edge_sees() {
    // Shear by γ leaves the edges along one direction as they are; the principal stretches are √(1 + γ²/4) ± γ/2.
    let shear = 0.06;
    for pattern in [
        GridPattern::Quads,
        GridPattern::Triangles(Diagonals::Alternating),
    ] {
        let mesh = grid(&Grid {
            size: [1.0, 1.0],
            cells: [4, 4],
            pattern,
        });
        let mut fixture = Fixture::new(GRAVITY, unified());
        fixture.cloth(&mesh.unwrap(), COTTON, |p| {
            DVec3::new(p.x + shear * p.y, p.y, p.z)
        });
        let all = (0..fixture.positions.len() as u32).collect();
        fixture.parts.pins = vec![crate::common::fixed(all)];
        let (model, mut state) = fixture.finish();
        let mut workspace = Workspace::new(&model, None);
        let report = step(&model, &mut state, &mut workspace, H).unwrap();
        let mean = (1.0 + 0.25 * shear * shear).sqrt() - 1.0;
        let found = [report.certificate.strain_max, report.certificate.strain_min];
        assert!((found[0] - (mean + 0.5 * shear)).abs() < 1e-12, "{found:?}");
        assert!((found[1] - (mean - 0.5 * shear)).abs() < 1e-12, "{found:?}");
    }
}
