//! Limits as a phase of the step.

use crate::common::{COTTON, fixed, square, world};
use toile::certificate::{Status, momentum};
use toile::contact::{Body, Shape};
use toile::drive::{Motion, Pose, RigidPath};
use toile::glam::{DQuat, DVec3};
use toile::integrate::{ImplicitRule, ImplicitSettings, Integrator};
use toile::limit::strain::{StrainBounds, StrainLimit, StrainSettings};
use toile::limit::{EquationSolver, Equations, Lengths, Limit, Metric, ProjectionSettings};
use toile::model::Model;
use toile::state::State;
use toile::step::{Workspace, step};

const EARTH: DVec3 = DVec3::new(0.0, 0.0, -9.81);

fn implicit(rule: ImplicitRule) -> Integrator {
    Integrator::Implicit(ImplicitSettings {
        rule,
        tolerance: 1e-10,
        ..Default::default()
    })
}

/// Cotton with hardly any stiffness, so that the limit has to do the work.
fn soft(cells: u32, pinned: &[u32], gravity: DVec3, rule: ImplicitRule) -> (Model, State) {
    let material = toile::energy::MassSpringMaterial {
        stretch: 1.0,
        shear: 0.2,
        ..COTTON
    };
    let pins = if pinned.is_empty() {
        Vec::new()
    } else {
        vec![fixed(pinned.to_vec())]
    };
    world(&square(cells), material, pins, gravity, implicit(rule))
}

fn metric(model: &Model) -> Limit {
    let cloth = &model.cloths[0];
    let metric = Metric::new(&cloth.topology, &cloth.rest, None, 0).unwrap();
    let projection = Equations::new(
        metric,
        EquationSolver::Projection,
        ProjectionSettings::default(),
    )
    .unwrap();
    Limit::Metric(projection)
}

fn lengths(model: &Model) -> Limit {
    let cloth = &model.cloths[0];
    let lengths = Lengths::new(&cloth.topology, &cloth.rest, 0).unwrap();
    let projection = Equations::new(
        lengths,
        EquationSolver::Projection,
        ProjectionSettings::default(),
    )
    .unwrap();
    Limit::Lengths(projection)
}

fn strain(model: &Model, stretch: f64) -> Limit {
    let cloth = &model.cloths[0];
    let settings = StrainSettings {
        edges: StrainBounds {
            stretch,
            compression: 0.5,
        },
        max_sweeps: 500,
        ..Default::default()
    };
    Limit::Strain(StrainLimit::new(&cloth.topology, &cloth.rest, 0, settings).unwrap())
}

#[test]
fn a_soft_sheet_with_a_limit_hangs_without_stretching() {
    // Five hundred sweeps do not carry all of the weight to the pins; what is missing is in the certificate.
    for (limit, allowed, left) in [
        (strain as fn(&Model, f64) -> Limit, 0.05, 0.02),
        (|m, _| lengths(m), 0.0, 0.001),
    ] {
        let (mut model, mut state) = soft(8, &[0, 8], EARTH, ImplicitRule::BackwardEuler);
        // A little slack between the pins, so that lengths can be kept at all.
        let last = state.positions[8];
        state.positions[8] = last + 0.02 * (state.positions[0] - last);
        model = model
            .rebuilt(|parts| parts.limits = vec![(0, limit(&model, 0.05))])
            .unwrap();
        let mut workspace = Workspace::new(&model, None);
        let mut lowest = 0.0f64;
        for _ in 0..100 {
            let certificate = step(&model, &mut state, &mut workspace, 0.01)
                .unwrap()
                .certificate;
            let residual = certificate.limit.unwrap().residual;
            assert!(residual < left, "{residual}");
            assert!(certificate.stretch_worst <= allowed + residual + 1e-12);
            lowest = lowest.min(state.positions[8 * 9 + 4].z);
        }
        assert!(lowest < -0.9, "it swings down: {lowest}");
    }
}

#[test]
fn limits_keep_the_momentum_of_a_free_sheet() {
    for rule in [ImplicitRule::BackwardEuler, ImplicitRule::Bdf2] {
        let (mut model, mut state) = soft(6, &[], DVec3::ZERO, rule);
        model = model
            .rebuilt(|parts| parts.limits = vec![(0, metric(&model))])
            .unwrap();
        for (i, v) in state.velocities.iter_mut().enumerate() {
            let x = i as f64;
            *v = DVec3::new((1.3 * x).sin(), (0.7 * x).cos(), 0.5 * (2.1 * x).sin());
        }
        let before = momentum(&model, &state).0;
        let scale: f64 = (state.velocities.iter().zip(&model.masses))
            .map(|(v, m)| m * v.length())
            .sum();
        let mut workspace = Workspace::new(&model, None);
        for _ in 0..20 {
            step(&model, &mut state, &mut workspace, 0.005).unwrap();
        }
        let change = (momentum(&model, &state).0 - before).length();
        assert!(change < 1e-10 * scale, "{rule:?}: {change}");
    }
}

#[test]
fn pins_pulled_apart_are_told_and_nothing_explodes() {
    let (mut model, mut state) = soft(6, &[0, 6], EARTH, ImplicitRule::BackwardEuler);
    state.positions[6].x += 0.3;
    model = model
        .rebuilt(|parts| parts.limits = vec![(0, metric(&model))])
        .unwrap();
    let mut workspace = Workspace::new(&model, None);
    for _ in 0..50 {
        let report = step(&model, &mut state, &mut workspace, 0.01).unwrap();
        assert_eq!(report.status, Status::LimitMissed);
        // Six edges share the 30 %: the metric of a taut rim is off by 0.69, 1.3² − 1, at the least on average.
        let residual = report.certificate.limit.unwrap().residual;
        assert!(residual > 0.3, "{residual}");
        assert!(report.certificate.stretch_worst < 3.0);
    }
    let reach = state.positions.iter().map(|x| x.length());
    assert!(reach.fold(0.0, f64::max) < 5.0);
}

#[test]
fn a_step_with_a_limit_does_not_depend_on_what_the_workspace_held() {
    let run = |fresh: bool| {
        let (mut model, mut state) = soft(6, &[0, 6], EARTH, ImplicitRule::Bdf2);
        model = model
            .rebuilt(|parts| parts.limits = vec![(0, metric(&model))])
            .unwrap();
        let mut workspace = Workspace::new(&model, None);
        for _ in 0..20 {
            if fresh {
                workspace = Workspace::new(&model, None);
            }
            step(&model, &mut state, &mut workspace, 0.01).unwrap();
        }
        state
    };
    assert_eq!(run(false), run(true));
}

/// Angle (rad) after `time` of a pendulum `θ̈ = −g/l sin θ`, `l` = 1 m, let go at `θ`: Runge and Kutta's rule in very short steps.
fn pendulum(theta: f64, time: f64) -> f64 {
    let slope = |[a, w]: [f64; 2]| [w, EARTH.z * a.sin()];
    let along = |y: [f64; 2], k: [f64; 2], h: f64| [y[0] + h * k[0], y[1] + h * k[1]];
    let count = 4000;
    let h = time / f64::from(count);
    let mut y = [theta, 0.0];
    for _ in 0..count {
        let k1 = slope(y);
        let k2 = slope(along(y, k1, 0.5 * h));
        let k3 = slope(along(y, k2, 0.5 * h));
        let k4 = slope(along(y, k3, h));
        for (k, share) in [(k1, 1.0), (k2, 2.0), (k3, 2.0), (k4, 1.0)] {
            y = along(y, k, share * h / 6.0);
        }
    }
    y[0]
}

/// How far a pendulum of two free nodes, hung from two held ones by edges that keep their lengths and nothing else, is off its angle
/// after most of a swing in `count` steps.
fn pendulum_error(rule: ImplicitRule, count: u32) -> f64 {
    let slack = toile::energy::MassSpringMaterial {
        stretch: 0.0,
        shear: 0.0,
        bend: 0.0,
        damping: 0.0,
    };
    let (mut model, mut state) = world(
        &square(1),
        slack,
        vec![fixed(vec![0, 1])],
        EARTH,
        implicit(rule),
    );
    let cloth = &model.cloths[0];
    let lengths = Lengths::new(&cloth.topology, &cloth.rest, 0).unwrap();
    let exact = ProjectionSettings {
        tolerance: 1e-12,
        ..Default::default()
    };
    let projection = Equations::new(lengths, EquationSolver::Projection, exact).unwrap();
    model = model
        .rebuilt(|parts| parts.limits = vec![(0, Limit::Lengths(projection))])
        .unwrap();
    let (theta, time) = (1.0f64, 0.9);
    for i in [2, 3] {
        state.positions[i] = state.positions[i - 2] + DVec3::new(0.0, theta.sin(), -theta.cos());
    }
    let mut workspace = Workspace::new(&model, None);
    for _ in 0..count {
        let h = time / f64::from(count);
        let report = step(&model, &mut state, &mut workspace, h).unwrap();
        assert_eq!(report.status, Status::Converged);
    }
    let arm = state.positions[2] - state.positions[0];
    (arm.y.atan2(-arm.z) - pendulum(theta, time)).abs()
}

#[test]
fn a_rule_keeps_its_order_with_a_limit() {
    for (rule, order) in [
        (ImplicitRule::BackwardEuler, 1.0),
        (ImplicitRule::Bdf2, 2.0),
    ] {
        let errors = [160, 320, 640].map(|count| pendulum_error(rule, count));
        for pair in errors.windows(2) {
            let measured = (pair[0] / pair[1]).log2();
            assert!((measured - order).abs() < 0.1, "{rule:?}: {errors:?}");
        }
    }
}

/// Symptom: a step said that its limit held while contact had stretched the cloth afterwards. Mechanism: residual and
/// status were those of the limit itself, before contact moved nodes.
#[test]
fn the_certificate_of_a_limit_is_of_what_was_committed() {
    let (model, mut state) = world(
        &square(8),
        COTTON,
        vec![],
        EARTH,
        implicit(ImplicitRule::BackwardEuler),
    );
    // A rod that is thrust through the middle of the sheet from below, faster than cloth can follow.
    let rod = Body {
        name: "rod".into(),
        shape: Shape::Capsule {
            radius: 0.02,
            half_length: 1.0,
        },
        place: Pose {
            translation: DVec3::new(0.06, 0.0, -0.05),
            rotation: DQuat::from_rotation_x(0.5 * std::f64::consts::PI),
        },
        path: RigidPath {
            motion: Motion::Velocity {
                linear: DVec3::Z * 8.0,
                angular: DVec3::ZERO,
            },
            ..Default::default()
        },
        friction: 0.5.into(),
    };
    let model = model.rebuilt(|parts| {
        parts.limits = vec![(0, lengths(&model))];
        parts.bodies = vec![rod];
    });
    let model = model.unwrap();
    let mut workspace = Workspace::new(&model, None);
    let mut missed = 0;
    for _ in 0..20 {
        let report = step(&model, &mut state, &mut workspace, 5e-3).unwrap();
        let limit = report.certificate.limit.unwrap();
        // The squares of lengths are wrong by twice what the lengths are, and more.
        let worst = report.certificate.stretch_worst;
        assert!(limit.residual >= 1.999 * worst, "{worst} for {limit:?}");
        let held = limit.residual <= ProjectionSettings::default().tolerance;
        assert_eq!(report.status == Status::LimitMissed, !held, "{report:?}");
        missed += usize::from(!held);
    }
    assert!(
        missed > 0,
        "contact never stretched it: the test tests nothing"
    );
}
