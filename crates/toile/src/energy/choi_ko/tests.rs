#![allow(clippy::unwrap_used)]

use super::*;
use crate::energy::element::check;
use crate::energy::ring::check::{energy_inside, patterns, rest_of, rolled, sheet};
use crate::mesh::Mesh;
use crate::mesh::generate::GridPattern;
use std::f64::consts::{FRAC_PI_2, PI};

const MATERIAL: ChoiKoMaterial = ChoiKoMaterial {
    stretch: 4e9, // so much that gentle bends buckle too
    shear: 4e2,
    bend: 1e-4,
    damping: 1e-3,
};
const LENGTH: f64 = 0.1;
const RIGIDITY: f64 = 1e-5;
/// 400 k_b/L³: the arc takes over at a shortening of about 12/400.
const LINE: f64 = 4.0;
/// Distances over the rest length, none within 1 % of the two places where the stiffness jumps.
const DISTANCES: [f64; 16] = [
    0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.62, 0.7, 0.8, 0.9, 0.95, 0.985, 1.02, 1.05, 1.1, 1.2,
];

fn two_pairs() -> ChoiKoBatch {
    let mut batch = ChoiKoBatch::new();
    batch.add_tension([0, 1], LENGTH, 30.0, 0.2);
    batch.add_buckling([0, 1], LENGTH, RIGIDITY, LINE, 0.2);
    batch
}

fn apart(distance: f64) -> [DVec3; 2] {
    let from = DVec3::new(0.1, -0.2, 0.3) * LENGTH;
    let direction = DVec3::new(0.4, 0.3, 0.9).normalize();
    [from, from + distance * LENGTH * direction]
}

#[test]
fn the_force_is_minus_the_gradient_of_the_energy() {
    let batch = two_pairs();
    for distance in DISTANCES {
        let element = usize::from(distance < 1.0);
        let e = 1e-3 * distance.min(1.0) * LENGTH;
        let error = check::force_error(&batch, element, &apart(distance), e);
        assert!(error < 1e-8, "at {distance}: {error:e}");
    }
}

#[test]
fn the_axial_stiffness_is_the_slope_of_the_tension_and_never_negative() {
    let batch = two_pairs();
    for distance in DISTANCES {
        let pair = &batch.pairs[usize::from(distance < 1.0)];
        let (d, e) = (distance * LENGTH, 1e-3 * distance * LENGTH);
        let rise = |k: f64| pair.tension(d + k * e).0 - pair.tension(d - k * e).0;
        let numeric = (0.75 * rise(1.0) - 0.15 * rise(2.0) + rise(3.0) / 60.0) / e;
        let slope = pair.tension(d).1;
        assert!(slope > 0.0);
        assert!(
            (slope / numeric - 1.0).abs() < 1e-8,
            "at {distance}: {slope} {numeric}"
        );
    }
}

#[test]
fn a_stretched_pair_has_its_whole_stiffness() {
    let batch = two_pairs();
    for distance in [1.05, 1.2] {
        let (x, still) = (apart(distance), [DVec3::ZERO; 2]);
        assert!(check::stiffness_error(&batch, 0, &x, &still, false, 1e-4) < 1e-8);
    }
    for element in 0..2 {
        let v = [DVec3::X, DVec3::new(0.3, -0.2, 0.1)];
        assert!(check::stiffness_error(&batch, element, &apart(0.8), &v, true, 1e-3) < 1e-8);
    }
}

#[test]
fn the_matrix_is_positive_semi_definite_and_looks_ahead_consistently() {
    let batch = two_pairs();
    let weights = Weights {
        stiffness: 1.0,
        damping: 0.1,
        ahead: 0.0,
    };
    let v = [DVec3::new(0.2, 0.5, -0.1), DVec3::new(-0.4, 0.1, 0.6)];
    for (distance, element) in DISTANCES.iter().flat_map(|&d| [(d, 0), (d, 1)]) {
        let x = apart(distance);
        let local = batch.linearise(element, &x, &v, &weights);
        assert!(check::lowest_curvature(&local) > -1e-12, "at {distance}");
        if usize::from(distance < 1.0) == element {
            assert!(check::ahead_error(&batch, element, &x, &v) < 1e-13);
        }
    }
}

#[test]
fn buckling_starts_along_the_line_and_goes_over_into_the_arc_without_a_jump() {
    let batch = two_pairs();
    let pair = &batch.pairs[1];
    let Law::Buckling { onset, .. } = pair.law else {
        panic!("a buckling pair")
    };
    // The arc's push is 12 + 7.2 ε + 864/175 ε² + … in units of k_b/L².
    let arc = 12.0 + onset * (7.2 + onset * 864.0 / 175.0);
    assert!((400.0 * onset - arc).abs() < 2e-4, "{onset}");
    let at = |shortening: f64| (1.0 - shortening) * LENGTH;
    let (before, after) = (at(onset * (1.0 - 1e-12)), at(onset * (1.0 + 1e-12)));
    assert!((pair.tension(before).0 / pair.tension(after).0 - 1.0).abs() < 1e-11);
    assert!((pair.energy(before) / pair.energy(after) - 1.0).abs() < 1e-11);
    for k in 0..=1000 {
        let shortening = f64::from(k) / 1000.0;
        let tension = pair.tension(at(shortening)).0;
        assert!(tension <= 0.0 && tension >= -LINE * shortening * LENGTH * (1.0 + 1e-12));
    }
    assert_eq!(pair.tension(1.1 * LENGTH), (0.0, 0.0));
    assert_eq!(batch.pairs[0].tension(0.9 * LENGTH), (0.0, 0.0));
}

#[test]
fn a_half_circle_pushes_as_the_arc_model_says() {
    // κ = π/L; cos(π/2) − sinc(π/2) = −2/π.
    let pair = two_pairs().pairs[1];
    let push = -pair.tension(LENGTH / FRAC_PI_2).0;
    let expected = RIGIDITY * (PI / LENGTH).powi(2) * FRAC_PI_2;
    assert!((push / expected - 1.0).abs() < 1e-13);
}

#[test]
fn coincident_nodes_make_no_force_and_no_nan() {
    let batch = two_pairs();
    let x = [DVec3::ONE; 2];
    let weights = Weights {
        stiffness: 1.0,
        damping: 1.0,
        ahead: 0.1,
    };
    for element in 0..2 {
        assert_eq!(
            batch.force(element, &x, &[DVec3::X, DVec3::Y]),
            [DVec3::ZERO; 2]
        );
        let local = batch.linearise(element, &x, &[DVec3::X, DVec3::Y], &weights);
        assert_eq!(local.force[0], DVec3::ZERO);
        assert!(batch.value(element, &x).is_finite());
    }
}

fn buckling_only(mesh: &Mesh) -> ChoiKoBatch {
    let (topology, rest) = rest_of(mesh);
    let mut cloth = choi_ko(&topology, &rest, &MATERIAL);
    cloth.tension.clear();
    cloth.batch(0, MATERIAL.damping)
}

#[test]
fn a_sheet_rolled_in_any_direction_stores_the_energy_of_its_rigidity() {
    let curvature = 2.0;
    let mut text = String::new();
    let mut good = true;
    for (name, mesh, window, tolerance) in patterns() {
        let batch = buckling_only(&mesh);
        text += &format!("\n{name} ({})", batch.len());
        for degrees in [0.0f64, 30.0, 45.0, 90.0, 135.0] {
            let bent = rolled(&mesh.positions, curvature, degrees.to_radians());
            let energy = energy_inside(&batch, &mesh.positions, &bent, window);
            let expected = 0.5 * MATERIAL.bend * curvature.powi(2) * 4.0 * window.x * window.y;
            text += &format!(" | {:.4}", energy / expected);
            good &= (energy / expected - 1.0).abs() < tolerance;
        }
    }
    assert!(good, "{text}");
}

#[test]
fn a_strip_pushed_at_its_ends_resists_like_one_arc_but_for_its_rim() {
    // A square of n × n quads. Inside, each node stores its area's energy; along the two rolled rims (half
    // the area) only the grid line feels the bending, with 2/3; along the straight rims nothing does.
    let n = 20.0;
    let mesh = sheet(Some(GridPattern::Quads), 20);
    let batch = buckling_only(&mesh);
    let felt = ((n - 1.0) * (n - 1.0) + (n - 1.0) * 2.0 / 3.0) / (n * n);
    let everything = DVec3::splat(10.0).truncate();
    let energy = |curvature: f64| {
        let bent = rolled(&mesh.positions, curvature, 0.0);
        energy_inside(&batch, &mesh.positions, &bent, everything)
    };
    let chord = |curvature: f64| 2.0 / curvature * (0.5 * curvature).sin();
    for curvature in [1.0, 3.0, 5.0] {
        let (more, less) = (curvature + 1e-4, curvature - 1e-4);
        let push = -(energy(more) - energy(less)) / (chord(more) - chord(less));
        let u: f64 = 0.5 * curvature;
        let arc = MATERIAL.bend * curvature.powi(2) / (u.sin() / u - u.cos());
        // Diagonal pairs lie on helices. Their energy is less than an arc's by (κa)²/15, they hold a third of
        // it, and the derivative doubles what is of second order.
        let helix = 1.0 - 2.0 / 45.0 * (curvature / n).powi(2);
        let error = push / (felt * helix * arc) - 1.0;
        assert!(error.abs() < 2e-4, "κ = {curvature}: {error:e}");
    }
}

#[test]
fn momentum_is_kept_and_the_flat_sheet_is_at_rest() {
    let mesh = sheet(Some(GridPattern::Quads), 6);
    let (topology, rest) = rest_of(&mesh);
    let batch = choi_ko(&topology, &rest, &MATERIAL).batch(3, 1e-3);
    let shake = |k: usize, s: f64| {
        DVec3::new(
            (s * k as f64).sin(),
            (1.7 * k as f64).cos(),
            (0.9 * k as f64).sin(),
        )
    };
    let flat = |n: u32| mesh.positions[n as usize - 3];
    let (mut total, mut torque, mut largest) = (DVec3::ZERO, DVec3::ZERO, 0.0f64);
    for element in 0..batch.count() {
        let nodes = batch.nodes(element);
        let quiet = batch.force(element, &nodes.map(flat), &[DVec3::ZERO; 2]);
        assert!(quiet[0].length() < 1e-15 * MATERIAL.stretch);
        let x = nodes.map(|n| flat(n) + 0.05 * shake(n as usize, 1.3));
        let v = nodes.map(|n| shake(n as usize, 0.4));
        for (force, place) in batch.force(element, &x, &v).iter().zip(x) {
            total += *force;
            torque += place.cross(*force);
            largest = largest.max(force.length());
        }
    }
    assert!(total.length() < 1e-13 * largest && torque.length() < 1e-13 * largest);
}
