//! Hand-made touching and overlapping cases, and random ones against slower independent answers.

use super::*;
use proptest::prelude::*;

type Point = [f64; 3];

fn intersect(points: &[Point], faces: &[Face]) -> Vec<[u32; 2]> {
    let positions: Vec<DVec3> = points.iter().map(|&p| DVec3::from(p)).collect();
    let pairs = self_intersections(&positions, faces);
    pairs.into_iter().map(|p| p.faces).collect()
}

/// Two triangles without common nodes, in both orders and all rotations: the answer must not depend
/// on them.
fn apart(a: [Point; 3], b: [Point; 3]) -> bool {
    let mut answers = Vec::new();
    for turn in 0..3 {
        for mirror in [false, true] {
            let mut second = [b[turn], b[(turn + 1) % 3], b[(turn + 2) % 3]];
            if mirror {
                second.swap(0, 1);
            }
            for points in [[a, second].concat(), [second, a].concat()] {
                let faces = [Face::Tri([0, 1, 2]), Face::Tri([3, 4, 5])];
                answers.push(intersect(&points, &faces).is_empty());
            }
        }
    }
    assert!(
        answers.iter().all(|&answer| answer == answers[0]),
        "{a:?} {b:?}"
    );
    answers[0]
}

const FLOOR: [Point; 3] = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
const TINY: f64 = 1e-15;

#[test]
fn a_triangle_that_pierces_another_is_found() {
    assert!(!apart(
        FLOOR,
        [[1.0, 1.0, -1.0], [1.0, 1.0, 1.0], [9.0, 9.0, 1.0]]
    ));
}

#[test]
fn touching_counts_and_the_smallest_gap_does_not() {
    let on_face = |z: f64| [[1.0, 1.0, z], [1.0, 2.0, 5.0], [2.0, 1.0, 5.0]];
    let on_corner = |x: f64| [[x, 0.0, 0.0], [-3.0, 1.0, 5.0], [-3.0, -1.0, 5.0]];
    let on_rim = |y: f64| [[2.0, y, 0.0], [2.0, -1.0, 1.0], [2.0, -1.0, -1.0]];
    for (touching, clear) in [
        (on_face(0.0), on_face(TINY)),
        (on_corner(0.0), on_corner(-TINY)),
        (on_rim(0.0), on_rim(-TINY)),
    ] {
        assert!(!apart(FLOOR, touching), "{touching:?}");
        assert!(apart(FLOOR, clear), "{clear:?}");
    }
}

#[test]
fn an_edge_lying_on_a_face_counts() {
    let wall = |z: f64| [[0.5, 0.5, z], [1.5, 1.5, z], [1.0, 1.0, 3.0]];
    assert!(!apart(FLOOR, wall(0.0)));
    assert!(apart(FLOOR, wall(1e-60)));
}

#[test]
fn edges_that_cross_exactly_count() {
    // The second triangle's edge passes through the slanted rim of the first at (2, 2, 0).
    let through = |d: f64| [[2.0 + d, 2.0, -1.0], [2.0 + d, 2.0, 1.0], [5.0, 5.0, 0.0]];
    assert!(!apart(FLOOR, through(0.0)));
    assert!(apart(FLOOR, through(1e-15)));
}

#[test]
fn coplanar_triangles_count_only_where_they_overlap_or_touch() {
    let moved = |dx: f64| FLOOR.map(|[x, y, z]| [x + dx, y, z]);
    assert!(!apart(FLOOR, moved(1.0)), "overlapping");
    assert!(!apart(FLOOR, moved(4.0)), "touching at a corner");
    assert!(apart(FLOOR, moved(4.0 + TINY * 4.0)), "beside");
    let inside = FLOOR.map(|[x, y, z]| [0.25 * x + 0.5, 0.25 * y + 0.5, z]);
    assert!(!apart(FLOOR, inside), "one within the other");
    let beside_slant = [[2.0, 2.5, 0.0], [2.5, 2.0, 0.0], [3.0, 3.0, 0.0]];
    assert!(apart(FLOOR, beside_slant), "beside, with overlapping boxes");
}

#[test]
fn coplanar_answers_hold_in_a_slanted_plane() {
    // z = x + 2y, with values that are exact in binary.
    let lift = |t: [Point; 3]| t.map(|[x, y, _]| [x, y, x + 2.0 * y]);
    let moved = |dx: f64| lift(FLOOR.map(|[x, y, z]| [x + dx, y, z]));
    assert!(!apart(lift(FLOOR), moved(4.0)));
    assert!(apart(lift(FLOOR), moved(4.0 + 4.0 * f64::EPSILON)));
}

#[test]
fn triangles_without_area_are_taken_for_segments_and_points() {
    let needle = |z: f64| [[1.0, 1.0, z], [1.0, 1.0, 1.0], [1.0, 1.0, 2.0]];
    assert!(!apart(FLOOR, needle(-1.0)));
    assert!(apart(FLOOR, needle(0.5)));
    assert!(!apart(FLOOR, [[1.0, 1.0, 0.0]; 3]));
    assert!(apart(FLOOR, [[1.0, 1.0, 0.1]; 3]));
    let (first, crossing) = (
        [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [2.0, 2.0, 2.0]],
        [[2.0, 0.0, 1.0], [1.0, 1.0, 1.0], [0.0, 2.0, 1.0]],
    );
    assert!(!apart(first, crossing));
    assert!(!apart(
        first,
        [[2.0, 2.0, 2.0], [3.0, 3.0, 3.0], [5.0, 5.0, 5.0]]
    ));
    assert!(apart(
        first,
        [[2.5, 2.5, 2.5], [3.0, 3.0, 3.0], [5.0, 5.0, 5.0]]
    ));
}

#[test]
fn neighbours_at_a_node_count_only_beyond_it() {
    let faces = [Face::Tri([0, 1, 2]), Face::Tri([0, 3, 4])];
    let with = |a: Point, b: Point| intersect(&[FLOOR.to_vec(), vec![a, b]].concat(), &faces);
    let pair = vec![[0, 1]];
    assert!(with([-1.0, 0.0, 1.0], [-1.0, 1.0, 0.0]).is_empty());
    assert!(with([1.0, 1.0, 1.0], [-1.0, -1.0, 1.0]).is_empty());
    assert_eq!(with([1.0, 1.0, 1.0], [1.0, 1.0, -1.0]), pair, "pierced");
    assert_eq!(
        with([1.0, 1.0, 0.0], [0.0, -1.0, 5.0]),
        pair,
        "an edge on the face"
    );
    assert_eq!(
        with([8.0, 0.0, 0.0], [0.0, -1.0, 5.0]),
        pair,
        "an edge on an edge"
    );
    assert!(
        with([1.0, 1.0, TINY], [0.0, -1.0, 5.0]).is_empty(),
        "just above"
    );
    assert_eq!(
        with([5.0, 1.0, 0.0], [1.0, 5.0, 0.0]),
        pair,
        "coplanar, overlapping"
    );
    assert!(with([-5.0, 1.0, 0.0], [-1.0, 5.0, 0.0]).is_empty());
}

#[test]
fn neighbours_at_an_edge_count_only_when_folded_flat_onto_each_other() {
    let faces = [Face::Tri([0, 1, 2]), Face::Tri([1, 0, 3])];
    let with = |apex: Point| intersect(&[FLOOR.to_vec(), vec![apex]].concat(), &faces);
    assert!(with([1.0, -1.0, 0.0]).is_empty(), "laid open");
    assert!(
        with([1.0, 1.0, TINY]).is_empty(),
        "nearly folded: only the edge is common"
    );
    assert_eq!(with([9.0, 1.0, 0.0]), vec![[0, 1]], "folded");
    assert!(
        with([9.0, 0.0, 0.0]).is_empty(),
        "a needle along the edge's line"
    );
}

#[test]
fn duplicates_and_unwelded_seams_count() {
    let same = [Face::Tri([0, 1, 2]), Face::Tri([2, 1, 0])];
    assert_eq!(intersect(&FLOOR, &same), vec![[0, 1]]);
    let seam = [[4.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, -4.0, 0.0]];
    assert!(!apart(FLOOR, seam));
}

#[test]
fn a_quad_is_not_reported_against_itself_but_against_others() {
    let bow_tie = [
        [0.0, 0.0, 0.0],
        [1.0, 1.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
    ];
    assert!(intersect(&bow_tie, &[Face::Quad([0, 1, 2, 3])]).is_empty());
    let square = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [1.0, 1.0, 0.0],
        [0.0, 1.0, 0.0],
    ];
    let pin = [[0.2, 0.6, -1.0], [0.2, 0.6, 1.0], [0.2, 5.0, 1.0]];
    let points = [square.as_slice(), &pin].concat();
    let faces = [Face::Quad([0, 1, 2, 3]), Face::Tri([4, 5, 6])];
    assert_eq!(intersect(&points, &faces), vec![[0, 1]]);
}

#[test]
fn missing_infinite_and_repeated_nodes_are_passed_over() {
    let points = [FLOOR.to_vec(), vec![[f64::NAN, 0.0, 0.0]]].concat();
    let faces = [
        Face::Tri([0, 1, 2]),
        Face::Tri([0, 1, 9]),
        Face::Tri([0, 3, 2]),
        Face::Tri([0, 0, 1]),
    ];
    assert!(intersect(&points, &faces).is_empty());
}

#[test]
fn the_hierarchy_misses_no_pair_of_a_large_mesh() {
    // A sheet of 60 × 60 nodes in waves, pierced by upright triangles at known places.
    let side = 60;
    let height = |x: usize, y: usize| (x as f64 * 0.3).sin() * (y as f64 * 0.2).cos();
    let mut points: Vec<Point> = (0..side * side)
        .map(|n| (n % side, n / side))
        .map(|(x, y)| [x as f64, y as f64, height(x, y)])
        .collect();
    let mut faces: Vec<Face> = (0..(side - 1) * (side - 1))
        .map(|c| (c % (side - 1), c / (side - 1)))
        .map(|(x, y)| (y * side + x) as u32)
        .map(|n| Face::Quad([n, n + 1, n + 1 + side as u32, n + side as u32]))
        .collect();
    assert!(intersect(&points, &faces).is_empty());
    let mut expected = Vec::new();
    for k in 0..50 {
        let (x, y) = (k + 4, (k * 7) % 58);
        let (first, face) = (points.len() as u32, faces.len() as u32);
        let at = [x as f64 + 0.3, y as f64 + 0.6];
        points.extend([
            [at[0], at[1], -9.0],
            [at[0], at[1], 9.0],
            [at[0] + 0.1, at[1], 9.0],
        ]);
        faces.push(Face::Tri([first, first + 1, first + 2]));
        expected.push([(y * (side - 1) + x) as u32, face]);
    }
    expected.sort_unstable();
    assert_eq!(intersect(&points, &faces), expected);
}

/// Where the segment meets the triangle by Cramer's rule in floating point, or `None` if that is too
/// close to call.
fn float_segment_meets(p: DVec3, q: DVec3, [a, b, c]: [DVec3; 3]) -> Option<bool> {
    let (u, v, d) = (b - a, c - a, p - q);
    let determinant = u.cross(v).dot(d);
    if determinant.abs() < 1e-3 {
        return None;
    }
    let r = p - a;
    let s = r.cross(v).dot(d) / determinant;
    let t = u.cross(r).dot(d) / determinant;
    let w = u.cross(v).dot(r) / determinant;
    let inside = [s, t, 1.0 - s - t, w, 1.0 - w];
    if inside.iter().any(|x| x.abs() < 1e-6) {
        return None;
    }
    Some(inside.iter().all(|&x| x > 0.0))
}

fn float_apart(a: [DVec3; 3], b: [DVec3; 3]) -> Option<bool> {
    let mut met = false;
    for (t, other) in [(a, b), (b, a)] {
        for k in 0..3 {
            met |= float_segment_meets(t[k], t[(k + 1) % 3], other)?;
        }
    }
    Some(!met)
}

type Lattice = [i64; 3];

fn minus(a: Lattice, b: Lattice) -> Lattice {
    std::array::from_fn(|k| a[k] - b[k])
}

fn cross(a: Lattice, b: Lattice) -> Lattice {
    std::array::from_fn(|k| a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3])
}

fn dot(a: Lattice, b: Lattice) -> i64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn normal(t: [Lattice; 3]) -> Lattice {
    cross(minus(t[1], t[0]), minus(t[2], t[0]))
}

/// The separating axis theorem in whole numbers, for triangles with area.
fn lattice_apart(a: [Lattice; 3], b: [Lattice; 3]) -> bool {
    let edges = |t: [Lattice; 3]| [0, 1, 2].map(|k| minus(t[(k + 1) % 3], t[k]));
    let mut axes = vec![normal(a), normal(b)];
    for e in edges(a) {
        axes.push(cross(normal(a), e));
        axes.extend(edges(b).map(|f| cross(e, f)));
    }
    axes.extend(edges(b).map(|f| cross(normal(b), f)));
    axes.iter().any(|&axis| {
        let [first, second] = [a, b].map(|t| t.map(|p| dot(p, axis)));
        first.iter().min() > second.iter().max() || second.iter().min() > first.iter().max()
    })
}

/// Whether the cones that two triangles span from the common corner at the origin share a ray.
fn lattice_cones_meet(a: [Lattice; 2], b: [Lattice; 2]) -> bool {
    let up = |c: [Lattice; 2]| cross(c[0], c[1]);
    let holds = |c: [Lattice; 2], d: Lattice| {
        dot(up(c), d) == 0 && dot(cross(c[0], d), up(c)) >= 0 && dot(cross(d, c[1]), up(c)) >= 0
    };
    let common = cross(up(a), up(b));
    if common == [0; 3] {
        a.iter().any(|&d| holds(b, d)) || b.iter().any(|&d| holds(a, d))
    } else {
        let back = common.map(|x| -x);
        [common, back].iter().any(|&d| holds(a, d) && holds(b, d))
    }
}

fn lattice_point() -> impl Strategy<Value = Lattice> {
    prop::array::uniform3(0_i64..4)
}

fn to_float(p: Lattice) -> Point {
    p.map(|x| x as f64)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn clear_random_cases_agree_with_floating_point(
        coordinates in prop::array::uniform18(-1.0_f64..1.0)
    ) {
        let point = |k: usize| DVec3::from_slice(&coordinates[3 * k..]);
        let (a, b) = ([0, 1, 2].map(point), [3, 4, 5].map(point));
        if let Some(expected) = float_apart(a, b) {
            prop_assert_eq!(apart(a.map(Point::from), b.map(Point::from)), expected);
        }
    }

    #[test]
    fn every_case_on_a_small_lattice_is_right(
        a in prop::array::uniform3(lattice_point()),
        b in prop::array::uniform3(lattice_point()),
    ) {
        prop_assume!(normal(a) != [0; 3] && normal(b) != [0; 3]);
        prop_assert_eq!(apart(a.map(to_float), b.map(to_float)), lattice_apart(a, b));
    }

    #[test]
    fn every_pair_with_a_common_node_on_a_small_lattice_is_right(
        corner in lattice_point(),
        a in prop::array::uniform2(lattice_point()),
        b in prop::array::uniform2(lattice_point()),
    ) {
        let (arms_a, arms_b) = (a.map(|p| minus(p, corner)), b.map(|p| minus(p, corner)));
        prop_assume!(cross(arms_a[0], arms_a[1]) != [0; 3]);
        prop_assume!(cross(arms_b[0], arms_b[1]) != [0; 3]);
        let points = [corner, a[0], a[1], b[0], b[1]].map(to_float);
        let faces = [Face::Tri([0, 1, 2]), Face::Tri([4, 0, 3])];
        let found = !intersect(&points, &faces).is_empty();
        prop_assert_eq!(found, lattice_cones_meet(arms_a, arms_b));
    }
}
