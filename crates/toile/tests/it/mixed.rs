//! The mixed schemes against a damped oscillator, whose motion is known, and against momentum.

use crate::common::{COTTON, fixed, oscillator, square, stir, world};
use toile::advance::stable_step;
use toile::certificate::momentum;
use toile::energy::MassSpringMaterial;
use toile::glam::DVec3;
use toile::integrate::{Integrator, MixedScheme, MixedSettings};
use toile::model::Model;
use toile::state::State;
use toile::step::{Workspace, step};

const SCHEMES: [MixedScheme; 3] = [MixedScheme::A, MixedScheme::B, MixedScheme::C];

fn exact(scheme: MixedScheme) -> Integrator {
    Integrator::Mixed(MixedSettings {
        tolerance: 1e-13,
        ..MixedSettings::new(scheme)
    })
}

/// Position and velocity of the oscillator's free node along x, from its rest place.
fn displacement(state: &State) -> [f64; 2] {
    [state.positions[1].x - 1.0, state.velocities[1].x]
}

fn run(model: &Model, start: &State, steps: impl Iterator<Item = f64>) -> State {
    let mut state = start.clone();
    let mut workspace = Workspace::new(model, None);
    for h in steps {
        step(model, &mut state, &mut workspace, h).unwrap();
    }
    state
}

/// Steps that cover `duration` in `pairs` pairs, the first of each pair `ratio` times as long as the second.
fn pairs(duration: f64, pairs: u32, ratio: f64) -> impl Iterator<Item = f64> {
    let short = duration / f64::from(pairs) / (1.0 + ratio);
    (0..pairs).flat_map(move |_| [ratio * short, short])
}

/// Order by which the error of position and velocity at the end falls when every step is halved.
fn order(model: &Model, start: &State, end: [f64; 2], duration: f64, ratio: f64) -> f64 {
    let error = |count: u32| {
        let state = run(model, start, pairs(duration, count, ratio));
        let [x, v] = displacement(&state);
        (x - end[0]).hypot(v - end[1])
    };
    (error(100) / error(200)).log2()
}

#[test]
fn all_schemes_are_of_second_order_on_a_damped_oscillator() {
    // ω² = 40 /s², γ = 2 /s: x = e^{−t} (cos Ωt + sin Ωt / Ω) x₀ with Ω² = 39.
    for scheme in SCHEMES {
        let (model, mut state) = oscillator(40.0, 2.0, exact(scheme));
        state.positions[1].x += 0.1;
        let (t, omega) = (1.3f64, 39f64.sqrt());
        let decay = 0.1 * (-t).exp();
        let x = decay * ((omega * t).cos() + (omega * t).sin() / omega);
        let v = -decay * (omega + 1.0 / omega) * (omega * t).sin();
        for ratio in [1.0, 2.0] {
            // One step of B has a local error of third order however long the next one is.
            let order = order(&model, &state, [x, v], t, ratio);
            assert!((order - 2.0).abs() < 0.05, "{scheme:?} {ratio}: {order}");
        }
    }
}

#[test]
fn with_stiff_damping_a_keeps_its_order_and_c_falls_to_first_and_b_if_steps_vary() {
    // The slow mode e^{−st} of λ = 400 /s², γ = 1e5 /s over 1 s, steps far above 1/γ.
    let (lambda, gamma) = (400.0, 1e5f64);
    let slow = 2.0 * lambda / (gamma + (gamma * gamma - 4.0 * lambda).sqrt());
    let position_error = |scheme: MixedScheme, count: u32, ratio: f64| {
        let (model, mut state) = oscillator(lambda, gamma, exact(scheme));
        state.positions[1].x += 0.5;
        state.velocities[1].x = -slow * 0.5;
        let end = run(&model, &state, pairs(1.0, count, ratio));
        (displacement(&end)[0] - 0.5 * (-slow).exp()).abs()
    };
    for (scheme, ratio, expected) in [
        (MixedScheme::A, 1.0, 2.0),
        (MixedScheme::A, 2.0, 2.0),
        (MixedScheme::B, 2.0, 1.0),
        (MixedScheme::C, 1.0, 1.0),
        (MixedScheme::C, 2.0, 1.0),
    ] {
        let [coarse, fine] = [8, 16].map(|count| position_error(scheme, count, ratio));
        let order = (coarse / fine).log2();
        let errors = format!("{scheme:?} {ratio}: {order} from {coarse:e} {fine:e}");
        assert!((order - expected).abs() < 0.1, "{errors}");
    }
    let [equal, varying] = [1.0, 2.0].map(|ratio| position_error(MixedScheme::B, 8, ratio));
    assert!(equal < 1e-3 * varying, "{equal:e} {varying:e}");
}

#[test]
fn the_limit_of_stability_is_that_of_the_undamped_oscillator() {
    // h < 2/ω for A and B; h² λ < 4 (1 + h γ/2) for C.
    let (lambda, gamma) = (400.0f64, 50.0f64);
    for scheme in SCHEMES {
        let (model, mut state) = oscillator(lambda, gamma, exact(scheme));
        state.positions[1].x += 1e-6;
        let limit = match scheme {
            MixedScheme::C => (gamma + (gamma * gamma + 4.0 * lambda).sqrt()) / lambda,
            _ => 2.0 / lambda.sqrt(),
        };
        let after = |h: f64| {
            let end = run(&model, &state, (0..400).map(|_| h));
            displacement(&end)[0].abs()
        };
        assert!(after(0.99 * limit) < 1e-6, "{scheme:?}");
        assert!(after(1.01 * limit) > 1e-6, "{scheme:?}");
        let estimate = stable_step(&model, &state);
        assert!(
            (estimate * lambda.sqrt() / 2.0 - 1.0).abs() < 1e-3,
            "{estimate}"
        );
    }
}

#[test]
fn strong_damping_makes_a_overshoot_and_c_not() {
    // From rest A's first step is an undamped one: x₁ = (1 − h²λ/2) x₀.
    let (lambda, gamma) = (400.0f64, 4e4);
    let h = 0.8 * 2.0 / lambda.sqrt();
    for (scheme, expected) in [(MixedScheme::A, 1.0 - 2.0 * 0.64), (MixedScheme::C, 1.0)] {
        let (model, mut state) = oscillator(lambda, gamma, exact(scheme));
        state.positions[1].x += 0.1;
        let end = run(&model, &state, std::iter::once(h));
        let x = displacement(&end)[0] / 0.1;
        assert!((x - expected).abs() < 2e-3, "{scheme:?}: {x}");
    }
}

#[test]
fn linear_momentum_is_kept_to_rounding_and_angular_momentum_by_a_and_b() {
    let damped = MassSpringMaterial {
        damping: 1e-2,
        ..COTTON
    };
    let change = |scheme: MixedScheme, h: f64, steps: u32| {
        // A rough solve will do: the iterations themselves leave momentum alone.
        let integrator = Integrator::Mixed(MixedSettings {
            tolerance: 1e-3,
            ..MixedSettings::new(scheme)
        });
        let (model, mut state) = world(&square(10), damped, vec![], DVec3::ZERO, integrator);
        stir(&mut state);
        let (p0, l0) = momentum(&model, &state);
        let end = run(&model, &state, (0..steps).map(|_| h));
        let (p, l) = momentum(&model, &end);
        [p.distance(p0) / p0.length(), l.distance(l0) / l0.length()]
    };
    for scheme in SCHEMES {
        let [linear, angular] = change(scheme, 4e-4, 400);
        assert!(linear < 1e-12, "{scheme:?}: {linear}");
        if scheme != MixedScheme::C {
            assert!(angular < 1e-12, "{scheme:?}: {angular}");
            continue;
        }
        let [_, finer] = change(scheme, 2e-4, 800);
        assert!(angular < 1e-3, "{angular}");
        assert!((angular / finer).log2() > 1.5, "{angular} {finer}");
    }
}

#[test]
fn a_dropped_sheet_falls_exactly_and_needs_no_iteration() {
    let gravity = DVec3::new(0.0, 0.0, -9.81);
    for scheme in SCHEMES {
        let integrator = Integrator::Mixed(MixedSettings::new(scheme));
        let (model, mut state) = world(&square(6), COTTON, vec![], gravity, integrator);
        let start = state.positions.clone();
        let mut workspace = Workspace::new(&model, None);
        for n in 0..100 {
            // Second order is exact for a parabola, with steps of any length.
            let h = 1e-4 * (1.0 + f64::from(n % 3));
            let report = step(&model, &mut state, &mut workspace, h).unwrap();
            assert_eq!(report.certificate.iterations, 0, "{scheme:?}");
        }
        let fall = 0.5 * gravity * state.time * state.time;
        for (now, before) in state.positions.iter().zip(&start) {
            assert!(now.distance(*before + fall) < 1e-13, "{scheme:?}");
        }
    }
}

#[test]
fn held_nodes_stay_and_the_air_brakes_to_the_terminal_speed() {
    let gravity = DVec3::new(0.0, 0.0, -9.81);
    for scheme in SCHEMES {
        let integrator = Integrator::Mixed(MixedSettings::new(scheme));
        let pins = vec![fixed(vec![0, 6])];
        let (model, state) = world(&square(6), COTTON, pins, gravity, integrator);
        let end = run(&model, &state, (0..200).map(|_| 1e-3));
        assert_eq!(end.positions[0], state.positions[0]);
        assert_eq!(end.velocities[6], DVec3::ZERO);
        assert!(end.positions[48].z < -0.1);

        let (mut model, state) = world(&square(2), COTTON, vec![], gravity, integrator);
        model = model
            .rebuilt(|parts| parts.cloths[0].air_damping = 20.0)
            .unwrap();
        let end = run(&model, &state, (0..2000).map(|_| 1e-3));
        assert!((end.velocities[4].z + 9.81 / 20.0).abs() < 1e-9);
    }
}
