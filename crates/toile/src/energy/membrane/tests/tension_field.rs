//! Folds too small for the mesh: that they are the best ones, that forces follow from them, and what they leave of known strains.

use super::super::gradient::Columns;
use super::super::point::Point;
use super::super::tension_field::Case;
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
            match law.case(&strain, &law.buckling_stress(p.cell)) {
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
