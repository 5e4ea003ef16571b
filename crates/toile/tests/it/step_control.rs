//! Steps that are cut, taken back and grown.

use crate::common::{COTTON, fixed, oscillator, square, stir, world};
use toile::advance::{AdvanceReport, StepControl, advance, stable_step};
use toile::certificate::StepError;
use toile::energy::MassSpringMaterial;
use toile::glam::DVec3;
use toile::integrate::{ImplicitRule, ImplicitSettings, Integrator, MixedScheme, MixedSettings};
use toile::model::Model;
use toile::state::State;
use toile::step::{Workspace, step};

const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -9.81);

fn mixed(scheme: MixedScheme) -> Integrator {
    Integrator::Mixed(MixedSettings::new(scheme))
}

fn hanging(integrator: Integrator) -> (Model, State) {
    let damped = MassSpringMaterial {
        damping: 1e-3,
        ..COTTON
    };
    world(
        &square(8),
        damped,
        vec![fixed(vec![0, 8])],
        GRAVITY,
        integrator,
    )
}

fn spans(
    model: &Model,
    state: &mut State,
    count: usize,
    duration: f64,
    control: &StepControl,
) -> Vec<AdvanceReport> {
    let mut workspace = Workspace::new(model, None);
    (0..count)
        .map(|_| advance(model, state, &mut workspace, duration, control).unwrap())
        .collect()
}

#[test]
fn fixed_control_is_a_plain_step_bit_for_bit() {
    for integrator in [
        Integrator::SymplecticEuler,
        Integrator::Implicit(ImplicitSettings::CLASSIC),
        mixed(MixedScheme::C),
    ] {
        let (model, mut state) = hanging(integrator);
        let mut plain = state.clone();
        let reports = spans(&model, &mut state, 100, 2e-4, &StepControl::Fixed);
        let mut workspace = Workspace::new(&model, None);
        for report in reports {
            let expected = step(&model, &mut plain, &mut workspace, 2e-4).unwrap();
            assert_eq!((report.report, report.substeps), (expected, 1));
        }
        assert_eq!(state, plain);
    }
}

#[test]
fn a_step_far_too_long_for_an_explicit_rule_is_rescued_by_halving() {
    for integrator in [Integrator::SymplecticEuler, mixed(MixedScheme::A)] {
        let (model, start) = hanging(integrator);
        let mut state = start.clone();
        stir(&mut state);
        // About forty times the limit of 1.4 ms: one step would tear the sheet apart.
        let mut torn = state.clone();
        let mut workspace = Workspace::new(&model, None);
        step(&model, &mut torn, &mut workspace, 0.06).unwrap();
        let reach = |state: &State| {
            state
                .positions
                .iter()
                .map(|p| p.length())
                .fold(0.0, f64::max)
        };
        assert!(reach(&torn) > 10.0, "{}", reach(&torn));

        let report = advance(
            &model,
            &mut state,
            &mut workspace,
            0.06,
            &StepControl::Fixed,
        );
        let report = report.unwrap();
        assert!(report.rejected > 0 && report.substeps > 8, "{report:?}");
        assert!(reach(&state) < 3.0, "{}", reach(&state));
        assert!((state.time - 0.06).abs() < 1e-15);
    }
}

#[test]
fn what_no_short_step_can_save_is_an_error_that_leaves_the_state_alone() {
    let (model, mut state) = hanging(mixed(MixedScheme::C));
    state.velocities[40] = DVec3::splat(f64::MAX);
    let before = state.clone();
    for control in [
        StepControl::Fixed,
        StepControl::Cfl { fraction: 0.5 },
        StepControl::Adaptive {
            tolerance: 1e-4,
            smallest: 1e-5,
        },
    ] {
        let mut workspace = Workspace::new(&model, None);
        let error = advance(&model, &mut state, &mut workspace, 0.01, &control).unwrap_err();
        assert!(matches!(error, StepError::GaveUp { .. }), "{error:?}");
        let text = error.to_string();
        for part in [
            "did not help",
            "t = 0.000000 s",
            "phase",
            "node",
            "`sheet`",
            "shorten",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert_eq!(state, before);
    }
}

#[test]
fn an_error_in_a_later_sub_step_takes_back_the_earlier_ones() {
    // Held still for a while, then dragged away faster than the speed that numbers reach.
    use toile::drive::{Interval, Motion, Pin, PinPath, RigidPath};
    let path = RigidPath {
        pivot: DVec3::ZERO,
        motion: Motion::Velocity {
            linear: DVec3::X * 1e200,
            angular: DVec3::ZERO,
        },
    };
    let pin = Pin {
        nodes: vec![0],
        path: PinPath::Carried(path),
        held: vec![Interval {
            from: 0.005,
            to: 1.0,
        }],
        slide: Default::default(),
    };
    let (model, mut state) = world(
        &square(4),
        COTTON,
        vec![pin],
        GRAVITY,
        mixed(MixedScheme::A),
    );
    let before = state.clone();
    let mut workspace = Workspace::new(&model, None);
    let control = StepControl::Cfl { fraction: 0.5 };
    let error = advance(&model, &mut state, &mut workspace, 0.01, &control).unwrap_err();
    assert!(error.to_string().contains("t = 0.00"), "{error}");
    assert_eq!(state, before);
}

#[test]
fn the_stability_limit_of_an_oscillator_is_found() {
    let (lambda, gamma) = (400.0f64, 30.0f64);
    let (model, state) = oscillator(lambda, gamma, mixed(MixedScheme::A));
    assert!((stable_step(&model, &state) - 0.1).abs() < 1e-4);
    let (model, mut state) = oscillator(lambda, gamma, Integrator::SymplecticEuler);
    let limit = 4.0 / (gamma + (gamma * gamma + 4.0 * lambda).sqrt());
    assert!((stable_step(&model, &state) / limit - 1.0).abs() < 1e-3);
    state.positions[1].x += 1e-6;
    let after = |h: f64| {
        let mut state = state.clone();
        let mut workspace = Workspace::new(&model, None);
        for _ in 0..500 {
            step(&model, &mut state, &mut workspace, h).unwrap();
        }
        (state.positions[1].x - 1.0).abs()
    };
    assert!(after(0.99 * limit) < 1e-6);
    assert!(after(1.01 * limit) > 1e-6);
}

#[test]
fn steps_below_the_stability_limit_keep_a_swinging_sheet_whole() {
    for integrator in [Integrator::SymplecticEuler, mixed(MixedScheme::C)] {
        let (model, mut state) = hanging(integrator);
        let limit = stable_step(&model, &state);
        let reports = spans(
            &model,
            &mut state,
            20,
            0.01,
            &StepControl::Cfl { fraction: 0.5 },
        );
        let expected = (0.01 / (0.5 * limit)).ceil();
        for report in &reports {
            assert_eq!(report.rejected, 0);
            assert!(
                (f64::from(report.substeps) / expected - 1.0).abs() < 0.5,
                "{report:?}"
            );
            assert!(report.report.certificate.stretch_worst < 0.2);
        }
        // An implicit integrator has no limit.
        let (model, mut state) = hanging(Integrator::Implicit(ImplicitSettings::CLASSIC));
        let reports = spans(
            &model,
            &mut state,
            1,
            0.01,
            &StepControl::Cfl { fraction: 0.5 },
        );
        assert_eq!(reports[0].substeps, 1);
    }
}

#[test]
fn the_adaptive_error_follows_the_tolerance() {
    let solution = |tolerance: f64, integrator: Integrator| {
        let (model, mut state) = oscillator(40.0, 2.0, integrator);
        state.positions[1].x += 0.1;
        let control = StepControl::Adaptive {
            tolerance,
            smallest: 1e-7,
        };
        let reports = spans(&model, &mut state, 26, 0.05, &control);
        let steps: u32 = reports.iter().map(|r| r.substeps).sum();
        let (t, omega) = (1.3f64, 39f64.sqrt());
        let exact = 0.1 * (-t).exp() * ((omega * t).cos() + (omega * t).sin() / omega);
        ((state.positions[1].x - 1.0 - exact).abs(), steps)
    };
    let bdf2 = Integrator::Implicit(ImplicitSettings {
        rule: ImplicitRule::Bdf2,
        newton_steps: 4,
        newton_tolerance: 1e-10,
        tolerance: 1e-8,
        max_iterations: 100,
        ..Default::default()
    });
    for integrator in [mixed(MixedScheme::A), mixed(MixedScheme::C), bdf2] {
        let (rough, few) = solution(1e-6, integrator);
        let (fine, many) = solution(1e-8, integrator);
        // A hundredth of the error takes 100^(1/3) times the steps and leaves 100^(2/3) times less error in all.
        let (steps, errors) = (f64::from(many) / f64::from(few), rough / fine);
        assert!((3.0..7.0).contains(&steps), "{integrator:?}: {few} {many}");
        assert!(
            (8.0..60.0).contains(&errors),
            "{integrator:?}: {rough} {fine}"
        );
    }
}

#[test]
fn an_adaptive_run_goes_on_from_its_state_bit_for_bit() {
    let control = StepControl::Adaptive {
        tolerance: 1e-5,
        smallest: 1e-6,
    };
    for integrator in [
        mixed(MixedScheme::C),
        Integrator::SymplecticEuler,
        Integrator::Implicit(ImplicitSettings {
            rule: ImplicitRule::Bdf2,
            ..ImplicitSettings::CLASSIC
        }),
    ] {
        let (model, start) = hanging(integrator);
        let mut whole = start.clone();
        spans(&model, &mut whole, 12, 0.01, &control);
        let mut parts = start.clone();
        spans(&model, &mut parts, 5, 0.01, &control);
        assert!(parts.step_memory.is_some());
        // A new workspace stands for a new process: all that counts is in the state.
        let mut parts = parts.clone();
        spans(&model, &mut parts, 7, 0.01, &control);
        assert_eq!(whole, parts);
        let cut = StepControl::Cfl { fraction: 0.7 };
        let (mut whole, mut parts) = (start.clone(), start);
        spans(&model, &mut whole, 6, 0.01, &cut);
        spans(&model, &mut parts, 2, 0.01, &cut);
        spans(&model, &mut parts, 4, 0.01, &cut);
        assert_eq!(whole, parts);
    }
}
