//! Forces and matrices against difference quotients, and what every force must keep.

use super::*;
use crate::energy::element::check;

const STEP: f64 = 1e-3;

fn walk(mut each: impl FnMut(MembraneLaw, f64, &mut Dice), hessian: Hessian, damping: f64) {
    let mut dice = Dice(7);
    for law in smooth_laws(hessian, damping) {
        for _ in 0..40 {
            let warp = 3.0 * dice.roll();
            each(law.clone(), warp, &mut dice);
        }
    }
}

#[test]
fn the_force_is_minus_the_gradient_of_the_energy() {
    let each = |law: MembraneLaw, warp: f64, dice: &mut Dice| {
        let x = deformed(&TRIANGLE, dice);
        let error = check::force_error(&triangle(law.clone(), warp), 0, &x, STEP);
        assert!(error < 1e-8, "triangle: {error:.1e}");
        let x = deformed(&QUAD, dice);
        let error = check::force_error(&quad(law, warp), 0, &x, STEP);
        assert!(error < 1e-8, "quad: {error:.1e}");
    };
    walk(each, Hessian::Exact, 0.0);
}

#[test]
fn the_exact_stiffness_is_the_derivative_of_the_force() {
    let each = |law: MembraneLaw, warp: f64, dice: &mut Dice| {
        let x = deformed(&TRIANGLE, dice);
        let batch = triangle(law.clone(), warp);
        let error = check::stiffness_error(&batch, 0, &x, &[DVec3::ZERO; 3], false, STEP);
        assert!(error < 1e-8, "triangle: {error:.1e}");
        let x = deformed(&QUAD, dice);
        let error = check::stiffness_error(&quad(law, warp), 0, &x, &[DVec3::ZERO; 4], false, STEP);
        assert!(error < 1e-8, "quad: {error:.1e}");
    };
    walk(each, Hessian::Exact, 0.0);
}

#[test]
fn the_damping_matrix_is_the_derivative_by_velocity_under_every_hessian() {
    for hessian in [Hessian::Exact, Hessian::Projected, Hessian::GaussNewton] {
        let each = |law: MembraneLaw, warp: f64, dice: &mut Dice| {
            let (x, v) = (deformed(&TRIANGLE, dice), velocities(dice));
            let batch = triangle(law.clone(), warp);
            let error = check::stiffness_error(&batch, 0, &x, &v, true, 0.1);
            assert!(error < 1e-11, "triangle: {error:.1e}");
            assert!(check::ahead_error(&batch, 0, &x, &v) < 1e-12);
            let (x, v) = (deformed(&QUAD, dice), velocities(dice));
            let batch = quad(law, warp);
            let error = check::stiffness_error(&batch, 0, &x, &v, true, 0.1);
            assert!(error < 1e-11, "quad: {error:.1e}");
            assert!(check::ahead_error(&batch, 0, &x, &v) < 1e-12);
        };
        walk(each, hessian, 0.01);
    }
}

/// With the speed of each condition frozen, damping is a constant times `∂C/∂x`, whose derivative the paper
/// keeps.
#[test]
fn the_damping_force_counts_as_tension_where_asked() {
    let each = |law: MembraneLaw, warp: f64, dice: &mut Dice| {
        let (x, v): (_, [DVec3; 3]) = (deformed(&TRIANGLE, dice), velocities(dice));
        for term in 0..3 {
            let law = match law.clone() {
                MembraneLaw::BaraffWitkin(law) => law,
                _ => return,
            };
            let mut alone = BaraffWitkin {
                stretch: [0.0; 2],
                shear: 0.0,
                ..law
            };
            match term {
                2 => alone.shear = law.shear,
                axis => alone.stretch[axis] = law.stretch[axis],
            }
            let k = [alone.stretch[0], alone.stretch[1], alone.shear][term];
            let tau = [
                law.stretch_damping[0],
                law.stretch_damping[1],
                law.shear_damping,
            ][term];
            let batch = triangle(MembraneLaw::BaraffWitkin(alone), warp);
            let counting = triangle(
                MembraneLaw::BaraffWitkin(BaraffWitkin {
                    damping_in_stiffness: true,
                    ..alone
                }),
                warp,
            );
            // f = −k C ∂C at rest, so ∂C = −f / √(2 k W) up to the sign of C, which cancels in Ċ ∂²C.
            let gradient = |x: &[DVec3; 3]| {
                let size = (2.0 * k * batch.value(0, x)).sqrt();
                batch.force(0, x, &[DVec3::ZERO; 3]).map(|f| -f / size)
            };
            let speed: f64 = gradient(&x).iter().zip(&v).map(|(g, v)| g.dot(*v)).sum();
            let weights = Weights {
                stiffness: 1.0,
                damping: 0.0,
                ahead: 0.0,
            };
            let with = counting.linearise(0, &x, &v, &weights).blocks;
            let without = batch.linearise(0, &x, &v, &weights).blocks;
            let scale = tau * k * speed.abs();
            for i in 0..3 {
                for j in 0..=i {
                    for (axis, direction) in DVec3::AXES.into_iter().enumerate() {
                        let e = 1e-5;
                        let moved = |s: f64| {
                            let mut y = x;
                            y[j] += s * e * direction;
                            gradient(&y)[i]
                        };
                        let second = (moved(1.0) - moved(-1.0)) / (2.0 * e);
                        let extra = (with[i][j] - without[i][j]).col(axis);
                        assert!((extra - tau * k * speed * second).length() < 1e-7 * scale);
                    }
                }
            }
        }
    };
    walk(each, Hessian::Exact, 0.01);
}

fn keeps_momentum<const N: usize>(batch: &impl Elements<N>, x: &[DVec3; N], v: &[DVec3; N]) {
    let force = batch.force(0, x, v);
    let scale: f64 = force.iter().map(|f| f.length()).sum();
    let sum: DVec3 = force.iter().sum();
    assert!(sum.length() <= 1e-15 * scale, "{sum} of {scale}");
    let centre = x.iter().sum::<DVec3>() / N as f64;
    let torque: DVec3 = x
        .iter()
        .zip(&force)
        .map(|(x, f)| (x - centre).cross(*f))
        .sum();
    assert!(torque.length() < 1e-14 * scale, "{torque} of {scale}");
    let still = batch.force(0, x, &[DVec3::ZERO; N]);
    let power: f64 = (0..N).map(|i| (force[i] - still[i]).dot(v[i])).sum();
    assert!(power <= 0.0, "damping feeds {power} W");
}

#[test]
fn forces_keep_momentum_and_damping_takes_energy() {
    let mut dice = Dice(8);
    for law in laws(Hessian::Projected, 0.01) {
        for _ in 0..40 {
            let warp = 3.0 * dice.roll();
            let (x, v) = (deformed(&TRIANGLE, &mut dice), velocities(&mut dice));
            keeps_momentum(&triangle(law.clone(), warp), &x, &v);
            let (x, v) = (deformed(&QUAD, &mut dice), velocities(&mut dice));
            keeps_momentum(&quad(law.clone(), warp), &x, &v);
        }
    }
}

#[test]
fn rigid_motions_cost_nothing() {
    let mut dice = Dice(3);
    for mut law in laws(Hessian::Projected, 0.01) {
        if let MembraneLaw::BaraffWitkin(law) = &mut law {
            law.rest_stretch = [1.0; 2];
        }
        let batch = quad(law, 0.7);
        for _ in 0..50 {
            let (turn, spin) = (dice.rotation(), dice.vector());
            let x = QUAD.map(|[x, y]| turn * DVec3::new(x, y, 0.0) + DVec3::splat(2.0));
            let v = x.map(|x| spin.cross(x) + DVec3::ONE);
            let force = batch.force(0, &x, &v);
            // Stiffness is of the order of 100 N/m, places of the order of 1 m.
            assert!(force.iter().all(|f| f.length() < 1e-12), "{force:?}");
            assert!(batch.value(0, &x) < 1e-24);
        }
    }
}

#[test]
fn collapsed_faces_give_finite_answers() {
    let weights = Weights {
        stiffness: 1e-4,
        damping: 1e-2,
        ahead: 1e-2,
    };
    let line = |k: f64| DVec3::new(0.3 * k, 0.1 * k, 0.0);
    let shapes = [
        [DVec3::ONE; 3],
        [line(0.0), line(1.0), line(2.0)],
        [line(0.0), line(1.0), line(1.0)],
        [line(0.0), line(1e-14), line(-2e-14)],
        [line(0.0), line(1e-170), line(2e-170)],
    ];
    for hessian in [Hessian::Exact, Hessian::Projected, Hessian::GaussNewton] {
        for law in laws(hessian, 0.01) {
            let batch = triangle(law, 0.4);
            for x in shapes {
                let v = [DVec3::X, DVec3::Y, DVec3::Z];
                let local = batch.linearise(0, &x, &v, &weights);
                assert!(batch.value(0, &x).is_finite());
                assert!(local.force.iter().all(|f| f.is_finite()), "{x:?}");
                assert!(
                    local.blocks.iter().flatten().all(|b| b.is_finite()),
                    "{x:?}"
                );
            }
        }
    }
}
