//! Folds too small for the mesh: that they are the best ones, that forces follow from them, and what they leave of known strains.

use super::super::gradient::Columns;
use super::super::point::Point;
use super::super::tension_field::{Case, FOLD_DAMPING, FOLD_STIFFNESS};
use super::*;
use crate::energy::element::check;

const CELL: f64 = 1.0;

fn law() -> TensionField {
    tension_field(Hessian::Exact, 0.0)
}

fn strain(dice: &mut Dice) -> [f64; 3] {
    // Of all sizes, since the cases meet at the buckling strain.
    let size = 10f64.powf(dice.between(-4.0, 0.0));
    [dice.roll(), dice.roll(), dice.roll()].map(|e| 0.5 * size * e)
}

/// Smallest eigenvalue of the matrix `[a, c; c, b]`.
fn lowest([a, b, c]: [f64; 3]) -> f64 {
    0.5 * (a + b) - (0.25 * (a - b) * (a - b) + c * c).sqrt()
}

#[test]
fn folds_are_the_cheapest_there_are() {
    // Strain, folds and stress meet the conditions of a convex minimum: W ⪰ 0, T = S + P ⪰ 0, T : W = 0.
    let mut dice = Dice(31);
    let mut seen = [0; 3];
    for _ in 0..20_000 {
        let law = TensionField {
            stretch: [dice.between(50.0, 4000.0), dice.between(50.0, 4000.0)],
            shear: dice.between(1.0, 4000.0),
            buckling: [dice.between(0.0, 3.0), dice.between(0.0, 3.0)],
            ..law()
        };
        let (e, p) = (strain(&mut dice), law.buckling_stress(CELL));
        let k = [law.stretch[0], law.stretch[1], law.shear];
        let (folds, case) = match law.case(&e, &p) {
            Case::Taut => ([0.0; 3], 0),
            Case::Slack => ([-e[0] - p[0] / k[0], -e[1] - p[1] / k[1], -e[2]], 1),
            Case::Wrinkled { folds, .. } => (folds, 2),
        };
        seen[case] += 1;
        let t: [f64; 3] =
            std::array::from_fn(|i| k[i] * (e[i] + folds[i]) + if i < 2 { p[i] } else { 0.0 });
        let strain_size = e.iter().fold(0.0f64, |m, e| m.max(e.abs())) + p[0] / k[0] + p[1] / k[1];
        let stress_size = k.iter().fold(0.0f64, |m, k| m.max(*k)) * strain_size;
        // W₁₂ is half of w₃, as 2E₁₂ is e₃.
        let w = lowest([folds[0], folds[1], 0.5 * folds[2]]);
        assert!(w >= -1e-12 * strain_size, "{w:.1e} of {strain_size:.1e}");
        assert!(
            lowest(t) >= -1e-11 * stress_size,
            "{t:?} of {stress_size:.1e}"
        );
        let work = t[0] * folds[0] + t[1] * folds[1] + t[2] * folds[2];
        assert!(
            work.abs() <= 1e-11 * stress_size * strain_size,
            "{work:.1e}"
        );
    }
    assert!(seen.iter().all(|&n| n > 500), "{seen:?}");
}

/// The cases of an element's integration points, or none if a small motion of any node changes one of them.
fn cases<const N: usize>(
    points: &[Point<N>],
    law: &TensionField,
    x: &[DVec3; N],
    e: f64,
) -> Option<Vec<u8>> {
    let of = |x: &[DVec3; N]| -> Vec<u8> {
        let sides = x.map(|p| p - x[0]);
        let of_point = |p: &Point<N>| {
            let strain = TensionField::strain(&p.columns(&sides));
            match law.case(&strain, &law.buckling_stress(p.face)) {
                Case::Taut => 0,
                Case::Slack => 1,
                Case::Wrinkled { .. } => 2,
            }
        };
        points.iter().map(of_point).collect()
    };
    let here = of(x);
    for node in 0..N {
        for axis in DVec3::AXES {
            for s in [-e, e] {
                let mut y = *x;
                y[node] += s * axis;
                if of(&y) != here {
                    return None;
                }
            }
        }
    }
    Some(here)
}

fn derivatives_of<const N: usize>(
    batch: &MembraneBatch<N>,
    law: &TensionField,
    flat: &[[f64; 2]; N],
    seen: &mut [usize; 3],
) {
    let mut dice = Dice(32);
    for _ in 0..200 {
        let x = deformed(flat, &mut dice);
        let step = 1e-4;
        let Some(cases) = cases(batch.points(0), law, &x, 4.0 * step) else {
            continue;
        };
        cases.iter().for_each(|&c| seen[c as usize] += 1);
        let error = check::force_error(batch, 0, &x, step);
        assert!(error < 1e-8, "force: {error:.1e} in {cases:?}");
        let error = check::stiffness_error(batch, 0, &x, &[DVec3::ZERO; N], false, step);
        assert!(error < 1e-7, "stiffness: {error:.1e} in {cases:?}");
        if cases.iter().any(|&c| c != 1) {
            let damped = velocities(&mut dice);
            let error = check::stiffness_error(batch, 0, &x, &damped, true, 0.1);
            assert!(error < 1e-10, "damping: {error:.1e} in {cases:?}");
        }
    }
}

#[test]
fn forces_and_matrices_are_derivatives_in_every_case() {
    let law = tension_field(Hessian::Exact, 0.01);
    let mut seen = [0; 3];
    let batch = triangle(MembraneLaw::TensionField(law), 0.4);
    derivatives_of(&batch, &law, &TRIANGLE, &mut seen);
    let batch = quad(MembraneLaw::TensionField(law), 0.4);
    derivatives_of(&batch, &law, &QUAD, &mut seen);
    assert!(seen.iter().all(|&n| n > 20), "{seen:?}");
}

/// Columns with given stretches and lean (rad) between them.
fn columns(warp: f64, weft: f64, lean: f64) -> Columns {
    Columns {
        u: warp * DVec3::X,
        v: weft * DVec3::new(lean.sin(), lean.cos(), 0.0),
    }
}

#[test]
fn the_force_ahead_is_that_of_the_strain_ahead_also_where_folds_open_or_close() {
    let law = tension_field(Hessian::Exact, 0.0);
    let mut dice = Dice(35);
    let mut changed = 0;
    for _ in 0..2000 {
        let w = columns(
            dice.between(0.8, 1.2),
            dice.between(0.8, 1.2),
            0.3 * dice.roll(),
        );
        let rate = Columns {
            u: dice.vector(),
            v: dice.vector(),
        };
        let tau = 10f64.powf(dice.between(-3.0, -1.0));
        let weights = Weights {
            stiffness: 1.0,
            damping: 0.0,
            ahead: tau,
        };
        let then = Columns {
            u: w.u + tau * rate.u,
            v: w.v + tau * rate.v,
        };
        let p = law.buckling_stress(CELL);
        let case = |w: &Columns| std::mem::discriminant(&law.case(&TensionField::strain(w), &p));
        changed += usize::from(case(&w) != case(&then));
        let found = law.respond(&w, &rate, &weights, CELL).stress;
        let expected = law.stress(&then, &Columns::default(), CELL);
        // What is left out is the square of the rate in the strain, at most 3τ² each, times the largest stiffness and the lengths.
        let error = (found.u - expected.u).length() + (found.v - expected.v).length();
        assert!(
            error < 6.0 * 120.0 * 3.0 * tau * tau,
            "{error:.1e} for {tau:.1e}"
        );
    }
    assert!(changed > 80, "{changed}");
}

#[test]
fn folds_are_damped_and_stiffened_by_their_share_of_what_taut_cloth_is() {
    let tau = 0.01;
    let law = tension_field(Hessian::Projected, tau);
    let taut = TensionField {
        buckling: [1e6; 2],
        ..law
    };
    let slack = columns(0.7, 0.6, 0.0);
    let rate = Columns {
        u: DVec3::new(0.3, 0.2, -0.1),
        v: DVec3::new(-0.4, 0.5, 0.7),
    };
    let drag = |law: &TensionField| {
        let (with, without) = (
            law.stress(&slack, &rate, CELL),
            law.stress(&slack, &Columns::default(), CELL),
        );
        [with.u - without.u, with.v - without.v]
    };
    for (in_folds, plain) in drag(&law).into_iter().zip(drag(&taut)) {
        assert!((in_folds - FOLD_DAMPING * plain).length() < 1e-12 * plain.length());
    }
    let weights = Weights {
        stiffness: 1.0,
        damping: 0.0,
        ahead: 0.0,
    };
    let share = |law: &TensionField| law.respond(&slack, &rate, &weights, CELL).tangent;
    // Both lose their stress, which only pushes; what is left is the stiffness.
    let (in_folds, plain) = (share(&law).uu.matrix(), share(&taut).uu.matrix());
    let part = |m: glam::DMat3| m.x_axis.x;
    assert!((part(in_folds) - FOLD_STIFFNESS * part(plain)).abs() < 1e-12 * part(plain));
    let exact = tension_field(Hessian::Exact, tau);
    let [p, _] = law.buckling_stress(CELL);
    assert!((part(share(&exact).uu.matrix()) + p).abs() < 1e-12);
}

#[test]
fn an_even_membrane_without_bending_stores_the_positive_principal_strains() {
    // With k_u = k_v = 2k_s the density is ½ k |E|², and folds leave ½ k Σ max(E_i, 0)².
    let k = 70.0;
    let law = TensionField {
        stretch: [k; 2],
        shear: 0.5 * k,
        buckling: [0.0; 2],
        ..law()
    };
    let mut dice = Dice(33);
    for _ in 0..500 {
        let w = columns(
            dice.between(0.7, 1.3),
            dice.between(0.7, 1.3),
            0.5 * dice.roll(),
        );
        let [a, b, c] = TensionField::strain(&w);
        let (mean, spread) = (
            0.5 * (a + b),
            (0.25 * (a - b) * (a - b) + 0.25 * c * c).sqrt(),
        );
        let positive = |e: f64| e.max(0.0).powi(2);
        let expected = 0.5 * k * (positive(mean + spread) + positive(mean - spread));
        let found = law.density(&w, CELL);
        assert!((found - expected).abs() < 1e-12 * k, "{found} {expected}");
    }
}

#[test]
fn a_face_pushes_no_harder_than_it_buckles() {
    let law = law();
    let [p, q] = law.buckling_stress(CELL);
    for shorter in [0.9, 0.7, 0.5] {
        let stress = law.stress(&columns(shorter, 1.0, 0.0), &Columns::default(), CELL);
        // Conjugate to the gradient, the second stress carries its length.
        assert!((stress.u.x + p * shorter).abs() < 1e-12);
        assert!(stress.v.length() < 1e-12);
        let both = law.stress(&columns(shorter, shorter, 0.1), &Columns::default(), CELL);
        assert!((both.v.length() - q * shorter).abs() < 1e-12);
    }
    // Below the buckling strain nothing is lost.
    let gentle = columns(1.0 - 0.5 * p / law.stretch[0], 1.0, 0.0);
    let [e, ..] = TensionField::strain(&gentle);
    let stress = law.stress(&gentle, &Columns::default(), CELL);
    assert!((stress.u.x - law.stretch[0] * e * gentle.u.x).abs() < 1e-12);
}

#[test]
fn what_is_too_stiff_to_buckle_is_a_plain_membrane() {
    let stiff = TensionField {
        buckling: [1e6; 2],
        ..law()
    };
    let mut dice = Dice(34);
    for _ in 0..200 {
        let w = columns(
            dice.between(0.5, 1.5),
            dice.between(0.5, 1.5),
            0.6 * dice.roll(),
        );
        let e = TensionField::strain(&w);
        let plain = 0.5 * (120.0 * e[0] * e[0] + 70.0 * e[1] * e[1] + 25.0 * e[2] * e[2]);
        assert!((stiff.density(&w, CELL) / plain - 1.0).abs() < 1e-12);
    }
}

#[test]
fn impossible_numbers_are_refused() {
    let (topology, rest) = one_face(Face::Tri([0, 1, 2]), &TRIANGLE, 0.0);
    for (name, law) in [
        (
            "shear",
            TensionField {
                shear: 0.0,
                ..law()
            },
        ),
        (
            "stretch[1]",
            TensionField {
                stretch: [1.0, f64::NAN],
                ..law()
            },
        ),
        (
            "buckling[0]",
            TensionField {
                buckling: [-1.0, 0.0],
                ..law()
            },
        ),
        (
            "damping",
            TensionField {
                damping: f64::INFINITY,
                ..law()
            },
        ),
    ] {
        let law = MembraneLaw::TensionField(law);
        let error = MembraneBatch::triangles(&topology, &rest, 0, law).unwrap_err();
        assert!(error.to_string().contains(name), "{error}");
    }
}
