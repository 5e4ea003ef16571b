//! Limits inside the mixed schemes.

use crate::common::{COTTON, body, fixed, oscillator, square, world};
use toile::advance::stable_step;
use toile::certificate::momentum;
use toile::contact::{Body, Shape};
use toile::energy::MassSpringMaterial;
use toile::glam::DVec3;
use toile::integrate::{Integrator, MixedScheme, MixedSettings};
use toile::limit::Limit;
use toile::limit::area::{AreaLimit, AreaSettings};
use toile::limit::inequality::{InequalityLimit, InequalitySettings};
use toile::limit::strain::{StrainBounds, StrainLimit, StrainSettings};
use toile::model::Model;
use toile::state::State;
use toile::step::{Workspace, step};

const EARTH: DVec3 = DVec3::new(0.0, 0.0, -9.81);
const FILTERED: [MixedScheme; 3] = [MixedScheme::A, MixedScheme::B, MixedScheme::C];

fn mixed(scheme: MixedScheme) -> Integrator {
    Integrator::Mixed(MixedSettings::new(scheme))
}

/// Cotton with hardly any stiffness, so that the limit has to do the work.
fn soft(cells: u32, pinned: &[u32], gravity: DVec3, scheme: MixedScheme) -> (Model, State) {
    let material = MassSpringMaterial {
        stretch: 1.0,
        shear: 0.2,
        damping: 0.01,
        ..COTTON
    };
    let pins = if pinned.is_empty() {
        Vec::new()
    } else {
        vec![fixed(pinned.to_vec())]
    };
    world(&square(cells), material, pins, gravity, mixed(scheme))
}

fn strain_limit(model: &Model, stretch: f64, compression: f64, tolerance: f64) -> StrainLimit {
    let cloth = &model.cloths[0];
    let settings = StrainSettings {
        edges: StrainBounds {
            stretch,
            compression,
        },
        tolerance,
        max_sweeps: 2000,
        ..Default::default()
    };
    StrainLimit::new(&cloth.topology, &cloth.rest, 0, settings).unwrap()
}

fn inequality(model: &Model) -> Limit {
    let cloth = &model.cloths[0];
    let limit = InequalityLimit::new(
        &cloth.topology,
        &cloth.rest,
        0,
        InequalitySettings::default(),
    );
    Limit::Inequality(Box::new(limit.unwrap()))
}

fn area(model: &Model) -> Limit {
    let cloth = &model.cloths[0];
    let limit = AreaLimit::new(&cloth.topology, &cloth.rest, 0, AreaSettings::default());
    Limit::Area(limit.unwrap())
}

/// Throws the sheet so that every limit is at work.
fn tear(state: &mut State) {
    for (i, v) in state.velocities.iter_mut().enumerate() {
        let x = i as f64;
        *v = DVec3::new((1.3 * x).sin(), (0.7 * x).cos(), 0.5 * (2.1 * x).sin());
    }
}

fn ahead(state: &State, h: f64) -> Vec<DVec3> {
    let pairs = state.positions.iter().zip(&state.velocities);
    pairs.map(|(x, v)| *x + h * *v).collect()
}

#[test]
fn strain_is_bounded_in_every_scheme_and_its_rate_where_the_end_is_filtered() {
    let h = 0.01;
    for scheme in FILTERED {
        let (mut model, mut state) = soft(4, &[0, 1, 2, 3, 4], EARTH, scheme);
        let limit = strain_limit(&model, 0.05, 0.5, 1e-4);
        model = model
            .rebuilt(|parts| parts.limits = vec![(0, Limit::Strain(limit.clone()))])
            .unwrap();
        let mut workspace = Workspace::new(&model, None);
        let mut rate = 0.0f64;
        for _ in 0..60 {
            let certificate = step(&model, &mut state, &mut workspace, h)
                .unwrap()
                .certificate;
            assert!(certificate.limit.unwrap().residual <= 1e-4);
            assert!(limit.residual(&state.positions) <= 1e-4, "{scheme:?}");
            rate = rate.max(limit.residual(&ahead(&state, h)));
        }
        // B adds half a step of forces after its one filter, and promises nothing of the rate.
        if scheme != MixedScheme::B {
            assert!(rate <= 1e-4, "{scheme:?}: {rate}");
        }
        assert!(state.positions[24].z < -0.5);
    }
}

#[test]
fn momentum_of_a_free_sheet_is_kept() {
    for scheme in [
        MixedScheme::A,
        MixedScheme::B,
        MixedScheme::C,
        MixedScheme::Limited,
    ] {
        let limits: [fn(&Model) -> Limit; 3] = [
            |m| Limit::Strain(strain_limit(m, 0.02, 0.02, 1e-4)),
            inequality,
            area,
        ];
        for limit in limits {
            let (mut model, mut state) = soft(5, &[], DVec3::ZERO, scheme);
            model = model
                .rebuilt(|parts| parts.limits = vec![(0, limit(&model))])
                .unwrap();
            tear(&mut state);
            let scale: f64 = (state.velocities.iter().zip(&model.masses))
                .map(|(v, m)| m * v.length())
                .sum();
            let before = momentum(&model, &state).0;
            let mut workspace = Workspace::new(&model, None);
            let mut worked = 0;
            for _ in 0..20 {
                let report = step(&model, &mut state, &mut workspace, 0.01).unwrap();
                worked += report.certificate.limit.unwrap().iterations;
            }
            let change = (momentum(&model, &state).0 - before).length();
            assert!(worked > 0);
            assert!(change < 1e-10 * scale, "{scheme:?}: {change}");
        }
    }
}

#[test]
fn without_limits_the_limited_scheme_is_of_first_order() {
    // ω² = 40 /s², γ = 2 /s: x = e^{−t} (cos Ωt + sin Ωt / Ω) x₀ with Ω² = 39.
    let (model, mut start) = oscillator(40.0, 2.0, mixed(MixedScheme::Limited));
    start.positions[1].x += 0.1;
    let (t, omega) = (1.3f64, 39f64.sqrt());
    let exact = 0.1 * (-t).exp() * ((omega * t).cos() + (omega * t).sin() / omega);
    let error = |steps: u32| {
        let mut state = start.clone();
        let mut workspace = Workspace::new(&model, None);
        for _ in 0..steps {
            step(&model, &mut state, &mut workspace, t / f64::from(steps)).unwrap();
        }
        (state.positions[1].x - 1.0 - exact).abs()
    };
    let order = (error(400) / error(800)).log2();
    assert!((order - 1.0).abs() < 0.05, "{order}");
}

#[test]
fn the_limited_scheme_loses_what_its_determinant_says_and_is_stable_up_to_root_two() {
    let lambda = 400.0f64;
    let (model, mut start) = oscillator(lambda, 0.0, mixed(MixedScheme::Limited));
    start.positions[1].x += 1e-3;
    let after = |h: f64, steps: u32| {
        let mut state = start.clone();
        let mut workspace = Workspace::new(&model, None);
        for _ in 0..steps {
            step(&model, &mut state, &mut workspace, h).unwrap();
        }
        let x = state.positions[1].x - 1.0;
        x.hypot(state.velocities[1].x / lambda.sqrt()) / 1e-3
    };
    // Small steps: q = 1e-4, so 2000 steps lose about 5 %; the norm is the invariant one up to O(hω) = 1 %.
    let h = 0.01 / lambda.sqrt();
    let expected = (1.0 - 0.5e-4f64).powf(0.5 * 2000.0);
    let left = after(h, 2000);
    assert!((left / expected - 1.0).abs() < 0.01, "{left} {expected}");
    let limit = (2.0 / lambda).sqrt();
    assert!(after(0.99 * limit, 2000) < 1.0);
    assert!(after(1.01 * limit, 2000) > 10.0);
    assert!((stable_step(&model, &start) / limit - 1.0).abs() < 1e-3);
}

/// A limit that keeps the length of the edge between the nodes 0 and 1, and no other.
fn rod(model: &Model) -> Limit {
    let cloth = &model.cloths[0];
    let bounds = cloth.topology.edges.iter().map(|edge| {
        let [stretch, compression] = match edge.nodes {
            [0, 1] | [1, 0] => [0.0, 0.0],
            _ => [f64::INFINITY, 1.0],
        };
        StrainBounds {
            stretch,
            compression,
        }
    });
    let settings = StrainSettings {
        tolerance: 1e-12,
        ..Default::default()
    };
    let bounds: Vec<_> = bounds.collect();
    let limit = StrainLimit::with_bounds(&cloth.topology, &cloth.rest, 0, settings, &bounds);
    Limit::Strain(limit.unwrap())
}

/// Lets a point mass on a rod of 1 m go from level: its angle (rad) after 0.6 s, and the largest error of the length on the way.
fn pendulum(h: f64) -> (f64, f64) {
    let (mut model, mut state) = oscillator(1e-9, 0.0, mixed(MixedScheme::Limited));
    model = model
        .rebuilt(|parts| {
            parts.gravity = EARTH;
            // The heavy anchor would be the scale of the solve's residual.
            parts.point_masses.clear();
            parts.limits = vec![(0, rod(&model))];
        })
        .unwrap();
    let mut workspace = Workspace::new(&model, None);
    let mut worst = 0.0f64;
    for _ in 0..(0.6 / h).round() as u32 {
        step(&model, &mut state, &mut workspace, h).unwrap();
        worst = worst.max((state.positions[1].length() - 1.0).abs());
    }
    let x = state.positions[1];
    (x.x.atan2(-x.z), worst)
}

#[test]
fn a_pendulum_on_a_length_limit_keeps_its_length_and_its_time() {
    // From level, θ'' = −(g/l) sin θ, by Runge and Kutta's rule in short steps.
    let slope = |[angle, rate]: [f64; 2]| [rate, -9.81 * angle.sin()];
    let along = |y: [f64; 2], k: [f64; 2], h: f64| [y[0] + h * k[0], y[1] + h * k[1]];
    let mut y = [std::f64::consts::FRAC_PI_2, 0.0];
    for _ in 0..600 {
        let k1 = slope(y);
        let k2 = slope(along(y, k1, 0.5e-3));
        let k3 = slope(along(y, k2, 0.5e-3));
        let k4 = slope(along(y, k3, 1e-3));
        for (k, share) in [(k1, 1.0), (k2, 2.0), (k3, 2.0), (k4, 1.0)] {
            y = along(y, k, share * 1e-3 / 6.0);
        }
    }
    let errors: Vec<f64> = [4e-3, 2e-3, 1e-3]
        .into_iter()
        .map(|h| {
            let (angle, length) = pendulum(h);
            assert!(length < 1e-11, "{length}");
            (angle - y[0]).abs()
        })
        .collect();
    let order = (errors[1] / errors[2]).log2();
    assert!((order - 1.0).abs() < 0.15, "{order} {errors:?}");
    assert!(errors[2] < 0.01, "{errors:?}");
}

#[test]
fn a_sheet_in_the_limited_scheme_hangs_within_its_limits_and_does_not_depend_on_the_workspace() {
    let limits: [fn(&Model) -> Limit; 3] = [
        |m| Limit::Strain(strain_limit(m, 0.02, 0.5, 1e-3)),
        inequality,
        area,
    ];
    for limit in limits {
        let run = |fresh: bool| {
            let (mut model, mut state) = soft(5, &[0, 5], EARTH, MixedScheme::Limited);
            model = model
                .rebuilt(|parts| parts.limits = vec![(0, limit(&model))])
                .unwrap();
            let mut workspace = Workspace::new(&model, None);
            for _ in 0..40 {
                if fresh {
                    workspace = Workspace::new(&model, None);
                }
                let report = step(&model, &mut state, &mut workspace, 0.01).unwrap();
                let limit = report.certificate.limit.unwrap();
                assert!(limit.residual < 0.03, "{limit:?}");
            }
            state
        };
        let end = run(false);
        assert_eq!(end, run(true));
        assert!(end.positions[33].z < -0.4, "{}", end.positions[33].z);
    }
}

#[test]
fn in_the_limited_scheme_cloth_rests_on_a_slope_that_holds_it_and_slides_down_another() {
    let slope = 0.3f64;
    let gravity = 9.81 * DVec3::new(slope.sin(), 0.0, -slope.cos());
    for (friction, slides) in [(0.5, false), (0.1, true)] {
        let (mut model, mut state) = soft(4, &[], gravity, MixedScheme::Limited);
        model = model
            .rebuilt(|parts| parts.limits = vec![(0, inequality(&model))])
            .unwrap();
        model = model
            .rebuilt(|parts| {
                parts.bodies = vec![Body {
                    friction: friction.into(),
                    ..body(Shape::Plane, DVec3::ZERO)
                }]
            })
            .unwrap();
        for x in &mut state.positions {
            x.z += 1e-3;
        }
        let start = state.clone();
        let mut workspace = Workspace::new(&model, None);
        let mut gap = f64::INFINITY;
        for _ in 0..100 {
            let report = step(&model, &mut state, &mut workspace, 0.005).unwrap();
            gap = gap.min(report.certificate.gap_smallest.unwrap());
        }
        assert!(gap > -1e-8, "{gap}");
        let moved = state.positions[12].distance(start.positions[12]);
        if slides {
            // ½ (g sin φ − μ g cos φ) t²
            let expected = 0.5 * 9.81 * (slope.sin() - friction * slope.cos()) * 0.25;
            assert!((moved / expected - 1.0).abs() < 0.03, "{moved} {expected}");
        } else {
            assert!(moved < 1e-6, "{moved}");
        }
    }
}
