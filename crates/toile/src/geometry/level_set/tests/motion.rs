//! Bodies that move: rebuilding, velocities, threads.

use super::shapes::{Mesh, points_in};
use crate::geometry::level_set::{LevelSet, LevelSetError, Settings};
use glam::{DVec3, dvec3};

fn made(mesh: &Mesh) -> LevelSet {
    LevelSet::new(&mesh.positions, &mesh.triangles, Settings::with_cell(0.05)).unwrap()
}

/// Two capsules, crossing each other, the one with a hole in it.
fn body() -> Mesh {
    let arm = Mesh::capsule(0.2, 0.5, 6).moved(|p| dvec3(p.z, p.y, p.x + 0.3));
    Mesh::capsule(0.3, 0.5, 8)
        .without(|p| p.z < -0.75)
        .with(&arm)
}

fn bent(p: DVec3, by: f64) -> DVec3 {
    p + dvec3(by * (2.0 * p.z).sin(), 0.3 * by * p.x, by)
}

#[test]
fn rebuilding_gives_the_bits_of_a_new_level_set() {
    let mut set = made(&body());
    for by in [0.05, 0.4, -0.7] {
        let mesh = body().moved(|p| bent(p, by));
        set.rebuild(&mesh.positions).unwrap();
        let new = made(&mesh);
        assert_eq!(set.tree.leaves, new.tree.leaves);
        assert_eq!(set.tree.cells, new.tree.cells);
        assert_eq!(set.cube(), new.cube());
        for point in points_in(DVec3::splat(-1.0), DVec3::splat(1.0), 300) {
            assert_eq!(set.closest(point), new.closest(point));
        }
        assert_eq!(
            set.findings().hidden_triangles,
            new.findings().hidden_triangles
        );
    }
}

#[test]
fn after_an_error_the_level_set_is_as_it_was() {
    let mut set = made(&body());
    let before = set.tree.clone();
    let positions = body().positions;
    let count = LevelSetError::WrongCount {
        expected: positions.len(),
        found: 3,
    };
    assert_eq!(set.rebuild(&positions[..3]), Err(count));
    let nowhere = vec![DVec3::NAN; positions.len()];
    assert_eq!(
        set.rebuild(&nowhere),
        Err(LevelSetError::NotFinite { node: 0 })
    );
    let flat: Vec<_> = positions.iter().map(|p| dvec3(p.x, p.y, 0.0)).collect();
    assert!(matches!(
        set.rebuild(&flat),
        Err(LevelSetError::NoInside { .. })
    ));
    let mirrored: Vec<_> = positions.iter().map(|p| dvec3(p.x, p.y, -p.z)).collect();
    assert!(matches!(
        set.rebuild(&mirrored),
        Err(LevelSetError::Inverted { .. })
    ));
    let huge: Vec<_> = positions.iter().map(|p| 1e6 * p).collect();
    assert!(matches!(
        set.rebuild(&huge),
        Err(LevelSetError::TooFine { .. })
    ));
    assert_eq!(set.tree, before);
    let velocities = vec![DVec3::X; positions.len()];
    assert_eq!(set.velocity(DVec3::ONE, &velocities), Ok(DVec3::X));
}

#[test]
fn seams_that_part_are_noticed() {
    // Two boxes that share a face's corners by place, then one moves off.
    let two = |gap: f64| {
        let half = DVec3::splat(0.5);
        let second = Mesh::cuboid(half).moved(|p| p + dvec3(1.0 + gap, 0.0, 0.0));
        Mesh::cuboid(half).with(&second)
    };
    let mut set = made(&two(0.0));
    assert!(set.distance(dvec3(0.55, 0.0, 0.0)) < 0.0);
    set.rebuild(&two(0.5).positions).unwrap();
    assert!(set.distance(dvec3(0.75, 0.0, 0.0)) > 0.2);
    assert_eq!(set.tree, made(&two(0.5)).tree);
}

#[test]
fn velocities_are_carried_off_the_surface() {
    let mesh = Mesh::capsule(0.3, 0.5, 8).without(|p| p.z < -0.6);
    let set = made(&mesh);
    // A rigid rotation plus a stretch along z is linear, so it is exact at every surface point.
    let motion = |p: DVec3| dvec3(0.0, 0.0, 2.0).cross(p) + dvec3(0.1, 0.0, p.z);
    let velocities: Vec<_> = mesh.positions.iter().map(|p| motion(*p)).collect();
    let mut on_cover = 0;
    for point in points_in(DVec3::splat(-1.0), DVec3::splat(1.0), 1000) {
        let closest = set.closest(point);
        on_cover += usize::from(closest.triangle.is_none());
        let velocity = set.velocity(point, &velocities).unwrap();
        assert!(velocity.distance(motion(closest.position)) < 1e-12);
    }
    assert!(on_cover > 10);
    let wrong = set.velocity(DVec3::ZERO, &[]);
    assert!(matches!(
        wrong,
        Err(LevelSetError::WrongCount { found: 0, .. })
    ));
}

#[test]
fn the_closest_point_is_that_of_a_search_through_all_triangles() {
    let mesh = Mesh::torus(0.6, 0.25, 24);
    let set = made(&mesh);
    for point in points_in(DVec3::splat(-3.0), DVec3::splat(3.0), 2000) {
        let found = set.closest(point).position.distance(point);
        assert!((found - mesh.distance(point)).abs() < 1e-14);
    }
}

#[cfg(feature = "parallel")]
#[test]
fn the_number_of_threads_does_not_show() {
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| made(&body())).tree
    };
    assert_eq!(with(1), with(3));
}
