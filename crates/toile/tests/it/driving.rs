//! Pins, grasps and failures as the engine's user meets them.

use crate::common::{COTTON, fixed, square, world};
use toile::certificate::{Phase, StepError};
use toile::drive::{Interval, Motion, Pin, PinPath, RigidPath, Slide};
use toile::energy::MassSpringMaterial;
use toile::glam::DVec3;
use toile::integrate::{ImplicitRule, ImplicitSettings, Integrator, MixedScheme, MixedSettings};
use toile::step::{Workspace, step};

const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -9.81);

fn backward() -> Integrator {
    Integrator::Implicit(ImplicitSettings::default())
}

#[test]
fn a_grasp_lifts_releases_and_takes_the_node_again_where_it_is() {
    let lift = Pin {
        nodes: vec![0],
        path: PinPath::Carried(RigidPath {
            pivot: DVec3::ZERO,
            motion: Motion::Velocity {
                linear: DVec3::Z * 0.5,
                angular: DVec3::ZERO,
            },
        }),
        held: vec![
            Interval { from: 0.0, to: 0.2 },
            Interval { from: 0.4, to: 9.0 },
        ],
        slide: Slide::Nowhere,
    };
    let pins = vec![lift, fixed(vec![80])];
    let (model, mut state) = world(&square(8), COTTON, pins, GRAVITY, backward());
    let start = state.positions[0];
    let mut workspace = Workspace::new(&model, None);
    let mut run_to = |time: f64, state: &mut toile::state::State| {
        while state.time < time - 1e-9 {
            let report = step(&model, state, &mut workspace, 0.01).unwrap();
            assert!(report.certificate.pin_residual < 1e-12);
        }
        state.positions[0]
    };
    let lifted = run_to(0.2, &mut state);
    assert!(lifted.distance(start + DVec3::Z * 0.1) < 1e-12);
    let dropped = run_to(0.4, &mut state);
    assert!(
        dropped.z < lifted.z - 0.02,
        "released nodes fall: {dropped}"
    );
    let taken = run_to(0.5, &mut state);
    assert!(
        taken.distance(dropped + DVec3::Z * 0.05) < 1e-12,
        "{taken} {dropped}"
    );
}

#[test]
fn an_explosion_is_an_error_that_names_phase_node_and_time_and_leaves_the_state() {
    let stiff = MassSpringMaterial {
        stretch: 1e7,
        ..COTTON
    };
    let (model, mut state) = world(
        &square(4),
        stiff,
        vec![fixed(vec![0])],
        GRAVITY,
        Integrator::SymplecticEuler,
    );
    let mut workspace = Workspace::new(&model, None);
    let error = loop {
        let before = state.clone();
        if let Err(error) = step(&model, &mut state, &mut workspace, 0.05) {
            assert_eq!(before.positions, state.positions);
            assert_eq!(before.time, state.time);
            break error;
        }
        assert!(state.steps < 10_000, "this must blow up");
    };
    assert!(matches!(
        error,
        StepError::NotFinite { phase: Phase::Predict, ref cloth, time, .. } if cloth == "sheet" && time > 0.0
    ));
}

#[test]
fn backward_euler_reports_a_solve_that_did_not_finish() {
    let hasty = Integrator::Implicit(ImplicitSettings {
        tolerance: 1e-10,
        max_iterations: 2,
        ..Default::default()
    });
    let (model, mut state) = world(&square(16), COTTON, vec![fixed(vec![0])], GRAVITY, hasty);
    let mut workspace = Workspace::new(&model, None);
    let report = (0..5)
        .map(|_| step(&model, &mut state, &mut workspace, 0.01).unwrap())
        .last()
        .unwrap();
    assert_eq!(report.status, toile::certificate::Status::IterationLimit);
    assert!(report.certificate.linear_residual > 1e-10);
}

#[test]
fn a_step_of_zero_or_nan_is_refused() {
    let (model, mut state) = world(&square(2), COTTON, vec![], GRAVITY, backward());
    let mut workspace = Workspace::new(&model, None);
    for h in [0.0, -0.1, f64::NAN, f64::INFINITY] {
        assert!(step(&model, &mut state, &mut workspace, h).is_err());
    }
}

#[test]
fn one_node_cannot_be_held_twice_at_once() {
    use toile::model::{Model, ModelParts};
    let (model, _) = world(&square(2), COTTON, vec![], GRAVITY, backward());
    let error = Model::new(ModelParts {
        cloths: model.cloths.clone(),
        energies: model.energies.clone(),
        limits: Vec::new(),
        pins: vec![fixed(vec![0, 1]), fixed(vec![1])],
        bodies: vec![],
        body_contact: Default::default(),
        contacts: Vec::new(),
        gravity: GRAVITY,
        integrator: backward(),
        ..Default::default()
    })
    .unwrap_err();
    assert!(error.to_string().contains("node 1"), "{error}");
}

/// Every node a bead on a wire of the same direction: the sheet slides as a whole, and only gravity along the wire
/// counts, whatever the springs do.
#[test]
fn nodes_slide_along_lines_and_in_planes_as_beads_do() {
    let along = DVec3::new(3.0, 0.0, -1.0).normalize();
    let across = DVec3::new(1.0, 0.0, 1.0).normalize();
    let mixed = MixedSettings::new(MixedScheme::C);
    for integrator in [
        Integrator::SymplecticEuler,
        Integrator::Implicit(ImplicitSettings::CLASSIC),
        Integrator::Implicit(ImplicitSettings {
            rule: ImplicitRule::Bdf2,
            newton_steps: 3,
            ..Default::default()
        }),
        Integrator::Mixed(mixed),
    ] {
        for slide in [Slide::Line(along), Slide::Plane(across)] {
            let pin = Pin {
                slide,
                ..fixed((0..25).collect())
            };
            let (model, mut state) = world(&square(4), COTTON, vec![pin], GRAVITY, integrator);
            let start = state.positions.clone();
            let mut workspace = Workspace::new(&model, None);
            let h = 1e-3;
            for _ in 0..200 {
                let report = step(&model, &mut state, &mut workspace, h).unwrap();
                assert!(report.certificate.pin_residual < 1e-12);
            }
            let pull = match slide {
                Slide::Line(d) => GRAVITY.dot(d) * d,
                Slide::Plane(n) => GRAVITY - GRAVITY.dot(n) * n,
                Slide::Nowhere => unreachable!(),
            };
            for (now, start) in state.positions.iter().zip(&start) {
                // Every rule here is exact for constant acceleration but for a first-order part of the start.
                let expected = 0.5 * pull * 0.2f64.powi(2);
                let error = (*now - *start - expected).length();
                assert!(
                    error < 1.1 * 0.5 * h * 0.2 * pull.length(),
                    "{integrator:?}: {error}"
                );
            }
        }
    }
}
