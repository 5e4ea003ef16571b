#![allow(clippy::unwrap_used)]

use super::*;
use crate::energy::element::check;
use crate::energy::ring::check::{energy_inside, patterns, rest_of, rolled, sheet};
use crate::mesh::Mesh;
use crate::mesh::generate::{Diagonals, GridPattern};

const D: f64 = 1e-4;

fn springs(mesh: &Mesh) -> BendSprings {
    let (topology, rest) = rest_of(mesh);
    bend_springs(&topology, &rest, D, 0.01, 0)
}

fn shaken(k: u32, s: f64) -> DVec3 {
    let k = f64::from(k);
    DVec3::new((s * k).sin(), (1.7 * k).cos(), (0.9 * k + s).sin())
}

/// An irregular sheet and a grid: together they have elements of all kinds.
fn some_meshes() -> [Mesh; 3] {
    let mut bent_quads = sheet(Some(GridPattern::Quads), 5);
    for (k, p) in bent_quads.positions.iter_mut().enumerate() {
        let off = shaken(k as u32, 2.3) * 0.02;
        *p += DVec3::new(off.x, off.y, 0.0);
    }
    let cut = GridPattern::Triangles(Diagonals::Alternating);
    [sheet(None, 6), sheet(Some(cut), 4), bent_quads]
}

fn check_batch<const N: usize>(batch: &BendSpringBatch<N>, mesh: &Mesh) {
    let weights = Weights {
        stiffness: 1.0,
        damping: 0.0,
        ahead: 0.0,
    };
    for element in 0..batch.count() {
        let nodes = batch.nodes(element);
        let x = nodes.map(|n| mesh.positions[n as usize] + 0.3 * shaken(n, 1.3));
        let v = nodes.map(|n| shaken(n, 0.4));
        assert!(check::force_error(batch, element, &x, 0.1) < 1e-9);
        assert!(check::stiffness_error(batch, element, &x, &v, false, 0.1) < 1e-9);
        assert!(check::stiffness_error(batch, element, &x, &v, true, 0.1) < 1e-9);
        assert!(check::ahead_error(batch, element, &x, &v) < 1e-12);
        if element < 5 {
            let local = batch.linearise(element, &x, &v, &weights);
            assert!(check::lowest_curvature(&local) > -1e-12);
        }
    }
}

#[test]
fn force_and_stiffness_are_exact_derivatives() {
    for mesh in some_meshes() {
        let springs = springs(&mesh);
        assert!(springs.corners.count() > 0);
        check_batch(&springs.lines, &mesh);
        check_batch(&springs.corners, &mesh);
    }
}

/// Largest force in a deformed sheet, its sum and its moment.
fn forces<const N: usize>(
    batch: &BendSpringBatch<N>,
    at: impl Fn(u32) -> DVec3,
) -> (f64, DVec3, DVec3) {
    let (mut largest, mut total, mut torque) = (0.0f64, DVec3::ZERO, DVec3::ZERO);
    for element in 0..batch.count() {
        let x = batch.nodes(element).map(&at);
        for (force, place) in batch.force(element, &x, &[DVec3::ZERO; N]).iter().zip(x) {
            largest = largest.max(force.length());
            total += *force;
            torque += place.cross(*force);
        }
    }
    (largest, total, torque)
}

#[test]
fn affine_deformations_meet_no_resistance_and_momentum_is_kept() {
    for mesh in some_meshes() {
        let BendSprings { lines, corners } = springs(&mesh);
        check_momentum(&lines, &mesh);
        check_momentum(&corners, &mesh);
    }
}

fn check_momentum<const N: usize>(springs: &BendSpringBatch<N>, mesh: &Mesh) {
    let flat = |n: u32| mesh.positions[n as usize];
    let (shaking, total, torque) = forces(springs, |n| flat(n) + 0.1 * shaken(n, 1.3));
    assert!(total.length() <= 1e-12 * shaking && torque.length() <= 1e-12 * shaking);
    let affine = DMat3::from_cols(
        DVec3::new(1.3, 0.2, -0.4),
        DVec3::new(0.1, 0.6, 0.8),
        DVec3::Z,
    );
    let (left, _, _) = forces(springs, |n| affine * flat(n) + DVec3::ONE);
    assert!(left <= 1e-12 * shaking, "{left:e} of {shaking:e}");
}

#[test]
fn a_sheet_rolled_in_any_direction_stores_the_energy_of_its_rigidity() {
    let curvature = 0.05; // so gentle that a second difference is a curvature to 1e-6
    let mut text = String::new();
    let mut good = true;
    for (name, mesh, window, tolerance) in patterns() {
        let springs = springs(&mesh);
        text += &format!(
            "\n{name} ({} + {})",
            springs.lines.count(),
            springs.corners.count()
        );
        for degrees in [0.0f64, 30.0, 45.0, 90.0, 135.0] {
            let bent = rolled(&mesh.positions, curvature, degrees.to_radians());
            let energy = energy_inside(&springs.lines, &mesh.positions, &bent, window)
                + energy_inside(&springs.corners, &mesh.positions, &bent, window);
            let expected = 0.5 * D * curvature * curvature * 4.0 * window.x * window.y;
            text += &format!(" | {:.4}", energy / expected);
            good &= (energy / expected - 1.0).abs() < tolerance;
        }
    }
    assert!(good, "{text}");
}

#[test]
fn a_square_grid_has_the_weights_worked_out_by_hand() {
    // ½ D (κ_x² + κ_y² + 2 κ_xy²) a²: lines stand for a² each. A quad's x₁ − x₂ + x₃ − x₄ = a² κ_xy, so with
    // ω w² its energy ½ D · 2 κ_xy² a² asks for ω w² = 2/a²; a line's (x₁ − 2x₂ + x₃)/a² for ω w₁² = a²/a⁴.
    let mesh = sheet(Some(GridPattern::Quads), 20);
    let springs = springs(&mesh);
    let a: f64 = 0.05;
    let middle = 10 * 21 + 10;
    let line = springs.lines.stencils.iter().find(|s| s.nodes[1] == middle);
    let line = line.unwrap();
    let factor = line.stiffness * line.weights[0].powi(2);
    assert!((factor * a * a / D - 1.0).abs() < 1e-9, "{factor}");
    let quad = springs
        .corners
        .stencils
        .iter()
        .find(|s| s.nodes[0] == middle);
    let quad = quad.unwrap();
    let factor = quad.stiffness * quad.weights[0].powi(2);
    assert!((factor * a * a / (2.0 * D) - 1.0).abs() < 1e-9, "{factor}");
}
