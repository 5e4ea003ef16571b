//! The projected matrices against eigenvalues found by Jacobi's rotations.

#![allow(clippy::needless_range_loop)] // matrices are written by index

use super::super::gradient::{Columns, Tangent};
use super::*;
use crate::energy::element::check;

type Six = [[f64; 6]; 6];

fn dense(t: &Tangent) -> Six {
    let (uu, uv, vv) = (t.uu.matrix(), t.uv.with_twist(t.twist), t.vv.matrix());
    std::array::from_fn(|i| {
        std::array::from_fn(|j| match (i / 3, j / 3) {
            (0, 0) => uu.col(j % 3)[i % 3],
            (0, _) => uv.col(j % 3)[i % 3],
            (_, 0) => uv.col(i % 3)[j % 3],
            _ => vv.col(j % 3)[i % 3],
        })
    })
}

/// Eigenvalues, and eigenvectors in the columns.
fn eigen(mut a: Six) -> ([f64; 6], Six) {
    let mut q: Six = std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))));
    for _ in 0..12 {
        for (i, j) in (0..6).flat_map(|i| (i + 1..6).map(move |j| (i, j))) {
            let angle = 0.5 * (2.0 * a[i][j]).atan2(a[j][j] - a[i][i]);
            let (s, c) = angle.sin_cos();
            let mix = |p: f64, r: f64| (c * p - s * r, s * p + c * r);
            for row in a.iter_mut().chain(&mut q) {
                (row[i], row[j]) = mix(row[i], row[j]);
            }
            for k in 0..6 {
                (a[i][k], a[j][k]) = mix(a[i][k], a[j][k]);
            }
        }
    }
    (std::array::from_fn(|k| a[k][k]), q)
}

fn without_negative(a: Six) -> Six {
    let (values, q) = eigen(a);
    std::array::from_fn(|i| {
        std::array::from_fn(|j| (0..6).map(|k| values[k].max(0.0) * q[i][k] * q[j][k]).sum())
    })
}

fn largest(a: &Six) -> f64 {
    a.iter().flatten().fold(0.0, |m, x| m.max(x.abs()))
}

fn difference(a: &Six, b: &Six) -> f64 {
    let pairs = a.iter().flatten().zip(b.iter().flatten());
    pairs.fold(0.0, |m, (x, y)| m.max((x - y).abs()))
}

const STIFFNESS: Weights = Weights {
    stiffness: 1.0,
    damping: 0.0,
    ahead: 0.0,
};

fn stiffness(law: &impl Law, w: &Columns) -> Six {
    dense(&law.respond(w, &Columns::default(), &STIFFNESS, 1.0).tangent)
}

fn random_columns(dice: &mut Dice) -> Columns {
    let length = |dice: &mut Dice| 10f64.powf(dice.between(-2.0, 0.6));
    Columns {
        u: length(dice) * dice.vector().normalize(),
        v: length(dice) * dice.vector().normalize(),
    }
}

#[test]
fn baraff_witkin_terms_lose_their_negative_eigenvalues_and_nothing_else() {
    let mut dice = Dice(11);
    for k in 0..6000 {
        let w = random_columns(&mut dice);
        let mut law = baraff_witkin(Hessian::Projected, 0.0);
        match k % 3 {
            0 => law.shear = 0.0,
            _ => law.stretch = [0.0; 2],
        }
        let exact = BaraffWitkin {
            hessian: Hessian::Exact,
            ..law
        };
        let expected = without_negative(stiffness(&exact, &w));
        let found = stiffness(&law, &w);
        let scale = largest(&stiffness(&exact, &w));
        assert!(difference(&found, &expected) < 1e-13 * scale, "{w:?}");
    }
}

#[test]
fn kawabata_shear_of_unstretched_threads_loses_its_negative_eigenvalues_and_nothing_else() {
    let mut dice = Dice(12);
    for _ in 0..3000 {
        let w = Columns {
            u: dice.vector().normalize(),
            v: dice.vector().normalize(),
        };
        let law = kawabata(Hessian::Projected, 0.0);
        let exact = kawabata(Hessian::Exact, 0.0);
        // At rest length the threads have no tension, so their matrix is k ŵŵᵀ; with slope 0 it would be
        // gone. Shear's part is what is left after it.
        let threads = kawabata(Hessian::GaussNewton, 0.0);
        let threads = Kawabata {
            shear: Curve::linear(0.0).unwrap(),
            ..threads
        };
        let base = stiffness(&threads, &w);
        let minus = |a: Six| -> Six {
            std::array::from_fn(|i| std::array::from_fn(|j| a[i][j] - base[i][j]))
        };
        let shear = minus(stiffness(&exact, &w));
        let found = minus(stiffness(&law, &w));
        let scale = largest(&shear).max(largest(&base));
        // Nearly parallel threads have a normal known to fewer digits.
        let parallel = w.u.cross(w.v).length();
        let error = difference(&found, &without_negative(shear));
        assert!(error < 1e-13 * scale / parallel, "{error:.1e} at {w:?}");
    }
}

#[test]
fn projected_matrices_are_positive_semi_definite() {
    let mut dice = Dice(13);
    let rates = Weights {
        damping: 0.3,
        ..STIFFNESS
    };
    for k in 0..5000 {
        let (w, rate) = (random_columns(&mut dice), random_columns(&mut dice));
        for hessian in [Hessian::Projected, Hessian::GaussNewton] {
            let mut smooth = baraff_witkin(hessian, 0.02);
            smooth.damping_in_stiffness = k % 2 == 1;
            let mut measured = kawabata(hessian, 0.02);
            measured.damping_in_stiffness = k % 2 == 1;
            for tangent in [
                smooth.respond(&w, &rate, &rates, 1.0).tangent,
                measured.respond(&w, &rate, &rates, 1.0).tangent,
                tension_field(hessian, 0.02)
                    .respond(&w, &rate, &rates, 1.0)
                    .tangent,
            ] {
                let matrix = dense(&tangent);
                let (values, _) = eigen(matrix);
                let lowest = values.iter().copied().fold(f64::INFINITY, f64::min);
                assert!(lowest >= -1e-13 * largest(&matrix), "{lowest:.1e} at {w:?}");
            }
        }
    }
}

#[test]
fn elements_inherit_the_definiteness_of_their_points() {
    let mut dice = Dice(14);
    for law in smooth_laws(Hessian::Projected, 0.01) {
        for _ in 0..30 {
            let x = deformed(&QUAD, &mut dice);
            let local = quad(law.clone(), 0.3).linearise(0, &x, &[DVec3::ZERO; 4], &STIFFNESS);
            assert!(check::lowest_curvature(&local) > -1e-9);
            let x = deformed(&TRIANGLE, &mut dice);
            let local = triangle(law.clone(), 0.3).linearise(0, &x, &[DVec3::ZERO; 3], &STIFFNESS);
            assert!(check::lowest_curvature(&local) > -1e-9);
        }
    }
}

#[test]
fn tension_without_shear_keeps_the_exact_matrix() {
    let mut dice = Dice(15);
    for _ in 0..500 {
        let turn = dice.rotation();
        let w = Columns {
            u: turn * DVec3::X * dice.between(1.0, 2.0),
            v: turn * DVec3::Y * dice.between(1.0, 2.0),
        };
        let found = stiffness(&baraff_witkin(Hessian::Projected, 0.0), &w);
        let exact = stiffness(&baraff_witkin(Hessian::Exact, 0.0), &w);
        assert!(difference(&found, &exact) < 1e-13 * largest(&exact));
        let found = stiffness(&kawabata(Hessian::Projected, 0.0), &w);
        let exact = stiffness(&kawabata(Hessian::Exact, 0.0), &w);
        assert!(difference(&found, &exact) < 1e-13 * largest(&exact));
    }
}
