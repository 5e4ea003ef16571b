//! What internal forces must leave alone: momentum; and what gravity alone must do: free fall.

use crate::common::{COTTON, fixed, square, stir, world};
use toile::certificate::{Energies, momentum};
use toile::energy::MassSpringMaterial;
use toile::glam::DVec3;
use toile::integrate::{ImplicitSettings, Integrator};
use toile::step::{Workspace, step};

const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -9.81);
const BACKWARD: Integrator = Integrator::Implicit(ImplicitSettings::CLASSIC);

#[test]
fn free_fall_is_exact_for_both_integrators() {
    for integrator in [Integrator::SymplecticEuler, BACKWARD] {
        let (model, mut state) = world(&square(8), COTTON, vec![], GRAVITY, integrator);
        let start = state.positions.clone();
        let mut workspace = Workspace::new(&model, None);
        let (h, steps) = (0.01, 100);
        for _ in 0..steps {
            step(&model, &mut state, &mut workspace, h).unwrap();
        }
        // Both rules give x_n = g h² n(n+1)/2 and v_n = g h n, to rounding.
        let n = steps as f64;
        let fall = GRAVITY * h * h * n * (n + 1.0) / 2.0;
        for (now, before) in state.positions.iter().zip(&start) {
            assert!(now.distance(*before + fall) < 1e-12, "{integrator:?}");
        }
        for velocity in &state.velocities {
            assert!(velocity.distance(GRAVITY * h * n) < 1e-12);
        }
    }
}

#[test]
fn a_free_flying_sheet_keeps_linear_and_angular_momentum() {
    let damped = MassSpringMaterial {
        damping: 1e-3,
        ..COTTON
    };
    let (model, mut state) = world(
        &square(16),
        damped,
        vec![],
        DVec3::ZERO,
        Integrator::SymplecticEuler,
    );
    stir(&mut state);
    let (p0, l0) = momentum(&model, &state);
    let mut workspace = Workspace::new(&model, None);
    for _ in 0..1000 {
        step(&model, &mut state, &mut workspace, 2e-4).unwrap();
    }
    let (p, l) = momentum(&model, &state);
    assert!(
        p.distance(p0) < 1e-10 * p0.length(),
        "{}",
        p.distance(p0) / p0.length()
    );
    assert!(
        l.distance(l0) < 1e-10 * l0.length(),
        "{}",
        l.distance(l0) / l0.length()
    );
}

#[test]
fn backward_euler_keeps_linear_momentum_whatever_its_solver_leaves() {
    let (model, mut state) = world(&square(16), COTTON, vec![], DVec3::ZERO, BACKWARD);
    stir(&mut state);
    let (p0, _) = momentum(&model, &state);
    let mut workspace = Workspace::new(&model, None);
    for _ in 0..100 {
        step(&model, &mut state, &mut workspace, 0.01).unwrap();
    }
    let (p, _) = momentum(&model, &state);
    assert!(
        p.distance(p0) < 1e-10 * p0.length(),
        "{}",
        p.distance(p0) / p0.length()
    );
}

#[test]
fn symplectic_euler_keeps_the_energy_of_a_swinging_sheet() {
    let pins = vec![fixed(vec![0, 8])];
    let (model, mut state) = world(
        &square(8),
        COTTON,
        pins,
        GRAVITY,
        Integrator::SymplecticEuler,
    );
    let start = Energies::of(&model, &state).total();
    let mut workspace = Workspace::new(&model, None);
    let mut fallen = 0.0f64;
    for _ in 0..5000 {
        step(&model, &mut state, &mut workspace, 1e-4).unwrap();
        let now = Energies::of(&model, &state);
        fallen = fallen.max(now.kinetic);
        // The scheme's energy oscillates with the step but does not drift.
        assert!((now.total() - start).abs() < 5e-3, "{now:?}");
    }
    assert!(fallen > 0.3, "the sheet should have swung: {fallen} J");
}
