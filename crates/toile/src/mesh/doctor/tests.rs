//! One broken mesh per finding, clean meshes, and meshes of random rubbish.

use super::*;
use crate::mesh::generate::{self, Grid, GridPattern};
use glam::{DVec2, DVec3};
use proptest::prelude::*;

fn sheet() -> Mesh {
    generate::grid(&Grid {
        size: [1.0, 1.0],
        cells: [4, 4],
        pattern: GridPattern::Quads,
    })
    .unwrap()
}

fn triangles(points: &[[f64; 3]], faces: &[[u32; 3]]) -> Mesh {
    Mesh::new(
        points.iter().map(|&p| DVec3::from(p)).collect(),
        faces.iter().map(|&t| Face::Tri(t)).collect(),
    )
}

const SQUARE: [[f64; 3]; 4] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [1.0, 1.0, 0.0],
    [0.0, 1.0, 0.0],
];

/// The only finding of a mesh that should have exactly one.
fn only(mesh: &Mesh) -> Finding {
    let mut findings = examine(mesh).findings;
    assert_eq!(findings.len(), 1, "{findings:?}");
    findings.remove(0)
}

fn cases<T>(total: usize, first: Vec<T>) -> Cases<T> {
    Cases { total, first }
}

#[test]
fn a_clean_sheet_has_no_findings_and_right_numbers() {
    let diagnosis = examine(&sheet());
    assert!(diagnosis.is_clean() && diagnosis.is_usable());
    let s = diagnosis.statistics;
    assert_eq!((s.nodes, s.triangles, s.quads, s.edges), (25, 0, 16, 40));
    assert_eq!(
        (s.boundary_loops, s.components, s.euler_characteristic),
        (1, 1, 1)
    );
    assert_eq!(s.extents, [1.0, 1.0, 0.0]);
    for length in [s.shortest_edge, s.mean_edge, s.longest_edge] {
        assert!((length - 0.25).abs() < 1e-15);
    }
    assert!((s.area - 1.0).abs() < 1e-15);
    assert!((s.smallest_angle.to_degrees() - 90.0).abs() < 1e-12);
    assert!(diagnosis.to_string().ends_with("nothing wrong was found"));
}

#[test]
fn missing_nodes_are_named_with_their_face() {
    let mut mesh = sheet();
    mesh.corner_uvs = None;
    mesh.faces.push(Face::Tri([0, 1, 99]));
    let case = FaceNode { face: 16, node: 99 };
    assert_eq!(only(&mesh), Finding::OutOfRange(cases(1, vec![case])));
}

#[test]
fn repeated_corners_are_named() {
    let mut mesh = sheet();
    mesh.faces[3] = Face::Quad([3, 4, 9, 4]);
    let case = FaceNode { face: 3, node: 4 };
    let found = examine(&mesh).findings;
    assert!(found.contains(&Finding::RepeatedCorner(cases(1, vec![case]))));
}

#[test]
fn faces_without_area_and_slivers_are_told_apart() {
    let flat = triangles(
        &[[0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [2.0, 2.0, 2.0]],
        &[[0, 1, 2]],
    );
    assert_eq!(only(&flat), Finding::DegenerateFace(cases(1, vec![0])));
    let thin = triangles(
        &[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 0.005, 0.0]],
        &[[0, 1, 2]],
    );
    assert!(matches!(only(&thin), Finding::SliverFace(c) if c.first[0].angle < 0.0101));
    // The same shape a thousand times smaller is judged the same.
    let small: Vec<DVec3> = thin.positions.iter().map(|&p| p * 2e-3).collect();
    assert!(matches!(
        only(&Mesh::new(small, thin.faces)),
        Finding::SliverFace(_)
    ));
}

#[test]
fn duplicates_are_found_in_any_rotation_and_orientation() {
    let mesh = triangles(&SQUARE, &[[0, 1, 2], [0, 2, 3], [2, 0, 1], [3, 2, 0]]);
    let pairs = vec![[0, 2], [1, 3]];
    assert_eq!(only(&mesh), Finding::DuplicateFace(cases(2, pairs)));
}

#[test]
fn an_edge_of_three_faces_is_found() {
    let points = [SQUARE.as_slice(), &[[0.5, 0.5, 1.0]]].concat();
    let mesh = triangles(&points, &[[0, 1, 2], [0, 2, 3], [0, 2, 4]]);
    let edge = EdgeFaces {
        nodes: [0, 2],
        faces: vec![0, 1, 2],
    };
    assert_eq!(only(&mesh), Finding::NonManifoldEdge(cases(1, vec![edge])));
}

#[test]
fn an_inverted_face_is_found_at_each_of_its_edges() {
    let mut mesh = sheet();
    mesh.faces[5] = mesh.faces[5].reversed();
    match only(&mesh) {
        Finding::Inverted(c) => {
            assert_eq!(c.total, 4);
            assert!(c.first.iter().all(|e| e.faces.contains(&5)));
        }
        other => panic!("{other:?}"),
    }
    assert!(!examine(&mesh).is_usable());
}

#[test]
fn a_bow_tie_is_a_warning_at_its_node() {
    let points = [
        [0.0, 0.0, 0.0],
        [1.0, -1.0, 0.0],
        [1.0, 1.0, 0.0],
        [-1.0, 1.0, 0.0],
        [-1.0, -1.0, 0.0],
    ];
    let mesh = triangles(&points, &[[0, 1, 2], [0, 3, 4]]);
    assert_eq!(only(&mesh), Finding::NonManifoldNode(cases(1, vec![0])));
    let diagnosis = examine(&mesh);
    assert!(diagnosis.is_usable());
    assert_eq!(diagnosis.statistics.components, 1);
}

#[test]
fn folded_quads_are_found_crossed_and_dented() {
    for corners in [[0, 1, 3, 2], [0, 2, 1, 3]] {
        let mut mesh = triangles(&SQUARE, &[]);
        mesh.faces.push(Face::Quad(corners));
        assert_eq!(only(&mesh), Finding::FoldedQuad(cases(1, vec![0])));
    }
    let mut dented = triangles(&SQUARE, &[]);
    dented.faces.push(Face::Quad([0, 1, 2, 3]));
    dented.positions[2] = DVec3::new(0.3, 0.3, 0.0);
    assert_eq!(only(&dented), Finding::FoldedQuad(cases(1, vec![0])));
}

#[test]
fn lonely_nodes_and_missing_faces_are_errors() {
    let mut mesh = sheet();
    mesh.positions.push(DVec3::new(0.5, 0.0, 0.5));
    assert_eq!(only(&mesh), Finding::IsolatedNode(cases(1, vec![25])));
    assert_eq!(only(&Mesh::default()), Finding::NoFaces);
    assert!(!examine(&Mesh::default()).is_usable());
}

#[test]
fn an_open_seam_is_found_once_and_not_as_an_intersection() {
    let points = [SQUARE.as_slice(), &[SQUARE[0], [1.0, 1.0, 1e-9]]].concat();
    let mesh = triangles(&points, &[[0, 1, 2], [4, 5, 3]]);
    let pairs = vec![[0, 4], [2, 5]];
    assert_eq!(only(&mesh), Finding::CoincidentNodes(cases(2, pairs)));
    assert_eq!(examine(&mesh).statistics.components, 2);
}

#[test]
fn faces_that_pass_through_each_other_are_a_warning_with_their_names() {
    let mut mesh = sheet();
    mesh.corner_uvs = None;
    let pin = [[0.1, 0.2, -0.5], [0.1, 0.2, 0.5], [0.1, 0.22, 0.5]];
    mesh.positions.extend(pin.map(DVec3::from));
    mesh.faces.insert(0, Face::Tri([25, 26, 27]));
    // Cell (2, 2) of the grid, one further for the face before it.
    let pair = IntersectingPair { faces: [0, 11] };
    assert_eq!(only(&mesh), Finding::SelfIntersection(cases(1, vec![pair])));
}

#[test]
fn nodes_without_finite_coordinates_are_named() {
    let mut mesh = sheet();
    mesh.positions[7].y = f64::NAN;
    mesh.positions[9].x = f64::INFINITY;
    assert_eq!(only(&mesh), Finding::NonFinite(cases(2, vec![7, 9])));
}

#[test]
fn sizes_that_look_like_another_unit_are_a_warning() {
    for (scale, word) in [(1000.0, "millimetres"), (1e-4, "small")] {
        let mut mesh = sheet();
        for p in &mut mesh.positions {
            *p *= scale;
        }
        let finding = only(&mesh);
        assert!(matches!(finding, Finding::SuspiciousSize { extent } if extent == scale));
        assert_eq!(finding.severity(), Severity::Warning);
        assert!(finding.meaning().contains(word));
    }
}

#[test]
fn texture_coordinates_must_fit_the_faces() {
    let mut mesh = sheet();
    mesh.corner_uvs = Some(vec![[DVec2::ZERO; 4]; 3]);
    assert_eq!(only(&mesh), Finding::UvMismatch { uvs: 3, faces: 16 });
}

#[test]
fn long_lists_are_cut_but_counted() {
    let mut mesh = sheet();
    let lonely = (0..50).map(|k| DVec3::new(0.0, 0.01 * f64::from(k), 0.5));
    mesh.positions.extend(lonely);
    let finding = only(&mesh);
    assert!(matches!(&finding, Finding::IsolatedNode(c) if c.total == 50 && c.first.len() == 8));
    let line = finding.to_string();
    assert!(line.starts_with("error: 50 nodes belong to no face (25; 26;"));
    assert!(line.contains("; …): ") && line.ends_with("remove the nodes"));
}

#[test]
fn a_heap_of_faces_in_one_place_ends_the_search_early() {
    let count = 1500;
    let points: Vec<[f64; 3]> = (0..count)
        .map(|k| 1e-4 * f64::from(k))
        .flat_map(|z| [[0.0, z, -1.0], [0.0, 0.0, 1.0 + z], [1.0 + z, 1.0, 0.0]])
        .collect();
    let faces: Vec<[u32; 3]> = (0..count as u32)
        .map(|k| [3 * k, 3 * k + 1, 3 * k + 2])
        .collect();
    match only(&triangles(&points, &faces)) {
        Finding::SelfIntersection(c) => assert!(c.total >= 100_000),
        other => panic!("{other:?}"),
    }
}

fn coordinate() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => (0..3_i32).prop_map(f64::from),
        1 => prop::num::f64::ANY,
    ]
}

fn face() -> impl Strategy<Value = Face> {
    prop_oneof![
        prop::array::uniform3(0..9_u32).prop_map(Face::Tri),
        prop::array::uniform4(0..9_u32).prop_map(Face::Quad),
        Just(Face::Tri([0, u32::MAX, 1])),
    ]
}

proptest! {
    #[test]
    fn no_mesh_makes_the_doctor_panic(
        points in prop::collection::vec(prop::array::uniform3(coordinate()), 0..9),
        faces in prop::collection::vec(face(), 0..12),
    ) {
        let positions = points.into_iter().map(DVec3::from).collect();
        let diagnosis = examine(&Mesh::new(positions, faces));
        prop_assert!(!diagnosis.to_string().is_empty());
    }
}
