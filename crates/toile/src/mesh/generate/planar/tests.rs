//! Irregular meshes: size, shape, order, and outlines that cannot be meshed.

use super::super::tests::{faces_up, healthy};
use super::*;
use crate::mesh::Topology;
use crate::mesh::doctor::examine;
use proptest::prelude::*;
use std::f64::consts::{PI, TAU};

fn polygon(points: &[[f64; 2]]) -> Vec<DVec2> {
    points.iter().map(|&p| DVec2::from(p)).collect()
}

fn regular(corners: u32, radius: impl Fn(u32) -> f64) -> Vec<DVec2> {
    let corner = |k| radius(k) * DVec2::from_angle(TAU * f64::from(k) / f64::from(corners));
    (0..corners).map(corner).collect()
}

fn square() -> Vec<DVec2> {
    polygon(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
}

fn letter() -> Vec<DVec2> {
    let upper = [[1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
    polygon(&[&[[0.0, 0.0], [2.0, 0.0], [2.0, 1.0]], upper.as_slice()].concat())
}

fn hole() -> Vec<DVec2> {
    let moved = |p| p + DVec2::splat(0.5);
    regular(12, |_| 0.2).into_iter().map(moved).collect()
}

fn make(outline: Vec<DVec2>, holes: Vec<Vec<DVec2>>, nodes: u32, seed: u64) -> Mesh {
    planar(&Planar {
        outline,
        holes,
        nodes,
        seed,
    })
    .unwrap()
}

#[test]
fn planar_meshes_are_healthy_well_shaped_and_as_large_as_wanted() {
    let star = regular(10, |k| if k % 2 == 0 { 1.0 } else { 0.45 });
    // The angles that the polygons themselves have are the best that can be had there.
    let cases = [
        (square(), vec![], 1.0, 30.0),
        (letter(), vec![], 3.0, 30.0),
        (regular(7, |_| 1.0), vec![], 2.736_410_188, 30.0),
        (star, vec![], 1.322_516_818, 28.0),
        (square(), vec![hole()], 0.88, 25.0),
    ];
    for (outline, holes, exact, least) in cases {
        for (nodes, seed) in [(60, 1), (200, 2), (1500, 3)] {
            let mesh = make(outline.clone(), holes.clone(), nodes, seed);
            let loops = 1 + holes.len();
            let euler = 1 - holes.len() as i64;
            assert_eq!(healthy(&mesh), (nodes as usize, loops, euler));
            let s = examine(&mesh).statistics;
            assert!((s.area - exact).abs() < 1e-6, "{} {exact}", s.area);
            let angle = s.smallest_angle.to_degrees();
            assert!(angle > least, "{angle}° with {nodes} nodes of {exact} m²");
            assert!(s.longest_edge < 2.0 * s.mean_edge);
            assert!(faces_up(&mesh));
            for corner in outline.iter().chain(holes.iter().flatten()) {
                assert!(mesh.positions.contains(&corner.extend(0.0)));
            }
        }
    }
}

#[test]
fn planar_meshes_are_irregular() {
    let mesh = make(square(), vec![], 1000, 4);
    let mut directions = [0_usize; 18];
    let topology = Topology::new(mesh.positions.len(), mesh.faces.clone()).unwrap();
    let inner = topology.edges.iter().filter(|e| !e.is_boundary());
    let mut count = 0;
    for [a, b] in inner.map(|e| e.nodes.map(|n| mesh.positions[n as usize])) {
        let along = (b - a).truncate().to_angle().rem_euclid(PI);
        directions[((along / PI * 18.0) as usize).min(17)] += 1;
        count += 1;
    }
    // A grid has all its edges in two or three of the eighteen classes.
    let (fewest, most) = (directions.iter().min(), directions.iter().max());
    assert!(fewest > Some(&(count / 36)) && most < Some(&(count / 10)));
}

#[test]
fn planar_meshes_depend_on_the_seed_and_nothing_else() {
    let mesh = make(letter(), vec![], 300, 7);
    assert_eq!(mesh, make(letter(), vec![], 300, 7));
    assert_ne!(mesh, make(letter(), vec![], 300, 8));
    // Walked the other way from the same corner it is the same outline.
    let mut back = letter();
    back[1..].reverse();
    assert_eq!(mesh, make(back, vec![], 300, 7));
    // A power of two changes no digit.
    let large = letter().into_iter().map(|p| p * 64.0).collect();
    let positions = make(large, vec![], 300, 7).positions;
    assert!(
        positions
            .iter()
            .zip(&mesh.positions)
            .all(|(a, b)| *a == *b * 64.0)
    );
}

#[test]
fn the_rim_comes_first_in_order_and_evenly() {
    let mesh = make(square(), vec![hole()], 600, 5);
    let topology = Topology::new(mesh.positions.len(), mesh.faces.clone()).unwrap();
    let loops = &topology.boundary_loops;
    let around: Vec<u32> = (0..loops[0].len() as u32).collect();
    assert_eq!(loops[0], around);
    assert_eq!(loops[1][0] as usize, loops[0].len());
    assert_eq!(mesh.positions[0], DVec3::ZERO);
    assert_eq!(mesh.positions[loops[1][0] as usize].truncate(), hole()[0]);
    let at = |k: usize| mesh.positions[loops[0][k % loops[0].len()] as usize];
    let step = at(0).distance(at(1));
    for k in 0..loops[0].len() {
        assert!((at(k).distance(at(k + 1)) / step - 1.0).abs() < 1e-12);
    }
}

#[test]
fn impossible_polygons_are_refused_with_the_place() {
    let refuse = |outline: Vec<DVec2>, holes: Vec<Vec<DVec2>>| {
        let parameters = Planar {
            outline,
            holes,
            nodes: 100,
            seed: 0,
        };
        match planar(&parameters) {
            Err(GenerateError::Polygon(error)) => error,
            other => panic!("{other:?}"),
        }
    };
    let crossed = polygon(&[[0.0, 0.0], [2.0, 1.0], [2.0, 0.0], [0.0, 2.0]]);
    let error = refuse(crossed, vec![]);
    assert!(
        matches!(error, PolygonError::Crossing { sides, .. } if sides.contains(&0) && sides.contains(&2))
    );
    let spike = polygon(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [1.0, -1.0]]);
    assert!(matches!(
        refuse(spike, vec![]),
        PolygonError::Crossing { .. }
    ));
    let line = polygon(&[[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]);
    assert!(matches!(refuse(line, vec![]), PolygonError::NoArea { .. }));
    let touching = polygon(&[[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [1.0, 0.0], [0.0, 2.0]]);
    assert!(matches!(
        refuse(touching, vec![]),
        PolygonError::Crossing { .. }
    ));
    let closed = [square(), vec![DVec2::ZERO]].concat();
    assert!(matches!(
        refuse(closed, vec![]),
        PolygonError::RepeatedPoint { point: 4, .. }
    ));
    let broken = polygon(&[[0.0, 0.0], [1.0, f64::NAN], [0.0, 1.0]]);
    assert!(matches!(
        refuse(broken, vec![]),
        PolygonError::NotFinite { point: 1, .. }
    ));
    assert!(matches!(
        refuse(square()[..2].to_vec(), vec![]),
        PolygonError::TooFewPoints { count: 2, .. }
    ));
    let far = hole().into_iter().map(|p| p + DVec2::splat(5.0)).collect();
    assert_eq!(
        refuse(square(), vec![far]),
        PolygonError::HoleOutside { hole: 0 }
    );
    let inner = hole().into_iter().map(|p| 0.5 * p + DVec2::splat(0.25));
    assert_eq!(
        refuse(square(), vec![hole(), inner.collect()]),
        PolygonError::HoleInHole { inner: 1, outer: 0 }
    );
    let across = hole().into_iter().map(|p| p + DVec2::splat(0.5)).collect();
    let error = refuse(square(), vec![across]);
    assert!(error.to_string().contains("hole 0"), "{error}");
}

#[test]
fn narrow_tiny_and_far_polygons_still_give_meshes() {
    let strip = polygon(&[[0.0, 0.0], [10.0, 10.0], [9.99, 10.01], [-0.01, 0.01]]);
    for (outline, nodes) in [
        (strip, 400),
        (square().into_iter().map(|p| p * 1e-200).collect(), 100),
        (square().into_iter().map(|p| p * 1e200).collect(), 100),
        (
            square()
                .into_iter()
                .map(|p| p + DVec2::splat(1e7))
                .collect(),
            100,
        ),
        (square(), 4),
        (square(), 5),
    ] {
        let mesh = make(outline, vec![], nodes, 1);
        assert_eq!(mesh.positions.len(), nodes as usize);
        let topology = Topology::new(mesh.positions.len(), mesh.faces).unwrap();
        assert_eq!(topology.boundary_loops.len(), 1);
        let euler = nodes as i64 - topology.edges.len() as i64 + topology.faces.len() as i64;
        assert_eq!(euler, 1);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn convex_polygons_get_no_angle_below_twenty_degrees(
        corners in 5_u32..12, stretch in 0.6_f64..1.6, nodes in 50_u32..600, seed in any::<u64>()
    ) {
        let outline = regular(corners, |_| 1.0);
        let outline = outline.into_iter().map(|p| p * DVec2::new(stretch, 1.0)).collect();
        let mesh = make(outline, vec![], nodes, seed);
        prop_assert_eq!(mesh.positions.len(), nodes as usize);
        let angle = examine(&mesh).statistics.smallest_angle.to_degrees();
        prop_assert!(angle > 20.0, "{}", angle);
    }

    #[test]
    fn no_outline_makes_the_generator_panic(
        points in prop::collection::vec(prop::array::uniform2(0_i32..6), 0..9),
        inner in prop::collection::vec(prop::array::uniform2(1_i32..5), 3..5),
        nodes in 0_u32..80,
    ) {
        let whole = |points: Vec<[i32; 2]>| -> Vec<DVec2> {
            points.iter().map(|p| DVec2::from(p.map(f64::from))).collect()
        };
        let parameters = Planar { outline: whole(points), holes: vec![whole(inner)], nodes, seed: 1 };
        if let Ok(mesh) = planar(&parameters) {
            let topology = Topology::new(mesh.positions.len(), mesh.faces).unwrap();
            prop_assert_eq!(topology.boundary_loops.len(), 2);
        }
    }
}
