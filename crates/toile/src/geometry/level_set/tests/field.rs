//! The field itself: errors, signs, gradients, continuity, order of convergence.

use super::shapes::{Mesh, points_in};
use crate::geometry::level_set::{Axis, LevelSet, Settings, pinched, union_sample};
use glam::{DVec3, dvec3};
use proptest::prelude::*;

fn level_set(mesh: &Mesh, settings: Settings) -> LevelSet {
    LevelSet::new(&mesh.positions, &mesh.triangles, settings).unwrap()
}

/// Largest error in the band, over points of a box of this half size; `excluded` are left out.
fn worst_in_band(mesh: &Mesh, set: &LevelSet, half: f64, excluded: impl Fn(DVec3) -> bool) -> f64 {
    let mut worst = 0.0_f64;
    for point in points_in(DVec3::splat(-half), DVec3::splat(half), 3000) {
        let exact = mesh.distance(point);
        if exact < set.settings().band && !excluded(point) {
            worst = worst.max((set.distance(point).abs() - exact).abs());
        }
    }
    worst
}

#[test]
fn the_distance_of_smooth_bodies_is_within_the_tolerance_in_the_band() {
    let settings = Settings {
        tolerance: 0.004,
        ..Settings::with_cell(0.04)
    };
    let bodies = [
        Mesh::sphere(DVec3::ZERO, 0.8, 24),
        Mesh::torus(0.6, 0.3, 40),
        Mesh::capsule(0.4, 0.4, 12),
    ];
    for mesh in bodies {
        let set = level_set(&mesh, settings);
        let worst = worst_in_band(&mesh, &set, 1.0, |_| false);
        assert!(worst < settings.tolerance, "{worst}");
    }
}

#[test]
fn a_box_is_exact_off_its_creases_and_half_a_cell_wrong_at_most_on_them() {
    let (mesh, half) = (Mesh::cuboid(dvec3(0.5, 0.4, 0.3)), dvec3(0.5, 0.4, 0.3));
    let set = level_set(&mesh, Settings::with_cell(0.02));
    // Near an edge two coordinates are near their extremes; inside, beyond it, are its creases.
    let near_crease = |p: DVec3| {
        (p.abs() - half)
            .abs()
            .to_array()
            .iter()
            .filter(|d| **d < 0.12)
            .count()
            > 1
    };
    assert!(worst_in_band(&mesh, &set, 0.6, near_crease) < set.settings().tolerance);
    assert!(worst_in_band(&mesh, &set, 0.6, |_| false) < 0.5 * 0.02);
}

#[test]
fn signs_are_right_everywhere() {
    let torus = level_set(&Mesh::torus(0.6, 0.25, 40), Settings::with_cell(0.05));
    let capsule = level_set(&Mesh::capsule(0.4, 0.4, 12), Settings::with_cell(0.05));
    for point in points_in(DVec3::splat(-2.0), DVec3::splat(2.0), 20_000) {
        let in_torus = dvec3(point.x, point.y, 0.0).length() - 0.6;
        let in_torus = in_torus.hypot(point.z) - 0.25;
        let in_capsule = (point - DVec3::Z * point.z.clamp(-0.4, 0.4)).length() - 0.4;
        for (set, exact) in [(&torus, in_torus), (&capsule, in_capsule)] {
            // The meshes are inscribed, and lie up to 4 mm inside the shapes.
            if exact.abs() > 0.01 {
                assert_eq!(set.distance(point) < 0.0, exact < 0.0, "{point}");
            }
        }
    }
}

#[test]
fn halving_the_cells_quarters_the_error_and_halves_that_of_the_normals() {
    let mesh = Mesh::sphere(DVec3::ZERO, 0.5, 90);
    let errors = [0.08, 0.04].map(|cell| {
        // So strict that all cells of the band are the finest.
        let settings = Settings {
            tolerance: 1e-9,
            band: 0.2,
            ..Settings::with_cell(cell)
        };
        let set = level_set(&mesh, settings);
        let (mut value, mut normal) = (0.0_f64, 0.0_f64);
        for point in points_in(DVec3::splat(-0.65), DVec3::splat(0.65), 40_000) {
            // Nearer than a cell it is not interpolated.
            if (0.08..0.14).contains(&(point.length() - 0.5).abs()) {
                let sample = set.sample(point);
                value = value.max((sample.distance - (point.length() - 0.5)).abs());
                normal = normal.max(sample.normal.distance(point.normalize()));
            }
        }
        (value, normal)
    });
    let order = |a: f64, b: f64| (a / b).log2();
    let (distance, normal) = (
        order(errors[0].0, errors[1].0),
        order(errors[0].1, errors[1].1),
    );
    assert!((1.7..2.3).contains(&distance), "{distance}: {errors:?}");
    assert!((0.7..1.3).contains(&normal), "{normal}: {errors:?}");
    // h²/8 (1/R₁ + 1/R₂) at the inner rim of the sampled shell, R = 0.36.
    let foretold = 0.04_f64.powi(2) / 8.0 * 2.0 / 0.36;
    assert!(
        (0.5..1.5).contains(&(errors[1].0 / foretold)),
        "{errors:?} {foretold}"
    );
}

#[test]
fn normals_are_unit_vectors_even_where_the_gradient_vanishes() {
    let set = level_set(
        &Mesh::sphere(DVec3::ONE, 0.5, 16),
        Settings::with_cell(0.05),
    );
    for point in points_in(DVec3::splat(-1.0), DVec3::splat(3.0), 5000) {
        assert!((set.sample(point).normal.length() - 1.0).abs() < 1e-12);
    }
    assert!((set.sample(DVec3::ONE).normal.length() - 1.0).abs() < 1e-12);
    for along in [DVec3::X, DVec3::NEG_Y, DVec3::Z] {
        assert!(set.sample(DVec3::ONE + 0.52 * along).normal.dot(along) > 0.99);
        assert!(set.sample(DVec3::ONE + 50.0 * along).normal.dot(along) > 0.999);
    }
}

#[test]
fn the_field_is_continuous_across_levels_and_out_of_the_cube() {
    let mesh = Mesh::cuboid(dvec3(0.5, 0.1, 0.3)).with(&Mesh::sphere(dvec3(0.0, 0.6, 0.0), 0.2, 8));
    let set = level_set(&mesh, Settings::with_cell(0.02));
    let (low, side) = set.cube();
    // Every plane of the lattice is where cells of some level meet, the outermost ones are the cube's.
    let mut largest = 0.0_f64;
    for (k, start) in points_in(low, low + side, 40_000).enumerate() {
        let mut at = start;
        let plane = ((start[k % 3] - low[k % 3]) / 0.02).round();
        at[k % 3] = low[k % 3] + 0.02 * plane;
        let mut step = DVec3::ZERO;
        step[k % 3] = 1e-9;
        largest = largest.max((set.distance(at + step) - set.distance(at - step)).abs());
        let (a, b) = (set.sample(at + step), set.distance(at + step));
        assert!((a.distance - b).abs() < 1e-12);
    }
    // The gradient may exceed 1 a little, but a jump would be of the order of the tolerance, 1e-3.
    assert!(largest < 1e-8, "{largest}");
}

#[test]
fn beyond_the_cube_the_distance_is_a_lower_bound_within_a_factor() {
    let mesh = Mesh::sphere(DVec3::ZERO, 0.3, 12);
    let set = level_set(&mesh, Settings::with_cell(0.05));
    for point in points_in(DVec3::splat(-4.0), DVec3::splat(4.0), 3000) {
        let (low, side) = set.cube();
        if (point - low).min(low + side - point).min_element() < 0.0 {
            let (exact, bound) = (mesh.distance(point), set.distance(point));
            // The field itself is allowed its far error.
            assert!(
                bound < 1.05 * exact && bound > 0.65 * exact,
                "{bound} {exact}"
            );
        }
    }
}

#[test]
fn coarse_cells_are_used_where_the_field_is_flat() {
    let box_set = level_set(
        &Mesh::cuboid(dvec3(0.5, 0.5, 0.5)),
        Settings::with_cell(0.01),
    );
    let sizes = box_set.sizes();
    assert_eq!(sizes.cells, 1 + 8 * (sizes.cells - sizes.leaves));
    // All of the band at the finest size would be 6 m² · 4 cm / 1 cm³, so 240 000 cells. Along the 12 m of
    // edges it must be.
    assert!(sizes.leaves < 80_000, "{sizes:?}");
    assert!(
        sizes.corner_values < 2 * sizes.leaves
            && sizes.bytes < 100 * sizes.leaves + 8 * sizes.cells
    );
}

#[test]
fn slices_hold_the_values_of_the_field() {
    let set = level_set(
        &Mesh::sphere(DVec3::ZERO, 0.5, 16),
        Settings::with_cell(0.05),
    );
    let (low, side) = set.cube();
    let slice = set.slice(Axis::Y, 0.1, 32);
    assert_eq!(slice.len(), 32 * 32);
    // For Y the columns run along z, the rows along x.
    let point = dvec3(low.x + side * 20.5 / 32.0, 0.1, low.z + side * 9.5 / 32.0);
    assert_eq!(slice[20 * 32 + 9], set.distance(point));
    assert!(slice.iter().any(|v| *v < 0.0) && slice.iter().any(|v| *v > 0.0));
    assert!(set.slice(Axis::X, 0.0, 0).is_empty());
}

#[test]
fn the_union_of_spheres_is_the_smaller_distance_and_cloth_between_them_is_pinched() {
    let settings = Settings::with_cell(0.04);
    let left = level_set(&Mesh::sphere(dvec3(-0.5, 0.0, 0.0), 0.48, 24), settings);
    let right = level_set(&Mesh::sphere(dvec3(0.5, 0.0, 0.0), 0.48, 24), settings);
    for point in points_in(DVec3::splat(-1.2), DVec3::splat(1.2), 2000) {
        let (which, sample) = union_sample(&[&left, &right], point).unwrap();
        assert_eq!(
            sample.distance,
            left.distance(point).min(right.distance(point))
        );
        if point.x.abs() > 0.1 && sample.distance < 0.1 {
            assert_eq!(which, usize::from(point.x > 0.0));
        }
    }
    assert!(union_sample(&[], DVec3::ZERO).is_none());
    assert!(pinched(&left, &right, DVec3::ZERO, 0.03));
    assert!(
        !pinched(&left, &right, DVec3::ZERO, 0.01),
        "too far from both"
    );
    assert!(
        !pinched(&left, &right, dvec3(1.0, 0.0, 0.0), 0.03),
        "close to one only"
    );
    // Two coinciding bodies push the same way.
    assert!(!pinched(&left, &left, dvec3(-0.02, 0.0, 0.0), 0.03));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn rigid_motion_moves_the_field_along(
        axis in prop::array::uniform3(-1.0..1.0_f64),
        angle in -3.0..3.0_f64,
        shift in prop::array::uniform3(-5.0..5.0_f64),
    ) {
        let axis = DVec3::from_array(axis).try_normalize().unwrap_or(DVec3::X);
        let rotation = glam::DQuat::from_axis_angle(axis, angle);
        let motion = |p: DVec3| rotation * p + DVec3::from_array(shift);
        let mesh = Mesh::capsule(0.3, 0.3, 8);
        let settings = Settings::with_cell(0.05);
        let still = level_set(&mesh, settings);
        let moved = level_set(&mesh.clone().moved(motion), settings);
        for point in points_in(DVec3::splat(-0.7), DVec3::splat(0.7), 300) {
            let (a, b) = (still.distance(point), moved.distance(motion(point)));
            if mesh.distance(point) < settings.band {
                prop_assert!((a - b).abs() < 4.0 * settings.tolerance, "{a} {b}");
            }
        }
    }
}
