//! Parts thinner than a cell, and surfaces that cells of the default size round off.

use super::super::{LevelSet, Settings};
use crate::mesh::Face;
use crate::mesh::generate::{self, Cuboid, Sphere, SpherePattern};
use glam::DVec3;

fn triangles(mesh: &crate::mesh::Mesh) -> Vec<[u32; 3]> {
    mesh.faces.iter().flat_map(Face::triangles).collect()
}

/// A fin of 2 mm on a body of 1.8 m, whose cells are 18 mm: no corner of them is inside the fin, and it was not there.
#[test]
fn a_fin_thinner_than_a_cell_is_there() {
    let fin = Cuboid {
        half_extents: [0.9, 0.001, 0.2],
        cells: [30, 1, 8],
    };
    let fin = generate::cuboid(&fin).unwrap();
    let level_set =
        LevelSet::new(&fin.positions, &triangles(&fin), Settings::with_cell(0.018)).unwrap();
    for k in 0..200 {
        let share = f64::from(k) / 200.0;
        let (x, z) = (-0.85 + 1.7 * share, 0.18 * (7.0 * share).sin());
        for (y, expected) in [
            (0.0, -0.001),
            (0.0004, -0.0006),
            (0.002, 0.001),
            (-0.005, 0.004),
        ] {
            let sample = level_set.sample(DVec3::new(x, y, z));
            assert!(
                (sample.distance - expected).abs() < 1e-12,
                "{x} {y} {z}: {sample:?}"
            );
            assert_eq!(level_set.distance(DVec3::new(x, y, z)), sample.distance);
            if y != 0.0 {
                let up = DVec3::Y * y.signum();
                assert!(sample.normal.distance(up) < 1e-9, "{sample:?}");
            }
        }
    }
}

/// Cells of 18 mm round an arm of 5 cm off by most of a millimetre, which is more than cloth is thick.
#[test]
fn next_to_a_round_surface_the_distance_is_that_of_its_triangles() {
    let ball = Sphere {
        radius: 0.05,
        pattern: SpherePattern::Icosphere { subdivisions: 3 },
    };
    let ball = generate::sphere(&ball).unwrap();
    let (points, triangles) = (&ball.positions, triangles(&ball));
    let level_set = LevelSet::new(points, &triangles, Settings::with_cell(0.018)).unwrap();
    let nearest = crate::geometry::NearestSurface::new(points, &triangles).unwrap();
    for k in 0..500 {
        // Directions all over the ball, none of them special.
        let height = 2.0 * (f64::from(k) + 0.5) / 500.0 - 1.0;
        let turn = 2.4 * f64::from(k);
        let across = (1.0 - height * height).sqrt();
        let direction = DVec3::new(across * turn.cos(), across * turn.sin(), height);
        for radius in [0.0485, 0.0495, 0.0505, 0.052, 0.057] {
            let point = radius * direction;
            let exact = nearest.nearest(point).distance;
            let found = level_set.distance(point);
            assert!(
                (found.abs() - exact).abs() < 1e-12,
                "{k} {radius}: {found} {exact}"
            );
            // The facets are at most 0.3 mm within the ball.
            assert_eq!(found < 0.0, radius < 0.0497, "{k} {radius}: {found}");
        }
    }
}

/// From exact to interpolated and from cell to cell: the distance never changes by more than the point moves, a little
/// error of the interpolation apart.
#[test]
fn the_way_from_exact_to_interpolated_is_without_a_jump() {
    let ball = Sphere {
        radius: 0.2,
        pattern: SpherePattern::Icosphere { subdivisions: 3 },
    };
    let ball = generate::sphere(&ball).unwrap();
    let level_set = LevelSet::new(
        &ball.positions,
        &triangles(&ball),
        Settings::with_cell(0.02),
    )
    .unwrap();
    let direction = DVec3::new(0.3, 0.5, 0.81).normalize();
    let step = 1e-5;
    let mut before = level_set.distance(direction * 0.15);
    for k in 1..10_000 {
        let here = level_set.distance(direction * (0.15 + step * f64::from(k)));
        assert!((here - before).abs() < 2.0 * step, "{k}: {before} {here}");
        before = here;
    }
}
