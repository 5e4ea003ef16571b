//! Pins, grasps and failures as the engine's user meets them.

mod common;

use common::{COTTON, fixed, square, world};
use toile::certificate::{Phase, StepError};
use toile::drive::{Interval, Motion, Pin, PinPath, RigidPath};
use toile::energy::MassSpringMaterial;
use toile::glam::DVec3;
use toile::integrate::{BackwardEulerSettings, Integrator};
use toile::linalg::LinearSolver;
use toile::step::{Workspace, step};

const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -9.81);

fn backward() -> Integrator {
    Integrator::BackwardEuler(BackwardEulerSettings::default())
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
    let hasty = Integrator::BackwardEuler(BackwardEulerSettings {
        tolerance: 1e-10,
        max_iterations: 2,
        solver: LinearSolver::IncompleteCholesky,
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
        pins: vec![fixed(vec![0, 1]), fixed(vec![1])],
        bodies: vec![],
        gravity: GRAVITY,
        integrator: backward(),
    })
    .unwrap_err();
    assert!(error.to_string().contains("node 1"), "{error}");
}
