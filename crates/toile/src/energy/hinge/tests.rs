//! Hinges against finite differences, conservation laws and each other.

#![allow(clippy::unwrap_used)]

use super::super::element::check;
use super::*;
use crate::energy::Curve;
use std::f64::consts::PI;

/// A curve that starts with the slope `start` and stiffens up to a curvature of 200/m. All the hinges here
/// are bent less, so they are on its first piece, which has all derivatives.
fn stiffening(start: f64, growth: f64) -> Curve {
    let at = |k: f64| (k, start * k + growth * k * k * k);
    Curve::new(&[at(0.0), at(200.0), at(400.0)]).unwrap()
}

pub(in crate::energy) fn laws() -> [BendLaw; 3] {
    let rigidity = [0.8, 0.5];
    [
        BendLaw::Angle { rigidity },
        BendLaw::HalfAngle { rigidity },
        BendLaw::Curve([stiffening(0.8, 0.1), stiffening(0.5, 0.3)]),
    ]
}

pub(in crate::energy) fn material(law: BendLaw, hessian: HingeHessian) -> HingeMaterial {
    HingeMaterial {
        law,
        damping_time: 0.0,
        hessian,
    }
}

fn one<const N: usize>(law: BendLaw, hessian: HingeHessian, damping_time: f64) -> HingeBatch<N> {
    let shape = law.shape(0.9, 1.3, 0.7);
    let mut batch = HingeBatch::new(&HingeMaterial {
        damping_time,
        ..material(law, hessian)
    });
    batch.push(std::array::from_fn(|i| i as u32), shape);
    batch
}

/// Numbers in −½…½ from a seed.
pub(in crate::energy) fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    }
}

pub(in crate::energy) fn jitter(next: &mut impl FnMut() -> f64) -> DVec3 {
    DVec3::new(next(), next(), next())
}

/// A hinge of about unit size bent to about `angle`, its nodes scattered.
fn bent<const N: usize>(angle: f64, seed: u64) -> [DVec3; N] {
    let mut next = noise(seed);
    let points = [
        DVec3::new(0.5, 1.0, 0.0),
        DVec3::new(0.4, -angle.cos(), angle.sin()),
        DVec3::ZERO,
        DVec3::X,
    ];
    std::array::from_fn(|node| {
        let (point, weight) = place::<N>(node);
        let spread = if weight == 1.0 {
            0.0
        } else if node % 2 == 0 {
            0.5
        } else {
            -0.5
        };
        points[point] + spread * DVec3::X + 0.1 * jitter(&mut next)
    })
}

fn velocities<const N: usize>(seed: u64) -> [DVec3; N] {
    let mut next = noise(seed + 1000);
    std::array::from_fn(|_| jitter(&mut next))
}

/// Calls with hinges of 4, 5 and 6 nodes.
fn for_sizes(mut four: impl FnMut(), mut five: impl FnMut(), mut six: impl FnMut()) {
    four();
    five();
    six();
}

fn check_derivatives<const N: usize>() {
    for (seed, angle) in [0.0, 0.4, -1.1, 2.5, -2.9, 3.1, -3.12]
        .into_iter()
        .enumerate()
    {
        let x = bent::<N>(angle, seed as u64);
        let fold = Fold::new(&points(&x)).unwrap();
        for law in laws() {
            for rest in [0.0, 0.7, 3.0] {
                // Within reach of the energy's ridge no difference quotient is meaningful.
                if (fold::wrapped(fold.angle - rest).abs() - PI).abs() < 0.03 {
                    continue;
                }
                let batch = one::<N>(law.clone(), HingeHessian::Exact, 0.0);
                let rest = [rest];
                let hinges = batch.at_rest(&rest);
                let force = check::force_error(&hinges, 0, &x, 2e-3);
                assert!(force < 1e-8, "{N} nodes, {angle}, {law:?}: force {force:e}");
                let v = [DVec3::ZERO; N];
                let stiffness = check::stiffness_error(&hinges, 0, &x, &v, false, 2e-3);
                assert!(
                    stiffness < 1e-8,
                    "{N} nodes, {angle}, {law:?}: stiffness {stiffness:e}"
                );
            }
        }
    }
}

#[test]
fn force_and_stiffness_are_derivatives_of_the_energy_for_every_law_and_angle() {
    for_sizes(
        check_derivatives::<4>,
        check_derivatives::<5>,
        check_derivatives::<6>,
    );
}

fn check_damping<const N: usize>() {
    for hessian in [
        HingeHessian::GaussNewton,
        HingeHessian::Projected,
        HingeHessian::Exact,
    ] {
        let batch = one::<N>(laws()[2].clone(), hessian, 0.03);
        let hinges = batch.at_rest(&[0.4]);
        let (x, v) = (bent::<N>(1.3, 5), velocities::<N>(5));
        let error = check::stiffness_error(&hinges, 0, &x, &v, true, 1e-2);
        assert!(error < 1e-10, "damping {error:e}");
        let ahead = check::ahead_error(&hinges, 0, &x, &v);
        assert!(ahead < 1e-12, "ahead {ahead:e}");
        let still = hinges.force(0, &x, &[DVec3::ZERO; N]);
        let moving = hinges.force(0, &x, &v);
        let power: f64 = (0..N).map(|i| (moving[i] - still[i]).dot(v[i])).sum();
        assert!(power < 0.0);
    }
}

#[test]
fn damping_takes_energy_out_and_matches_its_matrix() {
    for_sizes(check_damping::<4>, check_damping::<5>, check_damping::<6>);
}

fn check_momentum<const N: usize>() {
    for seed in 0..20 {
        let x = bent::<N>(0.3 * seed as f64 - 3.0, seed);
        let batch = one::<N>(laws()[0].clone(), HingeHessian::Projected, 0.1);
        let force = batch.at_rest(&[0.2]).force(0, &x, &velocities::<N>(seed));
        let size: f64 = force.iter().map(|f| f.length()).sum();
        let total: DVec3 = force.iter().copied().sum();
        let turning: DVec3 = force.iter().zip(&x).map(|(f, p)| p.cross(*f)).sum();
        assert!(total.length() < 1e-15 * size && turning.length() < 1e-14 * size);
    }
}

#[test]
fn momentum_is_kept_to_rounding() {
    for_sizes(
        check_momentum::<4>,
        check_momentum::<5>,
        check_momentum::<6>,
    );
}

#[test]
fn the_angle_is_positive_where_faces_fold_towards_their_normals() {
    for angle in [-3.1f64, -1.0, 0.0, 0.5, 3.1] {
        // The left face of x → has the normal +z; the other one turns up by the angle.
        let x = [
            DVec3::new(0.3, 1.0, 0.0),
            DVec3::new(0.6, -angle.cos(), angle.sin()),
            DVec3::ZERO,
            DVec3::X,
        ];
        let fold = Fold::new(&x).unwrap();
        assert!((fold.angle - angle).abs() < 1e-14);
    }
}

fn check_definite<const N: usize>() {
    for seed in 0..6 {
        let x = bent::<N>(seed as f64 - 2.8, seed);
        let of = |hessian| one::<N>(laws()[0].clone(), hessian, 0.0);
        let weights = Weights {
            stiffness: 1.0,
            damping: 0.0,
            ahead: 0.0,
        };
        let lowest = |hessian| {
            let batch = of(hessian);
            let local = batch
                .at_rest(&[0.1])
                .linearise(0, &x, &[DVec3::ZERO; N], &weights);
            check::lowest_curvature(&local)
        };
        assert!(lowest(HingeHessian::GaussNewton) > -1e-12);
        assert!(lowest(HingeHessian::Projected) > -1e-12);
        assert!(lowest(HingeHessian::Exact) < -1e-2);
        // At rest the moment vanishes and all three are the same.
        let rest = [Fold::new(&points(&x)).unwrap().angle];
        let blocks = |hessian| {
            let batch = of(hessian);
            batch
                .at_rest(&rest)
                .linearise(0, &x, &[DVec3::ZERO; N], &weights)
                .blocks
        };
        let [a, b, c] = [
            HingeHessian::GaussNewton,
            HingeHessian::Projected,
            HingeHessian::Exact,
        ]
        .map(blocks);
        for i in 0..N {
            for j in 0..=i {
                assert!(a[i][j].abs_diff_eq(b[i][j], 1e-13) && a[i][j].abs_diff_eq(c[i][j], 1e-13));
            }
        }
    }
}

#[test]
fn projected_and_gauss_newton_stiffness_are_semi_definite() {
    for_sizes(
        check_definite::<4>,
        check_definite::<5>,
        check_definite::<6>,
    );
}

#[test]
fn projection_removes_just_the_negative_part() {
    // P − K must be positive semi-definite as well, and P (P − K) = 0.
    let x = bent::<4>(1.7, 3);
    let fold = Fold::new(&x).unwrap();
    let blocks = fold.hessian();
    let positive = project::without_negative(&blocks);
    let mut worst = 0.0f64;
    for i in 0..4 {
        for j in 0..4 {
            let product: DMat3 = (0..4).fold(DMat3::ZERO, |sum, k| {
                sum + positive[i][k] * (positive[k][j] - blocks[k][j])
            });
            worst = worst.max(
                product
                    .to_cols_array()
                    .iter()
                    .fold(0.0, |m, p| m.max(p.abs())),
            );
        }
    }
    assert!(worst < 1e-12, "{worst:e}");
}

#[test]
fn faces_without_area_make_no_force_and_no_nan() {
    let weights = Weights {
        stiffness: 1.0,
        damping: 1.0,
        ahead: 0.1,
    };
    let good = [DVec3::Y, -DVec3::Y, DVec3::ZERO, DVec3::X];
    let point = [DVec3::ONE; 4];
    let no_edge = [good[0], good[1], good[2], good[2]];
    let flat_wing = [DVec3::X * 0.5, good[1], good[2], good[3]];
    let not_a_number = [DVec3::NAN, good[1], good[2], good[3]];
    for x in [point, no_edge, flat_wing, not_a_number] {
        for hessian in [
            HingeHessian::GaussNewton,
            HingeHessian::Projected,
            HingeHessian::Exact,
        ] {
            let batch = one::<4>(laws()[0].clone(), hessian, 0.1);
            let hinges = batch.at_rest(&[0.5]);
            assert_eq!(hinges.value(0, &x), 0.0);
            let local = hinges.linearise(0, &x, &velocities::<4>(1), &weights);
            assert_eq!(local.force, [DVec3::ZERO; 4]);
            assert_eq!(hinges.force(0, &x, &velocities::<4>(1)), [DVec3::ZERO; 4]);
        }
    }
}

#[test]
fn a_straight_curve_is_the_law_of_the_angle_and_directions_mix() {
    let rigidity = [0.8, 0.5];
    let [linear, curve] = [
        BendLaw::Angle { rigidity },
        BendLaw::Curve([stiffening(0.8, 0.0), stiffening(0.5, 0.0)]),
    ];
    for warp_share in [0.0, 0.3, 1.0] {
        let [a, b] = [&linear, &curve].map(|law| law.shape(0.02, 4e-4, warp_share));
        let expected = (0.8 * warp_share + 0.5 * (1.0 - warp_share)) * 4e-4 / (0.02 * 0.02);
        assert!((a.stiffness - expected).abs() < 1e-14 && (b.stiffness - expected).abs() < 1e-14);
        let [m, n] = [linear.moment(&a, 0.6, 0.1), curve.moment(&b, 0.6, 0.1)];
        assert!((m[0] - n[0]).abs() < 1e-14 && (m[1] - n[1]).abs() < 1e-13);
        assert!((linear.energy(&a, 0.6, 0.1) - curve.energy(&b, 0.6, 0.1)).abs() < 1e-14);
    }
}
