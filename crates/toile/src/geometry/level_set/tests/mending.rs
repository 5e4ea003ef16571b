//! Imperfect meshes: what is mended, what is named, what is refused.

use super::shapes::{Mesh, points_in};
use crate::geometry::level_set::{LevelSet, LevelSetError, Settings};
use glam::{DVec3, dvec3};
use proptest::prelude::*;

const CELL: f64 = 0.05;

fn made(mesh: &Mesh) -> Result<LevelSet, LevelSetError> {
    LevelSet::new(&mesh.positions, &mesh.triangles, Settings::with_cell(CELL))
}

/// Compares signs with the exact distance `exact` at points where that is larger than `margin`.
fn assert_signs(set: &LevelSet, margin: f64, exact: impl Fn(DVec3) -> f64) {
    for point in points_in(DVec3::splat(-1.5), DVec3::splat(1.5), 10_000) {
        let (truth, found) = (exact(point), set.distance(point));
        if truth.abs() > margin {
            assert_eq!(found < 0.0, truth < 0.0, "at {point}: {found}, not {truth}");
        }
    }
}

fn unit_sphere() -> Mesh {
    Mesh::sphere(DVec3::ZERO, 1.0, 24)
}

fn in_sphere(point: DVec3) -> f64 {
    point.length() - 1.0
}

#[test]
fn holes_are_counted_and_covered() {
    let holes =
        |p: DVec3| p.normalize().dot(DVec3::X) > 0.95 || p.normalize().dot(DVec3::Z) < -0.97;
    let mesh = unit_sphere().without(holes);
    let set = made(&mesh).unwrap();
    assert_eq!(set.findings().holes, 2);
    assert!(set.findings().open_edges > 20);
    // The rim at cos⁻¹ 0.95 is about 2π · 0.31 long; steps of the mesh make it longer.
    assert!(
        (1.9..3.9).contains(&set.findings().longest_rim),
        "{:?}",
        set.findings()
    );
    // The cover of a cap of height 0.05 is that much lower, and the mesh is inscribed.
    assert_signs(&set, 0.09, in_sphere);
    // In the middle of the hole there is the cover, with a field as good as elsewhere.
    let sample = set.sample(dvec3(0.95, 0.0, 0.0));
    assert!(
        sample.distance.abs() < 0.06 && sample.normal.x > 0.95,
        "{sample:?}"
    );
    assert_eq!(set.closest(dvec3(0.95, 0.0, 0.0)).triangle, None);
    let strict = Settings {
        cover_holes: false,
        ..Settings::with_cell(CELL)
    };
    let refused = LevelSet::new(&mesh.positions, &mesh.triangles, strict).unwrap_err();
    let edges = set.findings().open_edges;
    assert_eq!(refused, LevelSetError::Open { edges, holes: 2 });
}

#[test]
fn an_inverted_patch_is_turned_over() {
    let patch = |p: DVec3| p.y > 0.3;
    let set = made(&unit_sphere().inverted_where(patch)).unwrap();
    let turned = unit_sphere()
        .triangles
        .iter()
        .filter(|t| patch(unit_sphere().centroid(t)))
        .count();
    assert_eq!(set.findings().flipped_triangles, turned);
    assert_eq!(set.findings().open_edges, 0);
    assert_signs(&set, 0.03, in_sphere);
}

#[test]
fn copies_and_degenerate_triangles_change_nothing() {
    let clean = made(&unit_sphere()).unwrap();
    let mut mesh = unit_sphere();
    let copies: Vec<_> = mesh.triangles[..50].to_vec();
    mesh.triangles.extend(copies);
    mesh.triangles.push([5, 5, 9]);
    // A second set of nodes at the same places: the seams are welded.
    let doubled = mesh.clone().with(&mesh);
    let set = made(&doubled).unwrap();
    let count = unit_sphere().triangles.len();
    assert_eq!(set.findings().degenerate_triangles, 2);
    assert_eq!(set.findings().duplicate_triangles, count + 100);
    assert_eq!(set.findings().open_edges, 0);
    assert_eq!(set.tree, clean.tree);
}

#[test]
fn a_soup_of_triangles_with_their_own_nodes_is_welded() {
    let sphere = unit_sphere();
    let positions: Vec<_> = sphere
        .triangles
        .as_flattened()
        .iter()
        .map(|&n| sphere.positions[n as usize])
        .collect();
    let triangles = (0..sphere.triangles.len() as u32)
        .map(|t| [3 * t, 3 * t + 1, 3 * t + 2])
        .collect();
    let set = made(&Mesh {
        positions,
        triangles,
    })
    .unwrap();
    assert_eq!((set.findings().open_edges, set.findings().parts), (0, 1));
    for point in points_in(DVec3::splat(-1.5), DVec3::splat(1.5), 500) {
        assert_eq!(set.distance(point), made_once().distance(point));
    }
}

fn made_once() -> &'static LevelSet {
    static CLEAN: std::sync::OnceLock<LevelSet> = std::sync::OnceLock::new();
    CLEAN.get_or_init(|| made(&unit_sphere()).unwrap())
}

#[test]
fn overlapping_parts_are_their_union_and_what_is_inside_is_hidden() {
    let (left, right) = (dvec3(-0.4, 0.0, 0.0), dvec3(0.4, 0.0, 0.0));
    let mesh = Mesh::sphere(left, 0.8, 24).with(&Mesh::sphere(right, 0.8, 24));
    let set = made(&mesh).unwrap();
    assert_eq!(set.findings().parts, 2);
    assert!(
        set.findings().hidden_triangles > 200,
        "{:?}",
        set.findings()
    );
    assert_signs(&set, 0.03, |p| {
        (p.distance(left) - 0.8).min(p.distance(right) - 0.8)
    });
    // On the hidden part of the right sphere the union is deep inside, √(0.8² − 0.4²) from the rim
    // where the spheres cross, less the triangles that reach across it.
    let depth = -set.distance(dvec3(-0.4, 0.0, 0.0));
    assert!((0.6..0.8).contains(&depth), "{depth}");
    let depth = -set.distance(DVec3::ZERO);
    assert!((0.55..0.7).contains(&depth), "{depth}");
}

#[test]
fn a_cavity_is_outside() {
    let cavity = Mesh::sphere(DVec3::ZERO, 0.5, 16).inverted_where(|_| true);
    let set = made(&unit_sphere().with(&cavity)).unwrap();
    assert_eq!(set.findings().hidden_triangles, 0);
    assert_signs(&set, 0.03, |p| (p.length() - 1.0).max(0.5 - p.length()));
}

#[test]
fn a_mesh_that_is_inside_out_is_refused_or_turned() {
    let mesh = unit_sphere().inverted_where(|_| true);
    let volume = match made(&mesh) {
        Err(LevelSetError::Inverted { volume }) => volume,
        other => panic!("{other:?}"),
    };
    assert!((-4.19..-4.0).contains(&volume), "{volume}");
    let settings = Settings {
        flip_inverted: true,
        ..Settings::with_cell(CELL)
    };
    let set = LevelSet::new(&mesh.positions, &mesh.triangles, settings).unwrap();
    assert!(set.findings().inverted);
    assert_signs(&set, 0.03, in_sphere);
}

#[test]
fn sheets_and_empty_meshes_have_no_inside() {
    let sheet = Mesh {
        positions: vec![DVec3::ZERO, DVec3::X, dvec3(1.0, 1.0, 0.0), DVec3::Y],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
    };
    assert!(matches!(made(&sheet), Err(LevelSetError::NoInside { .. })));
    assert_eq!(made(&Mesh::default()).unwrap_err(), LevelSetError::Empty);
    let only_degenerate = Mesh {
        triangles: vec![[0, 1, 1], [2, 2, 2]],
        ..sheet
    };
    assert_eq!(made(&only_degenerate).unwrap_err(), LevelSetError::Empty);
}

#[test]
fn impossible_input_is_named() {
    let mut mesh = unit_sphere();
    mesh.positions[7].y = f64::NAN;
    assert_eq!(
        made(&mesh).unwrap_err(),
        LevelSetError::NotFinite { node: 7 }
    );
    let mut mesh = unit_sphere();
    let count = mesh.positions.len();
    mesh.triangles[3][1] = count as u32;
    let expected = LevelSetError::NoSuchNode {
        triangle: 3,
        node: count as u32,
        count,
    };
    assert_eq!(made(&mesh).unwrap_err(), expected);
    let mesh = unit_sphere();
    let with = |settings| LevelSet::new(&mesh.positions, &mesh.triangles, settings).unwrap_err();
    let usual = Settings::with_cell(CELL);
    for (settings, name) in [
        (Settings { cell: 0.0, ..usual }, "finest cell"),
        (
            Settings {
                tolerance: -1.0,
                ..usual
            },
            "tolerance",
        ),
        (
            Settings {
                band: f64::INFINITY,
                ..usual
            },
            "band",
        ),
    ] {
        assert!(matches!(with(settings), LevelSetError::Setting { name: n, .. } if n == name));
    }
    let fine = with(Settings {
        cell: 1e-6,
        ..usual
    });
    let LevelSetError::TooFine { least, .. } = fine else {
        panic!("{fine:?}")
    };
    assert!((2e-5..5e-5).contains(&least), "{fine}");
    let mut set = made(&mesh).unwrap();
    let grown = crate::geometry::level_set::build::grow(
        &mut set.tree,
        &mut set.scratch,
        &set.triangles,
        &usual,
        500,
    );
    assert_eq!(grown, Err(LevelSetError::TooManyCells { limit: 500 }));
}

#[test]
fn a_body_far_from_the_origin_and_small_is_as_good() {
    let centre = dvec3(1e4, -2e4, 3e4);
    let mesh = Mesh::sphere(centre, 1e-2, 16);
    let set = LevelSet::new(&mesh.positions, &mesh.triangles, Settings::with_cell(5e-4)).unwrap();
    for point in points_in(centre - 0.02, centre + 0.02, 3000) {
        let exact = point.distance(centre) - 1e-2;
        if exact.abs() > 5e-4 {
            assert_eq!(set.distance(point) < 0.0, exact < 0.0);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any heap of triangles closes to a chain whose winding numbers agree, whichever way round one goes:
    /// every corner's sign is that of a count along another path.
    #[test]
    fn any_heap_of_triangles_has_an_inside_or_is_named(
        nodes in prop::collection::vec(prop::array::uniform3(-1.0..1.0_f64), 9),
        triangles in prop::collection::vec(prop::array::uniform3(0..9_u32), 1..20),
    ) {
        let positions: Vec<_> = nodes.into_iter().map(DVec3::from_array).collect();
        let settings = Settings { flip_inverted: true, ..Settings::with_cell(0.2) };
        match LevelSet::new(&positions, &triangles, settings) {
            Err(error) => prop_assert!(
                matches!(error, LevelSetError::Empty | LevelSetError::NoInside { .. }), "{error}"
            ),
            Ok(set) => for point in points_in(DVec3::splat(-1.2), DVec3::splat(1.2), 200) {
                let (low, side) = set.cube();
                let up = set.triangles.crossings(point.with_z(low.z + side), point, None);
                let across = set.triangles.crossings(point.with_x(low.x), point, None);
                prop_assert_eq!(up, across);
                // Where the surface is farther than a cell's diagonal the field has the same sign.
                if set.closest(point).position.distance(point) > 0.35 {
                    prop_assert_eq!(set.distance(point) < 0.0, up > 0);
                }
            }
        }
    }
}
